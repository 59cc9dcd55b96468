//! A disk that fails once, at each read of an input file of each format: the program ends with 1
//! and names the file, and the next run has what one has that was not disturbed.

use crate::harness::{Place, Ran, files_below, repository};
use crate::read_errors::failing_by;
use rustix::io::Errno;
use std::collections::BTreeMap;
use std::fs;

/// A file of each format, and how many reads of it the sweep reaches at least.
const FILES: [(&str, u32); 8] = [
    ("parquet/crawl.parquet", 30),
    ("web/crawl-00000.warc.gz", 3),
    ("arc/crawl-00003.arc.gz", 3),
    ("wacz/crawl.wacz", 5),
    ("wet/crawl-00000.warc.wet.gz", 3),
    ("jsonl/crawl-00000.jsonl", 3),
    ("jsonl/crawl-00001.jsonl.gz", 3),
    ("tree/odd.example/ferry-five.html", 2),
];

/// A crawl of one file of the samples, and a configuration that takes it in. One thread: so the
/// reads have an order.
fn night_of(sample: &str) -> Place {
    let place = Place::new();
    let bytes = fs::read(repository().join("data-samples").join(sample)).expect("a sample");
    place.write(&format!("crawls/2026-01-01/{}", name_of(sample)), bytes);
    place.write("crawls/2026-01-01/READY", "");
    place.write(
        "pipeline.toml",
        "version = 1\n[snapshots]\npath = \"crawls/{name}/\"\nready = \"READY\"\n\
         [sketch]\nseed = \"tests\"\n[work]\nmemory = \"64MiB\"\nthreads = 1\n",
    );
    place
}

fn name_of(sample: &str) -> &str {
    sample.rsplit('/').next().unwrap_or(sample)
}

/// What a run and a copy leave, but for what tells of runs.
fn results(place: &Place, directory: &str) -> BTreeMap<String, Vec<u8>> {
    let mut files = files_below(&place.path(directory));
    files.retain(|name, _| !name.starts_with("index/") && !name.ends_with("run.json"));
    files
}

/// Runs the program; the read of this number fails. None if there are fewer.
fn disturbed(place: &Place, sample: &str, read: u32, arguments: &[&str]) -> Option<Ran> {
    let _ = fs::remove_file(place.path("failed"));
    let count = read.to_string();
    let mark = place.path("failed").display().to_string();
    let variables = [
        ("READ_FAULT_FILE", name_of(sample)),
        ("READ_FAULT_AT", &count),
        ("READ_FAULT_MARK", &mark),
    ];
    let ran = failing_by(place, Errno::IO, &variables, arguments);
    place.path("failed").exists().then_some(ran)
}

#[test]
fn whichever_read_fails_a_night_takes_nothing_in_and_the_next_one_everything() {
    for (sample, reads_min) in FILES {
        let undisturbed = night_of(sample);
        undisturbed.pipeline(&["run", "-q"]).exits(0);
        let expected = results(&undisturbed, "out");
        let mut reads = 0;
        loop {
            let place = night_of(sample);
            let Some(ran) = disturbed(&place, sample, reads + 1, &["run", "-q"]) else {
                break;
            };
            reads += 1;
            ran.exits(1);
            ran.says(name_of(sample));
            assert!(!place.path("out").exists(), "{sample}, read {reads}");
            place.pipeline(&["run", "-q"]).exits(0);
            let found = results(&place, "out");
            assert!(found == expected, "{sample}, read {reads}");
        }
        assert!(reads >= reads_min, "{sample}: {reads} reads");
    }
}

#[test]
fn whichever_read_fails_a_copy_ends_and_the_next_one_is_whole() {
    for (sample, _) in FILES
        .into_iter()
        .filter(|(name, _)| !name.ends_with(".wacz"))
    {
        for mode in [
            &["dedup", "-q", "-o", "copy"][..],
            &["dedup", "-q", "--annotate", "-o", "copy"],
        ] {
            let undisturbed = night_of(sample);
            undisturbed.pipeline(&["run", "-q"]).exits(0);
            undisturbed.pipeline(mode).exits(0);
            let expected = results(&undisturbed, "copy");
            let place = night_of(sample);
            place.pipeline(&["run", "-q"]).exits(0);
            let mut reads = 0;
            while let Some(ran) = disturbed(&place, sample, reads + 1, mode) {
                reads += 1;
                ran.exits(1);
                ran.says(name_of(sample));
                place.pipeline(mode).exits(0);
                let found = results(&place, "copy");
                assert!(found == expected, "{sample}, {mode:?}, read {reads}");
                fs::remove_dir_all(place.path("copy")).expect("a copy");
            }
        }
    }
}
