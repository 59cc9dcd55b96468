//! The encoding that a page declares: the prescan of the HTML standard (13.2.3.2) and the XML
//! declaration.
//!
//! *Input.* The first 1024 bytes. *Output.* The encoding, if a known one is named. *Algorithm.* The
//! steps of the standard, from tag to tag, comments and other tags passed over with their
//! attributes. UTF-16 in a `<meta>` means UTF-8 (the tag could not have been read otherwise) and
//! `x-user-defined` means windows-1252.

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252, X_USER_DEFINED};
use memchr::memmem::Finder;
use std::sync::LazyLock;

/// Bytes looked at.
pub(crate) const PRESCAN_BYTES: usize = 1024;

/// The encoding that the beginning of a page names.
pub(crate) fn prescan(bytes: &[u8]) -> Option<&'static Encoding> {
    if bytes.starts_with(b"<\0?\0x\0") {
        return Some(UTF_16LE);
    }
    if bytes.starts_with(b"\0<\0?\0x") {
        return Some(UTF_16BE);
    }
    let named = if may_name_charset(bytes) {
        meta(bytes)
    } else {
        None
    };
    named.or_else(|| xml_declaration(bytes))
}

/// Whether `charset` stands there at all, in any case: without it no `<meta>` names an encoding,
/// and tags need not be read.
fn may_name_charset(bytes: &[u8]) -> bool {
    static CHARSET: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new("charset"));
    let mut lower = [0; PRESCAN_BYTES];
    let Some(lower) = lower.get_mut(..bytes.len()) else {
        return true;
    };
    lower.copy_from_slice(bytes);
    lower.make_ascii_lowercase();
    CHARSET.find(lower).is_some()
}

fn meta(bytes: &[u8]) -> Option<&'static Encoding> {
    let mut at = 0;
    // Nothing but a tag is of interest.
    while let Some(found) = memchr::memchr(b'<', bytes.get(at..)?) {
        at += found;
        let rest = &bytes[at..];
        if rest.starts_with(b"<!--") {
            // The two dashes of the opening may be those of the closing.
            at += 2 + memchr::memmem::find(&rest[2..], b"-->")? + 3;
        } else if rest.len() > 5
            && rest[..5].eq_ignore_ascii_case(b"<meta")
            && is_space_or_slash(rest[5])
        {
            let mut attributes = PrescanAttributes { bytes, at: at + 5 };
            if let Some(encoding) = meta_encoding(&mut attributes) {
                return Some(encoding);
            }
            at = attributes.at + 1;
        } else if is_tag(rest) {
            // Without a quote before it the first bracket is the end, whatever the attributes are.
            let end = memchr::memchr3(b'>', b'"', b'\'', rest)?;
            if rest[end] == b'>' {
                at += end + 1;
                continue;
            }
            at += rest
                .iter()
                .position(|&byte| byte.is_ascii_whitespace() || byte == b'>')?;
            let mut attributes = PrescanAttributes { bytes, at };
            while attributes.next().is_some() {}
            at = attributes.at + 1;
        } else if rest.starts_with(b"<!") || rest.starts_with(b"</") || rest.starts_with(b"<?") {
            at += memchr::memchr(b'>', rest)? + 1;
        } else {
            at += 1;
        }
    }
    None
}

fn is_space_or_slash(byte: u8) -> bool {
    byte.is_ascii_whitespace() || byte == b'/'
}

fn is_tag(rest: &[u8]) -> bool {
    match rest {
        [b'<', b'/', letter, ..] | [b'<', letter, ..] => letter.is_ascii_alphabetic(),
        _ => false,
    }
}

fn meta_encoding(attributes: &mut PrescanAttributes<'_>) -> Option<&'static Encoding> {
    let mut seen: Vec<&[u8]> = Vec::new();
    let mut got_pragma = false;
    let mut need_pragma = None;
    let mut named = None;
    for (name, value) in attributes {
        if seen.iter().any(|before| before.eq_ignore_ascii_case(name)) {
            continue;
        }
        if name.eq_ignore_ascii_case(b"http-equiv") {
            got_pragma |= value.eq_ignore_ascii_case(b"content-type");
        } else if name.eq_ignore_ascii_case(b"content") && named.is_none() {
            if let Some(encoding) = encoding_of_content(&value.to_ascii_lowercase()) {
                named = Some(encoding);
                need_pragma = Some(true);
            }
        } else if name.eq_ignore_ascii_case(b"charset") {
            named = Encoding::for_label(value);
            need_pragma = Some(false);
        }
        seen.push(name);
    }
    let needed = need_pragma?;
    if needed && !got_pragma {
        return None;
    }
    named.map(|encoding| match encoding {
        _ if encoding == UTF_16BE || encoding == UTF_16LE => UTF_8,
        _ if encoding == X_USER_DEFINED => WINDOWS_1252,
        _ => encoding,
    })
}

/// The `charset=…` of a `content` attribute ("extracting a character encoding from a meta
/// element").
fn encoding_of_content(value: &[u8]) -> Option<&'static Encoding> {
    let mut rest = value;
    loop {
        let at = memchr::memmem::find(rest, b"charset")?;
        rest = rest[at + b"charset".len()..].trim_ascii_start();
        if let Some(after) = rest.strip_prefix(b"=") {
            rest = after.trim_ascii_start();
            break;
        }
    }
    let label = match rest.first()? {
        &quote @ (b'"' | b'\'') => &rest[1..1 + memchr::memchr(quote, &rest[1..])?],
        _ => {
            let end = rest
                .iter()
                .position(|&byte| byte.is_ascii_whitespace() || byte == b';');
            &rest[..end.unwrap_or(rest.len())]
        }
    };
    Encoding::for_label(label)
}

