//! Sequential, buffered reading of one file of the input, with a digest of a part of it.
//!
//! *Input.* A [`SourceFile`] as listed. *Output.* Its bytes from any offset, and the XXH3-64 of the
//! bytes of one range, each fed once and in order, wherever the reader jumps meanwhile.
//! *Algorithm.* Positional reads up to multiples of [`READ_BYTES`], handed out up to multiples of
//! [`BLOCK_BYTES`]: so what a decoder sees at once depends on the offset alone and not on where
//! reading began, and damage is met at the same byte by every reader. A caller that needs whole
//! records in memory asks for all bytes [at hand](RangeReader::at_hand), and for
//! [more](RangeReader::extend). A caller that copies the bytes anyway reads them
//! [straight](RangeReader::read). *Memory.* One read, and [`EXTENDED_BYTES`] before it. *Limits.*
//! The file has to stay as it was listed: a shorter, longer, newer or replaced file is
//! [`InputError::Changed`].

use std::hash::Hasher;

use twox_hash::XxHash3_64;

use crate::error::InputError;
use crate::open_file::{OpenFile, read_error};
use crate::options::{PieceEnd, SourceFile};
use model::FileStat;

/// Bytes handed out at once.
pub const BLOCK_BYTES: u64 = 256 << 10;

/// Bytes read at once; a multiple of [`BLOCK_BYTES`].
const READ_BYTES: u64 = 1 << 20;

/// A read of so many bytes goes straight to the caller's buffer, without a block in between.
const STRAIGHT_BYTES_MIN: usize = 32 << 10;

/// A gap of up to so many bytes is read by itself, not as a part of a block.
const GAP_BYTES: usize = 16 << 10;

/// [`RangeReader::extend`] reads no more when so many bytes are at hand.
const EXTENDED_BYTES: usize = 384 << 10;

/// A reader of one file, from any offset, that digests one range on its way.
pub struct RangeReader {
    file: OpenFile,
    source: SourceFile,
    /// The bytes in memory, which begin at `block_start`.
    block: Vec<u8>,
    block_start: u64,
    /// Offset of the next byte to hand out.
    position: u64,
    /// Digest of the bytes up to here, from the start of the range.
    hasher: Box<XxHash3_64>,
    hashed: u64,
    end: u64,
}

impl RangeReader {
    /// Opens the file at `start`; the bytes of `start..end` will be digested.
    pub fn open(source: &SourceFile, start: u64, end: u64) -> Result<Self, InputError> {
        let file = OpenFile::open(&source.path);
        let file = file.map_err(InputError::io("open", &source.path))?;
        if source.stat.bytes > READ_BYTES {
            file.advise_sequential();
        }
        let start = start.min(source.stat.bytes);
        let reader = RangeReader {
            file,
            source: source.clone(),
            block: Vec::new(),
            block_start: start,
            position: start,
            hasher: Box::new(XxHash3_64::new()),
            hashed: start,
            end: end.clamp(start, source.stat.bytes),
        };
        reader.check_unchanged()?;
        Ok(reader)
    }

    /// Offset of the next byte.
    pub fn position(&self) -> u64 {
        self.position
    }

    /// Size of the file.
    pub fn file_bytes(&self) -> u64 {
        self.source.stat.bytes
    }

    /// The bytes at hand from the position on, after reading a block if there were none; empty at
    /// the end of the file.
    pub fn fill(&mut self) -> Result<&[u8], InputError> {
        let to_border = (BLOCK_BYTES - self.position % BLOCK_BYTES) as usize;
        let bytes = self.at_hand()?;
        Ok(&bytes[..bytes.len().min(to_border)])
    }

    /// All bytes in memory from the position on, after reading if there were none: at least what
    /// [`RangeReader::fill`] gives. How many they are says nothing about the file.
    pub(crate) fn at_hand(&mut self) -> Result<&[u8], InputError> {
        if !self.has_at_hand() {
            self.load(self.position)?;
        }
        Ok(&self.block[(self.position - self.block_start) as usize..])
    }

    fn has_at_hand(&self) -> bool {
        (self.block_start..self.block_start + self.block.len() as u64).contains(&self.position)
    }

    /// Reads on behind the bytes at hand; false at the end of the file, or if [`EXTENDED_BYTES`]
    /// are at hand: so a caller that asks again and again reads every byte but once.
    pub fn extend(&mut self) -> Result<bool, InputError> {
        let kept = self.at_hand()?.len();
        if kept == 0
            || kept >= EXTENDED_BYTES
            || self.position + kept as u64 >= self.source.stat.bytes
        {
            return Ok(false);
        }
        let at = self.block.len() - kept;
        self.block.copy_within(at.., 0);
        self.block_start = self.position;
        self.read_behind(kept)?;
        Ok(true)
    }

    /// Moves on by `bytes` of what [`RangeReader::fill`] gave; at most to its end.
    pub fn consume(&mut self, bytes: usize) {
        let block_end = self.block_start + self.block.len() as u64;
        self.position = (self.position + bytes as u64).min(block_end);
    }

