//! Documents like one, explanations and other thresholds, as a process: against the published
//! tables, and as the guide shows them.

use crate::harness::{Place, repository};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::process::Stdio;

/// The sample crawl, run with the configuration of the repository.
fn samples(settings: &[(&str, &str)]) -> Place {
    let place = Place::new();
    let mut text =
        std::fs::read_to_string(repository().join("pipeline.toml")).expect("a configuration");
    let web = repository().join("data-samples/web/*.warc.gz");
    text = text.replace("data-samples/web/*.warc.gz", &web.display().to_string());
    for (before, after) in settings {
        assert!(text.contains(before), "{before} in pipeline.toml");
        text = text.replace(before, after);
    }
    place.write("pipeline.toml", text);
    std::os::unix::fs::symlink(
        repository().join("data-samples"),
        place.path("data-samples"),
    )
    .expect("a link");
    place.run();
    place
}

fn id(value: &Value) -> i64 {
    value.as_i64().expect("an id")
}

/// Answers of a stream, one a line.
fn batch(place: &Place, arguments: &[&str], stdin: &[u8]) -> Vec<Value> {
    let mut command = place.command(&[&["query"], arguments, &["--batch", "--json", "-"]].concat());
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program starts");
    child
        .stdin
        .take()
        .expect("a pipe")
        .write_all(stdin)
        .expect("it reads");
    let output = child.wait_with_output().expect("it ends");
    assert!(output.status.success());
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    text.lines()
        .map(|line| serde_json::from_str(line).expect("a JSON line"))
        .collect()
}

#[test]
fn like_of_every_member_agrees_with_the_table_of_pairs() {
    // `like` compares sketches, as `settle = "off"` does.
    let place = samples(&[("settle = \"links\"", "settle = \"off\"")]);
    let pairs = place.rows("pairs");
    let members: BTreeSet<i64> = pairs
        .iter()
        .flat_map(|pair| [id(&pair["a"]), id(&pair["b"])])
        .collect();
    assert!(members.len() > 20, "{}", members.len());
    for &member in &members {
        let name = member.to_string();
        let ran = place.pipeline(&[
            "query", "like", "--json", "--limit", "1000", "--min", "0.5", &name,
        ]);
        ran.exits(0);
        let found: BTreeMap<i64, Value> = ran.json()["found"]
            .as_array()
            .expect("rows")
            .iter()
            .map(|row| (id(&row["doc_id"]), row.clone()))
            .collect();
        assert_eq!(
            found[&member]["resemblance"]["value"], 1.0,
            "{member} is like itself"
        );
        let linked: BTreeSet<i64> = pairs
            .iter()
            .filter_map(|pair| match (id(&pair["a"]), id(&pair["b"])) {
                (a, b) if a == member => Some(b),
                (a, b) if b == member => Some(a),
                _ => None,
            })
            .collect();
        let others = found
            .iter()
            .filter(|(doc, row)| **doc != member && row["shared"].as_i64() >= Some(2));
        assert_eq!(
            others.map(|(doc, _)| *doc).collect::<BTreeSet<i64>>(),
            linked,
            "like {member}"
        );
        for pair in pairs.iter().filter(|pair| id(&pair["a"]) == member) {
            let row = &found[&id(&pair["b"])];
            for (figure, column) in [
                ("resemblance", "resemblance"),
                ("containment_a_in_b", "containment_a_in_b"),
                ("containment_b_in_a", "containment_b_in_a"),
            ] {
                assert_eq!(row[figure]["value"], pair[column], "{figure} of {pair}");
                assert_eq!(
                    row[figure]["low"],
                    pair[format!("{column}_low")],
                    "{figure} of {pair}"
                );
                assert_eq!(
                    row[figure]["high"],
                    pair[format!("{column}_high")],
                    "{figure} of {pair}"
                );
            }
            for count in ["shared", "size_a", "size_b"] {
                assert_eq!(row[count], pair[count], "{count} of {pair}");
            }
        }
    }
}

