//! Two runs that publish to the same place.

use format::{Disk, DiskOptions};
use publication::publish::Publication;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

/// The second run waits until the first has published, and publishes behind it.
#[test]
fn a_run_that_waits_for_another_publishes_after_it() {
    let dir = tempfile::tempdir().expect("a directory");
    let output = dir.path().join("out");
    let first = Publication::begin(&Disk::default(), &output, || panic!("nobody publishes"));
    let first = first.expect("the first begins");
    let is_waiting = AtomicBool::new(false);
    thread::scope(|scope| {
        let second = scope.spawn(|| {
            let waits = || is_waiting.store(true, Ordering::Relaxed);
            let second = Publication::begin(&Disk::default(), &output, waits);
            let second = second.expect("the second begins");
            assert_eq!(second.shown().map(|before| before.number), Some(1));
            let second = second.name().expect("the second is whole");
            let number = second.number();
            second.show().expect("the second is published");
            number
        });
        while !is_waiting.load(Ordering::Relaxed) {
            assert!(!second.is_finished(), "it does not wait");
            thread::yield_now();
        }
        let first = first.name().expect("the first is whole");
        assert_eq!(first.number(), 1);
        first.show().expect("the first is published");
        assert_eq!(second.join().expect("no panic"), 2);
    });
    let shown = std::fs::read_link(&output).expect("a link");
    assert_eq!(shown, Path::new("out.d/g000002"));
}

#[test]
fn a_run_that_waits_can_be_interrupted() {
    let dir = tempfile::tempdir().expect("a directory");
    let output = dir.path().join("out");
    let first = Publication::begin(&Disk::default(), &output, || {});
    let _first = first.expect("the first begins");
    let stop = Arc::new(AtomicBool::new(false));
    let disk = Disk::new(DiskOptions {
        stop: Arc::clone(&stop),
        ..DiskOptions::default()
    });
    let second = Publication::begin(&disk, &output, || stop.store(true, Ordering::Relaxed));
    let error = second.err().expect("it is interrupted").to_string();
    assert!(error.contains("interrupt"), "{error}");
}
