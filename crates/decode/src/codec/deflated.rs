//! A file that is compressed within a zip file: one entry, whose content may be gzip once more.
//!
//! *Input.* A raw deflate stream (RFC 1951). *Output.* Its content; if that begins like gzip, the
//! content of all its members. *Algorithm.* Both decoders are streams, one behind the other. The
//! checksum of the zip file is compared when all bytes are out. *Memory.* Two windows of 32 KiB and
//! two blocks of 64 KiB. *Limits.* Behind damage nothing more of the entry is decoded.

use std::io::Write;

use flate2::write::MultiGzDecoder;
use flate2::{Decompress, FlushDecompress, Status};

use super::error::{DecodeError, damaged};
use super::libdeflate::crc32;
use crate::range::RangeReader;

/// Reason of all damage.
const REASON: &str = "bad-zip-member";
/// Bytes inflated at a time.
const INFLATED_BYTES: usize = 64 << 10;

/// Decodes one file of a zip file.
pub(crate) struct DeflatedDecoder {
    /// One past its last byte.
    end: u64,
    /// The CRC-32 of its inflated bytes, if it is known.
    crc32: Option<u32>,
    crc: u32,
    inflate: Decompress,
    inflated: Vec<u8>,
    /// The inflated bytes that are not handed on yet.
    pending: std::ops::Range<usize>,
    /// Whether the content is gzip, as soon as its first byte is known.
    gunzip: Option<DeflatedContent>,
    has_ended: bool,
}

/// The content of the deflate stream.
enum DeflatedContent {
    Plain,
    /// The decoder, and how many of its bytes are handed on.
    Gzip(Box<MultiGzDecoder<Vec<u8>>>, usize),
}

impl DeflatedDecoder {
    /// Decodes the stream that ends before `end`.
    pub(super) fn new(end: u64, crc32: Option<u32>) -> Self {
        DeflatedDecoder {
            end,
            crc32,
            crc: 0,
            inflate: Decompress::new(false),
            inflated: Vec::new(),
            pending: 0..0,
            gunzip: None,
            has_ended: false,
        }
    }

    /// Starts anew, at the position.
    pub(super) fn begin(&mut self) {
        *self = DeflatedDecoder::new(self.end, self.crc32);
    }

    /// Decodes into `out`; 0 at the end of the stream.
    pub(super) fn read(
        &mut self,
        input: &mut RangeReader,
        out: &mut [u8],
    ) -> Result<usize, DecodeError> {
        loop {
            if let Some(DeflatedContent::Gzip(decoder, given)) = &mut self.gunzip {
                let content = decoder.get_mut();
                if *given < content.len() {
                    return Ok(hand_on(content, given, out));
                }
                content.clear();
                *given = 0;
            }
            if self.pending.is_empty() && !self.has_ended {
                self.inflate_more(input)?;
                continue;
            }
            let pending = &self.inflated[self.pending.clone()];
            match &mut self.gunzip {
                Some(DeflatedContent::Gzip(decoder, _)) => {
                    if pending.is_empty() {
                        decoder.try_finish().map_err(|error| bad_gzip(&error))?;
                        if decoder.get_ref().is_empty() {
                            return self.checked();
                        }
                        continue;
                    }
                    let used = decoder.write(pending).map_err(|error| bad_gzip(&error))?;
                    if used == 0 {
                        return Err(damaged(REASON, "the gzip decoder makes no progress"));
                    }
                    self.pending.start += used;
                }
                _ if pending.is_empty() => return self.checked(),
                _ => {
                    return Ok(hand_on(
                        &self.inflated[..self.pending.end],
                        &mut self.pending.start,
                        out,
                    ));
                }
            }
        }
    }

    /// Inflates a block.
    fn inflate_more(&mut self, input: &mut RangeReader) -> Result<(), DecodeError> {
        let left = self.end.saturating_sub(input.position());
        let compressed = input.fill()?;
        let compressed = &compressed[..compressed.len().min(left as usize)];
        self.inflated.resize(INFLATED_BYTES, 0);
        let before = (self.inflate.total_in(), self.inflate.total_out());
        let status = self
            .inflate
            .decompress(compressed, &mut self.inflated, FlushDecompress::None)
            .map_err(|error| damaged(REASON, format!("its deflate stream is damaged: {error}")))?;
        let used = (self.inflate.total_in() - before.0) as usize;
        let made = (self.inflate.total_out() - before.1) as usize;
        self.has_ended = status == Status::StreamEnd;
        if !self.has_ended && used == 0 && made == 0 {
            return Err(damaged(REASON, "its deflate stream does not end"));
        }
        input.consume(used);
        self.crc = crc32(self.crc, &self.inflated[..made]);
        self.pending = 0..made;
        if self.gunzip.is_none() && made > 0 {
            self.gunzip = Some(match self.inflated[0] {
                0x1f => DeflatedContent::Gzip(Box::new(MultiGzDecoder::new(Vec::new())), 0),
                _ => DeflatedContent::Plain,
            });
        }
        Ok(())
    }

    /// The end of the entry, if its checksum is right.
    fn checked(&self) -> Result<usize, DecodeError> {
        match self.crc32 {
            Some(crc32) if crc32 != self.crc => Err(damaged(REASON, "its checksum is wrong")),
            _ => Ok(0),
        }
    }
}

fn bad_gzip(error: &std::io::Error) -> DecodeError {
    damaged(REASON, format!("the gzip in it is damaged: {error}"))
}

/// Copies bytes from `given` on, as many as `out` takes.
fn hand_on(bytes: &[u8], given: &mut usize, out: &mut [u8]) -> usize {
    let taken = out.len().min(bytes.len() - *given);
    out[..taken].copy_from_slice(&bytes[*given..*given + taken]);
    *given += taken;
    taken
}
