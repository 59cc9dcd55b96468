//! Members decoded at once say what the same members decoded as streams say.

use proptest::prelude::*;

use decode::codec::STREAMS_ONLY;

use super::fixtures::*;
use super::pieces::{apply, damage, file};

/// What is said of a file, its members decoded as streams only.
fn read_as_streams(bytes: &[u8], cap: u64) -> Vec<Event> {
    STREAMS_ONLY.set(true);
    let events = read_capped(bytes, cap);
    STREAMS_ONLY.set(false);
    events
}

/// Bytes that do not compress.
fn noise(length: usize, seed: u64) -> Vec<u8> {
    let mut state = seed | 1;
    let next = || {
        state = state.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29) ^ 0x5851_f42d_4c95_7f2d;
        (state >> 32) as u8
    };
    std::iter::repeat_with(next).take(length).collect()
}

/// A record of such bytes.
fn noisy(length: usize, seed: u64) -> Vec<u8> {
    record(
        "resource",
        "http://noise/",
        &["Content-Type: image/png"],
        &noise(length, seed),
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]
    #[test]
    fn small_files_are_told_the_same(
        records in prop::collection::vec((0u8..10, 0usize..3000), 0..12), group in 1usize..6,
        damages in prop::collection::vec(damage(), 0..4), cap in prop_oneof![Just(CAP), Just(500u64)],
    ) {
        let mut bytes = file(&records, 1, group);
        for damage in &damages {
            apply(&mut bytes, damage);
        }
        prop_assert_eq!(read_capped(&bytes, cap), read_as_streams(&bytes, cap));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    /// Members that lie across the borders of reads, and large ones.
    #[test]
    fn large_files_are_told_the_same(
        noises in prop::collection::vec((0usize..700_000, any::<u64>()), 1..4),
        records in prop::collection::vec((5u8..10, 0usize..60_000), 0..8),
        damages in prop::collection::vec(damage(), 0..3),
    ) {
        let mut bytes = Vec::new();
        for (at, &(length, seed)) in noises.iter().enumerate() {
            bytes.extend(gzip(&noisy(length, seed)));
            bytes.extend(file(&records[records.len() * at / noises.len()..], 1, 1 + at));
        }
        for damage in &damages {
            apply(&mut bytes, damage);
        }
        prop_assert_eq!(read_capped(&bytes, CAP), read_as_streams(&bytes, CAP));
    }
}

/// Sizes of content around the room for it, and of members around what is read at once.
#[test]
fn members_of_all_sizes_are_told_the_same() {
    let mib = 1 << 20;
    for length in [
        0,
        1,
        300_000,
        512 << 10,
        mib - 2000,
        mib - 150,
        mib - 149,
        mib,
        3 * mib,
    ] {
        let zeros = record(
            "resource",
            "http://zeros/",
            &["Content-Type: text/plain"],
            &vec![b' '; length],
        );
        for first in [zeros, noisy(length, 5)] {
            let bytes = [gzip(&first), gzip(&page("http://x/", "<p>page")), gzip(b"")].concat();
            let events = read_capped(&bytes, CAP);
            assert_eq!(events, read_as_streams(&bytes, CAP), "{length}");
            assert_eq!(
                pages(&events).last().map(|page| page.text.as_str()),
                Some("<p>page"),
                "{length}"
            );
        }
    }
}
