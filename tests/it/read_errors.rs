//! Errors of the medium while the input is listed and read: the run ends with 1 and takes nothing
//! in, and the next run reads everything.

use crate::harness::{Place, Ran, files_below};
use rustix::io::Errno;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::LazyLock;
use std::time::{Duration, Instant};

/// What may be gone the next time: a bad block, a network file system that was mounted anew,
/// memory.
const TRANSIENT: [Errno; 3] = [Errno::IO, Errno::STALE, Errno::NOMEM];

const NIGHT: &str = "crawls/2026-01-01";

/// Two files of a crawl, 20 documents in each, and a configuration with this section.
fn place(section: &str) -> Place {
    let place = Place::new();
    for (file, word) in [("a", "first"), ("b", "second")] {
        let row =
            |n: u32| format!("{{\"id\":\"{word}-{n}\",\"text\":\"{word} page number {n}\"}}\n");
        let rows: String = (0..20).map(row).collect();
        place.write(&format!("{NIGHT}/{file}.jsonl"), rows);
    }
    place.write(&format!("{NIGHT}/READY"), "");
    let rest = "[sketch]\nseed = \"tests\"\n[work]\nmemory = \"64MiB\"\n";
    place.write("pipeline.toml", format!("version = 1\n{section}\n{rest}"));
    place
}

/// A configuration that takes in the crawl.
pub(crate) fn nightly() -> Place {
    place("[snapshots]\npath = \"crawls/{name}/\"\nready = \"READY\"")
}

/// The library that makes calls of the system fail or wait; built once.
fn library() -> &'static Path {
    static BUILT: LazyLock<PathBuf> = LazyLock::new(|| {
        let place = Place::new();
        place.write("read_fault.c", include_str!("read_fault.c"));
        let library = Path::new(env!("CARGO_TARGET_TMPDIR")).join("read_fault.so");
        let new = library.with_extension(std::process::id().to_string());
        let built = Command::new("cc")
            .args(["-shared", "-fPIC", "-O1", "-o"])
            .args([&new, &place.path("read_fault.c")])
            .arg("-ldl")
            .status();
        assert!(built.expect("a C compiler, as the build needs").success());
        fs::rename(new, &library).expect("the library");
        library
    });
    &BUILT
}

/// A program that runs, and waits before it opens a file.
pub(crate) struct Paused<'a> {
    place: &'a Place,
    running: Child,
}

impl Place {
    /// Starts the program, which waits before it opens a file whose path ends so.
    pub(crate) fn paused_at(&self, file: &str, arguments: &[&str]) -> Paused<'_> {
        self.write("pause", "");
        let mut command = self.command(arguments);
        command
            .env("LD_PRELOAD", library())
            .env("PAUSED_FILE", file)
            .env("PAUSE", self.path("pause"))
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let running = command.spawn().expect("the program starts");
        Paused {
            place: self,
            running,
        }
    }
}

