//! Contradictions between paths: results, intermediate files and input have to be apart.
//!
//! Paths are compared as the system would follow them: links resolved, `..` undone, also below
//! directories that do not exist yet. Besides the results themselves, `OUTPUT.d` beside them is
//! taken, where their generations lie.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use input::{Discovery, ListedSource, PassedOver};

use crate::problem::{Problems, quoted};
use crate::values::{SectionValues, TextInFile};
use crate::{Config, SNAPSHOTS_FILE, WorkConfig};

/// Links that are followed in one path before it counts as a loop: what Linux allows.
const LINKS_MAX: usize = 40;

/// A directory that belongs to the program.
struct OwnPath {
    key: &'static str,
    path: PathBuf,
}

const METRICS: &str = "metrics";

/// Tells which places contradict each other: `paths` of `[input]` and of its sources, `path` of
/// `[snapshots]`, both relative to `base`, and those of `[work]`, which is also given as it is
/// written.
pub(super) fn check(
    paths: &[TextInFile],
    snapshots: Option<&TextInFile>,
    base: &Path,
    work: &WorkConfig,
    raw_work: &SectionValues,
    problems: &mut Problems<'_>,
) {
    if raw_work.is_wrong("dir") || raw_work.is_wrong("output") {
        return;
    }
    check_work(work, raw_work, problems);
    if work.output.file_name().is_none() {
        return;
    }
    let taken = taken(work);
    if let Some(metrics) = work.metrics.as_deref().map(resolved) {
        let mut own = taken.iter().filter(|taken| taken.key != METRICS);
        if let Some(OwnPath { key, .. }) = own.find(|own| metrics.starts_with(&own.path)) {
            let message = format!("it lies inside {key} of [work]; choose another directory");
            raw_work.tell(METRICS, &message, problems);
        }
    }
    let paths = paths.iter().map(|given| (given, "paths in [input]"));
    let snapshots = snapshots.into_iter().map(|given| (given, &*given.name));
    for (given, name) in paths.chain(snapshots) {
        if let Some(message) = input_contradicts(&given.text, base, &taken) {
            problems.at(&given.at, format!("{name}: {message}"));
        }
    }
}

/// Tells how `dir` and `output` contradict each other. Where one of the two is absent, the place of
/// the other is told.
fn check_work(work: &WorkConfig, raw_work: &SectionValues, problems: &mut Problems<'_>) {
    let [dir, output] = ["dir", "output"].map(|key| raw_work.at(key));
    let mut tell = |key: &str, message: &str| {
        let at = match key {
            "dir" => dir.as_ref().or(output.as_ref()),
            _ => output.as_ref().or(dir.as_ref()),
        };
        problems.at(at.unwrap_or(&(0..0)), format!("{key} in [work]: {message}"));
    };
    let Some(name) = work.output.file_name() else {
        let shown = quoted(&work.output.to_string_lossy());
        let message = format!("expected a directory of its own, got {shown}");
        return tell("output", &message);
    };
    let (outputs, work) = (outputs(work, name), resolved(&work.dir));
    if work == outputs[1] {
        let shown = quoted(&work.to_string_lossy());
        let message = "is the directory of the generations of output; choose another name";
        tell("dir", &format!("{shown} {message}"));
    } else if outputs.contains(&work) {
        tell(
            "output",
            "it is the same directory as dir; choose another one",
        );
    } else if outputs.iter().any(|output| output.starts_with(&work)) {
        tell("output", "it lies inside dir; move it beside dir");
    } else if outputs.iter().any(|output| work.starts_with(output)) {
        tell("dir", "it lies inside output; move it beside output");
    }
}

/// How a path that is to be read, relative to the configuration, contradicts one of the program's
/// directories.
pub fn taken_in(path: &str, config: &Config) -> Option<String> {
    input_contradicts(path, &config.base, &taken(&config.work))
}

/// The files that belong to the program.
fn taken(work: &WorkConfig) -> Vec<OwnPath> {
    let own = [work.dir.clone(), work.shards_dir(), work.dedup_dir()];
    let own = own.into_iter().chain(work.beside.clone());
    let own = own.map(|dir| OwnPath {
        key: "dir",
        path: resolved(&dir),
    });
    let mut taken: Vec<OwnPath> = own.collect();
    if let Some(name) = work.output.file_name() {
        taken.extend(outputs(work, name).map(|path| OwnPath {
            key: "output",
            path,
        }));
    }
    taken.extend(work.metrics.iter().map(|path| OwnPath {
        key: METRICS,
        path: resolved(path),
    }));
    taken
}

