//! Runs that nobody watches: nothing new, another run, logs, metrics, units.

use crate::harness::{Place, Ran};
use std::collections::BTreeMap;
use std::fs;
use std::mem::MaybeUninit;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// Every name below a directory with what would show that somebody touched it.
fn traces(dir: &Path) -> BTreeMap<String, [i64; 7]> {
    let mut found = BTreeMap::new();
    let mut open = vec![dir.to_path_buf()];
    while let Some(path) = open.pop() {
        let data = path.symlink_metadata().expect("metadata");
        let (inode, mode) = (data.ino().cast_signed(), i64::from(data.mode()));
        let times = [
            data.mtime(),
            data.mtime_nsec(),
            data.ctime(),
            data.ctime_nsec(),
        ];
        let seen = [
            inode,
            mode,
            data.size().cast_signed(),
            times[0],
            times[1],
            times[2],
            times[3],
        ];
        found.insert(
            path.strip_prefix(dir)
                .expect("below")
                .to_string_lossy()
                .into_owned(),
            seen,
        );
        if data.is_dir() {
            open.extend(
                fs::read_dir(&path)
                    .expect("a directory")
                    .map(|entry| entry.expect("an entry").path()),
            );
        }
    }
    found
}

/// A crawl of pages, JSON lines and images, in directories.
fn mixed() -> Place {
    let place = Place::with_corpus(81, 60);
    for page in 0..20 {
        place.write(
            &format!("crawl/site/{page}.html"),
            format!("<html><p>page {page} of a site about nothing"),
        );
        place.write(
            &format!("crawl/site/{page}.png"),
            [0x89, b'P', b'N', b'G', 0, page],
        );
    }
    place.write("crawl/empty.txt", "");
    place
}

/// The files of the crawl that are opened while something happens, directories left out.
fn opened(place: &Place, happens: impl FnOnce()) -> Vec<String> {
    use rustix::fs::inotify;
    let watch = inotify::init(inotify::CreateFlags::NONBLOCK).expect("inotify");
    for dir in ["crawl", "crawl/site"] {
        inotify::add_watch(&watch, place.path(dir), inotify::WatchFlags::OPEN).expect("watched");
    }
    happens();
    let mut room = [MaybeUninit::uninit(); 4096];
    let mut opened = Vec::new();
    let mut events = inotify::Reader::new(&watch, &mut room);
    while let Ok(event) = events.next() {
        if !event.events().contains(inotify::ReadFlags::ISDIR) {
            opened.push(
                event
                    .file_name()
                    .expect("a name")
                    .to_string_lossy()
                    .into_owned(),
            );
        }
    }
    opened.sort();
    opened.dedup();
    opened
}

#[test]
fn nothing_new_is_no_write_and_no_file_of_the_input_is_opened() {
    let place = mixed();
    place.run();
    let before = traces(&place.path(""));
    let outside = Place::new();
    let files = opened(&place, || {
        let mut command = place.command(&["run"]);
        command.env("PIPELINE_FAULT_COUNT", outside.path("counts"));
        let ran = Ran(command.output().expect("the program starts"));
        ran.exits(0);
        ran.says("nothing new");
        place.pipeline(&["status"]).exits(0);
        place.pipeline(&["run", "--dry-run"]).exits(0);
    });
    assert_eq!(files, [""; 0]);
    assert_eq!(
        fs::read_to_string(outside.path("counts")).expect("counts"),
        "0 0 0 0 0"
    );
    let after = traces(&place.path(""));
    assert!(
        before == after,
        "{:?}",
        after
            .iter()
            .find(|(name, seen)| before.get(*name) != Some(seen))
    );
}

#[test]
fn a_new_file_is_found_and_a_touched_one_looked_into_once() {
    let place = mixed();
    place.run();
    let first = place.published();
    // The same bytes with another time are compared once; one that was refused is looked into once.
    for name in ["3.html", "3.png"] {
        let path = place.path("crawl/site").join(name);
        fs::write(&path, fs::read(&path).expect("there")).expect("written");
        assert_eq!(opened(&place, || drop(place.run())), [name]);
        assert!(first == place.published());
        let before = traces(&place.path(""));
        assert_eq!(opened(&place, || drop(place.run())), [""; 0]);
        assert!(before == traces(&place.path("")));
    }
    // What was an image is a page now, of the same name and size.
    place.write("crawl/site/3.png", "<html>");
    place.write("crawl/site/new.html", "<html><p>a page that was not there");
    place.run();
    assert_eq!(place.rows("documents").len(), 60 + 20 + 2);
}

