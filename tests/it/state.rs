//! What is taken over from an earlier run, and what must not be.

use crate::harness::{Place, Ran};

/// Stops the sketch phase at a failing sync, with some of many segments done.
fn with_parts(place: &Place) {
    for nth in (8..200).step_by(4) {
        let mut command = place.command(&["run", "-q"]);
        command.env("PIPELINE_FAULT", format!("error:sync:{nth}:5"));
        let failed = Ran(command.output().expect("the program starts"));
        let status = place.pipeline(&["status"]).stdout();
        if failed.code() != Some(0) && status.contains("parts of it are done") {
            return;
        }
        std::fs::remove_dir_all(place.path("work")).ok();
    }
    panic!("no failure left finished parts behind");
}

/// Pages in files so large that each is a segment of its own.
fn large_files(place: &Place) {
    for file in 0..7 {
        let text =
            format!("page {file} ").repeat(4) + &"of a long and winding text ".repeat(80_000);
        place.write(
            &format!("crawl/large-{file}.jsonl"),
            format!("{{\"text\": \"{text}\"}}\n"),
        );
    }
    place.config(&["work.threads = 1"]);
}

#[test]
fn parts_kept_from_another_listing_do_not_shift_the_sources() {
    let place = Place::new();
    large_files(&place);
    with_parts(&place);
    std::fs::remove_file(place.path("crawl/large-1.jsonl")).expect("removed");
    place.run();
    let resumed = place.published();
    std::fs::remove_dir_all(place.path("work")).expect("removed");
    place.run();
    assert!(
        resumed == place.published(),
        "a resumed run names other sources than a fresh one"
    );
}

#[test]
fn a_damaged_part_is_named_and_force_makes_it_anew() {
    let place = Place::new();
    large_files(&place);
    with_parts(&place);
    let path = place.path("work/sketch/segment-0-00000.documents");
    let mut bytes = std::fs::read(&path).expect("a part");
    let at = bytes.len() - 4;
    bytes[at] ^= 1;
    std::fs::write(&path, bytes).expect("written");
    let ran = place.pipeline(&["run"]);
    ran.exits(5);
    ran.says("segment-0-00000.documents");
    ran.says("pipeline run --from sketch --force");
    place
        .pipeline(&["run", "--from", "sketch", "--force"])
        .exits(0);
}

#[test]
fn a_work_directory_of_something_else_is_refused() {
    let place = Place::with_corpus(71, 10);
    place.write("work/keep.part/precious.txt", "mine");
    let ran = place.pipeline(&["run"]);
    ran.exits(2);
    ran.says("holds files, but not the file `lock` that this program makes");
    assert!(place.path("work/keep.part/precious.txt").exists());
    std::fs::remove_dir_all(place.path("work")).expect("removed");
    place.run();
    for name in [
        "work/sketch/notes.part",
        "work/download.part",
        "out.part/x",
        "out.d/mine.part/x",
    ] {
        place.write(name, "mine");
    }
    place.config(&["cluster.resemblance = 0.9"]);
    let ran = place.pipeline(&["run"]);
    for name in [
        "work/sketch/notes.part",
        "work/download.part",
        "out.part/x",
        "out.d/mine.part/x",
    ] {
        assert!(place.path(name).exists(), "{name} was removed");
    }
    assert_eq!(
        ran.code(),
        Some(1),
        "out.part is in the way: {}",
        ran.stderr()
    );
}

/// Writes the version of a build before this one into a page of JSON.
fn set_version(place: &Place, name: &str, version: u32) {
    let page = std::fs::read_to_string(place.path(name)).expect("a page");
    let (before, after) = page.split_once("\"version\":").expect("a version");
    let rest = after.trim_start_matches(|byte: char| byte.is_ascii_digit());
    place.write(name, format!("{before}\"version\":{version}{rest}"));
}

#[test]
fn files_of_another_format_are_refused_with_the_command_that_helps() {
    let place = Place::with_corpus(73, 20);
    place.run();
    let published = place.published();
    set_version(&place, "work/manifest.json", 5);
    set_version(&place, "out/index/index.json", 6);
    for verb in ["status", "verify", "run"] {
        let ran = place.pipeline(&[verb]);
        ran.exits(5);
        ran.says("format version is 5, expected 9");
        ran.says("remove it and run again");
    }
    let ran = place.pipeline(&["query", "url", "http://a.test/1"]);
    ran.exits(5);
    ran.says("index version is 6, expected 10; nor can the work directory work be used: remove it");
    std::fs::remove_dir_all(place.path("work")).expect("removed");
    let ran = place.pipeline(&["query", "url", "http://a.test/1"]);
    ran.exits(5);
    ran.says("index version is 6, expected 10; `pipeline run` makes it anew");
    place.run();
    assert!(published == place.published());
}

#[test]
fn a_link_to_another_publication_is_noticed() {
    let place = Place::with_corpus(72, 60);
    place.run();
    place.config(&["cluster.resemblance = 0.9"]);
    place.run();
    let second = place.published();
    std::fs::remove_file(place.path("out")).expect("removed");
    std::os::unix::fs::symlink("out.d/g000001", place.path("out")).expect("a link");
    assert!(second != place.published());
    let ran = place.pipeline(&["status"]);
    assert!(
        ran.stdout().contains("shows g000001, not g000002"),
        "{}",
        ran.stdout()
    );
    place.run();
    assert!(second == place.published());
}

#[test]
fn what_cannot_be_read_is_listed_whenever_it_comes_and_goes() {
    let place = Place::with_corpus(73, 20);
    place.run();
    let first = place.published();
    place.write("crawl/junk.bin", [0_u8, 1, 2, 3, 255]);
    place.run();
    let rejected = String::from_utf8(place.published()["rejected.jsonl"].clone()).expect("text");
    assert!(rejected.contains("junk.bin"), "{rejected}");
    place.pipeline(&["run", "--strict"]).exits(3);
    std::fs::remove_file(place.path("crawl/junk.bin")).expect("removed");
    place.run();
    assert!(first == place.published());
}

#[test]
fn a_list_of_files_beyond_the_budget_is_refused_and_not_held() {
    let place = Place::new();
    let name = "a-long-name-for-a-small-page".repeat(8);
    for n in 0..12_000 {
        place.write(&format!("crawl/{n}-{name}.txt"), "words");
    }
    place.config(&["input.max-document = \"64KiB\"", "work.memory = \"16MiB\""]);
    let ran = place.pipeline(&["run", "-q"]);
    // 12,000 names of some 230 bytes and their paths: 16 MiB do not hold them and a sort.
    assert!(matches!(ran.code(), Some(0 | 4)), "{}", ran.stderr());
    if ran.code() == Some(4) {
        ran.says("the list of input files");
    }
    place.config(&["work.memory = \"64MiB\""]);
    place.run();
    assert_eq!(place.rows("documents").len(), 12_000);
}
