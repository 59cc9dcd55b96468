//! `pipeline query` as a process: answers are those of the tables, whatever becomes of the index is
//! noticed.

use crate::harness::{Place, Ran, files_below, repository};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;

/// The sample crawl with the configuration of the repository, run.
fn samples() -> Place {
    let place = Place::new();
    let toml = fs::read_to_string(repository().join("pipeline.toml")).expect("a configuration");
    place.write("pipeline.toml", toml);
    std::os::unix::fs::symlink(
        repository().join("data-samples"),
        place.path("data-samples"),
    )
    .expect("a link");
    place.run();
    place
}

fn group(place: &Place, list: &str, arguments: &[&str]) -> Ran {
    place.write("list.txt", list);
    let mut command = place.command(&[&["query", "group"], arguments].concat());
    command.stdin(fs::File::open(place.path("list.txt")).expect("a list"));
    Ran(command.output().expect("the program starts"))
}

fn asked(place: &Place, arguments: &[&str]) -> Value {
    let ran = place.pipeline(&[&["query"], arguments, &["--json", "--limit", "1000"]].concat());
    ran.exits(0);
    ran.json()
}

#[test]
fn every_document_and_cluster_of_the_samples_is_as_in_the_tables() {
    let place = samples();
    let [documents, membership, clusters, pairs] =
        ["documents", "membership", "clusters", "pairs"].map(|table| place.rows(table));
    let cluster_of =
        |doc: &Value| membership[doc.as_u64().expect("an id") as usize]["cluster_id"].clone();
    let by_pair: BTreeMap<(i64, i64), &Value> = pairs
        .iter()
        .map(|pair| {
            (
                (
                    pair["a"].as_i64().expect("a"),
                    pair["b"].as_i64().expect("b"),
                ),
                pair,
            )
        })
        .collect();
    let mut linked = 0;
    for (document, member) in documents.iter().zip(&membership) {
        let url = document["url"].as_str().expect("a URL");
        // Of a page that was found unchanged the newest answers.
        if documents
            .iter()
            .rfind(|row| row["url"] == url)
            .is_some_and(|last| last["doc_id"] != document["doc_id"])
        {
            continue;
        }
        let answer = asked(&place, &["url", url]);
        for (column, value) in document
            .as_object()
            .expect("a row")
            .iter()
            .chain(member.as_object().expect("a row"))
        {
            let cluster = &answer["cluster"];
            match column.as_str() {
                "cluster_documents" => assert_eq!(cluster["documents"], *value, "{url}"),
                // It is held against the other tables elsewhere.
                "resemblance" => {}
                _ => assert_eq!(answer[column], *value, "{column} of {url}"),
            }
        }
        let urls: Vec<&Value> = documents
            .iter()
            .filter(|row| row["url"] == url)
            .map(|row| &row["doc_id"])
            .collect();
        assert_eq!(
            answer["doc_ids"]
                .as_array()
                .expect("ids")
                .iter()
                .rev()
                .collect::<Vec<_>>(),
            urls,
            "{url}"
        );
        let members: Vec<Value> = answer["members"].as_array().expect("members").clone();
        let expected: Vec<&Value> = membership
            .iter()
            .filter(|row| row["cluster_id"] == member["cluster_id"])
            .map(|row| &row["doc_id"])
            .collect();
        let expected = if expected.len() == 1 {
            Vec::new()
        } else {
            expected
        };
        assert_eq!(
            members
                .iter()
                .map(|other| &other["doc_id"])
                .collect::<Vec<_>>(),
            expected,
            "{url}"
        );
        for other in &members {
            let (a, b) = (
                member["doc_id"].as_i64().expect("an id"),
                other["doc_id"].as_i64().expect("an id"),
            );
            for column in ["keep", "kept_doc_id"] {
                assert_eq!(other[column], membership[b as usize][column]);
            }
            assert_eq!(cluster_of(&other["doc_id"]), member["cluster_id"]);
            if let Some(pair) = by_pair.get(&(a.min(b), a.max(b))) {
                for (column, of_pair) in [
                    ("resemblance", "resemblance"),
                    ("low", "resemblance_low"),
                    ("high", "resemblance_high"),
                ] {
                    assert_eq!(other[column], pair[of_pair], "{column} of {a} and {b}");
                }
                assert_eq!(
                    (&other["class"], &other["linked"]),
                    (&Value::from("similar"), &Value::from(true))
                );
                linked += 1;
            }
        }
    }
    assert!(linked >= 2 * 40, "{linked} links seen");
    for cluster in &clusters {
        let id = cluster["cluster_id"].to_string();
        let answer = asked(&place, &["cluster", &id]);
        for (column, value) in cluster.as_object().expect("a row") {
            let own = match column.as_str() {
                "representatives" => "distinct",
                // They are held against the other tables elsewhere.
                "hosts" | "bytes" | "bytes_saved" | "kept_id" | "kept_url" | "title" => continue,
                column => column,
            };
            assert_eq!(answer[own], *value, "{column} of cluster {id}");
        }
        assert_eq!(
            answer["members"].as_array().expect("members").len() as u64,
            cluster["documents"].as_u64().unwrap()
        );
    }
}

