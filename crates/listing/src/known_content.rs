//! Knowledge of an earlier listing about the content of files, so that the next listing does not
//! open them again.
//!
//! *Input.* The figures of a file as `stat` gives them. *Output.* Its format, or the reason for
//! which it was refused, if the caller saw the file before with the same figures. *Limits.* Only
//! the content of a file is remembered. A file that could not be opened is tried again each time.

use super::found::FoundFile;
use super::not_pages::NOT_A_PAGE;
use super::signature::UNSUPPORTED;
use decode::{document::Rejection, figures::Figures, options::Format};

/// A file as the system describes it, before it is opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileStat<'a> {
    /// Path relative to its root, as in [`crate::SourceFile::name`].
    pub name: &'a str,
    /// Size in bytes.
    pub bytes: u64,
    /// Modification time, nanoseconds since 1970.
    pub modified_ns: i128,
    /// Time of the last change of content, rights or names, nanoseconds since 1970.
    pub changed_ns: i128,
    /// Inode number.
    pub inode: u64,
}

/// The content of a file, as an earlier listing found it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KnownContent {
    /// It is of this format.
    Format(Format),
    /// It cannot be read: a stable word, and a detail for a person. Made by
    /// [`KnownContent::refused`].
    Refused(&'static str, String),
}

impl KnownContent {
    /// A refusal of an earlier listing; `None` for reasons that do not lie in the content of a
    /// file.
    pub fn refused(reason: &str, detail: &str) -> Option<KnownContent> {
        refusal(reason).map(|reason| KnownContent::Refused(reason, detail.to_owned()))
    }
}

/// A file that was looked into and cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefusedFile {
    /// Path relative to its root.
    pub name: String,
    /// Size in bytes.
    pub bytes: u64,
    /// Modification time, nanoseconds since 1970.
    pub modified_ns: i128,
    /// Time of the last change of content, rights or names, nanoseconds since 1970.
    pub changed_ns: i128,
    /// Inode number.
    pub inode: u64,
    /// Why: a stable word.
    pub reason: &'static str,
    /// A detail for a person.
    pub detail: String,
}

/// Reasons that lie in the content of a file, so that they stay as long as the file does.
const REFUSALS: [&str; 6] = [
    "empty-file",
    "json-array",
    NOT_A_PAGE,
    "unknown-format",
    UNSUPPORTED,
    "utf-16",
];

/// The reason of the list that is spelled so.
fn refusal(reason: &str) -> Option<&'static str> {
    REFUSALS.into_iter().find(|known| *known == reason)
}

impl<'a> FileStat<'a> {
    pub(super) fn of(name: &'a str, found: &FoundFile) -> FileStat<'a> {
        let Figures {
            bytes,
            modified_ns,
            changed_ns,
            inode,
            ..
        } = found.figures;
        FileStat {
            name,
            bytes,
            modified_ns,
            changed_ns,
            inode,
        }
    }
}

impl RefusedFile {
    /// The refusal, for the next listing to remember; `None` if that has to open the file again.
    pub(super) fn of(figures: &FileStat<'_>, rejection: &Rejection) -> Option<RefusedFile> {
        let reason = refusal(rejection.reason)?;
        let FileStat {
            name,
            bytes,
            modified_ns,
            changed_ns,
            inode,
        } = *figures;
        let (name, detail) = (name.to_owned(), rejection.detail.clone());
        Some(RefusedFile {
            name,
            bytes,
            modified_ns,
            changed_ns,
            inode,
            reason,
            detail,
        })
    }
}
