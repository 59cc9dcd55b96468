//! Two runs that publish to the same place, and readers of what they publish.

use format::{Disk, DiskOptions};
use publication::HeldPublication;
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
    let first = Publication::begin(&Disk::default(), &output, String::new(), || {
        panic!("nobody publishes")
    });
    let first = first.expect("the first begins");
    let is_waiting = AtomicBool::new(false);
    thread::scope(|scope| {
        let second = scope.spawn(|| {
            let waits = || is_waiting.store(true, Ordering::Relaxed);
            let second = Publication::begin(&Disk::default(), &output, String::new(), waits);
            let second = second.expect("the second begins");
            assert_eq!(second.shown().map(|before| before.number), Some(1));
            let second = second.into_named().expect("the second is whole");
            let number = second.number();
            second.show().expect("the second is published");
            number
        });
        while !is_waiting.load(Ordering::Relaxed) {
            assert!(!second.is_finished(), "it does not wait");
            thread::yield_now();
        }
        let first = first.into_named().expect("the first is whole");
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
    let first = Publication::begin(&Disk::default(), &output, String::new(), || {});
    let _first = first.expect("the first begins");
    let stop = Arc::new(AtomicBool::new(false));
    let disk = Disk::new(DiskOptions {
        stop: Arc::clone(&stop),
        ..DiskOptions::default()
    });
    let second = Publication::begin(&disk, &output, String::new(), || {
        stop.store(true, Ordering::Relaxed);
    });
    let error = second.err().expect("it is interrupted").to_string();
    assert!(error.contains("interrupt"), "{error}");
}

fn publish(output: &Path) {
    let next =
        Publication::begin(&Disk::default(), output, String::new(), || {}).expect("it begins");
    next.write("report.json", b"{}").expect("a file");
    next.into_named().expect("whole").show().expect("published");
}

#[test]
fn the_last_two_stay_and_what_is_read() {
    let dir = tempfile::tempdir().expect("a directory");
    let output = dir.path().join("out");
    assert!(HeldPublication::shown(&output).is_err());
    publish(&output);
    let first = HeldPublication::shown(&output).expect("it is there");
    let there = || {
        let is_there = |n: &u32| {
            dir.path()
                .join(format!("out.d/g{n:06}/report.json"))
                .exists()
        };
        (1..9).filter(is_there).collect::<Vec<u32>>()
    };
    assert!(first.dir().ends_with("out.d/g000001"));
    for _ in 0..3 {
        publish(&output);
    }
    let also = HeldPublication::shown(first.dir()).expect("many may read it");
    assert_eq!(there(), [1, 3, 4]);
    drop(first);
    publish(&output);
    assert_eq!(there(), [1, 4, 5]);
    drop(also);
    publish(&output);
    assert_eq!(there(), [5, 6]);
}

/// Readers follow the link while publications come and go: each finds a whole one.
#[test]
fn who_reads_while_runs_publish_has_a_whole_publication() {
    let dir = tempfile::tempdir().expect("a directory");
    let output = dir.path().join("out");
    publish(&output);
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        let readers = [(); 2].map(|()| {
            scope.spawn(|| {
                let mut found = 0;
                while !is_over.load(Ordering::Relaxed) {
                    let held = HeldPublication::shown(&output).expect("one is shown");
                    thread::yield_now();
                    let report = std::fs::read(held.dir().join("report.json"));
                    assert_eq!(report.expect("it stays"), b"{}");
                    found += 1;
                }
                found
            })
        });
        for _ in 0..60 {
            publish(&output);
        }
        is_over.store(true, Ordering::Relaxed);
        for reader in readers {
            assert!(reader.join().expect("no panic") > 0);
        }
    });
}
