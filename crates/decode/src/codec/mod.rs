//! Compressed files as a stream of entries: gzip members, zstd frames, or one entry: a plain file,
//! or a file deflated within a zip file.
//!
//! *Input.* A [`RangeReader`]. *Output.* The decompressed bytes of one entry after another, each
//! with the offset where it begins; checksums are checked. *Algorithm.*
//! [`Decompressor::begin_entry`] looks at the bytes at the position, [`Decompressor::read_whole`]
//! decodes small members of gzip at once, [`Decompressor::read_entry`] decodes, and after damage
//! [`Decompressor::recover`] searches for the next entry: at once behind an entry whose stream
//! ended well and only its checksum differs, else from a little before the byte where decoding
//! failed. What is found depends on the bytes from the damaged entry on and on nothing else.
//! *Memory.* One block, the decoder's window (gzip 32 KiB, zstd as the frame says, up to 32 MiB),
//! a zstd dictionary of up to 8 MiB. *Limits.* An entry that lies hidden in the stream of a damaged
//! one, further back than the search begins, is lost with it; so reading stays linear in the size
//! of the file, whatever is in it.

mod compression;
mod deflated;
mod entry_start;
mod error;
mod gzip;
mod libdeflate;
mod recovery;
mod zstd;

pub use compression::Compression;
pub use entry_start::EntryStart;
pub use error::DecodeError;
pub(crate) use gzip::{GzipHeader, parse_header};
pub(crate) use libdeflate::{Inflated, Inflater, crc32};
pub(crate) use zstd::{decoder as zstd_decoder, step as zstd_step};

use crate::document::{Place, Refusal};
use crate::error::InputError;
use crate::expansion::{EXPANDS_TOO_FAR, ExpansionLimit, RECORD_BYTES};
use crate::options::SourceFile;
use crate::range::RangeReader;

enum Codec {
    Plain,
    Gzip(Box<gzip::GzipDecoder>),
    Zstd(Box<zstd::ZstdDecoder>),
    Deflated(Box<deflated::DeflatedDecoder>),
}

/// Decodes the entries of one file.
pub struct Decompressor {
    input: RangeReader,
    codec: Codec,
    entry_offset: u64,
    inner_offset: u64,
    in_entry: bool,
    /// Where the entry ended, once it has.
    ended_at: u64,
    /// Bytes that bodies in the entry were decoded to, and those that short records count for more.
    body_bytes: u64,
    /// How far an entry may expand; `None`: as far as it does.
    expansion: Option<ExpansionLimit>,
    /// The stream of the damaged entry ended as it should: the next entry is due at the position.
    ended_well: bool,
}

impl Decompressor {
    /// Opens a file at `start`, which must be the beginning of an entry; the bytes of `start..end`
    /// will be digested. The first bytes of the file say how it is compressed. The inner error is
    /// that of [`Decompressor::new`].
    pub fn open(
        file: &SourceFile,
        start: u64,
        end: u64,
    ) -> Result<Result<Self, Refusal>, InputError> {
        let input = RangeReader::open(file, start, end)?;
        let compression = Compression::at(&input, 0)?;
        Decompressor::new(input, compression)
    }

    /// Decodes `input` from its position, which must be the beginning of an entry. A zstd
    /// dictionary is read from the beginning of the file, wherever the position is.
    ///
    /// The inner error is `bad-dictionary`: there is a dictionary and it cannot be used, so nothing
    /// of the file can be decoded.
    pub fn new(
        input: RangeReader,
        compression: Compression,
    ) -> Result<Result<Self, Refusal>, InputError> {
        let codec = match compression {
            Compression::Plain => Codec::Plain,
            Compression::Gzip => Codec::Gzip(Box::default()),
            Compression::Zstd => match zstd::ZstdDecoder::new(&input) {
                Ok(decoder) => Codec::Zstd(Box::new(decoder)),
                Err(error) => return error.damage().map(Err),
            },
        };
        Ok(Ok(Decompressor::of(input, codec)))
    }

    /// Decodes a file of a zip file, which begins at the position and ends before `end`, as one
    /// entry. It is deflated, and may hold gzip. `crc32` is the checksum of the inflated bytes.
    pub fn deflated(input: RangeReader, end: u64, crc32: Option<u32>) -> Self {
        let decoder = deflated::DeflatedDecoder::new(end, crc32);
        Decompressor::of(input, Codec::Deflated(Box::new(decoder)))
    }

    fn of(input: RangeReader, codec: Codec) -> Self {
        let entry_offset = input.position();
        Decompressor {
            input,
            codec,
            entry_offset,
            inner_offset: 0,
            in_entry: false,
            ended_at: entry_offset,
            body_bytes: 0,
            expansion: None,
            ended_well: false,
        }
    }

