//! Records a listing in a snapshot, and makes a listing of a snapshot again.

use super::snapshot::{Snapshot, SnapshotFile};
use super::store;
use crate::Error;
use input::{Listing, RejectedFile, SourceFile, objects};
use model::FileStat;
use std::borrow::Cow;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// The reason of a listing for a file that could not be opened.
pub(super) const UNREADABLE: &str = "unreadable";

/// Records the files of a listing. Roots below `base` are recorded relative to it.
///
/// # Errors
/// When a file could not be opened: a recorded rejection is never tried again, so only the bytes of
/// a file may be its cause. When a file lies among the lists of files.
pub(super) fn record_listing(
    listing: &Listing,
    base: &Path,
    snapshot: &mut Snapshot,
) -> Result<(), Error> {
    let mut unread = listing
        .rejected
        .iter()
        .filter(|file| file.reason == UNREADABLE);
    if let Some(file) = unread.next() {
        return Err(Error::SnapshotUnreadable {
            snapshot: snapshot.name.clone(),
            file: file.name.clone(),
            detail: file.detail.clone(),
            more: unread.count(),
        });
    }
    store::check_apart(listing, base)?;
    let mut roots: Vec<String> = Vec::new();
    let mut files = Vec::with_capacity(listing.files.len());
    for file in &listing.files {
        let (root, name) = file.root_and_name();
        let root = root.strip_prefix(base).unwrap_or(root);
        let Some(root) = root.to_str() else {
            return Err(Error::Usage(format!(
                "failed to add {}: the path of its directory is not UTF-8; rename the directory",
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
            name: file.name.clone(),
            name_bytes: (name != file.name.as_bytes()).then(|| name.to_owned()),
            root: u32::try_from(at).unwrap_or(u32::MAX),
            format: file.format,
            bytes: file.stat.bytes,
            digest: String::new(),
        });
    }
    snapshot.roots = roots;
    snapshot.files = files;
    snapshot.rejected = listing.rejected.clone();
    Ok(())
}

/// The recorded files as they are now, one `stat` a file; and those that are gone or changed since,
/// each with the difference.
pub(super) fn scan_again(snapshot: &Snapshot, base: &Path) -> (Listing, Vec<(String, String)>) {
    let mut different = Vec::new();
    let mut listing = Listing {
        rejected: snapshot.rejected.clone(),
        ..Listing::default()
    };
    for known in &snapshot.files {
        let root = snapshot
            .roots
            .get(known.root as usize)
            .map_or("", String::as_str);
        let path = Path::new(root).join(OsStr::from_bytes(known.raw_name()));
        let mut file = SourceFile {
            name: known.name.clone(),
            path: objects::joined(base, path),
            format: known.format,
            stat: FileStat {
                bytes: known.bytes,
                ..FileStat::default()
            },
            sources: Vec::new(),
        };
        different.extend(file.look_again().map(|what| (file.name.clone(), what)));
        listing.files.push(file);
    }
    (listing, different)
}

/// A note that names the files that cannot be read; `None` if all can.
pub(super) fn unreadable(snapshot: &Snapshot) -> Option<String> {
    let mut rejected = snapshot.unreadable();
    let RejectedFile { name, reason, .. } = rejected.next()?;
    let more: Cow<'_, str> = match rejected.count() {
        0 => "".into(),
        more => format!(" and {more} more").into(),
    };
    Some(format!(
        "snapshot {}: these files are not read: {name:?} ({reason}){more}",
        snapshot.name
    ))
}
