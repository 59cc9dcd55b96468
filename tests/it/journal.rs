//! Clusters over time: the journal of publications, whatever was killed, lost or damaged.

use crate::harness::{Place, files_below};
use crate::nights::{Nights, with_fault};
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;
use testkit::{ClusterEvent, Membership, Random, cluster_events, cluster_events_add_up};

/// Documents that are in clusters.
pub(crate) fn membership(place: &Place) -> Membership {
    let number = |row: &Value, column: &str| row[column].as_i64().expect("a number");
    let rows = place.rows("membership");
    let all: Vec<(i64, i64)> = rows
        .iter()
        .map(|row| (number(row, "doc_id"), number(row, "cluster_id")))
        .collect();
    let shared: BTreeSet<i64> = all
        .iter()
        .filter(|(doc, cluster)| doc != cluster)
        .map(|(_, cluster)| *cluster)
        .collect();
    all.into_iter()
        .filter(|(_, cluster)| shared.contains(cluster))
        .collect()
}

fn event(row: &Value) -> ClusterEvent {
    let id = |column: &str| row[column].as_i64();
    let documents = ["documents_before", "documents_after", "documents"]
        .map(|column| id(column).expect("a number"));
    let event = row["event"].as_str().expect("an event").to_owned();
    ClusterEvent {
        event,
        old: id("old_cluster_id"),
        new: id("new_cluster_id"),
        documents,
    }
}

pub(crate) fn journal(place: &Place) -> Vec<Value> {
    place.rows("cluster_changes")
}

/// The number of what is published.
fn generation(place: &Place) -> i64 {
    let link = fs::read_link(place.path("out")).expect("a link");
    link.file_name()
        .and_then(|name| name.to_str()?.strip_prefix('g')?.parse().ok())
        .expect("a number")
}

/// Compares the journal with what it was and the two memberships.
#[track_caller]
fn goes_on(place: &Place, (rows, before): (&[Value], &Membership), live: &[&str], context: &str) {
    let (found, now) = (journal(place), membership(place));
    let is_live = |row: &&Value| live.iter().any(|name| row["snapshot"] == *name);
    let kept: Vec<&Value> = rows.iter().skip_while(|row| !is_live(row)).collect();
    let events = cluster_events(before, &now);
    cluster_events_add_up(before, &now, &events);
    assert_eq!(
        found.iter().take(kept.len()).collect::<Vec<_>>(),
        kept,
        "{context}: older rows"
    );
    let new = &found[kept.len()..];
    assert_eq!(
        new.iter().map(event).collect::<Vec<_>>(),
        events,
        "{context}"
    );
    for row in new {
        assert_eq!(
            (&row["publication"], &row["previous"]),
            (&new[0]["publication"], &new[0]["previous"])
        );
        assert_eq!(row["snapshot"], *live[live.len() - 1], "{context}");
        assert!(row["previous"].as_i64() < row["publication"].as_i64());
        assert!(
            row["publication"].as_i64() <= Some(generation(place)),
            "{context}"
        );
    }
}

/// The names of so many newest nights.
fn names(night: u32, keep: u64) -> Vec<String> {
    let first = u64::from(night).saturating_sub(keep) as u32;
    (first..night)
        .map(|night| format!("night-{:02}", night + 1))
        .collect()
}

/// The same place elsewhere.
fn copy(place: &Place) -> Place {
    let other = Place::new();
    let copied = Command::new("cp")
        .args(["-a", "."])
        .arg(other.path(""))
        .current_dir(place.path(""))
        .status();
    assert!(copied.expect("cp").success());
    other
}

