//! Bytes of a page → characters, by the rules of the WHATWG, but for what a wrong label would lose.
//!
//! *Input.* A body, the labels that stand beside it, whether it is markup. *Output.* Text without
//! byte order mark, and the name of the encoding. *Algorithm.* A byte order mark, the HTTP label,
//! in markup a `<meta>` or XML declaration in the first 1024 bytes ([`prescan`]), and UTF-8 are
//! tried in this order. The first is taken of which the bytes beyond ASCII are malformed in at most
//! [`MISFITS`] of a thousand. If none is, chardetng guesses from the first 4 MiB. Bytes that are
//! UTF-8 throughout are so whatever their label says. A byte that is no character becomes `\xNN`,
//! as text, which is a word: so no text is lost, and no two texts are equal because neither can be
//! read. *Memory.* None if the body is valid UTF-8, else the text. *Limits.* A guess is a guess: it
//! is flagged. A false label of one byte a character fits nearly any bytes.

mod prescan;

use std::borrow::Cow;
use std::fmt::Write;
use std::iter;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{DecoderResult, Encoding, UTF_8, UTF_16BE, UTF_16LE, X_USER_DEFINED};
use model::Markup;

/// The encoding was guessed.
pub(crate) const DETECTED: &str = "charset-detected";
/// The bytes do not fit the encoding that is declared first; they have another one.
pub(crate) const LIED: &str = "charset-lied";
/// Some bytes are no characters, and stand as `\xNN`.
pub const MALFORMED: &str = "malformed-characters";

/// Malformed sequences for each thousand bytes beyond ASCII with which an encoding still fits.
const MISFITS: usize = 3;
/// UTF-8 sequences that bytes of an encoding of two bytes a character hardly make by chance.
const UTF8_SEQUENCES: usize = 3;
/// Bytes looked at when guessing.
const DETECTION_BYTES: usize = 4 << 20;
/// Bytes decoded at a time.
const CHUNK_BYTES: usize = 64 << 10;

/// An encoding by one of its labels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Charset(&'static Encoding);

impl Charset {
    /// The encoding of a label of the WHATWG. Those that decode to nothing that can be read, such
    /// as `iso-2022-kr`, count as unknown.
    pub fn named(label: &str) -> Option<Charset> {
        let encoding = Encoding::for_label_no_replacement(label.as_bytes());
        encoding
            .filter(|encoding| *encoding != X_USER_DEFINED)
            .map(Charset)
    }

    /// Its WHATWG name: `UTF-8`, `windows-1252`, ….
    pub fn name(self) -> &'static str {
        self.0.name()
    }
}

/// The declarations of a body's characters besides the body.
#[derive(Clone, Copy, Debug)]
pub struct Declared<'a> {
    /// The encoding that the user names: nothing else counts.
    pub forced: Option<Charset>,
    /// The label of the `Content-Type` header; unknown labels count for nothing.
    pub label: Option<&'a str>,
    /// Whether the body itself may name its encoding.
    pub markup: Markup,
}

/// A decoded body.
#[derive(Debug)]
pub struct DecodedText<'a> {
    /// The characters.
    pub text: Cow<'a, str>,
    /// The WHATWG name of the encoding: `UTF-8`, `windows-1252`, ….
    pub name: &'static str,
    /// [`DETECTED`], [`LIED`], [`MALFORMED`]: those that hold.
    pub flags: Vec<&'static str>,
}

