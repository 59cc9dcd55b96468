//! How long a page has to be, to be found inside a longer one: the table of
//! docs/guide/page-length.md, measured.

use crate::guide::page;
use crate::harness::Place;
use std::collections::HashMap;
use testkit::Random;

/// Words of the planted pages.
const LENGTHS: [usize; 9] = [13, 20, 30, 50, 80, 100, 200, 500, 1000];

/// Pages of each length.
const PAGES: usize = 100;

/// Words of the longer page before the planted one, and behind it.
const AROUND: usize = 1000;

fn words(random: &mut Random, count: usize) -> String {
    let words: Vec<String> = (0..count)
        .map(|_| format!("w{}", random.below(20_000)))
        .collect();
    words.join(" ")
}

/// Writes each page, and a longer one that has all of it.
fn plant(place: &Place) {
    let mut random = Random::new(7);
    let (mut pages, mut hosts) = (String::new(), String::new());
    for length in LENGTHS {
        for number in 0..PAGES {
            let [before, own, behind] =
                [AROUND, length, AROUND].map(|count| words(&mut random, count));
            let row = |id: String, text: &str| {
                serde_json::json!({"id": id, "text": text}).to_string() + "\n"
            };
            pages += &row(format!("{length}-{number}"), &own);
            hosts += &row(
                format!("host-{length}-{number}"),
                &format!("{before} {own} {behind}"),
            );
        }
    }
    place.write("pages.jsonl", pages);
    place.write("crawl/hosts.jsonl", hosts);
    place.write(
        "crawl/pages.jsonl",
        std::fs::read(place.path("pages.jsonl")).expect("the pages"),
    );
}

/// The planted pages of each length that `is_found` with the longer page.
fn counts(mut is_found: impl FnMut(&str, &str) -> bool) -> [usize; 9] {
    LENGTHS.map(|length| {
        let names = (0..PAGES).map(|number| format!("{length}-{number}"));
        names
            .filter(|name| is_found(name, &format!("host-{name}")))
            .count()
    })
}

fn linked(place: &Place) -> [usize; 9] {
    let id = |row: &serde_json::Value| row["id"].as_str().expect("an id").to_owned();
    let ids: Vec<String> = place.rows("documents").iter().map(id).collect();
    let of = |row: &serde_json::Value, side: &str| {
        ids[row[side].as_u64().expect("a doc_id") as usize].clone()
    };
    let pairs = place.rows("pairs");
    let pairs = pairs.iter().map(|row| (of(row, "a"), of(row, "b")));
    let pairs: HashMap<String, String> = pairs
        .flat_map(|(a, b)| [(a.clone(), b.clone()), (b, a)])
        .collect();
    counts(|page, host| pairs.get(page).is_some_and(|other| other == host))
}

/// The documents that `query within` finds for each page.
fn asked(place: &Place) -> [usize; 9] {
    let ask = [
        "query",
        "within",
        "--batch",
        "pages.jsonl",
        "--min",
        "0.8",
        "--json",
        "-q",
    ];
    let ran = place.pipeline(&ask);
    ran.exits(0);
    let answers: HashMap<String, String> = ran
        .stdout()
        .lines()
        .map(|line| {
            let answer: serde_json::Value = serde_json::from_str(line).expect("an answer");
            (
                answer["name"].as_str().expect("a name").to_owned(),
                line.to_owned(),
            )
        })
        .collect();
    counts(|page, host| answers[page].contains(&format!("\"{host}\"")))
}

#[test]
fn the_guide_says_which_pages_are_found_inside_longer_ones() {
    let place = Place::new();
    plant(&place);
    let containment = "cluster.containment = 0.8";
    let target = "sketch.method = { kind = \"adaptive-modulus\", target = 1024, coarsest = 32 }";
    let all = "sketch.method = { kind = \"modulus\", modulus = 1 }";
    let settings = [
        &[][..],
        &[containment],
        &[containment, target],
        &[containment, all],
    ];
    let columns = settings.map(|settings| {
        let memory = "work.memory = \"256MiB\"";
        place.config(&[settings, &[memory]].concat());
        place.run();
        let linked = linked(&place);
        if settings == [containment] {
            assert_eq!(
                asked(&place),
                linked,
                "a question is answered by the same sample"
            );
        }
        linked
    });
    let guide = page("page-length.md");
    let rows = LENGTHS.iter().enumerate().map(|(at, length)| {
        let found = columns.map(|column| column[at].to_string());
        format!("| {length} | {} |", found.join(" | "))
    });
    let rows: Vec<String> = rows.collect();
    let table = rows.join("\n");
    println!("{table}");
    assert!(
        guide.contains(&table),
        "the table of the guide is not\n{table}"
    );
}
