//! The names of copies: the names of the input, each once.
//!
//! *Input.* The listed files, and which of them are not copied. *Output.* A path below `data` for
//! each of the others. *Memory.* Names and their directories, all at once.

use engine::intake::inputs::{Inputs, LiveSnapshot};
use input::{Format, SourceFile};
use std::collections::HashSet;
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};

/// The directory of the copies.
pub(super) const DATA: &str = "data";

/// Whether a file is one page, and so has no rows.
pub(super) fn is_page(file: &SourceFile) -> bool {
    matches!(file.format, Format::Html | Format::Text)
}

/// The name of the copy of each file below `data`: its name in the input, with `.cdxj` behind
/// it if only an index of it is written. `None` for a file that is not copied, as pages are if rows
/// are annotated. Of several files of one name, and of one that has the name of another's
/// directory, all but the first are put into directories of their own. Each snapshot that has a
/// name has a directory.
pub(super) fn names(
    inputs: &Inputs,
    annotates: bool,
    is_copied: impl Fn(usize) -> bool,
) -> Vec<Option<PathBuf>> {
    let of_snapshot = |live: &LiveSnapshot| {
        let directory = if live.may_change() {
            PathBuf::new()
        } else {
            PathBuf::from(&live.name)
        };
        let files = live.files.clone().zip(live.files(&inputs.listing));
        let name = |(at, file): (usize, &SourceFile)| {
            let is_copied = is_copied(at) && !(annotates && is_page(file));
            is_copied.then(|| {
                let mut name = directory.join(plain_name(file)).into_os_string();
                if annotates && !matches!(file.format, Format::Jsonl | Format::Parquet) {
                    name.push(".cdxj");
                }
                PathBuf::from(name)
            })
        };
        files.map(name).collect::<Vec<_>>()
    };
    let plain: Vec<Option<PathBuf>> = inputs.snapshots.iter().flat_map(of_snapshot).collect();
    let all = || plain.iter().flatten();
    let directories: HashSet<&Path> = all()
        .flat_map(|name| name.ancestors().skip(1))
        .filter(|dir| !dir.as_os_str().is_empty())
        .collect();
    let mut taken: HashSet<PathBuf> = HashSet::with_capacity(plain.len());
    let mut names = Vec::with_capacity(plain.len());
    for name in &plain {
        let Some(name) = name else {
            names.push(None);
            continue;
        };
        let free = |name: &Path| !directories.contains(name) && !taken.contains(name);
        let others = (2..).map(|number| Path::new(&format!("same-name-{number}")).join(name));
        let found = std::iter::once(name.clone())
            .chain(others)
            .find(|name| free(name))
            .unwrap_or_else(|| name.clone());
        taken.insert(found.clone());
        names.push(Some(found));
    }
    names
}

/// As many parts of the path as the name has; never out of the directory.
fn plain_name(file: &SourceFile) -> PathBuf {
    let parts = file.name.split('/').count();
    let normal = |part: Component<'_>| {
        matches!(part, Component::Normal(_)).then(|| PathBuf::from(part.as_os_str()))
    };
    let path: Vec<Component<'_>> = file.path.components().collect();
    path[path.len().saturating_sub(parts)..]
        .iter()
        .filter_map(|part| normal(*part))
        .collect()
}

/// A name as text; other bytes as `%XX`, and `%` itself, so that it can be read back.
pub(super) fn shown(name: &Path) -> String {
    let mut text = String::new();
    for chunk in name.as_os_str().as_bytes().utf8_chunks() {
        text.push_str(&chunk.valid().replace('%', "%25"));
        chunk
            .invalid()
            .iter()
            .for_each(|byte| text.push_str(&format!("%{byte:02X}")));
    }
    text
}
