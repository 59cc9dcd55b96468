//! Zip files are built here, byte by byte.

use std::io::Write;

use proptest::prelude::*;

use crate::tests::collect::{Collected, options, read_in_pieces, read_whole, source};
use crate::{PlaceContent, read_document_at};
use decode::options::{Format, SourceFile};

/// A file to be put into a zip file.
#[derive(Clone, Debug, Default)]
struct Part {
    name: String,
    bytes: Vec<u8>,
    flags: u16,
    method: u16,
    crc32: u32,
}

/// The same file, deflated.
fn deflated(part: Part) -> Part {
    let mut crc = flate2::Crc::new();
    crc.update(&part.bytes);
    let mut encoder = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(&part.bytes).unwrap();
    Part {
        bytes: encoder.finish().unwrap(),
        method: 8,
        crc32: crc.sum(),
        ..part
    }
}

fn part(name: &str, bytes: Vec<u8>) -> Part {
    Part {
        name: name.to_owned(),
        bytes,
        ..Part::default()
    }
}

/// A zip file; `zip64` writes sizes and offsets of 64 bits.
fn zip(parts: &[Part], zip64: bool) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut directory = Vec::new();
    let short = |value: usize| (value as u16).to_le_bytes();
    let long = |value: usize| {
        if zip64 {
            [0xff; 4]
        } else {
            (value as u32).to_le_bytes()
        }
    };
    let wide = |value: usize| (value as u64).to_le_bytes();
    for part in parts {
        let (offset, length) = (bytes.len(), part.bytes.len());
        let rest = [
            &part.flags.to_le_bytes()[..],
            &part.method.to_le_bytes(),
            &[0; 4],
            &part.crc32.to_le_bytes(),
            &long(length),
            &long(length),
            &short(part.name.len()),
        ]
        .concat();
        // The extra fields of both headers differ, as they may.
        let local = [&[1, 0, 16, 0][..], &wide(length), &wide(length)].concat();
        let local = if zip64 { &local[..] } else { &[7, 7, 0, 0] };
        bytes.extend([b"PK\x03\x04\x2d\0", &rest[..], &short(local.len())].concat());
        bytes.extend([part.name.as_bytes(), local, &part.bytes].concat());
        let mut extra = vec![9, 9, 1, 0, 5];
        if zip64 {
            extra.extend([1, 0, 24, 0]);
            extra.extend([wide(length), wide(length), wide(offset)].concat());
        }
        directory.extend([b"PK\x01\x02\x2d\0\x2d\0", &rest[..], &short(extra.len())].concat());
        directory.extend([&short(2)[..], &[0; 8], &long(offset)].concat());
        directory.extend([part.name.as_bytes(), &extra, b"ok"].concat());
    }
    let (start, files) = (bytes.len(), parts.len());
    bytes.extend_from_slice(&directory);
    if zip64 {
        let end = bytes.len();
        bytes.extend(
            [
                b"PK\x06\x06",
                &wide(44)[..],
                &[0; 12],
                &wide(files),
                &wide(files),
            ]
            .concat(),
        );
        bytes.extend([wide(directory.len()), wide(start)].concat());
        bytes.extend([b"PK\x06\x07", &[0; 4][..], &wide(end), &[1, 0, 0, 0]].concat());
    }
    let count = if zip64 { [0xff; 2] } else { short(files) };
    bytes.extend(
        [
            b"PK\x05\x06\0\0\0\0",
            &count[..],
            &count,
            &long(directory.len()),
        ]
        .concat(),
    );
    bytes.extend([&long(start)[..], &short(7), b"comment"].concat());
    bytes
}

fn record(url: &str, text: &str) -> Vec<u8> {
    let length = text.len();
    format!(
        "WARC/1.0\r\nWARC-Type: resource\r\nWARC-Target-URI: {url}\r\nContent-Type: text/plain\r\nContent-Length: {length}\r\n\r\n{text}\r\n\r\n"
    )
    .into_bytes()
}

fn gzip(content: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(content).unwrap();
    encoder.finish().unwrap()
}

struct Fixture {
    _directory: tempfile::TempDir,
    file: SourceFile,
}

fn fixture(content: &[u8]) -> Fixture {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("x.wacz");
    std::fs::write(&path, content).unwrap();
    Fixture {
        file: source(&path, Format::Wacz),
        _directory: directory,
    }
}

fn read(content: &[u8]) -> Collected {
    read_whole(&fixture(content).file, &options(1 << 20, &[])).0
}

