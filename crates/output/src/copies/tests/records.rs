//! WARC: records, what belongs to them, and what is none.

use std::io::Read as _;

use proptest::prelude::*;

use super::{TempCopy, check, copy, dictionary_frame, gzip, read, zstd};

/// A record with its two line ends.
fn record(kind: &str, id: usize, more: &str, block: &str) -> String {
    format!(
        "WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Record-ID: <urn:x:{id}>\r\n{more}Content-Length: {}\r\n\r\n{block}\r\n\r\n",
        block.len()
    )
}

fn response(id: usize, more: &str) -> String {
    let more = format!("WARC-Target-URI: http://a.example/{id}\r\n{more}");
    let page =
        format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>page {id} of this site</p>");
    record("response", id, &more, &page)
}

fn concurrent(id: usize) -> String {
    format!("WARC-Concurrent-To: <urn:x:{id}>\r\n")
}

/// A later visit that found the response of this capture again.
fn revisit(n: usize) -> String {
    let refers = format!(
        "WARC-Refers-To: <urn:x:{}>\r\nWARC-Target-URI: http://a.example/{n}\r\n",
        10 * n + 1
    );
    record("revisit", 10 * n + 4, &refers, "HTTP/1.1 200 OK\r\n\r\n")
}

/// One capture, in the forms that crawlers write: responses are documents 10 n + 1.
fn capture(n: usize, kind: u8) -> Vec<String> {
    let (response_id, request_id) = (10 * n + 1, 10 * n + 2);
    let request = |more: &str| record("request", request_id, more, "GET / HTTP/1.1\r\n\r\n");
    match kind {
        0 => vec![request(""), response(response_id, &concurrent(request_id))],
        1 => vec![
            response(response_id, ""),
            request(&concurrent(response_id)),
            record(
                "metadata",
                10 * n + 3,
                &concurrent(response_id),
                "fetchTimeMs: 1",
            ),
        ],
        2 => vec![request(&concurrent(response_id)), response(response_id, "")],
        3 => vec![record("warcinfo", request_id, "", "software: x")],
        4 => vec![record(
            "response",
            request_id,
            "",
            "HTTP/1.1 404 Not Found\r\n\r\nno",
        )],
        5 => vec![response(response_id, ""), revisit(n)],
        6 => vec![
            response(response_id, &concurrent(request_id)),
            record("metadata", 10 * n + 3, "", "about another one"),
            request(""),
        ],
        _ => vec![response(response_id, "")],
    }
}

fn content(bytes: &[u8]) -> String {
    let mut text = Vec::new();
    match bytes {
        [0x1f, 0x8b, ..] => drop(
            flate2::read::MultiGzDecoder::new(bytes)
                .read_to_end(&mut text)
                .unwrap(),
        ),
        [0x28, 0xb5, ..] => drop(
            zstd::stream::read::Decoder::new(bytes)
                .unwrap()
                .read_to_end(&mut text)
                .unwrap(),
        ),
        _ => text.extend_from_slice(bytes),
    }
    String::from_utf8(text).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]
    /// A copy loses the removed responses and what belongs to them, whatever the packing.
    #[test]
    fn records_go_with_what_belongs_to_them(
        kinds in prop::collection::vec(0u8..8, 1..25), mask: u64, packing in 0usize..4, group in 1usize..7,
    ) {
        let captures: Vec<Vec<String>> = kinds.iter().enumerate().map(|(n, kind)| capture(n, *kind)).collect();
        let records: Vec<String> = captures.concat();
        let groups = || records.chunks(group).map(|records| records.concat().into_bytes());
        let bytes: Vec<u8> = match packing {
            0 => records.concat().into_bytes(),
            1 => records.iter().flat_map(|record| gzip(record.as_bytes())).collect(),
            2 => groups().flat_map(|records| gzip(&records)).collect(),
            _ => groups().flat_map(|records| zstd(&records, b"")).collect(),
        };
        let place = TempCopy::with("x.warc", &bytes);
        let goes = |document: usize| mask >> (document % 64) & 1 == 1;
        let (copied, _) = check(&place, goes);
        let mut document = 0;
        let mut expected = String::new();
        for (n, (capture, kind)) in captures.iter().zip(&kinds).enumerate() {
            let is_document = !matches!(kind, 3 | 4);
            if !(is_document && goes(document)) {
                expected += &capture.concat();
            } else if *kind == 5 {
                expected += &revisit(n);
            } else if *kind == 6 {
                expected += &capture[1];
            }
            document += usize::from(is_document);
        }
        prop_assert_eq!(content(&copied), expected);
    }
}

