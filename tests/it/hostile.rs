//! Loads made to break the program, at the smallest budget, under a limit of the kernel;
//! `scripts/bench-hostile` runs them at full size.

use crate::harness::Place;
use crate::memory::{MIB, run_within};
use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::Value;
use std::io::Write;
use testkit::hostile::{Kind, Load, write_warc_record};

/// Eight times the bytes may take this many times the CPU time: time that grows with the square
/// would take 64.
const GROWTH_MAX: f64 = 20.0;

/// CPU times below this are mostly what a run costs anyway.
const CPU_S_MIN: f64 = 0.05;

/// Runs what lies in `crawl` at the smallest budget, within budget + 64 MiB.
fn endures(place: &Place) {
    for name in ["work", "out.d"] {
        // Not there before the first run.
        _ = std::fs::remove_dir_all(place.path(name));
    }
    place.config(&["work.memory = \"64MiB\""]);
    let ended = run_within(place, 128 * MIB);
    assert!(
        ended.status.success(),
        "{}",
        String::from_utf8_lossy(&ended.stderr)
    );
}

fn json(place: &Place, name: &str) -> Value {
    serde_json::from_slice(&std::fs::read(place.path(name)).expect("a file")).expect("JSON")
}

fn cpu_s(place: &Place) -> f64 {
    json(place, "out/run.json")["totals"]["cpu_s"]
        .as_f64()
        .expect("seconds")
}

/// Runs a load of JSONL.
fn run(load: Load) -> Place {
    let place = Place::new();
    let mut lines = Vec::new();
    load.write_jsonl(&mut lines).expect("lines");
    place.write("crawl/load.jsonl", lines);
    endures(&place);
    place
}

/// Runs an eighth of a load and all of it: the time must grow with the bytes.
fn run_linearly(eighth: Load, load: Load) -> Place {
    let small_s = cpu_s(&run(eighth)).max(CPU_S_MIN);
    let place = run(load);
    let large_s = cpu_s(&place);
    assert!(
        large_s <= GROWTH_MAX * small_s,
        "{:?}: {small_s} s, then {large_s} s for eight times the bytes",
        load.kind
    );
    place
}

fn documents(kind: Kind, documents: u64) -> (Load, Load) {
    let load = Load {
        kind,
        documents,
        document_bytes: 0,
    };
    (
        Load {
            documents: documents / 8,
            ..load
        },
        load,
    )
}

#[test]
fn a_shingle_of_every_document() {
    let (eighth, load) = documents(Kind::SharedShingle, 40_000);
    let place = run_linearly(eighth, load);
    let common = place.rows("common");
    assert_eq!(common.len(), 1);
    assert_eq!(common[0]["documents"], 40_000);
    assert!(place.rows("clusters").is_empty());
}

#[test]
fn shingles_of_as_many_documents_as_may_be() {
    let place = run(Load {
        kind: Kind::BelowLimit,
        documents: 2000,
        document_bytes: 0,
    });
    // Each of 26 groups of a thousand: more than the budget holds. Windows across two passages add
    // to it.
    let increments = json(&place, "out/report.json")["pairs"]["pair_increments"]
        .as_u64()
        .expect("a count");
    assert!(increments >= 26 * 999 * 500, "{increments}");
    assert!(place.rows("common").is_empty());
}

#[test]
fn near_copies_of_a_page_in_every_document() {
    let (eighth, load) = documents(Kind::NearCopies, 40_000);
    let place = run_linearly(eighth, load);
    let clusters = place.rows("clusters");
    assert_eq!(clusters.len(), 1);
    assert_eq!(clusters[0]["documents"], 40_000);
}

#[test]
fn documents_as_large_as_may_be() {
    let load = Load {
        kind: Kind::Large,
        documents: 3,
        document_bytes: 16 << 20,
    };
    let place = run_linearly(
        Load {
            document_bytes: 2 << 20,
            ..load
        },
        load,
    );
    let documents = place.rows("documents");
    assert_eq!(documents.len(), 3);
    assert!(
        documents
            .iter()
            .all(|row| row["bytes"].as_u64() > Some(16_700_000)),
        "{documents:?}"
    );
}

#[test]
fn a_great_many_tiny_documents() {
    let (eighth, load) = documents(Kind::Tiny, 200_000);
    let place = run_linearly(eighth, load);
    assert_eq!(
        json(&place, "out/report.json")["input"]["documents"],
        200_000
    );
}

#[test]
fn equal_documents() {
    let (eighth, load) = documents(Kind::Equal, 80_000);
    let place = run_linearly(eighth, load);
    let clusters = place.rows("clusters");
    assert_eq!(clusters.len(), 1);
    assert_eq!(
        (&clusters[0]["documents"], &clusters[0]["representatives"]),
        (&Value::from(80_000), &Value::from(1))
    );
}

#[test]
fn pages_of_deep_or_unclosed_markup() {
    let load = Load {
        kind: Kind::Markup,
        documents: 12,
        document_bytes: 5 << 20,
    };
    let place = run_linearly(
        Load {
            document_bytes: 5 << 17,
            ..load
        },
        load,
    );
    assert_eq!(place.rows("documents").len(), 12);
}

#[test]
fn members_of_a_kilobyte() {
    let place = Place::new();
    let load = Load {
        kind: Kind::Small,
        documents: 20_000,
        document_bytes: 0,
    };
    let mut file = Vec::new();
    load.write_warc(&mut |record| {
        let mut member = GzEncoder::new(&mut file, Compression::fast());
        member.write_all(record)?;
        member.finish().map(|_| ())
    })
    .expect("members");
    place.write("crawl/load.warc.gz", file);
    endures(&place);
    assert_eq!(place.rows("documents").len(), 20_000);
}

#[test]
fn one_member_round_all_records_and_one_record_beyond_all_bounds() {
    let place = Place::new();
    let load = Load {
        kind: Kind::Normal,
        documents: 20_000,
        document_bytes: 0,
    };
    let mut member = GzEncoder::new(Vec::new(), Compression::fast());
    write_warc_record(200_000_000, &mut |piece| member.write_all(piece)).expect("a record");
    load.write_warc(&mut |record| member.write_all(record))
        .expect("records");
    place.write("crawl/load.warc.gz", member.finish().expect("a member"));
    endures(&place);
    assert_eq!(place.rows("documents").len(), 20_000);
    let rejected = std::fs::read_to_string(place.path("out/rejected.jsonl")).expect("rejections");
    assert_eq!(rejected.lines().count(), 1, "{rejected}");
}
