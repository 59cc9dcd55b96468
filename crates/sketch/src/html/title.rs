//! The title of a page: the text of its first `title` element.
//!
//! *Input.* A page. *Output.* The text, references decoded, white space collapsed. *Algorithm.*
//! Most pages without a title have no `<title` either, so this is looked for first. Then the plain
//! scanner reads the page as far as the element, so that titles in comments, scripts and SVG are
//! passed over. *Limits.* The first 64 KiB of a page, and [`TITLE_CHARS`] of a title.

use super::page_text::PageText;
use super::scanner::Scanner;
use crate::tag_name::TagName;
use memchr::{memchr, memchr_iter};
use model::Markup;

/// Characters of a title that are kept.
const TITLE_CHARS: usize = 200;

/// Bytes of a page in which its title is looked for.
const HEAD_BYTES: usize = 64 << 10;

/// The name of the element behind the bracket of its start tag.
const TITLE: TagName = TagName::of("title");

/// The title of the page `source`; `None` if it has none, or an empty one. The buffer `text` is
/// overwritten.
pub(super) fn title_of(source: &str, markup: Markup, text: &mut PageText) -> Option<String> {
    let source = &source[..source.floor_char_boundary(HEAD_BYTES)];
    let bytes = source.as_bytes();
    memchr_iter(b'<', bytes).find(|&at| TITLE.is_at(bytes, at + 1))?;
    text.restart(source.len() + source.len() / 5 + 1);
    let mut scanner = Scanner::new(source, markup, text);
    // To take U+0000 for present is right for every page, and spares a search of the whole head.
    scanner.nul = Some(true);
    loop {
        scanner.at += memchr(b'<', &bytes[scanner.at..])?;
        let is_found = scanner.is_in_html() && TITLE.is_at(bytes, scanner.at + 1);
        let before = scanner.text.as_bytes().len();
        scanner.markup();
        if is_found {
            let title = scanner.text.as_bytes().get(before..)?;
            return collapsed(std::str::from_utf8(title).ok()?);
        }
    }
}

/// The words of a text with one blank between them, as far as they fit; `None` without words.
fn collapsed(text: &str) -> Option<String> {
    let mut title = String::new();
    let mut room = TITLE_CHARS;
    for word in text.split_whitespace() {
        if !title.is_empty() {
            // A blank that no word follows is not wanted.
            if room < 2 {
                break;
            }
            title.push(' ');
            room -= 1;
        }
        let end = word
            .char_indices()
            .nth(room)
            .map_or(word.len(), |(end, _)| end);
        title.push_str(&word[..end]);
        room -= word[..end].chars().count();
        if room == 0 {
            break;
        }
    }
    (!title.is_empty()).then_some(title)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn title(page: &str) -> Option<String> {
        title_of(page, Markup::Html, &mut PageText::default())
    }

    #[test]
    fn the_first_title_counts() {
        for (page, expected) in [
            ("<title>A page</title>text", Some("A page")),
            (
                "<html><head><TITLE lang=en>\n A  &amp;\tB\u{a0}C </TITLE>",
                Some("A & B C"),
            ),
            ("<title>one</title><title>two</title>", Some("one")),
            ("<title>not <b>bold</b></title>", Some("not <b>bold</b>")),
            ("<title>open to the end", Some("open to the end")),
            ("<!-- <title>no</title> --><title>yes</title>", Some("yes")),
            (
                "<script>'<title>no</title>'</script><title>yes</title>",
                Some("yes"),
            ),
            (
                "<svg><title>no</title></svg><title>yes</title>",
                Some("yes"),
            ),
            (
                "<template><title>no</title></template><title>yes</title>",
                Some("yes"),
            ),
            ("<a title='<title>no'><title>yes", Some("yes")),
            ("<title> &#32; </title>", None),
            ("<titles>no</titles>", None),
            ("<p>no title", None),
            ("<title", None),
            ("", None),
        ] {
            assert_eq!(title(page).as_deref(), expected, "{page}");
        }
    }

    #[test]
    fn xhtml_may_have_an_empty_element() {
        let page = "<title/><p>text";
        assert_eq!(title(page).as_deref(), Some("<p>text"));
        let empty = title_of(page, Markup::Xhtml, &mut PageText::default());
        assert_eq!(empty, None);
    }

    #[test]
    fn a_title_far_down_or_too_long_is_cut() {
        let far = format!("{}<title>far</title>", "x".repeat(HEAD_BYTES));
        assert_eq!(title(&far), None);
        let long = format!("<title>{}</title>", "é".repeat(300));
        assert_eq!(title(&long), Some("é".repeat(TITLE_CHARS)));
        let words = format!("<title>{} b c</title>", "a".repeat(TITLE_CHARS - 2));
        let cut = title(&words).unwrap();
        assert!(cut.ends_with("a b") && cut.len() == TITLE_CHARS, "{cut}");
    }

    /// Pieces of pages.
    fn piece() -> impl Strategy<Value = &'static str> {
        prop::sample::select(vec![
            "<title>",
            "</title>",
            "<svg>",
            "</svg>",
            "<!--",
            "-->",
            "<script>",
            "</script>",
            "a ",
            "&lt;",
            "é",
            "\0",
            "<p>",
            "<template>",
            "</template>",
            "<title/>",
            "&",
            "<",
        ])
    }

    proptest! {
        #[test]
        fn any_page_has_a_title_that_is_part_of_its_text(
            pieces in prop::collection::vec(piece(), 0..40), is_xml: bool,
        ) {
            let page = pieces.concat();
            let markup = if is_xml { Markup::Xhtml } else { Markup::Html };
            let mut text = PageText::default();
            let title = title_of(&page, markup, &mut text);
            super::super::text_of(crate::cpu::Cpu::portable(), &page, markup, &mut text);
            let whole = std::str::from_utf8(text.as_bytes()).unwrap();
            let whole: Vec<&str> = whole.split_whitespace().collect();
            if let Some(title) = title {
                prop_assert!(whole.join(" ").contains(&title), "{title} of {page}");
            }
        }
    }
}
