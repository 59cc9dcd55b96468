//! Bytes of a page → characters, by the rules of the WHATWG.
//!
//! *Input.* A body, the charset label of the HTTP header, whether it is markup. *Output.* Text
//! without byte order mark, malformed sequences as U+FFFD, and the name of the encoding.
//! *Algorithm.* The first that says something: a byte order mark; the HTTP label; in markup a
//! `<meta>` or XML declaration in the first 1024 bytes ([`prescan`]); else UTF-8 if all of it is
//! valid UTF-8; else what chardetng guesses from the first 4 MiB. *Memory.* None if the body is
//! valid UTF-8, else the text. *Limits.* A guess is a guess: it is flagged.

mod prescan;

use std::borrow::Cow;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{CoderResult, Encoding, UTF_8};
use model::Markup;

/// The encoding was guessed.
pub(crate) const DETECTED: &str = "charset-detected";
/// Some bytes were no characters and became U+FFFD.
pub(crate) const MALFORMED: &str = "malformed-characters";

/// Bytes looked at when guessing.
const DETECTION_BYTES: usize = 4 << 20;
/// Bytes decoded at a time.
const CHUNK_BYTES: usize = 64 << 10;

/// A decoded body.
#[derive(Debug)]
pub struct Decoded<'a> {
    /// The characters.
    pub text: Cow<'a, str>,
    /// The WHATWG name of the encoding: `UTF-8`, `windows-1252`, ….
    pub name: &'static str,
    /// [`DETECTED`], [`MALFORMED`], both or none.
    pub flags: Vec<&'static str>,
}

/// Decodes a body; one with markup may itself name its encoding. `http_charset` is the label of the
/// `Content-Type` header, unknown labels count for nothing.
pub fn decode<'a>(body: &'a [u8], http_charset: Option<&str>, markup: Markup) -> Decoded<'a> {
    decode_up_to(usize::MAX, body, http_charset, markup)
}

/// As [`decode`], but stops soon after the text has more than `text_bytes`: what is given then is a
/// part of it.
pub fn decode_up_to<'a>(
    text_bytes: usize,
    body: &'a [u8],
    http_charset: Option<&str>,
    markup: Markup,
) -> Decoded<'a> {
    let (encoding, bom_bytes) = match Encoding::for_bom(body) {
        Some(marked) => marked,
        None => match named(body, http_charset, markup) {
            Some(encoding) => (encoding, 0),
            None => match simdutf8::basic::from_utf8(body) {
                Ok(text) => {
                    return Decoded {
                        text: Cow::Borrowed(text),
                        name: UTF_8.name(),
                        flags: Vec::new(),
                    };
                }
                Err(_) => return guessed(body, text_bytes),
            },
        },
    };
    let (text, malformed) = to_text(&body[bom_bytes..], encoding, text_bytes);
    Decoded {
        text,
        name: encoding.name(),
        flags: if malformed {
            vec![MALFORMED]
        } else {
            Vec::new()
        },
    }
}

/// The encoding that header or page name.
fn named(body: &[u8], http_charset: Option<&str>, markup: Markup) -> Option<&'static Encoding> {
    let label = http_charset.and_then(|label| Encoding::for_label(label.as_bytes()));
    label.or_else(|| match markup {
        Markup::Html | Markup::Xhtml => {
            prescan::prescan(&body[..body.len().min(prescan::PRESCAN_BYTES)])
        }
        Markup::None | Markup::Features => None,
    })
}

/// A body that is no UTF-8, in the encoding that is most likely.
fn guessed(body: &[u8], text_bytes: usize) -> Decoded<'_> {
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(
        &body[..body.len().min(DETECTION_BYTES)],
        body.len() <= DETECTION_BYTES,
    );
    let encoding = detector.guess(None, Utf8Detection::Allow);
    let (text, malformed) = to_text(body, encoding, text_bytes);
    let flags = [(DETECTED, encoding != UTF_8), (MALFORMED, malformed)];
    let flags = flags
        .into_iter()
        .filter(|(_, holds)| *holds)
        .map(|(flag, _)| flag)
        .collect();
    Decoded {
        text,
        name: encoding.name(),
        flags,
    }
}

/// Whether all bytes are UTF-8.
pub fn is_utf8(bytes: &[u8]) -> bool {
    simdutf8::basic::from_utf8(bytes).is_ok()
}

fn to_text<'a>(
    body: &'a [u8],
    encoding: &'static Encoding,
    text_bytes: usize,
) -> (Cow<'a, str>, bool) {
    if encoding == UTF_8
        && let Ok(text) = simdutf8::basic::from_utf8(body)
    {
        return (Cow::Borrowed(text), false);
    }
    if encoding.is_ascii_compatible()
        && body.is_ascii()
        && let Ok(text) = simdutf8::basic::from_utf8(body)
    {
        return (Cow::Borrowed(text), false);
    }
    let mut decoder = encoding.new_decoder_without_bom_handling();
    // At once, so that no text is ever held twice; what stays unwritten is never touched.
    let most = decoder
        .max_utf8_buffer_length(body.len())
        .unwrap_or(body.len());
    let mut text = String::with_capacity(most.min(text_bytes.saturating_add(4 * CHUNK_BYTES + 16)));
    let mut malformed = false;
    let mut rest = body;
    loop {
        let chunk = &rest[..rest.len().min(CHUNK_BYTES)];
        let last = chunk.len() == rest.len();
        // Never None: the chunk is small. 4 bytes a byte would be enough for any encoding.
        text.reserve(
            decoder
                .max_utf8_buffer_length(chunk.len())
                .unwrap_or(4 * CHUNK_BYTES + 16),
        );
        let (result, read, replaced) = decoder.decode_to_string(chunk, &mut text, last);
        malformed |= replaced;
        rest = &rest[read..];
        if result == CoderResult::InputEmpty && last || text.len() > text_bytes {
            return (Cow::Owned(text), malformed);
        }
    }
}

#[cfg(test)]
mod tests;
