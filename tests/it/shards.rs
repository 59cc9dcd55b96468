//! Machines that sketch shards of the input, and one that adopts them: the bytes of one machine.

use crate::harness::{Place, Ran, files_below, repository};
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A crawl of all formats: samples with revisits, pages of a tree, and a file that is cut.
fn crawl() -> Place {
    let place = Place::with_corpus(31, 120);
    let samples = repository().join("data-samples");
    for dir in ["web", "jsonl", "parquet", "tree"] {
        copy_tree(&samples.join(dir), &place.path("crawl").join(dir));
    }
    place.write("crawl/large.jsonl", large_file());
    place
}

/// 5 MiB of JSONL: more than two pieces.
fn large_file() -> String {
    let mut text = String::new();
    for page in 0..160_u64 {
        let words: Vec<String> = (0..8000_u64)
            .map(|at| ((page * 7919 + at * at * 31) % 50_021).to_string())
            .collect();
        let words = words.join(" ");
        text += &format!("{{\"url\":\"http://large.example/{page}\",\"text\":\"{words}\"}}\n");
    }
    assert!(text.len() > 5 << 20, "{} bytes", text.len());
    text
}

/// Copies a tree, links followed. The copies have inodes and times of their own.
fn copy_tree(from: &Path, to: &Path) {
    for (name, bytes) in files_below(from) {
        let path = to.join(name);
        fs::create_dir_all(path.parent().expect("a parent")).expect("a directory");
        fs::write(path, bytes).expect("a file");
    }
}

/// Another machine with the same configuration and copies of the same files.
fn beside(place: &Place) -> Place {
    let other = Place::new();
    copy_tree(&place.path("crawl"), &other.path("crawl"));
    fs::copy(place.path("pipeline.toml"), other.path("pipeline.toml")).expect("copied");
    other
}

/// Every file of a publication as it is, but what tells of this machine and this run.
fn raw(place: &Place) -> BTreeMap<String, Vec<u8>> {
    let mut files = files_below(&place.path("out"));
    for name in [
        "run.json",
        "index/sources",
        "index/index.json",
        "cluster_changes.parquet",
    ] {
        assert!(files.remove(name).is_some(), "{name} is missing");
    }
    files
}

fn shard_dir(place: &Place, shard: u32, of: u32) -> PathBuf {
    place.path("work.shards").join(format!("{shard}-of-{of}"))
}

/// `run --adopt` with the shards of some places.
fn adopt(place: &Place, dirs: &[PathBuf]) -> Ran {
    Ran(adopting(place, dirs).output().expect("the program starts"))
}

fn adopting(place: &Place, dirs: &[PathBuf]) -> Command {
    let mut command = place.command(&["run", "-q", "--adopt"]);
    command.args(dirs);
    command
}

#[test]
fn any_number_of_machines_gives_the_bytes_of_one() {
    let place = crawl();
    place.run();
    let (golden, golden_raw) = (place.published(), raw(&place));
    for of in [1, 2, 3, 7] {
        let here = beside(&place);
        // Every machine has copies of the files; the processes run at the same time.
        let elsewhere = beside(&place);
        let shards: Vec<String> = (1..=of).map(|shard| format!("{shard}/{of}")).collect();
        let mut running = Vec::new();
        for shard in &shards {
            running.push(elsewhere.spawn(&["sketch", "--shard", shard]));
        }
        for mut child in running {
            assert!(child.wait().expect("ended").success());
        }
        let dirs: Vec<PathBuf> = (1..=of).map(|n| shard_dir(&elsewhere, n, of)).collect();
        let ran = adopt(&here, &dirs);
        ran.exits(0);
        assert!(here.published() == golden, "{of} machines: other bytes");
        let here_raw = raw(&here);
        for (name, bytes) in &golden_raw {
            assert!(here_raw.get(name) == Some(bytes), "{of} machines: {name}");
        }
        assert_eq!(here_raw.len(), golden_raw.len());
        here.pipeline(&["verify"]).exits(0);
        // Nothing was read again, and nothing is left to do without the shards.
        for dir in dirs {
            fs::remove_dir_all(dir).expect("removed");
        }
        let again = here.pipeline(&["run", "--json"]);
        again.exits(0);
        let phases = again.json()["phases"].to_string();
        assert!(!phases.contains("run"), "{of} machines: {phases}");
    }
}

