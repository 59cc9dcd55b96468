//! Files that are no configuration, and texts made to do harm.

use std::fs;

use proptest::prelude::*;

use super::super::load;
use super::{check, told, with};

#[test]
fn files_that_are_no_configuration() {
    let dir = tempfile::tempdir().expect("a directory");
    let latin_1 = b"version = 1\n# caf\xE9\n";
    let large = [b'#'; (1 << 20) + 1];
    for (name, bytes) in [
        ("empty", &b""[..]),
        ("latin-1", latin_1),
        ("large", &large),
        ("utf-16", b"\xFF\xFEv\0"),
    ] {
        fs::write(dir.path().join(name), bytes).expect("a file");
    }
    fs::create_dir(dir.path().join("directory")).expect("a directory");
    let _socket =
        std::os::unix::net::UnixListener::bind(dir.path().join("socket")).expect("a socket");
    for (name, message) in [
        (
            "empty",
            ":1:1: missing key \"version\"; begin the file with `version = 1`",
        ),
        (
            "latin-1",
            ":2:6: expected UTF-8 text; save the file as UTF-8",
        ),
        (
            "utf-16",
            ":1:1: expected UTF-8 text; save the file as UTF-8",
        ),
        (
            "large",
            ": expected a configuration of at most 1 MiB; is this the right file?",
        ),
        (
            "directory",
            ": expected a configuration file, got a directory; name the file in it",
        ),
        (
            "socket",
            ": expected a configuration file, got a pipe or a device; save it as a file",
        ),
        (
            "empty/x",
            ": failed to open the configuration: Not a directory (os error 20)",
        ),
        (
            "missing",
            ": failed to open the configuration: No such file or directory (os error 2); write one with `pipeline \
             init`, or name it with --config",
        ),
    ] {
        let path = dir.path().join(name);
        let errors = load(&path).expect_err("refused");
        assert_eq!(
            errors.problems()[0].to_string(),
            format!("{}{message}", path.display())
        );
    }
}

#[test]
fn a_byte_order_mark_and_carriage_returns_are_accepted() {
    let dir = tempfile::tempdir().expect("a directory");
    let path = dir.path().join("p.toml");
    fs::write(
        &path,
        "\u{feff}version = 1\r\n[input]\r\npaths = [\"x\"]\r\n",
    )
    .expect("a file");
    assert_eq!(load(&path).expect("a configuration").input.paths, ["x"]);
    fs::write(
        &path,
        "\u{feff}versio = 1\r\n[input]\r\npaths = [\"x\"]\r\nfoo = 1\r\n",
    )
    .expect("a file");
    let errors = load(&path)
        .expect_err("refused")
        .problems()
        .iter()
        .map(|p| p.position)
        .collect::<Vec<_>>();
    assert_eq!(errors, [Some((1, 1)), Some((4, 1))]);
}

#[test]
fn all_problems_are_told_at_once() {
    let text = "version = 1\n\n[input]\npaths = [\"work/a\", 7]\nformat = \"wrac\"\n\n[work]\nthreads = 5000\nmemroy = 1\n\
                \n[sketch]\nmethod = { kind = \"modulus\", modulos = 25 }\nseed = \"\"\n\n[cluster]\nresemblance = 2\n\
                keep = \"field:x\"\n\n[report]\n";
    let expected = [
        "4:10: paths in [input]: \"work/a\" lies inside dir of [work]; move the input out of it",
        "4:20: paths in [input]: expected a text in quotes, got the number 7",
        "5:10: format in [input]: expected one of auto, warc, wet, arc, wacz, jsonl, parquet, html, text, got \"wrac\"; did you mean \
         \"warc\"?",
        "8:11: threads in [work]: expected a whole number from 0 to 1024, got 5000",
        "9:1: unknown key \"memroy\" in [work]; did you mean \"memory\"?",
        "12:30: unknown key \"modulos\" in [sketch.method]; did you mean \"modulus\"?",
        "13:8: seed in [sketch]: expected a text of at least one character, got \"\"",
        "16:15: resemblance in [cluster]: expected a number from 0 to 1 with at most 18 decimals, got 2",
        "17:8: keep in [cluster]: field \"x\" is not in carry-fields of [input]; add it there",
        "19:2: unknown key \"report\" at the top level; known keys: version, input, work, sketch, pairs, cluster, passages, snapshots",
    ];
    assert_eq!(told(text), expected);
}

#[test]
fn depth_is_an_error_and_no_more() {
    let deep = 300_000;
    for text in [
        format!("a = {}", "[".repeat(deep)),
        format!("a = {}{}", "[".repeat(deep), "]".repeat(deep)),
        format!("a = {}", "{a=".repeat(deep)),
        format!("{}a = 1", "a.".repeat(deep)),
        format!("[{}a]", "a.".repeat(deep)),
        format!("[sketch.method{}]", ".a".repeat(deep)),
    ] {
        assert!(check(&text).is_err(), "{}", &text[..20]);
    }
    assert_eq!(
        told(&with(&"x = 1\n".repeat(2))),
        ["4:1: invalid TOML: duplicate key"]
    );
}

#[test]
fn of_very_many_problems_the_first_ones_are_told() {
    let keys: String = (0..20_000).map(|i| format!("k{i} = 1\n")).collect();
    let messages = told(&with(&keys));
    assert_eq!(messages.len(), 201);
    assert!(
        messages[199].starts_with("202:1: unknown key \"k199\""),
        "{}",
        messages[199]
    );
    assert_eq!(
        messages[200],
        " and 19800 more problems; is this the right file?"
    );
}

proptest! {
    #[test]
    fn no_text_panics(text in "[ -~é\n]{0,200}") {
        let _ = (check(&text), check(&with(&text)));
    }

    #[test]
    fn no_value_panics(key in 0usize..6, value in "-?[0-9]{1,45}|\"[^\"\\\\\n]{0,12}\"|[0-9]\\.[0-9]e[0-9]{1,4}|true|\\[\\]|\\{\\}") {
        let keys = ["sketch.method", "work.memory", "cluster.keep", "cluster.resemblance", "input.max-rejected", "work.dir"];
        let _ = check(&with(&format!("{} = {value}", keys[key])));
    }
}
