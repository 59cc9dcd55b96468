//! The views of a publication that count: other thresholds, pairs of hosts, changes, judgements.

use crate::changes;
use crate::harness::{Place, repository};
use crate::web::{Server, samples};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use testkit::hostile::{Kind, Load};

/// The sample crawl with these settings; estimates decide.
fn run_of(settings: &[&str]) -> Place {
    let place = Place::new();
    let paths = format!(
        "input.paths = [\"{}/data-samples/jsonl\"]",
        repository().display()
    );
    let own = [paths.as_str(), "cluster.settle = \"off\""];
    place.config(&[&own, settings].concat());
    place.run();
    place
}

fn report(place: &Place) -> Value {
    let bytes = std::fs::read(place.path("out/report.json")).expect("a report");
    serde_json::from_slice(&bytes).expect("JSON")
}

/// Whether each threshold that a run looks at has the figures of a run with it.
fn has_figures_of_runs(run_with: &dyn Fn(&[&str]) -> Place, settings: &[&str]) {
    let thresholds = report(&run_with(settings))["thresholds"].clone();
    for resemblance in [0.3, 0.5, 0.7, 0.9] {
        let row = thresholds["at"].as_array().expect("rows").iter();
        let mut row = row.filter(|row| row["resemblance"] == resemblance);
        let own = format!("cluster.resemblance = {resemblance}");
        let other = report(&run_with(&[settings, &[&own]].concat()));
        let clusters = &other["clusters"];
        let expected = json!({
            "resemblance": resemblance,
            "links": clusters["links"],
            "clusters": clusters["clusters"],
            "removed": clusters["removed_if_deduplicated"],
            "bytes": other["removed"]["bytes_saved"],
            "largest": clusters["largest"][0]["documents"],
        });
        assert_eq!(row.next(), Some(&expected), "{settings:?}");
    }
}

#[test]
fn other_thresholds_are_those_of_runs() {
    for settings in [
        "cluster.keep = \"first\"",
        "cluster.keep = \"longest\"",
        "cluster.linkage = \"star\"",
    ] {
        has_figures_of_runs(&run_of, &[settings]);
    }
}

/// Many near-copies of a few short texts: the shingles that all copies of one share are common.
fn crowds(settings: &[&str]) -> Place {
    let place = Place::new();
    let mut state = 1_u32;
    let mut random = |below: u32| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) % below
    };
    let mut corpus = String::new();
    for _ in 0..240 {
        let text = random(10);
        let mut words: Vec<String> = (0..12).map(|word| format!("t{text}w{word}")).collect();
        for _ in 0..random(12) {
            let place = random(words.len() as u32) as usize;
            match random(3) {
                0 => drop(words.remove(place)),
                _ => words.insert(place, format!("x{}", random(400))),
            }
        }
        corpus += &format!("{{\"text\": \"{}\"}}\n", words.join(" "));
    }
    place.write("crawl/part.jsonl", corpus);
    let own = [
        "sketch.shingle-size = 1",
        "sketch.drop-numbers = false",
        "sketch.method = { kind = \"modulus\", modulus = 1 }",
        "input.max-document = \"64KiB\"",
        "pairs.common-shingle-limit = 15",
        "cluster.settle = \"off\"",
    ];
    place.config(&[&own, settings].concat());
    place.run();
    place
}

#[test]
fn other_thresholds_are_those_of_runs_in_crowds_and_with_containment() {
    for linkage in ["components", "star", "leader"] {
        let linkage = format!("cluster.linkage = \"{linkage}\"");
        let joins = "cluster.containment-joins = true";
        for containment in [
            &[][..],
            &["cluster.containment = 0.8"],
            &["cluster.containment = 0.9", joins],
        ] {
            let settings: Vec<&str> = [linkage.as_str()]
                .into_iter()
                .chain(containment.iter().copied())
                .collect();
            has_figures_of_runs(&crowds, &settings);
        }
    }
}