    /// Gives up to `out.len()` bytes and moves on; 0 only at the end of the file or for an empty
    /// `out`. A caller that takes many at a time, and only by this method, gets them straight from
    /// the file.
    pub fn read(&mut self, out: &mut [u8]) -> Result<usize, InputError> {
        if out.len() >= STRAIGHT_BYTES_MIN && !self.has_at_hand() {
            return self.read_straight(out);
        }
        let bytes = self.fill()?;
        let taken = bytes.len().min(out.len());
        out[..taken].copy_from_slice(&bytes[..taken]);
        self.consume(taken);
        Ok(taken)
    }

    /// Reads as many bytes into `out` as [`RangeReader::fill`] would have given of them.
    fn read_straight(&mut self, out: &mut [u8]) -> Result<usize, InputError> {
        let to_border = BLOCK_BYTES - self.position % BLOCK_BYTES;
        let to_end = self.source.stat.bytes.saturating_sub(self.position);
        let taken = to_border.min(to_end).min(out.len() as u64) as usize;
        let out = &mut out[..taken];
        self.read_exactly(self.position, out)?;
        self.digest(self.position, out);
        self.position += taken as u64;
        Ok(taken)
    }

    /// Goes to any offset, back or forth. What is passed over on the way, and is to be digested, is
    /// read.
    pub fn seek(&mut self, to: u64) -> Result<(), InputError> {
        let to = to.min(self.source.stat.bytes);
        if to < self.end {
            self.digest_up_to(to)?;
        }
        self.position = to;
        Ok(())
    }

    /// Reads bytes at an offset without moving or digesting; fewer than asked for only at the end
    /// of the file.
    pub fn peek_at(&self, offset: u64, out: &mut [u8]) -> Result<usize, InputError> {
        let wanted = self
            .source
            .stat
            .bytes
            .saturating_sub(offset)
            .min(out.len() as u64) as usize;
        let block_end = self.block_start + self.block.len() as u64;
        if offset >= self.block_start && offset + wanted as u64 <= block_end {
            let at = (offset - self.block_start) as usize;
            out[..wanted].copy_from_slice(&self.block[at..at + wanted]);
            return Ok(wanted);
        }
        self.read_exactly(offset, &mut out[..wanted])?;
        Ok(wanted)
    }

    /// Digests what is left of the range and checks that the file is still the listed one.
    pub fn finish(mut self) -> Result<u64, InputError> {
        self.digest_up_to(self.end)?;
        self.check_unchanged()?;
        Ok(self.hasher.finish())
    }

    fn digest_up_to(&mut self, to: u64) -> Result<(), InputError> {
        while self.hashed < to {
            let gap = to - self.hashed;
            if gap <= GAP_BYTES as u64 && !self.has_at_hand() {
                // A caller that goes on behind the gap may read straight; else it gets a block.
                let mut bytes = [0; GAP_BYTES];
                let bytes = &mut bytes[..gap as usize];
                self.read_exactly(self.hashed, bytes)?;
                self.digest(self.hashed, bytes);
            } else {
                self.load(self.hashed)?;
            }
        }
        Ok(())
    }

    /// Reads from `from` to the next border of a read.
    fn load(&mut self, from: u64) -> Result<(), InputError> {
        self.block_start = from;
        self.read_behind(0)
    }

    /// Reads on to the next border, behind the first `kept` bytes in memory, and digests what is
    /// new of the range.
    fn read_behind(&mut self, kept: usize) -> Result<(), InputError> {
        let from = self.block_start + kept as u64;
        let border = (from / READ_BYTES + 1) * READ_BYTES;
        // Behind the range only the rest of a record is wanted, and of a short range not more than
        // it has.
        let border = border.min((from.max(self.end) / BLOCK_BYTES + 1) * BLOCK_BYTES);
        let wanted = border.min(self.source.stat.bytes).saturating_sub(from) as usize;
        // Nothing is in memory if this fails.
        let mut block = std::mem::take(&mut self.block);
        if block.is_empty() {
            // All zero from the system, not written over to be zero.
            block = vec![0; kept + wanted];
        } else {
            block.resize(kept + wanted, 0);
        }
        self.read_exactly(from, &mut block[kept..])?;
        self.digest(from, &block[kept..]);
        self.block = block;
        Ok(())
    }

    /// Digests what of the bytes at `from` is new and of the range.
    fn digest(&mut self, from: u64, bytes: &[u8]) {
        let until = (from + bytes.len() as u64).min(self.end);
        if from <= self.hashed && self.hashed < until {
            self.hasher
                .write(&bytes[(self.hashed - from) as usize..(until - from) as usize]);
            self.hashed = until;
        }
    }

    fn read_exactly(&self, offset: u64, out: &mut [u8]) -> Result<(), InputError> {
        let read = self.file.read_exact_at(out, offset);
        read.map_err(|error| read_error(&self.source.path, error))
    }

    fn check_unchanged(&self) -> Result<(), InputError> {
        let now = self.file.stat();
        let now = now.map_err(InputError::io("examine", &self.source.path))?;
        let of = |stat: FileStat| (stat.bytes, stat.modified_ns, stat.inode);
        match of(now) == of(self.source.stat) {
            true => Ok(()),
            false => Err(InputError::changed(&self.source.path)),
        }
    }
}

impl PieceEnd {
    /// The end of a piece without lines, once its file is read.
    pub fn of(first: Option<u64>, next: u64, input: RangeReader) -> Result<PieceEnd, InputError> {
        Ok(PieceEnd {
            first,
            next,
            lines: 0,
            digest: input.finish()?,
        })
    }
}

#[cfg(test)]
pub mod tests;
