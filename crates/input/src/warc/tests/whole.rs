//! Members decoded at once hold the pages of the plain file. That they are the same as members
//! decoded as streams, damaged ones too, is tested in crate `decode`.

use proptest::prelude::*;

use super::fixtures::*;
use super::pieces::file;

/// The URLs and texts of the pages of a file.
fn texts(bytes: &[u8], cap: u64) -> Vec<(Option<String>, String)> {
    let events = read_capped(bytes, cap);
    let text = |page: &Page| (page.url.clone(), page.text.clone());
    pages(&events).into_iter().map(text).collect()
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

/// Kinds of records whose lengths are right. Behind a wrong one, the borders of members help.
fn sound() -> impl Strategy<Value = u8> {
    prop_oneof![0u8..5, 7u8..10]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]
    #[test]
    fn small_members_have_the_pages_of_the_plain_file(
        records in prop::collection::vec((sound(), 0usize..3000), 0..12), group in 1usize..6,
        cap in prop_oneof![Just(CAP), Just(500u64)],
    ) {
        prop_assert_eq!(texts(&file(&records, 1, group), cap), texts(&file(&records, 0, 1), cap));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    /// Members that lie across the borders of reads, and large ones.
    #[test]
    fn large_members_have_the_pages_of_the_plain_file(
        noises in prop::collection::vec((0usize..700_000, any::<u64>()), 1..4),
        records in prop::collection::vec((7u8..10, 0usize..60_000), 0..8),
    ) {
        let (mut members, mut plain) = (Vec::new(), Vec::new());
        for (at, &(length, seed)) in noises.iter().enumerate() {
            let noisy = noisy(length, seed);
            let records = &records[records.len() * at / noises.len()..];
            members.extend(gzip(&noisy));
            members.extend(file(records, 1, 1 + at));
            plain.extend(noisy);
            plain.extend(file(records, 0, 1));
        }
        prop_assert_eq!(texts(&members, CAP), texts(&plain, CAP));
    }
}

/// Sizes of content around the room for it, and of members around what is read at once.
#[test]
fn members_of_all_sizes_are_read() {
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
            assert_eq!(
                pages(&events).last().map(|page| page.text.as_str()),
                Some("<p>page"),
                "{length}"
            );
        }
    }
}
