//! What README, the guide, ARCHITECTURE and `--help` claim.

use crate::guide::guide;
use crate::harness::{Place, repository};

fn read(name: &str) -> String {
    std::fs::read_to_string(repository().join(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
}

const VERBS: [&str; 15] = [
    "init",
    "run",
    "status",
    "verify",
    "inspect",
    "tokens",
    "compare",
    "export",
    "query",
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
    assert!(keys >= 28, "{keys} keys");
}

#[test]
fn every_published_table_and_column_is_in_the_guide() {
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
    for table in ["documents", "membership", "clusters", "pairs"] {
        for column in place.rows(table)[0].as_object().expect("an object").keys() {
            assert!(
                guide.contains(&format!("`{column}`")),
                "{table}.{column} is not in the guide"
            );
        }
    }
}

#[test]
fn no_document_says_a_section_twice() {
    for name in [
        "README.md",
        "ARCHITECTURE.md",
        "CHANGELOG.md",
        "docs/BENCHMARKS.md",
        "crates/format/FORMATS.md",
    ] {
        let text = read(name);
        let mut headings: Vec<&str> = text
            .lines()
            .filter(|line| line.starts_with("## "))
            .collect();
        let all = headings.len();
        headings.sort_unstable();
        headings.dedup();
        assert!(
            all == headings.len() && all > 0,
            "{name} has a heading twice"
        );
    }
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
    place.pipeline(&["init"]).exits(0);
    let text = std::fs::read_to_string(place.path("pipeline.toml")).expect("written");
    assert!(
        !text.contains("seed = \"change me\""),
        "the seed is the published one"
    );
    assert_ne!(place.pipeline(&["init"]).code(), Some(0));
    assert_eq!(
        std::fs::read_to_string(place.path("pipeline.toml")).expect("there"),
        text
    );
    let samples = repository().join("data-samples");
    place.write(
        "pipeline.toml",
        text.replace("data-samples", &samples.display().to_string()),
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
        "version = 1\n[input]\npaths = [\"a.txt\"]\n[sketch]\nshingle-size = 2\nseed = \"s\"\n",
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
