//! `Content-Encoding` undone: gzip, deflate (zlib or raw), brotli, zstd, and several of them.
//!
//! *Input.* A body and the codings in the order they were applied. *Output.* The decoded body.
//! *Algorithm.* From the last coding to the first, each in steps of 64 KiB into a buffer that grows
//! up to the cap; gzip of up to 1 MiB at once, if it is sound. A body that is not so coded in spite
//! of its header is taken as it is: gzip and zstd by their magic; deflate and brotli, which have
//! none, if decoding fails and the bytes are text as they stand. Of a body that is cut, what can be
//! decoded is given: of zstd whole blocks, of up to 128 KiB. *Memory.* The output, up to the cap,
//! and between two codings the output of the one before. *Limits.* Windows as HTTP allows them:
//! brotli 16 MiB, zstd 8 MiB (RFC 9659).

use brotli_decompressor::{BrotliDecompressStream, BrotliResult, BrotliState, StandardAlloc};
use flate2::{Decompress, FlushDecompress, Status};

use super::sniff::looks_like_text;
use crate::codec::{GzipHeader, Inflated, Inflater, crc32, parse_header, zstd_decoder, zstd_step};
use crate::options::LARGE_RECORD_BYTES;

/// The body is not coded as its header says; it was taken as it is.
pub(crate) const LIED: &str = "content-encoding-lied";
/// The body ends before its coding does; it is what could be decoded.
pub(crate) const TRUNCATED: &str = "content-encoding-truncated";
/// The header names no coding that is known; the body was taken as it is.
pub(crate) const UNKNOWN: &str = "content-encoding-unknown";

/// More codings than this are a bomb, not a page.
const MAX_CODINGS: usize = 8;
const STEP_BYTES: usize = 64 << 10;
const MAX_ZSTD_WINDOW_LOG: u32 = 23;

/// Why a body cannot be had.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CodingRefusal {
    /// It decodes to more than the cap.
    TooLarge,
    /// It decodes to more than there is room for.
    TooFar,
    /// It is damaged or truncated.
    Bad(String),
}

/// A body without a coding.
enum Undone {
    /// It was not so coded.
    Plain,
    Whole(Vec<u8>),
    /// Its end is missing.
    Cut(Vec<u8>),
}

/// Told before a buffer grows to so many bytes.
pub(crate) type Growing<'a> = dyn FnMut(usize) + 'a;

/// Undoes all codings; `None` if the body stands as it is. Flags say what was not as declared.
pub fn undo(
    codings: &[String],
    body: &[u8],
    output: &mut Output<'_>,
    flags: &mut Vec<&'static str>,
) -> Result<Option<Vec<u8>>, CodingRefusal> {
    if codings.len() > MAX_CODINGS {
        return Err(CodingRefusal::Bad(format!(
            "the body has {} content codings",
            codings.len()
        )));
    }
    let mut decoded: Option<Vec<u8>> = None;
    for coding in codings.iter().rev() {
        let input = decoded.as_deref().unwrap_or(body);
        let next = match coding.as_str() {
            "gzip" | "x-gzip" => gzip(input, output)?,
            "deflate" => deflate(input, output)?,
            "br" => brotli(input, output)?,
            "zstd" => zstd(input, output)?,
            _ => {
                flags.push(UNKNOWN);
                continue;
            }
        };
        match next {
            Undone::Whole(bytes) => decoded = Some(bytes),
            Undone::Cut(bytes) => {
                decoded = Some(bytes);
                if !flags.contains(&TRUNCATED) {
                    flags.push(TRUNCATED);
                }
            }
            Undone::Plain => flags.push(LIED),
        }
    }
    Ok(decoded)
}

/// Where decoded bytes go: a buffer that never grows over the cap.
pub struct Output<'a> {
    /// Bytes that a body may have.
    pub cap: usize,
    /// Bytes that its codings together may still make.
    pub room: u64,
    /// Told before growing.
    pub growing: &'a mut Growing<'a>,
}