#[test]
fn every_night_is_told_once_whatever_was_killed_or_lost() {
    // PIPELINE_NIGHTS_CASES runs more.
    let cases = std::env::var("PIPELINE_NIGHTS_CASES")
        .ok()
        .and_then(|n| n.parse().ok())
        .unwrap_or(4);
    let (mut kills, mut lost, mut told) = (0, 0, BTreeSet::new());
    for seed in 0..cases {
        let mut random = Random::new(seed + 500);
        let mut nights = Nights::new(seed + 500);
        let keep = random.within(2, 4);
        for night in 1..=6 {
            nights.configure(random.within(3, 40), keep);
            let text =
                fs::read_to_string(nights.place.path("pipeline.toml")).expect("a configuration");
            let resemblance = ["0.2", "0.5", "0.8", "0.95"][random.index(4)];
            nights.place.write(
                "pipeline.toml",
                text + &format!("[cluster]\nresemblance = {resemblance}\n"),
            );
            nights.crawl(&mut random);
            let before = (night > 1).then(|| (journal(&nights.place), membership(&nights.place)));
            if random.chance(300) {
                fs::remove_dir_all(nights.place.path("work")).ok();
                lost += 1;
            }
            for _ in 0..random.below(3) {
                let ran = with_fault(
                    &nights.place,
                    &format!("kill:any:{}", random.within(1, 200)),
                );
                kills += u32::from(!ran.0.status.success());
            }
            nights.place.run();
            let context = format!("seed {seed}, night {night}, keep {keep}");
            let names = names(night, keep);
            let live: Vec<&str> = names.iter().map(String::as_str).collect();
            if let Some((rows, membership)) = &before {
                goes_on(&nights.place, (rows, membership), &live, &context);
            }
            told.extend(
                journal(&nights.place)
                    .iter()
                    .map(|row| row["event"].as_str().expect("text").to_owned()),
            );
            nights.place.pipeline(&["verify"]).exits(0);
        }
        // The same once more: nothing happened.
        let rows = journal(&nights.place);
        nights
            .place
            .pipeline(&["run", "--from", "cluster", "--force"])
            .exits(0);
        assert_eq!(journal(&nights.place), rows);
    }
    assert!(
        kills > 3 && lost > 1 && told.len() == 7,
        "{kills} kills, {lost} lost, {told:?}: nothing was tried"
    );
}

/// Two nights, of which the first is published.
fn two_nights(seed: u64) -> (Nights, Random) {
    let (mut nights, mut random) = (Nights::new(seed), Random::new(seed));
    nights.configure(30, 9);
    nights.crawl(&mut random);
    nights.place.run();
    nights.crawl(&mut random);
    (nights, random)
}

#[test]
fn a_kill_at_any_operation_leaves_a_night_told_once() {
    let (nights, _) = two_nights(611);
    let before = membership(&nights.place);
    let whole = copy(&nights.place);
    let mut command = whole.command(&["run", "-q"]);
    command.env("PIPELINE_FAULT_COUNT", whole.path("counts"));
    assert!(command.output().expect("runs").status.success());
    let text = fs::read_to_string(whole.path("counts")).expect("counts");
    let total: u64 = text
        .split(' ')
        .map(|n| n.parse::<u64>().expect("a number"))
        .sum();
    let expected: Vec<ClusterEvent> = journal(&whole).iter().map(event).collect();
    assert_eq!(expected, cluster_events(&before, &membership(&whole)));
    assert!(expected.len() > 10);
    let undisturbed = fs::read(whole.path("out/cluster_changes.parquet")).expect("a journal");
    let stride = if std::env::var("PIPELINE_SWEEP").is_ok_and(|value| value == "full") {
        1
    } else {
        3
    };
    let (mut kills, mut published) = (0, 0);
    // Most of them in the last phase, which publishes; at the switch of `out` every one.
    let switch = total - 40;
    for nth in (total / 2..switch).step_by(stride).chain(switch..=total) {
        let place = copy(&nights.place);
        let killed = with_fault(&place, &format!("kill:any:{nth}"));
        kills += u32::from(!killed.0.status.success());
        let shown: Vec<ClusterEvent> = journal(&place).iter().map(event).collect();
        assert!(
            shown.is_empty() || shown == expected,
            "operation {nth}: part of a night"
        );
        published += u32::from(!killed.0.status.success() && shown == expected);
        place.run();
        goes_on(
            &place,
            (&[], &before),
            &["night-01", "night-02"],
            &format!("killed at {nth} of {total}"),
        );
        assert_eq!(
            fs::read(place.path("out/cluster_changes.parquet")).expect("a journal"),
            undisturbed,
            "killed at {nth} of {total}"
        );
        assert_eq!(
            generation(&place),
            generation(&whole),
            "killed at {nth} of {total}: published once more"
        );
    }
    assert!(
        kills > 20 && published > 0,
        "{kills} kills, {published} of them after the publication"
    );
}

