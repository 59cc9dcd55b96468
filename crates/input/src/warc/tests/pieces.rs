//! Pieces read on their own, in any order, say together what one reader says.

use proptest::prelude::*;

use decode::options::PieceEnd;

use super::fixtures::*;

/// Reads pieces as a caller does: each by itself first, then again those whose beginning was
/// guessed wrong.
fn chained(bytes: &[u8], cuts: &[u64], cap: u64) -> Vec<Event> {
    chained_file(&File::new(bytes), bytes, cuts, cap)
}

pub(super) fn chained_file(file: &File, bytes: &[u8], cuts: &[u64], cap: u64) -> Vec<Event> {
    let mut borders = cuts.to_vec();
    borders.extend([0, bytes.len() as u64]);
    borders.sort_unstable();
    let mut ranges: Vec<(u64, u64)> = borders.windows(2).map(|pair| (pair[0], pair[1])).collect();
    ranges.retain(|(start, end)| start < end);
    let guessed: Vec<(Vec<Event>, PieceEnd)> = ranges
        .iter()
        .rev()
        .map(|&(start, end)| file.piece(start, end, None, cap))
        .collect();
    let mut events = Vec::new();
    let mut due = 0;
    for ((start, end), (said, ended)) in ranges.into_iter().zip(guessed.into_iter().rev()) {
        assert_eq!(
            ended.digest,
            twox_hash::XxHash3_64::oneshot(&bytes[start as usize..end as usize])
        );
        assert!(
            ended.next >= end
                && ended
                    .first
                    .is_none_or(|first| (start..end).contains(&first))
        );
        let right = if due >= end {
            ended.first.is_none()
        } else {
            ended.first == Some(due)
        };
        let (said, ended) = if right {
            (said, ended)
        } else {
            file.piece(start, end, Some(due), cap)
        };
        assert_eq!(
            ended.digest,
            twox_hash::XxHash3_64::oneshot(&bytes[start as usize..end as usize])
        );
        if due >= end {
            assert_eq!((ended.first, said.len()), (None, 0));
        } else {
            assert_eq!(ended.first, Some(due));
            due = ended.next;
        }
        assert!(due >= end);
        events.extend(said);
    }
    assert_eq!(due, bytes.len() as u64);
    events
}

/// A record of which header and body, or head and body, are entries of their own.
fn in_parts(record: &[u8], pack: Pack) -> Vec<u8> {
    let ends: Vec<usize> = memchr::memmem::find_iter(record, b"\r\n\r\n")
        .map(|at| at + 4)
        .collect();
    let (header, rest) = record.split_at(ends[0]);
    let (head, body) = rest.split_at(ends[1] - ends[0]);
    [header, head, body].into_iter().flat_map(pack).collect()
}

#[test]
fn a_record_may_go_on_in_the_entries_behind_its_header() {
    let pages: Vec<Vec<u8>> = (0..4)
        .map(|number| {
            page(
                &format!("http://x/{number}"),
                &"<p>a rose is a rose ".repeat(9_000 * number),
            )
        })
        .collect();
    let request = record("request", "http://x/", &[], b"GET / HTTP/1.1\r\n\r\n");
    for pack in [gzip as Pack, zstd] {
        let mut bytes = pack(&request);
        for page in &pages {
            bytes.extend(in_parts(page, pack));
            bytes.extend(pack(&request));
        }
        let events = read(&bytes);
        assert_eq!(
            words(&events),
            "[request] empty [request] http://x/1 [request] http://x/2 [request] http://x/3 [request]"
        );
        for cut in (0..bytes.len() as u64).step_by(97) {
            assert_eq!(chained(&bytes, &[cut], CAP), events, "{cut}");
        }
        // One that is too large costs itself.
        let small = words(&chained(&bytes, &[], 300_000));
        assert_eq!(
            small,
            words(&events)
                .replace("http://x/2", "too-large")
                .replace("http://x/3", "too-large")
        );
    }
    // Behind a wrong length the next record is one of its own.
    let long = String::from_utf8(pages[1].clone())
        .unwrap()
        .replace("Content-Length: 1", "Content-Length: 2");
    let bytes = [gzip(long.as_bytes()), gzip(&pages[2])].concat();
    assert_eq!(words(&read(&bytes)), "bad-content-length http://x/2");
}

