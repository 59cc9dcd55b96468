//! The snapshots that a run adds, their order, and the record of each.

use super::super::{
    Intake, SnapshotAdd, SnapshotState, snapshot_add, snapshot_drop, snapshot_list, store,
};
use super::lists;
use crate::{Error, Reporter};
use config::{self, Config};
use format::InputFile;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// A directory with a configuration.
struct Site(tempfile::TempDir);

impl Site {
    fn new(snapshots: &str) -> Site {
        let site = Site(tempfile::tempdir().unwrap());
        site.write(
            "pipeline.toml",
            format!("version = 1\n[sketch]\nseed = \"s\"\n[snapshots]\n{snapshots}\n"),
        );
        site
    }

    fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        let path = self.0.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    /// A complete crawl of one page.
    fn crawl(&self, name: &str) {
        self.write(&format!("crawls/{name}/page.html"), format!("<html>{name}"));
        self.write(&format!("crawls/{name}/_SUCCESS"), "");
    }

    fn config(&self) -> Config {
        config::load(&self.0.path().join("pipeline.toml")).unwrap()
    }

    fn scan(&self) -> Intake {
        Intake::scan(&self.config(), &format::Manifest::default()).unwrap()
    }

    /// Finds and records the snapshots like a run.
    fn persisted(&self) -> Vec<(u32, String)> {
        let mut intake = self.scan();
        intake.persist(&self.config()).unwrap();
        live(&intake)
    }

    fn add(&self, name: &str, path: &str) -> Result<(), Error> {
        let add = SnapshotAdd {
            name: name.to_owned(),
            paths: vec![self.0.path().join(path)],
            date: None,
        };
        snapshot_add(&self.config(), &add, &Reporter::silent()).map(drop)
    }

    fn list(&self) -> String {
        fs::read_to_string(self.0.path().join("snapshots.toml")).unwrap_or_default()
    }
}

fn live(intake: &Intake) -> Vec<(u32, String)> {
    intake
        .inputs
        .snapshots
        .iter()
        .map(|one| (one.number, one.name.clone()))
        .collect()
}

fn named(snapshots: &[(u32, &str)]) -> Vec<(u32, String)> {
    snapshots
        .iter()
        .map(|(number, name)| (*number, (*name).to_owned()))
        .collect()
}

const PATH: &str = "path = \"crawls/{name}/\"";

#[test]
fn what_is_complete_is_taken_in_in_the_order_of_names_and_never_again() {
    let site = Site::new(PATH);
    for name in ["b", "a", "c"] {
        site.crawl(name);
    }
    fs::remove_file(site.0.path().join("crawls/c/_SUCCESS")).unwrap();
    std::os::unix::fs::symlink("b", site.0.path().join("crawls/latest")).unwrap();
    site.write("crawls/file", "x");
    site.write("crawls/.tmp/_SUCCESS", "");
    assert_eq!(live(&site.scan()), named(&[(1, "a"), (2, "b")]));
    assert_eq!(site.list(), "", "looking changes nothing");
    assert_eq!(site.persisted(), named(&[(1, "a"), (2, "b")]));
    let list = site.list();
    assert_eq!(site.persisted(), named(&[(1, "a"), (2, "b")]));
    assert_eq!(site.list(), list);
    let files = lists(site.0.path());
    assert_eq!(files.len(), 2);
    for text in files.values() {
        assert_eq!(
            text,
            "{\"name\":\"page.html\",\"format\":\"html\",\"bytes\":7}\n"
        );
    }

    site.crawl("c");
    site.crawl("A");
    let mut intake = site.scan();
    assert_eq!(
        live(&intake),
        named(&[(1, "a"), (2, "b"), (3, "A"), (4, "c")])
    );
    assert!(
        intake
            .notes
            .iter()
            .any(|note| note.contains("A (number 3) is added after b")),
        "{:?}",
        intake.notes
    );
    intake.persist(&site.config()).unwrap();
    assert!(
        site.list()
            .starts_with(list.split_once("last-number").unwrap().0)
    );
    snapshot_drop(&site.config(), "b").unwrap();
    assert_eq!(site.persisted(), named(&[(1, "a"), (3, "A"), (4, "c")]));
}

