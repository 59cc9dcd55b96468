//! `Content-Type`: the media type and its charset.

use std::borrow::Cow;

/// Media types that are pages.
pub const HTML: &str = "text/html";
/// See [`HTML`].
pub const XHTML: &str = "application/xhtml+xml";
/// See [`HTML`].
pub const TEXT: &str = "text/plain";

/// A media type, as far as it matters here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MediaType {
    /// `type/subtype` in lowercase, without parameters.
    pub essence: Cow<'static, str>,
    /// The `charset` parameter, unquoted.
    pub charset: Option<String>,
}

impl MediaType {
    /// Takes any text; the essence of nonsense is nonsense and will not be known to anyone.
    pub fn parse(value: &str) -> Self {
        let (essence, mut rest) = match memchr::memchr(b';', value.as_bytes()) {
            Some(at) => (&value[..at], &value[at + 1..]),
            None => (value, ""),
        };
        let essence = lowercase(essence.trim(), &[HTML, TEXT, XHTML]);
        let mut charset = None;
        while !rest.is_empty() {
            let (parameter, after) = split_parameter(rest);
            rest = after;
            let Some((name, value)) = parameter.split_once('=') else {
                continue;
            };
            if charset.is_none() && name.trim().eq_ignore_ascii_case("charset") {
                charset = Some(unquote(value.trim())).filter(|value| !value.is_empty());
            }
        }
        MediaType { essence, charset }
    }
}

/// Whether a text in lowercase is `type/subtype`, of the letters that RFC 6838 has for names.
pub fn is_media_type(essence: &str) -> bool {
    let is_name = |name: &str| {
        let rest = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$&-^_.+".contains(&byte);
        name.starts_with(|first: char| first.is_ascii_alphanumeric()) && name.bytes().all(rest)
    };
    essence
        .split_once('/')
        .is_some_and(|(kind, subtype)| is_name(kind) && is_name(subtype))
}

/// The text in lowercase; nothing is allocated for one of the usual texts.
pub fn lowercase(text: &str, usual: &[&'static str]) -> Cow<'static, str> {
    match usual.iter().find(|usual| usual.eq_ignore_ascii_case(text)) {
        Some(usual) => Cow::Borrowed(usual),
        None => Cow::Owned(text.to_ascii_lowercase()),
    }
}

/// Up to the next semicolon that is not in quotes, and what follows it.
fn split_parameter(text: &str) -> (&str, &str) {
    let mut quoted = false;
    let mut escaped = false;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' => quoted = !quoted,
            b';' if !quoted => return (&text[..at], &text[at + 1..]),
            _ => {}
        }
    }
    (text, "")
}

fn unquote(value: &str) -> String {
    let Some(inner) = value.strip_prefix('"') else {
        return value.to_owned();
    };
    let mut text = String::new();
    let mut chars = inner.chars();
    while let Some(char) = chars.next() {
        match char {
            '"' => break,
            '\\' => text.extend(chars.next()),
            _ => text.push(char),
        }
    }
    text.trim().to_owned()
}