/// "Get an XML encoding" of the standard.
fn xml_declaration(bytes: &[u8]) -> Option<&'static Encoding> {
    if !bytes.starts_with(b"<?xml") {
        return None;
    }
    let declaration = &bytes[..memchr::memchr(b'>', bytes)?];
    let rest = &declaration[memchr::memmem::find(declaration, b"encoding")? + b"encoding".len()..];
    let skip = |rest: &'_ [u8]| {
        rest.iter()
            .position(|&byte| byte > 0x20)
            .unwrap_or(rest.len())
    };
    let rest = rest[skip(rest)..].strip_prefix(b"=")?;
    let rest = &rest[skip(rest)..];
    let &quote = rest
        .first()
        .filter(|&&byte| byte == b'"' || byte == b'\'')?;
    let label = &rest[1..1 + memchr::memchr(quote, &rest[1..])?];
    let encoding = Encoding::for_label(label)?;
    Some(if encoding == UTF_16BE || encoding == UTF_16LE {
        UTF_8
    } else {
        encoding
    })
}

/// "Get an attribute" of the standard: names and values, in any case; stands on the `>` when there
/// are no more.
struct PrescanAttributes<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> PrescanAttributes<'a> {
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn skip_spaces(&mut self) {
        self.take_until(|byte| !byte.is_ascii_whitespace());
    }

    /// The bytes up to one that stops, or to the end.
    fn take_until(&mut self, stop: impl Fn(u8) -> bool) -> &'a [u8] {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let taken = &rest[..rest
            .iter()
            .position(|&byte| stop(byte))
            .unwrap_or(rest.len())];
        self.at += taken.len();
        taken
    }
}

impl<'a> Iterator for PrescanAttributes<'a> {
    type Item = (&'a [u8], &'a [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        self.take_until(|byte| !is_space_or_slash(byte));
        if self.peek().is_none_or(|byte| byte == b'>') {
            return None;
        }
        let start = self.at;
        // The first byte of a name may be anything, also a `=`.
        self.at += usize::from(self.peek() == Some(b'='));
        self.take_until(|byte| is_space_or_slash(byte) || byte == b'=' || byte == b'>');
        let name = &self.bytes[start..self.at];
        self.skip_spaces();
        if self.peek() != Some(b'=') {
            return Some((name, &[]));
        }
        self.at += 1;
        self.skip_spaces();
        let quote = self.peek().filter(|byte| matches!(byte, b'"' | b'\''));
        let Some(quote) = quote else {
            return Some((
                name,
                self.take_until(|byte| byte.is_ascii_whitespace() || byte == b'>'),
            ));
        };
        self.at += 1;
        let value = self.take_until(|byte| byte == quote);
        // An attribute that the 1024 bytes cut off says nothing.
        self.peek()?;
        self.at += 1;
        Some((name, value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn page() -> impl Strategy<Value = String> {
        let piece = prop::sample::select(vec![
            "<meta charset=koi8-r>",
            "<META CHARSET='big5'>",
            "<meta http-equiv=content-type content='a; Charset=euc-kr'>",
            "<meta ",
            "charset",
            "=",
            "utf-16",
            ">",
            " ",
            "<!--",
            "-->",
            "<p title='",
            "'",
            "<?xml encoding=\"euc-jp\"?>",
            "word",
        ]);
        prop::collection::vec(piece, 0..25).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #[test]
        fn pages_without_the_word_name_nothing(page in page()) {
            let bytes = page.as_bytes();
            let expected = meta(bytes).or_else(|| xml_declaration(bytes));
            prop_assert_eq!(prescan(bytes), expected);
        }
    }
}
