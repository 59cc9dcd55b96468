//! Lists the files of `paths`, with the help of the last run's manifest.
//!
//! *Input.* `paths` of the configuration; the manifest, and that of a shard to adopt. *Output.* A
//! [`Listing`]. *Algorithm.* A file with the name, size, times and inode of the manifest has not
//! changed: it costs one `stat` and is not opened. The same goes for files that were refused,
//! because trees of pages are full of images. Of a shard, which another machine may have made,
//! name, size and time of modification count, as they do when its digests are compared. *Memory.*
//! An entry of a map for every file of the manifests, while the listing is made. *Limits.* With
//! another `format`, other options of reading, or another version of the program all files are
//! opened again.

use crate::runtime::parameters;
use crate::{Error, PhaseName};
use config::Config;
use format::{Manifest, RefusedInput};
use input::{FileContent, Format, InputError, Listing, RejectedFile, listing_reason};
use model::FileStat;
use sort::MemoryBudget;
use std::cell::Cell;
use std::collections::HashMap;
use twox_hash::XxHash3_64;

/// Memory of a listed file besides its names: numbers, digests, entries of maps.
const LISTED_FILE_BYTES: usize = 400;

/// A list of at most this size needs no reservation: every run may exceed its budget by so much.
pub(crate) const LISTED_FREE_BYTES: usize = 4 << 20;

/// Reserves the memory that a run holds for every file: name, path, and entry of the manifest.
pub fn reserve(
    budget: &MemoryBudget,
    listing: &Listing,
) -> Result<Option<sort::Reservation>, Error> {
    let per_file = |file: &input::SourceFile| {
        2 * (file.name.len() + file.path.as_os_str().len()) + LISTED_FILE_BYTES
    };
    let per_refused =
        |file: &RejectedFile| 3 * (file.name.len() + file.detail.len()) + LISTED_FILE_BYTES;
    let listed: usize = listing.files.iter().map(per_file).sum::<usize>()
        + refused(listing).map(per_refused).sum::<usize>();
    Ok(if listed > LISTED_FREE_BYTES {
        Some(budget.reserve("the list of input files", listed)?)
    } else {
        None
    })
}

/// Lists the input of a configuration. Files that the manifest, or that of a shard to adopt, has as
/// they are now are not opened. Also gives the number of the others.
pub(crate) fn discover_after(
    config: &Config,
    manifest: &Manifest,
    shard: Option<&Manifest>,
) -> Result<(Listing, u64), Error> {
    let discovery = config.input_discovery();
    let earlier = KnownFiles::of(config, manifest);
    let adopted = shard.map(|shard| KnownFiles::of_shard(config, shard));
    let others = Cell::new(0);
    let answer = |name: &str, stat: &FileStat| {
        let known = earlier.answer(name, stat);
        let known = known.or_else(|| adopted.as_ref()?.answer(name, stat));
        others.set(others.get() + u64::from(known.is_none()));
        known
    };
    let listing = input::discover_again(&discovery, &answer);
    let listing = listing.map_err(|error| named(config, error))?;
    Ok((listing, others.get()))
}

/// The error of a listing: where a path matches no file, with the name of its source, or that it is
/// one of the data beside sources.
fn named(config: &Config, error: InputError) -> Error {
    let (InputError::NothingMatches { pattern } | InputError::Missing { pattern, .. }) = &error
    else {
        return error.into();
    };
    let mut sources = config.input.sources.iter();
    let pattern = pattern.clone();
    match sources.find(|one| one.paths.contains(&pattern)) {
        Some(one) => Error::SourceWithoutFile {
            name: one.source.name.clone(),
            pattern,
        },
        None if config.input.sources.is_empty() => error.into(),
        None => Error::DataWithoutFile { pattern },
    }
}

/// Name and version of the program, as the manifest stores them.
pub fn tool() -> String {
    format!("pipeline {}", env!("CARGO_PKG_VERSION"))
}

