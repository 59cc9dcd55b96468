//! HTML → text, by the tokenization states of the WHATWG standard as far as text needs them.
//!
//! Markup, comments and attributes are dropped, and so is the content of `script`, `style` and
//! `template`. Titles, text areas and `noscript` count; so do `iframe`, `noembed` and `noframes`,
//! whose content is read as markup like that of `noscript`: the standard reads it as raw text,
//! which would turn tag names into words. `xmp` and `plaintext` show their markup to the reader, so
//! here it is text as well. Character references are decoded. Inline tags and comments leave
//! nothing behind, all other tags a line feed.
//!
//! There is no tree: no error correction, no reordering of misplaced table content. Of tree
//! construction there is only what decides tokenization: which start tags switch the tokenizer, and
//! whether the place is inside SVG or MathML ([`foreign`]), where `<![CDATA[` is text, `<title>` is
//! ordinary and `<style/>` is empty.
//!
//! | module | what |
//! |---|---|
//! | [`tag`] | names and their roles; the end of a tag behind its attributes |
//! | [`raw`] | where raw text and scripts end |
//! | [`mod@reference`] | character references |
//! | [`foreign`] | inside SVG or MathML? |
//! | [`fast`], [`effect`] | the common case, many bytes at a time |
//! | [`page_text`] | the text in the making |
//!
//! Every byte is looked at a bounded number of times: nothing is tried and then read again, except
//! that a character reference looks at most 32 bytes ahead. What is not closed reaches to the end
//! of the page, as it does in browsers. Memory: the text, at most 6/5 of the page; 32 levels of SVG
//! and MathML.

mod effect;
mod entities_table;
mod fast;
mod foreign;
mod page_text;
mod raw;
mod reference;
mod tag;

pub(crate) use page_text::PageText;

use crate::cpu::Cpu;
use crate::isa;
use foreign::Foreign;
use memchr::{memchr, memchr2, memmem};
use tag::{Name, Role};

/// Writes the text of the page `source` to `text`, which is emptied before.
pub(crate) fn text_of(cpu: Cpu, source: &str, text: &mut PageText) {
    // two references are longer as text than as written; pages that never reach this never touch
    // the memory
    text.restart(source.len() + source.len() / 5 + 1);
    Scanner::new(source, text, None).page(cpu);
}

/// As [`text_of`]; also lists, in order, ⟨byte of the text, byte of the page⟩ where each piece of
/// text comes from.
pub(crate) fn text_with_places(
    source: &str,
    text: &mut PageText,
    places: &mut Vec<(usize, usize)>,
) {
    text.restart(source.len() + source.len() / 5 + 1);
    // the portable form hands every piece to `Scanner::push`
    Scanner::new(source, text, Some(places)).page(Cpu::portable());
}

struct Scanner<'a> {
    source: &'a str,
    /// Everything before is done.
    at: usize,
    text: &'a mut PageText,
    /// Whether the rest of the page holds U+0000, which vanishes from ordinary text, once it was
    /// looked for.
    nul: Option<bool>,
    /// Open `template` elements.
    templates: u64,
    /// The open SVG element whose content is dropped: `script` or `style`.
    hidden: Option<Name>,
    foreign: Foreign,
    /// Where the pieces of the text come from, if somebody wants to know.
    places: Option<&'a mut Vec<(usize, usize)>>,
}

impl<'a> Scanner<'a> {
    fn new(
        source: &'a str,
        text: &'a mut PageText,
        places: Option<&'a mut Vec<(usize, usize)>>,
    ) -> Scanner<'a> {
        let foreign = Foreign::default();
        Scanner {
            source,
            at: 0,
            text,
            nul: None,
            templates: 0,
            hidden: None,
            foreign,
            places,
        }
    }
    fn page(&mut self, cpu: Cpu) {
        loop {
            if self.is_ordinary() {
                isa::run(cpu.level(), fast::Walk(self));
            }
            let Some(found) = memchr2(b'<', b'&', &self.source.as_bytes()[self.at..]) else {
                break;
            };
            self.ordinary(self.at + found);
            if self.source.as_bytes()[self.at] == b'&' {
                self.reference();
            } else {
                self.markup();
            }
        }
        self.ordinary(self.source.len());
    }

    /// Whether no element is open that changes what text and tags mean.
    fn is_ordinary(&self) -> bool {
        self.nul != Some(true)
            && self.templates == 0
            && self.hidden.is_none()
            && self.foreign.is_empty()
    }

    /// The text up to `end` is data.
    #[inline]
    fn ordinary(&mut self, end: usize) {
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
    fn reference(&mut self) {
        let rest = &self.source[self.at..];
        let (decoded, length) = reference::decode(rest);
        self.at += length;
        match decoded {
            reference::Decoded::Named(value) => self.push(value),
            reference::Decoded::Numeric(c) => self.push(c.encode_utf8(&mut [0; 4])),
            reference::Decoded::Nothing => self.push(&rest[..length]),
        }
    }

    /// At `<` in data.
    fn markup(&mut self) {
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
                self.at = raw::comment_end(bytes, self.at + 4)
            }
            Some(b'!') if rest.starts_with(b"![CDATA[") && self.foreign.is_inside() => self.cdata(),
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
        self.at = tag.end;
        let role = name.role();
        if role != Role::Inline {
            self.push("\n");
        }
        if self.foreign.start(name, tag.closes_itself) {
            if !tag.closes_itself {
                self.open_foreign(name);
            }
            return;
        }
        self.hidden = None;
        match role {
            Role::Inline | Role::Block => {}
            Role::Template => self.templates += 1,
            Role::Script => self.at = raw::script_end(self.source.as_bytes(), self.at),
            Role::Style => self.at = raw::end(self.source.as_bytes(), self.at, name),
            Role::Title => {
                let end = raw::end(self.source.as_bytes(), self.at, name);
                self.referring(end);
            }
            Role::Verbatim => {
                let end = raw::end(self.source.as_bytes(), self.at, name);
                self.verbatim(end);
            }
            Role::Plaintext => self.verbatim(self.source.len()),
        }
    }

    /// An SVG or MathML element begins: nothing switches the tokenizer, but the same content is
    /// dropped.
    fn open_foreign(&mut self, name: Name) {
        match name.role() {
            Role::Template => self.templates += 1,
            Role::Script | Role::Style if self.hidden.is_none() => self.hidden = Some(name),
            _ => {}
        }
    }

    fn end_tag(&mut self) {
        let Some((name, tag)) = tag::read(self.source.as_bytes(), self.at + 2) else {
            self.at = self.source.len();
            return;
        };
        self.at = tag.end;
        if self.foreign.end(name) || self.hidden == Some(name) {
            self.hidden = None;
        }
        let role = name.role();
        if role == Role::Template {
            self.templates = self.templates.saturating_sub(1);
        }
        if role != Role::Inline {
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
