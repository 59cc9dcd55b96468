//! Large records: the gate, the cap, the time.

use std::sync::mpsc;
use std::time::{Duration, Instant};

use decode::options::{Piece, ReadOptions};

use super::super::read_piece;
use super::Events;
use super::fixtures::*;

/// Reads while this thread holds the gate; says whether reading could end meanwhile.
fn reads_without_the_gate(bytes: &[u8]) -> bool {
    let file = File::new(bytes);
    let options: ReadOptions = options(CAP);
    let guard = options.large.enter();
    let (sender, receiver) = mpsc::channel();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut events = Events::default();
            let piece = Piece {
                file: 0,
                start: 0,
                end: file.source.bytes,
            };
            read_piece(&file.source, &piece, None, &options, &mut events).unwrap();
            assert_eq!(words(&events.0), "http://a/ http://x/ http://z/");
            sender.send(()).unwrap();
        });
        let ended = receiver.recv_timeout(Duration::from_millis(400)).is_ok();
        drop(guard);
        ended
    })
}

fn around(record: Vec<u8>) -> Vec<Vec<u8>> {
    vec![page("http://a/", "<p>a"), record, page("http://z/", "<p>z")]
}

#[test]
fn only_large_records_take_the_gate() {
    let small = page("http://x/", &"<p>x ".repeat(100_000));
    for (packing, bytes) in in_all_packings(&around(small)) {
        assert!(reads_without_the_gate(&bytes), "{packing}");
    }
    let large = page("http://x/", &"<p>x ".repeat(300_000));
    for (packing, bytes) in in_all_packings(&around(large)) {
        assert!(!reads_without_the_gate(&bytes), "{packing}");
    }
    // Small in the file, large when decoded; small when decoded, large as UTF-8.
    let coded = gzip("<p>x ".repeat(300_000).as_bytes());
    let head = [
        "HTTP/1.1 200 OK",
        "Content-Type: text/html",
        "Content-Encoding: gzip",
    ];
    assert!(!reads_without_the_gate(
        &around(response("http://x/", &head, &coded)).concat()
    ));
    let head = [
        "HTTP/1.1 200 OK",
        "Content-Type: text/html; charset=windows-1252",
    ];
    assert!(!reads_without_the_gate(
        &around(response("http://x/", &head, &[0xe9; 600_000])).concat()
    ));
}

/// Item 11: what a header declares is not believed.
#[test]
fn declared_lengths_cost_nothing() {
    let header =
        "WARC/1.0\r\nWARC-Type: response\r\nContent-Length: 99999999999999\r\n\r\nx\r\n\r\n";
    let started = Instant::now();
    let bytes = header.repeat(20_000);
    let events = read(bytes.as_bytes());
    assert_eq!(rejections(&events).len(), 20_000);
    assert!(
        started.elapsed() < Duration::from_secs(10),
        "{:?}",
        started.elapsed()
    );
}

/// Records whose ends lie far behind each other: every one is wrong, and reading stays linear.
#[test]
fn overlapping_records_take_linear_time() {
    let header = "WARC/1.0\r\nWARC-Type: response\r\nContent-Length: 4000010\r\n\r\nx\r\n\r\n";
    let bytes = header.repeat(100_000);
    for bytes in [bytes.clone().into_bytes(), gzip(bytes.as_bytes())] {
        let started = Instant::now();
        let events = read(&bytes);
        assert_eq!(rejections(&events).len(), 100_000);
        assert!(
            started.elapsed() < Duration::from_secs(10),
            "{:?}",
            started.elapsed()
        );
    }
}

/// Bytes that look like the beginnings of members, and members inside members.
#[test]
fn false_beginnings_take_linear_time() {
    let started = Instant::now();
    let magic = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3].repeat(400_000);
    assert_eq!(rejections(&read(&magic)).len(), 1);
    // The first is a frame, of bytes that are no record; behind it nothing is.
    let magic = [0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x58, 0xf9, 0xff, 0x03].repeat(100_000);
    assert_eq!(words(&read(&magic)), "damaged trailing-garbage");
    // A member of one stored block that holds the next: none of them ends.
    let nested: Vec<u8> = (0..20_000u32)
        .flat_map(|_| {
            [
                &[
                    0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 0x00, 0x20, 0x00, 0xdf, 0xff,
                ][..],
                b"WARC/1.0\r\n",
            ]
            .concat()
        })
        .collect();
    read(&nested);
    assert!(
        started.elapsed() < Duration::from_secs(20),
        "{:?}",
        started.elapsed()
    );
}
