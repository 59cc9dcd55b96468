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

use crate::manifest;
use config::Config;
use format::{InputFile, Manifest, RefusedInput};
use input::{FileStat, Format, InputError, KnownContent, Listing};
use runtime::{Error, PhaseName, parameters};
use sort::MemoryBudget;
use std::cell::Cell;
use std::collections::HashMap;
use twox_hash::XxHash3_64;

/// Memory of a listed file besides its names: numbers, digests, entries of maps.
const LISTED_FILE_BYTES: usize = 400;

/// A list of at most this size needs no reservation: every run may exceed its budget by so much.
pub(crate) const LISTED_FREE_BYTES: usize = 4 << 20;

/// Reserves the memory that a run holds for every file: name, path, and entry of the manifest.
///
/// # Errors
/// When the budget is too small for it.
pub fn reserve(
    budget: &MemoryBudget,
    listing: &Listing,
) -> Result<Option<sort::Reservation>, Error> {
    let per_file = |file: &input::SourceFile| {
        2 * (file.name.len() + file.path.as_os_str().len()) + LISTED_FILE_BYTES
    };
    let per_refused =
        |file: &input::RefusedFile| 3 * (file.name.len() + file.detail.len()) + LISTED_FILE_BYTES;
    let listed: usize = listing.files.iter().map(per_file).sum::<usize>()
        + listing.refused.iter().map(per_refused).sum::<usize>();
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
    let adopted = shard.map(|shard| ShardFiles::of(config, shard));
    let others = Cell::new(0);
    let answer = |figures: &FileStat<'_>| {
        let known = earlier.answer(figures);
        let known = known.or_else(|| adopted.as_ref()?.answer(figures));
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
    files.any(|(known, file)| manifest::is_touched(known, &manifest::input_file(file)))
}

/// Stores the refused files of a listing in the manifest. Returns whether the manifest changed.
pub fn remember(listing: &Listing, manifest: &mut Manifest) -> bool {
    let refused = listing.refused.iter().map(|file| RefusedInput {
        name: file.name.clone(),
        bytes: file.bytes,
        modified_ns: file.modified_ns.to_string(),
        changed_ns: file.changed_ns.to_string(),
        inode: file.inode,
        reason: file.reason.to_owned(),
        detail: file.detail.clone(),
    });
    let is_new_tool = manifest.tool != tool();
    manifest.tool = tool();
    manifest.inputs.refuse(refused.collect()) || is_new_tool
}

/// The files of the manifest, by name and inode: several roots may have files of one name.
struct KnownFiles<'a> {
    files: HashMap<(u64, u64), Entry<'a>>,
}

/// What stands for a name in the maps. To hash whole names there takes a fifth of a listing,
/// besides the calls of the system. Of two names with one number, one is not known.
fn number_of(name: &str) -> u64 {
    XxHash3_64::oneshot(name.as_bytes())
}

#[derive(Clone, Copy)]
enum Entry<'a> {
    File(&'a InputFile),
    Refused(&'a RefusedInput),
}

impl<'a> KnownFiles<'a> {
    /// Empty unless this version of the program made the last listing with these parameters.
    fn of(config: &Config, manifest: &'a Manifest) -> KnownFiles<'a> {
        let files = entries(config, manifest);
        let files = files.map(|entry| ((number_of(entry.name()), entry.inode()), entry));
        KnownFiles {
            files: files.collect(),
        }
    }

    fn answer(&self, figures: &FileStat<'_>) -> Option<KnownContent> {
        let key = (number_of(figures.name), figures.inode);
        let entry = self.files.get(&key)?;
        let is_same =
            entry.is_like(figures) && entry.changed_ns().parse() == Ok(figures.changed_ns);
        is_same.then(|| entry.content())?
    }
}

/// The files of a shard, by name. Inodes are those of the machine that sketched it, so a name that
/// files of several roots have tells nothing.
struct ShardFiles<'a> {
    files: HashMap<u64, Option<Entry<'a>>>,
}

impl<'a> ShardFiles<'a> {
    fn of(config: &Config, shard: &'a Manifest) -> ShardFiles<'a> {
        let mut files = HashMap::with_capacity(shard.inputs.len());
        for entry in entries(config, shard) {
            let other = files.entry(number_of(entry.name()));
            other
                .and_modify(|known| *known = None)
                .or_insert(Some(entry));
        }
        ShardFiles { files }
    }

    fn answer(&self, figures: &FileStat<'_>) -> Option<KnownContent> {
        let entry = (*self.files.get(&number_of(figures.name))?)?;
        entry.is_like(figures).then(|| entry.content())?
    }
}

/// The files of a manifest; none unless this version of the program listed them with these
/// parameters.
fn entries<'a>(config: &Config, manifest: &'a Manifest) -> impl Iterator<Item = Entry<'a>> {
    let phase = manifest.phases.get(PhaseName::Sketch.name());
    let of_phase = phase.map(|record| &record.parameters);
    let listed_with = of_phase.or(manifest.shard.as_ref().map(|shard| &shard.parameters));
    let is_same =
        listed_with.is_some_and(|text| *text == parameters::of(PhaseName::Sketch, config));
    let inputs = (is_same && manifest.tool == tool()).then_some(&manifest.inputs);
    let files = inputs.map_or(&[][..], |inputs| inputs);
    let refused = inputs.map_or(&[][..], |inputs| inputs.refused());
    let files = files.iter().map(Entry::File);
    files.chain(refused.iter().map(Entry::Refused))
}

