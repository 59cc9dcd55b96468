//! The files of a finished run as one reader sees them, whatever runs do meanwhile.
//!
//! A run removes and replaces work files, and a reader may need hours. So a reader gives the files
//! that the manifest lists a second name, in a directory of its own: `readers/N` of the work
//! directory, where its scratch files lie too. It holds no lock that a run needs. It locks its own
//! directory instead; the lock is one of the kernel, and ends with the process. Whoever comes next
//! removes the directories that nobody has locked.
//!
//! *Limits.* Where the file system has no links, the files are copied.

use crate::runtime::lock;
use crate::{Error, PhaseName};
use config::Config;
use format::{Access, Disk, FormatError, Manifest};
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::ErrorKind;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The directory of the readers in the work directory.
pub const READERS: &str = "readers";

/// The file of the work directory that names the files in which `verify` found damage.
pub const DAMAGE: &str = "damage.json";

const MANIFEST: &str = "manifest.json";

/// How often a reader looks while runs replace what it looks at.
const ATTEMPTS: u32 = 100;

/// The time between two looks.
const LOOK_AGAIN: Duration = Duration::from_millis(20);

/// Files of one state of the work directory, which stay as long as this value lives.
#[derive(Debug)]
pub struct Reading {
    /// With the directory of the reader as its work directory.
    config: Config,
    manifest: Manifest,
    work: PathBuf,
    _lock: File,
}

impl Reading {
    /// The files of the last run, up to the phase `cluster`; `None` if there was no run.
    ///
    /// # Errors
    /// [`Error::Locked`] while runs replace them again and again; when the directory cannot be
    /// made.
    pub fn open(config: &Config, disk: &Disk) -> Result<Option<Reading>, Error> {
        let work = &config.work.dir;
        for _ in 0..ATTEMPTS {
            let listed = manifest_state(work);
            let Some(mut manifest) = Manifest::load(disk, work).map_err(Error::manifest)? else {
                return Ok(None);
            };
            without_unfinished(&mut manifest);
            clear_dead(disk, work)?;
            disk.create_dir(&work.join(READERS), Access::Private)?;
            if let Some((dir, lock)) = own_directory(work)? {
                let mut config = config.clone();
                config.work.dir = dir;
                let reading = Reading {
                    config,
                    manifest,
                    work: work.clone(),
                    _lock: lock,
                };
                reading.link_all(disk)?;
                if manifest_state(work) == listed {
                    return Ok(Some(reading));
                }
                // A run came in between.
            }
            disk.check_interrupt()?;
            std::thread::sleep(LOOK_AGAIN);
        }
        Err(lock::at_work(work))
    }

    /// The configuration of the reader.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// A copy of the manifest that is read.
    pub fn manifest(&self) -> Manifest {
        self.manifest.clone()
    }

    /// The error with the name of the file as the run knows it.
    pub fn told(&self, error: Error) -> Error {
        match error {
            Error::Work { phase, mut source } => {
                if let FormatError::Io { path, .. }
                | FormatError::Damaged { path, .. }
                | FormatError::Mismatch { path, .. } = &mut source
                    && let Ok(name) = path.strip_prefix(&self.config.work.dir)
                {
                    *path = self.work.join(name);
                }
                Error::Work { phase, source }
            }
            error => error,
        }
    }

    /// Gives all files a second name. A missing file is reported when it is read.
    fn link_all(&self, disk: &Disk) -> Result<(), Error> {
        let own = &self.config.work.dir;
        let link = |name: &Path| -> Result<(), Error> {
            match disk.link_or_copy(&self.work.join(name), &own.join(name)) {
                Err(FormatError::Io { source, .. }) if source.kind() == ErrorKind::NotFound => {
                    Ok(())
                }
                linked => linked.map_err(Error::from),
            }
        };
        // A link is the same file: what is noted of it holds for the reader.
        link(Path::new(DAMAGE))?;
        for phase in PhaseName::ALL {
            let phase_dir = Path::new(phase.name());
            disk.create_dir(&own.join(phase_dir), Access::Private)?;
            if phase == PhaseName::Index {
                continue;
            }
            for name in listed_files(&self.manifest, phase) {
                link(&phase_dir.join(name))?;
            }
        }
        Ok(())
    }
}

impl Drop for Reading {
    fn drop(&mut self) {
        // Whatever stays is removed by the next reader or run.
        let _ = fs::remove_dir_all(&self.config.work.dir);
        let _ = fs::remove_dir(self.work.join(READERS));
    }
}

/// Leaves out what phases that are not finished have put down for a run: one that is under way
/// replaces it before the manifest says so.
fn without_unfinished(manifest: &mut Manifest) {
    let Manifest {
        phases,
        parts,
        levels,
        ..
    } = manifest;
    parts.retain(|phase, _| phases.contains_key(phase));
    levels.retain(|phase, _| phases.contains_key(phase));
}

/// The figures that change when a run replaces the manifest.
fn manifest_state(work: &Path) -> Option<[i64; 4]> {
    let file = work.join(MANIFEST).symlink_metadata().ok()?;
    let (inode, bytes) = (file.ino().cast_signed(), file.size().cast_signed());
    Some([inode, bytes, file.mtime(), file.mtime_nsec()])
}

/// A directory that no other reader has, locked; `None` if others are quicker.
fn own_directory(work: &Path) -> Result<Option<(PathBuf, File)>, Error> {
    let dirs = (1..).map(|number: u32| work.join(READERS).join(number.to_string()));
    for dir in dirs {
        match fs::create_dir(&dir) {
            Ok(()) => {}
            Err(error) if error.kind() == ErrorKind::AlreadyExists => continue,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(FormatError::io("create", &dir, 0, error).into()),
        }
        let Ok(lock) = File::open(&dir) else {
            return Ok(None);
        };
        // Where there are no locks, nobody removes it either.
        let is_locked = !matches!(lock.try_lock(), Err(fs::TryLockError::WouldBlock));
        let inode = |metadata: std::io::Result<fs::Metadata>| metadata.map(|of| of.ino()).ok();
        let is_there = inode(lock.metadata()) == inode(fs::metadata(&dir));
        return Ok((is_locked && is_there).then_some((dir, lock)));
    }
    Ok(None)
}

/// Removes the directories of readers that were killed.
pub fn clear_dead(disk: &Disk, work: &Path) -> Result<(), Error> {
    let readers = work.join(READERS);
    if readers.symlink_metadata().is_err() {
        return Ok(());
    }
    for dir in disk.list(&readers)? {
        if let Ok(lock) = File::open(&dir)
            && lock.try_lock().is_ok()
        {
            disk.remove_tree(&dir)?;
        }
    }
    let _ = fs::remove_dir(&readers);
    Ok(())
}

/// The names of the files of a phase that the manifest lists.
pub(crate) fn listed_files(manifest: &Manifest, phase: PhaseName) -> BTreeSet<String> {
    let parts = manifest
        .parts
        .get(phase.name())
        .into_iter()
        .flat_map(|parts| parts.values());
    let sketched = manifest
        .snapshots
        .iter()
        .map(|snapshot| &snapshot.sketched)
        .filter(|_| phase == PhaseName::Sketch);
    let records = manifest
        .phases
        .get(phase.name())
        .into_iter()
        .chain(parts)
        .chain(sketched);
    let kept = manifest
        .levels
        .get(phase.name())
        .into_iter()
        .flat_map(crate::merge_levels::files);
    let named = records
        .flat_map(|record| record.outputs.values())
        .chain(kept);
    named.map(|sealed| sealed.name.clone()).collect()
}
