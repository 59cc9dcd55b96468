//! Contradictions between places that only the file system knows, and `seed-file`.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use sketch::FingerprintKeys;

use super::super::{Config, load};

/// Writes a configuration into `dir` and loads it.
fn loaded(dir: &Path, paths: &str, lines: &str) -> Result<Config, String> {
    let path = dir.join("pipeline.toml");
    fs::write(
        &path,
        format!("version = 1\ninput.paths = [{paths}]\n{lines}\n"),
    )
    .expect("a file");
    load(&path).map_err(|errors| {
        errors
            .to_string()
            .replace(&format!("{}:", path.display()), "")
    })
}

#[test]
fn links_and_parents_hide_nothing() {
    let dir = tempfile::tempdir().expect("a directory");
    let root = dir.path();
    for name in ["work", "crawl/deep", "shared"] {
        fs::create_dir_all(root.join(name)).expect("a directory");
    }
    symlink("shared", root.join("link")).expect("a link");
    symlink(root.join("work"), root.join("crawl/to-work")).expect("a link");
    symlink("out.d/7", root.join("out")).expect("a link");
    symlink("work/deep", root.join("elsewhere")).expect("a link");
    for (paths, lines, message) in [
        (
            "\"x\"",
            "work.dir = \"link\"\nwork.output = \"shared\"",
            "4:15: output in [work]: it is the same directory as dir; choose another one",
        ),
        (
            "\"x\"",
            "work.dir = \"shared\"\nwork.output = \"crawl/../link/out\"",
            "4:15: output in [work]: it lies inside dir; move it beside dir",
        ),
        (
            "\"x\"",
            "work.output = \"elsewhere\"",
            "3:15: output in [work]: it lies inside dir; move it beside dir",
        ),
        (
            "\"x\"",
            "work.dir = \"out/work\"",
            "3:12: dir in [work]: it lies inside output; move it beside output",
        ),
        (
            "\"crawl/to-work/x\"",
            "",
            "2:16: paths in [input]: \"crawl/to-work/x\" lies inside dir of [work]; move the input out of it",
        ),
        (
            "\"out/documents\"",
            "",
            "2:16: paths in [input]: \"out/documents\" lies inside output of [work]; move the input out of it",
        ),
    ] {
        assert_eq!(
            loaded(root, paths, lines).map(|_| ()),
            Err(message.to_owned()),
            "{paths} {lines}"
        );
    }
}

#[test]
fn neighbours_are_no_contradiction() {
    let dir = tempfile::tempdir().expect("a directory");
    let root = dir.path();
    fs::create_dir_all(root.join("crawl")).expect("a directory");
    fs::write(root.join("a[1].jsonl"), "").expect("a file");
    symlink("out.d/7", root.join("out")).expect("a link");
    for (paths, lines) in [
        ("\"crawl\"", ""),
        (
            "\"crawl\", \"*.jsonl\", \"crawl/**/*.html\", \"@lists/all.gz\"",
            "",
        ),
        ("\"a[1].jsonl\"", ""),
        ("\"workshop\", \"outer\"", ""),
        (
            "\"crawl\"",
            "work.dir = \"out-work\"\nwork.output = \"results\"",
        ),
        (
            "\"crawl\"",
            "work.dir = \"state/work\"\nwork.output = \"state/out\"",
        ),
    ] {
        assert!(
            loaded(root, paths, lines).is_ok(),
            "{paths} {lines}: {:?}",
            loaded(root, paths, lines).err()
        );
    }
}

#[test]
fn the_seed_may_lie_in_a_file() {
    let dir = tempfile::tempdir().expect("a directory");
    let seed_file = dir.path().join("seed");
    for (text, seed) in [
        ("s", "s"),
        ("s\n", "s"),
        ("s\r\n", "s"),
        ("s \n\n", "s \n"),
        ("s\nt\n", "s\nt"),
    ] {
        fs::write(&seed_file, text).expect("a file");
        let config =
            loaded(dir.path(), "\"x\"", "sketch.seed-file = \"seed\"").expect("a configuration");
        assert!(
            config.sketch.keys == FingerprintKeys::from_seed(seed)
                && !config.sketch.seed_is_default,
            "{text:?}"
        );
    }
    for (bytes, message) in [
        (&b"\n"[..], "it is empty"),
        (&b"\xFF"[..], "stream did not contain valid UTF-8"),
        (&[b'x'; (64 << 10) + 1][..], "it is longer than 64 KiB"),
    ] {
        fs::write(&seed_file, bytes).expect("a file");
        let told = loaded(dir.path(), "\"x\"", "sketch.seed-file = \"seed\"").map(|_| ());
        assert_eq!(
            told,
            Err(format!(
                "3:20: seed-file in [sketch]: failed to read the seed from \"seed\": {message}"
            ))
        );
    }
}