impl<'a> Entry<'a> {
    fn name(self) -> &'a str {
        match self {
            Entry::File(file) => &file.name,
            Entry::Refused(file) => &file.name,
        }
    }

    fn inode(self) -> u64 {
        match self {
            Entry::File(file) => file.inode,
            Entry::Refused(file) => file.inode,
        }
    }

    fn changed_ns(self) -> &'a str {
        match self {
            Entry::File(file) => &file.changed_ns,
            Entry::Refused(file) => &file.changed_ns,
        }
    }

    /// Whether name, size and time of modification are the same.
    fn is_like(self, figures: &FileStat<'_>) -> bool {
        if self.name() != figures.name {
            return false;
        }
        let (bytes, modified_ns) = match self {
            Entry::File(file) => (file.bytes, &file.modified_ns),
            Entry::Refused(file) => (file.bytes, &file.modified_ns),
        };
        bytes == figures.bytes && modified_ns.parse() == Ok(figures.modified_ns)
    }

    fn content(self) -> Option<KnownContent> {
        match self {
            Entry::File(file) => Format::named(&file.format).map(KnownContent::Format),
            Entry::Refused(file) => KnownContent::refused(&file.reason, &file.detail),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A manifest with a page `a` and an image `b`, both of 7 bytes, and the configuration of a run
    /// that made it.
    fn manifest() -> (Manifest, Config) {
        let file = InputFile {
            name: "a".to_owned(),
            format: "html".to_owned(),
            bytes: 7,
            modified_ns: "-5".to_owned(),
            changed_ns: "99".to_owned(),
            inode: 3,
            digest: String::new(),
            is_of_source: false,
        };
        let refused = RefusedInput {
            name: "b".to_owned(),
            bytes: 7,
            modified_ns: "-5".to_owned(),
            changed_ns: "99".to_owned(),
            inode: 3,
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

    #[test]
    fn a_file_of_a_shard_is_taken_as_it_was_only_if_name_size_and_time_are_the_same() {
        let (mut manifest, config) = manifest();
        let here = FileStat {
            name: "a",
            bytes: 7,
            modified_ns: -5,
            changed_ns: 1234,
            inode: 77,
        };
        assert_eq!(ShardFiles::of(&config, &manifest).answer(&here), None);
        manifest.shard = Some(format::ShardRecord {
            parameters: parameters::of(PhaseName::Sketch, &config),
            ..format::ShardRecord::default()
        });
        let shard = ShardFiles::of(&config, &manifest);
        let page = Some(KnownContent::Format(Format::Html));
        assert_eq!(shard.answer(&here), page);
        let image = shard.answer(&FileStat { name: "b", ..here });
        assert!(matches!(
            image,
            Some(KnownContent::Refused("unknown-format", _))
        ));
        for other in [
            FileStat { name: "c", ..here },
            FileStat { bytes: 8, ..here },
            FileStat {
                modified_ns: 5,
                ..here
            },
        ] {
            assert_eq!(shard.answer(&other), None, "{other:?}");
        }
        // The machine that made the shard finds it as any file of its manifest.
        let own = FileStat {
            changed_ns: 99,
            inode: 3,
            ..here
        };
        assert_eq!(KnownFiles::of(&config, &manifest).answer(&own), page);
        let same_name = manifest.inputs[0].clone();
        manifest.inputs.push(same_name);
        let shard = ShardFiles::of(&config, &manifest);
        assert_eq!(shard.answer(&here), None, "two files have this name");
    }

    #[test]
    fn a_file_is_taken_as_it_was_only_if_nothing_of_it_changed() {
        let (mut manifest, config) = manifest();
        let record = manifest.phases.entry("sketch".to_owned()).or_default();
        record.parameters = parameters::of(PhaseName::Sketch, &config);
        let known = FileStat {
            name: "a",
            bytes: 7,
            modified_ns: -5,
            changed_ns: 99,
            inode: 3,
        };
        let seen = KnownFiles::of(&config, &manifest);
        assert_eq!(
            seen.answer(&known),
            Some(KnownContent::Format(Format::Html))
        );
        let is_refused =
            |answer| matches!(answer, Some(KnownContent::Refused("unknown-format", _)));
        assert!(is_refused(seen.answer(&FileStat { name: "b", ..known })));
        for changed in [
            FileStat { name: "c", ..known },
            FileStat { bytes: 8, ..known },
            FileStat {
                modified_ns: 5,
                ..known
            },
            FileStat {
                changed_ns: 98,
                ..known
            },
            FileStat { inode: 4, ..known },
        ] {
            assert_eq!(seen.answer(&changed), None, "{changed:?}");
            assert_eq!(
                seen.answer(&FileStat {
                    name: if changed.name == "a" { "b" } else { "c" },
                    ..changed
                }),
                None
            );
        }
        manifest.tool.push('x');
        assert_eq!(
            KnownFiles::of(&config, &manifest).answer(&known),
            None,
            "another version of the program looks again"
        );
    }
}
