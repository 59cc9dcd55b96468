//! What `run` shows at its end: one screen, with commands that work.

use crate::harness::{Place, repository};
use serde_json::Value;
use std::fs;

/// The sample crawl, clustered; the screen.
fn sample() -> (Place, String) {
    let place = Place::new();
    let input = repository().join("data-samples/web");
    let ran = place.pipeline(&["run", input.to_str().expect("UTF-8")]);
    ran.exits(0);
    (place, ran.stdout())
}

#[test]
fn the_result_fits_a_screen() {
    let (place, screen) = sample();
    let costs = fs::read(place.path("out/run.json")).expect("costs");
    let costs: Value = serde_json::from_slice(&costs).expect("JSON");
    for phase in costs["phases"].as_array().expect("a list") {
        assert_eq!(phase["why"], "not done yet", "{phase}");
    }
    let lines = screen.lines().count();
    assert!((15..=26).contains(&lines), "{lines} lines:\n{screen}");
    let report: serde_json::Value =
        serde_json::from_slice(&std::fs::read(place.path("out/report.json")).expect("a report"))
            .expect("JSON");
    let copies = &report["clusters"]["removed_if_deduplicated"];
    assert!(
        screen.contains(&format!(" {copies} are copies")),
        "{screen}"
    );
    let least = report["removed"]["least_alike"]["resemblance"].as_f64();
    let least = least.expect("a near copy");
    // Rounded down.
    let least = (100.0 * least + 1e-9).floor() / 100.0;
    let least = format!("resemblance to the kept page at least {least:.2}");
    assert!(screen.contains(&least), "{screen}");
    // An example stands beside each reason for rejection.
    assert!(
        screen.contains("empty, as crawl-00003.warc.gz, byte "),
        "{screen}"
    );
}

#[test]
fn the_commands_it_names_work() {
    let (place, screen) = sample();
    let (_, next) = screen.split_once("Next:\n").expect("commands");
    let commands: Vec<Vec<&str>> = next
        .lines()
        .map(|line| line.trim().split("  ").next().unwrap_or_default())
        .map(|command| command.split(' ').skip(1).collect())
        .collect();
    assert_eq!(commands.len(), 4, "{next}");
    for command in commands.iter().filter(|command| command[0] != "serve") {
        place.pipeline(command).exits(0);
    }
    // The pair is that of removed.parquet which is least alike.
    let rows = place.rows("removed");
    let least = rows
        .iter()
        .filter_map(|row| Some((row["resemblance"].as_f64()?, row)))
        .min_by(|(a, _), (b, _)| a.total_cmp(b))
        .map(|(_, row)| row);
    let least = least.expect("a removed document");
    let pair = ["kept_doc_id", "doc_id"].map(|name| least[name].to_string());
    assert_eq!(commands[0], ["explain", &*pair[0], &*pair[1]], "{next}");
    let clusters = place.rows("clusters");
    let largest = clusters.iter().filter_map(|row| row["documents"].as_u64());
    let largest = largest.max().expect("a cluster");
    let is_largest = |row: &&serde_json::Value| row["documents"] == largest;
    let named = clusters.iter().find(is_largest).expect("a cluster");
    let id = named["cluster_id"].to_string();
    assert_eq!(commands[1], ["query", "cluster", &*id], "{next}");
}

#[test]
fn where_there_are_no_urls_documents_have_the_ids_of_the_input() {
    let place = Place::new();
    let words = |from: u32| {
        (from..from + 60)
            .map(|word| format!("w{word} "))
            .collect::<String>()
    };
    let rows: String = (0..3)
        .map(|row| format!("{{\"id\": \"rec-{row}\", \"text\": \"{}\"}}\n", words(row)))
        .collect();
    place.write("rows.jsonl", rows);
    let shown = |command: &[&str]| {
        let ran = place.pipeline(command);
        ran.exits(0);
        ran.stdout()
    };
    let screen = shown(&["run", "rows.jsonl"]);
    assert!(screen.contains("  cluster 0          rec-0\n"), "{screen}");
    let explained = shown(&["explain", "rec-0", "2"]);
    assert!(explained.contains("\nB 2  rec-2\n"), "{explained}");
    let cluster = shown(&["explain", "cluster", "0"]);
    assert!(cluster.contains("\nkept first: 0  rec-0\n"), "{cluster}");
    assert!(
        cluster.contains("keeps          0, removes      2  rec-0\n"),
        "{cluster}"
    );
    let tuned = shown(&["tune"]);
    assert!(tuned.contains("\n    rec-1\n"), "{tuned}");
    for id in ["1", "rec-1", "id:rec-1"] {
        let document = shown(&["query", "doc", id]);
        assert!(
            document.starts_with("document   1\nid         rec-1\n"),
            "{document}"
        );
    }
    place.pipeline(&["query", "doc", "rec-7"]).exits(1);
    assert_eq!(place.rows("clusters")[0]["kept_id"], "rec-0");
}

