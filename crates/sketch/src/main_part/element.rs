//! The meaning of the start tag of an element: of its name, its role, its classes.

use crate::main_part::memory::Memory;
use crate::main_part::table::WordTable;
use crate::main_part::{attributes, names, tells};
use crate::tag_name::TagName;

/// Without content and end tag.
pub(super) const VOID: u16 = 1;
/// Text in it is never content: controls, pictures, what stands in for scripts.
const NEVER: u16 = 1 << 1;
/// A frame by its name.
const FRAME: u16 = 1 << 2;
/// The main part by its name, or an article.
const MAIN: u16 = 1 << 3;
const ARTICLE: u16 = 1 << 4;
/// Too small to be the element around the main part.
pub(super) const LEAF: u16 = 1 << 5;
/// Its start tag ends an open one of the same name right above it.
pub(super) const ENDS_ITSELF: u16 = 1 << 6;
/// The page or its body, whose classes describe the layout.
const WHOLE: u16 = 1 << 7;
/// Classes of content on it are those of a list or a form of articles.
const NO_CONTENT: u16 = 1 << 8;
/// May stand in the head of a page.
pub(super) const OF_HEAD: u16 = 1 << 9;
/// The kind of text in the element.
pub(super) const HEADING: u16 = 1 << 10;
pub(super) const ITEM: u16 = 1 << 11;
pub(super) const PARAGRAPH: u16 = 1 << 12;
pub(super) const CELL: u16 = 1 << 13;
pub(super) const PREFORMATTED: u16 = 1 << 14;
/// All kinds of text.
pub(super) const TEXT: u16 = HEADING | ITEM | PARAGRAPH | CELL | PREFORMATTED;

static ELEMENTS: WordTable = WordTable::new(&[
    (
        "area base br col embed hr img input link meta source track wbr param",
        VOID,
    ),
    ("head title noscript svg math iframe object select", NEVER),
    (
        "option button textarea canvas video audio datalist dialog",
        NEVER,
    ),
    ("nav footer aside menu", FRAME),
    ("main", MAIN),
    ("article", ARTICLE),
    ("h1 h2 h3 h4 h5 h6", HEADING | LEAF),
    ("li dt dd", ITEM | LEAF),
    ("p", PARAGRAPH | LEAF),
    ("blockquote figcaption", PARAGRAPH),
    ("pre", PREFORMATTED),
    ("td", CELL),
    ("th", CELL | LEAF),
    ("tr tbody html", LEAF),
    ("p li td th dt dd tr option", ENDS_ITSELF),
    ("html body", WHOLE),
    ("html body li ul a form", NO_CONTENT),
    (
        "head title base link meta style script noscript template",
        OF_HEAD,
    ),
]);

/// The meaning of a start tag.
#[derive(Clone, Copy)]
pub(super) struct StartTag {
    pub(super) name: TagName,
    /// The meaning of the name of the element.
    pub(super) element: u16,
    /// The hints of the tag on the element, see [`tells`].
    pub(super) tells: u16,
}

#[derive(Default)]
pub(super) struct StartTags {
    tags: Memory<StartTag>,
    names: Memory<u16>,
}

impl StartTags {
    /// Reads a tag from its name to its bracket.
    pub(super) fn read(&mut self, tag: &[u8]) -> StartTag {
        let StartTags { tags, names } = self;
        tags.get(tag, |tag| {
            let (name, attributes) = TagName::split(tag);
            let element = ELEMENTS.meaning(name.0);
            StartTag {
                name,
                element,
                tells: tells_of(element, name, attributes, names),
            }
        })
    }
}

