//! `[work]`.

use std::path::{Path, PathBuf};
use std::thread;

use super::places::check_text;
use super::{expected, number, size};
use crate::WorkConfig;
use crate::problem::Problems;
use crate::raw::RawWork;
use crate::read::{Field, Scalar};

const THREADS_MAX: u32 = 1024;

/// Checks `[work]`, all but what the paths are to each other.
pub(super) fn config(raw: &RawWork, base: &Path, problems: &mut Problems<'_>) -> WorkConfig {
    let threads = match number(&raw.threads, 0..=THREADS_MAX, 0, problems) {
        0 => thread::available_parallelism()
            .map_or(1, usize::from)
            .min(THREADS_MAX as usize),
        threads => threads as usize,
    };
    WorkConfig {
        dir: path(&raw.dir, "work", base, problems),
        output: path(&raw.output, "out", base, problems),
        memory_bytes: size(&raw.memory, problems).unwrap_or(1 << 30),
        disk_bytes: disk(&raw.disk, problems),
        threads,
        metrics: raw.metrics.given().map(|given| {
            if !given.value.ends_with(".prom")
                || given.value.ends_with("/.prom")
                || given.value == ".prom"
            {
                expected(
                    "a file whose name ends in .prom (the node exporter reads no other)",
                    given,
                    problems,
                );
            }
            path(&raw.metrics, "", base, problems)
        }),
    }
}

fn disk(field: &Field<Scalar>, problems: &mut Problems<'_>) -> Option<u64> {
    let given = field.given()?;
    match &given.value {
        Scalar::Text(text) if text == "unlimited" => None,
        Scalar::Text(text) if text.starts_with(|c: char| !c.is_ascii_digit()) => {
            expected(
                "a size such as \"100GiB\", or \"unlimited\"",
                given,
                problems,
            );
            None
        }
        _ => size(field, problems),
    }
}

/// A path relative to the configuration's directory.
fn path(field: &Field<String>, default: &str, base: &Path, problems: &mut Problems<'_>) -> PathBuf {
    let written = match field.given() {
        Some(given) => {
            check_text(given, &given.value, problems);
            &given.value
        }
        None => default,
    };
    if base == Path::new(".") {
        PathBuf::from(written)
    } else {
        base.join(written)
    }
}
