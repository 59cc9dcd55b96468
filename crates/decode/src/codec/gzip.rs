//! Gzip members (RFC 1952), one at a time.
//!
//! *Algorithm.* The header is parsed here. A member that lies whole in memory and whose content
//! fits the caller's room is inflated at once ([`super::libdeflate`]). Any other, and any that is
//! damaged, goes as a stream through one decoder that is reset between members; the CRC-32 and
//! length of the trailer are compared when all bytes are out. So what is wrong with a member is
//! found by one decoder only. *Memory.* The 32 KiB window. *Limits.* A header over 128 KiB is no
//! header.

use flate2::{Decompress, FlushDecompress, Status};

use super::entry_start::EntryStart;
use super::error::{DecodeError, damaged};
use super::libdeflate::{Inflated, Inflater, crc32};
use crate::error::InputError;
use crate::range::RangeReader;

/// The first bytes of every member. The third byte is the only compression method.
pub(crate) const MAGIC: &[u8] = &[0x1f, 0x8b, 0x08];

const MAX_HEADER_BYTES: usize = 128 << 10;

/// CRC-32 and length behind the stream.
const TRAILER_BYTES: usize = 8;

/// Compressed bytes that are looked at to see how the content of a member begins.
const LOOK_AHEAD_BYTES: usize = 4 << 10;

/// The result of [`parse_header`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum GzipHeader {
    /// A header of so many bytes.
    Complete(usize),
    /// It goes on behind these bytes.
    Incomplete,
    /// Not a gzip header.
    Invalid,
}

/// The header of a member (RFC 1952, 2.3) at the beginning of `bytes`.
pub(crate) fn parse_header(bytes: &[u8]) -> GzipHeader {
    let known = bytes.len().min(MAGIC.len());
    if bytes[..known] != MAGIC[..known] {
        return GzipHeader::Invalid;
    }
    if bytes.len() < 10 {
        return GzipHeader::Incomplete;
    }
    let flags = bytes[3];
    if flags & 0xe0 != 0 {
        return GzipHeader::Invalid;
    }
    let mut length = 10;
    if flags & 0x04 != 0 {
        let Some(&[low, high]) = bytes
            .get(length..length + 2)
            .and_then(|two| two.first_chunk())
        else {
            return GzipHeader::Incomplete;
        };
        length += 2 + usize::from(u16::from_le_bytes([low, high]));
    }
    for text in [0x08, 0x10] {
        if flags & text != 0 {
            let Some(end) = bytes.get(length..).and_then(|rest| memchr::memchr(0, rest)) else {
                return if bytes.len() > MAX_HEADER_BYTES {
                    GzipHeader::Invalid
                } else {
                    GzipHeader::Incomplete
                };
            };
            length += end + 1;
        }
    }
    if flags & 0x02 != 0 {
        length += 2;
    }
    match length {
        _ if length > MAX_HEADER_BYTES => GzipHeader::Invalid,
        _ if length > bytes.len() => GzipHeader::Incomplete,
        _ => GzipHeader::Complete(length),
    }
}

/// Whether a member begins at `offset`, by its header alone.
pub(crate) fn begins_here(input: &RangeReader, offset: u64) -> Result<bool, InputError> {
    let mut first = [0; 10];
    let got = input.peek_at(offset, &mut first)?;
    Ok(got == first.len() && parse_header(&first) != GzipHeader::Invalid)
}

