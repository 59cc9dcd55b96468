//! From raw values to checked ones: defaults, ranges, choices, contradictions.
//!
//! Each function tells the problems it meets and goes on with the default, so that all of them are
//! told.

mod cluster;
mod input;
mod places;
mod sketch;
mod snapshots;
mod work;

use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use model::Threshold;

use super::nearest::nearest;
use super::parse_size;
use super::problem::{Problems, quoted};
use super::raw::{RawCluster, RawFile, RawPairs, RawSketch, RawWork};
use super::read::{Field, Given, Scalar};
use super::{Config, InputFrom, PairsConfig, UNLIMITED_COMMON_SHINGLES};

pub use places::taken_in;

/// `floor` of `[pairs]` where it is not given: the lowest threshold that `tune` looks at.
const FLOOR: Threshold = Threshold::hundredths(25);

/// The version of the configuration that this program reads.
const VERSION: i128 = 1;

/// Checks everything. The result is of use only if no problem was told.
pub(super) fn config(
    raw: &RawFile,
    (file, from): (&Path, InputFrom),
    problems: &mut Problems<'_>,
) -> Config {
    version(&raw.version, problems);
    let base = base(file);
    let absent = Absent::default();
    let raw_work = raw.work.given().map_or(&absent.work, |given| &given.value);
    let raw_sketch = raw
        .sketch
        .given()
        .map_or(&absent.sketch, |given| &given.value);
    let raw_cluster = raw
        .cluster
        .given()
        .map_or(&absent.cluster, |given| &given.value);

    let from = if raw.snapshots.is_absent() {
        from
    } else {
        InputFrom::Snapshots
    };
    let input = input::config(&raw.input, from, problems);
    let snapshots = raw
        .snapshots
        .given()
        .map(|given| snapshots::config(&given.value, problems));
    let work = work::config(raw_work, &base, problems);
    let paths = raw
        .input
        .given()
        .map(|input| input::all_paths(&input.value))
        .unwrap_or_default();
    let found = raw
        .snapshots
        .given()
        .and_then(|given| given.value.path.given());
    places::check(
        &places::Places {
            paths: &paths,
            found,
            raw_work,
            work: &work,
            base: &base,
        },
        problems,
    );
    let sketch = sketch::config(raw_sketch, &base, problems);
    let pairs = pairs(raw.pairs.given().map(|given| &given.value), problems);
    let cluster = cluster::config(raw_cluster, &input.fields.carry, problems);
    let has_snapshots = from == InputFrom::Snapshots;
    Config {
        file: file.to_owned(),
        base,
        input,
        work,
        sketch,
        pairs,
        cluster,
        snapshots,
        has_snapshots,
    }
}

fn pairs(raw: Option<&RawPairs>, problems: &mut Problems<'_>) -> PairsConfig {
    let limit = raw.and_then(|raw| raw.common_shingle_limit.given());
    let floor = raw
        .and_then(|raw| raw.floor.given())
        .and_then(|given| cluster::threshold(given, problems));
    PairsConfig {
        common_shingle_limit: limit.map_or(1000, |given| common_shingle_limit(given, problems)),
        floor: floor.unwrap_or(FLOOR),
    }
}

/// What `keep` may be, given as text outside of a file.
pub(super) fn keep(text: &str, carried: &[String], problems: &mut Problems<'_>) -> ::cluster::Keep {
    let given = Given {
        value: text.to_owned(),
        at: 0..text.len(),
        name: "keep".to_owned(),
    };
    cluster::keep(&given, carried, problems)
}

/// Sections that are not there: every key has its default.
#[derive(Default)]
struct Absent {
    work: RawWork,
    sketch: RawSketch,
    cluster: RawCluster,
}

fn version(field: &Field<i128>, problems: &mut Problems<'_>) {
    if field.is_absent() {
        problems.at(
            &(0..0),
            format!("missing key \"version\"; begin the file with `version = {VERSION}`"),
        );
    }
    if let Some(given) = field.given().filter(|given| given.value != VERSION) {
        expected(
            &format!("{VERSION}, the only one this program reads"),
            given,
            problems,
        );
    }
}

