//! Files, limits and bytes that somebody made to trouble the program.

use crate::harness::{Place, Ran, files_below, repository};
use crate::memory::parquet;
use parquet::data_type::ByteArray;
use parquet::file::properties::WriterProperties;
use parquet::file::reader::{FileReader, SerializedFileReader};
use std::fs;
use std::io::Write;
use std::ops::Range;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant, SystemTime};

/// The program, ended after ten seconds; `None` if it had to be.
fn ended(place: &Place, arguments: &[&str]) -> Option<i32> {
    let mut child = place
        .command(arguments)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the program starts");
    let begun = Instant::now();
    loop {
        if let Some(status) = child.try_wait().expect("waited for") {
            return status.code();
        }
        if begun.elapsed() > Duration::from_secs(10) {
            child.kill().expect("killed");
            child.wait().expect("waited for");
            return None;
        }
        std::thread::sleep(Duration::from_millis(2));
    }
}

#[derive(Clone, Copy, Debug)]
enum Odd {
    Fifo,
    Directory,
}

impl Odd {
    fn put(self, path: &Path) {
        fs::remove_file(path).expect("removed");
        match self {
            Odd::Fifo => {
                let mode = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
                rustix::fs::mkfifoat(rustix::fs::CWD, path, mode).expect("made");
            }
            Odd::Directory => fs::create_dir(path).expect("made"),
        }
    }

    fn remove(self, path: &Path) {
        match self {
            Odd::Fifo => fs::remove_file(path).expect("removed"),
            Odd::Directory => fs::remove_dir(path).expect("removed"),
        }
    }
}

/// Commands that change no results.
const ASKING: [&[&str]; 8] = [
    &["query", "doc", "0"],
    &["query", "common"],
    &["explain", "0", "1"],
    &["export", "documents"],
    &["export", "pairs"],
    &["tune"],
    &["status"],
    &["report", "-o", "page.html"],
];

#[test]
fn what_is_no_file_is_damage_and_holds_nothing_up() {
    let place = Place::with_corpus(71, 60);
    place.run();
    for odd in [Odd::Fifo, Odd::Directory] {
        for (root, name, bytes) in ["work", "out"].into_iter().flat_map(|root| {
            let files = files_below(&place.path(root)).into_iter();
            files.map(move |(name, bytes)| (root, name, bytes))
        }) {
            // The lock is not read.
            if name == "lock" {
                continue;
            }
            let path = place.path(root).join(&name);
            odd.put(&path);
            let verified = ended(&place, &["verify"]);
            assert_eq!(verified, Some(5), "verify, {odd:?} at {root}/{name}");
            for asking in ASKING {
                let asked = ended(&place, asking);
                assert!(
                    matches!(asked, Some(0 | 5)),
                    "{asking:?}, {odd:?} at {root}/{name}: {asked:?}"
                );
            }
            odd.remove(&path);
            fs::write(&path, bytes).expect("written");
        }
    }
    place.pipeline(&["verify"]).exits(0);
}

/// The configuration that a run without one writes for itself.
#[test]
fn a_configuration_is_not_waited_for_and_is_written_through_no_link() {
    let place = Place::with_corpus(72, 30);
    fs::remove_file(place.path("pipeline.toml")).expect("removed");
    let run: &[&str] = &["run", "-q", "crawl"];
    place.pipeline(run).exits(0);
    let path = place.path("pipeline-work/pipeline.toml");
    let text = fs::read(&path).expect("a configuration");
    for odd in [Odd::Fifo, Odd::Directory] {
        odd.put(&path);
        assert_eq!(ended(&place, run), Some(2), "{odd:?}");
        odd.remove(&path);
        fs::write(&path, &text).expect("written");
    }
    place.write("victim", "precious");
    let partial = place.path("pipeline-work/pipeline.partial");
    std::os::unix::fs::symlink("../victim", &partial).expect("a link");
    place
        .pipeline(&["run", "-q", "crawl", "--output", "other"])
        .exits(0);
    let victim = fs::read_to_string(place.path("victim")).expect("read");
    assert_eq!(victim, "precious");
}

/// What a run would put there has no place.
#[test]
fn a_directory_where_a_run_writes_a_file_is_damage_and_named() {
    let place = Place::with_corpus(77, 60);
    place.run();
    let golden = place.published();
    let mut in_the_way = 0;
    for name in files_below(&place.path("work")).into_keys() {
        for name in [name.clone(), format!("{name}.part")] {
            let path = place.path("work").join(&name);
            if name == "lock" || name.starts_with("inputs-") {
                continue;
            }
            _ = fs::remove_file(&path);
            fs::create_dir(&path).expect("made");
            let ran = place.pipeline(&["run", "--force"]);
            if ran.code() == Some(5) {
                ran.says(&format!("work/{name}: damaged"));
                in_the_way += 1;
            } else {
                ran.exits(0);
            }
            assert!(golden == place.published(), "{name}");
            fs::remove_dir(&path).expect("still empty");
        }
    }
    assert!(in_the_way > 20, "{in_the_way}");
    place.pipeline(&["run", "--force"]).exits(0);
    place.pipeline(&["verify"]).exits(0);
    assert!(golden == place.published());
}

