//! Damaged work files are named, never used.

use crate::harness::{Place, files_below};

fn flip(bytes: &[u8], bit: usize) -> Vec<u8> {
    let mut bad = bytes.to_vec();
    bad[bit / 8] ^= 1 << (bit % 8);
    bad
}

#[test]
fn a_flipped_bit_in_every_kind_of_work_file_is_found_by_verify_and_by_run() {
    let place = Place::with_corpus(31, 120);
    place.config(&[
        "pairs.common-shingle-limit = 20",
        "cluster.containment = 0.8",
    ]);
    place.run();
    let golden = place.published();
    let costs = std::fs::read(place.path("out/run.json")).expect("costs");
    let files = files_below(&place.path("work"));
    let mut kinds = std::collections::BTreeSet::new();
    let mut silent = Vec::new();
    for (name, bytes) in files
        .iter()
        .filter(|(name, bytes)| *name != "lock" && !bytes.is_empty())
    {
        kinds.insert(
            name.rsplit(['/', '.'])
                .next()
                .unwrap_or_default()
                .to_owned(),
        );
        // Header, first block, middle, trailer.
        for at in [
            3,
            bytes.len() / 3,
            bytes.len() / 2,
            bytes.len().saturating_sub(20),
        ] {
            place.write(&format!("work/{name}"), flip(bytes, at * 8 + 1));
            let found = place.pipeline(&["verify"]);
            assert_eq!(
                found.code(),
                Some(5),
                "verify passes over {name} at byte {at}"
            );
            let text = found.stdout() + &found.stderr();
            assert!(
                text.contains(name.rsplit('/').next().unwrap_or(name)),
                "{name} is not named in {text}"
            );
            // A run that reads everything again: all phases after the sketches.
            let ran = place.pipeline(&["run", "--from", "distinct", "--force"]);
            match ran.code() {
                Some(5) => ran.says("failed to"),
                // Not read by these phases, or made anew by them: then the result must be right.
                Some(0) => {
                    if golden != place.published() {
                        silent.push(format!("{name} at byte {at}"));
                    }
                }
                other => panic!("{name} at byte {at}: exit {other:?}: {}", ran.stderr()),
            }
            for (name, bytes) in &files {
                place.write(&format!("work/{name}"), bytes);
            }
            place.write("out/run.json", &costs);
        }
    }
    assert!(kinds.len() >= 14, "only {kinds:?}");
    assert!(silent.is_empty(), "used damaged files: {silent:?}");
    place.pipeline(&["verify"]).exits(0);
}

#[test]
fn a_cut_or_lost_file_is_noticed_and_the_advice_mends_it() {
    let place = Place::with_corpus(32, 120);
    place.run();
    let golden = place.published();
    let path = place.path("work/pairs/pairs-1");
    let bytes = std::fs::read(&path).expect("a file");
    std::fs::write(&path, &bytes[..bytes.len() - 7]).expect("written");
    let ran = place.pipeline(&["run"]);
    ran.exits(5);
    ran.says("pairs/pairs");
    ran.says("pipeline run --from pairs --force");
    place
        .pipeline(&["run", "--from", "pairs", "--force"])
        .exits(0);
    assert!(golden == place.published());
    std::fs::remove_file(&path).expect("removed");
    place.run();
    assert!(golden == place.published());
    place.pipeline(&["verify"]).exits(0);
}

/// A run reads headers only of what is up to date. These damages lie in blocks and tables.
#[test]
fn damage_that_verify_found_stops_every_run_until_it_is_mended() {
    let place = Place::with_corpus(34, 120);
    place.run();
    let golden = place.published();
    for (name, phase) in [
        ("work/sketch/segment-0-00000.sketches", "sketch"),
        ("work/sort/postings-1", "sort"),
        ("work/pairs/pairs-1", "pairs"),
        ("out/index/urls", "index"),
        ("out/pairs.parquet", "index"),
    ] {
        let path = place.path(name);
        let bytes = std::fs::read(&path).expect("a file");
        let damage = || std::fs::write(&path, flip(&bytes, bytes.len() / 2 * 8)).expect("written");
        damage();
        let before = files_below(&place.path("work"));
        let found = place.pipeline(&["verify"]);
        found.exits(5);
        let mend = format!("pipeline run --from {phase} --force");
        assert!(found.stdout().contains(&mend), "{}", found.stdout());
        for verb in ["run", "run", "status"] {
            let told = place.pipeline(&[verb]);
            told.exits(5);
            told.says("(found by `pipeline verify`)");
            told.says(&mend);
        }
        let copied = place.pipeline(&["dedup", "--dry-run"]);
        copied.exits(if phase == "index" { 0 } else { 5 });

        // A file of a backup, and a look at it.
        std::fs::write(&path, &bytes).expect("written");
        place.run().says("nothing new");
        place.pipeline(&["verify"]).exits(0);
        assert!(!place.path("work/damage.json").exists());

        damage();
        place.pipeline(&["verify"]).exits(5);
        let words: Vec<&str> = mend.split(' ').skip(1).collect();
        place.pipeline(&words).exits(0);
        assert!(golden == place.published(), "other bytes after {mend}");
        assert!(!place.path("work/damage.json").exists());
        place.run().says("nothing new");
        place.pipeline(&["verify"]).exits(0);
        assert!(
            before.keys().eq(files_below(&place.path("work")).keys()),
            "{name}"
        );
    }
}

