//! The first page of a query index, `index.json`: its parameters, snapshots and files.
//!
//! It is JSON with a digest of its own, as the manifest of a work directory. Its size does not
//! depend on the size of the corpus.

use crate::manifest::MergeLevel;
use crate::public_ids::SnapshotSpan;
use crate::{AtomicFile, Disk, FormatError, Sealed};
use model::{KeyRule, PermutationFamily, Sampling};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;
use twox_hash::XxHash3_128;

/// File name within the directory of the index.
pub const INDEX_MANIFEST: &str = "index.json";

/// Version of the index; a reader refuses any other.
pub const INDEX_VERSION: u16 = 8;

/// The rule that the sketches of an index were kept by: [`Sampling`] as it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum IndexSampling {
    /// A fixed modulus.
    Modulus {
        /// At least 1.
        modulus: u32,
    },
    /// A modulus for each document.
    AdaptiveModulus {
        /// Fingerprints wanted.
        target: u32,
        /// Logarithm of the coarsest modulus, at most 15.
        coarsest_log2: u8,
    },
    /// Min-hashes.
    MinHash {
        /// How many.
        permutations: u32,
        /// Whether they are those of linear permutations.
        linear: bool,
        /// If they are those of NumPy: its seed, and the lowest bits that are taken.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        numpy: Option<(u32, u32)>,
    },
    /// The smallest multiples of a modulus.
    MinOfModulus {
        /// At most so many.
        size: u32,
        /// At least 1.
        modulus: u32,
    },
}

/// The keys that the postings of an index have, where these are not the elements of sketches:
/// [`KeyRule`] as it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum IndexKeys {
    /// A key for each band.
    Bands {
        /// Min-hashes of a band.
        rows: u32,
        /// Bands that two documents must share.
        #[serde(default = "one")]
        shared: u32,
    },
    /// A key for each run of elements.
    SuperShingles {
        /// Elements of a run.
        length: u32,
        /// Runs that two documents must share.
        shared: u32,
    },
}

/// One, where an index does not say.
fn one() -> u32 {
    1
}

impl IndexKeys {
    /// Those of a rule; `None` for the elements of sketches.
    pub fn of(rule: KeyRule) -> Option<IndexKeys> {
        match rule {
            KeyRule::Elements => None,
            KeyRule::Bands { rows, shared } => Some(IndexKeys::Bands { rows, shared }),
            KeyRule::SuperShingles { length, shared } => {
                Some(IndexKeys::SuperShingles { length, shared })
            }
        }
    }
}

impl From<IndexKeys> for KeyRule {
    fn from(keys: IndexKeys) -> KeyRule {
        match keys {
            IndexKeys::Bands { rows, shared } => KeyRule::Bands { rows, shared },
            IndexKeys::SuperShingles { length, shared } => {
                KeyRule::SuperShingles { length, shared }
            }
        }
    }
}

impl Default for IndexSampling {
    fn default() -> IndexSampling {
        IndexSampling::Modulus { modulus: 1 }
    }
}

impl From<Sampling> for IndexSampling {
    fn from(sampling: Sampling) -> IndexSampling {
        match sampling {
            Sampling::Modulus { modulus } => IndexSampling::Modulus { modulus },
            Sampling::Min { size, modulus } => IndexSampling::MinOfModulus { size, modulus },
            Sampling::MinHash {
                permutations,
                family,
            } => IndexSampling::MinHash {
                permutations,
                linear: family == PermutationFamily::Linear,
                numpy: match family {
                    PermutationFamily::Numpy { seed, bits } => Some((seed, bits)),
                    _ => None,
                },
            },
            Sampling::Adaptive {
                target,
                coarsest_log2,
            } => IndexSampling::AdaptiveModulus {
                target,
                coarsest_log2,
            },
        }
    }
}

impl From<IndexSampling> for Sampling {
    fn from(sampling: IndexSampling) -> Sampling {
        match sampling {
            IndexSampling::Modulus { modulus } => Sampling::Modulus { modulus },
            IndexSampling::MinOfModulus { size, modulus } => Sampling::Min { size, modulus },
            IndexSampling::MinHash {
                permutations,
                linear,
                numpy,
            } => Sampling::MinHash {
                permutations,
                family: match (numpy, linear) {
                    (Some((seed, bits)), _) => PermutationFamily::Numpy { seed, bits },
                    (None, true) => PermutationFamily::Linear,
                    (None, false) => PermutationFamily::Keyed,
                },
            },
            IndexSampling::AdaptiveModulus {
                target,
                coarsest_log2,
            } => {
                let coarsest_log2 = coarsest_log2.min(Sampling::LEVELS_MAX as u8 - 1);
                Sampling::Adaptive {
                    target,
                    coarsest_log2,
                }
            }
        }
    }
}

/// The first page of an index.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct IndexManifest {
    /// [`INDEX_VERSION`].
    pub version: u16,
    /// The semantic parameters of the run that made it, one a line; of the seed a digest.
    pub parameters: String,
    /// The rule of its sketches.
    pub sampling: IndexSampling,
    /// The keys of its postings, if these are not the elements of sketches.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub keys: Option<IndexKeys>,
    /// The report of the publication it belongs to.
    pub report: Sealed,
    /// The journal of clusters of that publication, as it was written: the next one goes on with
    /// it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub journal: Option<Sealed>,
    /// Names of the carried fields, in the order of the rows.
    pub fields: Vec<String>,
    /// Snapshots in order.
    pub snapshots: Vec<SnapshotSpan>,
    /// Postings, in files of steps; documents are numbered in each as when it was made.
    pub postings: Vec<MergeLevel>,
    /// Files of fixed names, and those of steps.
    pub files: BTreeMap<String, Sealed>,
    /// Of the file of keys and the file of places, which part belongs to which file: first and one
    /// past the last.
    pub parts: BTreeMap<String, [u64; 2]>,
}

