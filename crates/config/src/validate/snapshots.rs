//! `[snapshots]`.

use super::places::check_text;
use super::{expected, number};
use crate::problem::{Problems, quoted};
use crate::raw::RawSnapshots;
use crate::read::Given;
use crate::{SnapshotPath, SnapshotsConfig};

/// What stands for the name of a snapshot.
const NAME: &str = "{name}";

/// The file that says that a directory is complete, unless another is named: what Hadoop and Spark
/// write.
const READY: &str = "_SUCCESS";

/// Checks `[snapshots]`.
pub(super) fn config(raw: &RawSnapshots, problems: &mut Problems<'_>) -> SnapshotsConfig {
    let ready = raw
        .ready
        .given()
        .map_or(READY, |given| ready(given, problems));
    if let (true, Some(given)) = (raw.path.is_absent(), raw.ready.given()) {
        problems.at(
            &given.at,
            "ready in [snapshots]: there is no path to find new ones by; add it, or take this out",
        );
    }
    let path = raw
        .path
        .given()
        .and_then(|given| path(given, ready, problems));
    let keep = raw
        .keep
        .given()
        .map(|_| number(&raw.keep, 1..=u32::MAX, 1, problems));
    SnapshotsConfig { path, keep }
}

fn ready<'a>(given: &'a Given<String>, problems: &mut Problems<'_>) -> &'a str {
    let name = given.value.as_str();
    if name.is_empty() || name.contains(['/', '\0']) || [".", ".."].contains(&name) {
        expected(
            "the name of a file in the directory of a snapshot",
            given,
            problems,
        );
    }
    name
}

fn path(given: &Given<String>, ready: &str, problems: &mut Problems<'_>) -> Option<SnapshotPath> {
    check_text(given, &given.value, problems);
    let text = &given.value;
    let Some((before, after)) = text
        .split_once(NAME)
        .filter(|(_, after)| !after.contains(NAME))
    else {
        let message =
            format!("expected a directory with {NAME} once in it, such as \"crawls/{NAME}/\"");
        problems.at(
            &given.at,
            format!("{}: {message}, got {}", given.name, quoted(text)),
        );
        return None;
    };
    if text.starts_with('@') {
        expected("a directory", given, problems);
    }
    let [written, before, after, ready] = [text, before, after, ready].map(str::to_owned);
    Some(SnapshotPath {
        written,
        before,
        after,
        ready,
    })
}