/// Who removes a lock file that looks stale must not be sent to another directory.
#[test]
fn a_work_directory_without_its_lock_file_says_how_to_go_on() {
    let place = Place::with_corpus(78, 30);
    place.run();
    let golden = place.published();
    fs::remove_file(place.path("work/lock")).expect("removed");
    let ran = place.pipeline(&["run"]);
    ran.exits(2);
    ran.says("`touch work/lock`");
    place.write("work/lock", "");
    place.run();
    assert!(golden == place.published());
    fs::remove_dir_all(place.path("work")).expect("removed");
    place.write("work", "a file");
    let ran = place.pipeline(&["run"]);
    ran.exits(2);
    ran.says("work is not a directory");
}

/// The program under a limit of the shell.
fn limited(place: &Place, limit: &str, verb: &str) -> Ran {
    let mut command = Command::new("sh");
    let script = format!("ulimit {limit}; exec \"$0\" {verb}");
    command
        .args(["-c", &script, env!("CARGO_BIN_EXE_pipeline")])
        .current_dir(place.path(""));
    Ran(command.output().expect("the program starts"))
}

#[test]
fn a_limit_that_is_used_up_is_exit_4_and_named() {
    let place = Place::with_corpus(72, 60);
    let ran = limited(&place, "-f 8", "run");
    ran.exits(4);
    ran.says("raise `ulimit -f`");
    limited(&place, "-n 6", "run").exits(4);
    place.run();
}

#[test]
fn an_evaluation_on_a_full_disk_leaves_no_files() {
    let place = Place::new();
    let words: Vec<String> = (0..40).map(|word| format!("word{word}")).collect();
    place.write("a.txt", words.join(" "));
    place.write("b.txt", format!("{} more", words.join(" ")));
    // The page fits into 16 KiB, the figures do not.
    let ran = limited(&place, "-f 32", "evaluate a.txt b.txt -o found");
    ran.exits(4);
    ran.says("failed to write found/documents.jsonl");
    assert!(files_below(&place.path("found")).is_empty());
    place
        .pipeline(&["evaluate", "a.txt", "b.txt", "-o", "found"])
        .exits(0);
    assert!(!files_below(&place.path("found")).is_empty());
}

/// The sets are written while documents are read, and the last of them behind that.
#[test]
fn an_evaluation_without_room_for_its_sets_names_their_place() {
    let place = Place::new();
    let words: Vec<String> = (0..20_000).map(|word| format!("word{word}")).collect();
    place.write("a.txt", words.join(" "));
    place.write("b.txt", words[..100].join(" "));
    for limit in ["-f 8", "-f 313"] {
        let ran = limited(&place, limit, "evaluate a.txt b.txt");
        ran.exits(4);
        ran.says("failed to write /");
        ran.says("/sets: File too large");
    }
    place.pipeline(&["evaluate", "a.txt", "b.txt"]).exits(0);
}

/// Bytes and time of change of all files below a directory but those of the program's own.
fn foreign(place: &Place) -> Vec<(String, Vec<u8>, SystemTime)> {
    let own = ["work/", "out", "found/", "copies/", "asked.html"];
    files_below(&place.path(""))
        .into_iter()
        .filter(|(name, _)| !own.iter().any(|one| name.starts_with(one)))
        .map(|(name, bytes)| {
            let file = fs::metadata(place.path(&name)).expect("there");
            (name, bytes, file.modified().expect("a time"))
        })
        .collect()
}

#[test]
fn input_is_not_touched_and_nothing_is_written_elsewhere() {
    let place = Place::with_corpus(76, 200);
    for (from, to) in [
        ("web/crawl-00000.warc.gz", "crawl/a.warc.gz"),
        ("parquet/crawl.parquet", "crawl/b.parquet"),
        ("tree/edits.example", "crawl/c"),
    ] {
        let from = repository().join("data-samples").join(from);
        match from.is_dir() {
            true => files_below(&from)
                .into_iter()
                .for_each(|(name, bytes)| place.write(&format!("{to}/{name}"), bytes)),
            false => place.write(to, fs::read(from).expect("a sample")),
        }
    }
    place.config(&["work.memory = \"64MiB\"", "cluster.settle = \"links\""]);
    for directory in ["home", "temporary"] {
        fs::create_dir(place.path(directory)).expect("made");
    }
    let before = foreign(&place);
    for call in [
        "run",
        "run --force",
        "verify",
        "status",
        "report -o asked.html",
        "query like 3",
        "explain 3 4",
        "tune",
        "dedup -o copies",
        "evaluate crawl/c -o found",
    ] {
        let call: Vec<&str> = call.split(' ').collect();
        let mut command = place.command(&call);
        command.env("HOME", place.path("home"));
        command.env("TMPDIR", place.path("temporary"));
        let ran = command.output().expect("the program starts");
        let told = String::from_utf8_lossy(&ran.stderr);
        assert!(ran.status.success(), "{call:?}: {told}");
        let after = foreign(&place);
        assert!(
            after == before,
            "{call:?} changed a file that is not its own"
        );
    }
}

