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
            assert_eq!(tables, 8, "{:?}", files.keys());
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