/// Decodes a body, but stops soon after the text has more than `text_bytes`: what is given then is
/// a part of it.
pub fn decode<'a>(body: &'a [u8], declared: Declared<'_>, text_bytes: usize) -> DecodedText<'a> {
    let (mark, body) = match Encoding::for_bom(body) {
        Some((encoding, bytes)) => (Some(encoding), &body[bytes..]),
        None => (None, body),
    };
    if let Some(Charset(forced)) = declared.forced {
        return Attempt::of(body, forced, text_bytes).decoded(&[]);
    }
    let label = declared.label.and_then(Charset::named);
    let of_page = iter::once_with(|| in_page(body, declared.markup));
    let mut claims = [mark, label.map(|label| label.0)]
        .into_iter()
        .chain(of_page)
        .flatten()
        .peekable();
    let first = claims.peek().copied();
    let lied = |encoding| first.is_some_and(|first| first != encoding).then_some(LIED);
    if mark.is_none() && first.is_some_and(|first| is_rather_utf8(body, first)) {
        return Attempt::of(body, UTF_8, text_bytes).decoded(&[lied(UTF_8)]);
    }
    let mut misfits: Vec<(usize, &'static Encoding, bool)> = Vec::new();
    for encoding in claims.chain(iter::once(UTF_8)) {
        if misfits.iter().any(|(_, tried, _)| *tried == encoding) {
            continue;
        }
        let attempt = Attempt::of(body, encoding, text_bytes);
        if attempt.fits() {
            return attempt.decoded(&[lied(encoding)]);
        }
        misfits.push((attempt.malformed, encoding, attempt.nearly_fits()));
    }
    let guess = guess(body);
    // Nearly any bytes fit an encoding of one byte a character: that is no proof against one that
    // is right but for a few bytes.
    let nearly = misfits
        .iter()
        .filter(|(.., nearly)| *nearly)
        .min_by_key(|(malformed, ..)| *malformed);
    let encoding = match nearly {
        Some(&(_, encoding, _)) if guess.is_single_byte() => encoding,
        _ => guess,
    };
    let detected = (encoding == guess && guess != UTF_8).then_some(DETECTED);
    Attempt::of(body, encoding, text_bytes).decoded(&[detected, lied(encoding)])
}

/// The encoding that a page names.
fn in_page(body: &[u8], markup: Markup) -> Option<&'static Encoding> {
    match markup {
        Markup::Html | Markup::Xhtml => {
            prescan::prescan(&body[..body.len().min(prescan::PRESCAN_BYTES)])
        }
        Markup::None | Markup::Features => None,
    }
}

/// Whether all bytes are UTF-8, up to a character that the end cuts off, and hardly the claimed
/// encoding.
fn is_rather_utf8(body: &[u8], claimed: &'static Encoding) -> bool {
    let sequences = if claimed == UTF_8 {
        return false;
    } else if claimed == UTF_16BE || claimed == UTF_16LE {
        // White space and markup would have zeros.
        usize::from(memchr::memchr(0, body).is_some()) * usize::MAX
    } else if claimed.is_single_byte() {
        1
    } else {
        UTF8_SEQUENCES
    };
    let whole = match simdutf8::compat::from_utf8(body) {
        Ok(_) => body,
        Err(error) if error.error_len().is_none() => &body[..error.valid_up_to()],
        Err(_) => return false,
    };
    whole.iter().filter(|byte| **byte >= 0xc0).count() >= sequences
}

/// The encoding that is most likely.
fn guess(body: &[u8]) -> &'static Encoding {
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(
        &body[..body.len().min(DETECTION_BYTES)],
        body.len() <= DETECTION_BYTES,
    );
    detector.guess(None, Utf8Detection::Allow)
}

/// The bytes of a text in the encoding of this name; `None` if it has no bytes for all characters,
/// or is UTF-16, which nothing is encoded in.
pub fn encode<'t>(text: &'t str, name: &str) -> Option<Cow<'t, [u8]>> {
    let encoding = Encoding::for_label(name.as_bytes())?;
    let (bytes, used, is_lossy) = encoding.encode(text);
    (used == encoding && !is_lossy).then_some(bytes)
}

/// The byte order mark of a text in UTF-8, if it begins with one.
pub fn utf8_mark(body: &[u8]) -> &[u8] {
    match Encoding::for_bom(body) {
        Some((encoding, bytes)) if encoding == UTF_8 => &body[..bytes],
        _ => &[],
    }
}

