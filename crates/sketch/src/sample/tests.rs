//! Samples against their definition.

use super::*;
use proptest::prelude::*;
use std::collections::BTreeSet;

/// The definition, by counting.
fn directly(rule: Sampling, offered: &[u64]) -> (u8, Vec<u64>) {
    let distinct: BTreeSet<u64> = offered.iter().copied().collect();
    let multiples = |modulus: u64| {
        distinct
            .iter()
            .copied()
            .filter(|f| f % modulus == 0)
            .collect::<Vec<_>>()
    };
    match rule {
        Sampling::MinHash { .. } => unreachable!("min-hashes are no sample"),
        Sampling::Modulus { modulus } => (0, multiples(u64::from(modulus))),
        Sampling::Min { size, modulus } => {
            let mut smallest = multiples(u64::from(modulus));
            smallest.truncate(size as usize);
            (0, smallest)
        }
        Sampling::Adaptive {
            target,
            coarsest_log2,
        } => {
            let fits = |level: &u8| multiples(1 << level).len() <= target as usize;
            let level = (0..=coarsest_log2).find(fits).unwrap_or(coarsest_log2);
            (level, multiples(1 << level))
        }
    }
}

fn rules() -> impl Strategy<Value = Sampling> {
    prop_oneof![
        (1u32..200).prop_map(|modulus| Sampling::Modulus { modulus }),
        (1u32..300, prop_oneof![Just(1u32), 2u32..9])
            .prop_map(|(size, modulus)| Sampling::Min { size, modulus }),
        (1u32..40, 0u8..8).prop_map(|(target, coarsest_log2)| Sampling::Adaptive {
            target,
            coarsest_log2
        }),
    ]
}

proptest! {
    #[test]
    fn sample_is_the_definition(rule in rules(), offered in prop::collection::vec(0u64..3000, 0..1500)) {
        let mut sampler = Sampler::new(rule, 0, Cpu::chosen());
        for cpu in Cpu::all().into_iter().chain([Cpu::chosen()]) {
            // more than once: nothing of the document before may stay
            sampler.clear();
            let (one_by_one, at_once) = offered.split_at(offered.len() / 3);
            one_by_one.iter().for_each(|&f| sampler.offer(f));
            sampler.offer_all(cpu, at_once);
            let (level, kept) = sampler.finish();
            prop_assert_eq!((level, kept.to_vec()), directly(rule, &offered));
        }
    }
}

#[test]
fn long_lists_are_the_definition() {
    // past the least length, also many times over, with few and with many repeats
    for (count, distinct) in [(4_200, 5_000), (30_000, 40_000), (30_000, 700), (20_000, 3)] {
        let offered: Vec<u64> = (0..count)
            .map(|n| n % distinct)
            .map(|n: u64| n.wrapping_mul(n ^ 0x5DEE_CE66))
            .collect();
        for (target, coarsest_log2) in [(1, 60), (128, 5), (128, 20), (2_000, 3), (5_000, 9)] {
            let rule = Sampling::Adaptive {
                target,
                coarsest_log2,
            };
            let mut sampler = Sampler::new(rule, 0, Cpu::chosen());
            sampler.offer_all(Cpu::chosen(), &offered);
            let (level, kept) = sampler.finish();
            assert_eq!(
                (level, kept.to_vec()),
                directly(rule, &offered),
                "{count} {distinct} {rule:?}"
            );
        }
    }
}

#[test]
fn repeats_do_not_pile_up() {
    let mut sampler = Sampler::new(Sampling::Modulus { modulus: 1 }, 0, Cpu::chosen());
    for n in 0..3_000_000_u64 {
        sampler.offer(n % 10);
    }
    assert!(
        sampler.kept.capacity() <= 2 * LIST_LENGTH_MIN,
        "{}",
        sampler.kept.capacity()
    );
    assert_eq!(sampler.finish().1.len(), 10);
}

#[test]
fn a_large_target_takes_room_only_for_what_is_there() {
    for (offered, most) in [
        (13, 2 * LIST_LENGTH_MIN),
        (300_000, 2 * 300_000 + LIST_LENGTH_MIN),
    ] {
        let rule = Sampling::Adaptive {
            target: 1_000_000_000,
            coarsest_log2: 0,
        };
        let mut sampler = Sampler::new(rule, 0, Cpu::chosen());
        let fingerprints: Vec<u64> = (0..offered).map(|n: u64| n.wrapping_mul(n)).collect();
        sampler.offer_all(Cpu::chosen(), &fingerprints);
        assert_eq!(sampler.finish().1.len(), fingerprints.len());
        assert!(sampler.capacity() <= most, "{}", sampler.capacity());
        sampler.clear();
        assert!(
            sampler.capacity() <= LIST_LENGTH_HELD,
            "{}",
            sampler.capacity()
        );
    }
}