#[test]
fn members_that_stay_are_copied_as_they_lie_and_a_record_alone_is_a_member() {
    let members: Vec<Vec<u8>> = (0..6)
        .map(|n| gzip((response(20 * n, "") + &response(20 * n + 1, "")).as_bytes()))
        .collect();
    let place = TempCopy::with("x.warc.gz", &members.concat());
    let (bytes, _) = check(&place, |at| matches!(at, 4 | 6 | 7));
    let alone = gzip_members(&bytes);
    assert!(bytes.starts_with(&members[..2].concat()) && bytes.ends_with(&members[4..].concat()));
    assert_eq!(alone, [2, 2, 1, 2, 2]);
    // One member with all records becomes a member for each.
    let records: String = (0..9).map(|n| response(n, "")).collect();
    let place = TempCopy::with("x.warc.gz", &gzip(records.as_bytes()));
    assert_eq!(gzip_members(&check(&place, |at| at == 8).0), [1; 8]);
}

/// Records in each member.
fn gzip_members(mut bytes: &[u8]) -> Vec<usize> {
    let mut counts = Vec::new();
    while !bytes.is_empty() {
        let mut text = String::new();
        flate2::bufread::GzDecoder::new(&mut bytes)
            .read_to_string(&mut text)
            .unwrap();
        counts.push(text.matches("WARC/1.0").count());
    }
    counts
}

#[test]
fn the_dictionary_of_a_zstd_file_serves_its_copy() {
    let dictionary: Vec<u8> = (0..40).flat_map(|n| response(n, "").into_bytes()).collect();
    let frames = (100..120).flat_map(|n| {
        zstd(
            (response(n, "") + &response(n + 100, "")).as_bytes(),
            &dictionary,
        )
    });
    let bytes: Vec<u8> = dictionary_frame(&dictionary)
        .into_iter()
        .chain(frames)
        .collect();
    let place = TempCopy::with("x.warc.zst", &bytes);
    assert_eq!(read(&place.path).0.len(), 40);
    let (copied, _) = check(&place, |at| at % 3 == 0);
    let frames = copied
        .strip_prefix(&dictionary_frame(&dictionary)[..])
        .expect("the dictionary comes first");
    // Without it a record takes twice as many bytes.
    assert!(
        frames.len() < 26 * 70,
        "{} bytes for 26 records",
        frames.len()
    );
}

#[test]
fn no_document_goes_because_it_names_another() {
    let records = response(1, "") + &response(2, &concurrent(1)) + &response(3, "");
    let place = TempCopy::with("x.warc", records.as_bytes());
    let (copied, counts) = check(&place, |at| at == 0);
    assert_eq!(
        (content(&copied), counts.belonging),
        (response(2, &concurrent(1)) + &response(3, ""), 0)
    );
}

#[test]
fn damaged_records_stay_where_they_are() {
    // A wrong length, garbage between records, a header without an end.
    let wrong = response(5, "").replace("Content-Length: ", "Content-Length: 9");
    let records = [
        response(1, ""),
        wrong,
        response(2, ""),
        "garbage\r\n\r\n".to_owned(),
        response(3, ""),
        response(4, ""),
    ];
    for packed in [false, true] {
        let bytes = if packed {
            gzip(records.concat().as_bytes())
        } else {
            records.concat().into_bytes()
        };
        let place = TempCopy::with("x.warc", &bytes);
        let (documents, rejected) = read(&place.path);
        assert!(
            documents.len() >= 3 && !rejected.is_empty(),
            "{} {rejected:?}",
            documents.len()
        );
        for goes in 0..documents.len() {
            let (copied, _) = copy(&place.path, vec![documents[goes].removal]).unwrap();
            let text = content(&copied);
            assert!(text.contains("garbage"), "{goes}");
            for (at, document) in documents.iter().enumerate() {
                assert_eq!(
                    text.contains(&document.text),
                    at != goes,
                    "{packed} {goes} {at}: {text}"
                );
            }
        }
    }
}

#[test]
fn a_damaged_member_stays_unless_something_of_it_goes() {
    let members: Vec<Vec<u8>> = (0..4)
        .map(|n| {
            gzip(
                (0..60)
                    .map(|m| response(1000 * n + 37 * m, ""))
                    .collect::<String>()
                    .as_bytes(),
            )
        })
        .collect();
    let second = members[0].len()..members[0].len() + members[1].len();
    // In the middle, and in the checksum alone: then all is decoded, and the last record is still
    // not to be believed.
    for damaged in [
        second.start + members[1].len() * 3 / 4..second.start + members[1].len() * 3 / 4 + 30,
        second.end - 8..second.end - 4,
    ] {
        let mut bytes = members.concat();
        bytes[damaged].iter_mut().for_each(|byte| *byte ^= 0x5a);
        let place = TempCopy::with("x.warc.gz", &bytes);
        let (documents, rejected) = read(&place.path);
        assert!(rejected.contains(&"bad-gzip"), "{rejected:?}");
        let (copied, counts) = check(&place, |at| at == 2);
        assert_eq!(counts.lost_bytes, 0);
        assert!(copied.ends_with(&bytes[members[0].len()..]));
        let inside = documents
            .iter()
            .position(|read| read.removal.place.entry_offset == second.start as u64);
        let (_, counts) = check(&place, |at| Some(at) == inside);
        assert!(counts.lost_bytes > 0);
    }
}