#[test]
fn verify_tells_of_damage_also_where_it_can_note_nothing() {
    let place = Place::with_corpus(35, 60);
    place.run();
    place.write("work/damage.json/in-the-way", "");
    let path = place.path("work/sort/postings-1");
    let bytes = std::fs::read(&path).expect("a file");
    std::fs::write(&path, flip(&bytes, bytes.len() / 2 * 8)).expect("written");
    let found = place.pipeline(&["verify"]);
    found.exits(5);
    found.says("failed to note for the next run");
}

/// The index has the members under a second name.
#[test]
fn verify_and_questions_advise_the_phase_that_made_the_file() {
    let place = Place::with_corpus(32, 120);
    place.run();
    let cluster = place.rows("clusters")[0]["cluster_id"].to_string();
    let path = place.path("out/index/members");
    let bytes = std::fs::read(&path).expect("a file");
    // In place, so that both names have the same bytes.
    std::fs::write(&path, flip(&bytes, bytes.len() / 3 * 8)).expect("written");
    let advice = "`pipeline run --from cluster --force` rebuilds it";
    let found = place.pipeline(&["verify"]);
    found.exits(5);
    let text = found.stdout();
    assert_eq!(text.matches("rebuilds it").count(), 1, "{text}");
    assert!(text.contains(advice), "{text}");
    for name in ["work/cluster/members", "index/members is the same file"] {
        assert!(text.contains(name), "{text}");
    }
    let asked = place.pipeline(&["query", "cluster", &cluster]);
    asked.exits(5);
    asked.says(advice);
    // A name of its own.
    std::fs::remove_file(&path).expect("removed");
    std::fs::write(&path, &bytes[..bytes.len() - 7]).expect("written");
    place.write("work/cluster/members", &bytes);
    let found = place.pipeline(&["verify"]);
    found.exits(5);
    assert!(found.stdout().contains(advice), "{}", found.stdout());
}

#[test]
fn a_manifest_of_another_version_or_with_a_changed_number_is_refused() {
    let place = Place::with_corpus(33, 30);
    place.run();
    let path = place.path("work/manifest.json");
    let text = std::fs::read_to_string(&path).expect("a manifest");
    for version in [3, 99] {
        let other = format!("\"version\":{version}");
        std::fs::write(&path, text.replacen("\"version\":9", &other, 1)).expect("written");
        let ran = place.pipeline(&["run"]);
        ran.exits(5);
        ran.says(&format!("format version is {version}, expected 9"));
    }
    std::fs::write(
        &path,
        text.replacen("\"documents\":30", "\"documents\":31", 1),
    )
    .expect("written");
    place.pipeline(&["run"]).exits(5);
    std::fs::write(&path, "{").expect("written");
    place.pipeline(&["status"]).exits(5);
}

#[test]
fn inspect_shows_every_kind_of_file() {
    let place = Place::with_corpus(34, 60);
    place.config(&["pairs.common-shingle-limit = 10"]);
    place.run();
    let mut seen = 0;
    for name in files_below(&place.path("work")).keys() {
        let inspected = place.pipeline(&["inspect", &format!("work/{name}")]);
        if name.ends_with(".json")
            || name.ends_with(".jsonl")
            || name.ends_with(".parquet")
            || name == "lock"
        {
            inspected.exits(2);
            inspected.says("not a file of this program");
            continue;
        }
        inspected.exits(0);
        assert!(inspected.stdout().contains("records"), "{name}");
        assert_eq!(
            inspected.stdout().contains("packed"),
            name.starts_with("pairs/pairs-"),
            "{name}"
        );
        place
            .pipeline(&["inspect", "--json", &format!("work/{name}")])
            .json();
        seen += 1;
    }
    assert!(seen >= 13, "{seen} files");
    place.pipeline(&["inspect", "work"]).exits(2);
    let path = place.path("work/cluster/links");
    let mut bytes = std::fs::read(&path).expect("links");
    bytes[20] ^= 1;
    place.write("work/cluster/links", bytes);
    place.pipeline(&["inspect", "work/cluster/links"]).exits(5);
}

#[test]
fn the_index_of_the_night_before_is_not_that_of_this_publication() {
    let place = Place::new();
    place.write(
        "pipeline.toml",
        "version = 1\n[sketch]\nseed = \"nights\"\n",
    );
    let mut before = Vec::new();
    for night in ["one", "two"] {
        before.push(std::fs::read(place.path("out/index/index.json")));
        place.write(
            &format!("{night}/page.txt"),
            format!("words of night {night}"),
        );
        place.pipeline(&["snapshot", "add", night, night]).exits(0);
        place.run();
    }
    place.pipeline(&["export", "documents"]).exits(0);
    let of_night_one = before.remove(1).expect("an index");
    place.write("out/index/index.json", of_night_one);
    let ran = place.pipeline(&["export", "documents"]);
    ran.exits(5);
    ran.says("report.json");
}

#[test]
fn a_link_to_nothing_in_the_work_directory_is_damage() {
    let place = Place::with_corpus(9, 40);
    place.run();
    std::fs::remove_file(place.path("work/manifest.json")).expect("removed");
    std::os::unix::fs::symlink("nowhere", place.path("work/manifest.json")).expect("a link");
    let ran = place.pipeline(&["verify"]);
    ran.exits(5);
    ran.says("work/manifest.json");
}