#[test]
fn a_stream_is_answered_like_its_documents_one_by_one() {
    let place = samples(&[]);
    let lines = std::fs::read_to_string(repository().join("data-samples/jsonl/crawl-00000.jsonl"))
        .expect("samples");
    let lines: Vec<&str> = lines.lines().take(12).collect();
    let stream = format!(
        "{}\nno document\n{}\n",
        lines[..6].join("\n"),
        lines[6..].join("\n")
    );
    for question in ["like", "within", "contains"] {
        let mut answers = batch(&place, &[question, "--limit", "4"], stream.as_bytes());
        assert_eq!(answers.len(), 13);
        let refused = answers.remove(6);
        assert!(
            refused["rejected"]
                .as_str()
                .is_some_and(|why| why.contains("bad-json")),
            "{refused}"
        );
        for (at, (line, answer)) in lines.iter().zip(&answers).enumerate() {
            let record: Value = serde_json::from_str(line).expect("JSON");
            assert_eq!(
                (&answer["name"], id(&answer["number"])),
                (&record["id"], (at + at / 6) as i64)
            );
            place.write("one.jsonl", format!("{line}\n"));
            let alone = place.pipeline(&["query", question, "--json", "--limit", "4", "one.jsonl"]);
            alone.exits(0);
            assert_eq!(alone.json()["found"], answer["found"], "{question} {at}");
            assert_eq!(
                alone.json()["found_in_all"],
                answer["found_in_all"],
                "{question} {at}"
            );
            let same_url = answer["found"].as_array().expect("rows").iter().any(|row| {
                let equal = row["same"]
                    .as_array()
                    .expect("a list")
                    .iter()
                    .map(|same| &same["url"]);
                equal.chain([&row["url"]]).any(|url| *url == record["url"])
            });
            assert!(
                same_url || answer["sketch_size"] == 0 || answer["found_in_all"].as_u64() > Some(4),
                "{answer}"
            );
        }
    }
}

#[test]
fn an_excerpt_is_found_within_and_the_whole_contains_it() {
    let place = Place::with_corpus(7, 120);
    place.run();
    let rows = place.rows("documents");
    let longest = rows
        .iter()
        .max_by_key(|row| row["words"].as_i64())
        .expect("a document");
    let tokens = place.pipeline(&[
        "tokens",
        &format!("crawl/{}", longest["source"].as_str().expect("a name")),
    ]);
    let text = tokens.stdout();
    let whole = text
        .lines()
        .max_by_key(|line| line.split(' ').count())
        .expect("a line");
    let words: Vec<&str> = whole.split(' ').collect();
    let (from, to) = (words.len() / 4, words.len() * 3 / 4);
    place.write("excerpt.txt", words[from..to].join(" "));
    let is_found = |question, file| {
        let ran = place.pipeline(&["query", question, "--json", "--min", "0.9", file]);
        ran.exits(0);
        let found = ran.json()["found"].clone();
        let mut rows = found.as_array().expect("rows").iter();
        assert!(
            rows.any(|row| row["doc_id"] == longest["doc_id"]),
            "{found}"
        );
    };
    is_found("within", "excerpt.txt");
    place.write(
        "book.txt",
        format!("here begins a book {whole} and here is its end"),
    );
    is_found("contains", "book.txt");
    // what resembles nothing is no failure; what is not there is
    place.write(
        "strange.txt",
        "zyx wvu tsr qpo nml kji hgf edc baz yxw vut srq",
    );
    let nothing = place.pipeline(&["query", "like", "strange.txt"]);
    nothing.exits(0);
    assert!(
        nothing.stdout().contains("no document found"),
        "{}",
        nothing.stdout()
    );
    let missing = place.pipeline(&["query", "like", "http://nowhere.test/"]);
    missing.exits(1);
    missing.says("failed to find http://nowhere.test/");
    let wrong = place.pipeline(&["query", "like", "--min", "7", "strange.txt"]);
    wrong.exits(2);
    wrong.says("--min");
}

