//! The canonical form by example. A change here is a change of `CANONICAL_VERSION`.

use model::Content;
use sketch::{Blanks, CANONICAL_VERSION, TextOfPages, TokenRules, TokenUnit, for_each_token};

fn tokens(rules: TokenRules, content: Content<'_>) -> String {
    let mut tokens = Vec::new();
    for_each_token(rules, content, &mut |token| tokens.push(token.to_string()));
    tokens.join("|")
}

fn check(rules: TokenRules, html: &[(&str, &str)], text: &[(&str, &str)]) {
    assert_eq!(CANONICAL_VERSION, 7);
    for (page, expected) in html {
        assert_eq!(
            &tokens(rules, Content::Html(page)),
            expected,
            "page {page:?}"
        );
    }
    for (text, expected) in text {
        assert_eq!(
            &tokens(rules, Content::Text(text)),
            expected,
            "text {text:?}"
        );
    }
}

const WORDS: TokenRules = TokenRules::WORDS;

#[test]
fn markup() {
    check(
        WORDS,
        &[
            ("", ""),
            ("Hello, World!", "hello|world"),
            ("<p>one</p><p>two</p>", "one|two"),
            ("un<b>bel</b>iev<i>able</i>", "unbelievable"),
            ("one<br>two<hr>three", "one|two|three"),
            (
                "super<wbr>cali&shy;fragi\u{AD}listic",
                "supercalifragilistic",
            ),
            ("H<sub>2</sub>O, x<sup>2</sup>", "h2o|x2"),
            (
                "<ruby>漢<rp>(</rp><rt>kan</rt><rp>)</rp>字<rt>ji</rt></ruby>",
                "漢|kan|字|ji",
            ),
            ("a<!-- b -->c<!-->d<!--->e<!-- --!>f", "acdef"),
            ("<a title='x>y' href=\"z>z\" alt=v>text</a>", "text"),
            (
                "<title>The &amp; title <b>x</b></title>body",
                "the|title|b|x|b|body",
            ),
            ("<textarea>a &lt; b <p></textarea>c", "a|b|p|c"),
            ("<script>if (a<b) x('</p>')</script>after", "after"),
            (
                "<script><!-- <script> </script> --> hidden </script>shown",
                "shown",
            ),
            ("<style>p{color:red}</style>after", "after"),
            ("a<template>b<template>c</template>d</template>e", "a|e"),
            ("<noscript>please <b>en</b>able</noscript>", "please|enable"),
            ("<iframe src=x>no <b>fr</b>ames</iframe> end", "end"),
            (
                "<noframes><p>old</noframes>shown<noembed>older</noembed>",
                "shown",
            ),
            ("<xmp><b>&amp;</b></xmp>", "b|amp|b"),
            ("<plaintext><b>&amp;</plaintext>", "b|amp|plaintext"),
            (
                "<svg><title>t</title><style>s</style><style/>x<script>y</script><![CDATA[<b>]]>z</svg>",
                "t|x|b|z",
            ),
            ("<p><![CDATA[gone]]> here", "here"),
            (
                "<!DOCTYPE html PUBLIC \"-//W3C//DTD\"><?xml hi?></ hi>x",
                "x",
            ),
            ("a < b && c <3", "a|b|c|3"),
            (
                "fish&amp;chips&nbsp;caf&eacute; &copy2024 &notit; &#x41;&#66;&#x43",
                "fish|chips|café|2024|it|abc",
            ),
            (
                "&#147;quoted&#148; &#8364;5 &#0;x &bogus;",
                "quoted|5|\u{FFFD}x|bogus",
            ),
            ("unfinished <b class='", "unfinished"),
            ("unfinished <!-- comment", "unfinished"),
            ("nul\0byte", "nulbyte"),
            ("<X-CUSTOM>a</X-CUSTOM>b<FONT color=red>c</FONT>", "a|bc"),
        ],
        &[("<p>plain &amp; text</p>", "p|plain|amp|text|p")],
    );
}

#[test]
fn elements_of_xml_may_end_at_once() {
    let page = "<title/><script src=x /><iframe/>one <p/>two<![CDATA[<b>]]>";
    let xml = "one|two|b";
    assert_eq!(tokens(WORDS, Content::Xhtml(page)), xml);
    let declared = format!("\n<?xml version='1.0'?>{page}");
    assert_eq!(tokens(WORDS, Content::Html(&declared)), xml);
    let html = "script|src|x|iframe|one|p|two|cdata|b";
    assert_eq!(tokens(WORDS, Content::Html(page)), html);
}

