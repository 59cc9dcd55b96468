//! What an earlier listing found out by looking into files, so that the next one need not look
//! again.
//!
//! *Input.* The figures of a file as the system has them. *Output.* Its format, or why it was
//! refused, if somebody who saw it before says that nothing of it changed. *Limits.* Only what was
//! seen in a file is remembered: one that could not be opened is tried again each time.

use super::found::FoundFile;
use crate::{Format, Rejection};

/// A file as the system describes it, before it is opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Figures<'a> {
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

/// What was found in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Earlier {
    /// It is of this format.
    Format(Format),
    /// It cannot be read: a stable word, and a detail for a person. Made by [`Earlier::refused`].
    Refused(&'static str, String),
}

impl Earlier {
    /// A refusal of an earlier listing; `None` for reasons that do not lie in the content of a
    /// file.
    pub fn refused(reason: &str, detail: &str) -> Option<Earlier> {
        refusal(reason).map(|reason| Earlier::Refused(reason, detail.to_owned()))
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
const REFUSALS: [&str; 4] = ["empty-file", "json-array", "unknown-format", "utf-16"];

/// The reason of the list that is spelled so.
fn refusal(reason: &str) -> Option<&'static str> {
    REFUSALS.into_iter().find(|known| *known == reason)
}

impl<'a> Figures<'a> {
    pub(super) fn of(name: &'a str, found: &FoundFile) -> Figures<'a> {
        let FoundFile {
            bytes,
            modified_ns,
            changed_ns,
            inode,
            ..
        } = *found;
        Figures {
            name,
            bytes,
            modified_ns,
            changed_ns,
            inode,
        }
    }
}

impl RefusedFile {
    /// What the next listing may remember; `None` if it has to look again.
    pub(super) fn of(figures: &Figures<'_>, rejection: &Rejection) -> Option<RefusedFile> {
        let reason = refusal(rejection.reason)?;
        let Figures {
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