#[test]
fn what_is_not_there_is_exit_1_and_the_nearest_is_named() {
    let place = samples();
    let ran = place.pipeline(&[
        "query",
        "url",
        "https://www.SHOP.example:443/item/1/?sid=0a41#x",
    ]);
    ran.exits(1);
    ran.says(
        "no document has this URL or id; similar URLs:\n  137 http://shop.example/item/1?sid=0a41",
    );
    assert_eq!(ran.stdout(), "");
    let ran = place.pipeline(&["query", "url", "http://nowhere.example/\u{1b}[31m"]);
    ran.exits(1);
    assert!(
        !ran.stderr().contains('\u{1b}') && !ran.stderr().contains("similar URLs"),
        "{}",
        ran.stderr()
    );
    for id in ["194", "-1", "4294967296"] {
        let ran = place.pipeline(&["query", "doc", "--", id]);
        ran.exits(1);
        ran.says("ids go from 0 to 193");
    }
    let ran = place.pipeline(&["query", "cluster", "30"]);
    ran.exits(1);
    ran.says("document 30 is in cluster 23");
    let none = Place::with_corpus(101, 10);
    let ran = none.pipeline(&["query", "doc", "0"]);
    ran.exits(1);
    ran.says("run `pipeline run` first");
}

#[test]
fn a_list_is_grouped_best_first_and_strangers_pass_through() {
    let place = samples();
    let list = "http://edits.example/words/original.html\n\nnot here\n  3\nhttp://edits.example/words/8-per-mille.html\n23\n30";
    let grouped = group(&place, list, &["--json"]);
    grouped.exits(0);
    let json = grouped.json();
    let groups = json["groups"].as_array().expect("groups");
    let ranks: Vec<(i64, Vec<i64>)> = groups
        .iter()
        .map(|group| {
            let folded = group["folded"].as_array().expect("a list").iter();
            (
                group["rank"].as_i64().expect("a rank"),
                folded
                    .map(|line| line["rank"].as_i64().expect("a rank"))
                    .collect(),
            )
        })
        .collect();
    assert_eq!(ranks, [(1, vec![4, 5, 6]), (2, vec![]), (3, vec![])]);
    assert_eq!(json["unknown"], 1);
    let by_url = asked(&place, &["doc", "30"]);
    let member = by_url["members"]
        .as_array()
        .expect("members")
        .iter()
        .find(|row| row["doc_id"] == 23)
        .expect("there");
    assert_eq!(groups[0]["folded"][1]["resemblance"], member["resemblance"]);
    assert_eq!(groups[0]["folded"][2]["class"], "identical");
    let text = group(&place, "30\n<\u{7}>\n", &[]);
    assert!(
        text.stdout().contains("not in the corpus") && !text.stdout().contains('\u{7}'),
        "{}",
        text.stdout()
    );
    assert!(
        group(&place, "", &[])
            .stdout()
            .contains("0 lines, 0 groups")
    );
    group(&place, &"x".repeat(70_000), &[]).exits(2);
}