#[test]
fn a_lost_work_directory_loses_nothing_and_equal_clusters_add_nothing() {
    let (nights, _) = two_nights(612);
    let place = &nights.place;
    assert_eq!(
        journal(place),
        Vec::<Value>::new(),
        "the first publication has no rows"
    );
    let before = membership(place);
    place.run();
    goes_on(
        place,
        (&[], &before),
        &["night-01", "night-02"],
        "the second night",
    );
    let (rows, bytes) = (
        journal(place),
        fs::read(place.path("out/cluster_changes.parquet")).expect("a journal"),
    );
    assert!(
        rows.len() > 10
            && rows
                .iter()
                .all(|row| row["publication"] == 2 && row["previous"] == 1)
    );
    for arguments in [
        &["run"][..],
        &["run", "--force"],
        &["run", "--from", "index", "--force"],
    ] {
        if arguments.len() == 1 {
            fs::remove_dir_all(place.path("work")).expect("removed");
        }
        let before = generation(place);
        place.pipeline(arguments).exits(0);
        assert_eq!(
            (generation(place), journal(place)),
            (before + 1, rows.clone()),
            "{arguments:?}"
        );
        assert!(fs::read(place.path("out/cluster_changes.parquet")).expect("a journal") == bytes);
    }
    // Another threshold changes clusters, too.
    let (before, text) = (
        membership(place),
        fs::read_to_string(place.path("pipeline.toml")).expect("a configuration"),
    );
    place.write("pipeline.toml", text + "[cluster]\nresemblance = 0.85\n");
    place.run();
    goes_on(
        place,
        (&rows, &before),
        &["night-01", "night-02"],
        "another threshold",
    );
    assert!(journal(place).len() > rows.len());
}

#[test]
fn threads_and_memory_change_no_byte() {
    let journals = [
        "threads = 1\nmemory = \"64MiB\"",
        "threads = 8\nmemory = \"1GiB\"",
    ]
    .map(|work| {
        let (nights, mut random) = two_nights(613);
        let place = &nights.place;
        let text = fs::read_to_string(place.path("pipeline.toml")).expect("a configuration");
        place.write("pipeline.toml", text.replace("memory = \"64MiB\"", work));
        place.run();
        let mut nights = nights;
        nights.crawl(&mut random);
        nights.place.run();
        fs::read(nights.place.path("out/cluster_changes.parquet")).expect("a journal")
    });
    assert!(journals[0] == journals[1]);
}

/// Puts another file in the place of one, without touching another name of it.
fn put(path: &Path, bytes: &[u8]) {
    fs::remove_file(path).expect("a file");
    fs::write(path, bytes).expect("written");
}

