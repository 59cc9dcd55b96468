//! How far bodies may expand.

use std::io::Write;

use decode::options::Format;

use super::fixtures::*;
use super::responses::HTML;

fn small_gzip(content: &[u8]) -> Vec<u8> {
    let best = flate2::Compression::best();
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), best);
    encoder.write_all(content).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn bodies_expand_no_further_than_entries_may() {
    let body = small_gzip(&vec![b'x'; 10 << 20]);
    let coded = |at: usize| {
        let head = ["HTTP/1.1 200 OK", HTML, "Content-Encoding: gzip"];
        response(&format!("http://x/{at}"), &head, &body)
    };
    let mut records: Vec<Vec<u8>> = (0..12).map(coded).collect();
    records.push(response(
        "http://x/good",
        &["HTTP/1.1 200 OK", HTML],
        b"good words",
    ));
    for (packing, file) in in_all_packings(&records) {
        for (cap, before) in [(CAP, ""), (1 << 20, "too-large")] {
            let events = read_capped(&file, cap);
            let all: Vec<String> = events.iter().map(Event::word).collect();
            let far = events.iter().find_map(|event| match event {
                Event::Rejected(one) if one.reason == "expands-too-far" => Some(&one.detail),
                _ => None,
            });
            // Up to the cap of each is decoded, and what the bytes of the file allow.
            let is_read = |word: &&String| **word == before || word.starts_with("http://x/");
            let read = all
                .iter()
                .filter(|word| is_read(word) && !word.ends_with("good"));
            let decoded = read.count() as u64 * cap.min(10 << 20);
            let most = (64 << 20) + 200 * file.len() as u64;
            assert!(decoded <= most, "{packing}: {all:?}");
            if cap == CAP {
                let far = far.unwrap_or_else(|| panic!("{packing}: {all:?}"));
                assert!(far.contains("raise max-expansion in [input]"), "{far}");
            }
        }
        let all = words(&read(&file));
        if packing.ends_with('s') || packing == "plain" {
            assert!(all.ends_with(" http://x/good"), "{packing}: {all}");
        }
    }
}

#[test]
fn tiny_records_of_a_file_that_expands_far_are_bounded_as_long_ones() {
    const RECORDS: usize = 1_500_000;
    let cases: [(Format, &[u8]); 2] = [
        (Format::Warc, b"WARC/1.0\r\n\r\n"),
        (Format::Arc, b"http://a/ 1 20050102030405 text/html 0\n"),
    ];
    for (format, record) in cases {
        let reasons = |bytes: &[u8]| -> Vec<&'static str> {
            let file = File::of(bytes, format);
            let (events, _) = file.piece(0, bytes.len() as u64, None, CAP);
            rejections(&events).iter().map(|one| one.reason).collect()
        };
        let plain = record.repeat(RECORDS);
        for packed in [small_gzip(&plain), zstd(&plain)] {
            let reasons = reasons(&packed);
            assert_eq!(reasons.last(), Some(&"expands-too-far"), "{format:?}");
            let are_bounded = (900_000..1_200_000).contains(&reasons.len());
            assert!(are_bounded, "{format:?}: {} rejections", reasons.len());
        }
        assert_eq!(reasons(&plain).len(), RECORDS, "{format:?}");
    }
}
