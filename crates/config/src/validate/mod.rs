//! From checked values to the configuration: what they mean, and contradictions between keys.
//!
//! Each function tells the problems it meets and goes on with the default, so that all of them are
//! told.

mod cluster;
mod input;
mod places;
mod sketch;

use std::path::{Path, PathBuf};
use std::thread;

pub(super) use cluster::keep;
pub use places::taken_in;

use model::Sampling;
use model::Settle;

use super::keys::THREADS_MAX;
use super::problem::Problems;
use super::rules::NAME;
use super::values::SectionValues;
use super::{
    Common, Config, InputFrom, PairsConfig, PassagesConfig, SnapshotPath, SnapshotsConfig,
    UNLIMITED_COMMON_SHINGLES, WorkConfig,
};

/// Makes the configuration. It is of use only if no problem was told.
pub(super) fn config(
    file: &SectionValues,
    path: &Path,
    from: InputFrom,
    problems: &mut Problems<'_>,
) -> Config {
    file.require("version", "begin the file with `version = 1`", problems);
    let base = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent.to_owned(),
        _ => PathBuf::from("."),
    };
    let from = if file.is_absent("snapshots") {
        from
    } else {
        InputFrom::Snapshots
    };
    let values: SectionValues = file.get("input");
    if !file.is_wrong("input") {
        input::check_paths(&values, from, problems);
    }
    let input = input::config(&values, problems);
    let raw_snapshots: Option<SectionValues> = file.find("snapshots");
    let raw_work = file.get("work");
    let work = work(&raw_work, &base);
    let snapshots_path = raw_snapshots.as_ref().and_then(|raw| raw.given("path"));
    let (paths, snapshots_path) = (input::all_paths(&values), snapshots_path.as_ref());
    places::check(&paths, snapshots_path, &base, &work, &raw_work, problems);
    let pairs: SectionValues = file.get("pairs");
    let sketch = sketch::config(&file.get("sketch"), &base, problems);
    let cluster = cluster::config(
        &file.get("cluster"),
        sketch.sampling,
        &input.fields.carry,
        problems,
    );
    let common = pairs.get("common");
    if common == Common::Drop
        && let Some(why) = why_not_dropped(sketch.sampling, cluster.settle)
    {
        pairs.tell("common", why, problems);
    }
    Config {
        file: path.to_owned(),
        snapshots: raw_snapshots.map(|raw| snapshots(&raw, problems)),
        passages: file
            .find("passages")
            .and_then(|raw: SectionValues| passages(&raw)),
        pairs: PairsConfig {
            common_shingle_limit: pairs
                .find("common-shingle-limit")
                .unwrap_or(UNLIMITED_COMMON_SHINGLES),
            floor: pairs.get("floor"),
            common,
        },
        cluster,
        sketch,
        input,
        work,
        base,
        has_snapshots: from == InputFrom::Snapshots,
    }
}

/// Why common shingles cannot leave the sketches: they are known of those only that every sketch
/// would keep. Sketches of a fixed size are compared whole, and lose none.
fn why_not_dropped(sampling: Sampling, settle: Settle) -> Option<&'static str> {
    if sampling.levels() > 1 {
        return Some(
            "the method in [sketch] keeps other shingles of a long page than of a short one; take \
             the method modulus, as in 1997, or \"count\"",
        );
    }
    (!sampling.has_fixed_size() && settle != Settle::Off).then_some(
        "an exact comparison counts common shingles; set settle in [cluster] to \"off\", as in \
         1997, or take \"count\"",
    )
}

fn work(raw: &SectionValues, base: &Path) -> WorkConfig {
    let path = |written: String| {
        if base == Path::new(".") {
            PathBuf::from(written)
        } else {
            base.join(written)
        }
    };
    let threads = match raw.get::<u32>("threads") {
        0 => thread::available_parallelism()
            .map_or(1, usize::from)
            .min(THREADS_MAX as usize),
        threads => threads as usize,
    };
    // `output` is the name of a link, which a slash at its end would follow.
    let directory = |written: String| path(written).components().collect();
    WorkConfig {
        dir: directory(raw.get("dir")),
        output: directory(raw.get("output")),
        memory_bytes: raw.get("memory"),
        disk_bytes: raw.find("disk"),
        shared: raw.get("shared"),
        threads,
        metrics: raw.find("metrics").map(path),
        beside: None,
    }
}

/// Passages are looked for where their length is given.
fn passages(raw: &SectionValues) -> Option<PassagesConfig> {
    Some(PassagesConfig {
        words: raw.find("words")?,
        counts_all: raw.get("count"),
    })
}

fn snapshots(raw: &SectionValues, problems: &mut Problems<'_>) -> SnapshotsConfig {
    if raw.is_absent("path") {
        let message = "there is no path to look for new snapshots in; add path, or remove this key";
        raw.tell("ready", message, problems);
    }
    let path = raw.find("path").and_then(|written: String| {
        let (before, after) = written.split_once(NAME)?;
        Some(SnapshotPath {
            before: before.to_owned(),
            after: after.to_owned(),
            ready: raw.get("ready"),
            written,
        })
    });
    SnapshotsConfig {
        path,
        keep: raw.find("keep"),
        moved: raw.get("moved"),
    }
}
