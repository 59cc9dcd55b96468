//! `--set`: values for one run in place of those of the file.

use std::path::Path;

use model::Keep;
use model::Sampling;
use proptest::prelude::*;

use super::super::{Config, parse_with};
use super::with;

fn set(lines: &str, options: &[&str]) -> Result<Config, String> {
    let options: Vec<String> = options.iter().map(ToString::to_string).collect();
    parse_with(&with(lines), Path::new("/nowhere/p.toml"), &options)
        .map_err(|errors| errors.to_string())
}

fn accepted(lines: &str, options: &[&str]) -> Config {
    set(lines, options).unwrap_or_else(|errors| panic!("{options:?}\n{errors}"))
}

#[test]
fn values_replace_those_of_the_file() {
    let config = accepted(
        "work.memory = \"1GiB\"\n[sketch]\nshingle-size = 4\ntokens = \"lines\"",
        &[
            "work.memory=2GiB",
            "sketch.shingle-size = 5",
            "cluster.keep=hosts:[a.example,b.example]",
            "cluster.resemblance=0.7",
            "input.paths=[\"x=y\", 'z']",
            "sketch.seed=\"7\"",
        ],
    );
    assert_eq!(config.work.memory_bytes, 2 << 30);
    assert_eq!(config.sketch.shingle_size, 5);
    assert_eq!(config.sketch.tokens, sketch::TokenUnit::Lines);
    let hosts = ["a.example", "b.example"].map(str::to_owned).to_vec();
    assert_eq!(config.cluster.keep, Keep::Hosts(hosts));
    assert_eq!(config.cluster.resemblance.to_f64(), 0.7);
    assert_eq!(config.input.paths, ["x=y", "z"]);
    let last = accepted("", &["work.threads=3", "work.threads=4"]);
    assert_eq!(last.work.threads, 4);
}

#[test]
fn a_section_is_replaced_as_a_whole_and_its_keys_one_by_one() {
    let lines = "sketch.method = { kind = \"adaptive-modulus\", target = 64 }";
    let whole = accepted(lines, &["sketch.method={kind = \"modulus\", modulus = 25}"]);
    assert_eq!(whole.sketch.sampling, Sampling::Modulus { modulus: 25 });
    let one = accepted(lines, &["sketch.method.coarsest=16"]);
    let sampling = Sampling::Adaptive {
        target: 64,
        coarsest_log2: 4,
    };
    assert_eq!(one.sketch.sampling, sampling);
    let repaired = accepted("sketch = 3", &["sketch.shingle-size=7"]);
    assert_eq!(repaired.sketch.shingle_size, 7);
}

#[test]
fn what_is_wrong_names_the_option() {
    for (options, expected) in [
        (
            &["cluster.resemblance=7"][..],
            "--set cluster.resemblance: resemblance in [cluster]: expected a number from 0 to 1 with at most 18 decimals, got 7",
        ),
        (
            &["sketch.shingel-size=7"],
            "--set sketch.shingel-size: unknown key \"shingel-size\" in [sketch]; did you mean \"shingle-size\"?",
        ),
        (
            &["resemblance=0.5"],
            "--set resemblance: unknown key \"resemblance\" at the top level; it belongs in [cluster]",
        ),
        (
            &["quick\u{1b}"],
            "--set: expected KEY=VALUE, such as cluster.resemblance=0.7, got \"quick\\u{1b}\"",
        ),
        (
            &["quick\u{1b}=1"],
            "--set quick\\u{1b}: unknown key \"quick\\u{1b}\" at the top level; known keys: version, input, work, sketch, pairs, cluster, passages, snapshots",
        ),
        (
            &["version.x=1"],
            "--set version.x: version: expected a whole number, got a table",
        ),
        (
            &["input.paths=crawl"],
            "--set input.paths: paths in [input]: expected a list of texts, got the text \"crawl\"",
        ),
        (
            &[
                "work.threads=1",
                "sketch={ method = { kind = \"modulus\", modulos = 2 } }",
            ],
            "--set sketch: unknown key \"modulos\" in [sketch.method]; did you mean \"modulus\"?",
        ),
        (
            &["work.output=work"],
            "--set work.output: output in [work]: it is the same directory as dir; choose another one",
        ),
        (
            &["work.threads=x", "work.threads=3", "=", "work.disk=-1"],
            "--set : unknown key \"\" at the top level; known keys: version, input, work, sketch, pairs, cluster, passages, snapshots\n\
             --set work.disk: disk in [work]: expected a whole number of bytes, or a text such as \"512MiB\", got -1",
        ),
    ] {
        let told = set("", options).map(|_| ());
        assert_eq!(told, Err(expected.to_owned()), "{options:?}");
    }
    let told = set("work.threads = -1", &["work.memory=x"]).expect_err("refused");
    assert!(
        told.starts_with("/nowhere/p.toml:3:16: threads in [work]"),
        "{told}"
    );
    assert!(
        told.contains("\n--set work.memory: memory in [work]"),
        "{told}"
    );
}

proptest! {
    #[test]
    fn no_option_panics(options in proptest::collection::vec("[ -~é\n]{0,30}|work\\.[a-z]{2,6}=.{0,9}", 0..4)) {
        let options: Vec<&str> = options.iter().map(String::as_str).collect();
        let _ = set("", &options);
    }
}
