//! Files that are listed and cannot be read, and why.

use super::not_pages::NOT_A_PAGE;
use super::signature::UNSUPPORTED;
use decode::options::Format;
use model::FileStat;
use serde::{Deserialize, Deserializer, Serialize, de};

/// A file that is there and cannot be read, or is [not a page](NOT_A_PAGE).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RejectedFile {
    /// Path relative to its root.
    pub name: String,
    /// One of [`LISTING_REASONS`].
    #[serde(deserialize_with = "known_reason")]
    pub reason: Reason,
    /// The exact cause, for a person; empty if the reason says it all.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub detail: String,
    /// How the file was when it was opened, if the reason lies in its content: while it stays so,
    /// it need not be opened again.
    #[serde(skip)]
    pub stat: Option<FileStat>,
}

/// A word of [`LISTING_REASONS`]. An alias, because serde would borrow a reference from its input.
pub(super) type Reason = &'static str;

/// The content of a file: its format, or why it cannot be read, with a detail for a person.
pub type FileContent = Result<Format, (Reason, String)>;

/// Every reason for which a listing leaves a file out.
pub const LISTING_REASONS: [Reason; 10] = [
    "bad-path",
    "empty-file",
    "json-array",
    "not-a-file",
    NOT_A_PAGE,
    "symlink",
    "unknown-format",
    UNSUPPORTED,
    "unreadable",
    "utf-16",
];

/// The reason of the list that is spelled so.
pub fn listing_reason(text: &str) -> Option<Reason> {
    LISTING_REASONS.into_iter().find(|known| *known == text)
}

/// Whether a reason lies in the content of a file, so that it stays as long as the file does.
pub(super) fn lies_in_content(reason: Reason) -> bool {
    !matches!(reason, "bad-path" | "not-a-file" | "symlink" | "unreadable")
}

fn known_reason<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Reason, D::Error> {
    let reason = String::deserialize(deserializer)?;
    let unknown = || de::Error::custom(format!("unknown reason {reason:?}"));
    listing_reason(&reason).ok_or_else(unknown)
}
