//! The house itself: which crate may know which, how large crates and files may grow, where unsafe
//! code may be.

use crate::harness::repository;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The crates in the order of the table in ARCHITECTURE.md, each with the crates of ours it may
/// depend on, dev-dependencies aside.
const MAY_DEPEND: [(&str, MayDepend); 23] = [
    ("model", Only(&[])),
    ("format", Only(&["model"])),
    ("decode", Only(&["model"])),
    ("input", Only(&["model", "decode"])),
    ("sketch", Only(&["model"])),
    ("sort", Only(&["model", "format"])),
    ("output", Only(&["model", "input"])),
    ("config", Only(&["model", "input", "sketch", "output"])),
    ("engine", Above),
    ("exact", Above),
    (
        "clustering",
        Only(&["model", "format", "sort", "config", "engine"]),
    ),
    ("passages", Above),
    ("phases", Above),
    ("publication", Above),
    ("ask", Above),
    ("run", Above),
    ("dedup", Above),
    ("testkit", Only(&["model"])),
    ("lab", Above),
    ("pipeline", Above),
    (
        "cli",
        Only(&["model", "decode", "output", "pipeline", "lab"]),
    ),
    ("testbed", Above),
    ("fuzzing", Above),
];

/// What a crate may depend on.
#[derive(Clone, Copy)]
enum MayDepend {
    /// These.
    Only(&'static [&'static str]),
    /// Whatever stands above it in the table.
    Above,
}
use MayDepend::{Above, Only};

/// Modules that hold unsafe code; each is named in docs/dev/libraries.md.
const UNSAFE_MODULES: [&str; 5] = [
    "sketch/src/x86/",
    "input/src/jsonl/record/specials.rs",
    "decode/src/codec/libdeflate.rs",
    "format/src/map.rs",
    "engine/src/runtime/allocator.rs",
];

/// Files made by a program.
const GENERATED: [&str; 1] = ["entities_table.rs"];

/// The most lines of a file, of one of tests, and of a crate without its tests.
const FILE_LINES: usize = 400;
const TEST_FILE_LINES: usize = 600;
const CRATE_LINES: usize = 10_500;

/// The widest line of a comment, but for tables and links.
const COMMENT_COLUMNS: usize = 100;

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// All sources below a directory that were written by hand.
fn sources(dir: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut open = vec![dir.to_path_buf()];
    while let Some(next) = open.pop() {
        for entry in std::fs::read_dir(&next).expect("a directory") {
            let path = entry.expect("an entry").path();
            let name = path.file_name().expect("a name").to_string_lossy();
            if path.is_dir() && name != "target" {
                open.push(path);
            } else if name.ends_with(".rs") && !GENERATED.contains(&&*name) {
                files.push(path);
            }
        }
    }
    files
}

/// The names of the crates, and where they are.
fn crates() -> BTreeMap<String, PathBuf> {
    let entries = std::fs::read_dir(repository().join("crates")).expect("crates");
    let path = |entry: std::io::Result<std::fs::DirEntry>| entry.expect("an entry").path();
    let name = |path: &PathBuf| {
        path.file_name()
            .expect("a name")
            .to_string_lossy()
            .into_owned()
    };
    entries.map(path).map(|path| (name(&path), path)).collect()
}

/// Whether a source file holds nothing but tests.
fn is_test(file: &Path) -> bool {
    let place = file.strip_prefix(repository()).expect("of the repository");
    let is_test = |part: &std::ffi::OsStr| {
        let part = part.to_string_lossy();
        ["tests", "it", "testkit", "testbed"].contains(&&*part) || part.ends_with("tests.rs")
    };
    place.iter().any(is_test)
}

/// The lines of a file before its tests.
fn production_lines(text: &str) -> usize {
    let tests = text.find("#[cfg(test)]\nmod tests {");
    text[..tests.unwrap_or(text.len())].lines().count()
}

#[test]
fn arrows_go_up_the_table_only() {
    let crates = crates();
    let table = read(&repository().join("ARCHITECTURE.md"));
    let mut above: Vec<&str> = Vec::new();
    for (name, may) in MAY_DEPEND {
        let manifest: toml::Table = read(&crates[name].join("Cargo.toml"))
            .parse()
            .expect("TOML");
        let dependencies = manifest.get("dependencies").and_then(toml::Value::as_table);
        let ours = dependencies.into_iter().flat_map(toml::Table::keys);
        for dependency in ours.filter(|dependency| crates.contains_key(*dependency)) {
            let is_allowed = match may {
                Only(may) => may.contains(&dependency.as_str()),
                Above => above.contains(&dependency.as_str()),
            };
            assert!(is_allowed, "{name} must not depend on {dependency}");
        }
        // The table of crates has three columns.
        let mut rows = table.lines().filter(|line| line.matches('|').count() == 4);
        let row = rows.find(|line| line.starts_with(&format!("| `{name}` |")));
        let row = row.unwrap_or_else(|| panic!("ARCHITECTURE.md has no row for {name}"));
        let shown = row
            .trim_end_matches('|')
            .rsplit('|')
            .next()
            .unwrap_or_default();
        let expected = match may {
            Only([]) => "–".to_owned(),
            Only(may) => may.join(", "),
            Above => "those above".to_owned(),
        };
        assert_eq!(shown.trim(), expected, "{name} in ARCHITECTURE.md");
        above.push(name);
    }
    assert_eq!(above.len(), crates.len(), "a crate is not in the table");
}

