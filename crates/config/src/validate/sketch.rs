//! `[sketch]`.

use std::fs::{self, File};
use std::io::Read;
use std::path::Path;

use model::{KeyRule, PermutationFamily, Sampling};
use sketch::{FingerprintBits, FingerprintKeys, TextOfPages};

use crate::keys::METHODS;
use crate::nearest::did_you_mean;
use crate::problem::{Problems, quoted};
use crate::values::SectionValues;
use crate::{DEFAULT_SEED, SketchConfig};

/// A longer seed is hardly meant as one.
const SEED_BYTES_MAX: u64 = 64 << 10;

/// Checks `[sketch]`; `seed-file` is relative to `base`.
pub(super) fn config(
    raw: &SectionValues,
    base: &Path,
    problems: &mut Problems<'_>,
) -> SketchConfig {
    let seed = seed(raw, base, problems);
    let (mut sampling, sort_keys) = method(&raw.get("method"), problems);
    let width: u32 = raw.get("fingerprint-bits");
    if let Sampling::MinHash {
        family: PermutationFamily::Numpy { bits, .. },
        ..
    } = &mut sampling
    {
        *bits = width;
    }
    SketchConfig {
        tokens: raw.get("tokens"),
        text_of_pages: match raw.get("content") {
            true => TextOfPages::Main {
                words_min: raw.get("min-words"),
            },
            false => TextOfPages::Whole,
        },
        drop_numbers: raw.get("drop-numbers"),
        shingle_size: raw.get("shingle-size"),
        shingles: raw.get("shingles"),
        sampling,
        sort_keys,
        bits: match width {
            32 => FingerprintBits::B32,
            40 => FingerprintBits::B40,
            _ => FingerprintBits::B64,
        },
        family: raw.get("fingerprint"),
        keys: FingerprintKeys::from_seed(&seed),
        seed_is_default: seed == DEFAULT_SEED,
        shingle_class_min: raw.get("shingle-class-min"),
    }
}

/// The keys of each kind of method.
const METHOD_KEYS: [(&str, &[&str]); METHODS.len()] = [
    ("modulus", &["modulus"]),
    ("adaptive-modulus", &["target", "coarsest"]),
    ("min", &["size"]),
    ("min-of-modulus", &["size", "modulus"]),
    (
        "minhash",
        &["permutations", "family", "numpy-seed", "bands", "shared"],
    ),
    (
        "super-shingles",
        &[
            "sketch",
            "length",
            "shared",
            "size",
            "permutations",
            "family",
            "numpy-seed",
        ],
    ),
];

/// `[sketch.method]`.
fn method(raw: &SectionValues, problems: &mut Problems<'_>) -> (Sampling, KeyRule) {
    let known = format!("known kinds: {}", METHODS.join(", "));
    raw.require("kind", &known, problems);
    let kind: String = raw.find("kind").unwrap_or_default();
    let of_kind = |kind: &str| METHOD_KEYS.iter().find(|(name, _)| *name == kind);
    if let Some((_, keys)) = of_kind(&kind) {
        check_keys_of_kind(&kind, keys, raw, problems);
    } else if let Some(given) = raw.given("kind") {
        let (got, hint) = (quoted(&kind), did_you_mean(&kind, METHODS));
        let message = format!("unknown kind {got} in [sketch.method]; {known}{hint}");
        problems.at(&given.at, message);
    }
    if raw.at("family").is_some() && raw.at("numpy-seed").is_some() {
        let message = "family and numpy-seed are both given; remove one of them";
        raw.tell("numpy-seed", message, problems);
    }
    if kind == "modulus" {
        raw.require("modulus", "AltaVista used 25; 1 keeps all", problems);
    }
    if kind != "super-shingles" {
        let keys = bands(raw, problems);
        return (sampling(&kind, raw), keys);
    }
    let sketch: &str = raw.find("sketch").unwrap_or("min");
    if let Some((_, keys)) = of_kind(sketch) {
        let keys = [&["sketch", "length", "shared"], *keys].concat();
        check_keys_of_kind(&format!("super-shingles of {sketch}"), &keys, raw, problems);
    }
    let sampling = sampling(sketch, raw);
    let length = raw.find("length").unwrap_or(4);
    let elements = match sampling {
        Sampling::MinHash { permutations, .. } => permutations,
        Sampling::Min { size, .. } => size,
        _ => u32::MAX,
    };
    let shared = shared(
        elements.saturating_sub(length) + 1,
        "super-shingles",
        raw,
        problems,
    );
    (sampling, KeyRule::SuperShingles { length, shared })
}

