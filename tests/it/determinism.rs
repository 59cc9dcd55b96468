//! Same snapshots and same semantic configuration: same bytes.

use crate::harness::{Place, published_in};

#[test]
fn threads_and_memory_change_no_byte() {
    let place = Place::with_corpus(11, 1200);
    let mut first = None;
    for threads in ["1", "2", "8"] {
        for memory in ["\"64MiB\"", "\"1GiB\""] {
            let (work, out) = (
                format!("\"work-{threads}\""),
                format!("\"out-{threads}-{}\"", memory.len()),
            );
            place.config(&[
                &format!("work.threads = {threads}"),
                &format!("work.memory = {memory}"),
                &format!("work.dir = {work}"),
                &format!("work.output = {out}"),
                "cluster.containment = 0.8",
            ]);
            std::fs::remove_dir_all(place.path(work.trim_matches('"'))).ok();
            place.run();
            let files = published_in(&place.path(out.trim_matches('"')));
            let tables = files
                .keys()
                .filter(|name| !name.starts_with("index/"))
                .count();
            assert_eq!(tables, 9, "{:?}", files.keys());
            match &first {
                None => first = Some(files),
                Some(first) => assert!(*first == files, "{threads} threads, {memory}: other bytes"),
            }
        }
    }
}

#[test]
fn another_seed_gives_other_sketches_and_the_same_seed_the_same() {
    let place = Place::with_corpus(12, 200);
    place.run();
    let first = place.published();
    place.config(&["sketch.seed = \"another\""]);
    place.run();
    assert!(first != place.published(), "the seed does not matter");
    place.config(&[]);
    place.run();
    assert!(
        first == place.published(),
        "the first seed gives other bytes now"
    );
}

#[test]
fn the_listing_order_of_directories_and_the_environment_do_not_matter() {
    let place = Place::with_corpus(13, 200);
    place.run();
    let first = place.published();
    // The same files, made in another order, and a run in another time zone and language.
    let files = crate::harness::files_below(&place.path("crawl"));
    std::fs::remove_dir_all(place.path("crawl")).expect("removed");
    std::fs::remove_dir_all(place.path("work")).expect("removed");
    for (name, bytes) in files.iter().rev() {
        place.write(&format!("crawl/{name}"), bytes);
    }
    let mut command = place.command(&["run", "-q"]);
    command
        .env("TZ", "Asia/Kathmandu")
        .env("LANG", "tr_TR.UTF-8")
        .env("LC_ALL", "tr_TR.UTF-8")
        .env("TMPDIR", "/nowhere");
    assert!(command.output().expect("runs").status.success());
    assert!(first == place.published(), "other bytes");
}

/// Two documents of so many words, of which the second begins with `kept` words of the first. Each
/// pair has its own words.
fn large_pair(pair: u32, words: u32, kept: u32) -> [String; 2] {
    let text = |from: u32, to: u32| -> String {
        let hash = |word: u32| (pair << 24 | word).wrapping_mul(0x9E37_79B9);
        (from..to)
            .map(|word| format!("{:x} ", hash(word)))
            .collect()
    };
    [
        text(0, words),
        text(0, kept) + &text(words, 2 * words - kept),
    ]
}

#[test]
fn documents_larger_than_a_piece_of_memory_are_compared_exactly() {
    let place = Place::new();
    // A set of 200,000 shingles is made in two pieces at 20 MiB, and in one at 1 GiB.
    let pairs = [(200_000, 133_500), (200_000, 133_200), (1500, 1002)];
    for (at, (words, kept)) in pairs.into_iter().enumerate() {
        let texts = large_pair(at as u32, words, kept);
        for (side, text) in texts.iter().enumerate() {
            place.write(&format!("crawl/{at}-{side}.txt"), text);
        }
    }
    let mut all = Vec::new();
    for memory in ["20MiB", "64MiB", "1GiB"] {
        let out = format!("out-{memory}");
        place.config(&[
            "input.max-document = \"3MiB\"",
            "sketch.content = \"page\"",
            "cluster.containment = 0.66",
            &format!("work.memory = \"{memory}\""),
            &format!("work.dir = \"work-{memory}\""),
            &format!("work.output = \"{out}\""),
        ]);
        let ran = place.run();
        assert!(
            !ran.stderr().contains("could not be read again"),
            "{}",
            ran.stderr()
        );
        all.push(published_in(&place.path(&out)));
        if memory == "20MiB" {
            let rows = place.rows("pairs");
            assert_eq!(rows.len(), 3, "{rows:?}");
            for (row, (words, kept)) in rows.iter().zip(pairs) {
                assert_eq!(row["exact"], true, "{row}");
                // A shingle begins at each word but the last nine.
                assert_eq!(row["size_a"], words - 9, "{row}");
                assert_eq!(row["size_b"], words - 9, "{row}");
                assert_eq!(row["shared"], kept - 9, "{row}");
            }
        }
    }
    assert!(all.iter().all(|files| files == &all[0]));
}
