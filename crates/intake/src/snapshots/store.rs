//! The file of the list: read, and replaced as a whole.
//!
//! *Files.* `snapshots.toml` beside the configuration; a link is followed, and what it leads to is
//! replaced. While it is replaced its directory is locked, and it must still be what was read: so
//! nobody undoes what another process did.

use super::parse::Parser;
use super::scan::Wrong;
use super::{Snapshot, write};
use config::{Config, ConfigErrors, Problem, SNAPSHOTS_FILE};
use format::{AtomicFile, Disk, DiskOptions, Faults};
use runtime::Error;
use std::fs::{self, File};
use std::io::{BufRead, BufReader, ErrorKind, Read};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// Longer lines are no list.
const LINE_BYTES_MAX: u64 = 1 << 20;

/// The snapshots in the order of their numbers, and whether the file has them so.
#[derive(Debug, Default)]
pub(crate) struct SnapshotList {
    /// Also those that were dropped.
    pub snapshots: Vec<Snapshot>,
    kept: Mutex<Kept>,
}

/// What is known of the file.
#[derive(Debug, Default)]
struct Kept {
    /// As it was read or written; `None`: it was not there.
    stamp: Option<Stamp>,
    /// The list is no longer what the file has.
    changed: bool,
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
            Ok(metadata) => Ok(Some(Stamp::from(&metadata))),
            Err(error)
                if error.kind() == ErrorKind::NotFound && path.symlink_metadata().is_err() =>
            {
                Ok(None)
            }
            Err(error) => Err(Error::io(format!("look at {}", path.display()))(error)),
        }
    }
}

impl From<&fs::Metadata> for Stamp {
    fn from(metadata: &fs::Metadata) -> Stamp {
        Stamp {
            inode: metadata.ino(),
            bytes: metadata.len(),
            changed: (metadata.ctime(), metadata.ctime_nsec()),
            modified: (metadata.mtime(), metadata.mtime_nsec()),
        }
    }
}

/// Where the list of a configuration is.
pub(super) fn path(config: &Config) -> PathBuf {
    config.base.join(SNAPSHOTS_FILE)
}

/// Reads the list; `None` if there is none.
pub(super) fn load(path: &Path) -> Result<Option<SnapshotList>, Error> {
    let Some(stamp) = Stamp::of(path)? else {
        return Ok(None);
    };
    if !fs::metadata(path).is_ok_and(|metadata| metadata.is_file()) {
        return Err(damaged(
            path,
            None,
            "expected a file: the list of snapshots",
        ));
    }
    let file = File::open(path).map_err(Error::io(format!("open {}", path.display())))?;
    let snapshots = read(&mut BufReader::with_capacity(64 << 10, file), path)?;
    Ok(Some(SnapshotList {
        snapshots,
        kept: Mutex::new(Kept {
            stamp: Some(stamp),
            changed: false,
        }),
    }))
}

/// Reads the lines of a list.
pub(super) fn read(from: &mut impl BufRead, path: &Path) -> Result<Vec<Snapshot>, Error> {
    let refused = |wrong: Wrong| damaged(path, Some((wrong.line, wrong.column)), &wrong.message);
    let (mut parser, mut bytes) = (Parser::default(), Vec::new());
    for number in 1.. {
        bytes.clear();
        let length = from
            .by_ref()
            .take(LINE_BYTES_MAX)
            .read_until(b'\n', &mut bytes);
        let length = length.map_err(Error::io(format!("read {}", path.display())))? as u64;
        if length == 0 {
            return parser.finish(number - 1).map_err(refused);
        }
        let at = |column, message: &str| {
            refused(Wrong {
                line: number,
                column,
                message: message.to_owned(),
            })
        };
        if length == LINE_BYTES_MAX {
            return Err(at(1, "the line is longer than 1 MiB"));
        }
        let line = std::str::from_utf8(&bytes)
            .map_err(|error| at(error.valid_up_to() + 1, "expected UTF-8"))?;
        let line = line.strip_suffix('\n').unwrap_or(line);
        parser
            .line(number, line.strip_suffix('\r').unwrap_or(line))
            .map_err(refused)?;
    }
    Ok(Vec::new())
}

/// A list that cannot be used is like a configuration that cannot.
fn damaged(path: &Path, position: Option<(usize, usize)>, message: &str) -> Error {
    let message = format!("{message}; put the list back as it was, from a backup if need be");
    Error::Config(ConfigErrors::of(Problem {
        file: path.to_owned(),
        position,
        message,
    }))
}

impl SnapshotList {
    /// For changing it.
    pub(super) fn change(&mut self) -> &mut Vec<Snapshot> {
        self.kept
            .get_mut()
            .unwrap_or_else(PoisonError::into_inner)
            .changed = true;
        &mut self.snapshots
    }

    /// Whether the file is as it was when it was read.
    pub(super) fn is_current(&self, path: &Path) -> Result<bool, Error> {
        Ok(Stamp::of(path)?
            == self
                .kept
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .stamp)
    }

    /// Replaces the file, if it is not what the list is.
    pub(super) fn settle(&self, path: &Path) -> Result<(), Error> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if !kept.changed {
            return Ok(());
        }
        let target = match path.symlink_metadata() {
            Ok(metadata) if metadata.is_symlink() => fs::canonicalize(path)
                .map_err(Error::io(format!("follow the link {}", path.display())))?,
            _ => path.to_owned(),
        };
        let parent = target
            .parent()
            .filter(|parent| !parent.as_os_str().is_empty())
            .unwrap_or(Path::new("."));
        // Where a directory cannot be locked (some network file systems) the comparison alone has
        // to do.
        let _lock = File::open(parent).and_then(|dir| dir.lock().map(|()| dir));
        if Stamp::of(&target)? != kept.stamp {
            return Err(Error::Usage(format!(
                "failed to replace {}: another process has changed it since it was read; try again",
                path.display()
            )));
        }
        let disk = Disk::new(DiskOptions {
            faults: Faults::from_environment(),
            ..DiskOptions::default()
        });
        let failed = |error| Error::from_format(None, error);
        let mut file = AtomicFile::create(&disk, &target).map_err(failed)?;
        let written = write::list(&self.snapshots, &mut file);
        // An error of the disk is met again, by itself, when the file is committed.
        drop(written);
        file.commit(0).map_err(failed)?;
        disk.sync_dir(parent).map_err(failed)?;
        *kept = Kept {
            stamp: Stamp::of(&target)?,
            changed: false,
        };
        Ok(())
    }

    /// The number of the next one.
    pub(super) fn next_number(&self) -> Result<u32, Error> {
        let next = self.snapshots.last().map_or(1, |last| last.number + 1);
        if next > super::NUMBER_MAX {
            return Err(Error::Usage(format!(
                "failed to add a snapshot: {} numbers are used up",
                super::NUMBER_MAX
            )));
        }
        Ok(next)
    }
}
