//! Pages of all kinds: what is their main part?

use super::Pages;
use crate::cpu::Cpu;
use crate::params::TextOfPages;
use model::{Content, Markup};
use proptest::prelude::*;

const MAIN: TextOfPages = TextOfPages::Main { words_min: 0 };

/// A sentence that tells which one it is.
fn sentence(name: &str) -> String {
    format!(
        "The {name} is told here in a sentence that is long enough to be one of a text, as people write them."
    )
}

const NAV: &str = "<nav><ul><li><a href=/>Home</a><li><a href=/docs>Documents</a></ul></nav>";
const HEADER: &str = "<header><a href=/>The name of the site</a> and what it promises to all of its readers</header>";
const FOOTER: &str = "<footer><p>All rights are reserved by the owner of this site, who may be asked by letter only.</footer>";

/// The words that count, white space collapsed.
fn main_of(page: &str) -> String {
    let mut pages = Pages::default();
    let text = pages.read(Cpu::chosen(), Content::Html(page), MAIN);
    let text = String::from_utf8_lossy(text).into_owned();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The page of a site, with this content in its middle.
fn page(content: &str) -> String {
    format!("<title>Title</title><body>{HEADER}{NAV}<div id=content>{content}</div>{FOOTER}")
}

fn has(page: &str, words: &[&str]) {
    let main = main_of(page);
    for word in words {
        assert!(main.contains(word), "{word} is not in {main:?}");
    }
}

fn has_not(page: &str, words: &[&str]) {
    let main = main_of(page);
    for word in words {
        assert!(!main.contains(word), "{word} is in {main:?}");
    }
}

#[test]
fn the_frame_of_a_site_does_not_count() {
    let article = format!(
        "<h1>Heading</h1><p>{}<p>{}",
        sentence("first"),
        sentence("second")
    );
    has(&page(&article), &["Heading", "The first", "The second"]);
    has_not(
        &page(&article),
        &["Title", "promises", "Documents", "reserved"],
    );
    // the same content in the frame of another site
    let other = format!(
        "<body><div class=topbar>Somewhere else</div><div role=main>{article}</div><div class='sidebar'>{}</div>",
        sentence("sidebar")
    );
    assert_eq!(main_of(&other), main_of(&page(&article)));
}

#[test]
fn without_names_the_text_tells_itself() {
    let links: String = (0..20)
        .map(|n| format!("<td><a href=/{n}>Place {n}</a>"))
        .collect();
    let old = format!(
        "<table><tr>{links}</table><table><tr><td>{}<br>{}<br>{}</table><table><tr>{links}</table>",
        sentence("first"),
        sentence("second"),
        sentence("third"),
    );
    has(&old, &["The first", "The third"]);
    has_not(&old, &["Place"]);
}

#[test]
fn comments_below_an_article_do_not_count_however_long() {
    let comments: String = (0..4)
        .map(|n| format!("<p>{}", sentence(&format!("comment{n}"))))
        .collect();
    let with = format!(
        "<article><p>{}<p>{}</article><div id=comments>{comments}</div>",
        sentence("first"),
        sentence("second")
    );
    has(&page(&with), &["The first", "The second"]);
    has_not(&page(&with), &["comment0"]);
}

#[test]
fn a_cookie_banner_and_what_is_hidden_do_not_count() {
    let banner = sentence("banner");
    let with = format!(
        "<div class='cookie-consent'>{banner}</div><div style='display: none'>{banner}</div><p>{}<p>{}",
        sentence("first"),
        sentence("second"),
    );
    has(&page(&with), &["The first"]);
    has_not(&page(&with), &["banner"]);
}

#[test]
fn a_hidden_help_of_the_search_does_not_count_though_it_is_most_of_a_page() {
    let help = sentence("help").repeat(3);
    let hidden = format!("<div id=search-results style='display:none'><p>{help}</div>");
    let text = "<h1>Quit</h1><p>Says whether it was quit.<p>Sets the flag.<p>Checks it.";
    let page = format!("<div id=main>{hidden}{text}</div>");
    has(&page, &["Says whether"]);
    has_not(&page, &["help"]);
    // hidden until a script shows it
    let hidden = format!("<div id=page style='display:none'><p>{help}</div><p>Please wait.");
    has(&hidden, &["The help"]);
}

#[test]
fn a_name_that_lies_is_not_believed() {
    // all of the text is in what is called a widget, with an article inside
    let inner = format!(
        "<article class=post>{}</article>",
        format!("<p>{}", sentence("first")).repeat(5)
    );
    has(
        &format!("<body><div class='widget sidebar'>{inner}</div>{FOOTER}"),
        &["The first"],
    );
    // all of it is hidden until a script shows it
    has(
        &format!("<body><div style='display:none'>{inner}</div>"),
        &["The first"],
    );
    // everything is a footer
    has(
        &format!("<footer><p>{}</footer>", sentence("first")),
        &["The first"],
    );
}

#[test]
fn poems_code_and_tables_are_kept_whole() {
    let poem = "<div class=poem>Short lines<br>make a poem,<br>and nobody<br>should cut them<br>as they are few</div>";
    let code = "<pre>fn main() {\n    let x = 1;\n}</pre>";
    let table = "<table><tr><th>Name<th>Size<tr><td>small<td>1<tr><td>large<td>9</table>";
    let mixed = format!(
        "<p>{}{poem}{code}{table}<p>{}",
        sentence("first"),
        sentence("second")
    );
    has(
        &page(&mixed),
        &["Short lines make a poem,", "let x = 1;", "small 1 large 9"],
    );
}

#[test]
fn code_counts_line_by_line_with_the_links_in_it() {
    let licence: String = (0..4)
        .map(|n| {
            format!(
                "<div class=line>// {}</div>",
                sentence(&format!("licence{n}"))
            )
        })
        .collect();
    let lines =
        "<div class=line><a href=1>int</a> <a href=2>first</a>;</div><div class=line>return;</div>";
    let source = page(&format!("<div class=fragment>{licence}{lines}</div>"));
    has(&source, &["The licence3", "int first;", "return;"]);
    let tools = format!(
        "<div class=code-toolbar><pre>fn main</pre></div><p>{}",
        sentence("first")
    );
    has(&page(&tools), &["fn main", "The first"]);
}

#[test]
fn short_texts_of_what_names_itself_content_are_not_lost_below_an_introduction() {
    let introduction = ["first", "second", "third"].map(sentence).join("<p>");
    let lines = "<div>Monday 7:15 Oslo</div><div>Tuesday 8:20 Bergen</div>".repeat(20);
    for content in ["main", "article", "div id=content"] {
        let page = format!("{HEADER}{NAV}<{content}><p>{introduction}{lines}");
        has(&page, &["The first", "Monday 7:15 Oslo"]);
        has_not(&page, &["Documents"]);
    }
}

#[test]
fn one_of_several_articles_is_not_the_page() {
    let long = ["first", "second", "third", "fourth", "fifth"]
        .map(|name| format!("<p>{}", sentence(name)));
    let article = |text: &str| format!("<article>{text}</article>");
    let other = article(&format!("<p>{}", sentence("other")));
    let both = ["The first", "The fifth", "The other"];
    for content in [
        article(&long.concat()) + &other,
        other.clone() + &article(&long.concat()),
        format!(
            "<div>{}</div><hr><div>{other}</div>",
            article(&long.concat())
        ),
    ] {
        let page = format!("<body>{HEADER}{NAV}{content}{FOOTER}");
        has(&page, &both);
        has_not(&page, &["promises", "Documents", "reserved"]);
    }
}

#[test]
fn however_short_a_main_part_the_frame_beside_it_does_not_count() {
    let long = sentence("frame").repeat(6);
    for main in ["", "<h1>A photo</h1>", "Loading…"] {
        for frame in ["aside", "nav", "footer", "div class=sidebar"] {
            let end = frame.split(' ').next().unwrap_or(frame);
            let page = format!("<main>{main}</main><{frame}><p>{long}</p></{end}>");
            let mut pages = Pages::default();
            let text = pages
                .read(Cpu::chosen(), Content::Html(&page), MAIN)
                .to_vec();
            let text = String::from_utf8_lossy(&text);
            let is_main = pages.has_main_part();
            assert!(!is_main || !text.contains("The frame"), "{page}: {text}");
            assert_eq!(is_main, !main.is_empty(), "{page}");
        }
    }
}

#[test]
fn articles_in_an_aside_are_none_of_the_page() {
    let other = format!("<article><p>{}</article>", sentence("other").repeat(12));
    for own in ["main", "article"] {
        let own = format!("<{own}><p>{}</{own}>", sentence("own"));
        let page = format!("{HEADER}{own}<aside>{other}</aside>{FOOTER}");
        has(&page, &["The own"]);
        has_not(&page, &["The other", "promises", "reserved"]);
    }
}

#[test]
fn content_is_found_though_all_of_it_has_a_name_of_a_frame() {
    let contents = "<li><a href=a>The first chapter</a><li><a href=b>The second chapter</a>";
    let page = |inside: &str| {
        format!("{HEADER}<div class=sidebar>Search terms</div><main>{inside}</main>{FOOTER}")
    };
    let named = page(&format!(
        "<section id=table-of-contents><ul>{contents}</ul></section>"
    ));
    has(&named, &["first chapter", "second chapter"]);
    has_not(&named, &["promises", "Search", "reserved"]);
    let mut pages = Pages::default();
    for (page, has_main_part) in [(named, true), (page(""), false)] {
        pages.read(Cpu::chosen(), Content::Html(&page), MAIN);
        assert_eq!(pages.has_main_part(), has_main_part, "{page}");
    }
}

#[test]
fn beside_content_a_frame_is_one_however_short_the_content() {
    let own = "<p>A pen that writes below water.";
    let rest = format!("<p>{}", sentence("rest")).repeat(6);
    for frame in [
        "footer",
        "aside",
        "nav",
        "div role=contentinfo",
        "div id=cookie-banner",
        "header",
        "div class=header",
        "div class=sidebar",
        "div class=sphinxsidebar",
    ] {
        for content in ["main", "article", "div id=content"] {
            let (close, end) = (&content[..3], &frame[..3]);
            let close = if close == "div" { "div" } else { content };
            let end = if end == "div" { "div" } else { frame };
            let page = format!("<body><{content}>{own}</{close}><{frame}>{rest}</{end}>");
            has(&page, &["A pen"]);
            has_not(&page, &["The rest"]);
        }
    }
    let sidebar = format!("<body><main>{own}</main><div class=sidebar>{rest}</div>");
    has_not(&sidebar, &["The rest"]);
}

#[test]
fn what_is_said_where_scripts_do_not_run_and_the_title_are_no_main_part() {
    let notice = "We are sorry, but the app does not work without scripts, so please enable them.";
    let page = format!(
        "<head><title>The app: product 1</title></head><body><noscript><strong>{notice}</strong></noscript>\
         <div id=app></div><script src=app.js></script>"
    );
    assert_eq!(main_of(&page), "");
    // a frame is all that is left of other pages
    let menu = format!("<title>The app</title><noscript>{notice}</noscript>{NAV}");
    assert_eq!(main_of(&menu), "Home Documents");
}

#[test]
fn entries_with_a_link_and_a_text_below_an_introduction_are_not_lost() {
    let introduction = ["first", "second", "third"].map(sentence).join("<p>");
    let entry = "<li><a href=/b>the name of the book</a> by somebody</li>";
    let page = format!(
        "{HEADER}<main><p>{introduction}<ul>{}</ul></main>",
        entry.repeat(90)
    );
    has(&page, &["The first", "the name of the book by somebody"]);
}

#[test]
fn a_list_of_links_line_by_line_is_no_code() {
    let lines = |line: &str| format!("<div class=line-block><div class=line>{line}</div></div>");
    let links = lines("<a href=x>another_function_of_the_library()</a>").repeat(9);
    let poem = lines("a line of it").repeat(2);
    let text = ["first", "second", "third"].map(sentence).join("<p>");
    let page = page(&format!("<p>{text}{poem}<p>See also{links}"));
    has(&page, &["The first", "a line of it"]);
    has_not(&page, &["another_function"]);
}

#[test]
fn a_lead_before_the_article_counts_and_the_headings_of_links_do_not() {
    let lead = sentence("lead");
    let related = "<h2>Read this too</h2><ul><li><a href=/1>One other article of this site</a><li><a href=/2>And one more</a></ul>";
    let with = format!(
        "<body>{NAV}<h1>Heading</h1><p>{lead}<div class=article-body><p>{}<p>{}{related}</div>{FOOTER}",
        sentence("first"),
        sentence("second"),
    );
    has(&with, &["The lead", "The first", "The second"]);
    has_not(&with, &["Read this too", "One other"]);
}

#[test]
fn an_index_is_what_is_left_without_the_frame() {
    let index: String = (0..20)
        .map(|n| format!("<li><a href=/{n}>Entry {n}</a>"))
        .collect();
    has(
        &page(&format!("<ul>{index}</ul>")),
        &["Entry 0", "Entry 19"],
    );
    has_not(&page(&format!("<ul>{index}</ul>")), &["Home", "reserved"]);
    // a page of nothing but a frame is all of its text
    has(&format!("<body>{NAV}"), &["Home Documents"]);
    assert_eq!(main_of(""), "");
    assert_eq!(main_of("<p> <p> "), "");
}

#[test]
fn what_stands_around_a_main_part_is_no_frame_however_long_the_menu() {
    let menu: String = (0..200)
        .map(|n| format!("<li><a href={n}>The page of number {n}</a>"))
        .collect();
    let part = "<h1>storage.Image</h1><dl><dt>storage.Image = '1.2.840.10008.5.1.4.1.1.4.1'<dd>A name of storage</dl>";
    let page = format!(
        "<body><nav>{menu}</nav><section class=nav-content-wrap><div role=main>{part}</div></section>"
    );
    has(&page, &["storage.Image", "A name of storage"]);
    has_not(&page, &["of number 0"]);
}

#[test]
fn beside_a_main_part_a_long_footer_is_a_footer() {
    let page = "<main><h1>Uses of the class First</h1>There is no usage of First.</main>";
    let long = format!(
        "<footer><p>{}<p>{}</footer>",
        sentence("first"),
        sentence("second")
    );
    has(&format!("<body>{page}{long}"), &["no usage of First"]);
    has_not(&format!("<body>{page}{long}"), &["The second"]);
    // Without a main part, it holds the text of the page.
    has(&format!("<body>{long}"), &["The second"]);
}

#[test]
fn a_footer_does_not_count_though_it_is_most_of_a_short_page() {
    let licence = sentence("licence");
    for footer in [
        format!("<div class=copyright-footer>{licence}</div>"),
        format!("<footer>{licence}</footer>"),
        format!("<footer>{}</footer>", licence.repeat(2)),
    ] {
        let page = format!("<body>{NAV}<h2>Function count</h2><p>Counts the samples.</p>{footer}");
        has(&page, &["Counts the samples"]);
        has_not(&page, &["The licence"]);
    }
}

#[test]
fn a_notice_above_a_list_of_links_is_not_the_page() {
    let notice = "<div>Please help us to know our readers better, and answer this survey: it is short.</div>";
    let list = |name: &str| -> String {
        (0..30)
            .map(|n| format!("<tr><td><a href={n}>{name} member {n} of the class</a>"))
            .collect()
    };
    let page = |name| {
        format!(
            "<body>{notice}{NAV}<div id=doc-content><table>{}</table></div>",
            list(name)
        )
    };
    has(&page("first"), &["first member 0", "first member 29"]);
    has_not(&page("first"), &["survey", "Documents"]);
    // A short text beside few links is the page.
    let text = format!("<p>{}", sentence("short"));
    has(&self::page(&text), &["The short"]);
    has_not(
        &self::page(&format!("{text}<p><a href=/>Back</a>")),
        &["Back"],
    );
}

#[test]
fn the_sentence_of_a_template_above_a_list_is_not_the_page() {
    // As Doxygen and Haddock write them: the entries are links for the most part.
    let index = |class: &str, entries: &str| {
        format!(
            "<body>{NAV}<div class={class}><p>Here is a list of all documented members of classes, with links to them:</p><ul>{entries}</ul></div>{FOOTER}"
        )
    };
    let entries = "<li>dump() : <a href=1>value_object</a><li>decode() : <a href=2>value_string, and another</a>";
    for class in ["contents", "other"] {
        has(&index(class, entries), &["dump() : value_object"]);
        has_not(&index(class, entries), &["Documents", "reserved"]);
    }
}

#[test]
fn a_footer_without_a_name_behind_content_is_not_the_page() {
    let legal = format!(
        "<div><p>{}<p>{}<p>{}</div>",
        sentence("licence"),
        sentence("copy"),
        sentence("law")
    );
    let entries: String = (0..9)
        .map(|n| format!("<li><a href={n}>member {n}</a>"))
        .collect();
    let page = format!("<body><div id=doc-content><ul>{entries}</ul></div>{legal}");
    has(&page, &["member 0", "member 8"]);
    has_not(&page, &["licence"]);
}

#[test]
fn entries_of_an_index_without_a_link_are_not_the_page() {
    let entries: String = (0..30)
        .map(|n| format!("<li>package of name {n}<ul><li><a href={n}>module</a></ul>"))
        .collect();
    let index: String = (0..300)
        .map(|n| format!("<li><a href={n}>the function of number {n}, in a module</a>"))
        .collect();
    let content = page(&format!("<ul>{entries}</ul><ul>{index}</ul>"));
    has(&content, &["package of name 0", "function of number 299"]);
}

#[test]
fn one_sentence_among_short_texts_is_not_the_page() {
    let methods: String = (0..12)
        .map(|n| {
            format!("<h3>method{n}</h3>- (BOOL) <b>method{n}</b>;<div>Availability: 1.{n}</div>")
        })
        .collect();
    let page = format!(
        "<body><a href=/>Up</a><h1>Heading</h1>{methods}<div>{}</div>",
        sentence("warning")
    );
    has(&page, &["method0", "Availability: 1.9", "The warning"]);
    has_not(&page, &["Up"]);
}

#[test]
fn two_products_of_one_template_share_no_words_of_the_template() {
    let product = |name: &str| {
        page(&format!(
            "<h1>{name}</h1><table><tr><td>Weight<td>{name} kg</table><div class=related><p>{}</div>",
            sentence("others")
        ))
    };
    has(&product("Alpha"), &["Alpha kg"]);
    has_not(&product("Alpha"), &["others", "promises"]);
}

#[test]
fn the_printed_page_has_the_words_of_the_page() {
    let article = format!(
        "<h1>Heading</h1><p>{}<p>{}",
        sentence("first"),
        sentence("second")
    );
    let printed = format!("<body onload=print()>{article}");
    let fast =
        format!("<html amp><body><amp-sidebar>{NAV}</amp-sidebar><main>{article}</main>{FOOTER}");
    assert_eq!(main_of(&printed), main_of(&page(&article)));
    assert_eq!(main_of(&fast), main_of(&page(&article)));
}

#[test]
fn other_scripts_than_the_latin_one() {
    for text in [
        "这是一个句子，它足够长，可以作为一篇文章的一部分，读者会明白它在说什么。",
        "Это предложение достаточно длинное, чтобы быть частью текста, как его пишут люди.",
        "هذه جملة طويلة بما يكفي لتكون جزءا من نص كما يكتبه الناس في كل مكان من العالم.",
    ] {
        let article = format!("<p>{text}<p>{text}");
        has(&page(&article), &[text]);
        has_not(&page(&article), &["promises", "reserved"]);
    }
}

#[test]
fn elements_that_are_not_closed_end_where_browsers_end_them() {
    // the head, controls in SVG, templates
    let odd = format!(
        "<head><title>Title</title><svg/><template class=nav><p>never</template><main><p>{}<p>{}</main>",
        sentence("first"),
        sentence("second"),
    );
    has(&odd, &["The first", "The second"]);
    has_not(&odd, &["Title", "never"]);
}

#[test]
fn an_element_of_xml_without_content_is_read_alike_in_all_forms() {
    let page = format!("><c />{}", sentence("first"));
    let content = Content::new(Markup::Xhtml, &page);
    let mut pages = Pages::default();
    let [chosen, portable] =
        [Cpu::chosen(), Cpu::portable()].map(|cpu| pages.read(cpu, content, MAIN).to_vec());
    assert_eq!(chosen, portable);
}

#[test]
fn a_page_of_too_many_parts_is_taken_whole() {
    let many = format!("{NAV}{}", "<p>x".repeat(crate::main_part::PARTS_MAX));
    has(&many, &["Home", "x x x"]);
    let deep = format!("{}<p>{}", "<div class=a>".repeat(2_000), sentence("first"));
    has(&deep, &["The first"]);
}

proptest! {
    #[test]
    fn the_main_part_is_in_the_page_in_order_and_the_same_in_all_forms(
        pieces in prop::collection::vec(prop_oneof![
            3 => "[a-z]{1,9} ",
            1 => Just(sentence("first")),
            2 => "<(p|div|li|h2|nav|main|a href=x|div class=menu|div id=content|br|td|svg|template|footer|pre)>",
            2 => "</(p|div|li|h2|nav|main|a|td|svg|template|footer|pre)>",
            1 => "[日本語é&<>\"'/ ]{1,4}",
        ], 0..60),
        xhtml: bool,
    ) {
        let page = pieces.concat();
        let content = Content::new(if xhtml { Markup::Xhtml } else { Markup::Html }, &page);
        let mut pages = Pages::default();
        let main = pages.read(Cpu::chosen(), content, MAIN).to_vec();
        let whole = pages.read(Cpu::chosen(), content, TextOfPages::Whole).to_vec();
        let portable = pages.read(Cpu::portable(), content, MAIN).to_vec();
        prop_assert_eq!(&main, &portable);
        let mut rest = whole.iter();
        prop_assert!(main.iter().all(|byte| rest.any(|other| other == byte)));
        // nothing is lost of a page that says something
        let says = |text: &[u8]| text.iter().any(|byte| *byte > b' ');
        prop_assert_eq!(says(&main), says(&whole));
        let mut places = Vec::new();
        let placed = pages.read_with_places(&page, content.markup(), MAIN, &mut places).to_vec();
        prop_assert_eq!(placed, main);
        prop_assert!(places.is_sorted_by(|a, b| a.0 <= b.0 && a.1 <= b.1));
    }
}
