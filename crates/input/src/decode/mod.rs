//! Compressed files as a stream of entries: gzip members, zstd frames, or the plain file as one
//! entry.
//!
//! *Input.* A [`RangeReader`]. *Output.* The decompressed bytes of one entry after another, each
//! with the offset where it begins; checksums are checked. *Algorithm.*
//! [`Decompressor::begin_entry`] looks at the bytes at the position, [`Decompressor::read_whole`]
//! decodes small members of gzip at once, [`Decompressor::read_entry`] decodes, and after damage
//! [`Decompressor::recover`] searches for the next entry: at once behind an entry whose stream
//! ended well and only its checksum differs, else from a little before the byte where decoding
//! failed. What is found depends on the bytes from the damaged entry on and on nothing else.
//! *Memory.* One block, the decoder's window (gzip 32 KiB, zstd as the frame says, up to 128 MiB),
//! a zstd dictionary of up to 8 MiB. *Limits.* An entry that lies hidden in the stream of a damaged
//! one, further back than the search begins, is lost with it; so reading stays linear in the size
//! of the file, whatever is in it.

mod gzip;
mod libdeflate;
mod zstd;

#[cfg(test)]
pub(crate) use gzip::STREAMS_ONLY;
pub(crate) use gzip::{Header, parse_header};
pub(crate) use libdeflate::{Inflated, Inflater, crc32};

use memchr::memmem;

use crate::InputError;
use crate::range::RangeReader;

/// How a file is compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Compression {
    /// Not at all.
    Plain,
    /// RFC 1952, any number of members.
    Gzip,
    /// RFC 8878, any number of frames, also with a dictionary in a first frame of its own.
    Zstd,
}

impl Compression {
    /// By the first bytes of a file; four are enough.
    pub(crate) fn sniff(first: &[u8]) -> Self {
        match first {
            [0x1f, 0x8b, ..] => Compression::Gzip,
            [0x28, 0xb5, 0x2f, 0xfd, ..] => Compression::Zstd,
            [kind, 0x2a, 0x4d, 0x18, ..] if kind & 0xf0 == 0x50 => Compression::Zstd,
            _ => Compression::Plain,
        }
    }
}

/// Why decoding stopped.
#[derive(Debug)]
pub(crate) enum DecodeError {
    /// The file cannot be read.
    Input(InputError),
    /// The bytes are not what they should be. [`Decompressor::recover`] goes on.
    Damaged {
        /// `bad-gzip`, `bad-zstd`, `bad-dictionary`, `truncated`, or `damaged` where no entry
        /// begins at all.
        reason: &'static str,
        /// What exactly, for a person.
        detail: String,
    },
}

impl From<InputError> for DecodeError {
    fn from(error: InputError) -> Self {
        DecodeError::Input(error)
    }
}

fn damaged(reason: &'static str, detail: impl Into<String>) -> DecodeError {
    DecodeError::Damaged {
        reason,
        detail: detail.into(),
    }
}

/// Where reading goes on after damage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Recovery {
    /// Where the damaged entry began.
    pub lost_from: u64,
    /// Where the next entry begins; the end of the file if there is none.
    pub next: u64,
    /// No entry follows.
    pub at_end: bool,
    /// All that is lost are zero bytes: padding of a disk block or tape.
    pub zeros: bool,
}

enum Codec {
    Plain,
    Gzip(Box<gzip::GzipDecoder>),
    Zstd(Box<zstd::ZstdDecoder>),
}

/// Decodes the entries of one file.
pub(crate) struct Decompressor {
    input: RangeReader,
    codec: Codec,
    entry_offset: u64,
    inner_offset: u64,
    in_entry: bool,
    /// The stream of the damaged entry ended as it should: the next entry is due at the position.
    ended_well: bool,
}

impl Decompressor {
    /// Decodes `input` from its position, which must be the beginning of an entry. A zstd
    /// dictionary is read from the beginning of the file, wherever the position is.
    ///
    /// # Errors
    /// `bad-dictionary` if there is a dictionary and it cannot be used: nothing of the file can be
    /// decoded then.
    pub(crate) fn new(input: RangeReader, compression: Compression) -> Result<Self, DecodeError> {
        let codec = match compression {
            Compression::Plain => Codec::Plain,
            Compression::Gzip => Codec::Gzip(Box::default()),
            Compression::Zstd => Codec::Zstd(Box::new(zstd::ZstdDecoder::new(&input)?)),
        };
        let entry_offset = input.position();
        Ok(Decompressor {
            input,
            codec,
            entry_offset,
            inner_offset: 0,
            in_entry: false,
            ended_well: false,
        })
    }

    /// The file behind.
    pub(crate) fn input(&self) -> &RangeReader {
        &self.input
    }

    /// Whether the file is not compressed.
    pub(crate) fn is_plain(&self) -> bool {
        matches!(self.codec, Codec::Plain)
    }

    /// The dictionary of a zstd file; empty if there is none.
    pub(crate) fn dictionary(&self) -> &[u8] {
        match &self.codec {
            Codec::Zstd(decoder) => decoder.dictionary(),
            _ => &[],
        }
    }

    /// Byte of the file where the entry of the bytes read last begins.
    pub(crate) fn entry_offset(&self) -> u64 {
        self.entry_offset
    }

    /// Decompressed bytes read of that entry.
    pub(crate) fn inner_offset(&self) -> u64 {
        self.inner_offset
    }

    /// Goes to an offset where an entry begins.
    ///
    /// # Errors
    /// As [`RangeReader::seek`].
    pub(crate) fn seek(&mut self, offset: u64) -> Result<(), InputError> {
        self.in_entry = false;
        self.input.seek(offset)
    }

