//! Texts: pages, dates, URLs, the configuration, the list of snapshots.

use crate::containers::directory;
use engine::{Reporter, intake::snapshots::snapshot_list};
use model::{Content, Markup};
use sketch::{Cpu, Sketcher, TokenRules, Winnower, for_each_place, for_each_token};
use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::sync::LazyLock;

#[expect(
    dead_code,
    reason = "the tree builder is for the tests of crate sketch"
)]
#[path = "../../sketch/tests/oracle/mod.rs"]
mod oracle;

/// Elements of which our scanner keeps 32 levels, and html5ever all.
const KEPT_ELEMENTS: [&str; 10] = [
    "<svg",
    "<math",
    "<title",
    "<desc",
    "<foreignobject",
    "<mi",
    "<mo",
    "<mn",
    "<ms",
    "<mtext",
];

/// The words of a page, by our scanner and by html5ever's tokenizer, which has no rules for XHTML.
pub(crate) fn html(bytes: &[u8]) {
    let page = String::from_utf8_lossy(bytes);
    let lower = page.to_ascii_lowercase();
    let kept = KEPT_ELEMENTS.map(|element| lower.matches(element).count());
    if page.trim_start().starts_with("<?xml") || kept.iter().sum::<usize>() > 32 {
        return;
    }
    let ours = words(Content::Html(&page));
    let theirs = words(Content::Text(&oracle::by_rules(&page)));
    assert_eq!(ours, theirs);
}

fn words(content: Content<'_>) -> Vec<String> {
    let mut words = Vec::new();
    let rules = TokenRules::WORDS;
    for_each_token(rules, content, &mut |word| words.push(word.to_owned()));
    words
}

pub(crate) fn date(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return;
    };
    if let Some(date) = decode::date::parse(text) {
        // From the year 0 to 9999, in microseconds.
        assert!(
            (-62_200_000_000_000_000..=253_500_000_000_000_000).contains(&date),
            "{date}"
        );
    }
}

static PARAMS: LazyLock<sketch::SketchParams> = LazyLock::new(|| {
    let text =
        "version = 1\n[input]\npaths = [\"a\"]\n[sketch]\nseed = \"fuzz\"\nshingle-size = 3\n";
    let parsed = config::parse(text, Path::new("pipeline.toml")).expect("a configuration");
    parsed.sketch.params()
});

/// The windows of a text: equal ones have one anchor, and the runs of anchors have all of them. The
/// place of each token holds that token.
pub(crate) fn windows(bytes: &[u8]) {
    const WORDS: usize = 5;
    let text = String::from_utf8_lossy(bytes);
    let content = Content::Text(&text);
    let words = words(content);
    let mut winnower = Winnower::new(&PARAMS, WORDS as u32);
    let mut anchors = Vec::new();
    winnower.runs(content, |run| {
        assert_eq!(run.first as usize, anchors.len(), "the runs have gaps");
        anchors.extend((0..run.windows).map(|_| run.anchor));
    });
    let mut known = HashMap::new();
    for (window, anchor) in words.windows(WORDS).zip(&anchors) {
        assert_eq!(known.entry(window).or_insert(anchor), &anchor);
    }
    assert_eq!(anchors.len(), (words.len() + 1).saturating_sub(WORDS));
    let rules = PARAMS.rules();
    let (mut next, mut end) = (0, 0);
    // a mark may be at the place of the letter before it
    let letters =
        |word: &String| -> String { word.chars().filter(|c| c.is_alphanumeric()).collect() };
    for_each_place(rules, Markup::None, &text, &mut |place| {
        assert!(end <= place.start, "the places of tokens overlap");
        end = place.end;
        if !place.is_empty() {
            let found = self::words(Content::Text(&text[place]));
            let (found, expected) = (found.first(), words.get(next));
            assert_eq!(found.map(letters), expected.map(letters), "another token");
        }
        next += 1;
    });
    assert_eq!(next, words.len());
}

/// The sketch of a text by the best form for this processor, and by the others.
pub(crate) fn sketch(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let mut plain = Sketcher::for_cpu(&PARAMS, Cpu::portable());
    for content in [
        Content::Html(&text),
        Content::Xhtml(&text),
        Content::Text(&text),
        Content::Features(&text),
    ] {
        let expected = plain.sketch(content);
        for cpu in Cpu::all() {
            let mut fast = Sketcher::for_cpu(&PARAMS, cpu);
            assert_eq!(expected, fast.sketch(content), "{cpu}");
        }
    }
}

pub(crate) fn config(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return;
    };
    if let Err(errors) = config::parse(text, Path::new("pipeline.toml")) {
        assert!(!errors.to_string().is_empty());
    }
}

pub(crate) fn url(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let (mut form, mut again) = (Vec::new(), Vec::new());
    sketch::loose_form(&text, &mut form);
    assert!(form.len() <= text.len());
    let host = sketch::host_of(&text);
    assert!(text.contains(host));
    // Scheme, user and fragment change nothing; nor do blanks around all of them.
    let text = text.trim();
    if !text.contains([':', '@', '#', '/']) {
        sketch::loose_form(&format!("https://user@{text}#part"), &mut again);
        assert_eq!(form, again, "{text:?}");
    }
}

/// `snapshots.toml`, and beside it the list of files of its first snapshot: the second part of the
/// bytes, behind a line `---`.
pub(crate) fn snapshots(bytes: &[u8]) {
    static CONFIG: LazyLock<config::Config> = LazyLock::new(|| {
        let text = "version = 1\n[input]\npaths = [\"a\"]\n[sketch]\nseed = \"fuzz\"\n";
        let path = directory().join("pipeline.toml");
        config::parse(text, &path).expect("a configuration")
    });
    let text = String::from_utf8_lossy(bytes);
    let (table, list) = text.split_once("---\n").unwrap_or((&text, ""));
    let (base, lists) = (directory(), directory().join("snapshots.d"));
    fs::create_dir_all(&lists).expect("a directory");
    let name = table.split('"').find(|part| part.ends_with(".jsonl"));
    let is_plain = |name: &&str| !name.contains(['/', '\0']) && name.len() < 200;
    let path = name.filter(is_plain).map(|name| lists.join(name));
    if let Some(path) = &path {
        fs::write(path, list).expect("written");
    }
    fs::write(base.join("snapshots.toml"), table).expect("written");
    if let Err(error) = snapshot_list(&CONFIG, &Reporter::silent()) {
        assert!(!error.to_string().is_empty());
    }
    if let Some(path) = path {
        fs::remove_file(path).expect("removed");
    }
}