/// The files of a crawl: two WARC files of gzip members, a plain one, and what lies beside them.
fn crawl() -> Vec<Part> {
    let members = |from: usize, to: usize| -> Vec<u8> {
        let texts = (from..to).map(|n| format!("text {n} {}", "word ".repeat(n * 40)));
        texts
            .enumerate()
            .flat_map(|(at, text)| gzip(&record(&format!("http://a/{}", from + at), &text)))
            .collect()
    };
    vec![
        part("datapackage.json", b"{}".to_vec()),
        part("archive/one.warc.gz", members(0, 6)),
        part("indexes/index.cdx.gz", members(90, 92)),
        part("archive/two.WARC.GZ", members(6, 9)),
        part("archive/empty.warc.gz", Vec::new()),
        part(
            "archive/plain.warc",
            [
                record("http://a/9", "text 9"),
                record("http://a/10", "text 10"),
            ]
            .concat(),
        ),
        part("pages/pages.jsonl", b"{\"url\":\"http://a/0\"}\n".to_vec()),
    ]
}

#[test]
fn the_records_of_all_warc_files_are_read_in_place() {
    for zip64 in [false, true] {
        let bytes = zip(&crawl(), zip64);
        let fixture = fixture(&bytes);
        let options = options(1 << 20, &[]);
        let (collected, end) = read_whole(&fixture.file, &options);
        assert_eq!(collected.rejected, []);
        assert_eq!((end.first, end.next), (Some(0), bytes.len() as u64));
        let urls: Vec<_> = collected
            .documents
            .iter()
            .flat_map(|one| one.url.clone())
            .collect();
        let expected: Vec<String> = (0..11).map(|n| format!("http://a/{n}")).collect();
        assert_eq!(urls, expected);
        for kept in &collected.documents {
            let at = kept.place.entry_offset as usize;
            assert!(
                [&b"\x1f\x8b"[..], b"WARC"]
                    .iter()
                    .any(|start| bytes[at..].starts_with(start))
            );
            let mut text = String::new();
            let found = read_document_at(&fixture.file, &kept.place, &options, &mut |document| {
                text.push_str(document.content.as_str());
            });
            assert_eq!(
                (found.unwrap(), &text),
                (PlaceContent::Document, &kept.text)
            );
        }
    }
}

#[test]
fn a_member_that_cannot_be_read_in_place_is_rejected_with_its_name() {
    let mut parts = crawl();
    parts[1].method = 9;
    parts[3].flags = 1;
    let collected = read(&zip(&parts, false));
    let told: Vec<&str> = collected.rejected.iter().map(|one| &*one.detail).collect();
    let advice = "unpack the file and name its WARC files";
    assert_eq!(
        told,
        [
            format!("archive/one.warc.gz is compressed by method 9 of zip; {advice}"),
            format!("archive/two.WARC.GZ is encrypted; {advice}"),
        ]
    );
    assert_eq!(collected.reasons(), ["bad-zip-member"; 2]);
    assert_eq!(collected.texts(), ["text 9", "text 10"]);
}

#[test]
fn a_deflated_member_has_the_documents_of_a_stored_one() {
    let stored = read(&zip(&crawl(), false));
    let parts: Vec<Part> = crawl().into_iter().map(deflated).collect();
    let fixture = fixture(&zip(&parts, true));
    let options = options(1 << 20, &[]);
    let collected = read_whole(&fixture.file, &options).0;
    assert_eq!(collected.rejected, []);
    assert_eq!(collected.texts(), stored.texts());
    for kept in &collected.documents {
        let mut text = String::new();
        let found = read_document_at(&fixture.file, &kept.place, &options, &mut |document| {
            text.push_str(document.content.as_str());
        });
        let found = (found.unwrap(), &text);
        assert_eq!(found, (PlaceContent::Document, &kept.text));
    }
}

#[test]
fn a_damaged_deflated_member_costs_what_is_behind_the_damage() {
    let told = |at: usize, change: fn(&mut Part)| {
        let mut parts = crawl();
        parts[at] = deflated(parts[at].clone());
        change(&mut parts[at]);
        let collected = read(&zip(&parts, false));
        assert_eq!(collected.reasons(), ["bad-zip-member"]);
        let detail = collected.rejected[0].detail.clone();
        (collected.documents.len(), detail)
    };
    let (documents, detail) = told(5, |part| part.crc32 ^= 1);
    assert_eq!(documents, 10);
    assert!(detail.contains("checksum"), "{detail}");
    let (documents, detail) = told(1, |part| part.bytes.truncate(part.bytes.len() / 2));
    assert!((5..11).contains(&documents), "{documents}");
    assert!(detail.contains("does not end"), "{detail}");
    let (documents, detail) = told(1, |part| part.bytes[0] = 0x07);
    assert_eq!(documents, 5);
    assert!(detail.contains("damaged"), "{detail}");
}

