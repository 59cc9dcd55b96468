//! Times `like` over pages of a run, and compares what it finds with the exact sets.
//!
//! Two runs over the same input must be there: one whose sketches are to be judged, and one with
//! `method = { kind = "modulus", modulus = 1 }` and `common-shingle-limit = "unlimited"`, whose
//! estimates are exact.
//!
//!     cargo run --release -p lab --example likeness -- pipeline.toml exact.toml 1000

use anyhow::Context;
use ask::like::{LikeRequest, LikeSearch, LikeWanted};
use config::{Config, load};
use std::collections::BTreeMap;
use std::path::Path;
use std::time::Instant;

/// Documents found, with the estimates that rank them.
type Found = BTreeMap<i64, f64>;

/// Everything that resembles a document at all, and the seconds that the answer took.
fn found(config: &Config, doc: u64, wanted: LikeWanted) -> anyhow::Result<(Found, f64)> {
    let start = Instant::now();
    let request = LikeRequest {
        name: doc.to_string().into(),
        wanted,
        limit: 1_000_000,
        least: Some(0.0),
        count: None,
    };
    let answer = LikeSearch::open(config, &request)?.one()?;
    let seconds = start.elapsed().as_secs_f64();
    let mut found = Found::new();
    for row in &answer.found {
        let estimate = match wanted {
            LikeWanted::Like => row.figures.resemblance.value,
            LikeWanted::Within => row.figures.containment_a_in_b.map_or(0.0, |one| one.value),
            LikeWanted::Contains => row.figures.containment_b_in_a.map_or(0.0, |one| one.value),
        };
        let equal = row.same.iter().map(|same| same.doc_id);
        found.extend(
            equal
                .chain([row.document.doc_id])
                .map(|doc| (doc, estimate)),
        );
    }
    Ok((found, seconds))
}

fn documents(config: &Config) -> anyhow::Result<u64> {
    let report =
        std::fs::read(config.work.output.join("report.json")).context("read report.json")?;
    let report: serde_json::Value = serde_json::from_slice(&report)?;
    report["input"]["documents"]
        .as_u64()
        .context("report.json has no documents")
}

fn main() -> anyhow::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [judged, exact, pages] = &arguments[..] else {
        anyhow::bail!("expected JUDGED.toml EXACT.toml PAGES")
    };
    let (judged, exact) = (load(Path::new(judged))?, load(Path::new(exact))?);
    let (all, pages) = (documents(&judged)?, pages.parse::<u64>()?);
    for (wanted, threshold) in [
        (LikeWanted::Like, 0.5),
        (LikeWanted::Within, 0.9),
        (LikeWanted::Contains, 0.9),
    ] {
        let (mut seconds, mut errors) = (Vec::new(), Vec::new());
        let (mut right, mut wrong, mut missed) = (0, 0, 0);
        for page in 0..pages {
            let doc = page * all / pages;
            let (estimated, took) = found(&judged, doc, wanted)?;
            let (known, _) = found(&exact, doc, wanted)?;
            seconds.push(took);
            for (other, estimate) in &estimated {
                let truth = known.get(other).copied().unwrap_or(0.0);
                if *estimate >= threshold {
                    right += u64::from(truth >= threshold);
                    wrong += u64::from(truth < threshold);
                }
                if truth >= threshold || *estimate >= threshold {
                    errors.push((truth - estimate).abs());
                }
            }
            let is_found = |doc: &i64| {
                estimated
                    .get(doc)
                    .is_some_and(|estimate| *estimate >= threshold)
            };
            missed += known
                .iter()
                .filter(|(doc, truth)| **truth >= threshold && !is_found(doc))
                .count() as u64;
        }
        seconds.sort_by(f64::total_cmp);
        let at = |share: f64| 1000.0 * seconds[((seconds.len() - 1) as f64 * share) as usize];
        println!(
            "{wanted:?} at {threshold}: median {:.2} ms, 99 % {:.2} ms, worst {:.2} ms; recall {:.4}, precision {:.4}, mean error {:.4} ({right} right, {wrong} wrong, {missed} missed)",
            at(0.5),
            at(0.99),
            at(1.0),
            right as f64 / (right + missed).max(1) as f64,
            right as f64 / (right + wrong).max(1) as f64,
            errors.iter().sum::<f64>() / errors.len().max(1) as f64,
        );
    }
    Ok(())
}
