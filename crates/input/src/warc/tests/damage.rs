//! Damage to files: what it costs, and what is said of it.

use super::fixtures::*;

fn three() -> [Vec<u8>; 3] {
    [
        page("http://a/", "<p>first page, of some length"),
        page("http://b/", "<p>second page, of some length"),
        page("http://c/", "<p>third"),
    ]
}

fn pack_each(pack: Pack) -> [Vec<u8>; 3] {
    three().map(|record| pack(&record))
}

/// Items 5 and 6: the record cut is lost, those before it are not.
#[test]
fn a_truncated_file_keeps_what_is_whole() {
    for pack in [gzip, zstd] {
        let parts = pack_each(pack);
        let whole = parts.concat();
        let start = parts[0].len() + parts[1].len();
        for cut in start + 1..whole.len() {
            let events = read(&whole[..cut]);
            // One to three bytes of a zstd magic are no frame.
            let no_frame = parts[0].starts_with(b"(") && cut < start + 4;
            let reason = if no_frame {
                "trailing-garbage"
            } else {
                "truncated"
            };
            assert_eq!(
                words(&events),
                format!("http://a/ http://b/ {reason}"),
                "{cut}"
            );
            assert_eq!(rejections(&events)[0].offset, start as u64);
        }
        assert_eq!(words(&read(&whole[..start])), "http://a/ http://b/");
        // In one entry: what is certain is kept.
        let one = pack(&three().concat());
        for cut in one.len() - 8..one.len() {
            let said = words(&read(&one[..cut]));
            // The zstd library gives out a small frame whole or not at all.
            assert!(
                said == "http://a/ http://b/ truncated"
                    || said == "truncated" && one.starts_with(b"("),
                "{said}"
            );
        }
    }
    let plain = three().concat();
    let start = plain.len() - three()[2].len();
    for cut in start + 5..plain.len() - 4 {
        let events = read(&plain[..cut]);
        assert_eq!(words(&events), "http://a/ http://b/ truncated", "{cut}");
        assert_eq!(rejections(&events)[0].offset, start as u64);
    }
    for cut in plain.len() - 4..plain.len() {
        assert_eq!(words(&read(&plain[..cut])), "http://a/ http://b/ http://c/");
    }
}

/// Item 7.
#[test]
fn a_wrong_checksum_costs_its_member() {
    for (pack, reason) in [(gzip as Pack, "bad-gzip"), (zstd, "bad-zstd")] {
        let parts = pack_each(pack);
        for back in [1, 4] {
            let mut file = parts.concat();
            let at = parts[0].len() + parts[1].len() - back;
            file[at] ^= 0x10;
            let events = read(&file);
            assert_eq!(words(&events), format!("http://a/ {reason} http://c/"));
            let rejection = rejections(&events)[0];
            assert_eq!(rejection.offset, parts[0].len() as u64);
            assert!(
                rejection
                    .detail
                    .contains(&format!("{} bytes of the file lost", parts[1].len())),
                "{rejection:?}"
            );
        }
        // Of several records in an entry, the last and the checksum are left.
        let mut file = pack(&three().concat());
        let at = file.len() - 4;
        file[at] ^= 1;
        let said = words(&read(&file));
        assert!(
            said == format!("http://a/ http://b/ {reason}") || said == "bad-zstd",
            "{said}"
        );
    }
}

/// Every single byte of the middle member changed: the others are always read, and nothing is made
/// up.
#[test]
fn a_changed_byte_costs_its_member() {
    for pack in [gzip, zstd] {
        let parts = pack_each(pack);
        for at in parts[0].len()..parts[0].len() + parts[1].len() {
            let mut file = parts.concat();
            file[at] ^= 0x41;
            let events = read(&file);
            let said = words(&events);
            assert!(
                said.starts_with("http://a/ ") && said.ends_with(" http://c/"),
                "{at}: {said}"
            );
            let b = pages(&events)
                .iter()
                .filter(|page| page.url.as_deref() == Some("http://b/"))
                .count();
            assert_eq!(b + rejections(&events).len(), 1, "{at}: {said}");
            assert!(pages(&events).iter().all(|page| {
                three()[1].ends_with(&[&page.body[..], b"\r\n\r\n"].concat())
                    || b == 0
                    || page.url.as_deref() != Some("http://b/")
            }));
        }
    }
}