/// Headers of Parquet pages and footers have no checksums.
#[test]
fn an_export_of_a_damaged_table_is_no_table() {
    let place = Place::with_corpus(74, 60);
    place.run();
    for table in ["documents", "membership", "clusters", "pairs", "removed"] {
        let name = match table {
            "documents" => "out/documents/default.parquet".to_owned(),
            _ => format!("out/{table}.parquet"),
        };
        let path = place.path(&name).canonicalize().expect("a table");
        let bytes = fs::read(&path).expect("a table");
        for at in (4..bytes.len()).step_by(bytes.len() / 25) {
            let mut damaged = bytes.clone();
            damaged[at] ^= 4;
            fs::write(&path, damaged).expect("written");
            place.pipeline(&["export", table]).exits(5);
        }
        fs::remove_file(&path).expect("removed");
        fs::create_dir(&path).expect("made");
        place.pipeline(&["export", table]).exits(5);
        fs::remove_dir(&path).expect("removed");
        fs::write(&path, &bytes).expect("written");
        place.pipeline(&["export", table]).exits(0);
    }
    // A publication alone has no digests to be compared with.
    fs::remove_dir_all(place.path("work")).expect("removed");
    place.pipeline(&["export", "pairs"]).exits(0);
}

#[test]
fn verify_reads_what_the_next_night_starts_from() {
    let place = Place::new();
    place.corpus(75, 60);
    place.config(&[]);
    let text = fs::read_to_string(place.path("pipeline.toml")).expect("a configuration");
    let without_paths = text.replace("paths = [\"crawl\"]\n", "");
    place.write("pipeline.toml", without_paths);
    for (night, file) in [("one", "crawl/part-0.jsonl"), ("two", "crawl/part-1.jsonl")] {
        place.pipeline(&["snapshot", "add", night, file]).exits(0);
        place.run();
    }
    place.pipeline(&["verify"]).exits(0);
    let list = place.path("work/index/between-2");
    let mut bytes = fs::read(&list).expect("the changes between the two");
    bytes[100] ^= 1;
    fs::write(&list, bytes).expect("written");
    place.pipeline(&["verify"]).exits(5);
    place
        .pipeline(&["run", "--from", "index", "--force"])
        .exits(0);
    place.pipeline(&["verify"]).exits(0);
    for (name, bytes) in files_below(&place.path("snapshots.d")) {
        let list = place.path("snapshots.d").join(&name);
        fs::write(&list, &bytes[..bytes.len() / 2]).expect("cut");
        let found = place.pipeline(&["verify"]);
        found.exits(2);
        found.says(&name);
        fs::remove_file(&list).expect("removed");
        place.pipeline(&["verify"]).exits(2);
        fs::write(&list, bytes).expect("written");
        place.pipeline(&["verify"]).exits(0);
    }
}

/// A run that publishes while `verify` reads is no damage.
#[test]
fn verify_beside_a_run_finds_no_damage() {
    let place = Place::with_corpus(76, 60);
    place.run();
    let paused = place.paused_at("work/distinct/classes", &["verify"]);
    std::thread::sleep(Duration::from_millis(300));
    place.pipeline(&["run", "--force"]).exits(0);
    paused.resume().exits(0);
}

#[test]
fn verify_reads_the_costs_of_the_run_too() {
    let place = Place::with_corpus(73, 30);
    place.run();
    let path = place.path("out/run.json");
    let text = fs::read_to_string(&path).expect("costs");
    fs::write(&path, text.replacen("\"totals\"", "\"totale\"", 1)).expect("written");
    let found = place.pipeline(&["verify"]);
    found.exits(5);
    assert!(found.stdout().contains("run.json"), "{}", found.stdout());
}