#[test]
fn common_shingles_come_with_their_words_and_hosts() {
    let place = Place::new();
    let footer = "this footer stands below every single page of the whole site and means nothing";
    let mut lines = String::new();
    for n in 0..60 {
        let host = if n % 3 == 0 { "a.test" } else { "B.test" };
        let words: Vec<String> = (0..40).map(|i| format!("word{n}x{i}")).collect();
        lines += &format!(
            "{{\"url\": \"http://{host}/{n}\", \"text\": \"{} {footer}\"}}\n",
            words.join(" ")
        );
    }
    place.write("crawl/pages.jsonl", lines);
    let small = "input.max-document = \"64KiB\"";
    place.config(&[small, "pairs.common-shingle-limit = 20"]);
    place.run();
    let table = place.rows("common");
    let answer = asked(&place, &["common"]);
    assert_eq!(answer["total"], table.len());
    let shingles = answer["shingles"].as_array().expect("shingles");
    let of = |rows: &[Value]| -> BTreeSet<(String, i64)> {
        let pair = |row: &Value| {
            (
                row["shingle"].as_str().expect("hex").to_owned(),
                row["documents"].as_i64().expect("a number"),
            )
        };
        rows.iter().map(pair).collect()
    };
    assert_eq!(of(shingles), of(&table));
    assert!(shingles.len() >= 5);
    for shingle in shingles {
        let words = shingle["words"].as_str().expect("words");
        assert!(
            footer.contains(words) && words.split(' ').count() == 10,
            "{words}"
        );
        assert_eq!(shingle["hosts"], 2);
        let sites = shingle["sites"].as_array().expect("sites");
        assert_eq!(
            (&sites[0]["host"], &sites[0]["documents"]),
            (&Value::from("b.test"), &Value::from(40))
        );
        assert_eq!(
            (&sites[1]["host"], &sites[1]["documents"]),
            (&Value::from("a.test"), &Value::from(20))
        );
    }
    let text = place.pipeline(&["query", "common", "-n", "1"]).stdout();
    assert!(
        text.contains("b.test 40, a.test 20") && text.contains("more; --limit shows them"),
        "{text}"
    );
    // What cannot be read again costs its words only.
    place.write("crawl/pages.jsonl", "{\"text\": \"changed\"}\n");
    let answer = asked(&place, &["common"]);
    assert_eq!(answer["shingles"][0]["words"], Value::Null);
    assert!(
        answer["shingles"][0]["no_words"]
            .as_str()
            .expect("why")
            .contains("changed since the run"),
        "{answer}"
    );
}

/// Puts another file in the place of one of the index, without touching the work file it is linked
/// to.
fn put(place: &Place, name: &str, bytes: &[u8]) {
    let path = place.path(&format!("out/index/{name}"));
    fs::remove_file(&path).expect("a file of the index");
    fs::write(path, bytes).expect("written");
}