/// A disk that lost blocks gives zeros for them.
#[test]
fn a_record_behind_a_hole_of_zeros_is_found() {
    let [a, b, _] = three();
    for pack in [gzip as Pack, zstd, <[u8]>::to_vec] {
        for zeros in [1, 5000, 600_000] {
            let events = read(&[&pack(&a)[..], &vec![0; zeros], &pack(&b)].concat());
            assert_eq!(words(&events), "http://a/ damaged http://b/", "{zeros}");
        }
    }
}

/// Items 8 and 9.
#[test]
fn garbage_is_passed_over_and_told_once() {
    let [a, b, _] = three();
    for (pack, packing) in [
        (gzip as Pack, "gzip"),
        (zstd, "zstd"),
        (<[u8]>::to_vec, "plain"),
    ] {
        let (a, b) = (pack(&a), pack(&b));
        for garbage in [
            &b"garbage\n"[..],
            b"\x1f\x8b\x08\n",
            b"(\xb5/\xfd\n",
            b"\xff\xff\xff\r\n\r\n",
            b"x\r\nWARC/1.x\r\n",
            b"\0\0x\n",
        ] {
            let events = read(&[&a, garbage, &b].concat());
            let plain_like = words(&events);
            assert_eq!(
                rejections(&events).len(),
                1,
                "{packing} {garbage:?} {plain_like}"
            );
            assert_eq!(
                pages(&events).len(),
                2,
                "{packing} {garbage:?} {plain_like}"
            );
            assert_eq!(rejections(&events)[0].offset, a.len() as u64, "{packing}");
            let events = read(&[&a, &b, garbage].concat());
            assert_eq!(
                (rejections(&events).len(), pages(&events).len()),
                (1, 2),
                "{packing} {garbage:?}"
            );
        }
        assert_eq!(
            words(&read(&[&a[..], b"garbage\n", &b].concat())),
            "http://a/ damaged http://b/",
            "{packing}"
        );
        assert_eq!(
            words(&read(&[&a[..], b"garbage"].concat())),
            "http://a/ trailing-garbage",
            "{packing}"
        );
        assert_eq!(
            words(&read(&[&a[..], &[0; 600_000]].concat())),
            "http://a/",
            "{packing}"
        );
        assert_eq!(
            words(&read(&[&a[..], &[0; 600_000], b"\n", &b].concat())),
            "http://a/ damaged http://b/",
            "{packing}"
        );
    }
    assert_eq!(words(&read(b"no WARC at all\n")), "not-warc");
    assert_eq!(words(&read(&gzip(b"no WARC at all\n"))), "damaged");
    assert_eq!(words(&read(&[0; 1000])), "");
}

/// Wherever the next record lies within the steps in which bytes come.
#[test]
fn a_record_behind_garbage_of_any_length_is_found() {
    let [a, b, _] = three();
    for length in (65_200..65_700).chain(130_700..131_200).step_by(5) {
        let garbage = [vec![b'x'; length], vec![b'\n']].concat();
        let file = [&a[..], &garbage, &b].concat();
        assert_eq!(
            words(&read(&file)),
            "http://a/ damaged http://b/",
            "{length}"
        );
    }
}

