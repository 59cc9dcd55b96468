//! Our own program, called as a user calls it.

use super::{Job, Labels, Method, Purpose};
use crate::child::{self, Usage};
use crate::peers::corpus::for_each_line;
use anyhow::{Context, Result};
use serde::Deserialize;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::process::Command;

#[derive(Deserialize)]
struct Member {
    doc_id: u64,
    cluster_id: Option<u64>,
    keep: bool,
}

pub(super) fn run(job: &Job<'_>, method: Method) -> Result<(Usage, Labels)> {
    let setting = match method {
        Method::Modulus => "method = { kind = \"modulus\", modulus = 25 }\n",
        Method::NoCommonLimit => "[pairs]\ncommon-shingle-limit = \"unlimited\"\n",
        Method::Adaptive | Method::AdaptiveCopied => "",
    };
    let text = format!(
        "version = 1\n[input]\npaths = [{:?}]\n[work]\nmemory = \"1GiB\"\nthreads = {}\n[sketch]\nseed = \"peers\"\n{setting}",
        job.corpus.path, job.threads
    );
    std::fs::write(job.dir.join("pipeline.toml"), text)
        .context("failed to write the configuration")?;
    let mut command = Command::new(job.install);
    command.args(["run", "-q"]).current_dir(job.dir);
    let mut usage = child::run(&mut command, job.limit)?.well("pipeline run")?;
    if method == Method::AdaptiveCopied || job.purpose == Purpose::Clusters {
        let exported = export(job)?;
        if method == Method::AdaptiveCopied {
            usage = usage.then(exported).then(copied(job)?);
        }
    }
    if job.purpose == Purpose::Time {
        return Ok((usage, Labels::new()));
    }
    let mut labels = vec![None; job.corpus.documents as usize];
    members(&job.dir.join("members.jsonl"), |member| {
        if let Some(label) = labels.get_mut(member.doc_id as usize) {
            *label = member.cluster_id;
        }
    })?;
    Ok((usage, labels))
}

fn export(job: &Job<'_>) -> Result<Usage> {
    let mut command = Command::new(job.install);
    command
        .args([
            "export",
            "membership",
            "--format",
            "jsonl",
            "-o",
            "members.jsonl",
        ])
        .current_dir(job.dir);
    child::run(&mut command, job.limit)?.well("pipeline export")
}

/// The copy is made by this program as a process of its own, so that it is measured as the others
/// are.
fn copied(job: &Job<'_>) -> Result<Usage> {
    let mut command = Command::new(std::env::current_exe().context("failed to find this program")?);
    command
        .arg("--copy-kept")
        .arg(&job.corpus.path)
        .current_dir(job.dir)
        .args(["members.jsonl", "kept.jsonl"]);
    child::run(&mut command, job.limit)?.well("the copy of the kept lines")
}

fn members(path: &Path, mut f: impl FnMut(Member)) -> Result<()> {
    for_each_line(path, |line| {
        f(serde_json::from_str(line).context("failed to parse a member")?);
        Ok(())
    })
}

/// Copies the lines of `corpus` that `members` says are kept to `out`.
///
/// # Errors
/// When a file cannot be read or written.
pub fn copy_kept(corpus: &Path, members_path: &Path, out: &Path) -> Result<()> {
    let mut dropped = Vec::new();
    members(members_path, |member| {
        if !member.keep {
            dropped.push(member.doc_id);
        }
    })?;
    dropped.sort_unstable();
    let file = File::create(out).with_context(|| format!("failed to make {}", out.display()))?;
    let (mut out, mut number, mut dropped) = (
        BufWriter::with_capacity(1 << 20, file),
        0,
        dropped.into_iter().peekable(),
    );
    for_each_line(corpus, |line| {
        if dropped.next_if_eq(&number).is_none() {
            out.write_all(line.as_bytes())
                .context("failed to write a line")?;
        }
        number += 1;
        Ok(())
    })?;
    out.flush().context("failed to write the copy")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exactly_the_kept_lines_are_copied() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        std::fs::write(at("corpus"), "a\nb\nc\nd\n").unwrap();
        let member = |doc, keep| {
            format!("{{\"doc_id\":{doc},\"cluster_id\":null,\"keep\":{keep},\"same_as\":1}}\n")
        };
        std::fs::write(
            at("members"),
            [
                member(0, true),
                member(1, false),
                member(2, true),
                member(3, false),
            ]
            .concat(),
        )
        .unwrap();
        copy_kept(&at("corpus"), &at("members"), &at("out")).unwrap();
        assert_eq!(std::fs::read_to_string(at("out")).unwrap(), "a\nc\n");
    }
}