impl Output<'_> {
    /// Takes the room for so many bytes.
    fn count(&mut self, bytes: usize) -> Result<(), CodingRefusal> {
        let left = self.room.checked_sub(bytes as u64);
        self.room = left.unwrap_or(0);
        left.map(drop).ok_or(CodingRefusal::TooFar)
    }

    fn append(&mut self, to: &mut Vec<u8>, bytes: &[u8]) -> Result<(), CodingRefusal> {
        let needed = to.len() + bytes.len();
        self.count(bytes.len())?;
        if needed > self.cap {
            return Err(CodingRefusal::TooLarge);
        }
        if needed > to.capacity() {
            let capacity = needed.max(2 * to.capacity()).min(self.cap);
            (self.growing)(capacity);
            to.reserve_exact(capacity - to.len());
        }
        to.extend_from_slice(bytes);
        Ok(())
    }
}

fn bad(what: &str) -> CodingRefusal {
    CodingRefusal::Bad(what.to_owned())
}

/// The bytes that were decoded before a body ended too early, or its refusal if there are none.
fn cut(decoded: Vec<u8>, what: &str) -> Result<Undone, CodingRefusal> {
    match decoded.is_empty() {
        true => Err(bad(what)),
        false => Ok(Undone::Cut(decoded)),
    }
}

fn gzip(input: &[u8], output: &mut Output<'_>) -> Result<Undone, CodingRefusal> {
    let GzipHeader::Complete(mut at) = parse_header(input) else {
        return if input.starts_with(&[0x1f, 0x8b, 0x08]) {
            Err(bad("the gzip header is truncated"))
        } else {
            Ok(Undone::Plain)
        };
    };
    let (mut decoded, mut whole) = match inflate_whole(&input[at..], output.cap) {
        Some((decoded, used)) => {
            output.count(decoded.len())?;
            (decoded, Some(used))
        }
        None => (Vec::new(), None),
    };
    loop {
        if let Some(used) = whole.take() {
            at += used;
        } else {
            let start = decoded.len();
            let used = match inflate(&input[at..], Wrapper::Raw, &mut decoded, output)? {
                DeflateEnd::Ended(used) => used,
                DeflateEnd::Cut => return cut(decoded, "the gzip data is truncated"),
                DeflateEnd::Damaged => return Err(bad("the gzip data is damaged")),
            };
            let crc = crc32(0, &decoded[start..]);
            match input[at + used..] {
                [a, b, c, d, _, _, _, _, ..] if u32::from_le_bytes([a, b, c, d]) == crc => {
                    at += used + 8;
                }
                [_, _, _, _, _, _, _, _, ..] => {
                    return Err(bad("the gzip checksum does not match"));
                }
                _ => return cut(decoded, "the gzip data is truncated"),
            }
        }
        match parse_header(&input[at..]) {
            GzipHeader::Complete(header) => at += header,
            // Servers pad: what follows the last member counts for nothing.
            _ => return Ok(Undone::Whole(decoded)),
        }
    }
}

fn deflate(input: &[u8], output: &mut Output<'_>) -> Result<Undone, CodingRefusal> {
    let zlib = matches!(input, [a, b, ..] if a & 0x0f == 8 && (u16::from(*a) << 8 | u16::from(*b)) % 31 == 0);
    let wrappers: &[Wrapper] = if zlib {
        &[Wrapper::Zlib, Wrapper::Raw]
    } else {
        &[Wrapper::Raw]
    };
    for &wrapper in wrappers {
        let mut decoded = Vec::new();
        let stream = inflate(input, wrapper, &mut decoded, output)?;
        if matches!(stream, DeflateEnd::Ended(_)) {
            return Ok(Undone::Whole(decoded));
        }
        if !decoded.is_empty() && !looks_like_text(input) {
            return match stream {
                DeflateEnd::Cut => Ok(Undone::Cut(decoded)),
                _ => Err(bad("the deflate data is damaged")),
            };
        }
    }
    if looks_like_text(input) {
        Ok(Undone::Plain)
    } else {
        Err(bad("the deflate data is damaged at its beginning"))
    }
}

