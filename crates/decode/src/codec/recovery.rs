//! Finding the next entry behind damage.
//!
//! *Input.* A [`Decompressor`] whose entry failed. *Output.* The offset of the next entry that can
//! be decoded. *Algorithm.* The search begins at once behind an entry whose stream ended well, else
//! a little before the byte where decoding failed. Every place with the first bytes of an entry is
//! tried by decoding its beginning. *Memory.* One block, and the candidates in it.

use memchr::memmem;

use super::{Codec, Decompressor, EntryStart, gzip, zstd};
use crate::error::InputError;

/// Where reading goes on after damage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Recovery {
    /// Where the damaged entry began.
    pub lost_from: u64,
    /// Where the next entry begins; the end of the file if there is none.
    pub next: u64,
    /// No entry follows.
    pub at_end: bool,
    /// All that is lost are zero bytes: padding of a disk block or tape.
    pub zeros: bool,
}

impl Decompressor {
    /// After damage: goes to the next entry whose content begins as `wanted`, or to the end of the
    /// file.
    pub fn recover(&mut self, wanted: EntryStart) -> Result<Recovery, InputError> {
        self.in_entry = false;
        let lost_from = self.entry_offset;
        let failed_at = self.input.position();
        let file_bytes = self.input.file_bytes();
        let here = match &self.codec {
            Codec::Gzip(_) if self.ended_well => gzip::begins_here(&self.input, failed_at)?,
            _ => false,
        };
        let found = if (here || failed_at == file_bytes) && self.ended_well {
            (failed_at < file_bytes).then_some(failed_at)
        } else {
            let from = failed_at
                .saturating_sub(self.look_back_bytes())
                .max(lost_from + 1);
            self.find_entry(from, file_bytes, wanted)?
        };
        let zeros = found.is_none() && self.only_zeros(lost_from)?;
        let next = found.unwrap_or(file_bytes);
        self.input.seek(next)?;
        Ok(Recovery {
            lost_from,
            next,
            at_end: found.is_none(),
            zeros,
        })
    }

    fn look_back_bytes(&self) -> u64 {
        match &self.codec {
            Codec::Plain | Codec::Deflated(_) => 0,
            Codec::Gzip(_) => 64 << 10,
            Codec::Zstd(_) => 192 << 10,
        }
    }

    /// The first entry at or after `from`, and before `limit`, whose content begins as `wanted`.
    /// The position moves.
    ///
    /// A candidate costs an attempt to decode it; bytes made to look like many beginnings get only
    /// so many attempts.
    pub fn find_entry(
        &mut self,
        from: u64,
        limit: u64,
        wanted: EntryStart,
    ) -> Result<Option<u64>, InputError> {
        let (magic, attempts_at_first, bytes_per_attempt): (&[u8], u64, u64) = match &self.codec {
            Codec::Plain | Codec::Deflated(_) => return Ok(None),
            Codec::Gzip(_) => (gzip::MAGIC, 1024, 1 << 10),
            Codec::Zstd(_) => (zstd::MAGIC, 64, 64 << 10),
        };
        let finder = memmem::Finder::new(magic).into_owned();
        self.in_entry = false;
        self.input.seek(from)?;
        let mut attempts = 0;
        let mut candidates = Vec::new();
        while self.input.position() < limit {
            let at = self.input.position();
            let bytes = self.input.fill()?;
            if bytes.is_empty() {
                break;
            }
            let length = bytes.len();
            candidates.clear();
            candidates.extend(finder.find_iter(bytes).map(|i| at + i as u64));
            self.candidates_across(at + length as u64, at, magic, &mut candidates)?;
            for &candidate in candidates.iter().filter(|&&candidate| candidate < limit) {
                if attempts >= attempts_at_first + (candidate - from) / bytes_per_attempt {
                    continue;
                }
                attempts += 1;
                if self.entry_begins_with(candidate, wanted)? {
                    return Ok(Some(candidate));
                }
            }
            self.input.consume(length);
        }
        Ok(None)
    }

    /// Adds the candidates that begin before `border` and end behind it.
    fn candidates_across(
        &self,
        border: u64,
        block_start: u64,
        magic: &[u8],
        candidates: &mut Vec<u64>,
    ) -> Result<(), InputError> {
        let overlap = magic.len() as u64 - 1;
        let from = border.saturating_sub(overlap).max(block_start);
        let mut around = [0; 8];
        let wanted = (border - from + overlap) as usize;
        let got = self.input.peek_at(from, &mut around[..wanted])?;
        for at in 0..(border - from) as usize {
            if around[at..got].starts_with(magic) {
                candidates.push(from + at as u64);
            }
        }
        Ok(())
    }

    pub(super) fn entry_begins_with(
        &mut self,
        offset: u64,
        wanted: EntryStart,
    ) -> Result<bool, InputError> {
        match &mut self.codec {
            Codec::Plain | Codec::Deflated(_) => Ok(false),
            Codec::Gzip(decoder) => decoder.begins_with(&self.input, offset, wanted),
            Codec::Zstd(decoder) => decoder.begins_with(&self.input, offset, wanted),
        }
    }

    /// Whether all bytes from `from` to the end of the file are zero. The position moves.
    fn only_zeros(&mut self, from: u64) -> Result<bool, InputError> {
        self.input.seek(from)?;
        loop {
            let bytes = self.input.fill()?;
            if bytes.is_empty() {
                return Ok(true);
            }
            if bytes.iter().any(|&byte| byte != 0) {
                return Ok(false);
            }
            let length = bytes.len();
            self.input.consume(length);
        }
    }
}
