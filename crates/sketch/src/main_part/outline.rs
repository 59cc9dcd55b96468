//! The outline of a page in the making: its blocks, and the elements that they stand in.
//!
//! A *block* is the text between two tags that end a run of words. A *region* is an element that
//! can hold several blocks, or that tells something. Both are noted as the tags pass by: there is a
//! stack of open elements and no tree.

use crate::main_part::element::{
    ENDS_ITSELF, HEADING, ITEM, LEAF, OF_HEAD, PARAGRAPH, PREFORMATTED, StartTag, StartTags, TEXT,
    VOID,
};
use crate::main_part::memory::rest_of;
use crate::main_part::{attributes, tells};
use crate::tag_name::{TagName, ends_name};
use memchr::memmem;

/// Blocks and regions of a page at most; a page of more is taken whole.
pub(crate) const PARTS_MAX: usize = 1 << 15;

/// The most open elements that are kept one by one; deeper ones are counted.
const DEPTH_MAX: usize = 512;

/// How far up an end tag looks for its element: what is not closed in a long page must not make
/// each end tag look at all of it.
const CLOSED_MAX: usize = 40;

/// A text between two tags.
#[derive(Clone, Copy, Debug)]
pub(super) struct TextBlock {
    /// Bytes of the text.
    pub(super) start: usize,
    pub(super) end: usize,
    /// How much it says, see [`letters`], and how much of that stands in links.
    pub(super) letters: u32,
    pub(super) linked: u32,
    /// The innermost region.
    pub(super) region: u32,
    /// The kind of its text, of [`TEXT`].
    pub(super) kind: u16,
    /// Whether it holds a copyright sign, and is short.
    pub(super) is_credit: bool,
}

/// An element that blocks stand in.
#[derive(Clone, Copy, Debug)]
pub(super) struct Region {
    /// The region around it; that of the first one, the page, is itself.
    pub(super) parent: u32,
    /// The hints of its start tag, see [`tells`].
    pub(super) tells: u16,
}

#[derive(Clone, Copy, Debug)]
struct OpenElement {
    name: TagName,
    /// The region, kind and flags around the element.
    region: u32,
    kind: u16,
    inside: u16,
}

/// The outline of one page after another.
#[derive(Default)]
pub(crate) struct Outline {
    pub(super) blocks: Vec<TextBlock>,
    pub(super) regions: Vec<Region>,
    open: Vec<OpenElement>,
    too_deep: usize,
    /// The innermost region at this place, the kind of text, and whether it is in a main part or an
    /// article.
    region: u32,
    kind: u16,
    inside: u16,
    /// Where the block began, and how much of it stands in links that are closed.
    block_start: usize,
    linked: u32,
    /// Where the open link began, or the block within it.
    link_start: Option<usize>,
    start_tags: StartTags,
    pub(super) has_main_part: bool,
}

impl Outline {
    /// Begins a page.
    pub(crate) fn restart(&mut self) {
        self.blocks.clear();
        self.regions.clear();
        self.open.clear();
        self.regions.push(Region {
            parent: 0,
            tells: 0,
        });
        (self.too_deep, self.region, self.kind, self.inside) = (0, 0, 0, 0);
        (self.block_start, self.linked, self.link_start) = (0, 0, None);
    }

    /// Whether the page has more parts than the limit.
    pub(super) fn is_too_long(&self) -> bool {
        self.blocks.len() >= PARTS_MAX || self.regions.len() >= PARTS_MAX
    }

    /// A start tag, from its name to its bracket, that is not written as an element without
    /// content; `text` is the text before it.
    pub(crate) fn start(&mut self, start_tag: &[u8], is_inline: bool, text: &[u8]) {
        if is_inline {
            if let Some(attributes) = behind_link(start_tag) {
                self.end_link(text);
                if attributes::has(attributes, b"href") {
                    self.link_start = Some(text.len());
                }
            }
            return;
        }
        let tag = self.start_tags.read(start_tag);
        // text with line breaks is one text
        if tag.name == TagName::of("br") {
            return;
        }
        self.end_block(text);
        if tag.element & VOID == 0 {
            self.end_implied(tag.name, tag.element);
            self.open(tag);
        }
    }

    /// Ends the elements that this start tag ends.
    fn end_implied(&mut self, name: TagName, element: u16) {
        let head = TagName::of("head");
        while let Some(last) = self.open.last() {
            let is_ended = last.name == name && element & ENDS_ITSELF != 0
                || last.name == head && element & OF_HEAD == 0;
            if !is_ended {
                return;
            }
            self.close_last();
        }
    }

    fn open(&mut self, tag: StartTag) {
        let (name, element, mut tells) = (tag.name, tag.element, tag.tells);
        if self.open.len() >= DEPTH_MAX {
            self.too_deep += 1;
            return;
        }
        if name == TagName::of("header") {
            tells = self.of_header(tells);
        }
        self.open.push(OpenElement {
            name,
            region: self.region,
            kind: self.kind,
            inside: self.inside,
        });
        self.inside |= tells & (tells::MAIN | tells::ARTICLE);
        let kind = element & TEXT;
        if kind == PARAGRAPH {
            // a paragraph of an item or a heading is one
            self.kind = self.kind & (ITEM | HEADING) | kind;
        } else if kind != 0 {
            self.kind = kind;
        } else if name == TagName::of("div") {
            self.kind &= !(PARAGRAPH | HEADING);
        }
        if tells & tells::CODE != 0 {
            self.kind |= PREFORMATTED;
        }
        if (element & LEAF == 0 || tells != 0) && self.regions.len() < PARTS_MAX {
            let parent = self.region;
            self.region = self.regions.len() as u32;
            self.regions.push(Region { parent, tells });
        }
    }