#[derive(Serialize)]
struct PageRef<'a> {
    digest: String,
    index: &'a IndexManifest,
}

#[derive(Deserialize)]
struct Page {
    digest: String,
    index: IndexManifest,
}

fn digest(index: &IndexManifest) -> Result<String, serde_json::Error> {
    Ok(format!(
        "{:032x}",
        XxHash3_128::oneshot(&serde_json::to_vec(index)?)
    ))
}

impl IndexManifest {
    /// Reads the first page of the index in this directory.
    ///
    /// # Errors
    /// When it is not there, is damaged, is no index, or is of another version.
    pub fn load(disk: &Disk, dir: &Path) -> Result<IndexManifest, FormatError> {
        let path = dir.join(INDEX_MANIFEST);
        let damaged = |what: String| FormatError::Damaged {
            path: path.clone(),
            offset: 0,
            what,
        };
        let Some(text) = disk.read_text(&path)? else {
            return Err(damaged("it is missing".to_owned()));
        };
        disk.count_read(text.len() as u64);
        let value: serde_json::Value =
            serde_json::from_str(&text).map_err(|e| damaged(e.to_string()))?;
        let version = value
            .pointer("/index/version")
            .and_then(serde_json::Value::as_u64);
        if version.is_some_and(|version| version != u64::from(INDEX_VERSION)) {
            return Err(FormatError::Mismatch {
                path,
                what: "index version",
                expected: INDEX_VERSION.to_string(),
                got: version.unwrap_or(0).to_string(),
            });
        }
        let page: Page = serde_json::from_value(value).map_err(|e| damaged(e.to_string()))?;
        if digest(&page.index).map_err(|e| damaged(e.to_string()))? != page.digest {
            return Err(damaged("its digest does not match its content".to_owned()));
        }
        Ok(page.index)
    }

    /// Writes the first page, after every file it names is durable.
    pub fn store(&self, disk: &Disk, dir: &Path) -> Result<Sealed, FormatError> {
        let path = dir.join(INDEX_MANIFEST);
        let failed = |e: serde_json::Error| FormatError::Damaged {
            path: path.clone(),
            offset: 0,
            what: e.to_string(),
        };
        let page = PageRef {
            digest: digest(self).map_err(failed)?,
            index: self,
        };
        let bytes = serde_json::to_vec(&page).map_err(failed)?;
        let mut file = AtomicFile::create(disk, &path)?;
        // An error of the disk is met again, by itself, when the file is committed.
        let _ = file.write_all(&bytes);
        file.commit(0)
    }

    /// A file by its name.
    ///
    /// # Errors
    /// When the index has none.
    pub fn file(&self, dir: &Path, name: &str) -> Result<&Sealed, FormatError> {
        let missing = || {
            FormatError::damaged(
                &dir.join(INDEX_MANIFEST),
                0,
                format!("it does not name {name}"),
            )
        };
        self.files.get(name).ok_or_else(missing)
    }

    /// Which keys or places belong to a file.
    ///
    /// # Errors
    /// When the index does not say.
    pub fn part(&self, dir: &Path, name: &str) -> Result<std::ops::Range<u64>, FormatError> {
        let missing = || {
            FormatError::damaged(
                &dir.join(INDEX_MANIFEST),
                0,
                format!("it has no part {name}"),
            )
        };
        self.parts
            .get(name)
            .map(|[start, end]| *start..*end)
            .ok_or_else(missing)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_index_of_another_version_a_changed_one_and_none_are_refused() {
        let dir = tempfile::tempdir().unwrap();
        let disk = Disk::default();
        assert!(matches!(
            IndexManifest::load(&disk, dir.path()),
            Err(FormatError::Damaged { .. })
        ));
        let mut index = IndexManifest {
            version: INDEX_VERSION,
            ..IndexManifest::default()
        };
        index.parts.insert("postings".into(), [0, 7]);
        let sealed = index.store(&disk, dir.path()).unwrap();
        AtomicFile::verify(&disk, &dir.path().join(INDEX_MANIFEST), &sealed).unwrap();
        assert_eq!(IndexManifest::load(&disk, dir.path()).unwrap(), index);
        assert_eq!(index.part(dir.path(), "postings").unwrap(), 0..7);
        assert!(
            index.part(dir.path(), "links").is_err() && index.file(dir.path(), "links").is_err()
        );
        let path = dir.path().join(INDEX_MANIFEST);
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::write(&path, text.replace("[0,7]", "[0,8]")).unwrap();
        assert!(matches!(
            IndexManifest::load(&disk, dir.path()),
            Err(FormatError::Damaged { .. })
        ));
        std::fs::write(&path, "{\"something\": \"else\"}").unwrap();
        assert!(matches!(
            IndexManifest::load(&disk, dir.path()),
            Err(FormatError::Damaged { .. })
        ));
        index.version += 1;
        index.store(&disk, dir.path()).unwrap();
        assert!(matches!(
            IndexManifest::load(&disk, dir.path()),
            Err(FormatError::Mismatch { .. })
        ));
    }
}