#[test]
fn the_name_is_what_lies_between_prefix_and_suffix() {
    let site = Site::new("path = \"crawls/site-{name}.d/warc\"\nready = \"done\"");
    for (directory, ready) in [
        ("site-x.d", "warc/done"),
        ("site-.d", "warc/done"),
        ("other-y.d", "warc/done"),
        ("site-z.d", "done"),
    ] {
        site.write(&format!("crawls/{directory}/warc/a.txt"), "text");
        site.write(&format!("crawls/{directory}/{ready}"), "now");
    }
    site.write(&format!("crawls/site-{}.d/warc/done", "n".repeat(201)), "");
    fs::create_dir_all(
        site.0
            .path()
            .join(Path::new("crawls").join(std::ffi::OsStr::from_bytes(b"site-\xff.d"))),
    )
    .unwrap();
    let intake = site.scan();
    assert_eq!(live(&intake), named(&[(1, "x")]));
    assert!(
        intake
            .notes
            .iter()
            .any(|note| note.contains("more than 200 bytes")),
        "{:?}",
        intake.notes
    );
    let listing = &intake.inputs.listing;
    assert_eq!(
        listing.files.len() + listing.rejected.len(),
        1,
        "the ready file is no input: {listing:?}"
    );
}

#[test]
fn beyond_keep_the_oldest_are_dropped() {
    let site = Site::new(&format!("{PATH}\nkeep = 2"));
    for name in ["1", "2", "3", "4"] {
        site.crawl(name);
    }
    let left_out = site
        .scan()
        .notes
        .iter()
        .filter(|note| note.contains("is not read: keep = 2"))
        .count();
    assert_eq!(left_out, 2, "they are not even listed");
    assert_eq!(site.persisted(), named(&[(3, "3"), (4, "4")]));
    site.crawl("5");
    let intake = site.scan();
    assert!(
        intake
            .notes
            .iter()
            .any(|note| note.contains("3 (number 3) is dropped for good: keep = 2")),
        "{:?}",
        intake.notes
    );
    assert_eq!(site.persisted(), named(&[(4, "4"), (5, "5")]));
    // By hand or by itself: it is not taken in again.
    snapshot_drop(&site.config(), "5").unwrap();
    assert_eq!(site.persisted(), named(&[(4, "4")]));
    let rows = snapshot_list(&site.config(), &Reporter::silent())
        .unwrap()
        .snapshots;
    let states: Vec<_> = rows.iter().map(|row| row.state).collect();
    use SnapshotState::{Dropped, Found, New};
    assert_eq!(states, [Dropped, Dropped, Dropped, New, Dropped]);
    site.crawl("6");
    let rows = snapshot_list(&site.config(), &Reporter::silent())
        .unwrap()
        .snapshots;
    assert_eq!((rows[5].state, rows[5].number), (Found, None));
}

#[test]
fn a_late_old_crawl_drops_no_newer_one() {
    let site = Site::new(&format!("{PATH}\nkeep = 2"));
    site.crawl("2026-01-02");
    site.crawl("2026-01-04");
    site.persisted();
    site.crawl("2026-01-01");
    site.crawl("2026-01-03");
    let notes = site.scan().notes;
    for expected in [
        "2026-01-01 (number 3) is not read: keep = 2 in [snapshots], and as many are newer",
        "2026-01-03 (number 4) is added after 2026-01-04",
        "2026-01-02 (number 1) is dropped for good: keep = 2",
    ] {
        assert!(
            notes.iter().any(|note| note.contains(expected)),
            "{notes:?}"
        );
    }
    let kept = named(&[(2, "2026-01-04"), (4, "2026-01-03")]);
    assert_eq!(site.persisted(), kept);
    // The next one drops the late one, which was added last and is the oldest.
    site.crawl("2026-01-05");
    let kept = named(&[(2, "2026-01-04"), (5, "2026-01-05")]);
    assert_eq!(site.persisted(), kept);
    // Where one has no date, the order of arrival decides.
    site.crawl("rest");
    assert_eq!(site.persisted(), named(&[(5, "2026-01-05"), (6, "rest")]));
    // A directory without a page takes nobody's place.
    site.write("crawls/zero/_SUCCESS", "");
    site.crawl("two");
    site.crawl("x");
    assert_eq!(site.persisted(), named(&[(7, "two"), (8, "x")]));
}

#[test]
fn an_empty_night_stops_no_other() {
    let site = Site::new(PATH);
    site.write("crawls/1/_SUCCESS", "");
    site.write("crawls/2/_SUCCESS", "");
    site.write("crawls/2/style.css", "body {}");
    site.crawl("3");
    let intake = site.scan();
    assert_eq!(live(&intake), named(&[(1, "3")]));
    let passed = intake
        .notes
        .iter()
        .filter(|note| note.contains("no file in it can be read"))
        .count();
    assert_eq!(passed, 2, "{:?}", intake.notes);
}

#[test]
fn nothing_to_work_on_says_what_is_missing() {
    let site = Site::new(PATH);
    let mut intake = site.scan();
    assert!(intake.inputs.snapshots.is_empty());
    assert!(
        intake
            .notes
            .iter()
            .any(|note| note.contains("crawls does not exist") || note.contains("crawls/ does not"))
    );
    let error = intake.take_inputs(&site.config()).unwrap_err();
    assert!(
        error.exit_code() == 1 && error.to_string().contains("_SUCCESS"),
        "{error}"
    );
}