/// The trailer of a member with this content.
fn trailer_of(content: &[u8]) -> [u8; TRAILER_BYTES] {
    let (crc, length) = (u64::from(crc32(0, content)), content.len() as u64);
    (length << 32 | crc).to_le_bytes()
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum GzipState {
    /// Behind the header; no byte of the stream is decoded.
    Begun,
    Stream,
    Failed,
    Trailer,
}

/// Decodes the members of one file.
pub(crate) struct GzipDecoder {
    inflate: Decompress,
    crc: u32,
    bytes: u64,
    state: GzipState,
    /// For attempts at candidates; made when first needed.
    attempt: Option<Decompress>,
    /// For members that lie whole in memory.
    whole: Option<Inflater>,
}

impl Default for GzipDecoder {
    fn default() -> Self {
        GzipDecoder {
            inflate: Decompress::new(false),
            crc: 0,
            bytes: 0,
            state: GzipState::Failed,
            attempt: None,
            whole: Inflater::new(),
        }
    }
}

impl GzipDecoder {
    /// Reads the header at the position.
    pub(super) fn begin(&mut self, input: &mut RangeReader) -> Result<(), DecodeError> {
        let mut header = parse_header(input.fill()?);
        if header == GzipHeader::Incomplete {
            let mut more = vec![0; MAX_HEADER_BYTES + 1];
            let got = input.peek_at(input.position(), &mut more)?;
            header = parse_header(&more[..got]);
        }
        self.state = GzipState::Failed;
        match header {
            GzipHeader::Complete(length) => input.seek(input.position() + length as u64)?,
            GzipHeader::Incomplete => return Err(self.truncated(input)?),
            GzipHeader::Invalid => return Err(damaged("damaged", "no gzip member begins here")),
        }
        self.state = GzipState::Begun;
        Ok(())
    }

    /// Decodes the whole content of the member just begun into the beginning of `out`, if it fits
    /// and nothing is wrong with it; else nothing has happened.
    pub(super) fn read_whole(
        &mut self,
        input: &mut RangeReader,
        out: &mut [u8],
    ) -> Result<Option<usize>, InputError> {
        let Some(inflater) = self
            .whole
            .as_mut()
            .filter(|_| self.state == GzipState::Begun)
        else {
            return Ok(None);
        };
        loop {
            let bytes = input.at_hand()?;
            match inflater.inflate(bytes, out) {
                Inflated::Whole(used, made) if bytes.len() - used >= TRAILER_BYTES => {
                    if bytes[used..used + TRAILER_BYTES] != trailer_of(&out[..made]) {
                        return Ok(None);
                    }
                    input.consume(used + TRAILER_BYTES);
                    return Ok(Some(made));
                }
                Inflated::TooLong => return Ok(None),
                Inflated::Failed | Inflated::Whole(..) if !input.extend()? => return Ok(None),
                Inflated::Failed | Inflated::Whole(..) => {}
            }
        }
    }

    /// The stream came to its end; what failed, if anything, is the checksum.
    pub(crate) fn ended_well(&self) -> bool {
        self.state == GzipState::Trailer
    }

    /// Decodes into `out`; 0 at the end of the member.
    pub(super) fn read(
        &mut self,
        input: &mut RangeReader,
        out: &mut [u8],
    ) -> Result<usize, DecodeError> {
        if self.state == GzipState::Begun {
            self.inflate.reset(false);
            self.crc = 0;
            self.bytes = 0;
            self.state = GzipState::Stream;
        }
        while self.state == GzipState::Stream {
            let compressed = input.fill()?;
            let at_end = compressed.is_empty();
            let (in_before, out_before) = (self.inflate.total_in(), self.inflate.total_out());
            let status = self
                .inflate
                .decompress(compressed, out, FlushDecompress::None);
            let used = (self.inflate.total_in() - in_before) as usize;
            let made = (self.inflate.total_out() - out_before) as usize;
            input.consume(used);
            self.crc = crc32(self.crc, &out[..made]);
            self.bytes += made as u64;
            match status {
                Ok(Status::StreamEnd) => self.state = GzipState::Trailer,
                Ok(_) if made == 0 && at_end => return Err(self.truncated(input)?),
                Ok(_) if made == 0 && used == 0 => self.state = GzipState::Failed,
                Ok(_) => {}
                Err(_) => self.state = GzipState::Failed,
            }
            if made > 0 {
                return Ok(made);
            }
        }
        match self.state {
            GzipState::Trailer => self.check_trailer(input),
            _ => Err(damaged(
                "bad-gzip",
                format!("invalid deflate data before byte {}", input.position()),
            )),
        }
    }

    fn check_trailer(&mut self, input: &mut RangeReader) -> Result<usize, DecodeError> {
        let mut trailer = [0; TRAILER_BYTES];
        if input.peek_at(input.position(), &mut trailer)? < trailer.len() {
            self.state = GzipState::Failed;
            return Err(self.truncated(input)?);
        }
        input.seek(input.position() + trailer.len() as u64)?;
        let [a, b, c, d, e, f, g, h] = trailer;
        let (crc, length) = (
            u32::from_le_bytes([a, b, c, d]),
            u32::from_le_bytes([e, f, g, h]),
        );
        if crc != self.crc {
            return Err(damaged(
                "bad-gzip",
                format!("the CRC-32 is {:08x}, expected {crc:08x}", self.crc),
            ));
        }
        if length != self.bytes as u32 {
            return Err(damaged(
                "bad-gzip",
                format!(
                    "the member has {} bytes, expected {length}",
                    self.bytes as u32
                ),
            ));
        }
        Ok(0)
    }

    fn truncated(&mut self, input: &mut RangeReader) -> Result<DecodeError, InputError> {
        input.seek(input.file_bytes())?;
        self.state = GzipState::Failed;
        Ok(damaged("truncated", "the file ends inside a gzip member"))
    }

    /// Whether a member begins at `offset` whose content begins as `wanted`.
    pub(crate) fn begins_with(
        &mut self,
        input: &RangeReader,
        offset: u64,
        wanted: EntryStart,
    ) -> Result<bool, InputError> {
        let mut bytes = vec![0; LOOK_AHEAD_BYTES];
        let mut got = input.peek_at(offset, &mut bytes)?;
        let mut header = parse_header(&bytes[..got]);
        if header == GzipHeader::Incomplete && got == LOOK_AHEAD_BYTES {
            bytes.resize(MAX_HEADER_BYTES + LOOK_AHEAD_BYTES, 0);
            got = input.peek_at(offset, &mut bytes)?;
            header = parse_header(&bytes[..got]);
        }
        let GzipHeader::Complete(length) = header else {
            return Ok(false);
        };
        let inflate = self.attempt.get_or_insert_with(|| Decompress::new(false));
        inflate.reset(false);
        let mut start = [0; EntryStart::MOST_BYTES];
        let status = inflate.decompress(&bytes[length..got], &mut start, FlushDecompress::None);
        let made = inflate.total_out() as usize;
        let complete = matches!(status, Ok(Status::StreamEnd));
        let enough = status.is_ok() && made >= wanted.bytes.max(1) || complete && wanted.bytes == 0;
        Ok(enough && (wanted.is_start)(&start[..made]))
    }
}
