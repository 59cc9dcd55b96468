//! A publication: a directory made aside, named when it is whole, and a link that is switched to
//! it.
//!
//! `out.d/g000007.part` is filled and synced, and renamed to `out.d/g000007`. Then the manifest of
//! the work directory names it, and the link `out` is replaced by rename, so a reader sees the old
//! publication or the new one. The last two stay, and those that somebody reads. If a run was
//! killed after the manifest, the next one only switches the link. What a run left that was killed
//! earlier is removed, so the next one has its number.

use crate::held::remove_unread;
use engine::Error;
use format::{Access, AtomicFile, Disk, Sealed};
use output::{ParquetTable, Schema};
use std::fs::{File, TryLockError};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Marks a directory of publications as this program's.
pub(crate) const MARKER: &str = ".pipeline";

/// How often a run looks whether another one has published.
const LOOK_AGAIN: Duration = Duration::from_millis(20);

/// The parts of a publication besides files.
const DIRECTORIES: [&str; 2] = ["documents", "index"];

/// The publication that is shown while the next one is made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShownPublication {
    /// Its number.
    pub number: u64,
    /// Where it lies; it stays there at least until the next one has its name.
    pub dir: PathBuf,
}

/// A publication under way.
pub struct Publication {
    disk: Disk,
    output: PathBuf,
    generations: PathBuf,
    number: u64,
    name: String,
    part: PathBuf,
    /// The parameters that decide its content.
    parameters: String,
    shown: Option<ShownPublication>,
    /// Held until the publication is shown.
    _lock: File,
}

/// The directory beside `out` that holds the publications.
pub fn generations_dir(output: &Path) -> PathBuf {
    let mut name = output.file_name().unwrap_or_default().to_os_string();
    name.push(".d");
    output.with_file_name(name)
}

/// Refuses an `out` or `out.d` that this program did not make.
pub fn check_ours(output: &Path) -> Result<(), Error> {
    let refuse = |path: &Path, why: &str| {
        Err(Error::Usage(format!(
            "failed to publish: {} {why}; choose a name that does not exist, with output in [work], or with -o \
             where INPUT is named",
            path.display()
        )))
    };
    let generations = generations_dir(output);
    if let Ok(metadata) = output.symlink_metadata() {
        if !metadata.is_symlink() {
            return refuse(output, "exists and was not made by this program");
        }
        let target =
            std::fs::read_link(output).map_err(Error::io(format!("read {}", output.display())))?;
        if target.parent() != generations.file_name().map(Path::new) {
            return refuse(output, "is a link to something else");
        }
    }
    if generations.symlink_metadata().is_ok() && !generations.join(MARKER).is_file() {
        // Empty, or killed while the marker was being written: made by this program a moment
        // before.
        let begun = format!("{MARKER}.part");
        let empty = std::fs::read_dir(&generations).is_ok_and(|mut entries| {
            entries.all(|entry| entry.is_ok_and(|entry| entry.file_name() == begun.as_str()))
        });
        if !empty {
            return refuse(&generations, "exists and was not made by this program");
        }
    }
    Ok(())
}

/// The directory name of a generation.
pub fn generation_name(number: u64) -> String {
    format!("g{number:06}")
}

/// Whether this is a generation that was never finished.
fn is_begun(path: &Path) -> bool {
    path.extension()
        .is_some_and(|extension| extension == "part")
        && number(&path.with_extension("")).is_some()
}

/// The number of a finished generation.
fn number(path: &Path) -> Option<u64> {
    path.file_name()?.to_str()?.strip_prefix('g')?.parse().ok()
}

/// Waits until no other run publishes to the same output.
fn wait_for(lock: &File, path: &Path, disk: &Disk, waiting: impl FnOnce()) -> Result<(), Error> {
    let mut waiting = Some(waiting);
    loop {
        match lock.try_lock() {
            Ok(()) => return Ok(()),
            Err(TryLockError::WouldBlock) => {
                if let Some(waiting) = waiting.take() {
                    waiting();
                }
                disk.check_interrupt()?;
                std::thread::sleep(LOOK_AGAIN);
            }
            Err(TryLockError::Error(error)) => {
                return Err(Error::io(format!("lock {}", path.display()))(error));
            }
        }
    }
}

/// The metadata of a table that hold the parameters.
pub(crate) const PARAMETERS: &str = "pipeline.parameters";

/// Starts a table, whose content follows from these parameters.
pub fn begin_table(
    parameters: &str,
    schema: Schema,
    file: AtomicFile,
) -> Result<ParquetTable<AtomicFile>, Error> {
    let metadata = [(PARAMETERS.to_owned(), parameters.to_owned())];
    Ok(ParquetTable::new(schema, &metadata, file)?)
}

/// Ends a table.
pub fn end_table(table: ParquetTable<AtomicFile>) -> Result<Sealed, Error> {
    let rows = table.rows();
    Ok(table.finish()?.commit(rows)?)
}

