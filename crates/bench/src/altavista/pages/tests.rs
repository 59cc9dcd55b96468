//! Pages hold what the model says, in every container.

use super::*;
use crate::altavista::Change;
use clap::ValueEnum;
use model::Content;
use sketch::{FingerprintBits, FingerprintKeys, ShingleKind, SketchParams, Sketcher, TokenUnit};
use std::collections::BTreeMap;
use std::fs;

#[test]
fn pages_are_of_the_size_and_shape_of_1996() {
    let model = Model::of_pages(1, 4000);
    let pages = Pages::new(&model);
    let (mut page, mut bytes, mut words, mut tags, mut urls) = (Page::default(), 0, 0, 0, 0);
    for number in 0..4000 {
        pages.html(number, &mut page);
        assert!(page.body.is_ascii() && page.url.is_ascii());
        bytes += page.body.len();
        words += page.words.len();
        urls += page.url.len();
        tags += page.body.matches('<').count();
    }
    assert!(
        (4500..5600).contains(&(bytes / 4000)),
        "{} bytes a page",
        bytes / 4000
    );
    assert!(
        (460..560).contains(&(words / 4000)),
        "{} words a page",
        words / 4000
    );
    assert!(
        (25..45).contains(&(bytes / tags)),
        "a tag in {} bytes",
        bytes / tags
    );
    assert!(
        (50..75).contains(&(urls / 4000)),
        "{} bytes an address",
        urls / 4000
    );
}

/// Tokens, lexical fingerprint and all shingles.
fn sketched(sketcher: &mut Sketcher, content: Content<'_>) -> (u64, u64, Vec<u64>) {
    let sketched = sketcher.sketch(content);
    (
        sketched.words,
        sketched.lexical,
        sketched.fingerprints.to_vec(),
    )
}

fn exact() -> Sketcher {
    Sketcher::new(&SketchParams {
        tokens: TokenUnit::Words,
        drop_numbers: false,
        shingle_size: 10,
        shingles: ShingleKind::Set,
        sampling: model::Sampling::Modulus { modulus: 1 },
        bits: FingerprintBits::B64,
        keys: FingerprintKeys::from_seed("pages"),
    })
}

#[test]
fn relations_hold_between_real_tokens() {
    let model = Model::of_pages(2, 3000);
    let pages = Pages::new(&model);
    let (mut sketcher, mut page) = (exact(), Page::default());
    let mut firsts: BTreeMap<(u64, u64), (String, u64, Vec<u64>)> = BTreeMap::new();
    let numbers = || (0..3000).map(|number| (number, model.document(number)));
    for (number, document) in numbers().filter(|(_, document)| document.copy.is_none()) {
        pages.html(number, &mut page);
        let (words, lexical, shingles) = sketched(&mut sketcher, Content::Html(&page.body));
        assert_eq!(words as usize, page.words.len(), "page {number}");
        firsts.insert(
            (document.source, document.distinct),
            (page.body.clone(), lexical, shingles),
        );
        pages.text(number, &mut page);
        assert_eq!(
            sketched(&mut sketcher, Content::Text(&page.body)).1,
            lexical,
            "text and markup hold the same words"
        );
    }
    let mut seen = [0; 4];
    for (number, document) in numbers() {
        let Some((body, lexical, shingles)) = firsts.get(&(document.source, document.distinct))
        else {
            continue;
        };
        pages.html(number, &mut page);
        let found = sketched(&mut sketcher, Content::Html(&page.body));
        match document.copy {
            Some(Copy::Identical) => assert_eq!(&page.body, body),
            Some(Copy::Lexical(_)) => assert!(&page.body != body && found.1 == *lexical),
            Some(Copy::Shingle(_)) => {
                assert!(found.1 != *lexical && shared(&found.2, shingles) > 0.97);
            }
            None => {
                let base = &firsts
                    .get(&(document.source, 0))
                    .expect("the first of a cluster")
                    .2;
                let share = shared(&found.2, base);
                match document.change {
                    Change::None => assert_eq!(share, 1.0),
                    Change::Edited { .. } => assert!((0.7..0.99).contains(&share), "{share}"),
                    Change::Excerpt { .. } => assert!(share > 0.98, "{share}"),
                }
            }
        }
        seen[match document.copy {
            None => 0,
            Some(Copy::Identical) => 1,
            Some(Copy::Lexical(_)) => 2,
            Some(Copy::Shingle(_)) => 3,
        }] += 1;
    }
    assert!(seen.iter().all(|count| *count > 20), "{seen:?}");
}

/// Share of the first's shingles that the second has.
fn shared(of: &[u64], other: &[u64]) -> f64 {
    of.iter()
        .filter(|shingle| other.binary_search(shingle).is_ok())
        .count() as f64
        / of.len() as f64
}

#[test]
fn every_container_is_read_back_by_the_program() {
    let model = Model::of_pages(3, 500);
    let pages = Pages::new(&model);
    for container in Container::value_variants().iter().copied() {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("pages")).unwrap();
        let written = pages
            .write(container, 500, &dir.path().join("pages"))
            .unwrap();
        let text = "version = 1\n[input]\npaths = [\"pages\"]\n[work]\nmemory = \"64MiB\"\n[sketch]\nseed = \"x\"\n";
        let config = pipeline::config::parse(text, &dir.path().join("pipeline.toml")).unwrap();
        let outcome = pipeline::run(
            &config,
            &pipeline::RunOptions::default(),
            &pipeline::Reporter::silent(),
        )
        .unwrap();
        let report = outcome.report.unwrap();
        assert_eq!(
            (report.input.documents, report.input.rejected_total()),
            (500, 0),
            "{}",
            container.name()
        );
        assert_eq!(report.input.bytes, written.bytes, "{}", container.name());
        let wanted = model.expected(25, 1000).clusters as u64;
        assert!(
            report.clusters.clusters.abs_diff(wanted) <= 6,
            "{} {}",
            report.clusters.clusters,
            wanted
        );
    }
}

#[test]
fn the_same_seed_gives_the_same_bytes() {
    let dir = tempfile::tempdir().unwrap();
    let bytes = |name: &str, seed: u64| {
        let dir = dir.path().join(name);
        fs::create_dir(&dir).unwrap();
        Pages::new(&Model::of_pages(seed, 5000))
            .write(Container::WarcGz, 5000, &dir)
            .unwrap();
        ["part-000000.warc.gz", "part-000001.warc.gz"]
            .map(|name| twox_hash::XxHash3_64::oneshot(&fs::read(dir.join(name)).unwrap()))
    };
    let first = bytes("a", 4);
    assert_eq!(first, bytes("b", 4));
    assert_ne!(first, bytes("c", 5));
}