/// The directory of the configuration file.
fn base(file: &Path) -> PathBuf {
    match file.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent.to_owned(),
        _ => PathBuf::from("."),
    }
}

fn common_shingle_limit(given: &Given<Scalar>, problems: &mut Problems<'_>) -> u32 {
    let limit = match &given.value {
        Scalar::Text(text) if text == "unlimited" => Some(UNLIMITED_COMMON_SHINGLES),
        Scalar::Integer(number) => u32::try_from(*number)
            .ok()
            .filter(|n| (1..UNLIMITED_COMMON_SHINGLES).contains(n)),
        _ => None,
    };
    limit.unwrap_or_else(|| {
        let range = format!(
            "a whole number from 1 to {}, or \"unlimited\"",
            UNLIMITED_COMMON_SHINGLES - 1
        );
        expected(&range, given, problems);
        1000
    })
}

/// Tells that a value is not what it should be.
fn expected<T: Shown>(what: &str, given: &Given<T>, problems: &mut Problems<'_>) {
    problems.at(
        &given.at,
        format!(
            "{}: expected {what}, got {}",
            given.name,
            given.value.shown()
        ),
    );
}

/// A raw value in a message.
trait Shown {
    fn shown(&self) -> String;
}

impl Shown for String {
    fn shown(&self) -> String {
        quoted(self)
    }
}

impl Shown for i128 {
    fn shown(&self) -> String {
        self.to_string()
    }
}

impl Shown for Scalar {
    fn shown(&self) -> String {
        match self {
            Scalar::Integer(number) => number.to_string(),
            Scalar::Float(number) => number.to_string(),
            Scalar::Text(text) => quoted(text),
        }
    }
}

/// A whole number within bounds, or the default.
fn number(
    field: &Field<i128>,
    range: RangeInclusive<u32>,
    default: u32,
    problems: &mut Problems<'_>,
) -> u32 {
    let Some(given) = field.given() else {
        return default;
    };
    if let Some(number) = u32::try_from(given.value)
        .ok()
        .filter(|number| range.contains(number))
    {
        return number;
    }
    expected(
        &format!("a whole number from {} to {}", range.start(), range.end()),
        given,
        problems,
    );
    default
}

/// One of several names; the first of them is the default.
fn choice<T: Copy>(field: &Field<String>, choices: &[(&str, T)], problems: &mut Problems<'_>) -> T {
    let default = choices[0].1;
    let Some(given) = field.given() else {
        return default;
    };
    if let Some((_, value)) = choices.iter().find(|(name, _)| *name == given.value) {
        return *value;
    }
    let names: Vec<&str> = choices.iter().map(|(name, _)| *name).collect();
    let hint = match nearest(&given.value, &names) {
        Some(near) => format!("; did you mean {near:?}?"),
        None => String::new(),
    };
    let (name, got) = (&given.name, quoted(&given.value));
    problems.at(
        &given.at,
        format!(
            "{name}: expected one of {}, got {got}{hint}",
            names.join(", ")
        ),
    );
    default
}

/// A size: a number of bytes, or a text with a unit. `None` if absent or wrong.
fn size(field: &Field<Scalar>, problems: &mut Problems<'_>) -> Option<u64> {
    let given = field.given()?;
    let size = match &given.value {
        Scalar::Text(text) => parse_size(text),
        Scalar::Integer(number) if *number >= 0 => parse_size(&number.to_string()),
        Scalar::Integer(_) | Scalar::Float(_) => {
            Err("expected a whole number of bytes, or a text such as \"512MiB\"".to_owned())
        }
    };
    match size {
        Ok(bytes) => Some(bytes),
        Err(expected) => {
            problems.at(
                &given.at,
                format!("{}: {expected}, got {}", given.name, given.value.shown()),
            );
            None
        }
    }
}
