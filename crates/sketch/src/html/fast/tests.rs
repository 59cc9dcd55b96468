//! Every form of the scanner writes the same text.

use super::super::{PageText, text_of};
use crate::cpu::Cpu;
use model::Markup;
use proptest::prelude::*;

fn text(cpu: Cpu, page: &str) -> String {
    let mut text = PageText::default();
    text_of(cpu, page, Markup::Html, &mut text);
    String::from_utf8(text.as_bytes().to_vec()).unwrap()
}

fn agree(page: &str) -> Result<(), TestCaseError> {
    let expected = text(Cpu::portable(), page);
    for cpu in Cpu::all() {
        prop_assert_eq!(text(cpu, page), &expected[..], "{} {:?}", cpu, page);
    }
    Ok(())
}

const ATTRIBUTES: &[&str] = &[
    " x",
    " x=y",
    " x='>'",
    " x=\">\"",
    " x = \"a'b\"",
    " ='>'",
    "/",
    " /",
    " x=/",
    "\n",
    " 'x",
    " x=a\"b",
    " x=",
    " x=''y='' ",
    " a=<b",
    " x=y=\">\"",
    " x=\"\"=\">\"",
    "=\">\"",
    " x=y='>' ",
    " \">\"",
    " class=\"one two three\"",
    " href='a/b.html'",
    " title=\"it's\"",
    " title='say \"so\"'",
    " x=\"",
    " x='",
    " a=\"b\"c=\"d\"",
    " =\">\">",
    " x =\">\"",
    " x= y=\">\"",
    "\0",
    "é",
    " href=\"https://example.org/a/long/path/with/many/steps/index.html?and=a&query=too#and-a-fragment\"",
    " width=271",
    " href=../a/b?c=d",
    " x=y=",
    " x=y'",
    " x=/'>",
    " x=\u{C}y",
    " alt=\"an alternative text of some sixty bytes, > with a bracket inside and more\"",
];

const NAMES: &[&str] = &[
    "a",
    "b",
    "p",
    "div",
    "br",
    "SPAN",
    "wbr",
    "h1",
    "title",
    "script",
    "template",
    "plaintext",
    "blockquote",
    "figcaptio",
    "svg",
    "math",
    "style",
    "xmp",
    "x-custom-element",
    "a\"b",
    "b\0",
    "b=\"x\"",
    "Ab",
    "é",
    "a-name-that-ends-where-the-first-block-of-its-tag-ends-as-well",
];

const TEXTS: &[&str] = &[
    "word",
    " ",
    "\n",
    "é",
    "字",
    "\0",
    "<",
    ">",
    "&",
    "<!",
    "</",
    "<?",
    "--",
    "\"",
    "'",
    "=",
    "/",
    "<!-- > -->",
    "<!--",
    "-->",
    "</>",
    "</3 >",
    "&amp;",
    "&lt;",
    "&ampx",
    "&notit;",
    "&#65;",
    "&nGt;",
    "a text of more than thirty-two bytes, with a stop.",
    "another text that is longer than one block of sixty-four bytes is, so that copying it takes more than two steps",
    "</script>",
    "</template>",
    "</svg>",
    "</title>",
    "</style>",
];

fn soup() -> impl Strategy<Value = String> {
    let name = || prop::sample::select(NAMES);
    let attributes = prop::collection::vec(prop::sample::select(ATTRIBUTES), 0..5)
        .prop_map(|parts| parts.concat());
    let piece = prop_oneof![
        3 => prop::sample::select(TEXTS).prop_map(str::to_string),
        6 => (prop::sample::select(&NAMES[..8]), attributes.clone()).prop_map(|(name, rest)| format!("<{name}{rest}>")),
        1 => (name(), attributes).prop_map(|(name, rest)| format!("<{name}{rest}>")),
        2 => name().prop_map(|name| format!("</{name}>")),
        1 => "[ -~]{0,40}",
        1 => "[<>\"'= a/]{0,12}",
    ];
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

/// Long tags whose difficult parts lie where the blocks of the fast form meet, and around the
/// length it gives up at.
fn long_tags() -> impl Strategy<Value = String> {
    let special = prop::sample::select(
        &[
            "=", "\"", "'", ">", " ", "/", "=\"", "\" ", "x", "\">", "= \"", "=x", "=x ", "=x=",
        ][..],
    );
    let part = (50_usize..66, prop::collection::vec(special, 1..7))
        .prop_map(|(length, specials)| format!("{}{}", "x".repeat(length), specials.concat()));
    let first = prop::sample::select(&["", "q=\"v\" ", "q='v' ", "q=v "][..]);
    (first, prop::collection::vec(part, 1..6)).prop_map(|(first, parts)| {
        format!(
            "<a {first}{}>end{}",
            parts.concat(),
            " and \">'> more".repeat(40)
        )
    })
}

#[test]
fn a_name_longer_than_a_block_may_hold_quotes() {
    for length in 56..72 {
        let name = "a".repeat(length);
        let end = "a page goes on behind it, and so it is read block by block. ".repeat(3);
        agree(&format!(
            "<{name}='<!-- > --><a x='>' class=\"one\">word<b>{end}"
        ))
        .unwrap();
        agree(&format!("<{name}=\"b > c\" d=\"e\">word<b>{end}")).unwrap();
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 20_000, ..ProptestConfig::default() })]

    #[test]
    fn text_of_tag_soup(page in soup()) {
        agree(&page)?;
    }

    #[test]
    fn text_of_long_tags(page in long_tags()) {
        agree(&page)?;
    }

    #[test]
    fn text_of_any_characters(page in prop_oneof!["[<>/!a-c&;#x=\"' \\-\\[\\]]{0,300}", any::<String>()]) {
        agree(&page)?;
        agree(&page.repeat(5))?;
    }
}