    /// This decoder, which gives up the rest of an entry as damage where the entry expands further.
    #[must_use]
    pub fn bounded(self, expansion: ExpansionLimit) -> Self {
        Decompressor {
            expansion: Some(expansion),
            ..self
        }
    }

    /// The rest of the allowance for entries behind this one, if there is one.
    pub fn expansion(&self) -> Option<ExpansionLimit> {
        let mut expansion = self.expansion?;
        expansion.end_entry(self.compressed_bytes(), self.made_bytes());
        Some(expansion)
    }

    /// The file behind.
    pub fn input(&self) -> &RangeReader {
        &self.input
    }

    /// The file behind, to be decoded in another way.
    pub fn into_input(self) -> RangeReader {
        self.input
    }

    /// Whether the file is not compressed.
    pub fn is_plain(&self) -> bool {
        matches!(self.codec, Codec::Plain)
    }

    /// The dictionary of a zstd file; empty if there is none.
    pub fn dictionary(&self) -> &[u8] {
        match &self.codec {
            Codec::Zstd(decoder) => decoder.dictionary(),
            _ => &[],
        }
    }

    /// Byte of the file where the entry of the bytes read last begins.
    pub fn entry_offset(&self) -> u64 {
        self.entry_offset
    }

    /// Decompressed bytes read of that entry.
    pub fn inner_offset(&self) -> u64 {
        self.inner_offset
    }

    /// The place of a record of so many bytes, which begins at a byte of the entry. A plain file is
    /// one entry that begins where reading began: there the record is an entry of its own.
    pub fn place(&self, inner_offset: u64, length: u64) -> Place {
        let (entry_offset, inner_offset) = match self.is_plain() {
            true => (self.entry_offset + inner_offset, 0),
            false => (self.entry_offset, inner_offset),
        };
        Place {
            entry_offset,
            inner_offset,
            length,
        }
    }

    /// Goes to an offset where an entry begins.
    pub fn seek(&mut self, offset: u64) -> Result<(), InputError> {
        if self.in_entry {
            self.end_entry();
        }
        self.input.seek(offset)
    }

    /// Starts the entry at the position; false at the end of the file.
    pub fn begin_entry(&mut self) -> Result<bool, DecodeError> {
        self.expansion = self.expansion();
        self.entry_offset = self.input.position();
        (self.inner_offset, self.body_bytes) = (0, 0);
        self.ended_at = self.entry_offset;
        self.in_entry = false;
        self.ended_well = false;
        if self.input.position() >= self.input.file_bytes() {
            return Ok(false);
        }
        match &mut self.codec {
            Codec::Plain => {}
            Codec::Gzip(decoder) => decoder.begin(&mut self.input)?,
            Codec::Zstd(decoder) => decoder.begin(&mut self.input)?,
            Codec::Deflated(decoder) => decoder.begin(),
        }
        self.in_entry = true;
        Ok(true)
    }

    /// Goes on with the next entry as if it were the rest of the one that has just ended, unless
    /// its content begins as `other`: a record may be written as several entries.
    pub fn continue_entry(&mut self, other: EntryStart) -> Result<bool, InputError> {
        let at = self.input.position();
        if self.in_entry || at >= self.input.file_bytes() || self.entry_begins_with(at, other)? {
            return Ok(false);
        }
        let begun = match &mut self.codec {
            Codec::Plain | Codec::Deflated(_) => return Ok(false),
            Codec::Gzip(decoder) => decoder.begin(&mut self.input),
            Codec::Zstd(decoder) => decoder.begin(&mut self.input),
        };
        match begun {
            Ok(()) => self.in_entry = true,
            Err(DecodeError::Damaged { .. }) => self.input.seek(at)?,
            Err(DecodeError::Input(error)) => return Err(error),
        }
        Ok(self.in_entry)
    }

    /// Bytes the decoder of the entry just begun may hold: its window.
    pub fn window_bytes(&self) -> u64 {
        match &self.codec {
            Codec::Zstd(decoder) => decoder.window_bytes(),
            _ => 32 << 10,
        }
    }

    /// Decodes all of the entry just begun into the beginning of `out`, if it is a gzip member that
    /// fits and is sound; else `None`, and the entry stands as it was. [`Decompressor::read_entry`]
    /// would give the same bytes.
    pub fn read_whole(&mut self, out: &mut [u8]) -> Result<Option<usize>, InputError> {
        let Codec::Gzip(decoder) = &mut self.codec else {
            return Ok(None);
        };
        // Without free bytes each byte is counted as it is made.
        if !self.in_entry
            || self
                .expansion
                .is_some_and(|expansion| expansion.is_used_up())
        {
            return Ok(None);
        }
        let made = decoder.read_whole(&mut self.input, out)?;
        if let Some(made) = made {
            self.inner_offset = made as u64;
            self.end_entry();
        }
        Ok(made)
    }