#[test]
fn a_damaged_cut_lost_older_or_foreign_index_is_exit_5_or_gives_the_right_answer() {
    let place = Place::with_corpus(102, 150);
    place.config(&["pairs.common-shingle-limit = 20"]);
    place.run();
    let url = place.rows("documents")[7]["url"]
        .as_str()
        .expect("a URL")
        .to_owned();
    let questions: [&[&str]; 3] = [
        &["query", "url", &url],
        &["query", "cluster", "0"],
        &["query", "common", "-n", "3"],
    ];
    let answers = || {
        questions
            .map(|question| place.pipeline(question))
            .map(|ran| (ran.code(), ran.stdout(), ran.stderr()))
    };
    let right = answers();
    assert!(right.iter().all(|(code, ..)| *code == Some(0)), "{right:?}");
    let mut refused = 0;
    for (name, bytes) in files_below(&place.path("out/index")) {
        let mut wrong: Vec<Vec<u8>> = vec![
            bytes[..bytes.len() - 1].to_vec(),
            bytes[..bytes.len() / 2].to_vec(),
            Vec::new(),
        ];
        for at in [
            3,
            bytes.len() / 3,
            bytes.len() / 2,
            bytes.len().saturating_sub(20),
        ] {
            let mut bad = bytes.clone();
            bad[at] ^= 2;
            wrong.push(bad);
        }
        for bad in wrong {
            put(&place, &name, &bad);
            for ((code, stdout, stderr), right) in answers().iter().zip(&right) {
                match code {
                    Some(0) => assert_eq!(stdout, &right.1, "{name}: another answer"),
                    Some(5) => {
                        assert!(stderr.contains("pipeline run"), "{name}: {stderr}");
                        refused += 1;
                    }
                    code => panic!("{name}: exit {code:?}: {stderr}"),
                }
            }
            let found = place.pipeline(&["verify"]);
            assert_eq!(
                found.code(),
                Some(5),
                "verify passes over a damaged index/{name}"
            );
        }
        fs::remove_file(place.path(&format!("out/index/{name}"))).expect("removed");
        assert!(
            answers()
                .iter()
                .all(|(code, ..)| matches!(code, Some(0 | 5))),
            "{name} is missing"
        );
        put_back(&place, &name, &bytes);
    }
    assert!(refused > 100, "{refused} refused");
    assert!(answers() == right);
    place.pipeline(&["verify"]).exits(0);
    let page = fs::read_to_string(place.path("out/index/index.json")).expect("a page");
    put(
        &place,
        "index.json",
        page.replacen("\"version\":10", "\"version\":1", 1)
            .as_bytes(),
    );
    let ran = place.pipeline(&["query", "doc", "1"]);
    ran.exits(5);
    ran.says("index version is 1, expected 10; `pipeline run --from index --force` rebuilds it");
    place
        .pipeline(&["run", "--from", "index", "--force"])
        .exits(0);
    assert!(answers() == right);
    place.config(&[
        "pairs.common-shingle-limit = 20",
        "sketch.seed = \"another\"",
    ]);
    let ran = place.pipeline(&["query", "doc", "1"]);
    ran.exits(2);
    ran.says("were made with another seed");
    place.config(&[
        "pairs.common-shingle-limit = 20",
        "cluster.resemblance = 0.9",
    ]);
    let ran = place.pipeline(&["query", "doc", "1"]);
    ran.exits(0);
    ran.says("other settings than the configuration: resemblance was 0.5, is 0.9");
    // A whole index of another publication, made with the same seed.
    let aside = place.path("index-before");
    fs::rename(
        fs::canonicalize(place.path("out/index")).expect("an index"),
        &aside,
    )
    .expect("moved");
    place.pipeline(&["run"]).exits(0);
    let now = fs::canonicalize(place.path("out"))
        .expect("a publication")
        .join("index");
    fs::remove_dir_all(&now).expect("removed");
    fs::rename(&aside, &now).expect("moved");
    let ran = place.pipeline(&["query", "doc", "1"]);
    ran.exits(5);
    ran.says("`pipeline run --from index --force` rebuilds it");
    place
        .pipeline(&["run", "--from", "index", "--force"])
        .exits(0);
    place.pipeline(&["query", "doc", "1"]).exits(0);
}

fn put_back(place: &Place, name: &str, bytes: &[u8]) {
    fs::write(place.path(&format!("out/index/{name}")), bytes).expect("written");
}

#[test]
fn an_older_publication_answers_when_the_work_directory_has_gone_on_or_is_gone() {
    let place = Place::with_corpus(103, 120);
    place.run();
    let url = place.rows("documents")[50]["url"]
        .as_str()
        .expect("a URL")
        .to_owned();
    let answer = |name: &str| {
        let ran = place.pipeline(&["query", "url", name]);
        (ran.code(), ran.stdout())
    };
    let first = answer(&url);
    assert_eq!(first.0, Some(0));
    place.write(
        "crawl/another.jsonl",
        "{\"url\": \"http://new.test/\", \"text\": \"a page that was not there before\"}\n",
    );
    place.run();
    assert_eq!(answer("http://new.test/").0, Some(0));
    fs::remove_file(place.path("out")).expect("the link");
    std::os::unix::fs::symlink("out.d/g000001", place.path("out")).expect("a link");
    assert_eq!(answer(&url), first);
    assert_eq!(answer("http://new.test/").0, Some(1));
    fs::remove_dir_all(place.path("work")).expect("removed");
    assert_eq!(answer(&url), first);
}

