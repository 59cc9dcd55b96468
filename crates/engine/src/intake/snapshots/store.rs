//! The files on disk: `snapshots.toml` and the lists in `snapshots.d`, read and replaced.
//!
//! *Files.* `snapshots.toml` beside the configuration. If it is a link, the file it leads to is
//! replaced, and the lists lie beside that file. *Algorithm.* A list that changed is written under
//! a new name and made durable first, then `snapshots.toml` is replaced, then lists that it does
//! not name are removed. So a killed run leaves the old state or the new one. During the
//! replacement the directory is locked, and the file must still be the one that was read:
//! otherwise one process would undo the change of another.

use super::list_file::{self, ReadError};
use super::name::NUMBER_MAX;
use super::snapshot::{FileListEntry, Snapshot};
use super::table;
use crate::Error;
use config::{Config, ConfigErrors, Problem, SNAPSHOTS_FILE};
use format::{Access, AtomicFile, Disk, DiskOptions, Faults, FormatError};
use input::Listing;
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, BufReader, ErrorKind};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

const READ_BYTES: usize = 64 << 10;

/// All snapshots in the order of their numbers, and whether the files on disk say the same.
#[derive(Debug, Default)]
pub(crate) struct SnapshotList {
    /// Dropped ones, too.
    pub(crate) snapshots: Vec<Snapshot>,
    /// Of `snapshots.toml` when it was read or written; `None` if there was none.
    stamp: Option<Stamp>,
    /// The snapshots differ from the files.
    is_changed: bool,
}

/// Tells one state of a file from another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stamp {
    inode: u64,
    bytes: u64,
    changed: (i64, i64),
    modified: (i64, i64),
}

impl Stamp {
    fn of(path: &Path) -> Result<Option<Stamp>, Error> {
        match fs::metadata(path) {
            Ok(metadata) => Ok(Some(Stamp {
                inode: metadata.ino(),
                bytes: metadata.len(),
                changed: (metadata.ctime(), metadata.ctime_nsec()),
                modified: (metadata.mtime(), metadata.mtime_nsec()),
            })),
            Err(error)
                if error.kind() == ErrorKind::NotFound && path.symlink_metadata().is_err() =>
            {
                Ok(None)
            }
            Err(error) => Err(Error::io(format!("look at {}", path.display()))(error)),
        }
    }
}

/// The path of `snapshots.toml` for a configuration.
pub(super) fn path(config: &Config) -> PathBuf {
    config.base.join(SNAPSHOTS_FILE)
}

/// Reads the files; `None` if there is no `snapshots.toml`.
pub(super) fn load(path: &Path) -> Result<Option<SnapshotList>, Error> {
    loop {
        let Some(stamp) = Stamp::of(path)? else {
            return Ok(None);
        };
        let read = read(path, stamp);
        // A process that replaced the file meanwhile also removed lists of the old one.
        if read.is_ok() || Stamp::of(path)? == Some(stamp) {
            return read.map(Some);
        }
    }
}

fn read(path: &Path, stamp: Stamp) -> Result<SnapshotList, Error> {
    if !fs::metadata(path).is_ok_and(|metadata| metadata.is_file()) {
        let message = "expected a file: the list of snapshots";
        return Err(damaged(path, None, message));
    }
    let (file, _) =
        input::open_regular(path).map_err(Error::io(format!("open {}", path.display())))?;
    let snapshots = table::read(BufReader::with_capacity(READ_BYTES, file));
    let mut snapshots = snapshots.map_err(|error| failed(path, error))?;
    let directory = lists_of(&target_of(path)?);
    for snapshot in &mut snapshots {
        if let Some(list) = snapshot.list.clone() {
            let path = directory.join(&list.name);
            let mut from = BufReader::with_capacity(READ_BYTES, open_list(&path)?);
            let read = list_file::read(&mut from, &list, snapshot);
            read.map_err(|error| failed(&path, error))?;
        }
    }
    Ok(SnapshotList {
        snapshots,
        stamp: Some(stamp),
        is_changed: false,
    })
}