/// A blank line and then no record: the record is whole, unless another seems to begin inside it.
#[test]
fn a_blank_line_alone_is_an_end_only_if_nothing_begins_before() {
    let [a, b, c] = three();
    assert_eq!(
        words(&read(&[&a[..], b"garbage\n", &b].concat())),
        "http://a/ damaged http://b/"
    );
    // `w` says that it ends behind the first blank line in the head of `b`.
    let head = memchr::memmem::find(&b, b"\r\n\r\nHTTP").unwrap();
    let header = |length: usize| {
        format!("WARC/1.0\r\nWARC-Type: response\r\nContent-Length: {length}\r\n\r\nx\r\n\r\n")
    };
    let wrong = header(5 + head);
    for pack in [<[u8]>::to_vec as Pack, gzip, zstd] {
        let file = pack(&[wrong.as_bytes(), &b, &c].concat());
        assert_eq!(
            words(&read(&file)),
            "bad-content-length http://b/ http://c/"
        );
    }
}

/// A page that quotes a WARC file is one page.
#[test]
fn a_quoted_record_is_no_record() {
    let inner = String::from_utf8(page("http://inner/", "<p>inner")).unwrap();
    let quoting = page("http://q/", &format!("<pre>\r\n\r\n{inner}</pre>"));
    let records = [
        page("http://a/", "<p>a"),
        quoting,
        page("http://z/", "<p>z"),
    ];
    for (packing, bytes) in in_all_packings(&records) {
        assert_eq!(
            words(&read(&bytes)),
            "http://a/ http://q/ http://z/",
            "{packing}"
        );
    }
}

/// Item 28.
#[test]
fn a_window_that_is_too_large_is_damage() {
    let file = [
        &zstd(&three()[0])[..],
        &[0x28, 0xb5, 0x2f, 0xfd, 0x00, 18 << 3, 0x01, 0x00, 0x00],
        &zstd(&three()[1]),
    ]
    .concat();
    assert_eq!(words(&read(&file)), "http://a/ bad-zstd http://b/");
}

#[test]
fn a_dictionary_serves_every_piece_and_a_bad_one_is_told_once() {
    let dictionary = three().concat();
    let frame = |content: &[u8]| {
        let mut encoder =
            ::zstd::stream::write::Encoder::with_dictionary(Vec::new(), 3, &dictionary).unwrap();
        std::io::Write::write_all(&mut encoder, content).unwrap();
        encoder.finish().unwrap()
    };
    let head = |size: u32| [&[0x5d, 0x2a, 0x4d, 0x18][..], &size.to_le_bytes()].concat();
    let frames = three().map(|record| frame(&record));
    let file = [
        head(dictionary.len() as u32),
        dictionary.clone(),
        frames.concat(),
    ]
    .concat();
    assert_eq!(words(&read(&file)), "http://a/ http://b/ http://c/");
    let middle = (file.len() - frames[2].len()) as u64;
    let on_disk = File::new(&file);
    let (events, end) = on_disk.piece(middle, file.len() as u64, None, CAP);
    assert_eq!(
        (words(&events).as_str(), end.first),
        ("http://c/", Some(middle))
    );

    let bad = [head(u32::MAX), dictionary, frames.concat()].concat();
    assert_eq!(words(&read(&bad)), "bad-dictionary");
    let on_disk = File::new(&bad);
    let (events, end) = on_disk.piece(1000, bad.len() as u64, None, CAP);
    assert_eq!(
        (events.len(), end.first, end.next),
        (0, None, bad.len() as u64)
    );
}

/// Wrong lengths over the cap in one entry: it is decoded again, and no more than so often.
#[test]
fn large_wrong_lengths_in_one_entry_cost_themselves() {
    let wrong = |i: usize| {
        format!(
            "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://w/{i}\r\nContent-Length: {}\r\n\r\nxxx\r\n\r\n",
            40 << 20
        )
        .into_bytes()
    };
    let mut records = vec![];
    for i in 0..12 {
        records.push(wrong(i));
        records.push(page(&format!("http://p/{i}"), "<p>x"));
    }
    let expected: String = (0..12)
        .map(|i| format!("bad-content-length http://p/{i} "))
        .collect();
    for pack in [gzip as Pack, zstd, <[u8]>::to_vec] {
        assert_eq!(
            words(&read_capped(&pack(&records.concat()), 1 << 20)),
            expected.trim_end()
        );
    }
}
