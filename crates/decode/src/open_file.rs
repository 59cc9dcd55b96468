//! A file of the input that is open: on a disk of this machine, or an object of a store.
//!
//! *Input.* A path, or the URL of an object. *Output.* Its figures, and bytes from any offset.

use model::Unpoisoned;
use std::fs::{File, Metadata};
use std::io;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::Path;
use std::sync::{Arc, Mutex};

use rustix::fs::Advice;

use crate::error::InputError;
use crate::objects::{Object, ObjectChanged, ObjectStopped, object_at};
use crate::open::{not_regular, open_without_waiting};
use model::FileStat;

/// The figures of the regular file at a path, or of the object at a URL. Links are followed.
pub fn stat_at(path: &Path) -> io::Result<FileStat> {
    if let Some((store, url)) = object_at(path) {
        let mut answers = store.look_at(&[url.to_owned()]);
        return answers.pop().unwrap_or_else(|| Err(not_regular()));
    }
    let metadata = std::fs::metadata(path)?;
    match metadata.is_file() {
        true => Ok(stat_of(&metadata)),
        false => Err(not_regular()),
    }
}

/// The figures of a file on a disk.
pub fn stat_of(metadata: &Metadata) -> FileStat {
    let nanoseconds = |s: i64, ns: i64| i128::from(s) * 1_000_000_000 + i128::from(ns);
    FileStat {
        bytes: metadata.len(),
        modified_ns: nanoseconds(metadata.mtime(), metadata.mtime_nsec()),
        changed_ns: nanoseconds(metadata.ctime(), metadata.ctime_nsec()),
        inode: metadata.ino(),
        device: metadata.dev(),
    }
}

/// A file that is open for reading. Clones share it.
#[derive(Clone, Debug)]
pub struct OpenFile {
    medium: FileMedium,
    /// The first error of the medium. A parser between reader and caller may hide it.
    failure: Arc<Mutex<Option<io::Error>>>,
}

#[derive(Clone, Debug)]
enum FileMedium {
    Disk(Arc<File>),
    Object(Arc<dyn Object>),
}

impl OpenFile {
    /// Opens a file or an object. A FIFO opens at once, without a writer.
    pub fn open(path: &Path) -> io::Result<OpenFile> {
        if let Some((store, url)) = object_at(path) {
            return store
                .open(url)
                .map(|object| OpenFile::of(FileMedium::Object(object)));
        }
        let file = open_without_waiting(path)?;
        Ok(OpenFile::of(FileMedium::Disk(Arc::new(file))))
    }

    fn of(medium: FileMedium) -> OpenFile {
        OpenFile {
            medium,
            failure: Arc::default(),
        }
    }

    /// As [`OpenFile::open`], for regular files and objects only.
    pub fn open_regular(path: &Path) -> io::Result<OpenFile> {
        let open = OpenFile::open(path)?;
        match &open.medium {
            FileMedium::Disk(file) if !file.metadata()?.is_file() => Err(not_regular()),
            _ => Ok(open),
        }
    }

    /// Its figures now. An object is as it was opened, or reading it fails.
    pub fn stat(&self) -> io::Result<FileStat> {
        match &self.medium {
            FileMedium::Disk(file) => file.metadata().map(|metadata| stat_of(&metadata)),
            FileMedium::Object(object) => Ok(object.stat()),
        }
    }

    /// Says that it will be read from the beginning to the end. Advice only: where it is not taken,
    /// nothing is lost.
    pub fn advise_sequential(&self) {
        if let FileMedium::Disk(file) = &self.medium {
            let _ = rustix::fs::fadvise(&**file, 0, None, Advice::Sequential);
        }
    }

    /// Reads bytes at an offset; 0 at the end. An interrupted read is tried again.
    pub fn read_at(&self, out: &mut [u8], offset: u64) -> io::Result<usize> {
        loop {
            let read = match &self.medium {
                FileMedium::Disk(file) => file.read_at(out, offset),
                FileMedium::Object(object) => object.read_at(out, offset),
            };
            match read {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => {
                    self.note(&error);
                    return Err(error);
                }
                Ok(read) => return Ok(read),
            }
        }
    }

    /// Remembers an error of the medium, if it is the first.
    fn note(&self, error: &io::Error) {
        let inner = error.get_ref();
        let noted = match error.raw_os_error() {
            Some(number) => io::Error::from_raw_os_error(number),
            None if is_changed(error) => io::Error::other(ObjectChanged),
            None if inner.is_some_and(|inner| inner.is::<ObjectStopped>()) => {
                io::Error::new(error.kind(), ObjectStopped)
            }
            None => io::Error::new(error.kind(), error.to_string()),
        };
        let mut failure = self.failure.lock().unpoisoned();
        failure.get_or_insert(noted);
    }

    /// Fails with the first error of the medium since the last call, if there was one: for callers
    /// of a parser that takes such an error for damage of the file. `path` is for the message.
    ///
    /// # Errors
    /// [`InputError::Changed`] if the file was not the one that was opened, else
    /// [`InputError::Io`].
    pub fn check_medium(&self, path: &Path) -> Result<(), InputError> {
        let mut failure = self.failure.lock().unpoisoned();
        failure
            .take()
            .map_or(Ok(()), |error| Err(read_error(path, error)))
    }

    /// Fills `out` with the bytes at an offset.
    pub fn read_exact_at(&self, out: &mut [u8], offset: u64) -> io::Result<()> {
        let mut done = 0;
        while done < out.len() {
            match self.read_at(&mut out[done..], offset + done as u64)? {
                0 => return Err(io::ErrorKind::UnexpectedEof.into()),
                read => done += read,
            }
        }
        Ok(())
    }

    /// A reader of the bytes from an offset on.
    pub fn reader(&self, offset: u64) -> OpenFileReader {
        OpenFileReader {
            file: self.clone(),
            offset,
        }
    }
}

/// The error that a failed read means.
pub(crate) fn read_error(path: &Path, error: io::Error) -> InputError {
    match is_changed(&error) {
        true => InputError::changed(path),
        false => InputError::io("read", path)(error),
    }
}

/// Whether reading failed because the file is not the one that was opened.
fn is_changed(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::UnexpectedEof
        || error
            .get_ref()
            .is_some_and(|inner| inner.is::<ObjectChanged>())
}

/// The bytes from an offset on.
#[derive(Debug)]
pub struct OpenFileReader {
    file: OpenFile,
    offset: u64,
}

impl io::Read for OpenFileReader {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let read = self.file.read_at(out, self.offset)?;
        self.offset += read as u64;
        Ok(read)
    }
}
