//! Files of fixed-width records.

use crate::disk::Disk;
use crate::layout::{FileKind, Fingerprint};
use crate::writer::{BLOCK_BYTES, Durability, FileSpec, FileWriter};
use crate::{FileReader, FormatError, Sealed};
use model::Record;
use std::marker::PhantomData;
use std::path::{Path, PathBuf};

/// Where and as what to write records; the record type gives the width.
#[derive(Clone, Debug)]
pub struct RecordSpec {
    /// Final path.
    pub path: PathBuf,
    /// What it holds.
    pub kind: FileKind,
    /// What made it.
    pub fingerprint: Fingerprint,
    /// Bytes of a block: [`BLOCK_BYTES`] unless the budget is tiny.
    pub block_bytes: usize,
    /// Whether it must survive a power cut.
    pub durability: Durability,
}

impl RecordSpec {
    /// A durable file with blocks of the usual size.
    pub fn durable(path: PathBuf, kind: FileKind, fingerprint: Fingerprint) -> RecordSpec {
        RecordSpec { path, kind, fingerprint, block_bytes: BLOCK_BYTES, durability: Durability::Durable }
    }
}

/// Writes records of one type.
pub struct RecordWriter<R> {
    writer: FileWriter,
    record: PhantomData<R>,
}

impl<R: Record> RecordWriter<R> {
    /// Starts a file.
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn create(disk: &Disk, spec: RecordSpec) -> Result<RecordWriter<R>, FormatError> {
        let RecordSpec { path, kind, fingerprint, block_bytes, durability } = spec;
        let spec = FileSpec { path, kind, fingerprint, record_bytes: R::SIZE, block_bytes };
        Ok(RecordWriter { writer: FileWriter::create(disk, spec, durability)?, record: PhantomData })
    }

    /// Appends a record.
    ///
    /// # Errors
    /// When a full block cannot be written.
    #[inline]
    pub fn push(&mut self, record: &R) -> Result<(), FormatError> {
        record.encode(self.writer.slot()?);
        Ok(())
    }

    /// Appends records, block by block.
    ///
    /// # Errors
    /// When a full block cannot be written.
    pub fn push_all(&mut self, mut records: &[R]) -> Result<(), FormatError> {
        while !records.is_empty() {
            let slots = self.writer.slots(records.len())?;
            let (now, later) = records.split_at(slots.len() / R::SIZE);
            for (record, slot) in now.iter().zip(slots.chunks_exact_mut(R::SIZE)) {
                record.encode(slot);
            }
            records = later;
        }
        Ok(())
    }

    /// Records so far.
    pub fn records(&self) -> u64 {
        self.writer.records()
    }

    /// Seals the file.
    ///
    /// # Errors
    /// As [`FileWriter::finish`].
    pub fn finish(self) -> Result<Sealed, FormatError> {
        self.writer.finish()
    }
}

/// Reads records of one type, in order.
pub struct RecordReader<R> {
    reader: FileReader,
    /// Records of the current block already handed out.
    taken: u32,
    position: u64,
    /// What [`RecordReader::next_slice`] decoded.
    slice: Vec<R>,
}

impl<R: Record> RecordReader<R> {
    /// Opens a file of this record type.
    ///
    /// # Errors
    /// As [`FileReader::open`], and when the record width differs.
    pub fn open(disk: &Disk, path: &Path, kind: FileKind) -> Result<RecordReader<R>, FormatError> {
        let reader = FileReader::open(disk, path)?;
        reader.expect_kind(kind)?;
        RecordReader::over(reader)
    }

    /// Opens the file the manifest lists.
    ///
    /// # Errors
    /// As [`FileReader::open_sealed`], and when the record width differs.
    pub fn open_sealed(disk: &Disk, dir: &Path, sealed: &Sealed, kind: FileKind) -> Result<Self, FormatError> {
        RecordReader::over(FileReader::open_sealed(disk, dir, sealed, kind)?)
    }

    fn over(reader: FileReader) -> Result<RecordReader<R>, FormatError> {
        if reader.header().record_bytes as usize != R::SIZE {
            return Err(FormatError::Mismatch {
                path: reader.path().to_path_buf(),
                what: "record width",
                expected: R::SIZE.to_string(),
                got: reader.header().record_bytes.to_string(),
            });
        }
        Ok(RecordReader { reader, taken: 0, position: 0, slice: Vec::new() })
    }

    /// Records in the whole file.
    pub fn records(&self) -> u64 {
        self.reader.trailer().records
    }

    /// Number of the next record.
    pub fn position(&self) -> u64 {
        self.position
    }

    /// The next record, `None` after the last.
    ///
    /// # Errors
    /// At damage.
    #[expect(clippy::should_implement_trait, reason = "an Iterator cannot end in an error")]
    #[inline]
    pub fn next(&mut self) -> Result<Option<R>, FormatError> {
        if self.taken == self.reader.block_records() {
            if !self.reader.next_block()? {
                self.taken = 0;
                return Ok(None);
            }
            self.taken = 0;
        }
        let at = self.taken as usize * R::SIZE;
        self.taken += 1;
        self.position += 1;
        Ok(Some(R::decode(&self.reader.block()[at..at + R::SIZE])))
    }

    /// The rest of the current block, or the next one whole; `None` after the last record.
    ///
    /// # Errors
    /// At damage.
    pub fn next_slice(&mut self) -> Result<Option<&[R]>, FormatError> {
        while self.taken == self.reader.block_records() {
            self.taken = 0;
            if !self.reader.next_block()? {
                return Ok(None);
            }
        }
        let block = &self.reader.block()[self.taken as usize * R::SIZE..];
        self.slice.clear();
        self.slice.extend(block.chunks_exact(R::SIZE).map(R::decode));
        self.taken = self.reader.block_records();
        self.position += self.slice.len() as u64;
        Ok(Some(&self.slice))
    }

