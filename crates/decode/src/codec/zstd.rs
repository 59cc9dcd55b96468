//! Zstandard frames (RFC 8878), one at a time.
//!
//! *Algorithm.* Frames go through one decoder, its window limited to 2^25 bytes (32 MiB: what the
//! memory promise allows). Skippable frames are entries without content. A dictionary, as
//! `.warc.zst` has it, is the content of a skippable frame of magic `5D 2A 4D 18` at the beginning
//! of the file, itself plain or a zstd frame; it is used for every frame. *Memory.* The frame's
//! window, which the library reserves as the frame declares it and touches as data comes. *Limits.*
//! Dictionaries up to 8 MiB.

use zstd::stream::raw::{DParameter, Decoder, InBuffer, Operation, OutBuffer};

use super::entry_start::EntryStart;
use super::error::{DecodeError, damaged};
use crate::error::InputError;
use crate::range::RangeReader;

/// The first bytes of every frame with content.
pub(crate) const MAGIC: &[u8] = &[0x28, 0xb5, 0x2f, 0xfd];

const DICTIONARY_MAGIC: [u8; 4] = [0x5d, 0x2a, 0x4d, 0x18];
const MAX_DICTIONARY_BYTES: usize = 8 << 20;
const MAX_WINDOW_LOG: u32 = 25;
const MAX_WINDOW_BYTES: u64 = 1 << MAX_WINDOW_LOG;

/// Compressed bytes that are looked at to see how the content of a frame begins: a block, which is
/// decoded whole.
const LOOK_AHEAD_BYTES: usize = (128 << 10) + 64;

enum ZstdState {
    /// No frame has begun.
    Between,
    /// In a frame.
    Frame,
    /// In a skippable frame of so many bytes from the position on.
    Skip(u64),
    /// The frame has ended.
    Done,
    /// The frame cannot be decoded any further.
    Failed(String),
}

/// Decodes the frames of one file.
pub(crate) struct ZstdDecoder {
    decoder: Decoder<'static>,
    dictionary: Vec<u8>,
    state: ZstdState,
    /// The window that the frame declares.
    window_bytes: u64,
    /// For attempts at candidates; made when first needed.
    attempt: Option<Decoder<'static>>,
}

/// A decoder with the dictionary loaded and the window limited.
pub(crate) fn decoder(dictionary: &[u8], max_window_log: u32) -> std::io::Result<Decoder<'static>> {
    let mut decoder = Decoder::with_dictionary(dictionary)?;
    decoder.set_parameter(DParameter::WindowLogMax(max_window_log))?;
    Ok(decoder)
}

/// One step of a decoder.
pub(crate) struct Step {
    /// Bytes taken from the input.
    pub used: usize,
    /// Bytes written.
    pub made: usize,
    /// Whether the frame is complete and written out, or why it cannot be decoded.
    pub ended: Result<bool, String>,
}

/// Runs a decoder once; what it wrote before it failed counts.
pub(crate) fn step(decoder: &mut Decoder<'static>, input: &[u8], out: &mut [u8]) -> Step {
    let mut from = InBuffer::around(input);
    let mut to = OutBuffer::around(out);
    let ended = decoder
        .run(&mut from, &mut to)
        .map(|left| left == 0)
        .map_err(|error| error.to_string());
    Step {
        used: from.pos(),
        made: to.pos(),
        ended,
    }
}

/// Window that the frame header at the beginning of `bytes` asks for (RFC 8878, 3.1.1.1); 0 if
/// there is no header.
fn window_of(bytes: &[u8]) -> u64 {
    let Some((&descriptor, rest)) = bytes.get(4..).and_then(<[u8]>::split_first) else {
        return 0;
    };
    if descriptor & 0x20 == 0 {
        let Some(&window) = rest.first() else {
            return 0;
        };
        let base = 1u64 << (10 + (window >> 3));
        return base + base / 8 * u64::from(window & 7);
    }
    let dictionary_id_bytes = [0, 1, 2, 4][usize::from(descriptor & 3)];
    let size_bytes = [1, 2, 4, 8][usize::from(descriptor >> 6)];
    let Some(size) = rest.get(dictionary_id_bytes..dictionary_id_bytes + size_bytes) else {
        return 0;
    };
    let size = size
        .iter()
        .rev()
        .fold(0, |sum, &byte| sum << 8 | u64::from(byte));
    if size_bytes == 2 { size + 256 } else { size }
}

impl ZstdDecoder {
    /// Reads the dictionary, if there is one.
    pub(super) fn new(input: &RangeReader) -> Result<Self, DecodeError> {
        let dictionary = read_dictionary(input)?;
        let decoder = decoder(&dictionary, MAX_WINDOW_LOG).map_err(|error| {
            damaged(
                "bad-dictionary",
                format!("the dictionary cannot be loaded: {error}"),
            )
        })?;
        Ok(ZstdDecoder {
            decoder,
            dictionary,
            state: ZstdState::Between,
            window_bytes: 0,
            attempt: None,
        })
    }

    /// Reads the magic of the frame at the position.
    pub(super) fn begin(&mut self, input: &mut RangeReader) -> Result<(), DecodeError> {
        let mut first = [0; 18];
        let got = input.peek_at(input.position(), &mut first)?;
        self.window_bytes = 0;
        match first {
            [kind, 0x2a, 0x4d, 0x18, a, b, c, d, ..] if kind & 0xf0 == 0x50 && got >= 8 => {
                self.state = ZstdState::Skip(u64::from(u32::from_le_bytes([a, b, c, d])) + 8);
            }
            _ if first.starts_with(MAGIC) => {
                self.decoder
                    .reinit()
                    .map_err(|error| damaged("bad-zstd", error.to_string()))?;
                self.window_bytes = window_of(&first[..got]);
                self.state = ZstdState::Frame;
            }
            _ => return Err(damaged("damaged", "no zstd frame begins here")),
        }
        Ok(())
    }

