//! Night after night: what a run publishes that goes on from the one before is what a run from
//! scratch publishes.

use crate::dense_clusters::near_equal_pages;
use crate::harness::{Place, Ran};
use std::collections::BTreeMap;
use std::fs;
use testkit::{Random, TextCorpus, TextShape};

const PAGES: u32 = 60;

/// A place whose crawls come night by night.
pub(crate) struct Nights {
    pub(crate) place: Place,
    corpus: Vec<String>,
    night: u32,
}

impl Nights {
    pub(crate) fn new(seed: u64) -> Nights {
        let shape = TextShape {
            pages: PAGES,
            ..TextShape::default()
        };
        let mut bytes = Vec::new();
        TextCorpus::new(seed, shape)
            .write_jsonl(&mut bytes)
            .expect("a corpus");
        let corpus = String::from_utf8(bytes)
            .expect("text")
            .lines()
            .map(str::to_owned)
            .collect();
        Nights {
            place: Place::new(),
            corpus,
            night: 0,
        }
    }

    pub(crate) fn configure(&self, limit: u64, keep: u64) {
        self.place.write(
            "pipeline.toml",
            format!(
                "version = 1\n[snapshots]\npath = \"crawls/{{name}}/\"\nready = \"_SUCCESS\"\nkeep = {keep}\n\
                 [work]\nmemory = \"64MiB\"\n[sketch]\nseed = \"nights\"\n[pairs]\ncommon-shingle-limit = {limit}\n"
            ),
        );
    }

    /// A crawl of some pages, most of them as they were.
    pub(crate) fn crawl(&mut self, random: &mut Random) {
        self.night += 1;
        let mut lines = String::new();
        for (number, line) in self.corpus.iter().enumerate() {
            if random.chance(300) {
                continue;
            }
            if random.chance(100) {
                let other = random.index(self.corpus.len());
                lines += &self.corpus[other];
            } else if random.chance(100) {
                lines += &line.replacen(
                    "\"text\":\"",
                    &format!("\"text\":\"night{} page{number} ", self.night),
                    1,
                );
            } else {
                lines += line;
            }
            lines.push('\n');
        }
        let directory = format!("crawls/night-{:02}", self.night);
        self.place.write(&format!("{directory}/pages.jsonl"), lines);
        self.place
            .write(&format!("{directory}/junk.bin"), [0, 1, 2]);
        self.place.write(&format!("{directory}/_SUCCESS"), "");
    }

    /// The tables of a run with the same list of snapshots and an empty work directory.
    fn anew(&self) -> BTreeMap<String, Vec<u8>> {
        let other = Place::new();
        for name in ["pipeline.toml", "snapshots.toml"] {
            other.write(name, fs::read(self.place.path(name)).expect("a file"));
        }
        for directory in ["crawls", "snapshots.d"] {
            for (name, bytes) in crate::harness::files_below(&self.place.path(directory)) {
                other.write(&format!("{directory}/{name}"), bytes);
            }
        }
        other.run();
        tables(&other)
    }
}

/// What is published but for the index, which numbers what is dropped, too.
fn tables(place: &Place) -> BTreeMap<String, Vec<u8>> {
    let mut published = place.published();
    published.retain(|name, _| !name.starts_with("index/"));
    published
}

pub(crate) fn with_fault(place: &Place, fault: &str) -> Ran {
    let mut command = place.command(&["run", "-q"]);
    command.env("PIPELINE_FAULT", fault);
    Ran(command.output().expect("the program starts"))
}

#[test]
fn every_night_gives_the_bytes_of_a_run_from_scratch_whatever_was_killed() {
    // PIPELINE_NIGHTS_CASES runs more.
    let cases = std::env::var("PIPELINE_NIGHTS_CASES")
        .ok()
        .and_then(|n| n.parse().ok())
        .unwrap_or(4);
    let (mut kills, mut levels) = (0, 0);
    for seed in 0..cases {
        let mut random = Random::new(seed);
        let mut nights = Nights::new(seed);
        let (mut limit, keep) = (random.within(3, 40), random.within(2, 4));
        for night in 0..6 {
            if random.chance(150) {
                limit = random.within(3, 40);
            }
            nights.configure(limit, keep);
            nights.crawl(&mut random);
            if random.chance(400) {
                let ran = with_fault(
                    &nights.place,
                    &format!("kill:any:{}", random.within(1, 160)),
                );
                kills += u32::from(!ran.0.status.success());
            }
            nights.place.run();
            nights.place.run().says("nothing new");
            let context = format!("seed {seed}, night {night}, limit {limit}, keep {keep}");
            let (found, expected) = (tables(&nights.place), nights.anew());
            let names =
                |tables: &BTreeMap<String, Vec<u8>>| tables.keys().cloned().collect::<Vec<_>>();
            assert_eq!(names(&found), names(&expected), "{context}");
            for (name, bytes) in &found {
                assert!(*bytes == expected[name], "{name} is another; {context}");
            }
            nights.place.pipeline(&["verify"]).exits(0);
            let postings = fs::read_dir(nights.place.path("work/sort")).expect("a directory");
            levels = levels.max(postings.filter(|file| is_postings(file.as_ref())).count());
        }
    }
    assert!(
        kills > 0 && levels > 2,
        "{kills} kills, {levels} files of postings: nothing was tried"
    );
}