    /// Goes to a record by its number.
    ///
    /// # Errors
    /// At damage, or when the system refuses.
    pub fn seek(&mut self, record: u64) -> Result<(), FormatError> {
        let before = self.reader.seek_record(record)?;
        self.taken = 0;
        self.position = record;
        if before > 0 {
            if !self.reader.next_block()? || before > u64::from(self.reader.block_records()) {
                return Err(self.reader.damage(format!("record {record} is beyond the end")));
            }
            self.taken = before as u32;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::IoMode;
    use crate::disk::DiskOptions;
    use crate::fault::Faults;
    use model::PairCount;
    use proptest::prelude::*;

    fn spec(dir: &Path, block_bytes: usize) -> RecordSpec {
        RecordSpec { block_bytes, ..RecordSpec::durable(dir.join("pairs"), FileKind::Pairs, [7; 16]) }
    }

    fn pair(i: u32) -> PairCount {
        PairCount { a: i, b: i * 3, shared: i ^ 5 }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn records_read_back_in_order_and_from_anywhere(n in 0u32..200, block in 1usize..200, at in 0u32..200) {
            let dir = tempfile::tempdir().unwrap();
            let disk = Disk::default();
            let mut writer = RecordWriter::create(&disk, spec(dir.path(), block)).unwrap();
            for i in 0..n {
                writer.push(&pair(i)).unwrap();
            }
            let sealed = writer.finish().unwrap();
            prop_assert_eq!(sealed.records, u64::from(n));
            prop_assert_eq!(sealed.bytes, std::fs::metadata(dir.path().join("pairs")).unwrap().len());
            let mut reader: RecordReader<PairCount> =
                RecordReader::open_sealed(&disk, dir.path(), &sealed, FileKind::Pairs).unwrap();
            for i in 0..n {
                prop_assert_eq!(reader.next().unwrap(), Some(pair(i)));
            }
            prop_assert_eq!(reader.next().unwrap(), None);
            let at = at.min(n);
            reader.seek(u64::from(at)).unwrap();
            for i in at..n {
                prop_assert_eq!(reader.next().unwrap(), Some(pair(i)));
            }
            prop_assert_eq!(reader.next().unwrap(), None);
        }
    }

    #[test]
    fn every_flipped_bit_every_cut_and_every_appended_byte_is_noticed() {
        let dir = tempfile::tempdir().unwrap();
        let disk = Disk::default();
        let mut writer = RecordWriter::create(&disk, spec(dir.path(), 60)).unwrap();
        for i in 0..12 {
            writer.push(&pair(i)).unwrap();
        }
        let sealed = writer.finish().unwrap();
        let path = dir.path().join("pairs");
        let good = std::fs::read(&path).unwrap();
        let check = || -> Result<(), FormatError> {
            let mut reader: RecordReader<PairCount> =
                RecordReader::open_sealed(&disk, dir.path(), &sealed, FileKind::Pairs)?;
            while reader.next()?.is_some() {}
            Ok(())
        };
        check().unwrap();
        for bit in 0..good.len() * 8 {
            let mut bad = good.clone();
            bad[bit / 8] ^= 1 << (bit % 8);
            std::fs::write(&path, &bad).unwrap();
            assert!(check().is_err(), "bit {bit} of {}", good.len() * 8);
        }
        for cut in 0..good.len() {
            std::fs::write(&path, &good[..cut]).unwrap();
            assert!(check().is_err(), "cut at {cut}");
        }
        std::fs::write(&path, [&good[..], b"x"].concat()).unwrap();
        assert!(check().is_err(), "an appended byte");
        // another file of the same shape under this name
        std::fs::write(&path, &good).unwrap();
        std::fs::rename(&path, dir.path().join("other")).unwrap();
        let moved = Sealed { name: "other".into(), ..sealed.clone() };
        let opened: Result<RecordReader<PairCount>, _> =
            RecordReader::open_sealed(&disk, dir.path(), &moved, FileKind::Pairs);
        assert!(opened.is_err(), "a renamed file");
    }

    #[test]
    fn a_failing_operation_leaves_no_file_under_the_final_name() {
        // Small parts go out one by one, or in pieces: less often.
        sweep_failures(IoMode::Auto, 5);
        sweep_failures(IoMode::Direct, 3);
    }

    fn sweep_failures(io: IoMode, operations_min: u64) {
        for nth in 1.. {
            let dir = tempfile::tempdir().unwrap();
            let disk = Disk::new(DiskOptions { faults: Faults::failing(None, nth, 28), io, ..DiskOptions::default() });
            let result = (|| {
                let mut writer = RecordWriter::create(&disk, spec(dir.path(), 60))?;
                for i in 0..12 {
                    writer.push(&pair(i))?;
                }
                writer.finish()
            })();
            let names = std::fs::read_dir(dir.path()).unwrap().count();
            match result {
                Err(error) => {
                    assert!(matches!(error, FormatError::NoSpace { .. }), "{error}");
                    assert_eq!(names, 0, "operation {nth} left something behind");
                }
                Ok(_) => {
                    assert_eq!(names, 1);
                    assert!(nth > operations_min, "writes, a sync and a rename were to fail one by one");
                    break;
                }
            }
        }
    }
}
