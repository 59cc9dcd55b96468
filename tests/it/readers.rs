//! Commands that read what a run left, stopped in the middle while runs go on.

use crate::harness::Place;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

fn signal(child: &Child, name: &str) {
    let pid = child.id().to_string();
    let sent = Command::new("kill").args(["-s", name, &pid]).status();
    assert!(sent.expect("kill runs").success());
}

/// Whether a reader is at work, or the lock is taken.
fn is_reading(place: &Place) -> bool {
    let mut readers = std::fs::read_dir(place.path("work/readers"));
    let lock = std::fs::metadata(place.path("work/lock"));
    readers.as_mut().is_ok_and(|dirs| {
        dirs.any(|dir| dir.is_ok_and(|dir| dir.path().join("cluster/clusters").exists()))
    }) || lock.is_ok_and(|lock| lock.len() > 0)
}

/// Starts the command and stops it in the middle. An attempt fails if it is too quick.
fn stopped(place: &Place, arguments: &[&str]) -> Child {
    for _ in 0..200 {
        let mut command = place.command(arguments);
        let mut child = command
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("starts");
        while child.try_wait().expect("asked").is_none() {
            if is_reading(place) {
                signal(&child, "STOP");
                std::thread::sleep(Duration::from_millis(20));
                if child.try_wait().expect("asked").is_some() {
                    break;
                }
                if is_reading(place) {
                    return child;
                }
                // It was stopped after all of its work.
                signal(&child, "CONT");
                break;
            }
        }
        child.wait().expect("ended");
    }
    panic!("{arguments:?} was always too quick");
}

#[test]
fn a_run_works_while_readers_are_stopped_and_they_answer_from_before_it() {
    for arguments in [
        &["tune", "--json"][..],
        &["dedup", "--list", "--json", "--linkage", "star"],
        &["dedup", "--dry-run", "--json"],
    ] {
        let place = Place::with_corpus(11, 600);
        place.run();
        let before = place.pipeline(arguments);
        before.exits(0);
        let reader = stopped(&place, arguments);
        let lines = std::fs::read(place.path("crawl/part-0.jsonl")).expect("pages");
        place.write("crawl/part-3.jsonl", lines);
        // Twice: the first run replaces files, the second one those that it left aside.
        for options in [&["run", "-q"][..], &["run", "-q", "--force"]] {
            place.pipeline(options).exits(0);
        }
        signal(&reader, "CONT");
        let answer = reader.wait_with_output().expect("an answer");
        let told = String::from_utf8_lossy(&answer.stderr);
        assert_eq!(answer.status.code(), Some(0), "{arguments:?}: {told}");
        assert_eq!(String::from_utf8_lossy(&answer.stdout), before.stdout());
        assert_ne!(place.pipeline(arguments).stdout(), before.stdout());
        assert!(!place.path("work/readers").exists());
    }
}

#[test]
fn what_a_killed_reader_left_is_removed() {
    let place = Place::with_corpus(11, 600);
    place.run();
    let mut reader = stopped(&place, &["tune"]);
    reader.kill().expect("killed");
    reader.wait().expect("ended");
    assert!(place.path("work/readers/1/cluster/clusters").exists());
    place.pipeline(&["run", "-q", "--force"]).exits(0);
    assert!(!place.path("work/readers").exists());
}

/// Until a run is done, the counts that a reader needs are not there.
#[test]
fn a_reader_says_that_a_run_is_at_work() {
    let place = Place::with_corpus(11, 600);
    place.run();
    let before = place.published();
    let has_counts = || {
        let manifest = std::fs::read(place.path("work/manifest.json")).expect("a manifest");
        let manifest: serde_json::Value = serde_json::from_slice(&manifest).expect("JSON");
        !manifest["manifest"]["phases"]["pairs"].is_null()
    };
    let began = Instant::now();
    // Stopped while it makes the counts anew. An attempt fails if it is too quick.
    let mut run = loop {
        assert!(began.elapsed() < Duration::from_secs(60));
        let mut run = place.spawn(&["run", "-q", "--force"]);
        while has_counts() && run.try_wait().expect("asked").is_none() {}
        signal(&run, "STOP");
        std::thread::sleep(Duration::from_millis(20));
        if !has_counts() && run.try_wait().expect("asked").is_none() {
            break run;
        }
        signal(&run, "CONT");
        run.wait().expect("ended");
    };
    for arguments in [&["tune"][..], &["dedup", "--dry-run"]] {
        let told = place.pipeline(arguments);
        told.exits(75);
        told.says("has been running here since");
    }
    signal(&run, "CONT");
    assert!(run.wait().expect("ended").success());
    assert_eq!(place.published().len(), before.len());
}

#[test]
fn links_that_a_stopped_run_replaced_are_no_damage() {
    let place = Place::with_corpus(12, 400);
    place.run();
    let expected = place.pipeline(&["tune", "--json"]).json();
    for nth in 1.. {
        let min_shared = format!("cluster.min-shared={}", 2 + nth % 5);
        let mut run = place.command(&["run", "-q", "--set", &min_shared]);
        run.env("PIPELINE_FAULT", format!("kill:rename:{nth}"));
        let ended = run.output().expect("starts").status;
        let tuned = place.pipeline(&["tune", "--json"]);
        tuned.exits(0);
        assert_eq!(tuned.json(), expected, "killed at rename {nth}");
        if ended.success() {
            assert!(nth > 3, "no rename was reached");
            return;
        }
    }
}