fn open_list(path: &Path) -> Result<File, Error> {
    match input::open_regular(path) {
        Ok((file, _)) => Ok(file),
        Err(error) if error.kind() == ErrorKind::InvalidInput => {
            Err(damaged(path, None, "expected a file: a list of files"))
        }
        Err(error) if error.kind() == ErrorKind::NotFound => {
            Err(damaged(path, None, "this list of files is missing"))
        }
        Err(error) => Err(Error::io(format!("open {}", path.display()))(error)),
    }
}

fn failed(path: &Path, error: ReadError) -> Error {
    match error {
        ReadError::Wrong(line, column, message) => damaged(path, Some((line, column)), &message),
        ReadError::Io(error) => Error::io(format!("read {}", path.display()))(error),
    }
}

/// Files that cannot be used end a command like a wrong configuration.
fn damaged(path: &Path, position: Option<(usize, usize)>, message: &str) -> Error {
    let message = format!("{message}; restore the list, for example from a backup");
    Error::Config(ConfigErrors::of(Problem {
        file: path.to_owned(),
        position,
        message,
    }))
}

/// The file that a link leads to, else the path itself; it has a parent.
fn target_of(path: &Path) -> Result<PathBuf, Error> {
    match path.symlink_metadata() {
        Ok(metadata) if metadata.is_symlink() => {
            fs::canonicalize(path).map_err(Error::io(format!("follow the link {}", path.display())))
        }
        _ if path.parent() == Some(Path::new("")) => Ok(Path::new(".").join(path)),
        _ => Ok(path.to_owned()),
    }
}

/// The directory of the lists: `snapshots.d` beside `snapshots.toml`.
fn lists_of(target: &Path) -> PathBuf {
    target.with_extension("d")
}

/// Refuses a file of the input that lies in the directory of the lists: what is not a list there
/// may be taken for one.
pub(super) fn check_apart(listing: &Listing, base: &Path) -> Result<(), Error> {
    let directory = lists_of(&target_of(&base.join(SNAPSHOTS_FILE))?);
    // Where there is no such directory yet, nothing lies in it.
    let Ok(real) = directory.canonicalize() else {
        return Ok(());
    };
    let mut parent_before = None;
    for file in &listing.files {
        let parent = file.path.parent();
        if parent == parent_before {
            continue;
        }
        parent_before = parent;
        let parent = parent.and_then(|parent| parent.canonicalize().ok());
        if parent.is_some_and(|parent| parent.starts_with(&real)) {
            return Err(Error::Usage(format!(
                "failed to add {}: it lies in {}, where the lists of files are kept; put it \
                 elsewhere",
                file.path.display(),
                directory.display()
            )));
        }
    }
    Ok(())
}

impl SnapshotList {
    /// The snapshots, to change anything but files that they keep: see
    /// [`SnapshotList::change_files`].
    pub(super) fn change(&mut self) -> &mut Vec<Snapshot> {
        self.is_changed = true;
        &mut self.snapshots
    }

    /// A snapshot, to change its files, too.
    pub(super) fn change_files(&mut self, at: usize) -> &mut Snapshot {
        let snapshot = &mut self.change()[at];
        snapshot.list = None;
        snapshot
    }

    /// Whether `snapshots.toml` is the file that was read.
    pub(super) fn is_current(&self, path: &Path) -> Result<bool, Error> {
        Ok(Stamp::of(path)? == self.stamp)
    }