/// Whether a file has other times or another inode than when it was read. Then its bytes have to be
/// compared.
pub fn is_touched(listing: &Listing, manifest: &Manifest) -> bool {
    let mut files = manifest.inputs.iter().zip(&listing.files);
    files.any(|(known, file)| known.stat.is_touched(&file.stat))
}

/// The files that were opened and cannot be read.
fn refused(listing: &Listing) -> impl Iterator<Item = &RejectedFile> {
    let rejected = listing.rejected.iter();
    rejected.filter(|file| file.stat.is_some())
}

/// Stores the refused files of a listing in the manifest. Returns whether the manifest changed.
pub fn remember(listing: &Listing, manifest: &mut Manifest) -> bool {
    let refused = refused(listing).map(|file| RefusedInput {
        name: file.name.clone(),
        stat: file.stat.unwrap_or_default().without_device(),
        reason: file.reason.to_owned(),
        detail: file.detail.clone(),
    });
    let is_new_tool = manifest.tool != tool();
    manifest.tool = tool();
    manifest.inputs.refuse(refused.collect()) || is_new_tool
}

/// The files of a manifest, found by their names.
struct KnownFiles<'a> {
    /// They were read by another machine: then inodes and times of change tell nothing.
    is_shard: bool,
    /// By the hash of the name, and by the inode unless they are of a shard: several roots may have
    /// files of one name. To hash whole names in the map takes a fifth of a listing, besides the
    /// calls of the system. `None` for files that are not told apart.
    files: HashMap<(u64, u64), Option<KnownFile<'a>>>,
}

/// A file as a listing found it.
struct KnownFile<'a> {
    name: &'a str,
    stat: FileStat,
    content: Option<FileContent>,
}

