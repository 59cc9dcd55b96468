//! `[[input.source]]`.

use super::{check, told};
use crate::SourceConfig;

fn text(input: &str, sources: &[&str]) -> String {
    let sources: String = sources
        .iter()
        .map(|source| format!("\n[[input.source]]\n{source}\n"))
        .collect();
    format!("version = 1\n[input]\n{input}\n{sources}\n[work]\nmemory = \"1GiB\"\n")
}

#[test]
fn sources_add_their_paths_and_change_no_parameter() {
    let sources = [
        "name = \"a\"\npaths = [\"x\", \"y\"]",
        "name = \"b\"\npaths = [\"z\"]",
    ];
    let named = check(&text("paths = [\"in\"]", &sources)).expect("right");
    assert_eq!(named.input.paths, ["in", "x", "y", "z"]);
    let source = |name: &str, paths: &[&str]| SourceConfig {
        name: name.to_owned(),
        paths: paths.iter().map(|path| (*path).to_owned()).collect(),
    };
    assert_eq!(
        named.input.sources,
        [source("a", &["x", "y"]), source("b", &["z"])]
    );
    let plain = check(&text("paths = [\"in\", \"x\", \"y\", \"z\"]", &[])).expect("right");
    assert_eq!(named.input_parameters(), plain.input_parameters());
    assert_eq!(
        check(&text("", &sources)).expect("right").input.paths,
        ["x", "y", "z"]
    );
}

#[test]
fn what_is_wrong_with_a_source_is_told_with_its_place() {
    for (source, expected) in [
        (
            "paths = [\"x\"]",
            "missing key \"name\" in [[input.source]]; a source has a name and paths",
        ),
        (
            "name = \"a\"",
            "missing key \"paths\" in [[input.source]]; a source has a name and paths",
        ),
        (
            "name = \"\"\npaths = [\"x\"]",
            "name in [input.source]: expected the name of a source",
        ),
        (
            "name = \"a\"\npaths = []",
            "paths in [input.source]: expected at least one path, got an empty list",
        ),
        ("name = \"a\"\npath = [\"x\"]", "did you mean \"paths\"?"),
        (
            "name = 7\npaths = [\"x\"]",
            "name in [input.source]: expected a text in quotes",
        ),
    ] {
        let told = told(&text("paths = [\"in\"]", &[source]));
        assert!(
            told.iter().any(|line| line.contains(expected)),
            "{source}: {told:?}"
        );
    }
    let twice = [
        "name = \"a\"\npaths = [\"x\"]",
        "name = \"a\"\npaths = [\"y\"]",
    ];
    assert!(
        told(&text("", &twice))[0].contains("\"a\" occurs twice"),
        "{:?}",
        told(&text("", &twice))
    );
    let single =
        check("version = 1\n[input.source]\nname = \"a\"\npaths = [\"x\"]\n").expect_err("refused");
    assert!(
        single.contains("source in [input]: expected tables in double brackets"),
        "{single}"
    );
    let work = told(&text("", &["name = \"a\"\npaths = [\"work/x\"]"]));
    assert!(work[0].contains("lies inside"), "{work:?}");
}
