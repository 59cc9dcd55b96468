//! What README, the guide and `--help` claim; that documents are readable and their links resolve.

use crate::guide::{guide, pages};
use crate::harness::{Place, files_below, repository};
use std::path::Path;

fn read(name: &str) -> String {
    std::fs::read_to_string(repository().join(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
}

const VERBS: [&str; 18] = [
    "init",
    "run",
    "sketch",
    "status",
    "verify",
    "inspect",
    "tokens",
    "shingles",
    "compare",
    "export",
    "query",
    "evaluate",
    "explain",
    "dedup",
    "tune",
    "snapshot",
    "completions",
    "man",
];

#[test]
fn every_verb_has_help_with_an_example_and_is_in_the_guide() {
    let place = Place::new();
    let guide = guide();
    let help = place.pipeline(&["--help"]);
    help.exits(0);
    for verb in VERBS {
        assert!(help.stdout().contains(verb), "{verb} is not in --help");
        assert!(
            guide.contains(&format!("pipeline {verb}")),
            "{verb} is not in the guide"
        );
        let own = place.pipeline(&[verb, "--help"]);
        own.exits(0);
        assert!(
            own.stdout().contains(&format!("pipeline {verb}")),
            "{verb} --help shows no example"
        );
    }
}

#[test]
fn the_exit_codes_are_documented() {
    let text = read("README.md") + &guide();
    let help = Place::new().pipeline(&["--help"]).stdout();
    for code in ["0", "1", "2", "3", "4", "5", "75", "130", "143"] {
        assert!(
            text.contains(&format!("| {code} |")) || text.contains(&format!("| {code} ")),
            "exit code {code}"
        );
        assert!(help.contains(code), "exit code {code} in --help");
    }
}

#[test]
fn every_key_of_the_configuration_is_in_the_guide_and_in_pipeline_toml() {
    let (guide, toml) = (guide(), read("pipeline.toml"));
    let mut keys = 0;
    for line in toml.lines() {
        let line = line.trim_start_matches("# ");
        let Some((key, _)) = line.split_once(" = ") else {
            continue;
        };
        if key.chars().all(|c| c.is_ascii_lowercase() || c == '-') {
            assert!(
                guide.contains(&format!("`{key}`")),
                "{key} is not in the guide"
            );
            keys += 1;
        }
    }
    assert_eq!(
        keys, 64,
        "keys in pipeline.toml: is each a line of its own?"
    );
}

#[test]
fn every_published_table_is_in_the_guide() {
    let guide = guide();
    let place = Place::with_corpus(61, 40);
    place.run();
    for name in place.tables() {
        let name = name.replace("default", "SNAPSHOT");
        assert!(guide.contains(&name), "{name} is not in the guide");
    }
    let formats = read("crates/format/FORMATS.md");
    for name in crate::harness::files_below(&place.path("out/index")).keys() {
        let name = name
            .replace("segment-0-00000", "segment-S-N")
            .replace("postings-1", "postings-N");
        assert!(
            formats.contains(&format!("`{name}`")),
            "{name} is not in FORMATS.md"
        );
    }
}

/// The documents in Markdown, by their paths from the repository.
fn documents() -> Vec<String> {
    let mut names = vec![
        "README.md".to_owned(),
        "ARCHITECTURE.md".to_owned(),
        "CHANGELOG.md".to_owned(),
        "CONTRIBUTING.md".to_owned(),
        "crates/format/FORMATS.md".to_owned(),
        "data-samples/README.md".to_owned(),
    ];
    for directory in ["docs", ".github"] {
        let files = files_below(&repository().join(directory)).into_keys();
        let markdown = files.filter(|name| name.ends_with(".md"));
        names.extend(markdown.map(|name| format!("{directory}/{name}")));
    }
    names
}

/// The lines of a document outside blocks of code and the generated list of keys, with their
/// numbers.
fn prose(text: &str) -> Vec<(usize, &str)> {
    let mut inside = false;
    let mut lines = Vec::new();
    for (at, line) in text.lines().enumerate() {
        if line.starts_with("```") || line.ends_with("keys -->") {
            inside = !inside;
        } else if !inside && !line.starts_with("    ") {
            lines.push((at + 1, line));
        }
    }
    lines
}

#[test]
fn no_document_says_a_section_twice() {
    for name in documents() {
        let text = read(&name);
        let mut headings: Vec<&str> = prose(&text)
            .into_iter()
            .map(|(_, line)| line)
            .filter(|line| line.starts_with("## "))
            .collect();
        let all = headings.len();
        headings.sort_unstable();
        headings.dedup();
        assert_eq!(all, headings.len(), "{name} has a heading twice");
    }
}

#[test]
fn no_line_of_prose_is_over_100_columns() {
    let is_checked = |name: &String| {
        ["README.md", "CONTRIBUTING.md"].contains(&name.as_str())
            || ["docs/", ".github/"]
                .iter()
                .any(|dir| name.starts_with(dir))
    };
    for name in documents().into_iter().filter(is_checked) {
        for (at, line) in prose(&read(&name)) {
            let columns = line.chars().count();
            assert!(
                columns <= 100 || line.starts_with('|'),
                "{name}:{at} has {columns} columns"
            );
        }
    }
}

#[test]
fn the_benchmarks_are_short() {
    let lines = read("docs/BENCHMARKS.md").lines().count();
    assert!(lines <= 270, "{lines} lines");
}

/// The targets of the links of a document, without anchors; addresses of the web are left out.
fn links(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    for (_, line) in prose(text) {
        for part in line.split("](").skip(1) {
            let target = part.split(')').next().unwrap_or_default();
            let file = target.split('#').next().unwrap_or_default();
            if !target.contains("://") && !file.is_empty() {
                found.push(file);
            }
        }
    }
    found
}

#[test]
fn every_relative_link_resolves() {
    let mut all = 0;
    for name in documents() {
        let text = read(&name);
        let path = repository().join(&name);
        let directory = path.parent().expect("a directory");
        for link in links(&text) {
            assert!(directory.join(link).exists(), "{name} links to {link}");
            all += 1;
        }
    }
    assert!(all >= 60, "{all} links");
}

/// Names of files in code style, such as `docs/GLOSSARY.md`, exist as well.
#[test]
fn every_document_that_a_document_names_exists() {
    for name in documents() {
        for (at, line) in prose(&read(&name)) {
            let words = line.split(|c: char| !(c.is_ascii_alphanumeric() || "/._-".contains(c)));
            for word in words.filter(|word| word.starts_with("docs/")) {
                let file = word.trim_end_matches('.');
                let is_shown = file.ends_with(".md") || file.ends_with(".txt");
                assert!(
                    !is_shown || repository().join(file).exists(),
                    "{name}:{at} names {file}"
                );
            }
        }
    }
}

#[test]
fn the_guide_is_a_book() {
    let summary = read("docs/guide/SUMMARY.md");
    let mut listed: Vec<&str> = Vec::new();
    for line in summary.lines().filter(|line| !line.is_empty()) {
        let entry = line.trim_start().trim_start_matches("- ");
        match entry.strip_prefix('[') {
            Some(link) => {
                let (_, file) = link.split_once("](").expect("a link");
                listed.push(file.strip_suffix(')').expect("the end of a link"));
            }
            None => assert!(line.starts_with("# "), "mdBook does not read {line:?}"),
        }
    }
    listed.sort_unstable();
    assert_eq!(listed, pages(), "SUMMARY.md and the pages");
    // mdBook renders links to pages and pictures of the book only.
    for name in pages() {
        let text = read(&format!("docs/guide/{name}"));
        for link in links(&text) {
            let inside = link.strip_prefix("images/").unwrap_or(link);
            assert!(
                !inside.contains('/'),
                "{name} links out of the book: {link}"
            );
        }
    }
    let book: toml::Table = read("docs/book.toml").parse().expect("TOML");
    let source = book["book"]["src"].as_str().expect("a directory");
    assert!(Path::new(&repository().join("docs").join(source)).is_dir());
}

#[test]
fn the_readme_names_commands_that_exist() {
    let readme = read("README.md");
    for command in [
        "cargo run --release -- run --config pipeline.toml",
        "cargo test",
        "scripts/check",
    ] {
        assert!(readme.contains(command), "{command}");
    }
    let ci = read(".ci/run");
    for command in [
        "cargo fmt",
        "cargo clippy",
        "cargo test",
        "run --release -- run --config pipeline.toml",
    ] {
        assert!(ci.contains(command), "CI does not run {command}");
    }
    for line in readme
        .lines()
        .filter(|line| line.starts_with("    scripts/") || line.starts_with("scripts/"))
    {
        let script = line.split_whitespace().next().expect("a command");
        assert!(repository().join(script).exists(), "{script}");
    }
}

#[test]
fn init_writes_a_configuration_that_runs_and_never_overwrites_one() {
    let place = Place::new();
    let samples = repository().join("data-samples/web/*.warc.gz");
    let init = ["init", samples.to_str().expect("text")];
    place.pipeline(&init).exits(0);
    let text = std::fs::read_to_string(place.path("pipeline.toml")).expect("written");
    assert!(
        !text.contains("seed = \"change me\""),
        "the seed is the published one"
    );
    assert_ne!(place.pipeline(&init).code(), Some(0));
    assert_eq!(
        std::fs::read_to_string(place.path("pipeline.toml")).expect("there"),
        text
    );
    place.run();
}

#[test]
fn compare_and_tokens_agree_with_the_paper() {
    let place = Place::new();
    place.write("a.txt", "a rose is a rose is a rose");
    place.write("b.html", "<p>A <b>rose</b> is a flower, which is a rose");
    let tokens = place.pipeline(&["tokens", "b.html"]);
    tokens.exits(0);
    assert_eq!(tokens.stdout(), "a rose is a flower which is a rose\n");
    place.write(
        "pipeline.toml",
        "version = 1\n[input]\npaths = [\"a.txt\"]\n[sketch]\nmin-words = 0\nshingle-size = 2\nseed = \"s\"\n",
    );
    let compared = place.pipeline(&[
        "compare",
        "--config",
        "pipeline.toml",
        "--json",
        "a.txt",
        "b.html",
    ]);
    compared.exits(0);
    // Option B, size 2: 50 %.
    assert_eq!(compared.json()["exact"]["resemblance"]["value"], 0.5);
    place.pipeline(&["completions", "bash"]).exits(0);
    place.pipeline(&["man"]).exits(0);
}

/// The page of promises is written by the script, and each row has a command that exists.
/// Rows of tests have no more tests than their modules: none shrank.
#[test]
fn every_promise_that_tests_hold_has_its_tests() {
    const COMMAND: &str = "| `cargo test --test it -- ";
    let page = read("docs/promises.md");
    let rows: Vec<&str> = page.lines().filter(|line| line.contains(COMMAND)).collect();
    assert!(rows.len() > 5, "{rows:?}");
    for row in rows {
        let cells: Vec<&str> = row.split(" | ").collect();
        let names = cells[2].trim_start_matches(&COMMAND[2..]);
        let modules = names.trim_end_matches("` |").split(' ');
        let tests = modules.map(|module| {
            let path = repository().join(format!("tests/it/{}.rs", module.trim_end_matches("::")));
            let code = std::fs::read_to_string(&path).expect(module);
            code.matches("#[test]").count()
        });
        let named: usize = cells[1].parse().expect("a number");
        assert!((1..=tests.sum()).contains(&named), "{row}");
    }
}

#[test]
fn every_promise_has_a_command_that_exists() {
    let listed = std::process::Command::new(repository().join("scripts/promises"))
        .arg("--list")
        .output()
        .expect("Python is there");
    let listed = String::from_utf8(listed.stdout).expect("text");
    let page = read("docs/promises.md");
    let commands: Vec<&str> = page
        .lines()
        .filter_map(|line| {
            line.strip_suffix("` |")?
                .rsplit_once("| `scripts/promises ")
        })
        .map(|(_, name)| name)
        .collect();
    assert_eq!(commands, listed.lines().collect::<Vec<_>>());
    for row in page
        .lines()
        .filter(|line| line.contains("| `scripts/promises "))
    {
        let cells: Vec<&str> = row.split(" | ").collect();
        assert_eq!(cells[1], cells[2], "a promise was broken: {row}");
        assert!(
            cells[2].parse::<u32>().is_ok_and(|tried| tried > 0),
            "{row}"
        );
    }
}

/// Who deletes by it must know what is compared.
#[test]
fn what_lossless_compares_is_said_where_it_is_offered() {
    let help = Place::new().pipeline(&["dedup", "--help"]).stdout();
    let flat = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    for (name, text) in [("--help", help), ("the guide", read("docs/guide/dedup.md"))] {
        let text = flat(&text).to_lowercase();
        for said in ["the same text", "white space", "all text of a page"] {
            assert!(text.contains(said), "{name} does not say {said:?}");
        }
    }
}