fn record_of(kind: u8, number: usize, length: usize) -> Vec<u8> {
    let url = format!("http://x/{number}");
    let text = format!(
        "<p>page {number} {}",
        "lorem ipsum\r\n\r\n".repeat(length / 15)
    );
    match kind {
        0 => record("request", &url, &[], b"GET / HTTP/1.1\r\n\r\n"),
        1 => record(
            "resource",
            &url,
            &["Content-Type: text/plain"],
            text.as_bytes(),
        ),
        2 => page(
            &url,
            &String::from_utf8(page("http://quoted/", "<p>quoted")).unwrap(),
        ),
        3 => response(&url, &["HTTP/1.1 404 Not Found"], text.as_bytes()),
        4 => record(
            "resource",
            &url,
            &["Content-Type: text/plain"],
            &gzip(&page("http://stored/", "<p>stored")),
        ),
        5 => {
            let mut wrong = page(&url, &text);
            let at = memchr::memmem::find(&wrong, b"Content-Length: ").unwrap() + 16;
            wrong[at] = b'9';
            wrong
        }
        6 => page(&url, &text).replace_line_ends(),
        _ => page(&url, &text),
    }
}

trait LineEnds {
    fn replace_line_ends(self) -> Self;
}

impl LineEnds for Vec<u8> {
    fn replace_line_ends(self) -> Self {
        // Its length is wrong then, mostly.
        String::from_utf8(self)
            .unwrap()
            .replace("\r\n", "\n")
            .into_bytes()
    }
}

#[derive(Clone, Debug)]
pub(super) enum Damage {
    Flip(f64, u8),
    Insert(f64, Vec<u8>),
    Delete(f64, usize),
    Zero(f64, usize),
    Cut(f64),
}

pub(super) fn apply(bytes: &mut Vec<u8>, damage: &Damage) {
    let at = |share: &f64| (share * bytes.len() as f64) as usize;
    match damage {
        Damage::Flip(share, byte) if !bytes.is_empty() => {
            let at = at(share);
            bytes[at] ^= byte;
        }
        Damage::Flip(..) => {}
        Damage::Insert(share, noise) => {
            let at = at(share);
            bytes.splice(at..at, noise.iter().copied());
        }
        Damage::Delete(share, length) => {
            let at = at(share);
            bytes.drain(at..(at + length).min(bytes.len()));
        }
        Damage::Zero(share, length) => {
            let at = at(share);
            let end = (at + length).min(bytes.len());
            bytes[at..end].fill(0);
        }
        Damage::Cut(share) => bytes.truncate(at(share)),
    }
}

pub(super) fn damage() -> impl Strategy<Value = Damage> {
    let share = 0.0f64..1.0;
    prop_oneof![
        4 => (share.clone(), 1u8..).prop_map(|(at, byte)| Damage::Flip(at, byte)),
        2 => (share.clone(), proptest::collection::vec(any::<u8>(), 1..200)).prop_map(|(at, noise)| Damage::Insert(at, noise)),
        2 => (share.clone(), 1usize..300).prop_map(|(at, length)| Damage::Delete(at, length)),
        1 => (share.clone(), 1usize..2000).prop_map(|(at, length)| Damage::Zero(at, length)),
        1 => share.prop_map(Damage::Cut),
    ]
}

