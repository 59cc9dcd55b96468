//! More near-copies of a page than the limit of common shingles.

use crate::harness::Place;
use serde_json::Value;
use testkit::hostile::{Kind, Load};

/// Near-copies; their frame is in more than ten times the documents that may share a shingle.
const COPIES: usize = 600;

/// The clusters by size, the largest first, and the pairs.
fn run(place: &Place, settings: &[&str]) -> (Vec<u64>, Vec<Value>) {
    place.config(&[&["pairs.common-shingle-limit = 50"], settings].concat());
    place.run();
    let clusters = place.rows("clusters");
    let documents = clusters.iter().map(|row| row["documents"].as_u64());
    let mut sizes: Vec<u64> = documents.map(|n| n.expect("a number")).collect();
    sizes.sort_unstable_by_key(|size| std::cmp::Reverse(*size));
    (sizes, place.rows("pairs"))
}

#[test]
fn near_copies_beyond_the_limit_are_one_cluster() {
    let place = Place::new();
    let mut lines = Vec::new();
    let load = Load {
        kind: Kind::NearCopies,
        documents: COPIES as u64,
        document_bytes: 0,
    };
    load.write_jsonl(&mut lines).expect("lines");
    place.write("crawl/copies.jsonl", lines);
    let (sizes, pairs) = run(&place, &[]);
    assert_eq!(sizes, [COPIES as u64]);
    assert!(pairs.iter().all(|pair| pair["kind"] == "crowd"));
    // All pairs would be 300 a document.
    assert!(pairs.len() < 20 * COPIES, "{} pairs", pairs.len());
    let resemblance = |pair: &Value| pair["resemblance"].as_f64();
    assert!(pairs.iter().filter_map(resemblance).all(|r| r > 0.8));
    let [a, b] = ["a", "b"].map(|end| pairs[0][end].to_string());
    let explained = place.pipeline(&["explain", &a, &b]).stdout();
    assert!(
        explained.contains("common shingles count in the link of the two"),
        "{explained}"
    );
    let chained = place.published();
    let (sizes, pairs) = run(&place, &["pairs.crowds = \"drop\""]);
    // A few have sketches without a shingle of their own.
    assert!(
        sizes.first().is_none_or(|largest| *largest < 60),
        "{sizes:?}"
    );
    assert!(pairs.is_empty());
    run(&place, &["work.threads = 1", "work.memory = \"64MiB\""]);
    assert!(place.published() == chained);
}

/// Frequencies are estimates here: the pages are so long that their sketches are samples, and the
/// frame lies in coarser sketches than some.
#[test]
fn no_shingle_is_in_more_documents_than_there_are() {
    let place = Place::new();
    let words = |label: &str, n: u64| {
        let words = (0..n).map(|word| format!("{label}{word}"));
        words.collect::<Vec<_>>().join(" ")
    };
    let (documents, frame) = (700, words("frame", 80));
    let lines = (0..documents).map(|page| {
        let own = words(&format!("p{page}-"), 300 + page % 7 * 200);
        format!("{{\"text\": \"{frame} {own}\"}}\n")
    });
    place.write("crawl/pages.jsonl", lines.collect::<String>());
    place.config(&["pairs.common-shingle-limit = 100"]);
    place.run();
    let common = place.rows("common");
    let most = common.iter().filter_map(|row| row["documents"].as_u64());
    assert_eq!(most.max(), Some(documents));
    let asked = place.pipeline(&["query", "common", "--json"]).json();
    assert_eq!(asked["shingles"][0]["documents"], documents);
}
