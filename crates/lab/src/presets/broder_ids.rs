//! Broder 1997: the roses of the definitions; a changed word; ids of few bits and their collisions;
//! the heap of MIN_s; Rabin's fingerprints of a sliding window.

use crate::cpu::timed;
use crate::methods::family::RABIN_BITS;
use crate::methods::sample::{permuted, smallest_by_heap};
use crate::probability::expected_ids;
use crate::random::Random;
use crate::set::{labelled, pair_of_sets, resemblance, set_of, shared, shingles};
use crate::table::{Table, row};
use crate::words;
use sketch::Rabin;
use std::hint::black_box;

/// "The size of a typical set of shingles is about 1000."
pub(super) const TYPICAL: usize = 1000;

/// The example of the definitions: two sentences on a rose, by the size of shingles.
pub(super) fn roses() -> Table {
    let title = "(a rose is a rose is a rose) and (a rose is a flower which is a rose)";
    let mut table = Table::new(title, []);
    let sentences = [
        "a rose is a rose is a rose",
        "a rose is a flower which is a rose",
    ];
    let words = sentences.map(|sentence| sentence.split(' ').collect::<Vec<&str>>());
    for (w, paper_a, paper_b) in [(1_usize, 0.7, 0.6), (2, 0.5, 0.5), (3, 0.3, 0.4285)] {
        let [a, b] = [&words[0], &words[1]].map(|words| shingles(words, w));
        table.push(row! {
            "w": w,
            "option A": resemblance(&set_of(labelled(&a)), &set_of(labelled(&b))),
            "paper, A": paper_a,
            "option B": resemblance(&set_of(a), &set_of(b)),
            "paper, B": paper_b,
        });
    }
    table
}

/// A text, and the same text with another word in the middle, by the size of shingles.
pub(super) fn changed_word() -> Table {
    let title = format!("One word of {TYPICAL} is another one, labelled shingles of w words");
    let mut table = Table::new(title, []);
    let text = words::text(1997, TYPICAL);
    let mut changed = text.clone();
    changed[TYPICAL / 2] = "another".to_owned();
    for w in [1_usize, 2, 4, 10, 20, 50] {
        let [a, b] = [&text, &changed].map(|words| set_of(labelled(&shingles(words, w))));
        table.push(row! {
            "w": w,
            "changed shingles": a.len() - shared(&a, &b),
            "resemblance": resemblance(&a, &b),
        });
    }
    table
}

/// Different ids of l bits, and how far they move a resemblance.
pub(super) fn collisions(seeds: u64) -> Table {
    let mut table = Table::new("Ids of l bits: collisions, and |r_f − r|", []);
    for bits in [16_u32, 20, 24, 28, 32, 40] {
        for size in [TYPICAL, 10 * TYPICAL] {
            let (a, b) = pair_of_sets(size, size, 0.5);
            let exact = resemblance(&a, &b);
            let ids =
                |set: &[u64], seed| set_of(permuted(set, seed).iter().map(|id| id >> (64 - bits)));
            let pairs = (0..seeds).map(|seed| (ids(&a, seed), ids(&b, seed)));
            let pairs: Vec<_> = pairs.collect();
            let count: usize = pairs.iter().map(|pair| pair.0.len()).sum();
            let change = pairs.iter().map(|(a, b)| (resemblance(a, b) - exact).abs());
            let union = (a.len() + b.len()) as f64 / (1.0 + exact);
            table.push(row! {
                "bits": bits,
                "shingles": size,
                "different ids": count as f64 / pairs.len().max(1) as f64,
                "expected": expected_ids(size, bits),
                "largest change of r": change.fold(0.0, f64::max),
                "bound": union / 2.0_f64.powi(bits as i32 - 11),
            });
        }
    }
    table
}

/// How often a value enters the heap of MIN_s.
pub(super) fn heap(seeds: u64) -> Table {
    let mut table = Table::new("Values that enter the heap of MIN_s", []);
    for (s, n) in [
        (100_usize, 1000_usize),
        (100, 10_000),
        (200, 10_000),
        (100, 100_000),
    ] {
        let entered = (0..seeds).map(|seed| {
            let mut random = Random::new(seed, 0);
            let values: Vec<u64> = (0..n).map(|_| random.bits()).collect();
            smallest_by_heap(&values, s).1
        });
        table.push(row! {
            "s": s,
            "values": n,
            "entered": entered.sum::<usize>() as f64 / seeds.max(1) as f64,
            "s (1 + ln(n / s))": s as f64 * (1.0 + (n as f64 / s as f64).ln()),
        });
    }
    table
}

/// Rabin's fingerprints of windows of w words of 8 bytes, from scratch and sliding.
pub(super) fn windows(words: usize) -> Table {
    let title = "Rabin's fingerprints of w words of 8 bytes, CPU ns a shingle";
    let mut table = Table::new(title, []);
    let mut random = Random::new(1997, 0);
    let text: Vec<u8> = (0..8 * words).map(|_| random.below(256) as u8).collect();
    let rabin = Rabin::new(RABIN_BITS, || random.bits());
    for w in [1_usize, 2, 5, 10, 20] {
        let words = text.windows(8 * w).step_by(8);
        let (expected, scratch) =
            timed(|| words.map(|window| rabin.of(window)).collect::<Vec<_>>());
        let (found, sliding) = timed(|| rabin.windows(&text, 8 * w, 8));
        black_box(expected == found);
        let shingles = expected.len().max(1) as f64;
        table.push(row! {
            "w": w,
            "scratch ns": 1e9 * scratch / shingles,
            "sliding ns": 1e9 * sliding / shingles,
            "gain": scratch / sliding,
        });
    }
    table
}
