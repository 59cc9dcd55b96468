//! The plain scanner: the text of a page, one tag, reference or comment after another.

use super::foreign::Foreign;
use super::page_text::PageText;
use super::tag::{self, TagRole};
use super::{raw, reference};
use crate::main_part::Outline;
use crate::tag_name::TagName;
use memchr::{memchr, memmem};
use model::Markup;

/// Reads a page from its beginning to its end.
pub(super) struct Scanner<'a> {
    pub(super) source: &'a str,
    /// Everything before is done.
    pub(super) at: usize,
    pub(super) text: &'a mut PageText,
    /// Whether the rest of the page holds U+0000, which vanishes from ordinary text, once it was
    /// looked for.
    pub(super) nul: Option<bool>,
    /// Whether elements end and CDATA begins as in XML.
    pub(super) is_xml: bool,
    templates: u64,
    /// The open SVG element whose content is dropped: `script` or `style`.
    hidden: Option<TagName>,
    foreign: Foreign,
    /// Where the pieces of the text come from, if the caller asked for it.
    pub(super) places: Option<&'a mut Vec<(usize, usize)>>,
    /// Where the main part is looked for, if the caller asked for it.
    pub(super) outline: Option<&'a mut Outline>,
}

impl<'a> Scanner<'a> {
    pub(super) fn new(source: &'a str, markup: Markup, text: &'a mut PageText) -> Scanner<'a> {
        let foreign = Foreign::default();
        let is_xml = markup == Markup::Xhtml || source.trim_start().starts_with("<?xml");
        Scanner {
            source,
            at: 0,
            text,
            nul: None,
            is_xml,
            templates: 0,
            hidden: None,
            foreign,
            places: None,
            outline: None,
        }
    }

    /// Whether no element is open that changes what text and tags mean.
    pub(super) fn is_ordinary(&self) -> bool {
        self.nul != Some(true) && self.is_in_html()
    }

    /// Whether the place is in no `template`, no SVG and no MathML.
    pub(super) fn is_in_html(&self) -> bool {
        self.templates == 0 && self.hidden.is_none() && self.foreign.is_empty()
    }

    /// The text up to `end` is data.
    #[inline]
    pub(super) fn ordinary(&mut self, end: usize) {
        let piece = &self.source[self.at..end];
        let nul = *self
            .nul
            .get_or_insert_with(|| memchr(0, &self.source.as_bytes()[self.at..]).is_some());
        self.at = end;
        if nul {
            piece.split('\0').for_each(|part| self.push(part));
        } else {
            self.push(piece);
        }
    }

    #[inline]
    fn push(&mut self, piece: &str) {
        if self.templates == 0 && self.hidden.is_none() {
            if self.places.is_some() {
                self.note_place(piece);
            }
            self.text.push(piece.as_bytes());
        }
    }

    /// Notes where a piece comes from: where it lies in the page, or behind the markup that stands
    /// for it.
    #[cold]
    fn note_place(&mut self, piece: &str) {
        let (piece, page) = (piece.as_ptr().addr(), self.source.as_ptr().addr());
        let within = piece
            .checked_sub(page)
            .filter(|place| *place < self.source.len());
        let length = self.text.as_bytes().len();
        if let Some(places) = &mut self.places {
            places.push((length, within.unwrap_or(self.at)));
        }
    }

    /// At `&`.
    pub(super) fn reference(&mut self) {
        let rest = &self.source[self.at..];
        let (decoded, length) = reference::decode(rest);
        self.at += length;
        match decoded {
            reference::DecodedReference::Named(value) => self.push(value),
            reference::DecodedReference::Numeric(c) => self.push(c.encode_utf8(&mut [0; 4])),
            reference::DecodedReference::Nothing => self.push(&rest[..length]),
        }
    }

    /// At `<` in data.
    pub(super) fn markup(&mut self) {
        let bytes = self.source.as_bytes();
        let rest = &bytes[self.at + 1..];
        match rest.first() {
            Some(byte) if byte.is_ascii_alphabetic() => self.start_tag(),
            Some(b'/') => match rest.get(1) {
                Some(byte) if byte.is_ascii_alphabetic() => self.end_tag(),
                Some(b'>') => self.at += 3,
                Some(_) => self.skip_past_bracket(),
                None => self.literally(2),
            },
            Some(b'!') if rest.starts_with(b"!--") => {
                self.at = raw::comment_end(bytes, self.at + 4);
            }
            Some(b'!')
                if rest.starts_with(b"![CDATA[") && (self.is_xml || self.foreign.is_inside()) =>
            {
                self.cdata();
            }
            // a document type, too, ends at the first bracket, quotes or not
            Some(b'!' | b'?') => self.skip_past_bracket(),
            _ => self.literally(1),
        }
    }

    /// The next `length` bytes are text although they look like markup.
    fn literally(&mut self, length: usize) {
        let piece = &self.source[self.at..self.at + length];
        self.at += length;
        self.push(piece);
    }

    fn skip_past_bracket(&mut self) {
        let found = memchr(b'>', &self.source.as_bytes()[self.at..]);
        self.at = found.map_or(self.source.len(), |found| self.at + found + 1);
    }

    fn cdata(&mut self) {
        let start = self.at + "<![CDATA[".len();
        let found = memmem::find(&self.source.as_bytes()[start..], b"]]>");
        let end = found.map_or(self.source.len(), |found| start + found);
        self.at = start;
        self.ordinary(end);
        self.at = found.map_or(end, |_| end + 3);
    }

    fn start_tag(&mut self) {
        let Some((name, tag)) = tag::read(self.source.as_bytes(), self.at + 1) else {
            self.at = self.source.len();
            return;
        };
        let start = self.at + 1;
        self.at = tag.end;
        let role = name.role();
        let is_foreign = self.foreign.start(name, tag.closes_itself);
        if !(tag.closes_itself && (is_foreign || self.is_xml)) {
            self.outline_tag(start, role);
        }
        if role != TagRole::Inline {
            self.push("\n");
        }
        if is_foreign {
            if !tag.closes_itself {
                self.open_foreign(name);
            }
            return;
        }
        self.hidden = None;
        match role {
            _ if self.is_xml && tag.closes_itself => {}
            TagRole::Inline | TagRole::Block => {}
            TagRole::Template => self.templates += 1,
            TagRole::Script => self.at = raw::script_end(self.source.as_bytes(), self.at),
            TagRole::Style | TagRole::Fallback => {
                self.at = raw::end(self.source.as_bytes(), self.at, name);
            }
            TagRole::Title => {
                let end = raw::end(self.source.as_bytes(), self.at, name);
                self.referring(end);
            }
            TagRole::Verbatim => {
                let end = raw::end(self.source.as_bytes(), self.at, name);
                self.verbatim(end);
            }
            TagRole::Plaintext => self.verbatim(self.source.len()),
        }
    }

    /// Notes the tag from `start`, behind its bracket, to here, where the main part is looked for.
    fn outline_tag(&mut self, start: usize, role: TagRole) {
        if self.outline.is_some() && self.templates == 0 && self.hidden.is_none() {
            self.outline_seen(start, self.at, role == TagRole::Inline);
        }
    }

    /// Notes the tag in `start..end`.
    #[inline(never)]
    pub(super) fn outline_seen(&mut self, start: usize, end: usize, is_inline: bool) {
        let Some(outline) = &mut self.outline else {
            return;
        };
        let text = self.text.as_bytes();
        match &self.source.as_bytes()[start..end] {
            [b'/', end_tag @ ..] => outline.end(end_tag, is_inline, text),
            start_tag => outline.start(start_tag, is_inline, text),
        }
    }

    /// An SVG or MathML element begins: nothing switches the tokenizer, but the same content is
    /// dropped.
    fn open_foreign(&mut self, name: TagName) {
        match name.role() {
            TagRole::Template => self.templates += 1,
            TagRole::Script | TagRole::Style if self.hidden.is_none() => self.hidden = Some(name),
            _ => {}
        }
    }

    fn end_tag(&mut self) {
        let Some((name, tag)) = tag::read(self.source.as_bytes(), self.at + 2) else {
            self.at = self.source.len();
            return;
        };
        let start = self.at + 1;
        self.at = tag.end;
        if self.foreign.end(name) || self.hidden == Some(name) {
            self.hidden = None;
        }
        let role = name.role();
        if role == TagRole::Template {
            self.templates = self.templates.saturating_sub(1);
        }
        self.outline_tag(start, role);
        if role != TagRole::Inline {
            self.push("\n");
        }
    }

    /// The text up to `end` has character references, but no markup.
    fn referring(&mut self, end: usize) {
        while let Some(found) = memchr(b'&', &self.source.as_bytes()[self.at..end]) {
            self.verbatim(self.at + found);
            self.reference();
        }
        self.verbatim(end);
    }

    /// The text up to `end` is raw.
    fn verbatim(&mut self, end: usize) {
        let piece = &self.source[self.at..end];
        self.at = end;
        self.push(piece);
    }
}