/// The link to the results, the generations beside it, and what the link leads to: it may be one of
/// the user's.
fn outputs(work: &WorkConfig, name: &OsStr) -> [PathBuf; 3] {
    let parent = resolved(work.output.parent().unwrap_or(Path::new("")));
    let mut generations = OsString::from(name);
    generations.push(".d");
    let link = parent.join(name);
    [link.clone(), parent.join(generations), resolved(&link)]
}

/// How a path of the input contradicts one of the program's directories: it lies inside. What
/// contains one of them leaves it out.
fn input_contradicts(pattern: &str, base: &Path, taken: &[OwnPath]) -> Option<String> {
    let literal = pattern.strip_prefix('@').unwrap_or(pattern);
    let special = literal
        .find(['*', '?', '[', '{', '\\'])
        .filter(|_| !base.join(literal).exists());
    let root = special.map_or(literal, |at| {
        &literal[..literal[..at].rfind('/').map_or(0, |slash| slash + 1)]
    });
    let root = resolved(&base.join(root));
    let inside = taken.iter().find(|own| root.starts_with(&own.path))?;
    let (shown, key) = (quoted(pattern), inside.key);
    Some(format!(
        "{shown} lies inside {key} of [work]; move the input out of it"
    ))
}

impl Config {
    /// The parameters with which the files of `[input]` and of its sources are listed.
    pub fn input_discovery(&self) -> Discovery {
        let of_sources = self.input.sources.iter().map(|one| one.paths.len());
        let mut first_path = self.input.paths.len() - of_sources.sum::<usize>();
        let listed = self.input.sources.iter().map(|one| {
            let first = first_path;
            first_path += one.paths.len();
            ListedSource {
                first_path: first,
                source: Arc::clone(&one.source),
            }
        });
        let sources = listed.collect();
        Discovery {
            sources,
            ..self.discovery(self.input.paths.clone())
        }
    }

    /// The parameters with which `paths` are listed as files of the input. Directories and globs
    /// leave out `exclude` and the files of the program.
    pub fn discovery(&self, paths: Vec<String>) -> Discovery {
        Discovery {
            paths,
            base: self.base.clone(),
            sources: Vec::new(),
            format: self.input.format,
            passed_over: PassedOver {
                exclude: self.input.exclude.clone(),
                own: own_paths(self),
            },
        }
    }
}

/// The files and directories of the program, which are no input: absolute, with links resolved.
fn own_paths(config: &Config) -> Vec<PathBuf> {
    let mut own: Vec<PathBuf> = taken(&config.work)
        .into_iter()
        .map(|own| own.path)
        .collect();
    let link = config.work.output.file_name().map(|name| {
        let parent = config.work.output.parent().unwrap_or(Path::new(""));
        resolved(parent).join(name)
    });
    own.extend(link);
    let beside = [
        config.file.clone(),
        config.file.with_file_name(SNAPSHOTS_FILE),
    ];
    own.extend(beside.iter().map(|path| resolved(path)));
    own
}

/// The path with all links followed and `..` undone, as far as it exists; what does not exist yet
/// is taken as written.
fn resolved(path: &Path) -> PathBuf {
    // The parent of a bare name is this directory, and has no absolute form.
    let here = path.as_os_str().is_empty();
    let path = if here { Path::new(".") } else { path };
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let mut links = LINKS_MAX;
    follow(PathBuf::new(), &path, &mut links)
}

fn follow(mut real: PathBuf, path: &Path, links: &mut usize) -> PathBuf {
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                real.pop();
            }
            Component::RootDir | Component::Prefix(_) => real = PathBuf::from("/"),
            Component::Normal(name) => match fs::read_link(real.join(name)) {
                Ok(target) if *links > 0 => {
                    *links -= 1;
                    real = follow(real, &target, links);
                }
                _ => real.push(name),
            },
        }
    }
    real
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_followed_also_where_nothing_is_yet() {
        let dir = tempfile::tempdir().expect("a directory");
        let root = fs::canonicalize(dir.path()).expect("a path");
        fs::create_dir_all(root.join("a/b")).expect("directories");
        std::os::unix::fs::symlink("a/b", root.join("link")).expect("a link");
        std::os::unix::fs::symlink("missing/x", root.join("dangling")).expect("a link");
        std::os::unix::fs::symlink("loop", root.join("loop")).expect("a link");
        for (path, expected) in [
            ("link/../c", "a/c"),
            ("link/new/../c", "a/b/c"),
            ("./a/./b", "a/b"),
            ("dangling/y", "missing/x/y"),
            ("new/../a", "a"),
        ] {
            assert_eq!(resolved(&root.join(path)), root.join(expected), "{path}");
        }
        assert!(resolved(&root.join("loop/x")).ends_with("x"));
        assert_eq!(resolved(Path::new("/../..")), Path::new("/"));
    }
}