#[test]
fn the_highest_resemblances_are_those_of_all_pairs() {
    let place = run_of(&["cluster.links = \"all\"", "cluster.resemblance = 0.25"]);
    let mut highest: BTreeMap<i64, usize> = BTreeMap::new();
    let rows = place.rows("pairs");
    for row in &rows {
        let count = |name: &str| row[name].as_u64().expect("a count");
        let shared = count("shared");
        let bin = 100 * shared / (count("size_a") + count("size_b") - shared);
        for side in ["a", "b"] {
            let doc = row[side].as_i64().expect("a document");
            let best = highest.entry(doc).or_default();
            *best = (*best).max(bin as usize);
        }
    }
    let mut bins = vec![0; 100];
    for bin in highest.values() {
        bins[(*bin).min(99)] += 1;
    }
    assert!(highest.len() > 20);
    let of_default = report(&run_of(&[]))["thresholds"].clone();
    assert_eq!(of_default["highest"], json!(bins));

    let near = |side: &str| {
        let pairs = of_default[side].as_array().expect("pairs").iter();
        pairs
            .map(|pair| pair["resemblance"].as_f64().expect("a number"))
            .collect::<Vec<_>>()
    };
    let mut all: Vec<f64> = rows
        .iter()
        .filter_map(|row| row["resemblance"].as_f64())
        .collect();
    all.sort_by(f64::total_cmp);
    let line = all.partition_point(|resemblance| *resemblance < 0.5);
    let below: Vec<f64> = all[..line].iter().rev().take(10).copied().collect();
    let above: Vec<f64> = all[line..].iter().take(10).copied().collect();
    assert_eq!((near("below"), near("above")), (below, above));
}

#[test]
fn pairs_of_hosts_are_those_of_the_removed_documents() {
    let place = samples();
    let host = |url: &Value| {
        let url = url.as_str()?.split("://").nth(1)?;
        Some(url.split(['/', '?', '#']).next()?.to_lowercase())
    };
    let mut expected: BTreeMap<(String, String), [u64; 3]> = BTreeMap::new();
    for row in place.rows("removed") {
        let Some(hosts) = host(&row["url"]).zip(host(&row["kept_url"])) else {
            continue;
        };
        let sums = expected.entry(hosts).or_default();
        sums[0] += 1;
        sums[1] +=
            u64::from(["shingle", "similar"].contains(&row["class"].as_str().expect("a class")));
        sums[2] += row["bytes"].as_u64().expect("bytes");
    }
    let rows = place.rows("host_pairs");
    let text = |row: &Value, name: &str| row[name].as_str().expect("a host").to_owned();
    let found = rows.iter().map(|row| {
        let counts =
            ["documents", "near", "bytes"].map(|name| row[name].as_u64().expect("a count"));
        ((text(row, "host"), text(row, "kept_host")), counts)
    });
    assert_eq!(found.collect::<BTreeMap<_, _>>(), expected);
    assert!(expected.len() > 5);
    let counts: Vec<_> = rows
        .iter()
        .filter_map(|row| row["documents"].as_u64())
        .collect();
    assert!(counts.is_sorted_by(|a, b| a >= b), "{counts:?}");

    let page = Server::start(&place).page("/sites");
    for (host, kept_host) in expected.keys() {
        assert!(
            page.contains(host) && page.contains(kept_host),
            "{host} {kept_host}"
        );
    }
}

#[test]
fn every_step_in_time_is_shown() {
    let place = changes::place();
    let ran = place.run();
    let page = Server::start(&place).page("/time");
    for row in place.rows("moved") {
        for column in ["old_url", "new_url"] {
            let url = row[column].as_str().expect("a URL");
            assert!(page.contains(url), "{url}");
        }
    }
    for step in report(&place)["changes"]["between"]
        .as_array()
        .expect("steps")
    {
        let [new, gone] = ["new", "gone"].map(|class| step["classes"][class].to_string());
        let bar = format!("new: {new}</title>");
        assert!(
            page.contains(&bar) && page.contains(&format!("gone: {gone}</title>")),
            "{bar}"
        );
    }
    // The summary, the page and the report call the same pages slightly changed.
    let last = &report(&place)["changes"]["between"][1];
    let slightly = ["lexical", "shingle", "similar"].map(|class| &last["classes"][class]);
    let slightly: u64 = slightly.iter().filter_map(|count| count.as_u64()).sum();
    let share = last["shares"]["slightly_changed"].as_f64();
    assert_eq!(
        share,
        last["old_urls"].as_f64().map(|all| slightly as f64 / all)
    );
    let counted = format!(", {slightly} slightly changed, ");
    assert!(ran.stdout().contains(&counted), "{}", ran.stdout());
    let bar = format!("slightly changed: {slightly}</title>");
    assert!(page.matches(&bar).count() > 0, "{bar}");
    assert!(page.contains("Half of the content of a page is gone after"));
    place.pipeline(&["snapshot", "drop", "one"]).exits(0);
    place.pipeline(&["run"]).exits(0);
    let events = place.rows("cluster_changes");
    let page = Server::start(&place).page("/time");
    assert_eq!(events.is_empty(), page.contains("No cluster was born"));
    assert!(page.contains("Nothing was lost of the content"), "{page}");
    assert!(!page.contains("Half of the content"), "{page}");
}