/// Rows of a text, of which every second one is there twice, and of a field that no run reads; and
/// the bytes of the file that hold the field.
fn with_unread_field() -> (Vec<u8>, Range<usize>) {
    let text = |row: u32| {
        let words = |word: u32| format!("w{}-{word} ", if row % 4 == 3 { row - 1 } else { row });
        ByteArray::from((0..40).map(words).collect::<String>().as_str())
    };
    let unread =
        |row: u32| ByteArray::from(format!("{:x}", row.wrapping_mul(0x9e37_79b1)).as_str());
    let columns = [
        ("text", (0..100).map(text).collect()),
        ("unread", (0..100).map(unread).collect()),
    ];
    let bytes = parquet(WriterProperties::builder(), &columns);
    let mut file = tempfile::tempfile().expect("a file");
    file.write_all(&bytes).expect("written");
    let reader = SerializedFileReader::new(file).expect("Parquet");
    let (offset, length) = reader.metadata().row_group(0).column(1).byte_range();
    (bytes, offset as usize..(offset + length) as usize)
}

#[test]
fn a_damaged_parquet_file_is_copied_whole_and_the_others_without_duplicates() {
    let (good, unread) = with_unread_field();
    let mut damaged = good.clone();
    damaged[unread.start + unread.len() / 4..unread.end].fill(0);
    let place = Place::with_corpus(74, 60);
    place.write("crawl/damaged.parquet", &damaged);
    place.run();
    let copied = place.pipeline(&["dedup", "-o", "copies"]);
    copied.exits(0);
    copied.says("damaged.parquet is copied whole, with all its documents: ");
    assert!(!copied.stderr().contains("panicked"), "{}", copied.stderr());
    let copies = files_below(&place.path("copies"));
    let copy = |name: &str| {
        copies
            .iter()
            .find(|(path, _)| path.ends_with(name))
            .map(|(_, bytes)| bytes)
    };
    assert_eq!(copy("damaged.parquet"), Some(&damaged));
    // The counts and the table say what went.
    let table = fs::File::open(place.path("copies/removed.parquet")).expect("a table");
    let table = SerializedFileReader::new(table).expect("a Parquet file");
    let removed = table.metadata().file_metadata().num_rows();
    assert!(removed > 0);
    let summary = copy("dedup.json").expect("a summary");
    let summary: serde_json::Value = serde_json::from_slice(summary).expect("JSON");
    assert_eq!(summary["removed"], removed);
    let listed = copy("files.jsonl").expect("a list");
    let of_files: i64 = String::from_utf8_lossy(listed)
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).expect("JSON"))
        .map(|file| file["removed"].as_i64().expect("a number"))
        .sum();
    assert_eq!(of_files, removed);
    // Again: nothing is done, and all counts are those of the first call.
    let again = place.pipeline(&["dedup", "-o", "copies", "--json"]).json();
    for (name, value) in summary.as_object().expect("an object") {
        assert_eq!(&again[name], value, "{name}");
    }
    let lines = |bytes: &[u8]| bytes.iter().filter(|&&byte| byte == b'\n').count();
    let part = fs::read(place.path("crawl/part-1.jsonl")).expect("a file");
    assert!(copy("part-1.jsonl").is_some_and(|copy| lines(copy) < lines(&part)));
    // Undamaged, its own duplicates go.
    place.write("crawl/damaged.parquet", &good);
    place.run();
    place.pipeline(&["dedup", "-o", "others"]).exits(0);
    let copies = files_below(&place.path("others"));
    assert!(
        copies
            .iter()
            .any(|(path, bytes)| path.ends_with(".parquet") && bytes.len() < good.len())
    );
}

/// A program that reads a publication has its files until it ends, also those that it opens later.
#[test]
fn a_publication_that_is_read_stays() {
    let place = Place::with_corpus(11, 40);
    place.run();
    let question = fs::read(place.path("crawl/part-0.jsonl")).expect("a file");
    let ask = || {
        let mut command = place.command(&["query", "like", "--batch", "--json", "-"]);
        let piped = command.stdin(Stdio::piped()).stdout(Stdio::piped());
        piped.spawn().expect("the program starts")
    };
    let answer = |mut child: std::process::Child| {
        let mut stdin = child.stdin.take().expect("a pipe");
        stdin.write_all(&question).expect("it reads");
        drop(stdin);
        let output = child.wait_with_output().expect("it ends");
        assert!(output.status.success());
        output.stdout
    };
    let before = answer(ask());
    let first = place.path("out.d/g000001");
    let reader = ask();
    let maps = format!("/proc/{}/maps", reader.id());
    while !fs::read_to_string(&maps).is_ok_and(|maps| maps.contains("out.d/g000001")) {
        std::thread::sleep(Duration::from_millis(2));
    }
    for _ in 0..3 {
        place.pipeline(&["run", "--force", "-q"]).exits(0);
    }
    assert!(first.exists());
    assert_eq!(answer(reader), before);
    place.pipeline(&["run", "--force", "-q"]).exits(0);
    assert!(!first.exists());
}