/// Whether all bytes are UTF-8.
pub fn is_utf8(bytes: &[u8]) -> bool {
    simdutf8::basic::from_utf8(bytes).is_ok()
}

/// A body decoded by one encoding.
struct Attempt<'a> {
    text: Cow<'a, str>,
    encoding: &'static Encoding,
    /// Sequences that are no characters, but for one that the end of the body may cut off.
    malformed: usize,
    /// Whether the last sequence is no character.
    is_cut: bool,
    /// Decoded bytes that could be malformed: those beyond ASCII; counted only if some are.
    foreign: usize,
}

impl<'a> Attempt<'a> {
    fn of(body: &'a [u8], encoding: &'static Encoding, text_bytes: usize) -> Attempt<'a> {
        let is_plain = encoding == UTF_8 || encoding.is_ascii_compatible() && body.is_ascii();
        let plain = is_plain.then(|| simdutf8::basic::from_utf8(body).ok());
        let mut attempt = Attempt {
            text: Cow::Borrowed(plain.flatten().unwrap_or_default()),
            encoding,
            malformed: 0,
            is_cut: false,
            foreign: 0,
        };
        if attempt.text.len() < body.len() {
            attempt.text = Cow::Owned(attempt.decode(body, text_bytes));
        }
        attempt
    }

    fn decode(&mut self, body: &[u8], text_bytes: usize) -> String {
        let mut decoder = self.encoding.new_decoder_without_bom_handling();
        // At once, so that no text is ever held twice; what stays unwritten is never touched.
        let most = body.len().saturating_mul(4);
        let room = most.min(text_bytes.saturating_add(4 * CHUNK_BYTES)) + 64;
        let mut text = String::with_capacity(room);
        let mut rest = body;
        loop {
            let chunk = &rest[..rest.len().min(CHUNK_BYTES)];
            let last = chunk.len() == rest.len();
            // Never None: the chunk is small.
            let most = decoder.max_utf8_buffer_length_without_replacement(chunk.len());
            text.reserve(most.unwrap_or(4 * CHUNK_BYTES));
            let (result, read) =
                decoder.decode_to_string_without_replacement(chunk, &mut text, last);
            rest = &rest[read..];
            if let DecoderResult::Malformed(bytes, behind) = result {
                let end = body.len() - rest.len() - usize::from(behind);
                for byte in &body[end - usize::from(bytes)..end] {
                    // Writing to a string cannot fail.
                    let _ = write!(text, "\\x{byte:02x}");
                }
                self.is_cut = end == body.len();
                self.malformed += usize::from(!self.is_cut);
            }
            if result == DecoderResult::InputEmpty && last || text.len() > text_bytes {
                let read = &body[..body.len() - rest.len()];
                self.foreign = match self.encoding.is_ascii_compatible() {
                    _ if self.malformed == 0 && !self.is_cut => 0,
                    true => read.iter().filter(|byte| !byte.is_ascii()).count(),
                    false => read.len(),
                };
                return text;
            }
        }
    }

    /// Whether next to nothing is malformed.
    fn fits(&self) -> bool {
        self.malformed * 1000 <= self.foreign * MISFITS && !(self.is_cut && self.foreign <= 3)
    }

    /// Whether far less is malformed than in a false encoding.
    fn nearly_fits(&self) -> bool {
        self.malformed * 10 < self.foreign && !(self.is_cut && self.foreign <= 3)
    }

    fn decoded(self, flags: &[Option<&'static str>]) -> DecodedText<'a> {
        let malformed = (self.malformed > 0 || self.is_cut).then_some(MALFORMED);
        DecodedText {
            text: self.text,
            name: self.encoding.name(),
            flags: flags.iter().copied().chain([malformed]).flatten().collect(),
        }
    }
}

#[cfg(test)]
mod tests;
