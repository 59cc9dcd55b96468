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
mod page_text;
mod raw;
mod reference;
mod scanner;
mod tag;
mod title;

pub(crate) use page_text::PageText;
pub(crate) use title::title_of;

use crate::cpu::Cpu;
use crate::dispatch;
use memchr::memchr2;
use model::Markup;
use scanner::Scanner;

/// Writes the text of the page `source` to `text`, which is emptied before.
pub(crate) fn text_of(cpu: Cpu, source: &str, markup: Markup, text: &mut PageText) {
    // two references are longer as text than as written; pages that never reach this never touch
    // the memory
    text.restart(source.len() + source.len() / 5 + 1);
    read_page(cpu, Scanner::new(source, markup, text, None));
}

/// As [`text_of`]; also lists, in order, ⟨byte of the text, byte of the page⟩ where each piece of
/// text comes from.
pub(crate) fn text_with_places(
    source: &str,
    markup: Markup,
    text: &mut PageText,
    places: &mut Vec<(usize, usize)>,
) {
    text.restart(source.len() + source.len() / 5 + 1);
    // the portable form hands every piece to `Scanner::push`
    read_page(
        Cpu::portable(),
        Scanner::new(source, markup, text, Some(places)),
    );
}

/// Reads the whole page: [`fast`] reads the common case, the plain scanner anything else.
fn read_page(cpu: Cpu, mut scanner: Scanner<'_>) {
    let source = scanner.source;
    loop {
        if scanner.is_ordinary() {
            dispatch::run(cpu.level(), fast::Walk(&mut scanner));
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