#[test]
fn files_that_differ_are_named_and_the_listing_has_them_as_they_were() {
    let site = Site::new("");
    let odd = Path::new("in").join(std::ffi::OsStr::from_bytes(b"caf\xe9.html"));
    for name in [
        Path::new("in/a.html"),
        Path::new("in/b.html"),
        odd.as_path(),
    ] {
        fs::create_dir_all(site.0.path().join("in")).unwrap();
        fs::write(site.0.path().join(name), "<html>x").unwrap();
    }
    site.write("in/x.css", "body {}");
    site.add("one", "in").unwrap();
    let before = site.scan();
    assert!(before.inputs.snapshots[0].different.is_empty());
    let plain = input::Discovery {
        paths: vec!["in".into()],
        base: site.0.path().into(),
        sources: Vec::new(),
        format: site.config().input.format,
        passed_over: Default::default(),
    };
    let listed = input::discover(&plain).unwrap();
    let mut rejected = listed.rejected.clone();
    rejected.iter_mut().for_each(|file| file.stat = None);
    assert_eq!(before.inputs.listing.rejected, rejected);
    let names = |listing: &input::Listing| {
        listing
            .files
            .iter()
            .map(|file| (file.name.clone(), file.stat.inode))
            .collect::<Vec<_>>()
    };
    assert_eq!(names(&before.inputs.listing), names(&listed));

    site.write("in/a.html", "<html>longer");
    site.write("in/new.html", "<html>");
    fs::remove_file(site.0.path().join(&odd)).unwrap();
    let mut after = site.scan();
    let expected = [
        ("a.html", "has 12 bytes, but had 7 when it was added"),
        ("caf\\xE9.html", "is gone"),
    ];
    assert_eq!(
        after.inputs.snapshots[0].different,
        expected.map(|(name, what)| (name.to_owned(), what.to_owned()))
    );
    let sizes: Vec<u64> = after
        .inputs
        .listing
        .files
        .iter()
        .map(|file| file.stat.bytes)
        .collect();
    assert_eq!(sizes, [7, 7, 7]);
    let inputs = after.take_inputs(&site.config()).unwrap();
    let error = inputs.snapshots[0].check().unwrap_err();
    let told = error.to_string();
    assert!(
        error.exit_code() == 3
            && told.contains("\"a.html\" has 12 bytes")
            && told.contains("and 1 more"),
        "{told}"
    );
    assert!(told.contains("pipeline snapshot drop one"), "{told}");
}

#[test]
fn what_a_run_notes_is_put_down_and_another_digest_is_refused() {
    let site = Site::new(PATH);
    site.crawl("a");
    site.crawl("b");
    let config = site.config();
    let mut intake = site.scan();
    intake.persist(&config).unwrap();
    let read = |digest: &str| {
        let file = &site.scan().inputs.listing.files[0];
        vec![InputFile {
            digest: digest.to_owned(),
            ..crate::intake::manifest::input_file(file)
        }]
    };
    intake.record(1, &read("00000000000000aa"), 5).unwrap();
    intake.persist(&config).unwrap();
    let files = lists(site.0.path());
    assert_eq!(files.len(), 2, "the list without a digest is removed");
    let digests = files.values().map(|text| text.matches("digest").count());
    assert_eq!(digests.sum::<usize>(), 1);
    assert!(site.list().contains("documents = 5"));
    let modified = fs::metadata(site.0.path().join("snapshots.toml"))
        .unwrap()
        .modified()
        .unwrap();
    let mut again = site.scan();
    again.record(1, &read("00000000000000aa"), 5).unwrap();
    again.persist(&config).unwrap();
    let now = fs::metadata(site.0.path().join("snapshots.toml"))
        .unwrap()
        .modified()
        .unwrap();
    assert_eq!(modified, now, "the same is not written again");
    let refused = again.record(1, &read("00000000000000ab"), 5).unwrap_err();
    assert!(
        refused
            .to_string()
            .contains("\"page.html\" has other bytes"),
        "{refused}"
    );
    assert!(
        again
            .record(1, &[], 5)
            .unwrap_err()
            .to_string()
            .contains("page.html")
    );
    again.record(2, &read("00000000000000ac"), 6).unwrap();
    assert_eq!(again.list.as_ref().unwrap().snapshots[1].documents, Some(6));
    let mut plain = Intake {
        list: None,
        inputs: Default::default(),
        notes: Vec::new(),
        unknown_files: 0,
    };
    plain.record(0, &[], 7).unwrap();
}