#[test]
fn a_damaged_publication_is_not_gone_on_with_and_the_next_one_is() {
    let (mut nights, mut random) = two_nights(614);
    nights.place.run();
    assert!(journal(&nights.place).len() > 10);
    nights.crawl(&mut random);
    let mut wrong: Vec<(&str, Option<usize>)> = Vec::new();
    for name in [
        "index/index.json",
        "index/members",
        "index/clusters",
        "index/segments",
        "cluster_changes.parquet",
    ] {
        // Of each file some bytes, and that it is not there.
        wrong.extend([None, Some(10), Some(40), Some(70)].map(|at| (name, at)));
    }
    for (name, at) in wrong {
        let place = copy(&nights.place);
        let path = place.path("out").join(name);
        let mut bytes = fs::read(&path).expect("a file");
        match at {
            None => fs::remove_file(&path).expect("removed"),
            Some(at) => {
                let at = bytes.len() * at / 100;
                bytes[at] ^= 4;
                put(&path, &bytes);
            }
        }
        let ran = place.run();
        ran.says("note: cluster_changes.parquet starts again: g000002 cannot be continued: ");
        assert_eq!(ran.stderr().matches("starts again").count(), 1);
        assert_eq!(journal(&place), Vec::<Value>::new(), "{name} at {at:?}");
        place.pipeline(&["verify"]).exits(0);
    }
    // A version of the index that is not known is no damage, and ends the same.
    let place = copy(&nights.place);
    let page = fs::read_to_string(place.path("out/index/index.json")).expect("a page");
    let digits: String = page
        .split("\"version\":")
        .nth(1)
        .expect("a version")
        .chars()
        .take_while(char::is_ascii_digit)
        .collect();
    put(
        &place.path("out/index/index.json"),
        page.replacen(&format!("\"version\":{digits}"), "\"version\":1", 1)
            .as_bytes(),
    );
    place.run().says("index version is 1");
    let before = membership(&place);
    nights.crawl(&mut random);
    for (name, bytes) in files_below(&nights.place.path("crawls/night-04")) {
        place.write(&format!("crawls/night-04/{name}"), bytes);
    }
    let ran = place.run();
    assert!(!ran.stderr().contains("starts again"), "{}", ran.stderr());
    goes_on(
        &place,
        (&[], &before),
        &["night-01", "night-02", "night-03", "night-04"],
        "the night after",
    );
    // Nothing shown at all: the publication that the manifest names is shown again.
    let rows = journal(&place);
    fs::remove_file(place.path("out")).expect("the link");
    place.run();
    assert_eq!(journal(&place), rows);
    fs::remove_file(place.path("out")).expect("the link");
    fs::remove_dir_all(place.path("work")).expect("the manifest");
    place.run().says("starts again: out shows no publication");
}

#[test]
fn a_damaged_journal_is_found() {
    let (nights, _) = two_nights(615);
    let place = &nights.place;
    place.run();
    let path = place.path("out/cluster_changes.parquet");
    let mut bytes = fs::read(&path).expect("a journal");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    put(&path, &bytes);
    let found = place.pipeline(&["verify"]);
    found.exits(5);
    assert!(
        found.stdout().contains("cluster_changes.parquet"),
        "{}",
        found.stdout()
    );
    // Whether a cluster is gone is asked of the journal.
    let asked = place.pipeline(&["query", "cluster", "4294967295"]);
    asked.exits(5);
    asked.says("`pipeline run --from index --force` rebuilds it");
    place
        .pipeline(&["run", "--from", "index", "--force"])
        .says("starts again");
    place.pipeline(&["verify"]).exits(0);
}

#[test]
fn ids_of_other_documents_are_not_compared() {
    let place = Place::with_corpus(616, 120);
    place.run();
    // At the end of the list no id is another.
    let page = |name: &str| {
        format!(
            "{{\"url\": \"http://{name}.test/\", \"text\": \"a page that was not there before\"}}\n"
        )
    };
    let before = membership(&place);
    place.write("crawl/part-8.jsonl", page("a") + &page("b"));
    let ran = place.run();
    assert!(!ran.stderr().contains("starts again"), "{}", ran.stderr());
    goes_on(&place, (&[], &before), &["default"], "two more pages");
    assert_eq!(journal(&place).len(), 1);
    // A page edited where it stands is the same document.
    let (rows, before) = (journal(&place), membership(&place));
    place.write(
        "crawl/part-8.jsonl",
        page("a") + &page("b").replace("a page that was not", "or words that were on"),
    );
    let ran = place.run();
    assert!(!ran.stderr().contains("starts again"), "{}", ran.stderr());
    goes_on(&place, (&rows, &before), &["default"], "an edited page");
    assert_eq!(journal(&place).len(), 2);
    // In front all are others.
    place.write("crawl/before.jsonl", page("c"));
    place
        .run()
        .says("the ids of snapshot default now belong to other documents");
    assert_eq!(journal(&place), Vec::<Value>::new());
}

#[test]
fn a_list_of_snapshots_begun_anew_begins_the_journal_anew() {
    let (nights, _) = two_nights(617);
    let place = &nights.place;
    place.run();
    for name in ["work", "crawls/night-01"] {
        fs::remove_dir_all(place.path(name)).expect("removed");
    }
    fs::remove_file(place.path("snapshots.toml")).expect("removed");
    place.run().says("snapshot 1 was night-01, is night-02");
    assert_eq!(journal(place), Vec::<Value>::new());
}
