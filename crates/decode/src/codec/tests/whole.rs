//! Members decoded at once give the same as members decoded as streams.

use proptest::prelude::*;

use super::*;

/// One thing that a reader meets.
#[derive(Debug, PartialEq)]
enum Read {
    /// An entry: its offset and its content.
    Entry(u64, Vec<u8>),
    /// A damaged entry: its offset, its bytes before the damage, the reason and the detail.
    Damage(u64, Vec<u8>, &'static str, String),
    /// Where reading goes on.
    Recovered(Recovery),
}

/// Reads a file. Where there is `room`, members that fit it are decoded at once.
fn read(file: &[u8], room: Option<usize>) -> Vec<Read> {
    let temporary = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(temporary.path(), file).unwrap();
    let source = source_of(temporary.path(), Format::Warc);
    let input = RangeReader::open(&source, 0, source.stat.bytes).unwrap();
    let mut decoder = Decompressor::new(input, Compression::Gzip)
        .unwrap()
        .unwrap();
    let mut found = Vec::new();
    loop {
        match read_entry(&mut decoder, room) {
            Ok(None) => break,
            Ok(Some(content)) => found.push(Read::Entry(decoder.entry_offset(), content)),
            Err((content, DecodeError::Damaged { reason, detail })) => {
                let offset = decoder.entry_offset();
                found.push(Read::Damage(offset, content, reason, detail));
                found.push(Read::Recovered(decoder.recover(EntryStart::ANY).unwrap()));
            }
            Err((_, DecodeError::Input(error))) => panic!("{error}"),
        }
    }
    let digest = decoder.into_input().finish().unwrap();
    assert_eq!(digest, twox_hash::XxHash3_64::oneshot(file));
    found
}

/// The content of the next entry; `None` at the end of the file. With an error, its bytes so far.
fn read_entry(
    decoder: &mut Decompressor,
    room: Option<usize>,
) -> Result<Option<Vec<u8>>, (Vec<u8>, DecodeError)> {
    let none = |error: DecodeError| (Vec::new(), error);
    if !decoder.begin_entry().map_err(none)? {
        return Ok(None);
    }
    let mut content = vec![0; room.unwrap_or(0)];
    if room.is_some() {
        let made = decoder.read_whole(&mut content);
        if let Some(made) = made.map_err(|error| none(error.into()))? {
            assert_eq!(decoder.inner_offset(), made as u64);
            content.truncate(made);
            return Ok(Some(content));
        }
    }
    content.clear();
    let mut block = vec![0; 64 << 10];
    loop {
        match decoder.read_entry(&mut block) {
            Ok(0) => return Ok(Some(content)),
            Ok(made) => content.extend_from_slice(&block[..made]),
            Err(error) => return Err((content, error)),
        }
    }
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

/// A change of a file; places are shares of its length.
#[derive(Clone, Debug)]
enum Change {
    Flip(f64, u8),
    Insert(f64, Vec<u8>),
    Delete(f64, usize),
    Zero(f64, usize),
    Cut(f64),
}

fn change() -> impl Strategy<Value = Change> {
    let share = 0.0f64..1.0;
    let noise = proptest::collection::vec(any::<u8>(), 1..200);
    prop_oneof![
        4 => (share.clone(), 1u8..).prop_map(|(at, byte)| Change::Flip(at, byte)),
        2 => (share.clone(), noise).prop_map(|(at, noise)| Change::Insert(at, noise)),
        2 => (share.clone(), 1usize..300).prop_map(|(at, length)| Change::Delete(at, length)),
        1 => (share.clone(), 1usize..2000).prop_map(|(at, length)| Change::Zero(at, length)),
        1 => share.prop_map(Change::Cut),
    ]
}

fn apply(file: &mut Vec<u8>, change: &Change) {
    let at = |share: &f64| (share * file.len() as f64) as usize;
    match change {
        Change::Flip(share, byte) => {
            let at = at(share);
            if let Some(changed) = file.get_mut(at) {
                *changed ^= byte;
            }
        }
        Change::Insert(share, noise) => {
            let at = at(share);
            file.splice(at..at, noise.iter().copied());
        }
        Change::Delete(share, length) => {
            let at = at(share);
            file.drain(at..(at + length).min(file.len()));
        }
        Change::Zero(share, length) => {
            let at = at(share);
            let end = (at + length).min(file.len());
            file[at..end].fill(0);
        }
        Change::Cut(share) => file.truncate(at(share)),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]
    #[test]
    fn small_members_are_the_same(
        lengths in proptest::collection::vec(0usize..5_000, 0..12),
        changes in proptest::collection::vec(change(), 0..4),
        room in prop_oneof![Just(0usize), 1usize..6_000, Just(1usize << 20)],
    ) {
        let member = |&length: &usize| gzip(&text(length as u64, length));
        let mut file: Vec<u8> = lengths.iter().flat_map(member).collect();
        for change in &changes {
            apply(&mut file, change);
        }
        prop_assert_eq!(read(&file, Some(room)), read(&file, None));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    /// Members that lie across the borders of reads, and large ones.
    #[test]
    fn large_members_are_the_same(
        members in proptest::collection::vec((0usize..700_000, any::<u64>(), 0usize..60_000), 1..4),
        changes in proptest::collection::vec(change(), 0..3),
    ) {
        let mut file = Vec::new();
        for &(length, seed, further) in &members {
            file.extend(gzip(&noise(length, seed)));
            file.extend(gzip(&text(seed, further)));
        }
        for change in &changes {
            apply(&mut file, change);
        }
        prop_assert_eq!(read(&file, Some(1 << 20)), read(&file, None));
    }
}

/// Sizes of content around the room for it, and of members around what is read at once.
#[test]
fn members_of_all_sizes_are_the_same() {
    let mib = 1 << 20;
    for length in [0, 1, 300_000, 512 << 10, mib - 1, mib, mib + 1, 3 * mib] {
        for first in [vec![b' '; length], noise(length, 5)] {
            let file = [gzip(&first), gzip(b"page"), gzip(b"")].concat();
            let found = read(&file, Some(mib));
            assert_eq!(found, read(&file, None), "{length}");
            assert_eq!(found[0], Read::Entry(0, first), "{length}");
            assert_eq!(found.len(), 3, "{length}");
        }
    }
}
