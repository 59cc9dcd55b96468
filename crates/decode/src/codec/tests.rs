mod whole;

use std::io::Write;

use proptest::prelude::*;

use super::recovery::Recovery;
use super::*;
use crate::expansion::FREE_BYTES;
use crate::options::Format;
use crate::range::tests::source_of;

fn gzip(content: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(content).unwrap();
    encoder.finish().unwrap()
}

fn zstd(content: &[u8]) -> Vec<u8> {
    let mut encoder = ::zstd::stream::write::Encoder::new(Vec::new(), 1).unwrap();
    encoder.include_checksum(true).unwrap();
    encoder.write_all(content).unwrap();
    encoder.finish().unwrap()
}

const WARC: EntryStart = EntryStart {
    bytes: 5,
    is_start: |start| start.starts_with(b"WARC/"),
};
const OBJECT: EntryStart = EntryStart {
    bytes: 1,
    is_start: |start| start.starts_with(b"{"),
};

/// Offset and content.
type Entry = (u64, Vec<u8>);
/// Reason, and where reading went on.
type Lost = (&'static str, Recovery);

/// Everything that can be decoded, and what was lost.
fn all(file: &[u8], chunk: usize) -> (Vec<Entry>, Vec<Lost>) {
    let temporary = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(temporary.path(), file).unwrap();
    let source = source_of(temporary.path(), Format::Jsonl);
    let input = RangeReader::open(&source, 0, source.stat.bytes).unwrap();
    let mut decoder = Decompressor::new(input, Compression::sniff(file))
        .unwrap()
        .unwrap();
    let (mut entries, mut lost): (Vec<Entry>, _) = (Vec::new(), Vec::new());
    let mut out = vec![0; chunk];
    loop {
        match decoder.read(&mut out) {
            Ok(0) => break,
            Ok(read) => {
                if entries
                    .last()
                    .is_none_or(|(offset, _)| *offset != decoder.entry_offset())
                {
                    entries.push((decoder.entry_offset(), Vec::new()));
                }
                let (_, bytes) = entries.last_mut().unwrap();
                bytes.extend_from_slice(&out[..read]);
                assert_eq!(decoder.inner_offset(), bytes.len() as u64);
            }
            Err(DecodeError::Damaged { reason, .. }) => {
                lost.push((reason, decoder.recover(EntryStart::ANY).unwrap()));
            }
            Err(DecodeError::Input(error)) => panic!("{error}"),
        }
    }
    assert_eq!(
        decoder.into_input().finish().unwrap(),
        twox_hash::XxHash3_64::oneshot(file)
    );
    (entries, lost)
}

fn text(seed: u64, length: usize) -> Vec<u8> {
    let mut state = seed | 1;
    (0..length)
        .map(|_| {
            state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
            b"etaoin shrdlu\n\xff\0"[(state >> 60) as usize]
        })
        .collect()
}

#[test]
fn the_rest_of_an_entry_that_expands_too_far_is_given_up_and_the_next_one_is_found() {
    let zeros = vec![0; 2 * FREE_BYTES as usize];
    let best = flate2::Compression::best();
    let mut densest = flate2::write::GzEncoder::new(Vec::new(), best);
    densest.write_all(&zeros).unwrap();
    for (mut file, encode) in [
        (densest.finish().unwrap(), gzip as fn(&[u8]) -> Vec<u8>),
        (zstd(&zeros), zstd),
    ] {
        let next = file.len() as u64;
        file.extend(encode(b"{}"));
        let temporary = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(temporary.path(), &file).unwrap();
        let source = source_of(temporary.path(), Format::Jsonl);
        let input = RangeReader::open(&source, 0, source.stat.bytes).unwrap();
        let decoder = Decompressor::new(input, Compression::sniff(&file))
            .unwrap()
            .unwrap();
        let mut decoder = decoder.bounded(ExpansionLimit::new(200));
        let (mut out, mut decoded) = (vec![0; 1 << 16], 0);
        let reason = loop {
            match decoder.read(&mut out) {
                Ok(0) => panic!("all was decoded"),
                Ok(read) => decoded += read as u64,
                Err(DecodeError::Damaged { reason, .. }) => break reason,
                Err(DecodeError::Input(error)) => panic!("{error}"),
            }
        };
        assert_eq!(reason, "expands-too-far");
        assert_eq!(decoded, FREE_BYTES);
        assert_eq!(decoder.recover(OBJECT).unwrap().next, next);
        assert_eq!(decoder.read(&mut out).unwrap(), 2);
    }
}

#[test]
fn many_entries_that_expand_far_cost_no_more_than_one_and_sound_ones_among_them_are_read() {
    let best = flate2::Compression::best();
    let mut densest = flate2::write::GzEncoder::new(Vec::new(), best);
    densest.write_all(&vec![0; 4 << 20]).unwrap();
    let dense = densest.finish().unwrap();
    for entry_max in [1 << 16, 8 << 20] {
        let mut file = Vec::new();
        for _ in 0..40 {
            file.extend_from_slice(&dense);
            file.extend(gzip(b"sound"));
        }
        let temporary = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(temporary.path(), &file).unwrap();
        let source = source_of(temporary.path(), Format::Jsonl);
        let input = RangeReader::open(&source, 0, source.stat.bytes).unwrap();
        let decoder = Decompressor::new(input, Compression::Gzip)
            .unwrap()
            .unwrap();
        let mut decoder = decoder.bounded(ExpansionLimit::new(200));
        let (mut out, mut decoded, mut sound, mut given_up) = (vec![0; entry_max], 0, 0, 0);
        loop {
            match decoder.read(&mut out) {
                Ok(0) => break,
                Ok(read) if out.starts_with(b"sound") && read == 5 => sound += 1,
                Ok(read) => decoded += read,
                Err(DecodeError::Damaged { reason, .. }) => {
                    assert_eq!(reason, "expands-too-far");
                    given_up += 1;
                    decoder.recover(EntryStart::ANY).unwrap();
                }
                Err(DecodeError::Input(error)) => panic!("{error}"),
            }
        }
        assert_eq!(sound, 40, "sound entries are lost");
        assert!(given_up >= 15, "{given_up} were given up");
        // 64 MiB, what every entry may have, and one more.
        let allowed = FREE_BYTES as usize + 40 * 200 * dense.len() + (4 << 20);
        assert!(decoded <= allowed, "{decoded} bytes were decoded");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    /// All members, or frames, come back whole, each with its offset.
    #[test]
    fn entries_come_back(
        lengths in proptest::collection::vec(0usize..200_000, 0..5), chunk in 1usize..100_000, codec in 0..2,
    ) {
        let chunk = if lengths.iter().sum::<usize>() > 20_000 { chunk + 512 } else { chunk };
        let encode = [gzip, zstd][codec as usize];
        let mut file = Vec::new();
        let mut expected = Vec::new();
        for (i, &length) in lengths.iter().enumerate() {
            let content = text(i as u64 * 77 + length as u64, length);
            let offset = file.len() as u64;
            file.extend(encode(&content));
            if length > 0 {
                expected.push((offset, content));
            }
        }
        let (entries, lost) = all(&file, chunk);
        prop_assert_eq!(entries, expected);
        prop_assert!(lost.is_empty());
    }

    /// Any bytes, or a valid file with changed bytes: no panic, an end, the same again.
    #[test]
    fn nothing_panics_or_hangs(
        lengths in proptest::collection::vec(0usize..5_000, 1..4), codec in 0..2, cut in 0.0f64..1.2,
        flips in proptest::collection::vec((0.0f64..1.0, any::<u8>()), 0..5),
        noise in proptest::collection::vec(any::<u8>(), 0..300), noise_at in 0.0f64..1.0,
    ) {
        let encode = [gzip, zstd][codec as usize];
        let mut file: Vec<u8> = lengths.iter().flat_map(|&length| encode(&text(length as u64, length))).collect();
        for (at, byte) in flips {
            let at = (at * file.len() as f64) as usize;
            file[at] = byte;
        }
        let at = (noise_at * file.len() as f64) as usize;
        file.splice(at..at, noise);
        file.truncate((cut * file.len() as f64) as usize);
        prop_assert_eq!(all(&file, 1000), all(&file, 1000));
    }
}

#[test]
fn damage_costs_one_entry() {
    for encode in [gzip, zstd] {
        let parts: Vec<Vec<u8>> = (1..=3u64).map(|i| encode(&text(i, 3_000))).collect();
        let starts = [0, parts[0].len(), parts[0].len() + parts[1].len()];
        let whole = parts.concat();
        // In the checksum, then in the stream.
        for position in [starts[2] - 6, starts[1] + parts[1].len() / 2, starts[1] + 1] {
            let mut file = whole.clone();
            file[position] ^= 0x55;
            let (entries, lost) = all(&file, 64 << 10);
            assert_eq!(entries.first().unwrap(), &(0, text(1, 3_000)));
            assert_eq!(
                entries.last().unwrap(),
                &(starts[2] as u64, text(3, 3_000)),
                "{position}"
            );
            let [(_, recovery)] = lost[..] else {
                panic!("{lost:?}")
            };
            assert_eq!(
                (recovery.lost_from, recovery.next),
                (starts[1] as u64, starts[2] as u64)
            );
        }
    }
}

#[test]
fn ends_are_told_apart() {
    for encode in [gzip, zstd] {
        let good = encode(b"one line\n");
        for cut in 1..=8 {
            let (_, lost) = all(&[&good[..], &good[..good.len() - cut]].concat(), 100);
            let [("truncated", recovery)] = lost[..] else {
                panic!("{cut}: {lost:?}")
            };
            assert_eq!(
                (recovery.lost_from, recovery.at_end),
                (good.len() as u64, true)
            );
        }
        let (entries, lost) = all(&[&good[..], &[0; 1000]].concat(), 100);
        assert_eq!(entries.len(), 1);
        assert!(matches!(
            lost[..],
            [(
                "damaged",
                Recovery {
                    zeros: true,
                    at_end: true,
                    ..
                }
            )]
        ));
        let (_, lost) = all(&[&good[..], b"garbage"].concat(), 100);
        assert!(matches!(
            lost[..],
            [(
                "damaged",
                Recovery {
                    zeros: false,
                    at_end: true,
                    ..
                }
            )]
        ));
        let (entries, lost) = all(&[&good[..], b"garbage", &good[..]].concat(), 100);
        assert_eq!((entries.len(), lost.len()), (2, 1));
    }
}

#[test]
fn gzip_headers_with_every_field_are_read() {
    let mut stream = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::fast());
    stream.write_all(b"content").unwrap();
    let stream = stream.finish().unwrap();
    let mut crc = flate2::Crc::new();
    crc.update(b"content");
    let name = [vec![b'n'; 70_000], vec![0]].concat();
    let header = [
        &[0x1f, 0x8b, 8, 0x1e, 0, 0, 0, 0, 0, 3, 4, 0][..],
        b"ab\0\0",
        &name,
        b"comment\0",
        &[1, 2],
    ]
    .concat();
    let file = [
        &header[..],
        &stream,
        &crc.sum().to_le_bytes(),
        &7u32.to_le_bytes(),
    ]
    .concat();
    assert_eq!(parse_header(&file), GzipHeader::Complete(header.len()));
    for length in 0..40 {
        assert_eq!(parse_header(&file[..length]), GzipHeader::Incomplete);
    }
    let (entries, lost) = all(&[&file[..], &file].concat(), 100);
    assert_eq!(
        entries
            .iter()
            .map(|(_, bytes)| &bytes[..])
            .collect::<Vec<_>>(),
        [b"content", b"content"]
    );
    assert!(lost.is_empty());
}

#[test]
fn a_dictionary_frame_serves_all_frames() {
    let dictionary = text(9, 4_000);
    let frame = |content: &[u8]| {
        let mut encoder =
            ::zstd::stream::write::Encoder::with_dictionary(Vec::new(), 3, &dictionary).unwrap();
        encoder.write_all(content).unwrap();
        encoder.finish().unwrap()
    };
    let contents = [&dictionary[100..900], &dictionary[2_000..2_500]].map(<[u8]>::to_vec);
    for stored in [dictionary.clone(), zstd(&dictionary)] {
        let first = [
            &DICTIONARY_START[..],
            &(stored.len() as u32).to_le_bytes(),
            &stored,
        ]
        .concat();
        let file = [first, frame(&contents[0]), frame(&contents[1])].concat();
        let (entries, lost) = all(&file, 333);
        assert!(lost.is_empty(), "{lost:?}");
        assert_eq!(
            entries
                .into_iter()
                .map(|(_, bytes)| bytes)
                .collect::<Vec<_>>(),
            contents
        );
    }
    let temporary = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(
        temporary.path(),
        [&DICTIONARY_START[..], &[0xff; 4], b"abc"].concat(),
    )
    .unwrap();
    let input = RangeReader::open(&source_of(temporary.path(), Format::Warc), 0, 0).unwrap();
    let refusal = Decompressor::new(input, Compression::Zstd).unwrap().err();
    assert_eq!(refusal.unwrap().0, "bad-dictionary");
}

const DICTIONARY_START: [u8; 4] = [0x5d, 0x2a, 0x4d, 0x18];

#[test]
fn a_window_over_the_limit_is_damage() {
    // Magic, a frame header that asks for a window of 2^26 bytes, one empty last block.
    let file = [0x28, 0xb5, 0x2f, 0xfd, 0x00, 16 << 3, 0x01, 0x00, 0x00];
    let (_, lost) = all(&file, 100);
    assert!(matches!(lost[..], [("bad-zstd", _)]), "{lost:?}");
    let allowed = [0x28, 0xb5, 0x2f, 0xfd, 0x00, 15 << 3, 0x01, 0x00, 0x00];
    assert!(all(&allowed, 100).1.is_empty());
}

#[test]
fn candidates_across_block_borders_are_found() {
    for encode in [gzip, zstd] {
        let member = encode(b"WARC/1.0\r\n");
        let block = crate::range::BLOCK_BYTES as usize;
        for at in block - 6..=block + 1 {
            let file = [encode(b"first"), vec![0x1f; at], member.clone()].concat();
            let start = file.len() - member.len();
            let temporary = tempfile::NamedTempFile::new().unwrap();
            std::fs::write(temporary.path(), &file).unwrap();
            let input =
                RangeReader::open(&source_of(temporary.path(), Format::Warc), 0, 0).unwrap();
            let mut decoder = Decompressor::new(input, Compression::sniff(&file))
                .unwrap()
                .unwrap();
            assert_eq!(
                decoder.find_entry(1, file.len() as u64, WARC).unwrap(),
                Some(start as u64)
            );
            assert_eq!(decoder.find_entry(1, start as u64, WARC).unwrap(), None);
            assert_eq!(
                decoder.find_entry(1, file.len() as u64, OBJECT).unwrap(),
                None
            );
        }
    }
}

/// Bytes that look like many beginnings get only so many attempts: 1024, and one more for every
/// KiB.
#[test]
fn attempts_at_false_beginnings_are_limited() {
    let found = |gap: usize| {
        let false_ones = [0x1f, 0x8b, 0x08, 0xff].repeat(1500);
        let file = [&false_ones[..], &vec![0; gap], &gzip(b"WARC/1.0\r\n")].concat();
        let temporary = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(temporary.path(), &file).unwrap();
        let input = RangeReader::open(&source_of(temporary.path(), Format::Warc), 0, 0).unwrap();
        let mut decoder = Decompressor::new(input, Compression::Gzip)
            .unwrap()
            .unwrap();
        decoder.find_entry(0, file.len() as u64, WARC).unwrap()
    };
    assert_eq!(found(0), None);
    assert_eq!(found(1024), Some(6000 + 1024));
}
