//! The theorems of Broder, *On the resemblance and containment of documents* (1997), against the
//! sketches of this crate.

use model::{Content, Overlap, Sampling};
use proptest::prelude::*;
use sketch::{
    Family, FingerprintBits, FingerprintKeys, ShingleKind, SketchParams, Sketcher, TextOfPages,
    TokenUnit,
};
use std::collections::BTreeSet;

const SEEDS: u32 = 200;

fn params(seed: u32, sampling: Sampling, shingles: ShingleKind) -> SketchParams {
    SketchParams {
        tokens: TokenUnit::Words,
        drop_numbers: false,
        text_of_pages: TextOfPages::Whole,
        shingle_size: 3,
        shingles,
        sampling,
        bits: FingerprintBits::B64,
        family: Family::Keyed,
        keys: FingerprintKeys::from_seed(&seed.to_string()),
    }
}

const ALL: Sampling = Sampling::Modulus { modulus: 1 };

fn set(params: &SketchParams, text: &str) -> BTreeSet<u64> {
    let mut sketcher = Sketcher::new(params);
    let fingerprints = sketcher.all_fingerprints(Content::Text(text)).iter();
    fingerprints.copied().collect()
}

/// |A ∩ B| and |A ∪ B|.
fn overlap(a: &BTreeSet<u64>, b: &BTreeSet<u64>) -> (u64, u64) {
    let shared = a.intersection(b).count();
    (shared as u64, (a.len() + b.len() - shared) as u64)
}

proptest! {
    /// Section 2: 1 − r obeys the triangle inequality, and is 0 for equal sets only. Without
    /// rounding: fractions are brought to one denominator.
    #[test]
    fn the_resemblance_distance_is_a_metric(
        texts in prop::array::uniform3("([ab] ){1,24}"), labelled: bool,
    ) {
        let kind = if labelled { ShingleKind::Labelled } else { ShingleKind::Set };
        let sets = texts.each_ref().map(|text| set(&params(0, ALL, kind), text));
        let distance = |a: usize, b: usize| {
            let (shared, union) = overlap(&sets[a], &sets[b]);
            (u128::from(union - shared), u128::from(union))
        };
        for (a, b, c) in [(0, 1, 2), (1, 2, 0), (2, 0, 1)] {
            prop_assert_eq!(distance(a, b), distance(b, a));
            prop_assert_eq!(distance(a, b).0 == 0, sets[a] == sets[b]);
            let ((x, of_x), (y, of_y), (z, of_z)) = (distance(a, b), distance(b, c), distance(a, c));
            prop_assert!(z * of_x * of_y <= (x * of_y + y * of_x) * of_z, "{:?}", sets);
        }
    }
}

/// Words `from..to`, each twice, so that labels differ from sets.
fn words(from: u32, to: u32) -> String {
    let once: Vec<String> = (from..to).map(|n| format!("w{n}")).collect();
    [once.join(" "), once.join(" ")].join(" ")
}

/// The fingerprints of a sketch as they are compared with one at `level`.
fn at_level(sketch: &(u8, BTreeSet<u64>), sampling: Sampling, level: u8) -> BTreeSet<u64> {
    let modulus = u64::from(sampling.modulus_at(usize::from(level)));
    let kept = sketch.1.iter().filter(|print| **print % modulus == 0);
    kept.copied().collect()
}