impl Publication {
    /// Starts a new one, after that of another run with the same output; says so by `waiting`. Its
    /// content follows from `parameters`.
    pub fn begin(
        disk: &Disk,
        output: &Path,
        parameters: String,
        waiting: impl FnOnce(),
    ) -> Result<Publication, Error> {
        check_ours(output)?;
        let generations = generations_dir(output);
        disk.create_dir(&generations, Access::Shared)?;
        if !generations.join(MARKER).is_file() {
            AtomicFile::replace(
                disk,
                &generations.join(MARKER),
                b"publications of pipeline\n",
            )?;
        }
        let marker = generations.join(MARKER);
        let lock = File::open(&marker).map_err(Error::io(format!("open {}", marker.display())))?;
        wait_for(&lock, &marker, disk, waiting)?;
        // Listed only now: that run has renamed and removed directories meanwhile.
        let mut entries = disk.list(&generations)?;
        let shown = match std::fs::read_link(output) {
            Ok(target) => number(&target),
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            Err(error) => {
                return Err(Error::io(format!("read {}", output.display()))(error));
            }
        };
        // Higher numbers were never shown.
        let is_left = |entry: &PathBuf| is_begun(entry) || shown.is_some() && number(entry) > shown;
        for entry in entries.extract_if(.., |entry| is_left(entry)) {
            disk.remove_tree(&entry)?;
        }
        let newest = entries.iter().filter_map(|entry| number(entry)).max();
        let next = newest.unwrap_or(0) + 1;
        let name = generation_name(next);
        let part = generations.join(format!("{name}.part"));
        disk.create_dir(&part, Access::Shared)?;
        for dir in DIRECTORIES {
            disk.create_dir(&part.join(dir), Access::Shared)?;
        }
        let shown = shown.map(|number| ShownPublication {
            number,
            dir: generations.join(generation_name(number)),
        });
        let (disk, output) = (disk.clone(), output.to_path_buf());
        Ok(Publication {
            disk,
            output,
            generations,
            number: next,
            name,
            part,
            parameters,
            shown,
            _lock: lock,
        })
    }

    /// Its number.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// The publication that the link shows until this one is finished; none if there is no link.
    pub fn shown(&self) -> Option<&ShownPublication> {
        self.shown.as_ref()
    }

    /// Where a file of it is to be.
    pub fn path(&self, name: &str) -> PathBuf {
        self.part.join(name)
    }

    /// A new file of it.
    pub fn file(&self, name: &str) -> Result<AtomicFile, Error> {
        AtomicFile::create(&self.disk, &self.part.join(name)).map_err(Error::from)
    }

    /// A new table of it, which is expected to have so many rows.
    pub fn table(
        &self,
        name: &str,
        schema: Schema,
        rows: u64,
    ) -> Result<ParquetTable<AtomicFile>, Error> {
        let table = begin_table(&self.parameters, schema, self.file(name)?)?;
        Ok(table.expecting(rows))
    }

    /// The parameters that decide its content: no times, no paths.
    pub fn parameters(&self) -> &str {
        &self.parameters
    }

    /// A whole small file of it.
    pub fn write(&self, name: &str, bytes: &[u8]) -> Result<Sealed, Error> {
        let mut file = self.file(name)?;
        file.write_all(bytes)
            .map_err(Error::io(format!("write {name}")))?;
        file.commit(0).map_err(Error::from)
    }

    /// A finished file of the work directory under a name of its own.
    pub fn link(&self, from: &Path, name: &str) -> Result<(), Error> {
        self.disk
            .link_or_copy(from, &self.part.join(name))
            .map_err(Error::from)
    }

    /// Syncs it and gives it its name. It is shown later.
    pub fn into_named(self) -> Result<NamedPublication, Error> {
        for dir in DIRECTORIES {
            self.disk.sync_dir(&self.part.join(dir))?;
        }
        self.disk.sync_dir(&self.part)?;
        self.disk
            .rename(&self.part, &self.generations.join(&self.name))?;
        self.disk.sync_dir(&self.generations)?;
        Ok(NamedPublication(self))
    }
}

/// A publication that is whole, and is not shown yet.
pub struct NamedPublication(Publication);

impl NamedPublication {
    /// Its number.
    pub fn number(&self) -> u64 {
        self.0.number
    }

    /// Switches the link to it, and removes all publications but the last two and those that are
    /// read.
    pub fn show(self) -> Result<(), Error> {
        let publication = self.0;
        let (disk, generations) = (&publication.disk, &publication.generations);
        switch(disk, &publication.output, &publication.name)?;
        let entries = disk.list(generations)?;
        let mut numbers: Vec<u64> = entries.iter().filter_map(|entry| number(entry)).collect();
        numbers.sort_unstable();
        for old in numbers.iter().rev().skip(2) {
            remove_unread(disk, &generations.join(generation_name(*old)))?;
        }
        Ok(())
    }
}

/// Replaces the link `out` by one to this publication.
fn switch(disk: &Disk, output: &Path, name: &str) -> Result<(), Error> {
    let generations = generations_dir(output);
    let target = Path::new(generations.file_name().unwrap_or_default()).join(name);
    let mut link_name = output.file_name().unwrap_or_default().to_os_string();
    link_name.push(".part");
    let link = output.with_file_name(link_name);
    if link
        .symlink_metadata()
        .is_ok_and(|metadata| metadata.is_symlink())
    {
        disk.remove(&link)?;
    }
    disk.symlink(&target, &link)?;
    disk.rename(&link, output)?;
    disk.sync_dir(output.parent().unwrap_or(Path::new(".")))
        .map_err(Error::from)
}

/// Shows a publication that the manifest names, if a run was killed between the two: it is there,
/// and the link shows an older one or is missing.
pub fn show_named(disk: &Disk, output: &Path, named: u64) -> Result<(), Error> {
    let shown = std::fs::read_link(output).ok();
    let is_older = shown.is_none_or(|target| number(&target) < Some(named));
    let name = generation_name(named);
    if is_older && generations_dir(output).join(&name).is_dir() {
        check_ours(output)?;
        switch(disk, output, &name)?;
    }
    Ok(())
}