/// A stream and its trailer at once, and the bytes used; `None` if it is large, or anything is
/// wrong with it.
fn inflate_whole(input: &[u8], cap: usize) -> Option<(Vec<u8>, usize)> {
    // Pages that stay unwritten cost nothing.
    let room = input
        .len()
        .saturating_mul(16)
        .max(STEP_BYTES)
        .min(cap)
        .min(LARGE_RECORD_BYTES);
    let mut decoded = vec![0; room];
    let Inflated::Whole(used, made) = Inflater::new()?.inflate(input, &mut decoded) else {
        return None;
    };
    decoded.truncate(made);
    match input[used..] {
        [a, b, c, d, _, _, _, _, ..] if u32::from_le_bytes([a, b, c, d]) == crc32(0, &decoded) => {
            Some((decoded, used + 8))
        }
        _ => None,
    }
}

#[derive(Clone, Copy)]
enum Wrapper {
    Zlib,
    Raw,
}

/// How a deflated stream came to its end.
enum DeflateEnd {
    /// Behind so many bytes.
    Ended(usize),
    /// With the bytes.
    Cut,
    Damaged,
}

fn inflate(
    input: &[u8],
    wrapper: Wrapper,
    decoded: &mut Vec<u8>,
    output: &mut Output<'_>,
) -> Result<DeflateEnd, CodingRefusal> {
    let mut decoder = Decompress::new(matches!(wrapper, Wrapper::Zlib));
    let mut step = vec![0; STEP_BYTES];
    loop {
        let used = decoder.total_in() as usize;
        let before = decoder.total_out();
        let status = decoder.decompress(&input[used..], &mut step, FlushDecompress::None);
        let made = (decoder.total_out() - before) as usize;
        output.append(decoded, &step[..made])?;
        let now_used = decoder.total_in() as usize;
        match status {
            Ok(Status::StreamEnd) => return Ok(DeflateEnd::Ended(now_used)),
            Ok(_) if made > 0 || now_used > used => {}
            Ok(_) if now_used == input.len() => return Ok(DeflateEnd::Cut),
            _ => return Ok(DeflateEnd::Damaged),
        }
    }
}

fn brotli(input: &[u8], output: &mut Output<'_>) -> Result<Undone, CodingRefusal> {
    let allocator = StandardAlloc::default;
    // Strict: no windows beyond those of RFC 7932.
    let mut state = BrotliState::new_strict(allocator(), allocator(), allocator());
    let mut step = vec![0; STEP_BYTES];
    let mut decoded = Vec::new();
    let (mut left, mut used, mut total) = (input.len(), 0, 0);
    loop {
        let (mut room, mut made) = (step.len(), 0);
        let result = BrotliDecompressStream(
            &mut left, &mut used, input, &mut room, &mut made, &mut step, &mut total, &mut state,
        );
        output.append(&mut decoded, &step[..made])?;
        match result {
            BrotliResult::NeedsMoreOutput => {}
            // The text ";" is a stream of nothing.
            BrotliResult::ResultSuccess if left == 0 && !decoded.is_empty() => {
                return Ok(Undone::Whole(decoded));
            }
            _ if looks_like_text(input) => return Ok(Undone::Plain),
            BrotliResult::ResultSuccess => return Ok(Undone::Whole(decoded)),
            BrotliResult::NeedsMoreInput => return cut(decoded, "the brotli data is truncated"),
            BrotliResult::ResultFailure => return Err(bad("the brotli data is damaged")),
        }
    }
}

fn zstd(input: &[u8], output: &mut Output<'_>) -> Result<Undone, CodingRefusal> {
    if !input.starts_with(&[0x28, 0xb5, 0x2f, 0xfd]) {
        return Ok(Undone::Plain);
    }
    let mut decoder =
        zstd_decoder(&[], MAX_ZSTD_WINDOW_LOG).map_err(|error| bad(&error.to_string()))?;
    let mut block = vec![0; STEP_BYTES];
    let (mut decoded, mut used) = (Vec::new(), 0);
    loop {
        let step = zstd_step(&mut decoder, &input[used..], &mut block);
        let has_ended = step.ended.map_err(CodingRefusal::Bad)?;
        used += step.used;
        output.append(&mut decoded, &block[..step.made])?;
        if has_ended && !input[used..].starts_with(&[0x28, 0xb5, 0x2f, 0xfd]) {
            return Ok(Undone::Whole(decoded));
        }
        if step.made == 0 && step.used == 0 {
            return cut(decoded, "the zstd data is truncated");
        }
    }
}