#[test]
fn files_and_crates_stay_small() {
    let mut large = Vec::new();
    for (name, path) in crates() {
        let mut lines = 0;
        for file in sources(&path) {
            let text = read(&file);
            let (all, most) = (
                text.lines().count(),
                if is_test(&file) {
                    TEST_FILE_LINES
                } else {
                    FILE_LINES
                },
            );
            if all > most {
                large.push(format!("{} has {all} lines", file.display()));
            }
            lines += if is_test(&file) || !file.starts_with(path.join("src")) {
                0
            } else {
                production_lines(&text)
            };
        }
        if lines > CRATE_LINES {
            large.push(format!("crate {name} has {lines} lines without tests"));
        }
    }
    let files = sources(&repository().join("tests")).into_iter();
    let files = files.map(|file| (read(&file).lines().count(), file));
    large.extend(
        files
            .filter(|(lines, _)| *lines > TEST_FILE_LINES)
            .map(|(lines, file)| format!("{} has {lines} lines", file.display())),
    );
    assert!(large.is_empty(), "{}", large.join("\n"));
}

#[test]
fn comments_are_as_wide_as_code() {
    let mut wide = Vec::new();
    for dir in ["crates", "tests"] {
        for file in sources(&repository().join(dir)) {
            for (number, line) in read(&file).lines().enumerate() {
                let text = line.trim_start();
                let is_free = text.contains("| ") || text.contains("://") || text.contains("{\"");
                if text.starts_with("//") && !is_free && line.chars().count() > COMMENT_COLUMNS {
                    wide.push(format!("{}:{}", file.display(), number + 1));
                }
            }
        }
    }
    assert!(
        wide.is_empty(),
        "comments over {COMMENT_COLUMNS} columns: {wide:#?}"
    );
}

/// The text of a file without its items under `#[cfg(test)]`, wherever they stand.
fn without_tests(text: &str) -> String {
    let mut kept = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("#[cfg(test)]") {
        kept += before;
        rest = &after[crate::imports::item_end(after)..];
    }
    kept + rest
}

#[test]
fn algorithms_do_no_input_or_output() {
    for name in [
        "model/src",
        "sketch/src",
        "phases/src/expansion",
        "clustering/src/partition",
    ] {
        let files = sources(&repository().join("crates").join(name));
        assert!(!files.is_empty(), "{name} has no sources");
        for file in files.into_iter().filter(|file| !is_test(file)) {
            let code = without_tests(&read(&file));
            for word in ["std::fs", "std::net", "File::", "println!", "std::process"] {
                assert!(!code.contains(word), "{} uses {word}", file.display());
            }
        }
    }
}

#[test]
fn nothing_unsafe_hides() {
    let crates = repository().join("crates");
    let text = read(&repository().join("docs/dev/libraries.md"));
    let mut seen: Vec<&str> = Vec::new();
    for file in sources(&crates) {
        if read(&file).contains("unsafe {") {
            let place = file
                .strip_prefix(&crates)
                .expect("below it")
                .to_string_lossy();
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
            "{module} is not in docs/dev/libraries.md"
        );
    }
}

/// The Python package and the fuzz targets are workspaces of their own. Their builds stop where
/// the lock file lacks a dependency of one of our crates.
#[test]
fn lock_files_of_the_other_workspaces_are_current() {
    let crates = crates();
    for workspace in ["python", "fuzz"] {
        let lock: toml::Table = read(&repository().join(workspace).join("Cargo.lock"))
            .parse()
            .expect("TOML");
        let packages = lock["package"].as_array().expect("packages");
        let ours = packages.iter().filter(|package| {
            package.get("source").is_none()
                && crates.contains_key(package["name"].as_str().expect("a name"))
        });
        let mut checked = 0;
        for package in ours {
            let name = package["name"].as_str().expect("a name");
            let locked: Vec<&str> = package
                .get("dependencies")
                .and_then(toml::Value::as_array)
                .into_iter()
                .flatten()
                // A name, and a version where there are several.
                .filter_map(|locked| locked.as_str()?.split(' ').next())
                .collect();
            let manifest: toml::Table = read(&crates[name].join("Cargo.toml"))
                .parse()
                .expect("TOML");
            let dependencies = manifest.get("dependencies").and_then(toml::Value::as_table);
            for (dependency, how) in dependencies.into_iter().flatten() {
                let is_optional = how.get("optional").and_then(toml::Value::as_bool);
                assert!(
                    is_optional == Some(true) || locked.contains(&dependency.as_str()),
                    "{workspace}/Cargo.lock: {name} lacks {dependency}; run cargo metadata there"
                );
            }
            checked += 1;
        }
        assert!(checked > 10, "{workspace}: {checked} of our crates");
    }
}

/// The link-time optimisation of a profile works at the level of the crate that is linked.
#[test]
fn the_link_step_of_dist_optimises() {
    let manifest: toml::Table = read(&repository().join("Cargo.toml"))
        .parse()
        .expect("TOML");
    for linked in ["cli", "lab"] {
        let level = ["dist", "release"].iter().find_map(|profile| {
            let packages = manifest["profile"].get(profile)?.get("package")?;
            packages.get(linked)?.get("opt-level")
        });
        let is_highest = level.is_none_or(|level| level.as_integer() == Some(3));
        assert!(is_highest, "{linked}: {level:?}");
    }
}