/// The hints of a start tag whose name means `element`; `attributes` are the bytes between the name
/// and the bracket.
fn tells_of(element: u16, name: TagName, attributes: &[u8], names: &mut Memory<u16>) -> u16 {
    let mut tells = 0;
    let mut set = |bits: u16, is_so: bool| tells |= if is_so { bits } else { 0 };
    set(tells::NEVER, element & NEVER != 0);
    set(tells::HEADER, name == TagName::of("header"));
    set(tells::STANDS_IN, element & OF_HEAD != 0);
    set(tells::FRAME_ELEMENT, element & FRAME != 0);
    set(
        tells::FRAME_NAME | tells::FIRM,
        name == TagName::of("footer"),
    );
    set(tells::MAIN | tells::CONTENT, element & MAIN != 0);
    set(tells::ARTICLE | tells::CONTENT, element & ARTICLE != 0);
    set(tells::CAPTION, name == TagName::of("figcaption"));
    let mut by_name = 0;
    // most tags have none
    if attributes.len() > 1 {
        attributes::for_each(attributes, |key, value| match key {
            b"class" | b"id" | b"CLASS" | b"ID" => by_name |= names::tells_of(value, names),
            b"role" => tells |= of_role(value),
            b"hidden" => tells |= tells::NOT_SHOWN,
            b"aria-hidden" if value == b"true" => tells |= tells::NOT_SHOWN,
            b"style" if hides(value) => tells |= tells::NOT_SHOWN,
            b"itemprop" if value == b"articleBody" => tells |= tells::CONTENT,
            _ => {}
        });
    }
    if element & NO_CONTENT != 0 {
        by_name &= !tells::CONTENT;
    }
    let is_content = (tells | by_name) & (tells::CONTENT | tells::CODE) != 0;
    if element & WHOLE != 0 || is_content {
        by_name &= !(tells::FRAME_NAME | tells::FIRM);
    }
    tells | by_name
}

fn of_role(role: &[u8]) -> u16 {
    match role {
        b"main" => tells::MAIN | tells::CONTENT,
        b"article" => tells::ARTICLE | tells::CONTENT,
        b"navigation" | b"banner" | b"contentinfo" | b"complementary" | b"search" | b"dialog"
        | b"alertdialog" | b"menu" | b"menubar" | b"toolbar" | b"tablist" => tells::FRAME_ELEMENT,
        _ => 0,
    }
}

/// Whether a style has `display:none`, white space or not.
fn hides(style: &[u8]) -> bool {
    let mut letters = style.iter().filter(|byte| !byte.is_ascii_whitespace());
    loop {
        let rest = letters.clone();
        if rest.take(12).eq(b"display:none") {
            return true;
        }
        if letters.next().is_none() {
            return false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tells(name: &str, attributes: &str) -> u16 {
        let tag = format!("{name}{attributes}");
        StartTags::default().read(tag.as_bytes()).tells
    }

    #[test]
    fn start_tags_tell_of_their_elements() {
        let main = tells::MAIN | tells::CONTENT;
        for (name, attributes, expected) in [
            ("div", ">", 0),
            ("main", ">", main),
            ("div", " role=main>", main),
            ("nav", ">", tells::FRAME_ELEMENT),
            ("div", " class=sidebar>", tells::FRAME_NAME),
            // of two names, that of content counts
            (
                "div",
                " class='post-content with-sidebar nav'>",
                tells::CONTENT | tells::OF_CONTENT,
            ),
            ("body", " class='sidebar comments'>", 0),
            ("li", " class=post>", tells::OF_CONTENT),
            ("div", " class=code-toolbar>", tells::CODE),
            (
                "div",
                " style='color: red; display : none'>",
                tells::NOT_SHOWN,
            ),
            ("div", " style='display: block'>", 0),
            ("div", " hidden>", tells::NOT_SHOWN),
            ("div", " aria-hidden=false>", 0),
            ("section", " itemprop=\"articleBody\">", tells::CONTENT),
            ("button", ">", tells::NEVER),
            ("figcaption", ">", tells::CAPTION),
        ] {
            assert_eq!(tells(name, attributes), expected, "{name}{attributes}");
        }
    }
}