fn token(comparison: &str) -> &str {
    let rest = comparison.split("name=\"token\" value=\"").nth(1);
    rest.and_then(|rest| rest.split('"').next())
        .expect("a token")
}

/// The names of the documents stand above a comparison. Where they have one name, the numbers do.
#[test]
fn a_comparison_is_titled_by_its_documents() {
    let place = samples();
    let server = Server::start(&place);
    let url = |doc_id: usize| {
        place.rows("documents")[doc_id]["url"]
            .as_str()
            .expect("a URL")
            .to_owned()
    };
    let titled = format!("<h1 class=\"long\">{} and {}</h1>", url(23), url(30));
    let page = server.page("/compare/23/30");
    assert!(page.contains(&titled), "{page}");
    assert!(page.contains("<code>pipeline tune --judged judgements.jsonl</code>"));
    let titled = format!("<h1 class=\"long\">{}, documents 23 and 23</h1>", url(23));
    let page = server.page("/compare/23/23");
    assert!(page.contains(&titled), "{page}");
}

/// The answer to a judgement.
fn judged(server: &Server, token: &str, [a, b]: [u32; 2], duplicate: bool) -> String {
    let body = format!("a={a}&b={b}&token={token}&duplicate={duplicate}");
    server.request(&format!(
        "POST /judge HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nConnection: close\r\n\
         Content-Type: application/x-www-form-urlencoded\r\nContent-Length: {}\r\n\r\n{body}",
        server.port,
        body.len()
    ))
}

/// A limit on the size of files stands for a disk that fills: a part of the line would fit.
#[test]
fn a_judgement_that_does_not_fit_leaves_no_half_line() {
    let place = samples();
    let line =
        |row: u32| format!("{{\"a\":{row},\"b\":9,\"duplicate\":true,\"resemblance\":0.8}}\n");
    let lines: String = (0..).map(line).take(30).collect();
    let lines = &lines[..lines[..1000].rfind('\n').expect("a line") + 1];
    place.write("judgements.jsonl", lines);
    let server = Server::limited(&place, "-f 1");
    let comparison = server.page("/compare/23/30");
    let answer = judged(&server, token(&comparison), [23, 30], true);
    assert!(answer.starts_with("HTTP/1.1 500"), "{answer}");
    let kept = std::fs::read_to_string(place.path("judgements.jsonl")).expect("judgements");
    assert_eq!(kept, lines);
    drop(server);
    Server::start(&place).page("/");
}

