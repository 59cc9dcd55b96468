//! Lists the files of the input, with their order and their formats: paths of the user → the files
//! to read.
//!
//! *Input.* `paths` of the configuration. *Output.* A [`Listing`]: every file once, in byte order
//! of its path relative to its root; and what lies there but cannot be read. *Algorithm.* All
//! matches of all patterns are collected, sorted by (relative path, order of the pattern), and a
//! file met before, by device and inode, is left out: so neither the order in which directories
//! list their entries, nor a file matched twice or linked twice, has any influence. *Memory.* Paths
//! and figures of the files, nothing of their content. *Limits.* Under [`FormatChoice::Auto`] the
//! first 16 KiB of each file are read, one file after the other, unless the caller remembers its
//! content ([`discover_again`]): then a file costs one `stat`. *Errors.* An [`InputError`]: an
//! entry of `paths` cannot be understood or matches nothing, or the system fails.

mod discovery;
mod found;
mod glob_syntax;
mod linked;
mod list;
mod name;
mod not_pages;
mod objects;
mod passed_over;
mod pattern;
mod reach;
mod rejected;
mod results;
mod signature;
mod sniff;
#[cfg(test)]
mod tests;
mod walk;

use std::collections::HashSet;
use std::path::{Path, PathBuf};

pub use discovery::{Discovery, ListedSource};
pub use linked::LinkedFiles;
pub use list::entry_end;
pub(crate) use name::extension;
pub use not_pages::NOT_A_PAGE;
pub use passed_over::PassedOver;
pub use reach::Reach;
pub use rejected::{FileContent, LISTING_REASONS, RejectedFile, listing_reason};
pub(crate) use signature::is_version_line;

use decode::{
    document::Rejection,
    error::InputError,
    open_file::stat_at,
    options::{FormatChoice, SourceFile},
};
use found::FoundFile;
use model::FileStat;
use name::text_of;
use pattern::PathTarget;
use walk::{Walk, WantedPaths};

/// The result of a listing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Listing {
    /// The files to read, in input order.
    pub files: Vec<SourceFile>,
    /// Files that cannot be read or are [not pages](NOT_A_PAGE), in byte order of the names.
    pub rejected: Vec<RejectedFile>,
    /// Names that were left out because the file is read under another one.
    pub linked: LinkedFiles,
}

impl Listing {
    /// Bytes of all files to read.
    pub fn bytes(&self) -> u64 {
        self.files.iter().map(|file| file.stat.bytes).sum()
    }

    /// Whether some files are of sources and others of none: then the sources are references for
    /// the others, the data.
    pub fn has_references(&self) -> bool {
        let is_data = |file: &SourceFile| file.sources.is_empty();
        self.files.iter().any(is_data) && !self.files.iter().all(is_data)
    }
}

/// Lists the files of the input.
///
/// # Errors
/// [`InputError::NothingMatches`] for a glob or directory without any file, [`InputError::Missing`]
/// for a named file that is not there, [`InputError::BadPattern`], [`InputError::ListEntry`] for a
/// bad line of an `@list`, and [`InputError::Io`] for a named directory or list that cannot be
/// read, and for a disk, a file system or a system that fails. What is met below a directory and is
/// forbidden, gone or of no known format is no error: it is in [`Listing::rejected`].
pub fn discover(discovery: &Discovery) -> Result<Listing, InputError> {
    discover_again(discovery, &|_, _| None)
}

/// As [`discover`], but does not open a file if `earlier` knows its content. `earlier` gets the
/// name of a file, and answers only for files that it saw with the same figures, under the same
/// [`Discovery::format`].
pub fn discover_again(
    discovery: &Discovery,
    earlier: &dyn Fn(&str, &FileStat) -> Option<FileContent>,
) -> Result<Listing, InputError> {
    discovery.passed_over.check()?;
    let mut walk = Walk::of(&discovery.passed_over);
    for (order, pattern) in (0u32..).zip(&discovery.paths) {
        let before = walk.found.len() + walk.refused.len();
        match pattern::parse(pattern, &discovery.base)? {
            PathTarget::File(path) => named_file(&mut walk, path, order)?,
            PathTarget::Directory(path) => walk.tree(&path, order, WantedPaths::All)?,
            PathTarget::Glob(glob) if !glob.has_root()? => {}
            PathTarget::Glob(glob) => walk.tree(&glob.root, order, WantedPaths::Matching(&glob))?,
            PathTarget::List(path) => list::read(&path, order, &mut walk.found)?,
            PathTarget::Objects(found) => walk.objects(&found, order),
        }
        if walk.found.len() + walk.refused.len() == before {
            return Err(InputError::NothingMatches {
                pattern: pattern.clone(),
            });
        }
    }
    listing(walk, discovery, earlier)
}

fn named_file(walk: &mut Walk<'_>, path: PathBuf, order: u32) -> Result<(), InputError> {
    let stat = stat_at(&path).map_err(InputError::io("look at", &path))?;
    walk.found.push(FoundFile::named(path, order, stat));
    Ok(())
}

/// Looks at one file by its name, which is no pattern.
///
/// # Errors
/// [`InputError::Io`] if it is not there, is no regular file, or cannot be looked at. What it holds
/// is no error: a file that is empty, or of no format that is known, is a rejection. Text may be in
/// any charset.
pub fn discover_file(
    path: &Path,
    format: FormatChoice,
) -> Result<Result<SourceFile, Rejection>, InputError> {
    let stat = stat_at(path).map_err(InputError::io("look at", path))?;
    let found = FoundFile::named(path.to_owned(), 0, stat);
    let format = sniff::format_of(path, stat.bytes, format, true);
    Ok(match format.map_err(InputError::io("read", path))? {
        Ok(format) => Ok(found.of_format(format)),
        Err((reason, detail)) => Err(Rejection::new(0, reason, detail)),
    })
}

/// The files in order, each with its format.
fn listing(
    walk: Walk<'_>,
    discovery: &Discovery,
    earlier: &dyn Fn(&str, &FileStat) -> Option<FileContent>,
) -> Result<Listing, InputError> {
    let Walk {
        mut found, refused, ..
    } = walk;
    found.sort_unstable_by(|a, b| (a.name(), a.order, &a.path).cmp(&(b.name(), b.order, &b.path)));
    let sources = linked::SourcesOfLinks::of(discovery, &found);
    let mut listing = Listing {
        linked: linked::leave_out(&mut found),
        ..Listing::default()
    };
    let mut refused_paths = HashSet::new();
    for (path, rejected) in refused {
        if refused_paths.insert(path) {
            listing.rejected.push(rejected);
        }
    }
    for file in found {
        let (name, stat) = (text_of(file.name()), file.stat);
        let sources = sources.of_file(&file);
        let format = sources.last().map_or(discovery.format, |last| last.format);
        // The result for a file in the format of a source says nothing of the file elsewhere.
        let is_format_of_all = format == discovery.format;
        let known = earlier(&name, &stat).filter(|_| is_format_of_all);
        let content = known.map_or_else(
            || sniff::format_of(&file.path, stat.bytes, format, false),
            Ok,
        );
        match content.map_err(|error| InputError::io("read", &file.path)(error))? {
            Ok(format) => listing.files.push(SourceFile {
                sources,
                ..file.of_format(format)
            }),
            Err((reason, detail)) => listing.rejected.push(RejectedFile {
                name,
                reason,
                detail,
                stat: (is_format_of_all && rejected::lies_in_content(reason)).then_some(stat),
            }),
        }
    }
    listing
        .rejected
        .sort_by(|a, b| (&a.name, a.reason).cmp(&(&b.name, b.reason)));
    Ok(listing)
}