impl<'a> KnownFiles<'a> {
    /// The files of this work directory.
    fn of(config: &Config, manifest: &'a Manifest) -> KnownFiles<'a> {
        KnownFiles::new(config, manifest, false)
    }

    /// The files of a shard, which another machine may have made.
    fn of_shard(config: &Config, shard: &'a Manifest) -> KnownFiles<'a> {
        KnownFiles::new(config, shard, true)
    }

    /// Empty unless this version of the program made the last listing with these parameters.
    fn new(config: &Config, manifest: &'a Manifest, is_shard: bool) -> KnownFiles<'a> {
        let mut known = KnownFiles {
            is_shard,
            files: HashMap::new(),
        };
        let phase = manifest.phases.get(PhaseName::Sketch.name());
        let of_phase = phase.map(|record| &record.parameters);
        let listed_with = of_phase.or(manifest.shard.as_ref().map(|shard| &shard.parameters));
        let now = parameters::of(PhaseName::Sketch, config);
        if listed_with != Some(&now) || manifest.tool != tool() {
            return known;
        }
        let read = manifest.inputs.iter().map(|file| KnownFile {
            name: &file.name,
            stat: file.stat,
            content: Format::named(&file.format).map(Ok),
        });
        let refused = manifest.inputs.refused().iter().map(|file| KnownFile {
            name: &file.name,
            stat: file.stat,
            content: listing_reason(&file.reason).map(|word| Err((word, file.detail.clone()))),
        });
        known.files.reserve(manifest.inputs.len());
        for file in read.chain(refused) {
            let other = known.files.entry(known.key(file.name, &file.stat));
            other.and_modify(|one| *one = None).or_insert(Some(file));
        }
        known
    }

    fn key(&self, name: &str, stat: &FileStat) -> (u64, u64) {
        let inode = if self.is_shard { 0 } else { stat.inode };
        (XxHash3_64::oneshot(name.as_bytes()), inode)
    }

    fn answer(&self, name: &str, stat: &FileStat) -> Option<FileContent> {
        let known = self.files.get(&self.key(name, stat))?.as_ref()?;
        let is_same = known.name == name
            && known.stat.bytes == stat.bytes
            && known.stat.modified_ns == stat.modified_ns
            && (self.is_shard || known.stat.changed_ns == stat.changed_ns);
        is_same.then(|| known.content.clone())?
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use format::InputFile;

    const KNOWN: FileStat = FileStat {
        bytes: 7,
        modified_ns: -5,
        changed_ns: 99,
        inode: 3,
        device: 0,
    };

    /// A manifest with a page `a` and an image `b`, both of 7 bytes, and the configuration of a run
    /// that made it.
    fn manifest() -> (Manifest, Config) {
        let file = InputFile {
            name: "a".to_owned(),
            format: "html".to_owned(),
            stat: KNOWN,
            digest: String::new(),
            is_of_source: false,
        };
        let refused = RefusedInput {
            name: "b".to_owned(),
            stat: KNOWN,
            reason: "unknown-format".to_owned(),
            detail: "it is an image".to_owned(),
        };
        let text = "version = 1\n[input]\npaths = [\"a\"]\n[sketch]\nseed = \"s\"\n";
        let config = config::parse(text, std::path::Path::new("p.toml")).expect("right");
        let mut manifest = Manifest::default();
        manifest.inputs.push(file);
        manifest.inputs.refuse(vec![refused]);
        manifest.tool = tool();
        (manifest, config)
    }

    const PAGE: Option<FileContent> = Some(Ok(Format::Html));

    fn is_refused(answer: &Option<FileContent>) -> bool {
        matches!(answer, Some(Err(("unknown-format", _))))
    }

    #[test]
    fn a_file_of_a_shard_is_taken_as_it_was_only_if_name_size_and_time_are_the_same() {
        let (mut manifest, config) = manifest();
        let here = FileStat {
            changed_ns: 1234,
            inode: 77,
            ..KNOWN
        };
        let shard = KnownFiles::of_shard(&config, &manifest);
        assert_eq!(shard.answer("a", &here), None);
        manifest.shard = Some(format::ShardRecord {
            parameters: parameters::of(PhaseName::Sketch, &config),
            ..format::ShardRecord::default()
        });
        let shard = KnownFiles::of_shard(&config, &manifest);
        assert_eq!(shard.answer("a", &here), PAGE);
        assert!(is_refused(&shard.answer("b", &here)));
        assert_eq!(shard.answer("c", &here), None);
        for other in [
            FileStat { bytes: 8, ..here },
            FileStat {
                modified_ns: 5,
                ..here
            },
        ] {
            assert_eq!(shard.answer("a", &other), None, "{other:?}");
        }
        // The machine that made the shard finds it as any file of its manifest.
        let own = KnownFiles::of(&config, &manifest);
        assert_eq!(own.answer("a", &KNOWN), PAGE);
        let same_name = manifest.inputs[0].clone();
        manifest.inputs.push(same_name);
        let shard = KnownFiles::of_shard(&config, &manifest);
        assert_eq!(shard.answer("a", &here), None, "two files have this name");
    }

    #[test]
    fn a_file_is_taken_as_it_was_only_if_nothing_of_it_changed() {
        let (mut manifest, config) = manifest();
        let record = manifest.phases.entry("sketch".to_owned()).or_default();
        record.parameters = parameters::of(PhaseName::Sketch, &config);
        let seen = KnownFiles::of(&config, &manifest);
        assert_eq!(seen.answer("a", &KNOWN), PAGE);
        assert!(is_refused(&seen.answer("b", &KNOWN)));
        assert_eq!(seen.answer("c", &KNOWN), None);
        for changed in [
            FileStat { bytes: 8, ..KNOWN },
            FileStat {
                modified_ns: 5,
                ..KNOWN
            },
            FileStat {
                changed_ns: 98,
                ..KNOWN
            },
            FileStat { inode: 4, ..KNOWN },
        ] {
            for name in ["a", "b"] {
                assert_eq!(seen.answer(name, &changed), None, "{changed:?}");
            }
        }
        manifest.tool.push('x');
        let other = KnownFiles::of(&config, &manifest);
        let why = "another version of the program looks again";
        assert_eq!(other.answer("a", &KNOWN), None, "{why}");
    }
}
