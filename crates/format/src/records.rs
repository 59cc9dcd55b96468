//! Files of records: of fixed width, or packed block by block where the type has a short form.

use crate::disk::Disk;
use crate::layout::FileKind;
use crate::writer::{FileWriter, PACKED_RECORD_BYTES, Packing};
use crate::{FileReader, FormatError, RecordSpec, Sealed};
use model::Record;
use std::path::Path;

/// Writes records of one type.
pub struct RecordWriter<R> {
    writer: FileWriter,
    /// Records of the next block, if they are packed, and how many it has.
    packing: Vec<R>,
    packed_records: usize,
}

impl<R: Record> RecordWriter<R> {
    /// Starts a file.
    pub fn create(disk: &Disk, spec: RecordSpec) -> Result<RecordWriter<R>, FormatError> {
        RecordWriter::start(disk, spec, 0)
    }

    /// Starts a file of records that come in order, in their short form if they have one. It cannot
    /// be sought in.
    pub fn create_packed(disk: &Disk, spec: RecordSpec) -> Result<RecordWriter<R>, FormatError> {
        let packed_records = (spec.block_bytes / PACKED_RECORD_BYTES).max(1);
        RecordWriter::start(disk, spec, if R::PACKED { packed_records } else { 0 })
    }

    fn start(
        disk: &Disk,
        spec: RecordSpec,
        packed_records: usize,
    ) -> Result<RecordWriter<R>, FormatError> {
        let packing = match packed_records {
            0 => Packing::Fixed(R::SIZE),
            records => Packing::Packed(records),
        };
        Ok(RecordWriter {
            writer: FileWriter::create(disk, spec, packing)?,
            packing: Vec::new(),
            packed_records,
        })
    }

    /// Appends a record.
    #[inline]
    pub fn push(&mut self, record: &R) -> Result<(), FormatError> {
        if R::PACKED && self.packed_records > 0 {
            return self.push_all(std::slice::from_ref(record));
        }
        record.encode(self.writer.slot()?);
        Ok(())
    }

    /// Appends records, block by block.
    pub fn push_all(&mut self, mut records: &[R]) -> Result<(), FormatError> {
        while R::PACKED && self.packed_records > 0 && !records.is_empty() {
            let room = self.packed_records - self.packing.len();
            let (now, later) = records.split_at(room.min(records.len()));
            self.packing.extend_from_slice(now);
            if self.packing.len() == self.packed_records {
                self.pack()?;
            }
            records = later;
        }
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

    /// Writes the block of records held back.
    fn pack(&mut self) -> Result<(), FormatError> {
        let packing = &self.packing;
        self.writer
            .packed(packing.len() as u32, |bytes| R::pack(packing, bytes))?;
        self.packing.clear();
        Ok(())
    }

    /// Records so far.
    pub fn records(&self) -> u64 {
        self.writer.records() + self.packing.len() as u64
    }

    /// Seals the file.
    pub fn finish(mut self) -> Result<Sealed, FormatError> {
        if !self.packing.is_empty() {
            self.pack()?;
        }
        self.writer.finish()
    }
}

/// Reads records of one type, in order.
pub struct RecordReader<R> {
    reader: FileReader,
    /// Records of the current block already handed out.
    taken: u32,
    position: u64,
    /// The records that [`RecordReader::next_slice`] decoded; of packed records the current block.
    slice: Vec<R>,
    is_packed: bool,
}

impl<R: Record> RecordReader<R> {
    /// Opens a file of this record type.
    pub fn open(disk: &Disk, path: &Path, kind: FileKind) -> Result<RecordReader<R>, FormatError> {
        RecordReader::over(FileReader::open_kind(disk, path, kind)?)
    }

    /// Opens the file the manifest lists.
    pub fn open_sealed(
        disk: &Disk,
        dir: &Path,
        sealed: &Sealed,
        kind: FileKind,
    ) -> Result<Self, FormatError> {
        RecordReader::over(FileReader::open_sealed(disk, dir, sealed, kind)?)
    }

    fn over(reader: FileReader) -> Result<RecordReader<R>, FormatError> {
        let is_packed = R::PACKED && reader.header().is_packed();
        if !is_packed {
            reader.expect_width(R::SIZE)?;
        }
        Ok(RecordReader {
            reader,
            taken: 0,
            position: 0,
            slice: Vec::new(),
            is_packed,
        })
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
    #[expect(
        clippy::should_implement_trait,
        reason = "an Iterator cannot end in an error"
    )]
    #[inline]
    pub fn next(&mut self) -> Result<Option<R>, FormatError> {
        if self.taken == self.reader.block_records() {
            if !self.reader.next_block()? {
                self.taken = 0;
                return Ok(None);
            }
            self.taken = 0;
            self.unpack()?;
        }
        let at = self.taken as usize;
        self.taken += 1;
        self.position += 1;
        if R::PACKED && self.is_packed {
            return Ok(Some(self.slice[at]));
        }
        Ok(Some(R::decode(
            &self.reader.block()[at * R::SIZE..(at + 1) * R::SIZE],
        )))
    }

    /// Unpacks the block just read, if it is packed.
    fn unpack(&mut self) -> Result<(), FormatError> {
        if R::PACKED && self.is_packed {
            let count = self.reader.block_records();
            if count > self.reader.header().block_records {
                return Err(self.reader.damage(format!("{count} records in a block")));
            }
            self.slice.clear();
            let unpacked = R::unpack(self.reader.block(), count as usize, &mut self.slice);
            unpacked.ok_or_else(|| self.reader.damage("the bytes are not packed records"))?;
        }
        Ok(())
    }

    /// The rest of the current block, or the next one whole; `None` after the last record.
    pub fn next_slice(&mut self) -> Result<Option<&[R]>, FormatError> {
        while self.taken == self.reader.block_records() {
            self.taken = 0;
            if !self.reader.next_block()? {
                return Ok(None);
            }
            self.unpack()?;
        }
        if R::PACKED && self.is_packed {
            let from = self.taken as usize;
            self.taken = self.reader.block_records();
            self.position += u64::from(self.taken) - from as u64;
            return Ok(Some(&self.slice[from..]));
        }
        let block = &self.reader.block()[self.taken as usize * R::SIZE..];
        self.slice.clear();
        self.slice
            .extend(block.chunks_exact(R::SIZE).map(R::decode));
        self.taken = self.reader.block_records();
        self.position += self.slice.len() as u64;
        Ok(Some(&self.slice))
    }

    /// This file, for looking up single records: nothing is read ahead.
    #[must_use]
    pub fn for_lookups(mut self) -> RecordReader<R> {
        self.reader.read_single_blocks();
        self
    }

    /// The first record of the block that holds this one.
    pub fn start_of_block(&self, record: u64) -> u64 {
        record - record % u64::from(self.reader.header().block_records.max(1))
    }

    /// Goes to a record by its number.
    pub fn seek(&mut self, record: u64) -> Result<(), FormatError> {
        let before = self.reader.seek_record(record)?;
        self.taken = 0;
        self.position = record;
        if before > 0 {
            if !self.reader.next_block()? || before > u64::from(self.reader.block_records()) {
                let what = format!("record {record} is beyond the end");
                return Err(self.reader.damage(what));
            }
            self.taken = before as u32;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