/// Theorem 1: the estimates have no bias. Given that the sketch of the union (for containment: of
/// A) has k shingles, an estimate has the mean r, and at most the variance r (1 − r) / k of the
/// binomial distribution. So the mean error over the seeds is within four of its standard
/// deviations but for one case in 16,000.
#[test]
fn estimates_have_no_bias() {
    let (a, b) = (words(0, 2_000), words(700, 3_500));
    let adaptive = Sampling::Adaptive {
        target: 128,
        coarsest_log2: 5,
    };
    for sampling in [Sampling::Modulus { modulus: 25 }, adaptive] {
        for kind in [ShingleKind::Set, ShingleKind::Labelled] {
            let exact = params(0, ALL, kind);
            let (set_a, set_b) = (set(&exact, &a), set(&exact, &b));
            let (shared, union) = overlap(&set_a, &set_b);
            let r = shared as f64 / union as f64;
            let contained = [&set_a, &set_b].map(|set| shared as f64 / set.len() as f64);
            let mut errors = [0.0; 3];
            let mut variances = [0.0; 3];
            for seed in 0..SEEDS {
                let mut sketcher = Sketcher::new(&params(seed, sampling, kind));
                let [sketch_a, sketch_b] = [&a, &b].map(|text| {
                    let sketched = sketcher.sketch(Content::Text(text));
                    (
                        sketched.level,
                        sketched.fingerprints.iter().copied().collect(),
                    )
                });
                let level = sketch_a.0.max(sketch_b.0);
                let [a, b] = [&sketch_a, &sketch_b].map(|sketch| at_level(sketch, sampling, level));
                let found = Overlap {
                    shared: overlap(&a, &b).0 as u32,
                    size_a: a.len() as u32,
                    size_b: b.len() as u32,
                    modulus: sampling.modulus_at(usize::from(level)),
                };
                let estimates = [
                    (found.resemblance(), r, overlap(&a, &b).1 as usize),
                    (
                        found.containment_a_in_b().expect("of samples"),
                        contained[0],
                        a.len(),
                    ),
                    (
                        found.containment_b_in_a().expect("of samples"),
                        contained[1],
                        b.len(),
                    ),
                ];
                for (at, (estimate, truth, size)) in estimates.into_iter().enumerate() {
                    errors[at] += estimate.ratio.to_f64() - truth;
                    variances[at] += truth * (1.0 - truth) / size as f64;
                }
            }
            for (error, variance) in errors.iter().zip(variances) {
                let (mean, tolerance) = (
                    error.abs() / f64::from(SEEDS),
                    4.0 * variance.sqrt() / f64::from(SEEDS),
                );
                println!("{sampling:?} {kind:?}: bias {mean:.5}, tolerance {tolerance:.5}");
                assert!(
                    mean <= tolerance,
                    "{sampling:?} {kind:?}: {mean} > {tolerance}"
                );
            }
        }
    }
}

/// The lengths of a fingerprint that are looked at.
const LENGTHS: [u32; 7] = [16, 20, 24, 28, 32, 36, 40];

fn cut(set: &BTreeSet<u64>, length: u32) -> BTreeSet<u64> {
    set.iter().map(|print| print >> (64 - length)).collect()
}

/// Section 4.1: n fingerprints of l bits have n − 2^l (1 − (1 − 2^−l)^n) fewer values than n. The
/// number has at most this variance, so it is within four standard deviations (and one, as it is
/// whole) of this mean.
#[test]
fn collisions_of_short_fingerprints_are_those_of_random_functions() {
    let text: String = (0..300_000).map(|n| format!("w{n} ")).collect();
    let set = set(&params(1, ALL, ShingleKind::Set), &text);
    let n = set.len() as f64;
    for length in LENGTHS {
        let values = 2_f64.powi(length as i32);
        let expected = n + values * (n * (-1.0 / values).ln_1p()).exp_m1();
        let found = (set.len() - cut(&set, length).len()) as f64;
        println!("{length} bits: {found} collisions, expected {expected:.2}");
        assert!(
            (found - expected).abs() <= 4.0 * expected.sqrt() + 1.0,
            "{length}: {found}"
        );
    }
}

/// Section 4.1: with probability 99.9 % the resemblance by fingerprints of l bits is within
/// |A ∪ B| / 2^(l − 11) of the resemblance.
#[test]
fn short_fingerprints_keep_to_the_bound_of_the_paper() {
    let (a, b) = (words(0, 400), words(100, 500));
    for length in LENGTHS {
        let (mut beyond, mut worst, mut bound) = (0, 0.0_f64, 0.0);
        for seed in 0..SEEDS {
            let params = params(seed, ALL, ShingleKind::Set);
            let (a, b) = (set(&params, &a), set(&params, &b));
            let (shared, union) = overlap(&a, &b);
            let (short_shared, short_union) = overlap(&cut(&a, length), &cut(&b, length));
            let error = short_shared as f64 / short_union as f64 - shared as f64 / union as f64;
            bound = union as f64 / 2_f64.powi(length as i32 - 11);
            beyond += u32::from(error.abs() >= bound);
            worst = worst.max(error.abs());
        }
        println!("{length} bits: largest error {worst:.6}, bound {bound:.6}");
        assert!(
            beyond <= 2,
            "{length} bits: {beyond} of {SEEDS} beyond {bound}"
        );
    }
}