#[test]
fn judgements_are_kept_and_count_at_every_threshold() {
    let place = samples();
    let server = Server::start(&place);
    let comparison = server.page("/compare/23/30");
    let judge = |token: &str, a, b, duplicate| judged(&server, token, [a, b], duplicate);
    for bad in ["", "0123456789abcdef0123456789abcdef"] {
        let answer = judge(bad, 23, 30, true);
        assert!(answer.starts_with("HTTP/1.1 403"), "{answer}");
    }
    assert!(!place.path("judgements.jsonl").exists());
    let answer = judge(token(&comparison), 23, 30, true);
    assert!(answer.contains("location: /compare/23/30\r\n"), "{answer}");
    judge(token(&comparison), 15, 20, true);
    judge(token(&comparison), 15, 20, false);
    let missing = judge(token(&comparison), 1, 999, true);
    assert!(missing.starts_with("HTTP/1.1 404"), "{missing}");
    assert!(missing.contains("failed to find document 999"), "{missing}");
    let itself = judge(token(&comparison), 23, 23, true);
    assert!(itself.starts_with("HTTP/1.1 400"), "{itself}");
    assert!(!server.page("/compare/23/23").contains("/judge"));
    assert!(
        server
            .page("/compare/23/30")
            .contains("You said that they are duplicates.")
    );

    let tuned = place
        .pipeline(&["tune", "--judged", "judgements.jsonl", "--json"])
        .json();
    let explained = |a: &str, b: &str| {
        let explained = place.pipeline(&["explain", a, b, "--json"]).json();
        explained["exact"]["resemblance"]["value"]
            .as_f64()
            .expect("a number")
    };
    let (same, other) = (explained("23", "30"), explained("15", "20"));
    for row in tuned["judged"].as_array().expect("rows") {
        let at = row["resemblance"].as_f64().expect("a number");
        let expected = json!({
            "resemblance": at,
            "duplicates": u32::from(same >= at),
            "others": u32::from(other >= at),
            "missed": u32::from(same < at),
        });
        assert_eq!(row, &expected);
    }
    let text = place.pipeline(&["tune", "--judged", "judgements.jsonl"]);
    text.exits(0);
    assert!(text.stdout().contains("precision") && text.stdout().contains("100.0 %"));
    let unknown = "{\"a\": 23, \"b\": 999999, \"duplicate\": true, \"resemblance\": 0.9}\n";
    place.write("unknown.jsonl", unknown);
    let of_none = place.pipeline(&["tune", "--judged", "unknown.jsonl"]);
    of_none.exits(2);
    of_none.says("unknown.jsonl, with 1 pair, has no pair of documents of this corpus");
    let mut judgements = std::fs::read_to_string(place.path("judgements.jsonl")).expect("lines");
    judgements += unknown;
    place.write("unknown.jsonl", judgements);
    let some = place.pipeline(&["tune", "--judged", "unknown.jsonl", "--json"]);
    assert_eq!(some.json()["judged"], tuned["judged"]);
    assert_eq!(some.json()["judged_unknown"], 1);
    let some = place.pipeline(&["tune", "--judged", "unknown.jsonl"]);
    assert!(some.stdout().contains("without 1 judged pair of documents"));
    place.write("bad.jsonl", "{\"a\": 1}\n");
    let bad = place.pipeline(&["tune", "--judged", "bad.jsonl"]);
    bad.exits(2);
    bad.says("line 1 of bad.jsonl");
    place
        .pipeline(&["tune", "--judged", "missing.jsonl"])
        .exits(1);
}

#[test]
fn clusters_come_in_every_order_and_are_found_by_title() {
    let place = samples();
    let server = Server::start(&place);
    let clusters = place.rows("clusters");
    for (order, column) in [
        ("documents", "documents"),
        ("bytes-saved", "bytes_saved"),
        ("hosts", "hosts"),
    ] {
        let page = server.page(&format!("/clusters?sort={order}"));
        let ids = page.split("href=\"/cluster/").skip(1);
        let ids = ids.filter_map(|rest| rest.split('"').next()?.parse::<u64>().ok());
        let value = |id: u64| {
            let row = clusters.iter().find(|row| row["cluster_id"] == id);
            row.and_then(|row| row[column].as_u64()).expect("a number")
        };
        let values: Vec<u64> = ids.map(value).collect();
        assert!(
            values.len() > 20 && values.is_sorted_by(|a, b| a >= b),
            "{order}: {values:?}"
        );
        assert_eq!(
            Some(values[0]),
            clusters.iter().filter_map(|row| row[column].as_u64()).max()
        );
    }
    let titled = server.page("/search?q=harbour%20NOTE%201");
    assert!(titled.contains("href=\"/cluster/12\""), "{titled}");
}

#[test]
fn a_judgement_has_the_exact_resemblance_with_common_shingles() {
    let place = Place::new();
    let load = Load {
        kind: Kind::NearCopies,
        documents: 60,
        document_bytes: 0,
    };
    let mut lines = Vec::new();
    load.write_jsonl(&mut lines).expect("lines");
    place.write("crawl/copies.jsonl", lines);
    place.config(&["pairs.common-shingle-limit = 20"]);
    place.run();
    let pair = place.rows("pairs").swap_remove(0);
    let [a, b] = ["a", "b"].map(|end| pair[end].as_u64().expect("an id") as u32);
    let server = Server::start(&place);
    let comparison = server.page(&format!("/compare/{a}/{b}"));
    judged(&server, token(&comparison), [a, b], true);
    let kept = std::fs::read_to_string(place.path("judgements.jsonl")).expect("judgements");
    let kept: Value = serde_json::from_str(&kept).expect("a judgement");
    let compared = place.pipeline(&["compare", "--json", &a.to_string(), &b.to_string()]);
    let exact = &compared.json()["exact"]["resemblance"]["value"];
    assert_eq!(&kept["resemblance"], exact);
    assert!(exact.as_f64() > Some(0.8), "{exact}");
}