#[test]
fn a_configuration_that_is_not_found_by_itself_is_named() {
    let place = Place::new();
    let input = repository().join("data-samples/jsonl");
    let input = input.to_str().expect("UTF-8");
    let ran = place.pipeline(&["run", input, "--work", "my work", "-o", "out"]);
    ran.exits(0);
    let screen = ran.stdout();
    assert!(
        screen.contains("serve -c 'my work/pipeline.toml'"),
        "{screen}"
    );
    // Long options are told once. A shell ends names of directories with a slash.
    let long = "d/".repeat(20);
    let ran = place.pipeline(&["run", input, "--work", &long, "-o", "other/"]);
    ran.exits(0);
    let screen = ran.stdout();
    let next = format!("\nNext, each with -c {long}pipeline.toml:\n");
    assert!(screen.contains(&next), "{screen}");
    assert_eq!(screen.matches(&long).count(), 1, "{screen}");
}

#[test]
fn nothing_new_is_one_line_and_quiet_is_silent() {
    let place = Place::with_corpus(3, 60);
    let quiet = place.pipeline(&["run", "-q"]);
    quiet.exits(0);
    assert_eq!((quiet.stdout(), quiet.stderr()), Default::default());
    let again = place.run().stdout();
    assert_eq!(again.lines().count(), 1, "{again}");
    assert!(again.starts_with("nothing new: 60 documents, "), "{again}");
    let details = place.pipeline(&["run", "-v"]).stdout();
    assert!(details.contains("Shingles and classes\n"), "{details}");
    let status = place.pipeline(&["status"]).stdout();
    assert!(status.contains("last run, ended 20"), "{status}");
    assert!(status.contains("\nsketch  "), "{status}");
}

#[test]
fn a_part_of_a_run_shows_its_phases_and_no_result() {
    let place = Place::with_corpus(4, 60);
    place.run();
    place.corpus(5, 60);
    let ran = place.pipeline(&["run", "--until", "sketch"]);
    ran.exits(0);
    let screen = ran.stdout();
    assert!(screen.starts_with("sketch    done"), "{screen}");
    assert!(!screen.contains("documents"), "{screen}");
}

/// An excerpt resembles the page that holds it little, and a link by containment joins the two.
#[test]
fn copies_that_containment_links_to_the_kept_page_need_no_other_linkage() {
    let words: Vec<String> = (0..80).map(|number| format!("word{number}")).collect();
    let line = |words: &[String]| format!("{{\"text\":\"{}\"}}\n", words.join(" "));
    let place = Place::new();
    place.write("crawl/a.jsonl", line(&words) + &line(&words[..30]));
    place.config(&[]);
    let run = |joins: &[&str]| {
        let ran = place.pipeline(&[&["run"], joins].concat());
        ran.exits(0);
        let report = fs::read_to_string(place.path("out/report.json")).expect("the report");
        let report: Value = serde_json::from_str(&report).expect("JSON");
        let text = ran.stdout();
        (
            text.contains("alike no page that stays"),
            text.contains("at least 0.29"),
            report["removed"]["through_others"].clone(),
        )
    };
    let joins = [
        "--set",
        "cluster.linkage=components",
        "--set",
        "cluster.containment=0.9",
        "--set",
        "cluster.containment-joins=true",
    ];
    assert_eq!(run(&joins), (false, true, 0.into()));
    // A chain: the first and the last of three pages share little.
    let pages: Vec<String> = [0, 20, 40].map(|at| line(&words[at..at + 40])).into();
    place.write("crawl/a.jsonl", pages.concat());
    for (linkage, is_through_others) in [("components", true), ("star", false)] {
        let linkage = format!("cluster.linkage={linkage}");
        let (said, _, counted) = run(&["--set", "cluster.resemblance=0.2", "--set", &linkage]);
        assert_eq!(said, is_through_others, "{linkage}");
        assert_eq!(counted, u64::from(is_through_others), "{linkage}");
    }
}