    /// Starts the entry at the position; false at the end of the file.
    ///
    /// # Errors
    /// `damaged` if no entry begins here.
    pub(crate) fn begin_entry(&mut self) -> Result<bool, DecodeError> {
        self.entry_offset = self.input.position();
        self.inner_offset = 0;
        self.in_entry = false;
        self.ended_well = false;
        if self.input.position() >= self.input.file_bytes() {
            return Ok(false);
        }
        match &mut self.codec {
            Codec::Plain => {}
            Codec::Gzip(decoder) => decoder.begin(&mut self.input)?,
            Codec::Zstd(decoder) => decoder.begin(&mut self.input)?,
        }
        self.in_entry = true;
        Ok(true)
    }

    /// Bytes the decoder of the entry just begun may hold: its window.
    pub(crate) fn window_bytes(&self) -> u64 {
        match &self.codec {
            Codec::Zstd(decoder) => decoder.window_bytes(),
            _ => 32 << 10,
        }
    }

    /// Decodes all of the entry just begun into the beginning of `out`, if it is a gzip member that
    /// fits and is sound; else `None`, and the entry stands as it was. [`Decompressor::read_entry`]
    /// would give the same bytes.
    ///
    /// # Errors
    /// As [`RangeReader::fill`].
    pub(crate) fn read_whole(&mut self, out: &mut [u8]) -> Result<Option<usize>, InputError> {
        let Codec::Gzip(decoder) = &mut self.codec else {
            return Ok(None);
        };
        if !self.in_entry {
            return Ok(None);
        }
        let made = decoder.read_whole(&mut self.input, out)?;
        if let Some(made) = made {
            self.in_entry = false;
            self.inner_offset = made as u64;
        }
        Ok(made)
    }

    /// Whether [`Decompressor::read_whole`] may give something.
    pub(crate) fn reads_whole(&self) -> bool {
        matches!(self.codec, Codec::Gzip(_))
    }

    /// Decodes into `out` (which must not be empty); 0 when the entry is complete and its checksum
    /// right.
    ///
    /// # Errors
    /// [`DecodeError::Damaged`]: what was delivered of the entry before may be wrong.
    pub(crate) fn read_entry(&mut self, out: &mut [u8]) -> Result<usize, DecodeError> {
        if !self.in_entry {
            return Ok(0);
        }
        let input = &mut self.input;
        let result = match &mut self.codec {
            Codec::Plain => input.read(out).map_err(DecodeError::from),
            Codec::Gzip(decoder) => decoder.read(input, out),
            Codec::Zstd(decoder) => decoder.read(input, out),
        };
        match &result {
            Ok(0) => self.in_entry = false,
            Ok(read) => self.inner_offset += *read as u64,
            Err(_) => {
                self.ended_well =
                    matches!(&self.codec, Codec::Gzip(decoder) if decoder.ended_well());
                self.in_entry = false;
            }
        }
        result
    }

    /// Decodes into `out` over all entries; never across the border of two in one call; 0 at the
    /// end of the file.
    ///
    /// # Errors
    /// As [`Decompressor::read_entry`]; call [`Decompressor::recover`] and go on.
    pub(crate) fn read(&mut self, out: &mut [u8]) -> Result<usize, DecodeError> {
        loop {
            if !self.in_entry && !self.begin_entry()? {
                return Ok(0);
            }
            // Only an entry just begun can be whole; an empty one is passed over.
            let read = match self.read_whole(out)? {
                Some(read) => read,
                None => self.read_entry(out)?,
            };
            if read > 0 {
                return Ok(read);
            }
        }
    }

    /// Passes over bytes of a plain file without reading more of them than are to be digested.
    ///
    /// # Errors
    /// As [`RangeReader::seek`].
    pub(crate) fn skip_plain(&mut self, bytes: u64) -> Result<(), InputError> {
        if matches!(self.codec, Codec::Plain) {
            self.inner_offset += bytes;
            self.input.seek(self.input.position() + bytes)?;
        }
        Ok(())
    }

    /// After damage: goes to the next entry whose content begins with `wanted`, or to the end of
    /// the file.
    ///
    /// # Errors
    /// As [`RangeReader::fill`].
    pub(crate) fn recover(&mut self, wanted: &[u8]) -> Result<Recovery, InputError> {
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
            Codec::Plain => 0,
            Codec::Gzip(_) => 64 << 10,
            Codec::Zstd(_) => 192 << 10,
        }
    }

    /// The first entry at or after `from`, and before `limit`, whose content begins with `wanted`.
    /// The position moves.
    ///
    /// A candidate costs an attempt to decode it; bytes made to look like many beginnings get only
    /// so many attempts.
    ///
    /// # Errors
    /// As [`RangeReader::fill`].
    pub(crate) fn find_entry(
        &mut self,
        from: u64,
        limit: u64,
        wanted: &[u8],
    ) -> Result<Option<u64>, InputError> {
        let (magic, attempts_at_first, bytes_per_attempt): (&[u8], u64, u64) = match &self.codec {
            Codec::Plain => return Ok(None),
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

    fn entry_begins_with(&mut self, offset: u64, wanted: &[u8]) -> Result<bool, InputError> {
        match &mut self.codec {
            Codec::Plain => Ok(false),
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

    /// As [`RangeReader::finish`].
    ///
    /// # Errors
    /// As [`RangeReader::finish`].
    pub(crate) fn finish(self) -> Result<u64, InputError> {
        self.input.finish()
    }
}

#[cfg(test)]
mod tests;
