//! Kills, failing operations, a full disk, two runs at once, signals: nothing is lost, and the next
//! run gives the bytes of an undisturbed one.

use crate::harness::{Place, Ran};
use std::collections::BTreeMap;
use std::os::unix::process::ExitStatusExt;
use std::time::{Duration, Instant};

const PAGES: u32 = 90;

/// A corpus whose passages are looked for, too.
fn corpus(seed: u64) -> Place {
    let place = Place::with_corpus(seed, PAGES);
    place.config(&["passages.words = 20"]);
    place
}

/// The publication of an undisturbed run of the corpus `seed`.
fn golden(seed: u64) -> BTreeMap<String, Vec<u8>> {
    let place = corpus(seed);
    place.run();
    place.published()
}

/// Operations of a whole run: write, sync, rename, remove, link.
fn operations(seed: u64) -> Vec<u64> {
    let place = corpus(seed);
    let mut command = place.command(&["run", "-q"]);
    command.env("PIPELINE_FAULT_COUNT", place.path("counts"));
    assert!(command.output().expect("runs").status.success());
    let text = std::fs::read_to_string(place.path("counts")).expect("counts");
    text.split(' ')
        .map(|n| n.parse().expect("a number"))
        .collect()
}

/// How far a sweep goes: every `stride`-th operation; 1 with PIPELINE_SWEEP=full.
fn stride(normal: usize) -> usize {
    if std::env::var("PIPELINE_SWEEP").is_ok_and(|value| value == "full") {
        1
    } else {
        normal
    }
}

fn with_fault(place: &Place, fault: &str) -> Ran {
    let mut command = place.command(&["run", "-q"]);
    command.env("PIPELINE_FAULT", fault);
    Ran(command.output().expect("the program starts"))
}

#[test]
fn a_kill_at_any_operation_is_resumed_to_the_same_bytes() {
    let golden = golden(21);
    let total: u64 = operations(21).iter().sum();
    assert!(total > 100, "a run has only {total} operations");
    let mut kills = 0;
    for (mode, first) in [("kill", 1), ("torn", 2)] {
        for nth in (first..=total).step_by(stride(2)) {
            let place = corpus(21);
            let killed = with_fault(&place, &format!("{mode}:any:{nth}"));
            if killed.0.status.signal() != Some(9) {
                // Threads differ in how often they meet; the last few operations may not come.
                assert!(
                    killed.0.status.success() && nth + 20 > total,
                    "{mode} {nth} of {total}: {}",
                    killed.stderr()
                );
                continue;
            }
            kills += 1;
            if let Ok(link) = std::fs::read_link(place.path("out")) {
                assert!(
                    place
                        .path("out.d")
                        .join(link.file_name().expect("a name"))
                        .join("run.json")
                        .exists()
                );
            }
            place.run();
            assert!(
                golden == place.published(),
                "{mode} at operation {nth}: other bytes after resuming"
            );
            place.pipeline(&["verify"]).exits(0);
        }
    }
    assert!(kills >= 100, "only {kills} kills");
}

#[test]
fn a_second_kill_during_the_recovery_changes_nothing() {
    let golden = golden(22);
    let total: u64 = operations(22).iter().sum();
    for round in 0..20_u64 {
        let place = corpus(22);
        for nth in [
            1 + round * 37 % total,
            1 + round * 53 % total,
            1 + round * 11 % total,
        ] {
            with_fault(&place, &format!("kill:any:{nth}"));
        }
        place.run();
        assert!(golden == place.published(), "round {round}");
    }
}

#[test]
fn kills_from_outside_at_random_moments_are_resumed() {
    let golden = golden(23);
    let started = Instant::now();
    let undisturbed = corpus(23);
    undisturbed.run();
    let length = started.elapsed();
    for round in 0..12_u32 {
        let place = corpus(23);
        let mut child = place.spawn(&["run"]);
        std::thread::sleep(length * round / 12);
        child.kill().expect("killed");
        child.wait().expect("ended");
        place.run();
        assert!(golden == place.published(), "round {round}");
    }
}

#[test]
fn any_failing_operation_is_reported_and_a_later_run_is_whole() {
    let golden = golden(24);
    let counts = operations(24);
    for (operation, count) in ["write", "sync", "rename", "link"]
        .into_iter()
        .zip([counts[0], counts[1], counts[2], counts[4]])
    {
        for nth in (1..=count).step_by(stride(3)) {
            let place = corpus(24);
            let failed = with_fault(&place, &format!("error:{operation}:{nth}:5"));
            if failed.code() == Some(0) {
                // A link falls back to a copy; a last write may not come.
                assert!(
                    golden == place.published(),
                    "{operation} {nth} failed, and nobody said so"
                );
            } else {
                assert_eq!(
                    failed.code(),
                    Some(1),
                    "{operation} {nth}: {}",
                    failed.stderr()
                );
                assert!(failed.stderr().contains("failed to"), "{}", failed.stderr());
            }
            place.run();
            assert!(
                golden == place.published(),
                "{operation} {nth}: other bytes afterwards"
            );
        }
    }
}

#[test]
fn a_full_disk_is_exit_4_with_path_and_bytes_and_goes_on_after() {
    let golden = golden(25);
    let writes = operations(25)[0];
    for nth in (1..=writes).step_by(stride(5)) {
        let place = corpus(25);
        let failed = with_fault(&place, &format!("error:write:{nth}:28"));
        if failed.code() != Some(0) {
            failed.exits(4);
            failed.says("no space left");
            failed.says("are free");
        }
        place.run();
        assert!(golden == place.published(), "write {nth}");
    }
}

