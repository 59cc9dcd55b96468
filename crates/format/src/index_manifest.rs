//! The first page of a query index, `index.json`: its parameters, snapshots and files.
//!
//! It is JSON with a digest of its own, as the manifest of a work directory. Its size does not
//! depend on the size of the corpus.

use crate::json_page::{self, JsonPage};
use crate::manifest::MergeLevel;
use crate::public_ids::SnapshotSpan;
use crate::{AtomicFile, Disk, FormatError, Sealed};
use model::{KeyRule, Sampling};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;

/// File name within the directory of the index.
pub const INDEX_MANIFEST: &str = "index.json";

/// Version of the index; a reader refuses any other.
pub const INDEX_VERSION: u16 = 10;

/// The first page of an index.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct IndexManifest {
    /// [`INDEX_VERSION`].
    pub version: u16,
    /// The semantic parameters of the run that made it, one a line; of the seed a digest.
    pub parameters: String,
    /// The rule of its sketches.
    pub sampling: Sampling,
    /// The keys of its postings, if these are not the elements of sketches.
    #[serde(default, skip_serializing_if = "KeyRule::is_elements")]
    pub keys: KeyRule,
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

impl IndexManifest {
    /// Reads the first page of the index in this directory.
    pub fn load(disk: &Disk, dir: &Path) -> Result<IndexManifest, FormatError> {
        let path = dir.join(INDEX_MANIFEST);
        let missing = || FormatError::damaged(&path, 0, "it is missing");
        let text = disk.read_text(&path)?.ok_or_else(missing)?;
        disk.count_read(text.len() as u64);
        let page = JsonPage::of(&path, &text)?;
        let index: IndexManifest = page.body("index", "index version", INDEX_VERSION, &[])?;
        if index.sampling.levels() > Sampling::LEVELS_MAX {
            let what = "its sampling is out of range";
            return Err(FormatError::damaged(&path, 0, what));
        }
        Ok(index)
    }

    /// Writes the first page, after every file it names is durable.
    pub fn store(&self, disk: &Disk, dir: &Path) -> Result<Sealed, FormatError> {
        let path = dir.join(INDEX_MANIFEST);
        let body = json_page::encode(&path, self)?;
        let digest = json_page::digest(&body, "");
        let page = format!("{{\"digest\":\"{digest}\",\"index\":{body}}}");
        AtomicFile::write_whole(disk, &path, page.as_bytes())
    }

    /// A file by its name.
    pub fn file(&self, dir: &Path, name: &str) -> Result<&Sealed, FormatError> {
        let missing = || IndexManifest::damaged(dir, format!("it does not name {name}"));
        self.files.get(name).ok_or_else(missing)
    }

    /// Which keys or places belong to a file.
    pub fn part(&self, dir: &Path, name: &str) -> Result<Range<u64>, FormatError> {
        let missing = || IndexManifest::damaged(dir, format!("it has no part {name}"));
        let &[start, end] = self.parts.get(name).ok_or_else(missing)?;
        Ok(start..end)
    }

    fn damaged(dir: &Path, what: String) -> FormatError {
        FormatError::damaged(&dir.join(INDEX_MANIFEST), 0, what)
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