#[test]
fn a_second_run_says_who_is_at_work_and_since_when() {
    let place = Place::with_corpus(82, 30);
    place.config(&["work.metrics = \"m.prom\""]);
    place.run();
    let figures = fs::read(place.path("m.prom")).expect("metrics");
    let lock = fs::OpenOptions::new()
        .read(true)
        .write(true)
        .open(place.path("work/lock"))
        .expect("a lock");
    lock.lock().expect("locked");
    let refused = place.pipeline(&["run"]);
    refused.exits(75);
    refused.says("another process has just started here");
    fs::write(
        place.path("work/lock"),
        "7 2026-11-21T03:15:00Z elsewhere.example pipeline run -q\n",
    )
    .expect("written");
    let refused = place.pipeline(&["run", "-q"]);
    refused.exits(75);
    assert_eq!(refused.stderr().lines().count(), 1, "{}", refused.stderr());
    refused.says(
        "process 7 has been running here since 2026-11-21T03:15:00Z (on elsewhere.example: pipeline run -q); work/lock",
    );
    let refused = place.pipeline(&["run", "--log-format", "json"]);
    refused.exits(75);
    let line: serde_json::Value =
        serde_json::from_str(refused.stderr().lines().last().expect("a line")).expect("JSON");
    assert_eq!(
        (&line["exit_code"], &line["pid"], &line["level"]),
        (&75.into(), &"7".into(), &"error".into())
    );
    assert_eq!(
        (&line["host"], &line["since"]),
        (&"elsewhere.example".into(), &"2026-11-21T03:15:00Z".into())
    );
    assert_eq!(
        fs::read(place.path("m.prom")).expect("metrics"),
        figures,
        "who found another run has no figures"
    );
    // Not only dropped: a process that another test just starts may have it open, too, for a
    // moment.
    lock.unlock().expect("unlocked");
    place.run();
}

#[test]
fn a_killed_run_leaves_a_name_in_the_lock_and_blocks_nobody() {
    let place = Place::with_corpus(83, 60);
    let mut command = place.command(&["run", "-q"]);
    command.env("PIPELINE_FAULT", "kill:rename:3");
    assert!(
        !command
            .output()
            .expect("the program starts")
            .status
            .success()
    );
    assert!(
        fs::read_to_string(place.path("work/lock"))
            .expect("a lock")
            .contains("pipeline run -q")
    );
    place.run();
    assert_eq!(
        fs::read_to_string(place.path("work/lock")).expect("a lock"),
        ""
    );
}

/// Whoever may read the work directory must not know the seed.
#[test]
fn the_lock_does_not_tell_the_seed() {
    for seed in [
        &["--set", "sketch.seed=hush-hush"][..],
        &["--set=sketch.seed = hush-hush"],
        &["--set", "sketch={seed = \"hush-hush\"}"],
        &["--seed", "hush-hush"],
        &["--seed=hush-hush"],
    ] {
        let place = Place::with_corpus(84, 60);
        let mut command = place.command(&["run", "-q"]);
        command.args(seed).args(["--set", "work.threads=1"]);
        command.env("PIPELINE_FAULT", "kill:rename:3");
        let killed = command.output().expect("the program starts");
        assert!(!killed.status.success());
        let told = fs::read_to_string(place.path("work/lock")).expect("a lock");
        assert!(!told.contains("hush"), "{told}");
        assert!(told.contains("sketch") || told.contains("--seed"), "{told}");
        assert!(told.contains("… --set work.threads=1"), "{told}");
    }
}

fn is_time(text: &str) -> bool {
    let shape = |c: char| if c.is_ascii_digit() { '0' } else { c };
    let shape: String = text.chars().map(shape).collect();
    ["0000-00-00T00:00:00.000000Z", "0000-00-00T00:00:00Z"].contains(&shape.as_str())
}

