//! `[sketch]`.

use std::fs::{self, File};
use std::io::Read;
use std::path::Path;

use model::Sampling;
use sketch::{FingerprintBits, FingerprintKeys, ShingleKind, TokenUnit};

use super::places::check_text;
use super::{choice, expected, number};
use crate::nearest::nearest;
use crate::problem::{Problems, quoted};
use crate::raw::{RawMethod, RawSketch};
use crate::read::{Field, Given};
use crate::{DEFAULT_SEED, SketchConfig};

/// A longer seed is hardly meant as one.
const SEED_BYTES_MAX: u64 = 64 << 10;

/// The coarsest modulus of adaptive sampling.
const COARSEST_MAX: i128 = 1 << (Sampling::LEVELS_MAX - 1);

const DEFAULT_SAMPLING: Sampling = Sampling::Adaptive {
    target: 128,
    coarsest_log2: 5,
};

/// Checks `[sketch]`; `seed-file` is relative to `base`.
pub(super) fn config(raw: &RawSketch, base: &Path, problems: &mut Problems<'_>) -> SketchConfig {
    let tokens = [
        ("words", TokenUnit::Words),
        ("chars", TokenUnit::Chars),
        ("lines", TokenUnit::Lines),
    ];
    let shingles = [
        ("set", ShingleKind::Set),
        ("labelled", ShingleKind::Labelled),
    ];
    let bits = match raw
        .fingerprint_bits
        .given()
        .map(|given| (given.value, given))
    {
        None | Some((64, _)) => FingerprintBits::B64,
        Some((40, _)) => FingerprintBits::B40,
        Some((_, given)) => {
            expected("64 or 40", given, problems);
            FingerprintBits::B64
        }
    };
    let seed = seed(raw, base, problems);
    SketchConfig {
        tokens: choice(&raw.tokens, &tokens, problems),
        drop_numbers: raw.drop_numbers.given().is_some_and(|given| given.value),
        shingle_size: number(&raw.shingle_size, 1..=1000, 10, problems),
        shingles: choice(&raw.shingles, &shingles, problems),
        sampling: raw
            .method
            .given()
            .map_or(DEFAULT_SAMPLING, |method| sampling(method, problems)),
        bits,
        keys: FingerprintKeys::from_seed(&seed),
        seed_is_default: seed == DEFAULT_SEED,
        shingle_class_min: number(&raw.shingle_class_min, 1..=u32::MAX, 16, problems),
    }
}

fn sampling(method: &Given<RawMethod>, problems: &mut Problems<'_>) -> Sampling {
    let raw = &method.value;
    let Some(kind) = raw.kind.given() else {
        if raw.kind.is_absent() {
            problems.at(
                &method.at,
                "missing key \"kind\" in [sketch.method]; known kinds: modulus, adaptive-modulus",
            );
        }
        return DEFAULT_SAMPLING;
    };
    match kind.value.as_str() {
        "modulus" => {
            not_of_kind(
                "modulus",
                &[("target", &raw.target), ("coarsest", &raw.coarsest)],
                problems,
            );
            if raw.modulus.is_absent() {
                problems
                    .at(&method.at, "missing key \"modulus\" in [sketch.method]; AltaVista took 25, and 1 keeps all");
            }
            Sampling::Modulus {
                modulus: number(&raw.modulus, 1..=u32::MAX, 25, problems),
            }
        }
        "adaptive-modulus" => {
            not_of_kind("adaptive-modulus", &[("modulus", &raw.modulus)], problems);
            let target = number(&raw.target, 1..=u32::MAX, 128, problems);
            Sampling::Adaptive {
                target,
                coarsest_log2: coarsest_log2(&raw.coarsest, problems),
            }
        }
        other => {
            let kinds = ["modulus", "adaptive-modulus"];
            let hint = nearest(other, &kinds)
                .map_or(String::new(), |near| format!("; did you mean {near:?}?"));
            let got = quoted(other);
            let message = format!(
                "unknown kind {got} in [sketch.method]; known kinds: modulus, adaptive-modulus{hint}"
            );
            problems.at(&kind.at, message);
            DEFAULT_SAMPLING
        }
    }
}

/// Tells of keys that the other kind of method has.
fn not_of_kind(kind: &str, fields: &[(&str, &Field<i128>)], problems: &mut Problems<'_>) {
    for (key, field) in fields {
        if let Some(given) = field.given() {
            let message =
                format!("key {key:?} in [sketch.method] is not for kind {kind:?}; remove it");
            problems.at(&given.at, message);
        }
    }
}

fn coarsest_log2(field: &Field<i128>, problems: &mut Problems<'_>) -> u8 {
    let Some(given) = field.given() else { return 5 };
    let power = (0..Sampling::LEVELS_MAX as u8).find(|log2| 1_i128 << log2 == given.value);
    power.unwrap_or_else(|| {
        expected(
            &format!("a power of two from 1 to {COARSEST_MAX}"),
            given,
            problems,
        );
        5
    })
}

fn seed(raw: &RawSketch, base: &Path, problems: &mut Problems<'_>) -> String {
    match (raw.seed.given(), raw.seed_file.given()) {
        (Some(_), Some(file)) => {
            problems.at(
                &file.at,
                "seed and seed-file in [sketch]: both are given; remove one of them",
            );
            String::new()
        }
        (Some(given), None) => {
            if given.value.is_empty() {
                expected("a text of at least one character", given, problems);
            }
            given.value.clone()
        }
        (None, Some(given)) => {
            check_text(given, &given.value, problems);
            read_seed(&base.join(&given.value)).unwrap_or_else(|error| {
                let file = quoted(&given.value);
                problems.at(
                    &given.at,
                    format!(
                        "{}: failed to read the seed from {file}: {error}",
                        given.name
                    ),
                );
                String::new()
            })
        }
        (None, None) => DEFAULT_SEED.to_owned(),
    }
}

/// The text of a seed file without the line break at its end.
fn read_seed(path: &Path) -> Result<String, String> {
    let metadata = fs::metadata(path).map_err(|error| error.to_string())?;
    if !metadata.is_file() {
        return Err("it is not a regular file".to_owned());
    }
    let mut text = String::new();
    let read =
        File::open(path).and_then(|file| file.take(SEED_BYTES_MAX + 1).read_to_string(&mut text));
    read.map_err(|error| error.to_string())?;
    if text.len() as u64 > SEED_BYTES_MAX {
        return Err("it is longer than 64 KiB".to_owned());
    }
    let seed = text.strip_suffix('\n').unwrap_or(&text);
    let seed = seed.strip_suffix('\r').unwrap_or(seed);
    if seed.is_empty() {
        Err("it is empty".to_owned())
    } else {
        Ok(seed.to_owned())
    }
}