    /// Whether [`Decompressor::read_whole`] may give something.
    pub fn reads_whole(&self) -> bool {
        matches!(self.codec, Codec::Gzip(_))
    }

    /// Decodes into `out` (which must not be empty); 0 when the entry is complete and its checksum
    /// right.
    ///
    /// # Errors
    /// [`DecodeError::Damaged`]: what was delivered of the entry before may be wrong.
    pub fn read_entry(&mut self, out: &mut [u8]) -> Result<usize, DecodeError> {
        if !self.in_entry {
            return Ok(0);
        }
        let input = &mut self.input;
        let result = match &mut self.codec {
            Codec::Plain => input.read(out).map_err(DecodeError::from),
            Codec::Gzip(decoder) => decoder.read(input, out),
            Codec::Zstd(decoder) => decoder.read(input, out),
            Codec::Deflated(decoder) => decoder.read(input, out),
        };
        match &result {
            Ok(0) => self.end_entry(),
            Ok(read) => {
                self.inner_offset += *read as u64;
                if let Some(error) = self.too_expanded() {
                    self.end_entry();
                    return Err(error);
                }
            }
            Err(_) => {
                self.ended_well =
                    matches!(&self.codec, Codec::Gzip(decoder) if decoder.ended_well());
                self.end_entry();
            }
        }
        result
    }

    /// Leaves the entry.
    fn end_entry(&mut self) {
        self.in_entry = false;
        self.ended_at = self.input.position();
    }

    /// Compressed bytes of the entry so far.
    fn compressed_bytes(&self) -> u64 {
        let end = match self.in_entry {
            true => self.input.position(),
            false => self.ended_at,
        };
        end.saturating_sub(self.entry_offset)
    }

    /// Bytes made of them, those of bodies among them.
    fn made_bytes(&self) -> u64 {
        self.inner_offset.saturating_add(self.body_bytes)
    }

    /// The error of an entry that expands too far, if this one does.
    fn too_expanded(&self) -> Option<DecodeError> {
        let refusal = self
            .expansion?
            .refusal(self.compressed_bytes(), self.made_bytes());
        refusal.map(|detail| error::damaged(EXPANDS_TOO_FAR, detail))
    }

    /// Compressed bytes that count for a body in the record of the entry, and bytes made of them
    /// so far. In a plain file each record counts alone.
    fn spent_on_body(&self, record_bytes: u64) -> (u64, u64) {
        match self.is_plain() {
            true => (record_bytes, 0),
            false => (self.compressed_bytes(), self.made_bytes()),
        }
    }

    /// Bytes that a body may be decoded to, of a record of so many bytes in the entry.
    pub fn body_room(&self, record_bytes: u64) -> u64 {
        let (compressed, made) = self.spent_on_body(record_bytes);
        let room = |expansion: ExpansionLimit| expansion.room(compressed, made);
        self.expansion.map_or(u64::MAX, room)
    }

    /// Why a body of the record that would have more bytes than its room is given up.
    pub fn body_refusal(&self, record_bytes: u64) -> Refusal {
        let (compressed, made) = self.spent_on_body(record_bytes);
        let more = (made.saturating_add(self.body_room(record_bytes))).saturating_add(1);
        let refusal = self
            .expansion
            .and_then(|expansion| expansion.refusal(compressed, more));
        (EXPANDS_TOO_FAR, refusal.unwrap_or_default())
    }

    /// Counts the bytes that a body of the record was decoded to.
    pub fn count_body(&mut self, record_bytes: u64, bytes: u64) {
        match &mut self.expansion {
            Some(expansion) if matches!(self.codec, Codec::Plain) => {
                expansion.end_entry(record_bytes, bytes);
            }
            _ => self.body_bytes = self.body_bytes.saturating_add(bytes),
        }
    }

    /// Counts a record of so many bytes of the entry as [`RECORD_BYTES`] at least.
    pub fn count_record(&mut self, bytes: u64) {
        if !self.is_plain() {
            self.count_body(0, RECORD_BYTES.saturating_sub(bytes));
        }
    }

    /// Decodes into `out` over all entries; never across the border of two in one call; 0 at the
    /// end of the file.
    pub fn read(&mut self, out: &mut [u8]) -> Result<usize, DecodeError> {
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
    pub fn skip_plain(&mut self, bytes: u64) -> Result<(), InputError> {
        if matches!(self.codec, Codec::Plain) {
            self.inner_offset += bytes;
            self.input.seek(self.input.position() + bytes)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