#[test]
fn other_parameters_than_the_publication_has_are_refused() {
    let place = Place::with_corpus(9, 40);
    place.run();
    place.config(&["sketch.shingle-size = 5"]);
    for arguments in [
        &["query", "like", "0"][..],
        &["explain", "0", "1"],
        &["explain", "cluster", "0"],
        &["tune"],
    ] {
        let ran = place.pipeline(arguments);
        ran.exits(2);
        ran.says("shingle-size");
    }
    place.config(&["sketch.seed = \"another\""]);
    place.pipeline(&["query", "like", "0"]).exits(2);
    let empty = Place::new();
    empty.corpus(1, 5);
    empty.config(&[]);
    empty.pipeline(&["tune"]).exits(1);
    empty.pipeline(&["query", "like", "0"]).exits(1);
    empty.pipeline(&["explain", "cluster", "0"]).exits(1);
}

#[test]
fn explain_shows_chains_what_was_missing_and_what_changed() {
    let place = samples(&[]);
    let (members, pairs) = (place.rows("membership"), place.rows("pairs"));
    let cluster_of: BTreeMap<i64, i64> = members
        .iter()
        .map(|row| (id(&row["doc_id"]), id(&row["cluster_id"])))
        .collect();
    let linked: BTreeSet<(i64, i64)> = pairs
        .iter()
        .map(|pair| (id(&pair["a"]), id(&pair["b"])))
        .collect();
    let resemblance = |a: i64, b: i64| {
        let pair = pairs
            .iter()
            .find(|pair| (id(&pair["a"]), id(&pair["b"])) == (a.min(b), a.max(b)));
        pair.and_then(|pair| pair["resemblance"].as_f64())
    };
    let mut chains = 0;
    for (a, b) in pairs
        .iter()
        .zip(pairs.iter().skip(1))
        .map(|(one, next)| (id(&one["a"]), id(&next["b"])))
    {
        let ran = place.pipeline(&["explain", "--json", &a.to_string(), &b.to_string()]);
        ran.exits(0);
        let why = ran.json()["why"].clone();
        assert_eq!(why["together"], cluster_of[&a] == cluster_of[&b], "{a} {b}");
        if cluster_of[&a] != cluster_of[&b] {
            assert!(
                !why["missing"].as_array().expect("reasons").is_empty(),
                "{a} {b}"
            );
            assert!(!linked.contains(&(a.min(b), a.max(b))));
            continue;
        }
        let links = why["chain"]["links"].as_array().expect("links");
        let mut at = a;
        for link in links {
            let (x, y) = (id(&link["a"]), id(&link["b"]));
            assert_eq!(link["resemblance"].as_f64(), resemblance(x, y), "{x} {y}");
            at = if at == x { y } else { x };
        }
        assert_eq!(at, b, "the chain from {a} ends in {b}");
        let weakest = links
            .iter()
            .filter_map(|link| link["resemblance"].as_f64())
            .fold(f64::MAX, f64::min);
        if let Some(direct) = resemblance(a, b) {
            assert!(
                weakest >= direct,
                "the chain is no weaker than the link from {a} to {b}"
            );
        }
        chains += usize::from(links.len() > 1);
    }
    assert!(chains > 0, "no chain of two links was seen");
}