#[test]
fn shards_hold_whole_files_and_are_adopted_as_links() {
    let place = Place::with_corpus(34, 60);
    place.write("crawl/large.jsonl", large_file());
    let mut files = 0;
    for shard in ["1/3", "2/3", "3/3"] {
        let ran = place.pipeline(&["sketch", "--json", "--shard", shard]);
        ran.exits(0);
        assert_eq!(ran.json()["shard"], shard);
        files += ran.json()["files"].as_u64().expect("a number");
    }
    let dirs: Vec<PathBuf> = (1..=3).map(|n| shard_dir(&place, n, 3)).collect();
    let mut command = place.command(&["run", "--json", "--adopt"]);
    let ran = Ran(command.args(&dirs).output().expect("starts"));
    ran.exits(0);
    ran.says("segments from 3 shards");
    assert_eq!(files_below(&place.path("crawl")).len() as u64, files);
    let mut linked = 0;
    for dir in &dirs {
        for (name, _) in files_below(&dir.join("sketch")) {
            let own = fs::metadata(dir.join("sketch").join(name)).expect("a file");
            linked += u32::from(own.nlink() >= 2);
        }
    }
    assert!(linked >= 5, "{linked} files are linked");
}

/// Runs a command with a kill at every `stride`-th operation until one run is not killed.
fn killed_often(place: &Place, arguments: &[&str], stride: usize) -> u32 {
    let mut kills = 0;
    for nth in (1..).step_by(stride) {
        let mut command = place.command(arguments);
        command.env("PIPELINE_FAULT", format!("kill:any:{nth}"));
        let ran = Ran(command.output().expect("the program starts"));
        if ran.0.status.signal() != Some(9) {
            ran.exits(0);
            return kills;
        }
        kills += 1;
    }
    kills
}

#[test]
fn a_killed_shard_and_a_killed_adoption_go_on_to_the_same_bytes() {
    let place = Place::with_corpus(32, 90);
    place.run();
    let golden = place.published();
    let mut kills = [0; 2];
    for offset in 0..4 {
        let place = beside(&place);
        for shard in ["1/2", "2/2"] {
            let arguments = ["sketch", "-q", "--shard", shard];
            kills[0] += killed_often(&place, &arguments, 5 + offset);
        }
        let dirs: Vec<PathBuf> = (1..=2).map(|n| shard_dir(&place, n, 2)).collect();
        let dirs: Vec<&str> = dirs.iter().filter_map(|dir| dir.to_str()).collect();
        let arguments = [&["run", "-q", "--adopt"], &dirs[..]].concat();
        kills[1] += killed_often(&place, &arguments, 11 + offset);
        assert!(place.published() == golden, "offset {offset}: other bytes");
        place.pipeline(&["verify"]).exits(0);
    }
    assert!(kills[0] > 20 && kills[1] > 20, "{kills:?} kills");
}

/// A WARC file whose bodies are full of records: where a piece begins, the first one is a wrong
/// guess.
fn nested_records() -> Vec<u8> {
    let decoy = "WARC/1.0\r\nWARC-Type: resource\r\nWARC-Target-URI: http://decoy.example/\r\n\
                 Content-Type: text/plain\r\nContent-Length: 38\r\n\r\n\
                 one decoy of many that stand in a body\r\n\r\n";
    let mut file = String::new();
    for record in 0..6 {
        let body = format!("page {record} of its own\n{}", decoy.repeat(5000));
        file += &format!(
            "WARC/1.0\r\nWARC-Type: resource\r\nWARC-Target-URI: http://nest.example/{record}\r\n\
             Content-Type: text/plain\r\nContent-Length: {}\r\n\r\n{body}\r\n\r\n",
            body.len()
        );
    }
    file.into_bytes()
}

#[test]
fn a_kill_before_a_wrong_guess_is_mended_does_not_keep_the_guess() {
    let place = Place::new();
    place.write("crawl/nested.warc", nested_records());
    place.config(&[]);
    let undisturbed = place.run();
    undisturbed.exits(0);
    let golden = place.published();
    let documents = place.rows("documents").len();
    assert_eq!(documents, 6);
    for nth in 1..60 {
        let killed = beside(&place);
        let mut command = killed.command(&["run", "-q"]);
        command.env("PIPELINE_FAULT", format!("kill:any:{nth}"));
        let _ = command.output().expect("the program starts");
        killed.run();
        assert!(killed.published() == golden, "kill at operation {nth}");
    }
}

