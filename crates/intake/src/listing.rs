//! Lists the files of `paths`, with the help of the last run's manifest.
//!
//! *Input.* `paths` of the configuration; the manifest. *Output.* A [`Listing`]. *Algorithm.* A
//! file with the name, size, times and inode of the manifest has not changed: it costs one `stat`
//! and is not opened. The same goes for files that were refused, because trees of pages are full of
//! images. *Memory.* An entry of a map for every file of the manifest, while
//! the listing is made. *Limits.* With another `format`, other options of reading, or another
//! version of the program all files are opened again.

use crate::manifest;
use config::Config;
use format::{InputFile, Manifest, RefusedInput};
use input::{Discovery, FileStat, Format, KnownContent, Listing};
use runtime::{Error, PhaseName, parameters};
use sort::MemoryBudget;
use std::collections::HashMap;

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

/// Lists the input of a configuration. Unchanged files of the manifest are not opened.
pub(crate) fn discover_after(config: &Config, manifest: &Manifest) -> Result<Listing, Error> {
    let discovery = Discovery {
        paths: config.input.paths.clone(),
        base: config.base.clone(),
        format: config.input.format,
        passed_over: config::passed_over(config),
    };
    let earlier = KnownFiles::of(config, manifest);
    let answer = |figures: &FileStat<'_>| earlier.answer(figures);
    Ok(input::discover_again(&discovery, &answer)?)
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
    files: HashMap<(&'a str, u64), Entry<'a>>,
}

enum Entry<'a> {
    File(&'a InputFile),
    Refused(&'a RefusedInput),
}

impl<'a> KnownFiles<'a> {
    /// Empty unless this version of the program made the last listing with these parameters.
    fn of(config: &Config, manifest: &'a Manifest) -> KnownFiles<'a> {
        let record = manifest.phases.get(PhaseName::Sketch.name());
        let same = record
            .is_some_and(|record| record.parameters == parameters::of(PhaseName::Sketch, config));
        if !same || manifest.tool != tool() {
            return KnownFiles {
                files: HashMap::new(),
            };
        }
        let files = manifest
            .inputs
            .iter()
            .map(|file| ((file.name.as_str(), file.inode), Entry::File(file)));
        let refused = manifest
            .inputs
            .refused()
            .iter()
            .map(|file| ((file.name.as_str(), file.inode), Entry::Refused(file)));
        KnownFiles {
            files: files.chain(refused).collect(),
        }
    }

    fn answer(&self, figures: &FileStat<'_>) -> Option<KnownContent> {
        let same = |bytes: u64, modified_ns: &str, changed_ns: &str| {
            bytes == figures.bytes
                && modified_ns.parse() == Ok(figures.modified_ns)
                && changed_ns.parse() == Ok(figures.changed_ns)
        };
        match self.files.get(&(figures.name, figures.inode))? {
            Entry::File(file) => {
                let is_same = same(file.bytes, &file.modified_ns, &file.changed_ns);
                Format::named(&file.format)
                    .filter(|_| is_same)
                    .map(KnownContent::Format)
            }
            Entry::Refused(file) if same(file.bytes, &file.modified_ns, &file.changed_ns) => {
                KnownContent::refused(&file.reason, &file.detail)
            }
            Entry::Refused(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_taken_as_it_was_only_if_nothing_of_it_changed() {
        let file = InputFile {
            name: "a".to_owned(),
            format: "html".to_owned(),
            bytes: 7,
            modified_ns: "-5".to_owned(),
            changed_ns: "99".to_owned(),
            inode: 3,
            digest: String::new(),
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
        let record = manifest.phases.entry("sketch".to_owned()).or_default();
        record.parameters = parameters::of(PhaseName::Sketch, &config);
        manifest.tool = tool();
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