#[test]
fn a_dense_cluster_that_grows_is_published_as_from_scratch() {
    let mut nights = Nights::new(3);
    nights.configure(1000, 9);
    let pages = near_equal_pages(1, 120);
    let mut published = Vec::new();
    for crawl in [&pages[..30], &pages[20..70], &pages[60..]] {
        nights.corpus = crawl.to_vec();
        nights.crawl(&mut Random::new(1));
        nights.place.run();
        assert!(tables(&nights.place) == nights.anew());
        let pairs = nights.place.rows("pairs").len();
        let links = fs::read(nights.place.path("out/report.json")).expect("a report");
        let links: serde_json::Value = serde_json::from_slice(&links).expect("JSON");
        assert_eq!(links["clusters"]["published_links"], pairs);
        published.push(links["clusters"]["links"] == pairs);
    }
    assert_eq!(published, [true, false, false], "all links are listed");
}

fn is_postings(file: Result<&fs::DirEntry, &std::io::Error>) -> bool {
    file.is_ok_and(|file| file.file_name().to_string_lossy().starts_with("postings-"))
}

#[test]
fn copies_of_snapshots_lie_in_directories_of_their_names() {
    let mut random = Random::new(7);
    let mut nights = Nights::new(7);
    nights.configure(1000, 9);
    for _ in 0..2 {
        nights.crawl(&mut random);
        nights.place.run();
    }
    let place = &nights.place;
    place.pipeline(&["dedup", "-o", "copies"]).exits(0);
    let of = |copies: &str| {
        let files = crate::harness::files_below(&place.path(copies)).into_keys();
        files
            .filter(|name| name.starts_with("data/"))
            .collect::<Vec<_>>()
    };
    assert_eq!(
        of("copies"),
        ["data/night-01/pages.jsonl", "data/night-02/pages.jsonl"]
    );
    place
        .pipeline(&["dedup", "--against", "night-01", "-o", "news"])
        .exits(0);
    assert_eq!(of("news"), ["data/night-02/pages.jsonl"]);
    let unknown = place.pipeline(&["dedup", "--against", "night-03", "-o", "none"]);
    unknown.exits(2);
    unknown.says("no snapshot \"night-03\"; known snapshots: night-01, night-02");

    // What a run does not look at again, a copy does.
    let name = "crawls/night-01/pages.jsonl";
    let text = fs::read_to_string(place.path(name)).expect("text");
    place.write(name, text.replacen('e', "x", 1));
    place.run().says("nothing new");
    let refused = place.pipeline(&["dedup", "-o", "other"]);
    refused.exits(3);
    refused.says("pages.jsonl changed since snapshot night-01 was read");
    refused.says("`pipeline snapshot drop night-01`");
    let advice = "restore the file, or drop the snapshot with `pipeline snapshot drop night-01`";
    let read_again = ["dedup -o other", "explain 4294967296 4294967297"];
    let refuses = |question: &str, what: &str| {
        let words: Vec<&str> = question.split(' ').collect();
        let refused = place.pipeline(&words);
        refused.exits(3);
        refused.says(what);
        refused.says(advice);
    };
    refuses("dedup -o other", "changed since snapshot night-01 was read");
    // A new night does not make the other bytes those that were read.
    place.write(
        "crawls/night-03/new.jsonl",
        "{\"id\":\"n\",\"text\":\"news of the third night\"}\n",
    );
    place
        .pipeline(&["snapshot", "add", "night-03", "crawls/night-03"])
        .exits(0);
    place.run();
    refuses("dedup -o other", "changed since snapshot night-01 was read");
    refuses(
        "dedup --lossless 1.0 -o other",
        "changed since snapshot night-01 was read",
    );
    // Another size, and no file.
    place.write(name, "");
    read_again
        .iter()
        .for_each(|question| refuses(question, "pages.jsonl"));
    fs::remove_file(place.path(name)).expect("removed");
    read_again
        .iter()
        .for_each(|question| refuses(question, "pages.jsonl"));
    assert!(!place.path("other").exists());
}
