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
    /// Takes any text; the essence of nonsense is nonsense and will not be known to anyone. Of a
    /// list, as proxies join the headers of a response, the types count one after the other.
    pub fn parse(value: &str) -> Self {
        let (first, mut rest) = split(value, b',');
        let mut declared = MediaType::one(first);
        while !rest.is_empty() {
            let (next, after) = split(rest, b',');
            declared = declared.then(MediaType::one(next));
            rest = after;
        }
        declared
    }

    /// The effective one of two declarations: the later, if it is a media type. An equal type
    /// without a charset keeps that of the earlier one (Fetch, 2.2.2: "extract a MIME type").
    #[must_use]
    pub fn then(self, later: MediaType) -> MediaType {
        if later.essence == self.essence {
            let charset = later.charset.or(self.charset);
            MediaType { charset, ..later }
        } else if is_media_type(&later.essence) || self.essence.is_empty() {
            later
        } else {
            self
        }
    }

    fn one(value: &str) -> Self {
        let (essence, mut rest) = match memchr::memchr(b';', value.as_bytes()) {
            Some(at) => (&value[..at], &value[at + 1..]),
            None => (value, ""),
        };
        let essence = lowercase(essence.trim(), &[HTML, TEXT, XHTML]);
        let mut charset = None;
        while !rest.is_empty() {
            let (parameter, after) = split(rest, b';');
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

/// Up to the next separator that is not in quotes, and what follows it.
fn split(text: &str, separator: u8) -> (&str, &str) {
    let mut quoted = false;
    let mut escaped = false;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' => quoted = !quoted,
            _ if byte == separator && !quoted => return (&text[..at], &text[at + 1..]),
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