/// Ids are row numbers of each shard here. In two nights the same ids are no news.
#[test]
fn ids_that_stand_twice_are_told_with_what_to_do() {
    let page = |name: &str, at: usize| {
        let words: Vec<String> = (0..40).map(|word| format!("{name}{at}x{word}")).collect();
        serde_json::json!({"id": at, "text": words.join(" ")})
    };
    let shard = |name: &str, rows: std::ops::Range<usize>| -> String {
        rows.map(|at| format!("{}\n", page(name, at))).collect()
    };
    let place = Place::new();
    place.write("crawl/0.jsonl", shard("a", 0..10));
    // Three times there are 0 to 4; 5 to 9 twice. Page 3 is a copy of page 9 of the first shard.
    place.write(
        "crawl/1.jsonl",
        shard("b", 0..3) + &shard("a", 9..10).replace("\"id\":9", "\"id\":3") + &shard("b", 4..10),
    );
    place.write("crawl/2.jsonl", shard("c", 0..5));
    place.config(&[]);
    let ran = place.pipeline(&["run"]);
    ran.exits(0);
    assert!(
        ran.stdout()
            .contains("Note: ids that stand at more than one document: 10\n"),
        "{}",
        ran.stdout()
    );
    assert!(ran.stdout().contains("id-field in [input]"));
    let report = || -> serde_json::Value {
        let bytes = std::fs::read(place.path("out/report.json")).expect("a report");
        serde_json::from_slice(&bytes).expect("JSON")
    };
    assert_eq!(report()["input"]["repeated_ids"], 10);
    let listed = place.pipeline(&["dedup", "--list", "--json"]);
    listed.exits(0);
    assert_eq!(listed.json()["id"], "3");
    listed.says("note: ids that stand at more than one document: 10; use doc_id");
    for shards in ["crawl/1.jsonl", "crawl/2.jsonl"] {
        std::fs::remove_file(place.path(shards)).expect("removed");
    }
    let ran = place.pipeline(&["run"]);
    assert!(
        !ran.stdout().contains("more than one document"),
        "{}",
        ran.stdout()
    );
    assert_eq!(report()["input"]["repeated_ids"], serde_json::Value::Null);

    let nights = Place::new();
    nights.write("pipeline.toml", "version = 1\n[sketch]\nseed = \"tests\"\n");
    for night in ["one", "two"] {
        nights.write(&format!("crawls/{night}/0.jsonl"), shard("a", 0..10));
        nights
            .pipeline(&["snapshot", "add", night, &format!("crawls/{night}")])
            .exits(0);
    }
    let ran = nights.pipeline(&["run"]);
    ran.exits(0);
    assert!(
        !ran.stdout().contains("more than one document"),
        "{}",
        ran.stdout()
    );
}

#[test]
fn captures_of_one_url_are_parted_from_copies_at_others() {
    let place = Place::new();
    place.write("pipeline.toml", "version = 1\n[sketch]\nseed = \"tests\"\n");
    let page = |url: usize, text: usize| {
        let words: String = (0..40).map(|word| format!("w{text}x{word} ")).collect();
        let page = serde_json::json!({"url": format!("http://a.test/{url}"), "text": words});
        format!("{page}\n")
    };
    let five: String = (0..5).map(|at| page(at, at)).collect();
    for (night, rows) in [("one", five.clone()), ("two", five + &page(7, 3))] {
        place.write(&format!("crawls/{night}/0.jsonl"), rows);
        let dir = format!("crawls/{night}");
        place.pipeline(&["snapshot", "add", night, &dir]).exits(0);
    }
    let ran = place.pipeline(&["run"]);
    ran.exits(0);
    let said = "captured again under the URL of the kept page: 5; at other URLs: 1\n";
    assert!(ran.stdout().contains(said), "{}", ran.stdout());
}
