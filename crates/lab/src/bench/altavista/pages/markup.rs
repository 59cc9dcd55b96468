//! Words → a page as pages were written in 1996.
//!
//! Tags in capitals or not, attributes quoted or not, paragraphs seldom closed, tables, fonts,
//! comments, references: their places are drawn anew at every word, so that no branch of a
//! tokenizer can be foreseen. A style is a stream of random numbers: the same words in another
//! style have the same tokens, because tags that end a word stand only between words and attributes
//! are no text.

use super::vocabulary::{FOREIGN, Vocabulary};
use std::fmt::Write as _;
use testkit::Random;

/// Pairs of tags round a word or some.
const INLINE: [[&str; 2]; 8] = [
    ["<b>", "</b>"],
    ["<i>", "</i>"],
    ["<font size=2>", "</font>"],
    ["<em>", "</em>"],
    ["<tt>", "</tt>"],
    ["<strong>", "</strong>"],
    ["<font color=\"#336699\">", "</font>"],
    ["<u>", "</u>"],
];

/// The separator of words.
const BETWEEN: [&str; 16] = [
    "<p>",
    "<br>",
    "\n<p>\n",
    "<br>\n",
    "</td><td>",
    "</tr>\n<tr bgcolor=\"#cccc99\"><td>",
    "<li type=disc>",
    "<hr size=1 width=\"80%\" noshade>\n",
    "<td align=right valign=top width=120>",
    "&nbsp;",
    " &amp; ",
    "<p align=\"center\">",
    "</ul>\n",
    "<br clear=all>",
    "<dd>",
    " - ",
];

/// Writes the page of so many words.
pub(super) fn page(vocabulary: &Vocabulary, words: &[u16], random: &mut Random, page: &mut String) {
    page.clear();
    let capitals = random.chance(500);
    if random.chance(600) {
        page.push_str("<!DOCTYPE HTML PUBLIC \"-//IETF//DTD HTML//EN\">\n");
    }
    tag(page, capitals, "<html><head><title>");
    let title = words.len().min(5);
    words[..title]
        .iter()
        .for_each(|&word| plain(vocabulary, word, random, page));
    tag(page, capitals, "</title>\n");
    if random.chance(300) {
        _ = writeln!(
            page,
            "<META NAME=\"GENERATOR\" CONTENT=\"editor {}\">",
            random.below(9)
        );
    }
    if random.chance(200) {
        _ = writeln!(page, "<!-- made by program {} -->", random.below(99));
    }
    tag(page, capitals, "</head>\n<body bgcolor=\"#ffffff\">\n<h1>");
    let mut open: Option<(&str, u64)> = None;
    for (at, &word) in words.iter().enumerate().skip(title) {
        if at == title + 6 {
            tag(page, capitals, "</h1>\n");
        }
        let draw = random.bits();
        if open.is_none() && draw & 0xF == 0 {
            let [before, after] = INLINE[(draw >> 8) as usize & 7];
            tag(page, capitals, before);
            open = Some((after, draw >> 16 & 3));
        } else if open.is_none() && draw & 0x7F == 1 {
            link(vocabulary, random, page, draw);
            open = Some(("</a>", draw >> 16 & 3));
        } else if draw & 0x1FF == 2 {
            image(random, page);
        }
        plain(vocabulary, word, random, page);
        open = match open {
            Some((after, 0)) => {
                page.pop();
                tag(page, capitals, after);
                page.push(' ');
                None
            }
            Some((after, left)) => Some((after, left - 1)),
            None => None,
        };
        if draw >> 24 & 0xF < 4 {
            between(page, capitals, draw);
        }
    }
    if let Some((after, _)) = open {
        page.push_str(after);
    }
    if random.chance(800) {
        tag(page, capitals, "\n</body></html>\n");
    }
}

fn tag(page: &mut String, capitals: bool, text: &str) {
    if !capitals {
        page.push_str(text);
        return;
    }
    // Values in quotes keep their letters; it does not matter which.
    page.extend(text.chars().map(|letter| letter.to_ascii_uppercase()));
}

/// A word, perhaps with a capital or a mark behind it, and the separator before the next.
fn plain(vocabulary: &Vocabulary, number: u16, random: &mut Random, page: &mut String) {
    let draw = random.bits();
    let mut letters = vocabulary.word(number).chars();
    if draw & 0xF == 0
        && let Some(first) = letters.next()
    {
        // Letters outside ASCII do not begin a word of the vocabulary.
        page.push(first.to_ascii_uppercase());
    }
    for letter in letters {
        match FOREIGN
            .iter()
            .find(|forms| !letter.is_ascii() && forms[0].starts_with(letter))
        {
            Some(forms) => page.push_str(forms[1 + (draw >> 8) as usize % 2]),
            None => page.push(letter),
        }
    }
    page.push_str(match draw >> 16 & 0x3F {
        0..3 => ".\n",
        3..6 => ", ",
        6 => "&quot; ",
        7 => " (",
        8 => ") ",
        9 => ": ",
        10..14 => "\n",
        _ => " ",
    });
}

fn between(page: &mut String, capitals: bool, draw: u64) {
    let piece = BETWEEN[(draw >> 32) as usize & 0xF];
    // The name of a reference is its own in capitals.
    tag(page, capitals && !piece.contains('&'), piece);
}

fn link(vocabulary: &Vocabulary, random: &mut Random, page: &mut String, draw: u64) {
    // The most frequent words are ASCII, as addresses are.
    let (host, path) = (
        vocabulary.word((draw >> 48 & 63) as u16),
        random.below(1000),
    );
    _ = match draw >> 40 & 3 {
        0 => write!(page, "<A HREF=\"http://www.{host}.com/{path}.html\">"),
        1 => write!(page, "<a href={path}.htm>"),
        2 => write!(page, "<a href='../{host}/index.html' target=_top>"),
        _ => write!(page, "<A NAME=\"s{path}\" HREF=\"#s{path}\">"),
    };
}

fn image(random: &mut Random, page: &mut String) {
    let (number, size) = (random.below(500), random.within(10, 400));
    _ = match random.below(2) {
        0 => write!(
            page,
            "<IMG SRC=\"/gifs/{number}.gif\" ALT=\"[picture > {number}]\" WIDTH={size} BORDER=0> "
        ),
        _ => write!(page, "<img src=pic{number}.gif height={size}> "),
    };
}