#[test]
fn a_disk_budget_is_held() {
    let place = Place::with_corpus(26, 400);
    place.config(&["work.disk = \"40KiB\""]);
    let failed = place.pipeline(&["run"]);
    failed.exits(4);
    failed.says("disk in [work] is 40960 bytes");
    place.config(&[]);
    place.run();
}

#[test]
fn two_runs_at_once_are_one_run_and_an_exit_75() {
    let place = Place::with_corpus(27, 3000);
    let mut first = place.spawn(&["run"]);
    let deadline = Instant::now() + Duration::from_secs(20);
    while !std::fs::read_to_string(place.path("work/lock")).is_ok_and(|text| !text.is_empty()) {
        assert!(Instant::now() < deadline, "the first run does not start");
        std::thread::sleep(Duration::from_millis(1));
    }
    let second = place.pipeline(&["run"]);
    if first.try_wait().expect("a state").is_none() {
        second.exits(75);
        second.says(&format!("process {} has been running", first.id()));
    }
    assert!(first.wait().expect("ended").success());
    place.pipeline(&["verify"]).exits(0);
}

#[test]
fn signals_stop_at_a_safe_point_and_the_next_run_resumes() {
    let place = Place::with_corpus(28, 3000);
    place.run();
    let golden = place.published();
    for (signal, code) in [
        (rustix::process::Signal::INT, 130),
        (rustix::process::Signal::TERM, 143),
    ] {
        std::fs::remove_dir_all(place.path("work")).expect("removed");
        let child = place.spawn(&["run"]);
        let id = rustix::process::Pid::from_raw(child.id() as i32).expect("an id");
        // Once the lock is taken, the handlers are there.
        while !std::fs::read_to_string(place.path("work/lock")).is_ok_and(|text| !text.is_empty()) {
            std::thread::sleep(Duration::from_millis(1));
        }
        rustix::process::kill_process(id, signal).expect("sent");
        let sent = Instant::now();
        let ended = child.wait_with_output().expect("ended");
        assert!(
            sent.elapsed() < Duration::from_secs(10),
            "took {:?}",
            sent.elapsed()
        );
        assert!(
            ended.status.code() == Some(code) || ended.status.success(),
            "{:?}",
            ended.status
        );
        place.run();
        assert!(golden == place.published());
    }
}

/// The exit code of a signal is that of the program from the first file on that it opens.
#[test]
fn handlers_stand_before_anything_is_read() {
    let place = Place::with_corpus(32, 20);
    place.run();
    let before = place.published();
    for call in [
        &["run"][..],
        &["dedup", "-o", "copies"],
        &["tune"],
        &["sketch", "--shard", "1/1"],
    ] {
        let paused = place.paused_at("pipeline.toml", call);
        let begun = Instant::now();
        while !paused.handles(rustix::process::Signal::TERM) {
            assert!(begun.elapsed() < Duration::from_secs(30), "{call:?}");
            std::thread::sleep(Duration::from_millis(1));
        }
        paused.signal(rustix::process::Signal::TERM);
        paused.resume().exits(143);
    }
    assert!(before == place.published());
}

#[test]
fn a_signal_leaves_no_part_of_an_export() {
    let place = Place::with_corpus(30, 20);
    place.run();
    std::fs::create_dir(place.path("exported")).expect("made");
    let files = || std::fs::read_dir(place.path("exported")).expect("a directory");
    let call = ["export", "membership", "-o", "exported/table.csv"];
    let paused = place.paused_at("/membership.parquet", &call);
    let begun = Instant::now();
    while files().count() == 0 {
        assert!(begun.elapsed() < Duration::from_secs(60), "no file");
        std::thread::sleep(Duration::from_millis(1));
    }
    paused.signal(rustix::process::Signal::TERM);
    let ended = paused.wait();
    ended.exits(143);
    assert_eq!(files().count(), 0);
}

#[test]
fn finished_segments_are_not_made_again() {
    let place = Place::with_corpus(29, 40);
    // Many files over the segment size: each is a segment of its own.
    let line = format!(
        "{{\"text\": \"{}\"}}\n",
        "many words in a long page ".repeat(4000)
    );
    for file in 0..6 {
        place.write(&format!("crawl/large-{file}.jsonl"), line.repeat(30));
    }
    place.config(&["work.threads = 1"]);
    let mut command = place.command(&["run"]);
    command.env("PIPELINE_FAULT_COUNT", place.path("counts"));
    assert!(command.output().expect("runs").status.success());
    let golden = place.published();
    std::fs::remove_dir_all(place.path("work")).expect("removed");
    // An error in the last segment: the run stores what is finished and ends.
    let text = std::fs::read_to_string(place.path("counts")).expect("counts");
    let syncs: u64 = text
        .split(' ')
        .nth(1)
        .and_then(|n| n.parse().ok())
        .expect("syncs");
    let mut kept = 0;
    for nth in (syncs / 4..syncs).step_by(3) {
        let failed = with_fault(&place, &format!("error:sync:{nth}:5"));
        let status = place.pipeline(&["status"]);
        if failed.code() != Some(0) && status.stdout().contains("parts of it are done") {
            kept += 1;
            break;
        }
        std::fs::remove_dir_all(place.path("work")).ok();
    }
    assert_eq!(kept, 1, "no failure left finished parts behind");
    place.run();
    assert!(golden == place.published());
}