#[test]
fn a_file_that_changed_since_the_run_is_named() {
    let place = Place::new();
    place.write(
        "crawl/a.html",
        "<p>one two three four five six seven eight nine ten eleven twelve",
    );
    place.write(
        "crawl/b.html",
        "<p>one two three four five six seven eight nine ten eleven thirteen",
    );
    place.config(&["sketch.min-words = 0"]);
    place.run();
    let plain = place.pipeline(&["explain", "--json", "0", "1"]).json();
    assert_eq!(
        (&plain["a"]["changed"], &plain["passages"][0]["words"]),
        (&false.into(), &11.into())
    );
    assert_eq!(plain["passages"][0]["a"]["byte"], 3);
    // the same bytes again are no change; others are
    place.write(
        "crawl/a.html",
        "<p>one two three four five six seven eight nine ten eleven twelve",
    );
    assert_eq!(
        place.pipeline(&["explain", "--json", "0", "1"]).json()["a"]["changed"],
        false
    );
    place.write(
        "crawl/a.html",
        "<p>one two three four five six seven eight nine ten eleven and more",
    );
    let ran = place.pipeline(&["explain", "0", "1"]);
    ran.exits(0);
    assert!(
        ran.stdout().contains("changed since the run"),
        "{}",
        ran.stdout()
    );
    let ran = place.pipeline(&["compare", "0", "1"]);
    ran.exits(0);
    let note = "  0: changed since the run; its present text is compared\n";
    assert!(ran.stdout().contains(note), "{}", ran.stdout());
    std::fs::remove_file(place.path("crawl/a.html")).expect("removed");
    for question in ["explain", "compare"] {
        let gone = place.pipeline(&[question, "0", "1"]);
        gone.exits(3);
        gone.says("a.html");
        gone.says("put it back, or run again");
    }
    std::fs::create_dir(place.path("crawl/a.html")).expect("directory");
    for question in ["explain", "compare"] {
        place.pipeline(&[question, "0", "1"]).exits(3);
    }
    let page = crate::web::Server::start(&place).get("/compare/0/1");
    assert!(page.starts_with("HTTP/1.1 409"), "{page}");
    assert!(page.contains("a.html"), "{page}");
}

#[test]
fn a_cluster_is_explained_by_its_links() {
    let place = samples(&[]);
    let (clusters, pairs, members) = (
        place.rows("clusters"),
        place.rows("pairs"),
        place.rows("membership"),
    );
    let cluster_of: BTreeMap<i64, i64> = members
        .iter()
        .map(|row| (id(&row["doc_id"]), id(&row["cluster_id"])))
        .collect();
    for cluster in clusters
        .iter()
        .filter(|cluster| cluster["kind"] == "similar")
    {
        let name = id(&cluster["cluster_id"]);
        let ran = place.pipeline(&[
            "explain",
            "cluster",
            &name.to_string(),
            "--json",
            "--limit",
            "1000",
        ]);
        ran.exits(0);
        let explained = ran.json();
        let own = pairs
            .iter()
            .filter(|pair| cluster_of[&id(&pair["a"])] == name)
            .count();
        assert_eq!(explained["links"], own, "{name}");
        assert_eq!(
            explained["weakest"][0]["resemblance"], cluster["min_resemblance"],
            "{name}"
        );
        assert_eq!(explained["documents"], cluster["documents"], "{name}");
        assert_eq!(explained["kept"], cluster["kept_doc_id"], "{name}");
        let keeps = explained["star_keeps"].as_u64().expect("a number");
        let removes = explained["star_removes"].as_u64().expect("a number");
        assert_eq!(
            Some(keeps + removes),
            cluster["documents"].as_u64(),
            "{name}"
        );
    }
    // what star linkage does is what was said of it
    let more: u64 = clusters
        .iter()
        .map(|cluster| {
            let name = id(&cluster["cluster_id"]).to_string();
            place
                .pipeline(&["explain", "cluster", &name, "--json"])
                .json()["star_keeps"]
                .as_u64()
                .expect("a number")
                - 1
        })
        .sum();
    assert!(more > 0);
    let [one, several] = ["components", "star"].map(|linkage| {
        let setting = format!("cluster.linkage={linkage}");
        place.pipeline(&["run", "-q", "--set", &setting]).exits(0);
        let membership = place.rows("membership");
        let kept = membership.iter().filter(|row| row["keep"] == true);
        (kept.count() as u64, place.rows("clusters"))
    });
    assert_eq!(several.0, one.0 + more);
    // and nothing else: the same documents belong together
    for (one, several) in one.1.iter().zip(&several.1) {
        for column in ["cluster_id", "documents", "kind", "min_resemblance"] {
            assert_eq!(one[column], several[column], "{one}");
        }
    }
    assert_eq!(one.1.len(), several.1.len());
}

