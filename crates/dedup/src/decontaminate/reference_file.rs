//! A file of references, and what of it is not searched for.

use super::outcome::LeftOut;
use std::collections::BTreeMap;
use std::path::Path;

/// Records that are named of those that are left out of a file for one reason.
const LEFT_OUT_NAMED: usize = 100;

/// Advice on a file that cannot be used.
pub(super) const MEND: &str = "mend it, or leave it out";

/// A file of references.
#[derive(Clone, Debug, Default)]
pub(super) struct ReferenceFile {
    /// Its path, relative to the current directory if it lies below.
    pub(super) name: String,
    /// Its first item.
    pub(super) first: u32,
    pub(super) items: u32,
    /// Records that are not searched for, by reason.
    pub(super) left_out: BTreeMap<String, LeftOut>,
    pub(super) bytes: u64,
    /// The digest of its bytes.
    pub(super) digest: u64,
}

impl ReferenceFile {
    /// Counts records that are not searched for, and names the first.
    pub(super) fn leave_out(&mut self, reason: &str, records: u64, name: impl FnOnce() -> String) {
        let left_out = self.left_out.entry(reason.to_owned()).or_default();
        left_out.records += records;
        if left_out.named.len() < LEFT_OUT_NAMED {
            left_out.named.push(name());
        }
    }
}

/// A path as results show it: relative to the current directory where it lies below it.
pub(super) fn shown(path: &Path) -> String {
    let here = std::env::current_dir().unwrap_or_default();
    path.strip_prefix(here)
        .unwrap_or(path)
        .display()
        .to_string()
}