    /// A header outside of the main part is that of the site, unless its name says otherwise.
    fn of_header(&self, tells: u16) -> u16 {
        if self.inside & tells::MAIN != 0 {
            tells & !(tells::FRAME_NAME | tells::FIRM)
        } else if self.inside & tells::ARTICLE != 0 || tells & tells::OF_CONTENT != 0 {
            tells
        } else {
            tells | tells::FRAME_NAME
        }
    }

    /// An end tag, from its name on.
    pub(crate) fn end(&mut self, end_tag: &[u8], is_inline: bool, text: &[u8]) {
        if is_inline {
            if behind_link(end_tag).is_some() {
                self.end_link(text);
            }
            return;
        }
        let (name, _) = TagName::split(end_tag);
        self.end_block(text);
        if self.too_deep > 0 {
            self.too_deep -= 1;
            return;
        }
        let least = self.open.len().saturating_sub(CLOSED_MAX);
        if let Some(at) = self.open[least..]
            .iter()
            .rposition(|open| open.name == name)
        {
            while self.open.len() > least + at {
                self.close_last();
            }
        }
    }

    fn close_last(&mut self) {
        if let Some(open) = self.open.pop() {
            (self.region, self.kind, self.inside) = (open.region, open.kind, open.inside);
        }
    }

    fn end_link(&mut self, text: &[u8]) {
        if let Some(start) = self.link_start.take() {
            self.linked += letters(&text[start..]);
        }
    }

    /// Ends the block at the end of the text; also to be called at the end of the page.
    pub(super) fn end_block(&mut self, text: &[u8]) {
        if self.link_start.is_some() {
            self.end_link(text);
            self.link_start = Some(text.len());
        }
        let block = &text[self.block_start..];
        let letters = letters(block);
        if letters > 0 && self.blocks.len() < PARTS_MAX {
            self.blocks.push(TextBlock {
                start: self.block_start,
                end: text.len(),
                letters,
                linked: self.linked,
                region: self.region,
                kind: self.kind,
                is_credit: letters < CREDIT_LETTERS && has_copyright_sign(block),
            });
        }
        self.linked = 0;
        self.block_start = text.len();
    }
}

/// The bytes behind the name in a tag of a link.
fn behind_link(tag: &[u8]) -> Option<&[u8]> {
    let (name, behind) = tag.split_first_chunk::<1>()?;
    let is_link =
        name.eq_ignore_ascii_case(b"a") && behind.first().is_none_or(|&byte| ends_name(byte));
    is_link.then_some(behind)
}

/// A text with a copyright sign that is shorter names an owner.
const CREDIT_LETTERS: u32 = 120;

fn has_copyright_sign(text: &[u8]) -> bool {
    !text.is_ascii() && memmem::find(text, "©".as_bytes()).is_some()
}

/// How much a text says: characters but for white space, where one of three bytes and more, as in
/// scripts that write a word with one or two, counts as three.
fn letters(text: &[u8]) -> u32 {
    let (words, rest) = text.as_chunks::<8>();
    let words = words.iter().map(|word| u64::from_le_bytes(*word));
    words.map(letters_of_word).sum::<u32>() + letters_of_word(rest_of(rest))
}

/// The letters of eight bytes at once; zeros count nothing.
fn letters_of_word(word: u64) -> u32 {
    const FIRST: u64 = 0x0101_0101_0101_0101;
    // the highest bit of each byte: above white space, if it is ASCII; the begin of a character
    let shown = (word & (0x7F * FIRST)) + 0x5F * FIRST;
    let begins = word & word << 1;
    let one = (!word & shown | begins) & (0x80 * FIRST);
    let two_more = begins & word << 2 & (0x80 * FIRST);
    let sum = (one >> 7) + (two_more >> 6);
    (sum.wrapping_mul(FIRST) >> 56) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_are_counted_by_script() {
        for (text, expected) in [
            ("", 0),
            (" \n\t ", 0),
            ("two words\n", 8),
            ("überall", 7),
            ("слово", 5),
            ("日本", 6),
        ] {
            assert_eq!(letters(text.as_bytes()), expected, "{text}");
            let long = text.repeat(1000);
            assert_eq!(letters(long.as_bytes()), 1000 * expected, "{text}");
        }
    }

    #[test]
    fn letters_of_single_bytes() {
        for byte in 0..=255u8 {
            let begins = u32::from(byte > b' ' && byte & 0xC0 != 0x80);
            let expected = begins + 2 * u32::from(byte >= 0xE0);
            for at in 0..8 {
                let mut bytes = [0; 8];
                bytes[at] = byte;
                assert_eq!(
                    letters_of_word(u64::from_le_bytes(bytes)),
                    expected,
                    "{byte} at {at}"
                );
            }
            assert_eq!(
                letters_of_word(u64::from_le_bytes([byte; 8])),
                8 * expected,
                "{byte}"
            );
        }
    }
}
