//! `[[input.source]]`.

use std::sync::Arc;

use input::{FieldNames, Format, FormatChoice, NamedSource};

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
        paths: paths.iter().map(|path| (*path).to_owned()).collect(),
        source: Arc::new(NamedSource {
            name: name.to_owned(),
            format: FormatChoice::Auto,
            fields: FieldNames::default(),
            charset: None,
            is_read_otherwise: false,
        }),
    };
    assert_eq!(
        named.input.sources,
        [source("a", &["x", "y"]), source("b", &["z"])]
    );
    let listed = named.input_discovery().sources;
    let first: Vec<usize> = listed.iter().map(|listed| listed.first_path).collect();
    assert_eq!(first, [1, 3]);
    let plain = check(&text("paths = [\"in\", \"x\", \"y\", \"z\"]", &[])).expect("right");
    assert_eq!(named.input_parameters(), plain.input_parameters());
    assert_eq!(
        check(&text("", &sources)).expect("right").input.paths,
        ["x", "y", "z"]
    );
}

#[test]
fn a_source_has_the_keys_of_the_input_unless_it_has_its_own() {
    let input =
        "paths = [\"in\"]\nformat = \"parquet\"\ntext-field = \"t\"\ncarry-fields = [\"c\"]";
    let with = |keys: &str| {
        let source = format!("name = \"a\"\npaths = [\"x\"]\n{keys}");
        check(&text(input, &[&source])).expect("right")
    };
    let same = with("format = \"parquet\"\ntext-field = \"t\"");
    let source = &same.input.sources[0].source;
    assert_eq!(source.fields, same.input.fields);
    assert!(!source.is_read_otherwise);
    assert_eq!(same.input_parameters(), with("").input_parameters());

    let other = with(
        "format = \"jsonl\"\ncharset = \"cp1251\"\ntext-field = \"q\"\nhtml-field = \"h\"\nid-field = \"i\"\n\
         url-field = \"u\"\ndate-field = \"d\"\nfeatures-field = \"f\"",
    );
    let source = &other.input.sources[0].source;
    assert_eq!(source.format, FormatChoice::Only(Format::Jsonl));
    let fields = FieldNames {
        id: "i".into(),
        text: "q".into(),
        html: "h".into(),
        features: Some("f".into()),
        url: "u".into(),
        date: "d".into(),
        carry: vec!["c".into()],
        fields_only: false,
        source: None,
    };
    assert_eq!(source.fields, fields);
    assert!(source.is_read_otherwise);
    let parameters = other.input_parameters();
    let own = parameters
        .strip_prefix(&same.input_parameters())
        .expect("more lines");
    assert_eq!(
        own,
        "format of \"a\" = jsonl\ncharset of \"a\" = windows-1251\nid-field of \"a\" = \"i\"\ntext-field of \"a\" = \"q\"\n\
         html-field of \"a\" = \"h\"\nurl-field of \"a\" = \"u\"\ndate-field of \"a\" = \"d\"\n\
         features-field of \"a\" = \"f\"\n"
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
            "name = \"a\"\npaths = [\"x\"]\nformat = \"csv\"",
            "format in [input.source]: expected one of",
        ),
        (
            "name = \"a\"\npaths = [\"x\"]\ntext-field = \"html\"",
            "text-field and html-field in [input.source]: both are \"html\"",
        ),
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
