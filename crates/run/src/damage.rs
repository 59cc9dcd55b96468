//! The damage that `verify` found, noted in the work directory for the runs after it.
//!
//! A run reads only the headers of files that are up to date. `damage.json` tells it which of them
//! hold damage, so that it does not call such a state finished. *Algorithm.* An entry names a file
//! and what tells this file from others of that name: size, time and inode. It counts as long as
//! that file is there. The note is replaced by each `verify`, and goes with the run that makes the
//! last such file anew.

use config::Config;
use engine::{Error, PhaseName, reading::DAMAGE as NAME};
use format::{AtomicFile, Disk, FormatError, Sealed};
use serde::{Deserialize, Serialize};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// A file that `verify` found damaged.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct NotedDamage {
    /// The phase that makes it.
    maker: String,
    /// The phase in whose directory it lies; those of `index` lie in the publication.
    phase: String,
    /// Its name there.
    name: String,
    /// The byte.
    offset: u64,
    /// The problem there.
    what: String,
    /// Which file it was; `None` if there was none.
    identity: Option<FileIdentity>,
}

/// The mark by which a file differs from others of its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct FileIdentity {
    bytes: u64,
    modified_s: i64,
    modified_ns: i64,
    inode: u64,
}

impl FileIdentity {
    fn of(file: &Path) -> Option<FileIdentity> {
        let metadata = file.metadata().ok()?;
        Some(FileIdentity {
            bytes: metadata.len(),
            modified_s: metadata.mtime(),
            modified_ns: metadata.mtime_nsec(),
            inode: metadata.ino(),
        })
    }
}

impl NotedDamage {
    /// A file that lies at this path now, with what reading it met.
    pub(crate) fn new(
        phase: PhaseName,
        sealed: &Sealed,
        path: &Path,
        error: &FormatError,
    ) -> NotedDamage {
        let (offset, what) = match error {
            FormatError::Damaged { offset, what, .. } => (*offset, what.clone()),
            error => (0, error.to_string()),
        };
        NotedDamage {
            maker: maker(phase, sealed).name().to_owned(),
            phase: phase.name().to_owned(),
            name: sealed.name.clone(),
            offset,
            what,
            identity: FileIdentity::of(path),
        }
    }

    /// Where the file lies.
    fn path(&self, config: &Config) -> PathBuf {
        if self.phase == PhaseName::Index.name() {
            config.work.output.join(&self.name)
        } else {
            config.work.dir.join(&self.phase).join(&self.name)
        }
    }

    /// Whether the file is still the one that was damaged.
    fn is_there(&self, config: &Config) -> bool {
        FileIdentity::of(&self.path(config)) == self.identity
    }
}

/// The phase that makes a file of this phase: the index has files of others under a second name.
pub(crate) fn maker(phase: PhaseName, sealed: &Sealed) -> PhaseName {
    match phase {
        PhaseName::Index => PhaseName::maker_of(&sealed.name),
        _ => phase,
    }
}

fn path(config: &Config) -> PathBuf {
    config.work.dir.join(NAME)
}

/// Notes what `verify` found. Where it cannot be written, as on a disk that is only read, a warning
/// says so.
pub(crate) fn note(config: &Config, found: &[NotedDamage]) {
    let text = serde_json::to_string(found).unwrap_or_default();
    let noted = AtomicFile::replace(&Disk::default(), &path(config), text.as_bytes());
    if let Err(error) = noted {
        tracing::warn!("failed to note for the next run what was found: {error}");
    }
}

/// Removes the note: `verify` found nothing.
pub(crate) fn forget(config: &Config) -> Result<(), Error> {
    Ok(Disk::default().remove(&path(config))?)
}

/// The noted files that are still there.
fn noted(config: &Config, disk: &Disk) -> Result<Vec<NotedDamage>, Error> {
    let path = path(config);
    let Some(text) = disk.read_text(&path)? else {
        return Ok(Vec::new());
    };
    let noted = serde_json::from_str::<Vec<NotedDamage>>(&text);
    let mut noted = noted.map_err(|error| Error::Index {
        source: FormatError::Damaged {
            path,
            offset: 0,
            what: error.to_string(),
        },
        mend: "`pipeline verify` writes it anew".to_owned(),
    })?;
    noted.retain(|one| one.is_there(config));
    Ok(noted)
}

/// Refuses to call a phase finished one of whose files `verify` found damaged.
pub(crate) fn refuse(config: &Config, disk: &Disk, phase: PhaseName) -> Result<(), Error> {
    let noted = noted(config, disk)?;
    let Some(damage) = noted.into_iter().find(|one| one.maker == phase.name()) else {
        return Ok(());
    };
    let source = FormatError::Damaged {
        path: damage.path(config),
        offset: damage.offset,
        what: format!("{} (found by `pipeline verify`)", damage.what),
    };
    Err(Error::Work {
        phase: Some(phase),
        source,
    })
}

/// Removes the note once none of its files is there any more.
pub(crate) fn forget_mended(config: &Config, disk: &Disk) -> Result<(), Error> {
    if noted(config, disk)?.is_empty() {
        disk.remove(&path(config))?;
    }
    Ok(())
}
