//! The hints of classes and ids on an element.
//!
//! A name is read as words: runs of letters, parted where a capital follows a small letter. A word,
//! or two words that stand together, may be in a table: `sidebar`, `side-bar` and `sideBar` are the
//! same. The words are those of the tools that write most pages, so English for the most part, in
//! whatever language the page is. Names that describe a layout (`has-sidebar`, `md:hidden`) and
//! long names, which are headings made into ids, tell nothing.

use crate::main_part::memory::Memory;
use crate::main_part::table::WordTable;
use crate::main_part::tells;
use crate::main_part::words::{
    ABOUT, CODE, CONTENT, FIRM, HEAD_AND_FOOT, NOT_SEEN, OFFERS, OTHER_PAGES, WAYS,
};
use crate::tag_name::packed;
use memchr::memchr;

/// A name of more words is a heading or a path.
const WORDS_MAX: usize = 4;

/// Words that make a name a state or a layout, where they are its first one.
const OF_STATE: u16 = 1 << 15;

/// A name of this word alone says that the element is content.
const CONTENT_ALONE: u16 = 1 << 14;

/// The meanings of words and pairs of words.
static WORDS: WordTable = WordTable::new(&[
    ("has no with is not without hide show elementor", OF_STATE),
    (WAYS, tells::FRAME_NAME),
    (HEAD_AND_FOOT, tells::FRAME_NAME),
    (OTHER_PAGES, tells::FRAME_NAME),
    (OFFERS, tells::FRAME_NAME),
    (ABOUT, tells::FRAME_NAME),
    (NOT_SEEN, tells::FRAME_NAME),
    (FIRM, tells::FRAME_NAME | tells::FIRM),
    (
        "teaser teasers card cards promobox callout infobox factbox tile tiles",
        tells::TEASER,
    ),
    ("caption credit credits figcaption legend", tells::CAPTION),
    (CONTENT, tells::CONTENT),
    ("header", tells::HEADER),
    (CODE, tells::CODE),
    (
        "article content contents entry hentry post story",
        CONTENT_ALONE,
    ),
]);

/// The hints of the value of a class or an id.
pub(super) fn tells_of(value: &[u8], names: &mut Memory<u16>) -> u16 {
    value
        .split(u8::is_ascii_whitespace)
        .fold(0, |tells, name| tells | names.get(name, tells_of_name))
}

fn tells_of_name(name: &[u8]) -> u16 {
    // `md:hidden` and the like say how an element is shown on some screens
    if memchr(b':', name).is_some() {
        return 0;
    }
    if name == b"hidden" {
        return tells::FRAME_NAME;
    }
    let mut words = [0; WORDS_MAX];
    let mut count = 0;
    for word in NameWords(name) {
        match words.get_mut(count) {
            Some(place) => *place = word,
            None => return 0,
        }
        count += 1;
    }
    let words = &words[..count];
    let Some(&first) = words.first() else {
        return 0;
    };
    let meaning = WORDS.meaning(first);
    if meaning & OF_STATE != 0 {
        return 0;
    }
    if count == 1 && meaning & CONTENT_ALONE != 0 {
        return tells::CONTENT | tells::OF_CONTENT;
    }
    let singles = words.iter().map(|word| WORDS.meaning(*word));
    let pairs = words
        .windows(2)
        .map(|pair| WORDS.meaning(joined(pair[0], pair[1])));
    let all = singles.chain(pairs).fold(0, |all, meaning| all | meaning);
    let of_content = if meaning & CONTENT_ALONE != 0 || is_site_part(first) {
        tells::OF_CONTENT
    } else {
        0
    };
    all & !(OF_STATE | CONTENT_ALONE) | of_content
}

/// Whether a header of this name may be that of an article: `page-header`, `news-header`.
fn is_site_part(first: u128) -> bool {
    [packed(b"page"), packed(b"news")].contains(&first)
}

/// Two packed words as one; 0, which no table has, if they are too long together.
fn joined(first: u128, second: u128) -> u128 {
    let bits = 8 * second.leading_zeros().div_euclid(8);
    let length = u128::BITS - bits;
    if first == 0 || second == 0 || first.leading_zeros() < length {
        return 0;
    }
    first << length | second
}

/// The words of a name, packed, in lower case; 0 for words of more than 16 letters.
struct NameWords<'a>(&'a [u8]);

impl Iterator for NameWords<'_> {
    type Item = u128;

    fn next(&mut self) -> Option<u128> {
        let start = self.0.iter().position(u8::is_ascii_alphabetic)?;
        let name = &self.0[start..];
        let mut before = Letter::Capital;
        let goes_on = |byte: &&u8| {
            let letter = LETTERS[usize::from(**byte)];
            let goes_on =
                letter == Letter::Small || letter == Letter::Capital && before == Letter::Capital;
            before = letter;
            goes_on
        };
        let (word, rest) = name.split_at(name.iter().take_while(goes_on).count());
        self.0 = rest;
        Some(packed(word))
    }
}

/// The kind of a byte.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Letter {
    None,
    Small,
    Capital,
}

/// The kind of each byte.
static LETTERS: [Letter; 256] = {
    let mut letters = [Letter::None; 256];
    let mut at = 0;
    while at < 26 {
        letters[b'a' as usize + at] = Letter::Small;
        letters[b'A' as usize + at] = Letter::Capital;
        at += 1;
    }
    letters
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_what_their_words_say() {
        let (frame, firm) = (tells::FRAME_NAME, tells::FRAME_NAME | tells::FIRM);
        for (value, expected) in [
            ("sidebar", frame),
            ("side-bar left", frame),
            ("leftSideBar", frame),
            ("NAVBAR navbar-fixed", frame),
            ("comments", firm),
            ("site-footer", firm),
            ("article-body", tells::CONTENT | tells::OF_CONTENT),
            ("articleBody", tells::CONTENT | tells::OF_CONTENT),
            ("content", tells::CONTENT | tells::OF_CONTENT),
            ("content-box", tells::OF_CONTENT),
            ("teaser-text", tells::TEASER),
            ("hidden", frame),
            ("blob-code", tells::CODE),
            ("code-toolbar", tells::CODE | frame),
            // layouts and states
            ("has-sidebar", 0),
            ("md:hidden overflow-hidden", 0),
            // a heading
            ("sharing-your-work-with-other-people", 0),
            ("navigable", 0),
            ("", 0),
            ("--", 0),
            ("averyveryverylongword-nav", frame),
        ] {
            let tells = tells_of(value.as_bytes(), &mut Memory::default());
            assert_eq!(tells, expected, "{value}");
        }
    }

    #[test]
    fn words_are_joined_up_to_sixteen_letters() {
        let word = |text: &str| NameWords(text.as_bytes()).next().expect("a word");
        assert_eq!(joined(word("side"), word("bar")), word("sidebar"));
        assert_eq!(
            joined(word("eightlet"), word("terseach")),
            word("eightletterseach")
        );
        assert_eq!(joined(word("eightlets"), word("terseach")), 0);
    }
}