    /// The dictionary of all frames.
    pub(super) fn dictionary(&self) -> &[u8] {
        &self.dictionary
    }

    /// The window that the frame just begun declares, up to the limit.
    pub(super) fn window_bytes(&self) -> u64 {
        self.window_bytes.min(MAX_WINDOW_BYTES)
    }

    /// Decodes into `out`; 0 at the end of the frame.
    pub(super) fn read(
        &mut self,
        input: &mut RangeReader,
        out: &mut [u8],
    ) -> Result<usize, DecodeError> {
        loop {
            match &self.state {
                ZstdState::Skip(bytes) => {
                    let end = input.position() + bytes;
                    input.seek(end)?;
                    if end > input.file_bytes() {
                        return Err(damaged(
                            "truncated",
                            "the file ends inside a skippable zstd frame",
                        ));
                    }
                    return Ok(0);
                }
                ZstdState::Done => return Ok(0),
                ZstdState::Between => return Err(damaged("bad-zstd", "no frame has begun")),
                ZstdState::Failed(detail) => return Err(damaged("bad-zstd", detail.as_str())),
                ZstdState::Frame => {}
            }
            let compressed = input.fill()?;
            let at_end = compressed.is_empty();
            let step = step(&mut self.decoder, compressed, out);
            input.consume(step.used);
            match step.ended {
                Ok(true) => self.state = ZstdState::Done,
                Ok(false) if step.made == 0 && at_end => {
                    return Err(damaged("truncated", "the file ends inside a zstd frame"));
                }
                Ok(false) if step.made == 0 && step.used == 0 => {
                    self.state = ZstdState::Failed("the decoder makes no progress".into());
                }
                Ok(false) => {}
                Err(_) if self.window_bytes > MAX_WINDOW_BYTES => {
                    self.state = ZstdState::Failed(format!(
                        "the frame needs a window of {} bytes, and at most {MAX_WINDOW_BYTES} are \
                         read, as memory is limited; compress it anew without --long",
                        self.window_bytes
                    ));
                }
                Err(detail) => {
                    self.state =
                        ZstdState::Failed(format!("{detail}, before byte {}", input.position()));
                }
            }
            if step.made > 0 {
                return Ok(step.made);
            }
        }
    }

    /// Whether a frame begins at `offset` whose content begins as `wanted`.
    pub(crate) fn begins_with(
        &mut self,
        input: &RangeReader,
        offset: u64,
        wanted: EntryStart,
    ) -> Result<bool, InputError> {
        let mut bytes = vec![0; LOOK_AHEAD_BYTES];
        let got = input.peek_at(offset, &mut bytes)?;
        if self.attempt.is_none() {
            self.attempt = decoder(&self.dictionary, MAX_WINDOW_LOG).ok();
        }
        let Some(attempt) = self.attempt.as_mut() else {
            return Ok(false);
        };
        if attempt.reinit().is_err() {
            return Ok(false);
        }
        let (mut used, mut made) = (0, 0);
        let mut start = [0; EntryStart::MOST_BYTES];
        let mut ended = false;
        while made < wanted.bytes.max(1) && used < got && !ended {
            let step = step(attempt, &bytes[used..got], &mut start[made..]);
            used += step.used;
            made += step.made;
            match step.ended {
                Ok(end) => ended = end || step.used + step.made == 0,
                Err(_) => return Ok(false),
            }
        }
        Ok((made > 0 || ended) && (wanted.is_start)(&start[..made]))
    }
}

fn read_dictionary(input: &RangeReader) -> Result<Vec<u8>, DecodeError> {
    let mut first = [0; 8];
    let got = input.peek_at(0, &mut first)?;
    let [a, b, c, d, sizes @ ..] = first;
    if got < first.len() || [a, b, c, d] != DICTIONARY_MAGIC {
        return Ok(Vec::new());
    }
    let size = u32::from_le_bytes(sizes) as usize;
    if size > MAX_DICTIONARY_BYTES || size as u64 + 8 > input.file_bytes() {
        return Err(damaged(
            "bad-dictionary",
            format!("the dictionary claims {size} bytes; it may have 8 MiB and must fit the file"),
        ));
    }
    let mut content = vec![0; size];
    input.peek_at(8, &mut content)?;
    if !content.starts_with(MAGIC) {
        return Ok(content);
    }
    let bad = |detail: String| damaged("bad-dictionary", detail);
    let mut decoder = decoder(&[], 23).map_err(|error| bad(error.to_string()))?;
    let mut dictionary = Vec::new();
    let mut chunk = vec![0; 64 << 10];
    let mut used = 0;
    loop {
        let step = step(&mut decoder, &content[used..], &mut chunk);
        used += step.used;
        dictionary.extend_from_slice(&chunk[..step.made]);
        match step.ended {
            Ok(true) => return Ok(dictionary),
            Ok(false) if step.used + step.made == 0 => {
                return Err(bad("the frame of the dictionary is truncated".into()));
            }
            Ok(false) if dictionary.len() > MAX_DICTIONARY_BYTES => {
                return Err(bad("the dictionary has more than 8 MiB".into()));
            }
            Ok(false) => {}
            Err(detail) => return Err(bad(detail)),
        }
    }
}
