//! Records a listing in a snapshot, and makes a listing of a snapshot again.

use super::snapshot::{RejectedFile, Snapshot, SnapshotFile};
use super::store;
use input::{Listing, SourceFile, objects};
use runtime::Error;
use std::borrow::Cow;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// The reason of a listing for a file that could not be opened.
pub(super) const UNREADABLE: &str = "unreadable";

/// A snapshot that a run reads, with its files as they are now.
#[derive(Debug)]
pub(crate) struct SnapshotInput {
    /// From 1; 0 where `[input]` names the files.
    pub(crate) number: u32,
    /// Its name; `default` where `[input]` names the files.
    pub(crate) name: String,
    /// Microseconds since 1970, like dates of documents.
    pub(crate) date: Option<i64>,
    /// Its files, in input order; recorded ones with the recorded size and format.
    pub(crate) listing: Listing,
    /// It is dropped, and read only for the bodies that revisits of others refer to.
    pub(crate) retained_for_revisits: bool,
    /// Files that are gone or changed since they were recorded, each with the difference. A run
    /// that has to read them fails.
    pub(crate) different: Vec<(String, String)>,
}

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
        .filter(|(_, rejection)| rejection.reason == UNREADABLE);
    if let Some((file, rejection)) = unread.next() {
        return Err(Error::SnapshotUnreadable {
            snapshot: snapshot.name.clone(),
            file: file.clone(),
            detail: rejection.detail.clone(),
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
            bytes: file.bytes,
            digest: String::new(),
        });
    }
    snapshot.roots = roots;
    snapshot.files = files;
    snapshot.rejected = listing.rejected.iter().map(RejectedFile::from).collect();
    Ok(())
}

/// Compares the recorded files with the file system: one `stat` a file.
pub(super) fn scan_again(snapshot: &Snapshot, base: &Path) -> SnapshotInput {
    let mut different = Vec::new();
    let mut files = Vec::with_capacity(snapshot.files.len());
    for known in &snapshot.files {
        let root = snapshot
            .roots
            .get(known.root as usize)
            .map_or("", String::as_str);
        let mut file = SourceFile {
            name: known.name.clone(),
            path: objects::joined(
                base,
                Path::new(root).join(OsStr::from_bytes(known.raw_name())),
            ),
            format: known.format,
            bytes: known.bytes,
            modified_ns: 0,
            changed_ns: 0,
            inode: 0,
            sources: Vec::new(),
        };
        different.extend(file.look_again().map(|what| (file.name.clone(), what)));
        files.push(file);
    }
    let rejected = snapshot.rejected.iter();
    input(
        snapshot,
        Listing {
            linked: input::LinkedFiles::default(),
            files,
            rejected: rejected.map(RejectedFile::to_rejection).collect(),
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
    SnapshotInput {
        number: snapshot.number,
        name: snapshot.name.clone(),
        date: snapshot.date,
        listing,
        retained_for_revisits: snapshot.dropped,
        different,
    }
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