#[test]
fn tune_says_what_runs_with_other_thresholds_count() {
    for linkage in ["components", "star", "leader"] {
        let place = Place::with_corpus(23, 300);
        let linkage = format!("cluster.linkage = \"{linkage}\"");
        // Pairs near other thresholds are judged by their estimates.
        let settle = "cluster.settle = \"off\"";
        place.config(&[&linkage, settle]);
        place.run();
        let before = place.published();
        let tuned = place.pipeline(&["tune", "--json", "--sample", "3"]);
        tuned.exits(0);
        assert!(before == place.published(), "tune changes nothing");
        let tuned = tuned.json();
        for row in tuned["thresholds"].as_array().expect("rows") {
            let threshold = row["resemblance"].as_f64().expect("a threshold");
            if ![0.3, 0.5, 0.8].contains(&threshold) {
                continue;
            }
            place.config(&[
                &linkage,
                settle,
                &format!("cluster.resemblance = {threshold}"),
            ]);
            place.run();
            let report = std::fs::read(place.path("out/report.json")).expect("a report");
            let report: Value = serde_json::from_slice(&report).expect("JSON");
            let clusters = &report["clusters"];
            assert_eq!(row["links"], clusters["links"], "{row}");
            assert_eq!(row["clusters"], clusters["clusters"], "{row}");
            assert_eq!(row["documents"], clusters["documents"], "{row}");
            assert_eq!(row["removed"], clusters["removed_if_deduplicated"], "{row}");
            assert_eq!(row["largest"], clusters["largest"][0]["documents"], "{row}");
        }
        let sampled = tuned["between"]
            .as_array()
            .expect("bands")
            .iter()
            .flat_map(|band| band["sample"].as_array());
        let link = sampled.flatten().next().expect("a link");
        place
            .pipeline(&["explain", &link["a"].to_string(), &link["b"].to_string()])
            .exits(0);
        assert!(
            link["url_a"].is_string() && link["url_b"].is_string(),
            "{link}"
        );
    }
}

#[test]
fn tune_shows_links_on_both_sides_of_what_is_asked_drawn_by_the_seed() {
    let place = Place::with_corpus(24, 400);
    let tuned = |threads: u32, seed: &str, options: &[&str]| {
        place.config(&[
            &format!("work.threads = {threads}"),
            &format!("sketch.seed = {seed:?}"),
            "work.memory = \"1GiB\"",
            "sketch.method = { kind = \"modulus\", modulus = 1 }",
        ]);
        place.run();
        let ran = place.pipeline(&[&["tune", "--json", "--sample", "2"], options].concat());
        ran.exits(0);
        ran.json()
    };
    let one = tuned(1, "one", &["--at", "0.62"]);
    assert_eq!(
        one,
        tuned(3, "one", &["--at", "0.62"]),
        "another number of threads"
    );
    let bands = one["between"].as_array().expect("bands");
    let ends: Vec<[f64; 2]> = bands
        .iter()
        .map(|band| ["from", "to"].map(|end| band[end].as_f64().expect("a number")))
        .collect();
    assert_eq!(ends, [[0.6, 0.62], [0.62, 0.65]]);
    assert!(
        one["thresholds"]
            .as_array()
            .expect("rows")
            .iter()
            .any(|row| row["resemblance"] == 0.62)
    );
    // Every shingle is kept, so that another seed finds the same links; it draws others.
    let [one, other] = ["one", "other"].map(|seed| tuned(2, seed, &[])["between"].take());
    let links = |all: &Value| {
        all.as_array()
            .expect("bands")
            .iter()
            .map(|band| band["links"].clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(links(&one), links(&other));
    assert_ne!(one, other);
    for band in one.as_array().expect("bands") {
        let shown = band["sample"].as_array().expect("links").len() as u64;
        assert_eq!(
            Some(shown),
            band["links"].as_u64().map(|links| links.min(2)),
            "{band}"
        );
    }
    place.pipeline(&["tune", "--at", "1.5"]).exits(2);
}
