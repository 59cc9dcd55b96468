//! `pipeline verify`: every file read again, every checksum compared.
//!
//! Writes nothing but a note of what is damaged, for the next run: see [`crate::damage`].

use crate::damage::{self, NotedDamage, maker};
use crate::judge::{is_plain, output_path};
use config::Config;
use engine::{Error, PhaseName, intake::snapshots::check_lists, runtime::commands::config_options};
use format::{AtomicFile, Disk, FileReader, FormatError, Manifest, Sealed};
use publication::origin::Whereabouts;
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt;
use std::fmt::Write;
use std::path::PathBuf;
use std::time::Duration;

/// The result of verifying.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Verification {
    /// Files read.
    pub files: u64,
    /// Bytes read.
    pub bytes: u64,
    /// The files that are not as they were written.
    pub damaged: Vec<Damage>,
}

/// A file that is not as it was written.
#[derive(Clone, Debug, Serialize)]
pub struct Damage {
    /// The file.
    pub file: PathBuf,
    /// The problem.
    pub what: String,
    /// The command that rebuilds it.
    pub mend: String,
}

impl Verification {
    /// 0 if all is sound, 5 otherwise.
    pub fn exit_code(&self) -> u8 {
        if self.damaged.is_empty() { 0 } else { 5 }
    }
}

/// How long a run may take from replacing the manifest to switching the link of its publication.
const SWITCHING: Duration = Duration::from_millis(100);

/// Reads every file the manifest names.
///
/// # Errors
/// When there is no manifest, or it is damaged itself; when the system fails to read a file; when
/// all is sound but the list of snapshots, or but that `out` shows the publication of another work
/// directory or of an earlier run.
pub fn verify(config: &Config) -> Result<Verification, Error> {
    let shown = || std::fs::read_link(&config.work.output).ok();
    loop {
        let (link, manifest) = (shown(), load(config)?);
        let index = manifest.phases.get(PhaseName::Index.name());
        let publication = index.map(|record| Whereabouts::of(config, record));
        let own = publication.as_ref().and_then(|found| found.own.as_ref());
        let (found, noted) = verify_named(config, &manifest, own)?;
        if found.damaged.is_empty() {
            damage::forget(config)?;
            // The next night starts from them, too, and no run can make them again.
            check_lists(config)?;
            let refusal = publication.and_then(|found| found.refusal(config));
            return refusal.map_or(Ok(found), Err);
        }
        // A run that replaces files meanwhile is no damage: what it has made is read instead.
        std::thread::sleep(SWITCHING);
        if shown() == link && load(config)? == manifest {
            damage::note(config, &noted);
            return Ok(found);
        }
    }
}

fn load(config: &Config) -> Result<Manifest, Error> {
    let manifest = Manifest::load(&Disk::default(), &config.work.dir).map_err(Error::manifest)?;
    manifest.ok_or_else(|| {
        Error::NotFound(format!(
            "failed to verify: {} holds no finished phase; run `pipeline run` first",
            config.work.dir.display()
        ))
    })
}

/// The files of a phase, and of the parts of it that are finished; files that the next run starts
/// from and that are no result of this one. Each with the place where it lies.
fn files_of<'a>(
    config: &'a Config,
    manifest: &'a Manifest,
    publication: Option<&'a PathBuf>,
    phase: PhaseName,
) -> impl Iterator<Item = (PathBuf, &'a Sealed)> {
    let record = manifest.phases.get(phase.name());
    let parts = manifest.parts.get(phase.name()).into_iter().flatten();
    let records = record.into_iter().chain(parts.map(|(_, part)| part));
    let outputs = records.flat_map(|record| record.outputs.values());
    let levels = manifest.levels.get(phase.name()).into_iter();
    let is_new =
        move |file: &&Sealed| record.is_some_and(|record| !record.outputs.contains_key(&file.name));
    let others = levels.flat_map(|levels| levels.others.values());
    let dir = config.work.dir.join(phase.name());
    let others = others.filter(is_new);
    let place = move |file: &Sealed| match phase {
        PhaseName::Index => Some(publication?.join(&file.name)),
        _ => Some(output_path(config, phase, file)),
    };
    outputs
        .filter_map(move |file| Some((place(file)?, file)))
        .chain(others.map(move |file| (dir.join(&file.name), file)))
}

/// Reads the files of a manifest; those of the publication in its directory, if it is there.
fn verify_named(
    config: &Config,
    manifest: &Manifest,
    publication: Option<&PathBuf>,
) -> Result<(Verification, Vec<NotedDamage>), Error> {
    let disk = Disk::default();
    let mut found = Verification::default();
    let mut noted = Vec::new();
    // Of a file with two names, one in the work directory and one in the index, the bytes are read
    // once, and damage is told once, with both names. The value is the number of the damage.
    let mut read: BTreeMap<(u64, u64, String), Option<usize>> = BTreeMap::new();
    for phase in PhaseName::ALL {
        for (path, sealed) in files_of(config, manifest, publication, phase) {
            let seen = disk
                .identity(&path)
                .map(|(device, inode)| (device, inode, sealed.checksum.clone()));
            let before = seen.as_ref().and_then(|seen| read.get(seen));
            if let Some(damage) = before.filter(|_| phase == PhaseName::Index) {
                if let Some(damage) = damage.and_then(|at| found.damaged.get_mut(at)) {
                    let _ = write!(damage.what, "; {} is the same file", path.display());
                }
                continue;
            }
            let damages = found.damaged.len();
            match check(&disk, phase, &path, sealed) {
                Ok(()) => {}
                // Nothing is known of the file then, so it is not said to be damaged.
                Err(error) if error.is_system_failure() => {
                    return Err(Error::from_format(None, error));
                }
                Err(error) => {
                    noted.push(NotedDamage::new(phase, sealed, &path, &error));
                    found.damaged.push(Damage {
                        file: path,
                        what: error.to_string(),
                        mend: format!(
                            "pipeline run --from {} --force{}",
                            maker(phase, sealed),
                            config_options()
                        ),
                    });
                }
            }
            let is_damaged = found.damaged.len() > damages;
            read.extend(seen.map(|seen| (seen, is_damaged.then_some(damages))));
            found.files += 1;
            found.bytes += sealed.bytes;
        }
    }
    Ok((found, noted))
}

fn check(
    disk: &Disk,
    phase: PhaseName,
    path: &std::path::Path,
    sealed: &Sealed,
) -> Result<(), FormatError> {
    if is_plain(phase, sealed) {
        return AtomicFile::verify(disk, path, sealed);
    }
    let mut reader = FileReader::open(disk, path)?;
    let checksum = format!("{:016x}", reader.trailer().checksum);
    if checksum != sealed.checksum {
        return Err(FormatError::Mismatch {
            path: path.to_path_buf(),
            what: "checksum",
            expected: sealed.checksum.clone(),
            got: checksum,
        });
    }
    reader.verify_rest()
}

impl fmt::Display for Verification {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for damage in &self.damaged {
            writeln!(f, "{}\n  `{}` rebuilds it", damage.what, damage.mend)?;
        }
        let state = if self.damaged.is_empty() {
            "all sound".to_owned()
        } else {
            format!("{} damaged", self.damaged.len())
        };
        writeln!(
            f,
            "{} files, {} bytes read: {state}",
            self.files, self.bytes
        )
    }
}