impl Paused<'_> {
    /// Waits until the program has made a directory.
    pub(crate) fn has_made(&self, directory: &str) {
        let begun = Instant::now();
        while !self.place.path(directory).is_dir() {
            assert!(begun.elapsed() < Duration::from_secs(60), "no {directory}");
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    /// Lets the program go on to its end.
    pub(crate) fn resume(self) -> Ran {
        fs::remove_file(self.place.path("pause")).expect("it is there");
        self.wait()
    }

    /// Whether the program has a handler of a signal.
    pub(crate) fn handles(&self, signal: rustix::process::Signal) -> bool {
        let status = fs::read_to_string(format!("/proc/{}/status", self.running.id()));
        let status = status.unwrap_or_default();
        let caught = status
            .lines()
            .find_map(|line| line.strip_prefix("SigCgt:"))
            .and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
        caught.is_some_and(|mask| mask >> (signal.as_raw() - 1) & 1 == 1)
    }

    /// Sends the program a signal while it waits.
    pub(crate) fn signal(&self, signal: rustix::process::Signal) {
        let id = rustix::process::Pid::from_child(&self.running);
        rustix::process::kill_process(id, signal).expect("sent");
    }

    /// Waits for the end of the program.
    pub(crate) fn wait(self) -> Ran {
        Ran(self.running.wait_with_output().expect("it ends"))
    }
}

/// Runs the program; the first read of `b.jsonl` fails.
fn failing(place: &Place, error: Errno, arguments: &[&str]) -> Ran {
    let file = format!("{NIGHT}/b.jsonl");
    failing_at(place, error, ("READ_FAULT_FILE", &file), arguments)
}

/// Runs the program; `fault` is the variable that makes calls fail, and the end of a path.
fn failing_at(place: &Place, error: Errno, fault: (&str, &str), arguments: &[&str]) -> Ran {
    failing_by(place, error, &[fault], arguments)
}

/// Runs the program with these variables for the library.
pub(crate) fn failing_by(
    place: &Place,
    error: Errno,
    variables: &[(&str, &str)],
    arguments: &[&str],
) -> Ran {
    let mut command = place.command(arguments);
    command
        .env("LD_PRELOAD", library())
        .envs(variables.iter().copied())
        .env("FAULT_ERRNO", error.raw_os_error().to_string());
    Ran(command.output().expect("the program starts"))
}

#[test]
fn a_night_with_a_bad_read_takes_nothing_in_and_the_next_one_everything() {
    for error in TRANSIENT {
        let place = nightly();
        let ran = failing(&place, error, &["run", "-q"]);
        ran.exits(1);
        ran.says("b.jsonl");
        assert!(!place.path("snapshots.toml").exists(), "{error}");
        assert!(!place.path("out").exists(), "{error}");
        place.pipeline(&["run", "-q"]).exits(0);
        assert_eq!(place.rows("documents").len(), 40, "{error}");
    }
}

#[test]
fn a_snapshot_with_a_bad_read_is_not_added() {
    for error in TRANSIENT {
        let place = place("");
        failing(&place, error, &["snapshot", "add", "one", NIGHT]).exits(1);
        assert!(!place.path("snapshots.toml").exists(), "{error}");
        place.pipeline(&["snapshot", "add", "one", NIGHT]).exits(0);
        place.pipeline(&["run", "-q"]).exits(0);
        assert_eq!(place.rows("documents").len(), 40, "{error}");
    }
}

#[test]
fn paths_with_a_bad_read_end_the_run() {
    for error in TRANSIENT {
        let place = place(&format!("[input]\npaths = [\"{NIGHT}/*.jsonl\"]"));
        failing(&place, error, &["run", "-q"]).exits(1);
        assert!(!place.path("out").exists(), "{error}");
        place.pipeline(&["run", "-q"]).exits(0);
        assert_eq!(place.rows("documents").len(), 40, "{error}");
    }
}

/// A file that nobody may read is no reason to leave it out of its snapshot for ever.
#[test]
fn a_forbidden_file_stops_a_snapshot_until_it_can_be_read() {
    for arguments in [&["run"][..], &["snapshot", "add", "one", NIGHT]] {
        let place = if arguments[0] == "run" {
            nightly()
        } else {
            place("")
        };
        let ran = failing(&place, Errno::ACCESS, arguments);
        ran.exits(1);
        ran.says("\"b.jsonl\" cannot be read");
        assert!(!place.path("snapshots.toml").exists());
        place.pipeline(arguments).exits(0);
        place.pipeline(&["run", "-q"]).exits(0);
        assert_eq!(place.rows("documents").len(), 40);
    }
}

/// A night of which nothing can be read yet is not passed over.
#[test]
fn a_night_of_forbidden_files_stops_until_they_can_be_read() {
    let place = nightly();
    fs::remove_file(place.path(NIGHT).join("a.jsonl")).expect("it is there");
    let ran = failing(&place, Errno::ACCESS, &["run"]);
    ran.exits(1);
    ran.says("\"b.jsonl\" cannot be read");
    place.pipeline(&["run", "-q"]).exits(0);
    assert_eq!(place.rows("documents").len(), 20);
}

/// A night whose ready file cannot be looked at is not one that is incomplete.
#[test]
fn a_ready_file_that_cannot_be_looked_at_ends_the_run() {
    for error in [Errno::IO, Errno::STALE, Errno::ACCESS] {
        let place = nightly();
        place.write("crawls/2026-01-02/c.jsonl", "{\"text\":\"third\"}\n");
        place.write("crawls/2026-01-02/READY", "");
        let ready = format!("{NIGHT}/READY");
        let ran = failing_at(&place, error, ("STAT_FAULT_FILE", &ready), &["run", "-q"]);
        ran.exits(1);
        ran.says("READY");
        assert!(!place.path("snapshots.toml").exists(), "{error}");
        place.pipeline(&["run", "-q"]).exits(0);
        assert_eq!(place.rows("documents").len(), 41, "{error}");
    }
}

/// The name of a directory may look like a glob; an error does not make it one.
#[test]
fn a_night_that_cannot_be_looked_at_is_not_passed_over() {
    let place = nightly();
    let night = "crawls/2026-01-02[b]";
    place.write(&format!("{night}/c.jsonl"), "{\"text\":\"third\"}\n");
    place.write(&format!("{night}/READY"), "");
    let fault = ("STAT_FAULT_FILE", "/2026-01-02[b]/");
    failing_at(&place, Errno::IO, fault, &["run", "-q"]).exits(1);
    assert!(!place.path("snapshots.toml").exists());
    place.pipeline(&["run", "-q"]).exits(0);
    assert_eq!(place.rows("documents").len(), 41);
}

#[test]
fn a_root_of_a_glob_that_cannot_be_looked_at_is_told_with_its_error() {
    let place = place("[input]\npaths = [\"crawls/*/*.jsonl\"]");
    let fault = ("STAT_FAULT_FILE", "/crawls/");
    let ran = failing_at(&place, Errno::IO, fault, &["run", "-q"]);
    ran.exits(1);
    ran.says("Input/output error");
}

/// The name of the directory does not match the glob, but those of its files may.
#[test]
fn a_directory_below_a_glob_that_cannot_be_looked_at_is_not_passed_over() {
    let place = place("[input]\npaths = [\"crawls/*/*.jsonl\"]");
    place.write("crawls/2026-01-02/c.jsonl", "{\"text\":\"third\"}\n");
    place.write("crawls/notes", "no directory, and not wanted");
    let fault = ("STAT_FAULT_FILE", NIGHT);
    failing_at(&place, Errno::IO, fault, &["run", "-q"]).exits(1);
    assert!(!place.path("out").exists());
    failing_at(&place, Errno::ACCESS, fault, &["run", "-q"]).exits(0);
    assert_eq!(place.rows("documents").len(), 1);
    assert_eq!(rejected(&place), ["unreadable"]);
    place.pipeline(&["run", "-q"]).exits(0);
    assert_eq!(place.rows("documents").len(), 41);
    let fault = ("STAT_FAULT_FILE", "crawls/notes");
    failing_at(&place, Errno::ACCESS, fault, &["run", "-q"]).exits(0);
    assert!(rejected(&place).is_empty(), "a file that is not wanted");
}

/// Why files and records were rejected.
fn rejected(place: &Place) -> Vec<String> {
    let text = fs::read_to_string(place.path("out/rejected.jsonl")).expect("a list");
    let row = |line: &str| serde_json::from_str::<serde_json::Value>(line).expect("a JSON row");
    let reason = |line| row(line)["reason"].as_str().unwrap_or_default().to_owned();
    text.lines().map(reason).collect()
}

/// Two pages, and a configuration with this section.
fn pages(section: &str) -> Place {
    let place = place(section);
    for page in ["x", "y"] {
        place.write(&format!("pages/{page}.html"), format!("<html>page {page}"));
    }
    place
}

/// A page that was added to a snapshot and cannot be opened when it is to be read.
#[test]
fn a_page_that_cannot_be_opened_is_not_lost_from_its_snapshot() {
    for error in [Errno::ACCESS, Errno::NOENT, Errno::IO] {
        let place = pages("");
        let add = ["snapshot", "add", "one", "pages"];
        place.pipeline(&add).exits(0);
        let fault = ("OPEN_FAULT_FILE", "pages/y.html");
        let ran = failing_at(&place, error, fault, &["run", "-q"]);
        ran.exits(if error == Errno::NOENT { 3 } else { 1 });
        ran.says("y.html");
        for (name, list) in files_below(&place.path("snapshots.d")) {
            let list = String::from_utf8(list).expect("text");
            assert!(!list.contains("digest"), "{name}: {list}");
        }
        place.pipeline(&["run", "-q"]).exits(0);
        assert_eq!(place.rows("documents").len(), 2, "{error}");
    }
}

/// In `paths`, such a page is rejected, and read as soon as it can be.
#[test]
fn a_page_of_paths_that_cannot_be_opened_is_rejected_until_it_can_be() {
    let place = pages("[input]\npaths = [\"pages\"]\nformat = \"html\"");
    let fault = ("OPEN_FAULT_FILE", "pages/y.html");
    let forbidden = || failing_at(&place, Errno::ACCESS, fault, &["run"]);
    forbidden().exits(0);
    assert_eq!(place.rows("documents").len(), 1);
    assert_eq!(rejected(&place), ["unreadable"]);
    let ran = forbidden();
    ran.exits(0);
    assert!(!ran.stderr().contains("sketch:"), "{}", ran.stderr());
    let ran = place.pipeline(&["run"]);
    ran.exits(0);
    ran.says("input y.html can be read now");
    assert_eq!(place.rows("documents").len(), 2);
    assert!(rejected(&place).is_empty());
    assert!(!place.pipeline(&["run"]).stderr().contains("sketch:"));
}

/// A page of `paths` that is deleted after it was listed, and comes back as it was.
#[test]
fn a_page_of_paths_that_vanishes_while_a_run_reads_is_read_when_it_returns() {
    let place = pages("[input]\npaths = [\"pages\"]\nformat = \"html\"");
    let fault = ("OPEN_FAULT_FILE", "pages/y.html");
    failing_at(&place, Errno::NOENT, fault, &["run", "-q"]).exits(0);
    assert_eq!(place.rows("documents").len(), 1);
    place.pipeline(&["run", "-q"]).exits(0);
    assert_eq!(place.rows("documents").len(), 2);
}

/// A file of many documents that is deleted after it was listed is input that changed.
#[test]
fn a_file_of_paths_that_vanishes_while_a_run_reads_is_exit_3() {
    let place = place(&format!("[input]\npaths = [\"{NIGHT}/*.jsonl\"]"));
    let paused = place.paused_at("work/sketch/segment-0-00000.marks.part", &["run", "-q"]);
    paused.has_made("work/sketch");
    let (file, aside) = (place.path(NIGHT).join("b.jsonl"), place.path("aside"));
    fs::rename(&file, &aside).expect("moved");
    let ran = paused.resume();
    ran.exits(3);
    ran.says("b.jsonl: it was removed after it was listed");
    fs::rename(&aside, &file).expect("moved back");
    place.pipeline(&["run", "-q"]).exits(0);
    assert_eq!(place.rows("documents").len(), 40);
}

/// What may be gone the next time does not begin the journal of clusters anew.
#[test]
fn an_error_at_the_publication_before_ends_the_run_and_keeps_the_journal() {
    for (error, code, file) in [
        (Errno::IO, 1, "out.d/g000002/index/members"),
        (Errno::MFILE, 4, "out.d/g000002/index/index.json"),
        (Errno::NOMEM, 1, "out.d/g000002/cluster_changes.parquet"),
    ] {
        let place = place(&format!("[input]\npaths = [\"{NIGHT}/*.jsonl\"]"));
        let copies = |n: usize| {
            let text: String = (0..40).map(|word| format!("word{word} ")).collect();
            let row = |at| format!("{{\"id\":\"copy-{at}\",\"text\":\"{text}\"}}\n");
            place.write(
                &format!("{NIGHT}/z.jsonl"),
                (0..n).map(row).collect::<String>(),
            );
        };
        for n in [2, 3] {
            copies(n);
            place.pipeline(&["run", "-q"]).exits(0);
        }
        let events = || place.rows("cluster_changes").len();
        assert_eq!(events(), 1, "the cluster has grown");
        copies(4);
        let ran = failing_at(&place, error, ("OPEN_FAULT_FILE", file), &["run"]);
        ran.exits(code);
        assert!(!ran.stderr().contains("anew"), "{}", ran.stderr());
        assert_eq!(events(), 1, "{file}");
        place.pipeline(&["run", "-q"]).exits(0);
        assert_eq!(events(), 2, "{file}");
    }
}

/// A file that could not be read is not a damaged file.
#[test]
fn a_file_that_verify_cannot_read_is_an_error_and_no_damage() {
    let place = place(&format!("[input]\npaths = [\"{NIGHT}/*.jsonl\"]"));
    place.pipeline(&["run", "-q"]).exits(0);
    for file in ["/membership.parquet", "/sketch/segment-0-00000.marks"] {
        let ran = failing_at(&place, Errno::IO, ("OPEN_FAULT_FILE", file), &["verify"]);
        ran.exits(1);
        ran.says("Input/output error");
    }
    place.pipeline(&["verify"]).exits(0);
    fs::remove_file(place.path("out/membership.parquet")).expect("it is there");
    place.pipeline(&["verify"]).exits(5);
}

/// A file that cannot be opened while documents are compared: no link is published that was not
/// compared, until it can be opened.
#[test]
fn a_comparison_that_could_not_open_a_file_is_made_by_the_next_run() {
    let texts = |kept: u32| -> String {
        let words = (0..kept).chain(9000..9000 + 1500 - kept);
        words.map(|word| format!("w{word} ")).collect()
    };
    let section = format!("[input]\npaths = [\"{NIGHT}/*.jsonl\"]");
    let [place, other] = [place(&section), place(&section)];
    for place in [&place, &other] {
        for (file, kept) in [("a", 1500), ("b", 1100)] {
            let row = format!("{{\"id\":\"{file}\",\"text\":\"{}\"}}\n", texts(kept));
            place.write(&format!("{NIGHT}/{file}.jsonl"), row);
        }
    }
    other.pipeline(&["run", "-q"]).exits(0);
    place.pipeline(&["run", "-q", "--until", "pairs"]).exits(0);
    let file = format!("{NIGHT}/b.jsonl");
    for is_again in [false, true] {
        let fault = ("OPEN_FAULT_FILE", file.as_str());
        let ran = failing_at(&place, Errno::ACCESS, fault, &["run"]);
        ran.exits(0);
        let note = "could not be read again as they were";
        assert_ne!(ran.stderr().contains(note), is_again, "{}", ran.stderr());
        assert!(place.rows("pairs").is_empty() && place.rows("removed").is_empty());
        let why = place.pipeline(&["explain", "0", "1"]);
        why.exits(0);
        assert!(
            why.stdout().contains("could not be read again"),
            "{}",
            why.stdout()
        );
    }
    place.pipeline(&["run", "-q"]).exits(0);
    assert_eq!(place.rows("pairs")[0]["exact"], true);
    assert_eq!(place.published(), other.published());
    let text = place.pipeline(&["run"]).stderr();
    assert!(!text.contains("settle:"), "{text}");
}

/// A file is replaced by one of the same bytes after `sketch` and before `settle`: the run
/// compares none of its documents, and the next one does.
#[test]
fn what_was_replaced_under_a_run_is_settled_by_the_next() {
    let place = Place::with_corpus(62, 400);
    let paused = place.paused_at("work/pairs/common.part", &["run"]);
    paused.has_made("work/pairs");
    for (name, bytes) in files_below(&place.path("crawl")) {
        place.write("new", bytes);
        fs::rename(place.path("new"), place.path(&format!("crawl/{name}"))).expect("replaced");
    }
    let ran = paused.resume();
    ran.exits(0);
    ran.says("could not be read again as they were");
    place.run();
    let settled = files_below(&place.path("out/"));
    let other = Place::with_corpus(62, 400);
    other.run();
    let expected = files_below(&other.path("out/"));
    for name in ["pairs.parquet", "clusters.parquet", "membership.parquet"] {
        assert!(settled[name] == expected[name], "{name} differs");
    }
    place.run();
    assert!(
        files_below(&place.path("out/")) == settled,
        "run again for nothing"
    );
}
