//! From a listing to what is put down of it, and back.

use super::{Snapshot, SnapshotFile, SnapshotInput};
use input::{Listing, SourceFile};
use runtime::Error;
use std::borrow::Cow;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

impl SnapshotFile {
    /// Its name as it lies there.
    pub(super) fn name_bytes(&self) -> &[u8] {
        self.raw.as_deref().unwrap_or(self.name.as_bytes())
    }
}

/// Puts down what was listed. Roots are relative to `base` where they lie below it.
///
/// # Errors
/// When a file could not be opened. What is put down is never looked at again, so only what the
/// bytes of a file say may keep it out.
pub(super) fn put_down(
    listing: &Listing,
    base: &Path,
    snapshot: &mut Snapshot,
) -> Result<(), Error> {
    let mut unread = listing
        .rejected
        .iter()
        .filter(|(_, rejection)| rejection.reason == "unreadable");
    if let Some((file, rejection)) = unread.next() {
        return Err(Error::SnapshotUnreadable {
            snapshot: snapshot.name.clone(),
            file: file.clone(),
            detail: rejection.detail.clone(),
            more: unread.count(),
        });
    }
    let mut roots: Vec<String> = Vec::new();
    let mut files = Vec::with_capacity(listing.files.len());
    for file in &listing.files {
        let (root, name) = file.root_and_name();
        let root = root.strip_prefix(base).unwrap_or(root);
        let Some(root) = root.to_str() else {
            return Err(Error::Usage(format!(
                "failed to add {}: the path before the name is no UTF-8; rename its directories",
                file.path.display()
            )));
        };
        let at = roots
            .iter()
            .rposition(|known| known == root)
            .unwrap_or_else(|| {
                roots.push(root.to_owned());
                roots.len() - 1
            });
        files.push(SnapshotFile {
            raw: (name != file.name.as_bytes()).then(|| name.to_owned()),
            name: file.name.clone(),
            root: u32::try_from(at).unwrap_or(u32::MAX),
            format: file.format,
            bytes: file.bytes,
            digest: String::new(),
        });
    }
    (snapshot.roots, snapshot.files, snapshot.rejected) = (roots, files, listing.rejected.clone());
    Ok(())
}

/// What was put down, looked at again.
pub(super) fn look_again(snapshot: &Snapshot, base: &Path) -> SnapshotInput {
    let mut different = Vec::new();
    let mut files = Vec::with_capacity(snapshot.files.len());
    for known in &snapshot.files {
        let root = snapshot
            .roots
            .get(known.root as usize)
            .map_or("", String::as_str);
        let (times, inode) = (0, 0);
        let mut file = SourceFile {
            name: known.name.clone(),
            path: base.join(root).join(OsStr::from_bytes(known.name_bytes())),
            format: known.format,
            bytes: known.bytes,
            modified_ns: times,
            changed_ns: times,
            inode,
        };
        different.extend(file.look_again().map(|what| (file.name.clone(), what)));
        files.push(file);
    }
    input(
        snapshot,
        Listing {
            files,
            rejected: snapshot.rejected.clone(),
            refused: Vec::new(),
        },
        different,
    )
}

/// A snapshot with its files.
pub(super) fn input(
    snapshot: &Snapshot,
    listing: Listing,
    different: Vec<(String, String)>,
) -> SnapshotInput {
    let Snapshot { number, date, .. } = *snapshot;
    SnapshotInput {
        number,
        name: snapshot.name.clone(),
        date,
        listing,
        lent: snapshot.dropped,
        different,
    }
}

/// What of a listing could not be read, in a few words; `None` if all could.
pub(super) fn unreadable(snapshot: &Snapshot) -> Option<String> {
    let (name, rejection) = snapshot.rejected.first()?;
    let more: Cow<'_, str> = match snapshot.rejected.len() - 1 {
        0 => "".into(),
        more => format!(" and {more} more").into(),
    };
    Some(format!(
        "snapshot {}: not read: {name:?} ({}){more}",
        snapshot.name, rejection.reason
    ))
}