#[test]
fn every_line_of_a_log_has_its_time() {
    let place = Place::with_corpus(84, 60);
    place.write("crawl/x\u{1b}[31m.txt", "a file that strangers named");
    let ran = place.pipeline(&["run", "-v"]);
    ran.exits(0);
    let log = ran.stderr();
    assert!(log.lines().count() >= 8, "{log}");
    for line in log.lines() {
        let (time, rest) = line.split_once(' ').unwrap_or_else(|| panic!("{line:?}"));
        assert!(is_time(time) && !rest.is_empty(), "{line:?}");
        assert!(!line.contains(['\u{1b}', '\r']), "{line:?}");
    }
    for phase in [
        "sketch", "distinct", "sort", "pairs", "settle", "cluster", "index",
    ] {
        assert!(
            log.contains(&format!("Z {phase}: not done yet")),
            "{phase} in {log}"
        );
    }
    assert!(
        log.lines()
            .last()
            .expect("a line")
            .contains("Z done: sketch, distinct, sort, pairs, settle, cluster, index; ")
    );
    fs::remove_file(place.path("crawl/x\u{1b}[31m.txt")).expect("removed");
    assert!(!place.pipeline(&["run"]).stderr().contains('\u{1b}'));
    // What answers at once has messages and no log.
    let ran = place.pipeline(&["query", "url", "http://nowhere.example/"]);
    assert!(
        ran.stderr().starts_with("pipeline: failed to find"),
        "{}",
        ran.stderr()
    );
}

/// The lines of a log in JSON.
fn json_log(ran: &Ran) -> Vec<serde_json::Value> {
    let parse = |line: &str| serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {line:?}"));
    let lines: Vec<serde_json::Value> = ran.stderr().lines().map(parse).collect();
    for line in &lines {
        assert!(line["time"].as_str().is_some_and(is_time), "{line}");
        assert!(
            ["error", "warn", "info", "debug"].contains(&line["level"].as_str().expect("a level")),
            "{line}"
        );
        assert!(
            line["message"]
                .as_str()
                .is_some_and(|text| !text.is_empty()),
            "{line}"
        );
    }
    lines
}

#[test]
fn a_log_in_json_is_json_to_its_last_line() {
    let place = Place::with_corpus(85, 60);
    let ran = place.pipeline(&["run", "-vv", "--log-format", "json"]);
    ran.exits(0);
    let lines = json_log(&ran);
    assert!(lines.len() >= 7);
    let last = lines.last().expect("a line");
    assert_eq!(
        (&last["exit_code"], &last["documents"], &last["level"]),
        (&0.into(), &60.into(), &"info".into())
    );
    assert_eq!(last["phases"].as_array().map(Vec::len), Some(7));
    let again = json_log(&place.pipeline(&["run", "--log-format", "json"]));
    let last = again.last().expect("a line");
    assert_eq!(
        (&last["phases"], &last["exit_code"]),
        (&serde_json::json!([]), &0.into())
    );

    place.write("crawl/junk.bin", [0_u8, 1, 2, 3, 255]);
    let failed = place.pipeline(&["run", "--strict", "--log-format=json"]);
    failed.exits(3);
    let last = json_log(&failed).pop().expect("a line");
    assert_eq!(
        (&last["exit_code"], &last["level"]),
        (&3.into(), &"error".into())
    );
    place.write("bad.toml", "version = 2\ntypo = 1\n");
    for (arguments, code) in [
        (
            &["run", "--config", "bad.toml", "--log-format", "json"][..],
            2,
        ),
        (&["run", "--what", "--log-format", "json"], 2),
        (&["query", "doc", "999", "--log-format", "json"], 1),
    ] {
        let failed = place.pipeline(arguments);
        failed.exits(code);
        let lines = json_log(&failed);
        assert_eq!(lines.len(), 1, "{arguments:?}");
        assert_eq!(lines[0]["exit_code"], code, "{arguments:?}");
    }
    let wrong = json_log(&place.pipeline(&["run", "--config", "bad.toml", "--log-format", "json"]));
    assert_eq!(
        wrong[0]["problems"].as_array().map(Vec::len),
        Some(3),
        "{}",
        wrong[0]
    );
}
