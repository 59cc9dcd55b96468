//! The tools in Rust.

use super::{Bands, Job, Labels, Purpose};
use crate::child::{self, Usage};
use crate::peers::corpus::for_each_line;
use anyhow::{Context, Result};
use serde::Deserialize;
use std::process::Command;

#[derive(Deserialize)]
struct Removed {
    row_id: usize,
    duplicate_of_row_id: usize,
}

/// One run over the file. Its report names for each removed line all kept lines that it resembles.
pub(super) fn fastdedup(job: &Job<'_>, Bands { bands, rows }: Bands) -> Result<(Usage, Labels)> {
    let mut command = Command::new(job.install);
    command
        .arg("fuzzy-dedup")
        .arg("-i")
        .arg(&job.corpus.path)
        .args(["-o", "kept.jsonl", "--field", "text"]);
    command.args([
        "--threshold",
        "0.5",
        "--word-shingles",
        "--shingle-size",
        "10",
    ]);
    command.args([
        "--num-hashes",
        &(bands * rows).to_string(),
        "--bands",
        &bands.to_string(),
    ]);
    command.args(["--rows-per-band", &rows.to_string()]);
    command
        .current_dir(job.dir)
        .env("RAYON_NUM_THREADS", job.threads.to_string());
    let usage = child::run(&mut command, job.limit)?.well("fastdedup")?;
    if job.purpose == Purpose::Time {
        return Ok((usage, Labels::new()));
    }
    let mut parents: Vec<usize> = (0..job.corpus.documents as usize).collect();
    for_each_line(&job.dir.join("kept.removed.jsonl"), |line| {
        let Removed {
            row_id,
            duplicate_of_row_id,
        } = serde_json::from_str(line).context("failed to parse a removal")?;
        let (a, b) = (
            root(&mut parents, row_id),
            root(&mut parents, duplicate_of_row_id),
        );
        parents[a.max(b)] = a.min(b);
        Ok(())
    })?;
    let labels = (0..parents.len())
        .map(|doc| Some(root(&mut parents, doc) as u64))
        .collect();
    Ok((usage, labels))
}

fn root(parents: &mut [usize], mut doc: usize) -> usize {
    while parents[doc] != doc {
        parents[doc] = parents[parents[doc]];
        doc = parents[doc];
    }
    doc
}

#[derive(Deserialize)]
struct Annotated {
    id: String,
    dup: Option<Component>,
}

#[derive(Deserialize)]
struct Component {
    cc_id: u64,
}

/// All its stages in one command. To see clusters it annotates, otherwise it removes.
pub(super) fn duplodocus(job: &Job<'_>, Bands { bands, rows }: Bands) -> Result<(Usage, Labels)> {
    for name in ["in", "storage"] {
        std::fs::create_dir(job.dir.join(name))
            .with_context(|| format!("failed to make {name}"))?;
    }
    let file = job.dir.join("in/corpus.jsonl");
    std::fs::hard_link(&job.corpus.path, &file)
        .with_context(|| format!("failed to link {}", file.display()))?;
    let clusters = job.purpose == Purpose::Clusters;
    let mut command = Command::new(job.install);
    command.args([
        "minhash-memory",
        "--input-dir",
        "in",
        "--storage-dir",
        "storage",
        "--output-dir",
        "out",
    ]);
    command.args([
        "--text-key",
        "text",
        "--tokenizer",
        "uniseg",
        "--ngram-size",
        "19",
    ]);
    command.args([
        "--num-buckets",
        &bands.to_string(),
        "--bucket-size",
        &rows.to_string(),
    ]);
    command.args([
        "--remove-duplicates",
        &(!clusters).to_string(),
        "--annotate",
        &clusters.to_string(),
    ]);
    command.args(["--annotate-key", "dup"]);
    command
        .current_dir(job.dir)
        .env("RAYON_NUM_THREADS", job.threads.to_string());
    let usage = child::run(&mut command, job.limit)?.well("duplodocus")?;
    let mut labels = Labels::new();
    if clusters {
        labels.resize(job.corpus.documents as usize, None);
        for_each_line(&job.dir.join("out/corpus.jsonl"), |line| {
            let line: Annotated = serde_json::from_str(line).context("failed to parse a line")?;
            let doc: usize = line.id.parse().context("failed to parse an id")?;
            labels[doc] = line.dup.map(|component| component.cc_id);
            Ok(())
        })?;
    }
    Ok((usage, labels))
}
