//! HTML → text, by the tokenization states of the WHATWG standard as far as text needs them.
//!
//! Markup, comments and attributes are dropped, and so is the content of `script`, `style` and
//! `template`; of `iframe`, `noembed` and `noframes`, too, as no browser shows it. Titles, text
//! areas and `noscript` count. `xmp` and `plaintext` show their markup to the reader, so here it is
//! text as well. Character references are decoded. Inline tags and comments leave nothing behind,
//! all other tags a line feed.
//!
//! In XHTML, and in a page that begins with an XML declaration, `/>` ends every element, and
//! `<![CDATA[` is text everywhere. The rest is read as in HTML.
//!
//! There is no tree: no error correction, no reordering of misplaced table content. Of tree
//! construction there is only what decides tokenization: which start tags switch the tokenizer, and
//! whether the place is inside SVG or MathML ([`foreign`]), where `<![CDATA[` is text, `<title>` is
//! ordinary and `<style/>` is empty.
//!
//! | module | what |
//! |---|---|
//! | [`scanner`] | the plain scanner |
//! | [`tag`] | names and their roles; the end of a tag behind its attributes |
//! | [`raw`] | where raw text and scripts end |
//! | [`mod@reference`] | character references |
//! | [`foreign`] | inside SVG or MathML? |
//! | [`fast`], [`effect`] | the common case, many bytes at a time |
//! | [`page_text`] | the text in the making |
//! | [`title`] | the title of a page |
//!
//! Every byte is looked at a bounded number of times: nothing is tried and then read again, except
//! that a character reference looks at most 32 bytes ahead. What is not closed reaches to the end
//! of the page, as it does in browsers. Memory: the text, at most 6/5 of the page; 32 levels of SVG
//! and MathML.

mod effect;
mod fast;
mod foreign;
#[cfg(test)]
mod main_part_tests;
mod page_text;
mod raw;
mod reference;
mod scanner;
mod tag;
mod title;

use crate::cpu::Cpu;
use crate::dispatch;
use crate::main_part::Outline;
use crate::params::TextOfPages;
use memchr::memchr2;
use model::{Content, Markup};
use page_text::PageText;
use scanner::Scanner;

/// Writes the text of the page `source` to `text`, which is emptied before.
#[cfg(test)]
pub(crate) fn text_of(cpu: Cpu, source: &str, markup: Markup, text: &mut PageText) {
    text.restart(source.len() + source.len() / 5 + 1);
    scan(cpu, Scanner::new(source, markup, text));
}

/// Makes the text of pages, one after another.
#[derive(Default)]
pub(crate) struct Pages {
    text: PageText,
    outline: Outline,
    has_main_part: bool,
}

impl Pages {
    /// The text of a document, without markup, and of a page that part of it which counts.
    pub(crate) fn read<'a>(
        &'a mut self,
        cpu: Cpu,
        content: Content<'a>,
        text_of_pages: TextOfPages,
    ) -> &'a [u8] {
        let (Content::Html(source) | Content::Xhtml(source)) = content else {
            // a text has no frame
            return match text_of_pages {
                TextOfPages::Frame => &[],
                _ => content.as_str().as_bytes(),
            };
        };
        self.read_page(cpu, source, content.markup(), text_of_pages, None);
        self.text.as_bytes()
    }

    /// As [`Pages::read`] of a page; also lists, in order, ⟨byte of the text, byte of the page⟩
    /// where each piece of text comes from.
    pub(crate) fn read_with_places(
        &mut self,
        source: &str,
        markup: Markup,
        text_of_pages: TextOfPages,
        places: &mut Vec<(usize, usize)>,
    ) -> &[u8] {
        // the portable form hands every piece to `Scanner::push`
        self.read_page(Cpu::portable(), source, markup, text_of_pages, Some(places));
        self.text.as_bytes()
    }

    fn read_page(
        &mut self,
        cpu: Cpu,
        source: &str,
        markup: Markup,
        text_of_pages: TextOfPages,
        places: Option<&mut Vec<(usize, usize)>>,
    ) {
        // two references are longer as text than as written; pages that never reach this never
        // touch the memory
        self.text.restart(source.len() + source.len() / 5 + 1);
        let mut scanner = Scanner::new(source, markup, &mut self.text);
        let mut noted = Vec::new();
        scanner.places = places.is_some().then_some(&mut noted);
        self.has_main_part = true;
        if text_of_pages == TextOfPages::Whole {
            scan(cpu, scanner);
            if let Some(places) = places {
                *places = noted;
            }
            return;
        }
        self.outline.restart();
        scanner.outline = Some(&mut self.outline);
        scan(cpu, scanner);
        let mut ranges = self.outline.finish(self.text.as_bytes());
        self.has_main_part = self.outline.has_main_part();
        if text_of_pages == TextOfPages::Frame {
            ranges = crate::main_part::between(&ranges, self.text.as_bytes().len());
        }
        if let Some(places) = places {
            *places = crate::main_part::places_in(&ranges, &noted);
        }
        self.text.keep(&ranges);
    }

    /// Whether the page that was read last has a main part. If not, all its text stands in.
    pub(crate) fn has_main_part(&self) -> bool {
        self.has_main_part
    }

    /// The text of the page that was read last.
    pub(crate) fn text(&self) -> &[u8] {
        self.text.as_bytes()
    }

    /// The title of a page, see [`title`].
    pub(crate) fn title(&mut self, source: &str, markup: Markup) -> Option<String> {
        title::title_of(source, markup, &mut self.text)
    }

    /// Gives the memory of a large page back.
    pub(crate) fn shrink(&mut self) {
        *self = Pages::default();
    }

    #[cfg(test)]
    pub(crate) fn capacity(&self) -> usize {
        self.text.capacity()
    }
}

/// Reads the whole page: [`fast`] reads the common case, the plain scanner anything else.
fn scan(cpu: Cpu, mut scanner: Scanner<'_>) {
    let source = scanner.source;
    loop {
        if scanner.is_ordinary() {
            dispatch::run(cpu.level(), fast::TagWalk(&mut scanner));
        }
        let Some(found) = memchr2(b'<', b'&', &source.as_bytes()[scanner.at..]) else {
            break;
        };
        scanner.ordinary(scanner.at + found);
        if source.as_bytes()[scanner.at] == b'&' {
            scanner.reference();
        } else {
            scanner.markup();
        }
    }
    scanner.ordinary(source.len());
}