#[test]
fn a_document_is_found_by_the_id_of_its_record() {
    let place = Place::new();
    let line = |id: &str, end: &str| {
        let text = format!("{} {end}", "some words that both of them have ".repeat(9));
        format!("{{\"id\":{id},\"url\":\"http://a/{end}\",\"text\":\"{text}\"}}\n")
    };
    let lines = [
        line("\"first\"", "x"),
        line("0", "y"),
        line("\"third\"", "z"),
    ];
    place.write("crawl/a.jsonl", lines.concat());
    place.config(&[]);
    place.run();
    let asked = |arguments: &[&str]| {
        let ran = place.pipeline(arguments);
        ran.exits(0);
        ran.json()
    };
    for (name, doc) in [
        ("third", 2),
        ("id:0", 1),
        ("id:first", 0),
        ("http://a/z", 2),
    ] {
        let found = asked(&["query", "url", "--json", name]);
        assert_eq!(found["doc_id"], doc, "{name}");
        assert_eq!(found["members"][2]["id"], "third");
    }
    // A number is a doc_id first.
    let explained = asked(&["explain", "--json", "0", "id:0"]);
    assert_eq!(explained["a"]["doc_id"], 0);
    assert_eq!(explained["b"]["doc_id"], 1);
    let found = asked(&["query", "like", "--json", "third"]);
    assert!(found["found"].to_string().contains("\"id\":\"first\""));
    place.pipeline(&["query", "url", "second"]).exits(1);
}

/// A has 60 words; B has its last 40, and others; C has its last 26.
#[test]
fn a_link_by_containment_is_shown_where_it_joins() {
    let place = Place::new();
    let words = |from: u32| (from..60).map(|word| format!("w{word} "));
    let line = |words: String| format!("{{\"text\":\"{words}\"}}\n");
    let lines = [
        line(words(0).collect()),
        line(words(20).chain(["and three others".to_owned()]).collect()),
        line(words(34).collect()),
    ];
    place.write("crawl/a.jsonl", lines.concat());
    let settings = [
        "sketch.shingle-size = 2",
        "cluster.containment = 0.9",
        "cluster.linkage = \"components\"",
    ];
    for (joins, linked) in [(false, [true, true, false]), (true, [true; 3])] {
        let joins = format!("cluster.containment-joins = {joins}");
        place.config(&[&settings[..], &["cluster.keep = \"first\"", &joins]].concat());
        place.run();
        let members = asked(&place, &["cluster", "0"])["members"].take();
        let members = members.as_array().expect("members").iter();
        let shown: Vec<_> = members.map(|member| member["linked"] == true).collect();
        assert_eq!(shown, linked, "{joins}");
    }
}

/// The second page is the end of the first; the fourth is a few words of the third, which is long.
#[test]
fn a_link_by_containment_is_explained_as_one() {
    let place = Place::new();
    let line = |letter: char, from: u32, to: u32| {
        let words: String = (from..to).map(|word| format!("{letter}{word} ")).collect();
        format!("{{\"text\":\"{words}\"}}\n")
    };
    let lines = [
        line('a', 0, 60),
        line('a', 34, 60),
        line('b', 0, 9_000),
        line('b', 40, 42),
    ];
    place.write("crawl/a.jsonl", lines.concat());
    let explain = |a: &str, b: &str| place.pipeline(&["explain", a, b]).stdout();
    for joins in [false, true] {
        place.config(&[
            "sketch.shingle-size = 2",
            "cluster.containment = 0.9",
            &format!("cluster.containment-joins = {joins}"),
        ]);
        place.run();
        let shown = match joins {
            false => "  1.0000 of A is in B, but containment-joins is false\n",
            true => "  linked by containment\n",
        };
        assert!(explain("1", "0").contains(shown), "{}", explain("1", "0"));
    }
    let coarse = "  B has no shingle in the sketches that are compared, which keep one in 32\n";
    assert!(explain("2", "3").contains(coarse), "{}", explain("2", "3"));
    let removed = place.pipeline(&["dedup", "--dry-run"]).stdout();
    assert!(
        removed.contains(" 1.0000 of its shingles are in the kept one; differences: "),
        "{removed}"
    );
}