    /// Replaces the files if they are outdated.
    ///
    /// # Errors
    /// When a file cannot be written, or another process has changed `snapshots.toml`.
    pub(super) fn persist(&mut self, path: &Path) -> Result<(), Error> {
        if !self.is_changed {
            return Ok(());
        }
        let target = target_of(path)?;
        let parent = target.parent().unwrap_or(Path::new("."));
        // Some network file systems cannot lock a directory; there only the comparison protects.
        let _lock = File::open(parent).and_then(|dir| dir.lock().map(|()| dir));
        if Stamp::of(&target)? != self.stamp {
            return Err(Error::Usage(format!(
                "failed to replace {}: another process has changed it since it was read; try again",
                path.display()
            )));
        }
        let disk = Disk::new(DiskOptions {
            faults: Faults::from_environment(),
            ..DiskOptions::default()
        });
        let directory = lists_of(&target);
        self.write_lists(&disk, &directory)?;
        let text = table::to_text(&self.snapshots)
            .map_err(Error::io(format!("write {}", path.display())))?;
        AtomicFile::replace(&disk, &target, text.as_bytes()).map_err(outside)?;
        self.remove_unnamed(&disk, &directory);
        self.stamp = Stamp::of(&target)?;
        self.is_changed = false;
        Ok(())
    }

    /// Writes the lists that are not on disk. The name of a list is made of all its lines, so it is
    /// not made again for files that have not changed.
    fn write_lists(&mut self, disk: &Disk, directory: &Path) -> Result<(), Error> {
        let has_list = |snapshot: &Snapshot| !snapshot.dropped || !snapshot.files.is_empty();
        let snapshots = self.snapshots.iter_mut().filter(|one| has_list(one));
        let mut is_synced = true;
        for snapshot in snapshots.filter(|one| one.list.is_none()) {
            if is_synced {
                disk.create_dir(directory, Access::Shared)
                    .map_err(outside)?;
                is_synced = false;
            }
            let failed = Error::io(format!("write the files of {}", snapshot.name));
            let list = FileListEntry::of(snapshot).map_err(failed)?;
            let path = directory.join(&list.name);
            let mut file = AtomicFile::create(disk, &path).map_err(outside)?;
            list_file::write(snapshot, &mut file).map_err(written)?;
            file.commit(0).map_err(outside)?;
            snapshot.list = Some(list);
        }
        if !is_synced {
            disk.sync_dir(directory).map_err(outside)?;
        }
        Ok(())
    }

    /// Removes lists of dropped or changed snapshots and of killed runs. One that cannot be removed
    /// costs only its space, and the next change tries again.
    fn remove_unnamed(&self, disk: &Disk, directory: &Path) {
        let lists = self.snapshots.iter().filter_map(|one| one.list.as_ref());
        let named: BTreeSet<&str> = lists.map(|list| list.name.as_str()).collect();
        for path in disk.list(directory).unwrap_or_default() {
            let name = path.file_name().and_then(|name| name.to_str());
            if name.is_some_and(|name| list_file::is_any_name(name) && !named.contains(name)) {
                drop(disk.remove(&path));
            }
        }
    }

    /// The place of the snapshot with this number.
    pub(super) fn place_of(&self, number: u32) -> Option<usize> {
        let mut snapshots = self.snapshots.iter();
        snapshots.position(|snapshot| snapshot.number == number)
    }

    /// The names of all snapshots.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.snapshots.iter().map(|snapshot| snapshot.name.as_str())
    }

    /// The number of the next snapshot.
    pub(super) fn next_number(&self) -> Result<u32, Error> {
        let next = self.snapshots.last().map_or(1, |last| last.number + 1);
        if next > NUMBER_MAX {
            return Err(Error::Usage(format!(
                "failed to add a snapshot: all {NUMBER_MAX} numbers are used"
            )));
        }
        Ok(next)
    }
}

fn outside(error: FormatError) -> Error {
    Error::from_format(None, error)
}

/// The error of the disk within the one of the writer.
fn written(error: io::Error) -> Error {
    match error.downcast::<FormatError>() {
        Ok(error) => outside(error),
        Err(error) => Error::io("write a list of files")(error),
    }
}