#[test]
fn nobody_undoes_what_another_process_did() {
    let site = Site::new(PATH);
    site.crawl("a");
    site.write("in/x.txt", "text");
    let mut intake = site.scan();
    assert!(intake.is_current(&site.config()).unwrap());
    site.add("other", "in").unwrap();
    let list = site.list();
    assert!(!intake.is_current(&site.config()).unwrap());
    let error = intake.persist(&site.config()).unwrap_err();
    assert!(
        error.to_string().contains("another process has changed it"),
        "{error}"
    );
    assert_eq!(site.list(), list);
    assert_eq!(site.persisted(), named(&[(1, "other"), (2, "a")]));
}

#[test]
fn a_link_stays_a_link_and_only_a_file_is_a_list() {
    let site = Site::new("");
    site.write("in/x.txt", "text");
    site.write("elsewhere/list.toml", "version = 2\nlast-number = 0\n");
    let link = site.0.path().join("snapshots.toml");
    std::os::unix::fs::symlink("elsewhere/list.toml", &link).unwrap();
    site.add("one", "in").unwrap();
    assert!(link.symlink_metadata().unwrap().is_symlink());
    assert!(
        fs::read_to_string(site.0.path().join("elsewhere/list.toml"))
            .unwrap()
            .contains("name = \"one\"")
    );
    assert!(site.0.path().join("elsewhere/list.d").is_dir());
    assert!(!site.0.path().join("snapshots.d").exists());
    assert_eq!(live(&site.scan()), named(&[(1, "one")]));
    fs::remove_file(site.0.path().join("elsewhere/list.toml")).unwrap();
    assert!(
        store::load(&link)
            .unwrap_err()
            .to_string()
            .contains("snapshots.toml"),
        "a link to nothing"
    );
    fs::remove_file(&link).unwrap();
    fs::create_dir(&link).unwrap();
    assert_eq!(store::load(&link).unwrap_err().exit_code(), 2);
}

/// The directory beside the list may be one that the user has filled: a link can lead anywhere.
#[test]
fn only_lists_are_removed_from_their_directory() {
    let site = Site::new("");
    site.write("in/x.txt", "text");
    site.write("elsewhere/conf.toml", "version = 2\nlast-number = 0\n");
    let link = site.0.path().join("snapshots.toml");
    std::os::unix::fs::symlink("elsewhere/conf.toml", link).unwrap();
    let checksum = "0123456789abcdef";
    let of_user = [
        "2026-01-31.jsonl".to_owned(),
        "1-pages.jsonl".to_owned(),
        "1-pages.jsonl.part".to_owned(),
        format!("01-pages-{checksum}.jsonl"),
        format!("+1-pages-{checksum}.jsonl"),
        format!("0-pages-{checksum}.jsonl"),
        format!("1-{checksum}.jsonl"),
        format!("1--{checksum}.jsonl"),
        format!("1-pages-{checksum}0.jsonl"),
        "1-pages-0123456789ABCDEF.jsonl".to_owned(),
        format!("1-pages-{checksum}.json"),
    ];
    let left_over = [
        format!("7-pages-{checksum}.jsonl"),
        format!("7-two-words-{checksum}.jsonl.part"),
    ];
    for name in of_user.iter().chain(&left_over) {
        site.write(&format!("elsewhere/conf.d/{name}"), "{}\n");
    }
    site.add("one", "in").unwrap();
    let is_there = |name: &String| site.0.path().join("elsewhere/conf.d").join(name).exists();
    let gone: Vec<_> = of_user.iter().filter(|name| !is_there(name)).collect();
    assert!(gone.is_empty(), "{gone:?}");
    assert!(!left_over.iter().any(is_there));
}

#[test]
fn what_lies_among_the_lists_is_no_input() {
    let site = Site::new("");
    site.write("in/x.jsonl", "{\"text\":\"x\"}\n");
    site.write("snapshots.d/2026-01-31.jsonl", "{\"text\":\"x\"}\n");
    site.write("snapshots.d/more/a.jsonl", "{\"text\":\"x\"}\n");
    std::os::unix::fs::symlink("snapshots.d/more", site.0.path().join("link")).unwrap();
    for path in [
        "snapshots.d/2026-01-31.jsonl",
        "snapshots.d",
        "snapshots.d/*.jsonl",
        "s*/*.jsonl",
        "link",
    ] {
        let error = site.add("one", path).unwrap_err();
        assert_eq!(error.exit_code(), 2, "{error}");
        let told = error.to_string();
        assert!(told.contains("where the lists of files are kept"), "{told}");
        assert!(told.contains("put it elsewhere"), "{told}");
    }
    assert_eq!(site.list(), "");
    site.add("one", "in").unwrap();
    site.add("two", "i*/*.jsonl").unwrap();
}
