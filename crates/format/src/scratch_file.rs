//! A file of records between two steps of a phase: written once, read any number of times, removed
//! when it is dropped.

use crate::disk::Disk;
use crate::layout::FileKind;
use crate::records::{RecordReader, RecordWriter};
use crate::{FormatError, RecordSpec};
use model::Record;
use std::marker::PhantomData;
use std::path::PathBuf;

/// Bytes of a block: one is in memory while the file is written, and one for each reader. Small, as
/// a step may write hundreds of such files at a time.
const SCRATCH_BLOCK_BYTES: usize = 16 << 10;

/// A scratch file with all its records.
#[derive(Debug)]
pub struct ScratchFile<R> {
    disk: Disk,
    path: PathBuf,
    records: u64,
    record: PhantomData<R>,
}

/// A scratch file being written.
pub struct ScratchWriter<R> {
    writer: RecordWriter<R>,
    file: ScratchFile<R>,
}

impl<R: Record> ScratchWriter<R> {
    /// Starts a file.
    pub fn create(disk: &Disk, path: PathBuf) -> Result<ScratchWriter<R>, FormatError> {
        ScratchWriter::with_blocks(disk, path, SCRATCH_BLOCK_BYTES)
    }

    /// Starts a file with blocks of so many bytes.
    pub fn with_blocks(
        disk: &Disk,
        path: PathBuf,
        block_bytes: usize,
    ) -> Result<ScratchWriter<R>, FormatError> {
        let spec = RecordSpec::scratch(path.clone(), block_bytes);
        Ok(ScratchWriter {
            writer: RecordWriter::create(disk, spec)?,
            file: ScratchFile {
                disk: disk.clone(),
                path,
                records: 0,
                record: PhantomData,
            },
        })
    }

    /// Appends a record.
    #[inline]
    pub fn push(&mut self, record: &R) -> Result<(), FormatError> {
        self.writer.push(record)
    }

    /// The writer of the records, for a step that takes any file.
    pub fn as_writer(&mut self) -> &mut RecordWriter<R> {
        &mut self.writer
    }

    /// All records came.
    pub fn finish(mut self) -> Result<ScratchFile<R>, FormatError> {
        self.file.records = self.writer.finish()?.records;
        Ok(self.file)
    }
}

impl<R: Record> ScratchFile<R> {
    /// How many records there are.
    pub fn records(&self) -> u64 {
        self.records
    }

    /// Reads the records from the first on.
    pub fn read(&self) -> Result<RecordReader<R>, FormatError> {
        RecordReader::open(&self.disk, &self.path, FileKind::Run)
    }
}

impl<R> Drop for ScratchFile<R> {
    fn drop(&mut self) {
        // It would be removed by the next run, too.
        let _ = self.disk.remove(&self.path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_are_read_again_until_the_file_is_dropped() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("step.run-numbers");
        let mut writer = ScratchWriter::create(&Disk::default(), path.clone()).unwrap();
        for number in 0..3_u32 {
            writer.push(&number).unwrap();
        }
        let file = writer.finish().unwrap();
        assert_eq!(file.records(), 3);
        for _ in 0..2 {
            let mut reader = file.read().unwrap();
            for number in 0..3 {
                assert_eq!(reader.next().unwrap(), Some(number));
            }
            assert_eq!(reader.next().unwrap(), None);
        }
        drop(file);
        assert!(!path.exists());
    }

    #[test]
    fn a_file_that_was_not_finished_is_not_left() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("step.run-numbers");
        let mut writer = ScratchWriter::create(&Disk::default(), path).unwrap();
        writer.push(&1_u32).unwrap();
        drop(writer);
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
    }
}