/// The sketch of a kind.
fn sampling(kind: &str, raw: &SectionValues) -> Sampling {
    let modulus = |default: u32| raw.find("modulus").unwrap_or(default);
    let size = raw.find("size").unwrap_or(128);
    match kind {
        "modulus" => Sampling::Modulus {
            modulus: modulus(1),
        },
        "min" => Sampling::Min { size, modulus: 1 },
        "min-of-modulus" => Sampling::Min {
            size,
            modulus: modulus(4),
        },
        "minhash" => Sampling::MinHash {
            permutations: permutations(raw),
            family: match raw.find("numpy-seed") {
                Some(seed) => PermutationFamily::Numpy { seed, bits: 64 },
                None => raw.find("family").unwrap_or(PermutationFamily::Keyed),
            },
        },
        _ => Sampling::Adaptive {
            target: raw.get("target"),
            coarsest_log2: raw.get::<u32>("coarsest").ilog2() as u8,
        },
    }
}

/// The permutations of min-hashes; the literature suggests 200.
fn permutations(raw: &SectionValues) -> u32 {
    raw.find("permutations").unwrap_or(200)
}

/// The bands of min-hashes, if there are any.
fn bands(raw: &SectionValues, problems: &mut Problems<'_>) -> KeyRule {
    let Some(bands) = raw.find::<u32>("bands") else {
        if raw.at("shared").is_some() {
            raw.tell("shared", "only with bands or super-shingles", problems);
        }
        return KeyRule::Elements;
    };
    let permutations = permutations(raw);
    if !permutations.is_multiple_of(bands) {
        let message = format!("{permutations} permutations do not make {bands} equal bands");
        raw.tell("bands", &message, problems);
    }
    KeyRule::Bands {
        rows: permutations / bands.max(1),
        shared: shared(bands, "bands", raw, problems),
    }
}

/// How many keys a candidate pair shares, of at most so many in a sketch.
fn shared(most: u32, keys: &str, raw: &SectionValues, problems: &mut Problems<'_>) -> u32 {
    let shared = raw.find("shared").unwrap_or(1);
    if shared > most {
        let message = format!("no two sketches share {shared} {keys}, as each has at most {most}");
        raw.tell("shared", &message, problems);
    }
    shared
}

/// Tells of keys that only other kinds of method have.
fn check_keys_of_kind(kind: &str, keys: &[&str], raw: &SectionValues, problems: &mut Problems<'_>) {
    for key in raw.section.names() {
        if let Some(at) = raw
            .at(key)
            .filter(|_| key != "kind" && !keys.contains(&key))
        {
            let message =
                format!("key {key:?} in [sketch.method] is not for kind {kind:?}; remove it");
            problems.at(&at, message);
        }
    }
}

fn seed(raw: &SectionValues, base: &Path, problems: &mut Problems<'_>) -> String {
    if let (Some(_), Some(at)) = (raw.at("seed"), raw.at("seed-file")) {
        let message = "seed and seed-file in [sketch]: both are given; remove one of them";
        problems.at(&at, message);
    } else if let Some(file) = raw.given("seed-file") {
        return read_seed(&base.join(&file.text)).unwrap_or_else(|error| {
            let shown = quoted(&file.text);
            let message = format!("failed to read the seed from {shown}: {error}");
            raw.tell("seed-file", &message, problems);
            String::new()
        });
    }
    raw.get("seed")
}

/// The text of a seed file without the line break at its end.
fn read_seed(path: &Path) -> Result<String, String> {
    let metadata = fs::metadata(path).map_err(|error| error.to_string())?;
    if !metadata.is_file() {
        return Err("it is not a regular file".to_owned());
    }
    let mut text = String::new();
    File::open(path)
        .and_then(|file| file.take(SEED_BYTES_MAX + 1).read_to_string(&mut text))
        .map_err(|error| error.to_string())?;
    if text.len() as u64 > SEED_BYTES_MAX {
        return Err("it is longer than 64 KiB".to_owned());
    }
    let seed = text.strip_suffix('\n').unwrap_or(&text);
    let seed = seed.strip_suffix('\r').unwrap_or(seed);
    if seed.is_empty() {
        return Err("it is empty".to_owned());
    }
    Ok(seed.to_owned())
}
