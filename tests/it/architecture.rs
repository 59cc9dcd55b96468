//! The house itself: which crate may know which, how large files may grow, where unsafe code may
//! be.

use crate::harness::repository;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Crate → crates of ours it may depend on (dev-dependencies aside). The table of ARCHITECTURE.md.
const MAY_DEPEND: [(&str, &[&str]); 14] = [
    ("model", &[]),
    ("format", &["model"]),
    ("input", &["model"]),
    ("sketch", &["model"]),
    ("distinct", &["model"]),
    ("sort", &["model", "format"]),
    ("pairs", &["model"]),
    ("cluster", &["model"]),
    ("query", &["model", "format", "input", "sketch", "cluster"]),
    ("output", &["model", "input"]),
    (
        "pipeline",
        &[
            "model", "format", "input", "sketch", "distinct", "sort", "pairs", "cluster", "query",
            "output",
        ],
    ),
    ("cli", &["pipeline", "output"]),
    ("testkit", &["model"]),
    (
        "bench",
        &[
            "model", "format", "sketch", "sort", "pairs", "cluster", "pipeline", "testkit",
        ],
    ),
];

/// Modules that hold unsafe code; each is named in ARCHITECTURE.md.
const UNSAFE_MODULES: [&str; 4] = [
    "sketch/src/x86/",
    "input/src/jsonl/record/specials.rs",
    "input/src/decode/libdeflate.rs",
    "format/src/map.rs",
];

/// Files made by a program.
const GENERATED: [&str; 1] = ["entities_table.rs"];

fn sources(dir: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut open = vec![dir.to_path_buf()];
    while let Some(next) = open.pop() {
        for entry in std::fs::read_dir(&next).expect("a directory") {
            let path = entry.expect("an entry").path();
            let name = path
                .file_name()
                .expect("a name")
                .to_string_lossy()
                .into_owned();
            if path.is_dir() && name != "target" {
                open.push(path);
            } else if name.ends_with(".rs") && !GENERATED.contains(&name.as_str()) {
                files.push(path);
            }
        }
    }
    assert!(files.len() > 5, "{}", dir.display());
    files
}

#[test]
fn arrows_go_up_the_table_only() {
    let allowed: BTreeMap<&str, &[&str]> = MAY_DEPEND.into_iter().collect();
    let crates = repository().join("crates");
    let mut seen = 0;
    for entry in std::fs::read_dir(&crates).expect("crates") {
        let path = entry.expect("an entry").path();
        let name = path
            .file_name()
            .expect("a name")
            .to_string_lossy()
            .into_owned();
        let text = std::fs::read_to_string(path.join("Cargo.toml")).expect("a manifest");
        let manifest: toml::Table = text.parse().expect("TOML");
        let dependencies = manifest
            .get("dependencies")
            .and_then(toml::Value::as_table)
            .cloned()
            .unwrap_or_default();
        let may = allowed
            .get(name.as_str())
            .unwrap_or_else(|| panic!("{name} is not in the table"));
        for dependency in dependencies
            .keys()
            .filter(|dependency| allowed.contains_key(dependency.as_str()))
        {
            assert!(
                may.contains(&dependency.as_str()),
                "{name} must not depend on {dependency}"
            );
        }
        seen += 1;
    }
    assert_eq!(seen, MAY_DEPEND.len());
    let text =
        std::fs::read_to_string(repository().join("ARCHITECTURE.md")).expect("ARCHITECTURE.md");
    for (name, may) in MAY_DEPEND {
        // The table of crates has three columns, that of phases four.
        let mut rows = text.lines().filter(|line| line.matches('|').count() == 4);
        let row = rows.find(|line| line.starts_with(&format!("| `{name}` |")));
        let row = row.unwrap_or_else(|| panic!("ARCHITECTURE.md has no row for {name}"));
        let last = row
            .trim_end_matches('|')
            .rsplit('|')
            .next()
            .unwrap_or_default()
            .trim();
        let expected = match (name, may) {
            ("pipeline", _) => "all above".to_owned(),
            (_, []) => "–".to_owned(),
            (_, may) => may.join(", "),
        };
        assert_eq!(last, expected, "{name} in ARCHITECTURE.md");
    }
}

#[test]
fn no_file_is_over_400_lines() {
    for dir in ["crates", "tests"] {
        for file in sources(&repository().join(dir)) {
            let lines = std::fs::read_to_string(&file)
                .expect("a file")
                .lines()
                .count();
            assert!(lines <= 400, "{} has {lines} lines", file.display());
        }
    }
}

#[test]
fn phases_do_no_input_or_output_and_nothing_unsafe_hides() {
    for name in ["model", "sketch", "distinct", "pairs", "cluster"] {
        for file in sources_of(name).into_iter().filter(|file| !is_test(file)) {
            let text = std::fs::read_to_string(&file).expect("a file");
            let code = text.split("#[cfg(test)]").next().unwrap_or_default();
            for word in ["std::fs", "std::net", "File::", "println!", "std::process"] {
                assert!(!code.contains(word), "{} uses {word}", file.display());
            }
        }
    }
    let crates = repository().join("crates");
    let text =
        std::fs::read_to_string(repository().join("ARCHITECTURE.md")).expect("ARCHITECTURE.md");
    let mut seen: Vec<&str> = Vec::new();
    for file in sources(&crates) {
        if std::fs::read_to_string(&file)
            .expect("a file")
            .contains("unsafe {")
        {
            let place = file
                .strip_prefix(&crates)
                .expect("below it")
                .to_string_lossy()
                .into_owned();
            let module = UNSAFE_MODULES
                .into_iter()
                .find(|module| place.starts_with(module));
            seen.push(module.unwrap_or_else(|| panic!("{place} holds unsafe code")));
        }
    }
    for module in UNSAFE_MODULES {
        assert!(seen.contains(&module), "{module} holds no unsafe code");
        assert!(
            text.contains(&format!("| `{module}` |")),
            "{module} is not in ARCHITECTURE.md"
        );
    }
}

/// Whether a source file holds nothing but tests.
fn is_test(file: &Path) -> bool {
    file.ends_with("tests.rs") || file.components().any(|part| part.as_os_str() == "tests")
}

fn sources_of(name: &str) -> Vec<PathBuf> {
    let dir = repository().join("crates").join(name).join("src");
    let mut files: Vec<PathBuf> = Vec::new();
    let mut open = vec![dir];
    while let Some(next) = open.pop() {
        for entry in std::fs::read_dir(&next).expect("a directory") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                files.push(path);
            }
        }
    }
    files
}