/// Two shards of a corpus, and the machine that is to adopt them.
fn two_shards() -> (Place, [PathBuf; 2]) {
    let place = Place::with_corpus(33, 40);
    for shard in ["1/2", "2/2"] {
        place.pipeline(&["sketch", "-q", "--shard", shard]).exits(0);
    }
    let dirs = [1, 2].map(|n| shard_dir(&place, n, 2));
    (place, dirs)
}

/// That shards are refused with these words, before anything is written.
fn refused(place: &Place, dirs: &[PathBuf], code: i32, words: &[&str]) {
    let before = files_below(&place.path("work"));
    let ran = adopt(place, dirs);
    ran.exits(code);
    words.iter().for_each(|words| ran.says(words));
    let mut after = files_below(&place.path("work"));
    after.retain(|name, _| before.contains_key(name) || name != "lock");
    assert!(before == after, "{words:?}: something was written");
}

#[test]
fn shards_that_do_not_fit_each_other_are_refused_by_name() {
    let (place, [one, two]) = two_shards();
    let shown = |dir: &PathBuf| dir.display().to_string();
    refused(
        &place,
        std::slice::from_ref(&one),
        2,
        &["missing: 2/2", "pipeline sketch --shard 2/2"],
    );
    let twice = [one.clone(), two.clone(), one.clone()];
    refused(
        &place,
        &twice,
        2,
        &[&shown(&one), "shard 1/2", "leave one of them out"],
    );
    place.pipeline(&["sketch", "-q", "--shard", "1/3"]).exits(0);
    let third = shard_dir(&place, 1, 3);
    let mixed = [two.clone(), third.clone()];
    refused(
        &place,
        &mixed,
        2,
        &[&shown(&third), "1/3", &shown(&two), "2/2"],
    );
    let none = [one.clone(), place.path("crawl")];
    refused(
        &place,
        &none,
        2,
        &["holds no shard", "pipeline sketch --shard"],
    );
    let all = one.parent().expect("the directory of all shards");
    let words = [&shown(&all.to_path_buf()), "directories in it", "/*"];
    refused(&place, &[all.to_path_buf()], 2, &words);
    // A shard that was killed.
    let mut command = place.command(&["sketch", "-q", "--shard", "3/4"]);
    command.env("PIPELINE_FAULT", "kill:any:12");
    assert_eq!(command.status().expect("runs").signal(), Some(9));
    let words = ["3-of-4", "not finished", "pipeline sketch --shard 3/4"];
    refused(&place, &[shard_dir(&place, 3, 4)], 2, &words);
    adopt(&place, &[one, two]).exits(0);
}

/// How many files a command opened to know their formats; it was called with `-v`.
fn opened(ran: &Ran) -> u64 {
    ran.exits(0);
    let said = ran.stderr();
    let (_, count) = said.split_once("opened=").expect("the listing is told");
    let digits = count.split(|c: char| !c.is_ascii_digit()).next();
    digits
        .and_then(|digits| digits.parse().ok())
        .expect("a number")
}

/// Gives a copy the time of modification of its original, as `cp -p` and `rsync -t` do.
fn keep_times(from: &Path, to: &Path) {
    for (name, _) in files_below(from) {
        let modified = fs::metadata(from.join(&name)).and_then(|file| file.modified());
        let copy = fs::File::options().write(true).open(to.join(&name));
        let set = copy.and_then(|copy| copy.set_modified(modified?));
        set.expect("the time is set");
    }
}

#[test]
fn what_a_shard_has_listed_is_not_opened_to_know_its_format() {
    let place = Place::with_corpus(35, 30);
    copy_tree(
        &repository().join("data-samples/tree"),
        &place.path("crawl/tree"),
    );
    place.write("crawl/tree/page", b"\0 and \x01: no text yet");
    let files = files_below(&place.path("crawl")).len() as u64;
    let sketch = |shard: &str| place.pipeline(&["sketch", "-v", "--shard", shard]);
    assert_eq!(opened(&sketch("1/2")), files);
    assert_eq!(opened(&sketch("1/2")), 0, "it knows its own listing");
    assert_eq!(opened(&sketch("2/2")), 0, "the first shard lies beside it");
    assert_eq!(opened(&sketch("1/3")), files, "no shard of three does");
    let dirs = [1, 2].map(|n| shard_dir(&place, n, 2));
    let golden = beside(&place);
    golden.run();

    // A machine with copies opens those only whose time of modification is another one.
    let copies = beside(&place);
    keep_times(&place.path("crawl"), &copies.path("crawl"));
    let page = fs::read(copies.path("crawl/part-0.jsonl")).expect("a file");
    copies.write("crawl/part-0.jsonl", &page);
    let mut command = copies.command(&["run", "-v", "--adopt"]);
    let ran = Ran(command.args(&dirs).output().expect("the program starts"));
    assert_eq!(opened(&ran), 1);
    assert!(copies.published() == golden.published());
    // A file that is another one is found, in a shard that is made again, too.
    place.write("crawl/tree/page", "<html>now it is a page</html>");
    assert_eq!(opened(&sketch("1/2")), 1);
    refused(&place, &dirs, 3, &["2-of-2", "tree/page is new"]);
    assert_eq!(opened(&sketch("2/2")), 1);
    adopt(&place, &dirs).exits(0);
    let golden = beside(&place);
    golden.run();
    assert!(place.published() == golden.published());
}

