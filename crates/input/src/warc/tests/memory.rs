//! Large records: the gate, the cap, the time.

use std::sync::mpsc;
use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

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
            let piece = Piece::whole(0, file.source.stat.bytes);
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

/// Checks that four times as much takes some four times the CPU time of this thread, not sixteen.
fn takes_linear_time(count: usize, read_all: impl Fn(usize)) {
    let cpu_s = |count| {
        let now = || {
            let time = clock_gettime(ClockId::ThreadCPUTime);
            time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
        };
        let started = now();
        read_all(count);
        now() - started
    };
    // Other programs take caches away, so a measurement may be too high, but not three of them.
    let measured = [0; 3].map(|_| (cpu_s(count / 4), cpu_s(count)));
    let is_linear = |(of_quarter, of_all): &(f64, f64)| *of_all < 9.0 * of_quarter;
    assert!(measured.iter().any(is_linear), "{measured:?} s");
}

/// Item 11: what a header declares is not believed.
#[test]
fn declared_lengths_take_linear_time() {
    let header =
        "WARC/1.0\r\nWARC-Type: response\r\nContent-Length: 99999999999999\r\n\r\nx\r\n\r\n";
    takes_linear_time(20_000, |count| {
        let events = read(header.repeat(count).as_bytes());
        assert_eq!(rejections(&events).len(), count);
    });
}

/// Records whose ends lie far behind each other: every one is wrong, and reading stays linear.
#[test]
fn overlapping_records_take_linear_time() {
    for is_packed in [false, true] {
        takes_linear_time(100_000, |count| {
            let length = count * 40 + 10;
            let header = format!(
                "WARC/1.0\r\nWARC-Type: response\r\nContent-Length: {length}\r\n\r\nx\r\n\r\n"
            );
            let bytes = header.repeat(count).into_bytes();
            let events = read(&if is_packed { gzip(&bytes) } else { bytes });
            assert_eq!(rejections(&events).len(), count);
        });
    }
}

/// Bytes that look like the beginnings of members, and members inside members.
#[test]
fn false_beginnings_take_linear_time() {
    takes_linear_time(400_000, |count| {
        let magic = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3].repeat(count);
        assert_eq!(rejections(&read(&magic)).len(), 1);
    });
    // The first is a frame, of bytes that are no record; behind it nothing is.
    takes_linear_time(100_000, |count| {
        let magic = [0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x58, 0xf9, 0xff, 0x03].repeat(count);
        assert_eq!(words(&read(&magic)), "damaged trailing-garbage");
    });
    // A member of one stored block that holds the next: none of them ends.
    takes_linear_time(20_000, |count| {
        let member = [
            &[
                0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 0x00, 0x20, 0x00, 0xdf, 0xff,
            ][..],
            b"WARC/1.0\r\n",
        ];
        read(&member.concat().repeat(count));
    });
}

/// The system clears each page of a new buffer, which takes longer than to inflate bytes that are
/// all the same.
#[test]
fn the_buffer_of_a_large_record_serves_the_next_one() {
    let large = page("http://x/", &"<p>x ".repeat(300_000));
    for (packing, bytes) in in_all_packings(&around(large)) {
        let file = File::new(&bytes);
        let options: ReadOptions = options(CAP);
        let mut left = Vec::new();
        for _ in 0..2 {
            let piece = Piece::whole(0, file.source.stat.bytes);
            let mut events = Events::default();
            read_piece(&file.source, &piece, None, &options, &mut events).unwrap();
            assert_eq!(words(&events.0), "http://a/ http://x/ http://z/");
            let buffer = options.large.enter_with_buffer();
            assert!(buffer.len() > 1_500_000, "{packing}");
            left.push(buffer.as_ptr());
        }
        assert_eq!(left[0], left[1], "{packing}");
        assert_eq!(options.large.enter().capacity(), 0);
    }
}
