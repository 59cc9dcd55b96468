//! `content = "main"`: one text in every command, the frame beside it, pages with too little text.

use crate::harness::Place;
use crate::web::Server;
use serde_json::Value;

/// A page with a frame, the same article in another frame, and three pages with too little text, of
/// which two have the same source.
fn framed(content: &str) -> Place {
    let place = Place::new();
    let words = |from: usize, to: usize| -> String {
        (from..to)
            .map(|n| format!("w{} ", n * 7919 % 10_007))
            .collect()
    };
    let page = |menu: &str, article: &str| {
        let menu: String = (0..40)
            .map(|n| format!("<a href=x>{menu}{n} of it</a> "))
            .collect();
        format!("<body><nav>{menu}</nav><main><p>{article}</p></main><footer>Imprint</footer>")
    };
    place.write("crawl/a.html", page("menu", &words(0, 200)));
    place.write(
        "crawl/b.html",
        page("other", &(words(0, 150) + &words(300, 350))),
    );
    place.write("crawl/short.html", page("menu", "enable scripts"));
    place.write("crawl/shorter.html", page("menu", "enable scripts"));
    place.write(
        "crawl/short-too.html",
        page("menu", "enable <b>scripts</b>"),
    );
    place.config(&[&format!("sketch.content = \"{content}\"")]);
    place.run();
    place
}

#[test]
fn everything_that_compares_pages_uses_the_text_that_counts() {
    let place = framed("main");
    let ask = |arguments: &[&str]| {
        let ran = place.pipeline(arguments);
        ran.exits(0);
        ran.stdout()
    };
    let json = |arguments: &[&str]| -> Value {
        serde_json::from_str(&ask(&[arguments, &["--json"]].concat())).expect("JSON")
    };
    let names = [
        "a.html",
        "b.html",
        "short-too.html",
        "short.html",
        "shorter.html",
    ];
    for (name, row) in names.iter().zip(place.rows("documents")) {
        let file = format!("crawl/{name}");
        // Of a page with too little text, that is all of it.
        let tokens = ask(&["tokens", &file, "--config", "pipeline.toml"]);
        let count = tokens.split_whitespace().count();
        assert_eq!(
            Some(count as u64),
            row["words"].as_u64(),
            "tokens of {name}"
        );
        assert_eq!(
            tokens.contains("menu0"),
            name.starts_with("short"),
            "{tokens}"
        );
        let shingles = ask(&["shingles", &file, "--config", "pipeline.toml", "--json"]);
        let count = shingles.lines().count();
        assert_eq!(
            Some(count as u64),
            row["shingles"].as_u64(),
            "shingles of {name}"
        );
    }
    // 141 of 241 windows are in both.
    let exact = 141.0 / 241.0;
    for verb in ["compare", "explain"] {
        let found = json(&[verb, "0", "1"]);
        assert_eq!(found["exact"]["resemblance"]["value"], exact, "{verb}");
        assert_eq!(found["text"], "main", "{verb}");
        let text = ask(&[verb, "0", "1"]);
        let line = format!("resemblance of the main text {exact:.4}; 0.7382 of the shorter one");
        assert!(text.contains(&line), "{verb}: {text}");
        // Pages with too little text are equal if their source is.
        let found = json(&[verb, "3", "4"]);
        assert_eq!(
            found["exact"]["resemblance"]["value"], 1.0,
            "{verb}: {found}"
        );
        for other in ["0", "3"] {
            let text = ask(&[verb, other, "2"]);
            assert!(
                text.contains("the main text is too short to be compared"),
                "{verb} {other}: {text}"
            );
        }
    }
    let like = json(&["query", "like", "0", "--min", "0.1"]);
    let found = like["found"].as_array().expect("rows");
    assert_eq!(found.len(), 2, "{like}");
    let explained = ask(&["explain", "0", "1"]);
    let frame = "frame of A, not compared:\n  menu0 of it menu1 of it";
    assert!(explained.contains(frame), "{explained}");
    assert!(explained.contains("Imprint\n"), "{explained}");
    let server = Server::start(&place);
    let page = server.page("/compare/0/1");
    let line = format!("Resemblance of the main text {exact:.4}; 0.7382 of the shorter one is in");
    assert!(page.contains(&line), "{page}");
    let frame = "<h2>Frame of A, not compared</h2><p class=\"soft\">menu0 of it menu1 of it";
    assert!(page.contains(frame), "{page}");
    // All text of a page with too little of it counts.
    assert!(!server.page("/compare/2/3").contains("not compared"));
    assert!(!ask(&["explain", "2", "3"]).contains("not compared"));
}

#[test]
fn without_a_main_part_no_text_is_left_out() {
    let place = framed("page");
    let ran = place.pipeline(&["explain", "0", "1"]);
    ran.exits(0);
    assert!(
        ran.stdout().starts_with("resemblance of the text 0."),
        "{}",
        ran.stdout()
    );
    assert!(!ran.stdout().contains("not compared"), "{}", ran.stdout());
}

#[test]
fn the_report_says_how_many_pages_have_too_little_text() {
    let place = framed("main");
    let ran = place.pipeline(&["run", "--force"]);
    ran.exits(0);
    let line = "3 pages: main text below min-words, alike only to pages that are equal.";
    assert!(ran.stdout().contains(line), "{}", ran.stdout());
    let report = std::fs::read_to_string(place.path("out/report.json")).expect("a report");
    let report: Value = serde_json::from_str(&report).expect("JSON");
    assert_eq!(report["sketch"]["documents_below_min_words"], 3);
    place.pipeline(&["report", "-o", "report.html"]).exits(0);
    let html = std::fs::read_to_string(place.path("report.html")).expect("a report");
    assert!(html.contains(line), "{html}");
}

/// A chain of stronger links joins two pages that are linked themselves.
#[test]
fn pages_that_are_linked_themselves_are_not_linked_through_others() {
    let place = Place::new();
    let words =
        |of: char, count: usize| -> String { (0..count).map(|n| format!("{of}{n} ")).collect() };
    let texts = [
        words('a', 400),
        words('a', 370) + &words('x', 30),
        words('a', 340) + &words('y', 30) + &words('x', 30),
    ];
    for (at, text) in texts.iter().enumerate() {
        place.write(&format!("crawl/{at}.txt"), text);
    }
    place.config(&[]);
    place.run();
    let page = Server::start(&place).page("/compare/0/2");
    assert!(page.contains("in one cluster, linked;"), "{page}");
}