/// Records of all kinds, packed in one of the ways, or each in another number a member.
pub(super) fn file(records: &[(u8, usize)], packing: u8, group: usize) -> Vec<u8> {
    let records: Vec<Vec<u8>> = records
        .iter()
        .enumerate()
        .map(|(number, &(kind, length))| record_of(kind, number, length))
        .collect();
    let pack: Pack = [<[u8]>::to_vec, gzip, zstd][usize::from(packing)];
    records
        .chunks(group)
        .flat_map(|group| pack(&group.concat()))
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]
    #[test]
    fn pieces_say_what_one_reader_says(
        records in proptest::collection::vec((0u8..10, 0usize..3000), 0..12), packing in 0u8..3, group in 1usize..6,
        damages in proptest::collection::vec(damage(), 0..4), cuts in proptest::collection::vec(0.0f64..1.0, 0..8),
        cap in prop_oneof![Just(CAP), Just(500u64)],
    ) {
        let mut bytes = file(&records, packing, group);
        for damage in &damages {
            apply(&mut bytes, damage);
        }
        let cuts: Vec<u64> = cuts.iter().map(|share| (share * bytes.len() as f64) as u64).collect();
        prop_assert_eq!(chained(&bytes, &cuts, cap), read_capped(&bytes, cap));
    }

    /// Undamaged files: every record is reported exactly once, in order.
    #[test]
    fn nothing_is_lost(records in proptest::collection::vec((7u8..10, 0usize..3000), 0..12), packing in 0u8..3, group in 1usize..6) {
        let bytes = file(&records, packing, group);
        let expected: Vec<String> = (0..records.len()).map(|number| format!("http://x/{number}")).collect();
        prop_assert_eq!(words(&read(&bytes)), expected.join(" "));
    }

    /// Any bytes at all, also such that begin like something.
    #[test]
    fn nothing_panics(
        start in 0usize..6, bytes in proptest::collection::vec(any::<u8>(), 0..600), cut in 0.0f64..1.0,
    ) {
        let starts: [&[u8]; 6] = [b"", b"WARC/1.0\r\n", b"\x1f\x8b\x08\0\0\0\0\0\0\x03", b"(\xb5/\xfd", b"]*M\x18\x05\0\0\0", b"WARC/1.0\r\nContent-Length: 3\r\nWARC-Type: response\r\n\r\n"];
        let bytes = [starts[start], &bytes].concat();
        let cut = (cut * bytes.len() as f64) as u64;
        prop_assert_eq!(chained(&bytes, &[cut], 100), read_capped(&bytes, 100));
    }
}

/// Cuts at and around the border of every entry, and many others.
#[test]
fn cuts_anywhere_say_the_same() {
    let records: Vec<(u8, usize)> =
        vec![(7, 100), (2, 0), (4, 0), (5, 60), (0, 0), (7, 40), (1, 10)];
    for (packing, group) in [(0, 1), (1, 1), (1, 3), (2, 1), (2, 7)] {
        let bytes = file(&records, packing, group);
        let expected = read(&bytes);
        let borders: Vec<u64> = pages(&expected)
            .iter()
            .map(|page| page.place.entry_offset)
            .collect();
        let near = |cut: u64| borders.iter().any(|border| border.abs_diff(cut) < 6);
        let on_disk = File::new(&bytes);
        for cut in (1..bytes.len() as u64).filter(|&cut| near(cut) || cut % 23 == 0) {
            assert_eq!(
                chained_file(&on_disk, &bytes, &[cut], CAP),
                expected,
                "{packing} {group} {cut}"
            );
        }
    }
}

/// In an undamaged file whose entries are records, the guess is right at, before and behind every
/// one.
#[test]
fn guesses_are_right_where_nothing_is_damaged() {
    let records: Vec<(u8, usize)> = vec![(7, 100), (1, 50), (3, 60), (0, 0), (7, 40)];
    for packing in 0..3 {
        let bytes = file(&records, packing, 1);
        let mut starts = Vec::new();
        for number in 0..=records.len() {
            starts.push(file(&records[..number], packing, 1).len() as u64);
        }
        let on_disk = File::new(&bytes);
        let end = bytes.len() as u64;
        for &start in &starts[1..records.len()] {
            let first = |at: u64| on_disk.piece(at, end, None, CAP).1.first;
            assert_eq!(
                (first(start - 1), first(start)),
                (Some(start), Some(start)),
                "{packing}"
            );
            let next = starts
                .iter()
                .copied()
                .find(|&other| other > start)
                .filter(|&other| other < end);
            assert_eq!(first(start + 1), next, "{packing}");
            assert_eq!(on_disk.piece(0, start, None, CAP).1.next, start);
        }
    }
}

#[test]
fn one_member_round_the_file_belongs_to_its_first_piece() {
    let bytes = file(&[(7, 2000); 8], 1, 8);
    let file = File::new(&bytes);
    let middle = bytes.len() as u64 / 2;
    let (events, end) = file.piece(0, middle, None, CAP);
    assert_eq!(
        (pages(&events).len(), end.first, end.next),
        (8, Some(0), bytes.len() as u64)
    );
    let (events, end) = file.piece(middle, bytes.len() as u64, None, CAP);
    assert_eq!(
        (events.len(), end.first, end.next),
        (0, None, bytes.len() as u64)
    );
}
