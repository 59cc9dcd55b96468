//! Tags: names, what a name means for the text, and where a tag ends.

use crate::tag_name::{TagName, ends_name, is_space, packed};
use memchr::memchr;

/// The effect of a tag on the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TagRole {
    /// Leaves nothing behind.
    Inline,
    /// Splits words; so does every role below.
    Block,
    /// Content dropped, may be nested.
    Template,
    /// Content dropped, with the states of a script.
    Script,
    /// Raw text, dropped.
    Style,
    /// Raw text that stands in for a frame or embedded content, dropped; in SVG and MathML it has
    /// no effect.
    Fallback,
    /// Text with character references but no markup.
    Title,
    /// Raw text that counts.
    Verbatim,
    /// Raw text to the end of the page.
    Plaintext,
}

/// The rest of a tag, behind its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Tag {
    /// Position after the closing bracket.
    pub(super) end: usize,
    /// Whether it is written `<name/>`.
    pub(super) closes_itself: bool,
}

impl TagName {
    /// The part of the page that is read differently, or dropped, or split.
    pub(super) fn role(self) -> TagRole {
        // all these fit 64 bits, except plaintext
        let Ok(short) = u64::try_from(self.0) else {
            return if self == PLAINTEXT {
                TagRole::Plaintext
            } else {
                TagRole::Block
            };
        };
        role_of_short(short)
    }
}

const PLAINTEXT: TagName = TagName::of("plaintext");

/// As [`TagName::of`], for names of at most eight bytes.
const fn short(name: &str) -> u64 {
    assert!(name.len() <= 8);
    TagName::of(name).0 as u64
}

macro_rules! names {
    ($($constant:ident = $name:literal),* $(,)?) => { $(const $constant: u64 = short($name);)* };
}

names! {
    A = "a", ABBR = "abbr", ACRONYM = "acronym", B = "b", BDI = "bdi", BDO = "bdo", BIG = "big", CITE = "cite",
    CODE = "code", DATA = "data", DEL = "del", DFN = "dfn", EM = "em", FONT = "font", I = "i", INS = "ins", KBD = "kbd",
    LABEL = "label", MARK = "mark", NOBR = "nobr", Q = "q", S = "s", SAMP = "samp", SMALL = "small", SPAN = "span",
    STRIKE = "strike", STRONG = "strong", SUB = "sub", SUP = "sup", TIME = "time", TT = "tt", U = "u", VAR = "var",
    WBR = "wbr", TEMPLATE = "template", SCRIPT = "script", STYLE = "style", TITLE = "title", TEXTAREA = "textarea",
    XMP = "xmp", IFRAME = "iframe", NOEMBED = "noembed", NOFRAMES = "noframes",
}

fn role_of_short(name: u64) -> TagRole {
    match name {
        A | ABBR | ACRONYM | B | BDI | BDO | BIG | CITE | CODE | DATA | DEL | DFN | EM | FONT
        | I | INS | KBD | LABEL | MARK | NOBR | Q | S | SAMP | SMALL | SPAN | STRIKE | STRONG
        | SUB | SUP | TIME | TT | U | VAR | WBR => TagRole::Inline,
        TEMPLATE => TagRole::Template,
        SCRIPT => TagRole::Script,
        STYLE => TagRole::Style,
        IFRAME | NOEMBED | NOFRAMES => TagRole::Fallback,
        TITLE | TEXTAREA => TagRole::Title,
        XMP => TagRole::Verbatim,
        _ => TagRole::Block,
    }
}

/// Reads the tag whose name begins at `start`. `None` if the page ends inside it: then it is no
/// tag.
#[inline]
pub(super) fn read(bytes: &[u8], start: usize) -> Option<(TagName, Tag)> {
    let length = bytes[start..].iter().position(|&byte| ends_name(byte))?;
    let end = start + length;
    let name = TagName(packed(&bytes[start..end]));
    if bytes[end] == b'>' {
        return Some((
            name,
            Tag {
                end: end + 1,
                closes_itself: false,
            },
        ));
    }
    Some((name, attributes(bytes, end)?))
}

/// Skips attributes from behind a name or value. A quote opens a value only behind `=`, and a
/// bracket inside it is part of the value; a slash counts only right before the bracket, and not in
/// an unquoted value.
pub(super) fn attributes(bytes: &[u8], start: usize) -> Option<Tag> {
    let mut at = start;
    loop {
        let byte = *bytes.get(at)?;
        at += 1;
        if byte == b'>' {
            return Some(Tag {
                end: at,
                closes_itself: false,
            });
        }
        if byte == b'/' {
            if *bytes.get(at)? == b'>' {
                return Some(Tag {
                    end: at + 1,
                    closes_itself: true,
                });
            }
        } else if !is_space(byte) {
            // an attribute; its first byte may be anything, also `=`
            at = attribute(bytes, at)?;
        }
    }
}

/// Skips an attribute from behind its first byte: rest of the name, and the value if there is one.
fn attribute(bytes: &[u8], start: usize) -> Option<usize> {
    let mut at = start
        + bytes
            .get(start..)?
            .iter()
            .position(|&byte| byte == b'=' || ends_name(byte))?;
    while is_space(*bytes.get(at)?) {
        at += 1;
    }
    if bytes[at] != b'=' {
        return Some(at);
    }
    at += 1;
    while is_space(*bytes.get(at)?) {
        at += 1;
    }
    match bytes[at] {
        quote @ (b'"' | b'\'') => Some(at + 1 + memchr(quote, &bytes[at + 1..])? + 1),
        _ => Some(
            at + bytes[at..]
                .iter()
                .position(|&byte| byte == b'>' || is_space(byte))?,
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn end(text: &str) -> Option<(usize, bool)> {
        attributes(text.as_bytes(), 0).map(|tag| (tag.end, tag.closes_itself))
    }

    #[test]
    fn tags_end_where_the_standard_says() {
        assert_eq!(end(" a=\">\" b='>' c>x"), Some((15, false)));
        assert_eq!(end(" a='b'/>x"), Some((8, true)));
        assert_eq!(
            end(" a=b/>x"),
            Some((6, false)),
            "the slash belongs to the value"
        );
        assert_eq!(end(" a = \">\" >x"), Some((10, false)));
        assert_eq!(
            end(" =\">\">x"),
            Some((4, false)),
            "a name may begin with =, so the quote opens nothing"
        );
        assert_eq!(end(" a\"b>x"), Some((5, false)));
        assert_eq!(end(" a=>x"), Some((4, false)));
        assert_eq!(end("/ / a/ >x"), Some((8, false)));
        assert_eq!(end(" a='>"), None);
        assert_eq!(end(" a"), None);
        assert_eq!(end(" a="), None);
    }

    #[test]
    fn names_are_compared_whole_and_in_any_case() {
        let (name, _) = read(b"SPaN>", 0).expect("a tag");
        assert_eq!(
            (name, name.role(), name.len()),
            (TagName::of("span"), TagRole::Inline, 4)
        );
        for other in [
            "spans>",
            "spa>",
            "annotation-xmls>",
            "a-very-long-custom-element-name>",
        ] {
            assert_eq!(
                read(other.as_bytes(), 0).expect("a tag").0.role(),
                TagRole::Block,
                "{other}"
            );
        }
        assert!(
            TagName::of("style").is_at(b"sTYLE/", 0) && !TagName::of("style").is_at(b"styles>", 0)
        );
        assert!(!TagName::of("style").is_at(b"style", 0));
        assert_eq!(
            read(b"plainTEXT>", 0).expect("a tag").0.role(),
            TagRole::Plaintext
        );
    }
}