/// As gzip members do, which are as dense.
#[test]
fn deflated_members_that_expand_far_share_one_allowance() {
    let far = |name: &str| {
        let zeros = vec![0; 50 << 20];
        let first = record(&format!("http://{name}/1"), "before");
        let last = record(&format!("http://{name}/2"), "behind");
        deflated(part(
            &format!("archive/{name}.warc"),
            [first, zeros, last].concat(),
        ))
    };
    let collected = read(&zip(&["a", "b", "c"].map(far), false));
    let urls: Vec<_> = collected
        .documents
        .iter()
        .map(|one| one.url.clone().unwrap())
        .collect();
    assert_eq!(
        urls,
        ["http://a/1", "http://a/2", "http://b/1", "http://c/1"]
    );
    let reasons = collected.reasons();
    assert_eq!(
        reasons
            .iter()
            .filter(|one| **one == "expands-too-far")
            .count(),
        2,
        "{reasons:?}"
    );
}

#[test]
fn a_zip_file_of_long_names_is_rejected() {
    let name = |n: usize, bytes: usize| format!("archive/{n:03}{}.warc", "n".repeat(bytes));
    let parts = |bytes: usize| -> Vec<Part> {
        let record = record("http://a/", "text");
        (0..40)
            .map(|n| part(&name(n, bytes), record.clone()))
            .collect()
    };
    let collected = read(&zip(&parts(60_000), false));
    assert_eq!(collected.reasons(), ["damaged-zip"]);
    assert_eq!(
        collected.rejected[0].detail,
        "the names of its files that are read have more than 2097152 bytes"
    );
    assert_eq!(read(&zip(&parts(50_000), false)).documents.len(), 40);
}

#[test]
fn a_damaged_zip_file_is_rejected_with_its_reason() {
    let bytes = zip(&crawl(), false);
    let told = |bytes: &[u8]| {
        let collected = read(bytes);
        assert_eq!(
            (collected.documents.len(), collected.reasons()),
            (0, vec!["damaged-zip"])
        );
        collected.rejected[0].detail.clone()
    };
    assert_eq!(
        told(&bytes[..bytes.len() - 40]),
        "its end has no directory of a zip file"
    );
    let mut wrong = bytes.clone();
    let at = memchr::memmem::find(&wrong, b"PK\x01\x02").unwrap();
    wrong[at] = b'p';
    assert_eq!(told(&wrong), "its directory ends before file 0");
    let mut wrong = bytes.clone();
    let at = memchr::memmem::find(&wrong, b"archive/one").unwrap() - 30;
    wrong[at] = b'p';
    assert_eq!(told(&wrong), "file 1 of its directory is not there");
    let mut wrong = bytes.clone();
    let at = memchr::memmem::rfind(&wrong, b"archive/one").unwrap() - 46;
    wrong[at + 22] = 1;
    assert_eq!(told(&wrong), "file 1 of its directory is not there");
    let mut wrong = bytes;
    let at = memchr::memmem::rfind(&wrong, b"archive/one").unwrap() - 46;
    wrong[at + 21] += 1;
    assert_eq!(told(&wrong), "its files overlap");
}

#[test]
fn a_damaged_member_costs_only_what_is_damaged() {
    let mut bytes = zip(&crawl(), false);
    let at = memchr::memmem::find(&bytes, b"archive/one").unwrap() + 40;
    bytes[at] ^= 0x55;
    let collected = read(&bytes);
    assert_eq!(collected.rejected.len(), 1);
    assert_eq!(collected.documents.len(), 10);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn pieces_say_what_one_reader_says(
        cuts in prop::collection::vec(any::<u64>(), 0..6),
        flip in prop::option::of((any::<prop::sample::Index>(), 1u8..)),
        zip64: bool,
        compressed in prop::option::of(0usize..7),
    ) {
        let mut parts = crawl();
        if let Some(at) = compressed {
            parts[at] = deflated(parts[at].clone());
        }
        let mut bytes = zip(&parts, zip64);
        if let Some((at, with)) = flip {
            let at = at.index(bytes.len());
            bytes[at] ^= with;
        }
        let fixture = fixture(&bytes);
        let options = options(1 << 20, &[]);
        let whole = read_whole(&fixture.file, &options).0;
        prop_assert_eq!(read_in_pieces(&fixture.file, &cuts, &options).unwrap(), whole);
    }
}