#[test]
fn scripts() {
    check(
        WORDS,
        &[],
        &[
            ("it's 3.14 e-mail foo_bar x2", "it|s|3|14|e|mail|foo|bar|x2"),
            ("ΟΔΟΣ Σ ΣΑΣ ὈΔΥΣΣΕΎΣ", "οδος|σ|σας|ὀδυσσεύς"),
            ("İSTANBUL ıI", "i\u{307}stanbul|ıi"),
            ("STRASSE Straße ẞ", "strasse|straße|ß"),
            ("cafe\u{301} café CAFE\u{301}", "café|café|café"),
            ("H\u{331}", "h\u{331}"),
            ("=\u{338} \u{301}", "\u{301}"),
            ("\u{1112}\u{1161}\u{11AB}국어 한국어", "한국어|한국어"),
            ("日本語テキスト、です。", "日|本|語|テ|キ|ス|ト|で|す"),
            ("か\u{3099} が ｶﾞ 々〇", "が|が|ｶ|ﾞ|々|〇"),
            ("Win95の使い方v2", "win95|の|使|い|方|v2"),
            ("字\u{301}a", "字\u{301}|a"),
            // what was lost is a word, as long as it was
            (
                "\u{FFFD}\u{FFFD} caf\u{FFFD} \u{FFFC}",
                "\u{FFFD}\u{FFFD}|caf\u{FFFD}",
            ),
            ("𠮷野家", "𠮷|野|家"),
            ("ภาษาไทย", "ภ|า|ษ|า|ไ|ท|ย"),
            ("ກຳ", "ກ|ຳ"),
            ("ភាសា", "ភ|ា|ស|ា"),
            ("မြန်", "မ|ြ|န|်"),
            ("שָׁלוֹם עולם", "ש\u{5b8}\u{5c1}לו\u{5b9}ם|עולם"),
            ("مرحبا\u{200F} بِالعالم", "مرحبا|بِالعالم"),
            ("نمی\u{200C}خواهم", "نمیخواهم"),
            ("हिन्दी भाषा", "हिन्दी|भाषा"),
            ("Привет, МИР! й и\u{306}", "привет|мир|й|й"),
            ("①② ½ Ⅷ x²", "①②|½|ⅷ|x²"),
            (
                "zero\u{200B}width \u{FEFF}bom soft\u{AD}hyphen",
                "zerowidth|bom|softhyphen",
            ),
            ("a👨\u{200D}👩b", "a|👨|👩|b"),
            ("nice👍🏽👎", "nice|👍🏽|👎"),
            ("🇩🇪🇫🇷 ❤\u{FE0F} 7\u{FE0F}\u{20E3}", "🇩🇪|🇫🇷|❤|7\u{20E3}"),
            ("C++ © → €", "c"),
            ("“curly”—dash…", "curly|dash"),
            ("\u{212A}elvin Å \u{212B}", "kelvin|å|å"),
            ("e\u{301}\u{316}x e\u{316}\u{301}x", "é\u{316}x|é\u{316}x"),
        ],
    );
}

#[test]
fn numbers_can_be_left_out() {
    let rules = TokenRules {
        unit: TokenUnit::Words,
        drop_numbers: true,
        text_of_pages: TextOfPages::Whole,
    };
    check(
        rules,
        &[("<b>1</b>2 x3 4", "x3")],
        &[("page 12 of ٣٤ 5a ½ Ⅷ一 Ⅷ", "page|of|5a|一")],
    );
    let rules = TokenRules {
        unit: TokenUnit::Chars(Blanks::Drop),
        drop_numbers: true,
        text_of_pages: TextOfPages::Whole,
    };
    check(rules, &[], &[("a1 2b", "a|b")]);
    let rules = TokenRules {
        unit: TokenUnit::Lines,
        drop_numbers: true,
        text_of_pages: TextOfPages::Whole,
    };
    check(rules, &[], &[("12\n1 2\na1", "1 2|a1")]);
}

#[test]
fn characters() {
    let rules = TokenRules {
        unit: TokenUnit::Chars(Blanks::Drop),
        drop_numbers: false,
        text_of_pages: TextOfPages::Whole,
    };
    check(
        rules,
        &[("a<b>B</b><p>&lt;c\u{AD}", "a|b|<|c")],
        &[
            ("Ab, é e\u{301}!\u{3000}日", "a|b|,|é|é|!|日"),
            ("ΟΣ.", "ο|ς|."),
            ("İ", "i|\u{307}"),
            ("= \u{338}", "=|\u{338}"),
        ],
    );
}

#[test]
fn characters_with_white_space() {
    let with = |blanks| TokenRules {
        unit: TokenUnit::Chars(blanks),
        drop_numbers: false,
        text_of_pages: TextOfPages::Whole,
    };
    check(
        with(Blanks::Collapse),
        &[("<p>a<p> b", "a| |b")],
        &[("\t ΑΣ \r\n\u{3000}b \n", "α|ς| |b"), (" \n ", "")],
    );
    check(
        with(Blanks::Keep),
        &[],
        &[(" ΑΣ \r\nb\n", " |α|ς| |\r|\n|b|\n")],
    );
}

#[test]
fn lines() {
    let rules = TokenRules {
        unit: TokenUnit::Lines,
        drop_numbers: false,
        text_of_pages: TextOfPages::Whole,
    };
    check(
        rules,
        &[(
            "<h1>One  <b>Title</b></h1>\n<p>Two\n&amp; three<br> four </p><p> </p>",
            "one title|two|& three|four",
        )],
        &[
            (" A \t b\r\n\n\u{A0}\nC\rd\u{2003}e ", "a b|c|d e"),
            ("ΛΌΓΟΣ ΤΟΥΣ", "λόγος τους"),
        ],
    );
}

#[test]
fn a_token_ends_after_64_kib() {
    let limit = 64 * 1024;
    for (letter, width) in [("A", 1), ("é", 2), ("Σ", 2)] {
        let text = letter.repeat(limit / width + 5);
        for unit in [TokenUnit::Words, TokenUnit::Lines] {
            let mut lengths = Vec::new();
            for_each_token(
                TokenRules {
                    unit,
                    drop_numbers: false,
                    text_of_pages: TextOfPages::Whole,
                },
                Content::Text(&text),
                &mut |t| {
                    lengths.push(t.len());
                },
            );
            assert_eq!(lengths, [limit, 5 * width], "{letter} {unit:?}");
        }
    }
}