/// Lists of the input in the directory of a shard.
fn lists(dir: &Path) -> usize {
    let names = files_below(dir).into_keys();
    let is_list = |name: &String| name.starts_with("inputs-") && name.ends_with(".json");
    names.filter(is_list).count()
}

#[test]
fn a_shard_beside_another_writes_the_list_of_files_only_once_it_has_read_some() {
    let place = Place::with_corpus(36, 40);
    place.write("crawl/large.jsonl", large_file());
    let golden = beside(&place);
    golden.run();
    place.pipeline(&["sketch", "-q", "--shard", "1/2"]).exits(0);
    let dirs = [1, 2].map(|n| shard_dir(&place, n, 2));
    let mut begun = 0;
    for nth in 1.. {
        let mut command = place.command(&["sketch", "-q", "--shard", "2/2"]);
        command.env("PIPELINE_FAULT", format!("kill:any:{nth}"));
        if command.status().expect("runs").success() {
            break;
        }
        if dirs[1].join("manifest.json").is_file() && lists(&dirs[1]) == 0 {
            let words = ["2-of-2", "not finished", "pipeline sketch --shard 2/2"];
            refused(&place, &dirs, 2, &words);
            begun += 1;
        }
    }
    assert!(begun > 3, "killed {begun} times while it read");
    assert_eq!(dirs.each_ref().map(|dir| lists(dir)), [1, 1]);
    adopt(&place, &dirs).exits(0);
    assert!(place.published() == golden.published());
}

#[test]
fn shards_of_other_parameters_or_files_are_refused_by_name() {
    let (place, dirs) = two_shards();
    let again = "pipeline sketch --shard 1/2";
    place.config(&["sketch.seed = \"another\""]);
    refused(&place, &dirs, 2, &["1-of-2", "seed-digest was", again]);
    place.config(&["sketch.shingle-size = 7"]);
    refused(
        &place,
        &dirs,
        2,
        &["1-of-2", "shingle-size was 10, is 7", again],
    );
    place.config(&[]);
    // Touched only: its bytes are read again, and they are the same.
    let part = fs::read(place.path("crawl/part-0.jsonl")).expect("a file");
    place.write("crawl/part-0.jsonl", &part);
    // As many bytes, but others.
    let other = fs::read_to_string(place.path("crawl/part-1.jsonl")).expect("a file");
    let first = other.replacen('e', "o", 1);
    assert_ne!(first, other);
    place.write("crawl/part-1.jsonl", &first);
    refused(
        &place,
        &dirs,
        3,
        &["-of-2", "part-1.jsonl has other bytes here"],
    );
    place.write("crawl/part-1.jsonl", other.clone() + "\n");
    refused(&place, &dirs, 3, &["1-of-2", "part-1.jsonl changed", again]);
    place.write("crawl/part-1.jsonl", &other);
    place.write("crawl/part-9.jsonl", &other);
    refused(&place, &dirs, 3, &["1-of-2", "part-9.jsonl is new", again]);
    fs::remove_file(place.path("crawl/part-9.jsonl")).expect("removed");
    adopt(&place, &dirs).exits(0);
}

#[test]
fn a_damaged_shard_is_named_and_made_again() {
    let (place, dirs) = two_shards();
    let sketches = fs::read_dir(dirs[0].join("sketch"))
        .expect("a directory")
        .map(|entry| entry.expect("an entry").path())
        .find(|path| path.extension().is_some_and(|end| end == "sketches"));
    let path = sketches.expect("sketches");
    let mut bytes = fs::read(&path).expect("a file");
    bytes.truncate(bytes.len() - 9);
    fs::write(&path, bytes).expect("cut");
    let ran = adopt(&place, &dirs);
    ran.exits(5);
    ran.says("1-of-2");
    ran.says("pipeline sketch");
    fs::remove_dir_all(&dirs[0]).expect("removed");
    place.pipeline(&["sketch", "-q", "--shard", "1/2"]).exits(0);
    adopt(&place, &dirs).exits(0);
    let golden = beside(&place);
    golden.run();
    assert!(place.published() == golden.published());
}

