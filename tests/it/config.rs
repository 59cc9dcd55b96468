//! The configuration: values of the command line, and documents that follow from its table of keys.

use crate::harness::{Place, repository};
use pipeline::config::{DEFAULT_SEED, default_toml, guide_list, schema};
use std::fs;
use std::path::Path;

/// Compares a file of the repository with what it should hold, or writes it.
fn check(path: &Path, expected: &str) {
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        fs::write(path, expected).expect("written");
    }
    let text = fs::read_to_string(path).unwrap_or_default();
    let path = path.display();
    assert!(
        text == expected,
        "{path} is out of date: UPDATE_GOLDEN=1 cargo test -p cli --test it config"
    );
}

#[test]
fn the_default_file_and_the_schema_follow_from_the_table_of_keys() {
    check(
        &repository().join("pipeline.toml"),
        &default_toml(DEFAULT_SEED),
    );
    check(&repository().join("docs/pipeline.schema.json"), &schema());
    let printed = Place::new().pipeline(&["init", "--schema"]);
    printed.exits(0);
    assert_eq!(printed.stdout(), schema());
}

#[test]
fn the_list_of_the_guide_follows_from_the_table_of_keys() {
    let pages = fs::read_dir(repository().join("docs/guide"));
    let pages = pages
        .into_iter()
        .flatten()
        .map(|page| page.expect("an entry").path());
    let mut blocks = 0;
    for page in pages {
        let text = fs::read_to_string(&page).unwrap_or_default();
        let Some((before, rest)) = text.split_once("<!-- keys -->\n") else {
            continue;
        };
        let (_, after) = rest
            .split_once("<!-- /keys -->")
            .expect("an end of the list");
        let list = guide_list();
        check(
            &page,
            &format!("{before}<!-- keys -->\n\n{list}\n<!-- /keys -->{after}"),
        );
        blocks += 1;
    }
    assert_eq!(blocks, 1);
}

#[test]
fn a_value_of_the_command_line_counts_for_one_run() {
    let place = Place::with_corpus(71, 60);
    place.config_file(
        "strict.toml",
        &[
            "cluster.resemblance = 0.9",
            "work.dir = \"w\"",
            "work.output = \"o\"",
        ],
    );
    place.pipeline(&["run", "--config", "strict.toml"]).exits(0);
    place.run();
    let plain = fs::read(place.path("out/membership.parquet")).expect("a table");
    let options = [
        "--set",
        "cluster.resemblance=0.1",
        "--set",
        "cluster.resemblance=0.9",
    ];
    let status = place.pipeline(&[&["status"], &options[..]].concat());
    status.exits(0);
    assert!(
        status.stdout().contains("resemblance"),
        "{}",
        status.stdout()
    );
    place.pipeline(&[&["run"], &options[..]].concat()).exits(0);
    let strict = fs::read(place.path("out/membership.parquet")).expect("a table");
    assert_eq!(
        strict,
        fs::read(place.path("o/membership.parquet")).expect("a table")
    );
    assert_ne!(strict, plain);
    place.run();
    assert_eq!(
        plain,
        fs::read(place.path("out/membership.parquet")).expect("a table")
    );
}

#[test]
fn options_of_a_run_are_keys_of_the_configuration() {
    let place = Place::with_corpus(73, 60);
    let published = |options: &[&str]| {
        place
            .pipeline(&[&["run", "--force"], options].concat())
            .exits(0);
        let parameters = place.pipeline(&["status", "--json"]).json();
        (place.published(), parameters["phases"].clone())
    };
    let plain = published(&[]);
    for (option, key) in [
        (["--threshold", "0.9"], "cluster.resemblance=0.9"),
        (["--shingle-size", "3"], "sketch.shingle-size=3"),
        (["--ngram", "3"], "sketch.shingle-size=3"),
        (["--linkage", "components"], "cluster.linkage=components"),
        (["--keep", "longest"], "cluster.keep=longest"),
        (["--content", "page"], "sketch.content=page"),
        (["--seed", "other"], "sketch.seed=other"),
        (["--memory", "300MiB"], "work.memory=300MiB"),
        (["--threads", "1"], "work.threads=1"),
        (["--passages", "20"], "passages.words=20"),
    ] {
        let by_option = published(&option);
        assert!(by_option == published(&["--set", key]), "{key}");
        let is_work = key.starts_with("work.");
        assert_eq!(by_option.0 == plain.0, is_work, "{key}");
    }
    let ran = place.pipeline(&["run", "--threshold", "7"]);
    ran.exits(2);
    ran.says("cluster.resemblance: resemblance in [cluster]: expected a number from 0 to 1");
}

#[test]
fn values_of_the_command_line_are_checked_like_those_of_the_file() {
    let place = Place::with_corpus(72, 5);
    let ran = place.pipeline(&[
        "run",
        "--set",
        "cluster.resemblence=0.9",
        "--set",
        "work.threads=many",
    ]);
    ran.exits(2);
    ran.says("--set cluster.resemblence: unknown key \"resemblence\" in [cluster]; did you mean \"resemblance\"?");
    ran.says(
        "--set work.threads: threads in [work]: expected a whole number, got the text \"many\"",
    );
    assert!(!place.path("work").exists());
    place.write("a.txt", "a rose is a rose");
    let tokens = place.pipeline(&["tokens", "a.txt", "--set", "sketch.tokens=lines"]);
    tokens.exits(0);
    assert_eq!(
        tokens.stdout().split_whitespace().count(),
        5,
        "one token, the line"
    );
    // No run is asked, so no configuration is needed.
    for verb in ["compare", "explain"] {
        let set = "sketch.shingle-size=2";
        let compared = place.pipeline(&[verb, "--json", "a.txt", "a.txt", "--set", set]);
        let sizes = &compared.json()["exact"]["shared"];
        assert_eq!(sizes.as_u64(), Some(3), "{}", compared.stdout());
    }
}

#[test]
fn commands_that_are_advised_name_the_configuration_as_the_call_did() {
    let place = Place::with_corpus(24, 200);
    let method = "sketch.method = { kind = \"modulus\", modulus = 1 }";
    place.config_file("a.toml", &["work.memory = \"1GiB\"", method]);
    let seed = "sketch.seed=not to be told";
    let options = ["-c", "a.toml", "--set", "work.dir=w", "--set", seed];
    let told = "-c a.toml --set work.dir=w --set 'sketch.seed=…'";
    let asked = |words: &str| {
        let words: Vec<&str> = words.split(' ').chain(options).collect();
        place.pipeline(&words)
    };
    let none = asked("tune");
    none.exits(1);
    none.says(&format!("run `pipeline run {told}` first"));
    asked("run").exits(0);
    let tuned = asked("tune --sample 2").stdout();
    assert!(tuned.contains(&format!("{told}    # ")), "{tuned}");
    let manifest = place.path("w/distinct");
    let file = fs::read_dir(manifest).expect("files").next();
    let file = file.expect("a file").expect("an entry").path();
    fs::write(file, "damaged").expect("written");
    let found = asked("verify");
    found.exits(5);
    let rebuilds = format!("`pipeline run --from distinct --force {told}` rebuilds it");
    assert!(found.stdout().contains(&rebuilds), "{}", found.stdout());
    let ran = asked("run --from sort --force");
    ran.exits(5);
    ran.says(&rebuilds);
}