#[test]
fn a_shard_with_a_file_missing_is_refused_before_anything_is_written() {
    let (place, dirs) = two_shards();
    for dir in &dirs {
        for name in files_below(&dir.join("sketch")).into_keys() {
            let (path, aside) = (dir.join("sketch").join(&name), place.path("aside"));
            fs::rename(&path, &aside).expect("moved");
            let missing = format!("its file sketch/{name} is missing");
            refused(&place, &dirs, 2, &[&missing, "`pipeline sketch --shard "]);
            fs::rename(&aside, &path).expect("moved back");
        }
    }
    adopt(&place, &dirs).exits(0);
}

/// Shards may be removed after a run, and so may the place to which their links lead.
#[test]
fn of_a_shard_of_symbolic_links_the_files_are_adopted() {
    let (place, dirs) = two_shards();
    let aside = place.path("aside");
    fs::create_dir(&aside).expect("made");
    for dir in &dirs {
        for name in files_below(&dir.join("sketch")).into_keys() {
            let path = dir.join("sketch").join(&name);
            fs::rename(&path, aside.join(&name)).expect("moved");
            std::os::unix::fs::symlink(aside.join(&name), &path).expect("a link");
        }
    }
    adopt(&place, &dirs).exits(0);
    for name in files_below(&aside).into_keys() {
        let inode = |path: &Path| path.symlink_metadata().expect("a file").ino();
        let adopted = place.path("work/sketch").join(&name);
        assert_eq!(inode(&adopted), inode(&aside.join(&name)), "{name}");
    }
    fs::remove_dir_all(&aside).expect("removed");
    fs::remove_dir_all(place.path("work.shards")).expect("removed");
    place.pipeline(&["verify"]).exits(0);
}

#[test]
fn shards_are_refused_where_they_make_no_sense() {
    let (place, dirs) = two_shards();
    for shard in ["0/2", "3/2", "2", "a/b"] {
        place.pipeline(&["sketch", "--shard", shard]).exits(2);
    }
    let ran = Ran(adopting(&place, &dirs)
        .args(["--from", "sort"])
        .output()
        .expect("starts"));
    ran.exits(2);
    ran.says("--adopt is for phase sketch");
    // The input is not there.
    fs::rename(place.path("crawl"), place.path("elsewhere")).expect("moved");
    let ran = Ran(place
        .command(&["run", "--adopt"])
        .args(&dirs)
        .output()
        .expect("starts"));
    assert_ne!(ran.code(), Some(0));
    ran.says("--adopt needs the input at the same paths");
    assert!(!place.path("work").exists());

    // Also where everything is up to date.
    let done = Place::with_corpus(77, 5);
    done.run();
    let ran = done.pipeline(&["run", "--adopt", "nosuch"]);
    ran.exits(2);
    ran.says("failed to adopt nosuch: there is no such directory");

    let snapshots = Place::new();
    snapshots.write(
        "pipeline.toml",
        "version = 1\n[snapshots]\npath = \"crawls/{name}\"\n[sketch]\nseed = \"tests\"\n",
    );
    for arguments in [["sketch", "--shard", "1/2"], ["run", "--adopt", "x"]] {
        let ran = snapshots.pipeline(&arguments);
        ran.exits(2);
        ran.says("only the files of paths in [input] are divided into shards");
    }
    assert!(!snapshots.path("work.shards").exists());
}

/// Files that a run links are still those of their writers.
#[test]
fn a_shard_that_others_may_write_to_is_refused_unless_they_are_trusted() {
    use std::os::unix::fs::PermissionsExt;
    let (place, shards) = two_shards();
    let allow = |mode| {
        let permissions = std::fs::Permissions::from_mode(mode);
        std::fs::set_permissions(&shards[1], permissions).expect("set");
    };
    allow(0o777);
    refused(&place, &shards, 2, &["2-of-2 may be written to by others"]);
    let mut trusted = adopting(&place, &shards);
    trusted.args(["--set", "work.shared=true", "--until", "sketch"]);
    Ran(trusted.output().expect("the program starts")).exits(0);
    allow(0o755);
    adopt(&place, &shards).exits(0);
}
