//! The tools in Python.

use super::{Install, Job, Labels, Purpose};
use crate::child::{self, Usage};
use crate::peers::corpus::for_each_line;
use anyhow::{Context, Result};
use serde::Deserialize;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A Python that can import the module.
pub(super) fn found(variable: &str, module: &str) -> Install {
    let Some(python) = std::env::var_os(variable).map(PathBuf::from) else {
        return Install::Missing(format!("set {variable} to a Python that has {module}"));
    };
    let find =
        format!("import importlib.util as u, sys; sys.exit(u.find_spec('{module}') is None)");
    let mut command = Command::new(&python);
    command
        .args(["-c", &find])
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    if command.status().is_ok_and(|status| status.success()) {
        return Install::Here(python);
    }
    Install::Missing(format!("{} has no {module}", python.display()))
}

/// A script that prints a distribution's version.
pub(super) fn version_of(distribution: &str) -> String {
    format!("import importlib.metadata as m; print('{distribution}', m.version('{distribution}'))")
}

fn python(job: &Job<'_>) -> Command {
    let mut command = Command::new(job.install);
    command.current_dir(job.dir);
    // Nothing outside the directory is read or written, and nothing fetched.
    for (name, dir) in [
        ("HF_HOME", "hf"),
        ("TMPDIR", "tmp"),
        ("XDG_CACHE_HOME", "cache"),
    ] {
        command.env(name, job.dir.join(dir));
    }
    command
        .env("HF_HUB_OFFLINE", "1")
        .env("HF_DATASETS_OFFLINE", "1")
        .env("HF_HUB_DISABLE_TELEMETRY", "1");
    command
}

fn write(path: &Path, text: &str) -> Result<()> {
    std::fs::write(path, text).with_context(|| format!("failed to write {}", path.display()))
}

/// Its clusters lie in a pickle; a few lines of Python print them.
pub(super) fn text_dedup(job: &Job<'_>) -> Result<(Usage, Labels)> {
    std::fs::create_dir(job.dir.join("tmp")).context("failed to make a directory")?;
    let config = format!(
        "[input]\ninput_type = \"local_files\"\nfile_type = \"json\"\n[input.read_arguments]\npath = \"json\"\n\
         data_files = {:?}\nsplit = \"train\"\n\
         [algorithm]\nalgorithm_name = \"minhash\"\ntext_column = \"text\"\nseed = 42\nbatch_size = 10000\nnum_proc = {}\n\
         num_perm = 125\nbands = 25\nrows = 5\nthreshold = 0.5\nngram_size = 10\nhash_bits = 64\n\
         check_false_positive = true\n\
         [output]\noutput_dir = \"out\"\nclean_cache = false\nsave_clusters = true\nkeep_index_column = true\n\
         keep_cluster_column = true\nskip_filtering = false\n[debug]\nenable_profiling = false\n",
        job.corpus.path, job.threads
    );
    write(&job.dir.join("config.toml"), &config)?;
    let usage = child::run(python(job).args(["-m", "text_dedup.minhash"]), job.limit)?
        .well("text-dedup")?;
    if job.purpose == Purpose::Time {
        return Ok((usage, Labels::new()));
    }
    let dump = "import pickle\nwith open('clusters.jsonl', 'w') as f:\n    \
                for doc, label in pickle.load(open('out/clusters.pickle', 'rb')).items():\n        \
                print(f'[{doc}, {label}]', file=f)\n";
    child::run(python(job).args(["-c", dump]), job.limit)?.well("reading its clusters")?;
    let mut labels: Labels = vec![None; job.corpus.documents as usize];
    for_each_line(&job.dir.join("clusters.jsonl"), |line| {
        let (doc, label): (usize, u64) =
            serde_json::from_str(line).context("failed to parse a cluster")?;
        labels[doc] = Some(label);
        Ok(())
    })?;
    Ok((usage, labels))
}

/// Its four stages, one task, as its documentation composes them.
const DATATROVE: &str = r#"
import sys
from datatrove.executor import LocalPipelineExecutor
from datatrove.pipeline.dedup import MinhashDedupSignature
from datatrove.pipeline.dedup.minhash import MinhashConfig, MinhashDedupBuckets, MinhashDedupCluster, MinhashDedupFilter
from datatrove.pipeline.readers import JsonlReader
from datatrove.pipeline.writers.jsonl import JsonlWriter
from datatrove.utils.hashing import HashConfig
from datatrove.utils.typeshelper import Languages

if __name__ == "__main__":
    workers = int(sys.argv[1])
    config = MinhashConfig(n_grams=10, num_buckets=25, hashes_per_bucket=5,
                           hash_config=HashConfig(precision=64, hash_fc="xxhash"))

    def read():
        return JsonlReader("in", glob_pattern="*.jsonl", text_key="text", id_key="id")

    def run(pipeline, tasks, stage):
        LocalPipelineExecutor(pipeline=pipeline, tasks=tasks, workers=min(workers, tasks), logging_dir="logs/" + stage).run()

    run([read(), MinhashDedupSignature("signatures", config=config, language=Languages.english)], 1, "1")
    run([MinhashDedupBuckets("signatures", "buckets", config=config)], config.num_buckets, "2")
    run([MinhashDedupCluster("buckets", "remove", config=config, save_cluster_id=True)], 1, "3")
    run([read(), MinhashDedupFilter("remove", exclusion_writer=JsonlWriter("removed", compression=None),
                                    load_cluster_ids=True), JsonlWriter("kept", compression=None)], 1, "4")
"#;

#[derive(Deserialize)]
struct Filtered {
    id: String,
    metadata: Metadata,
}

#[derive(Deserialize)]
struct Metadata {
    minhash_cluster_id: Option<i64>,
}

pub(super) fn datatrove(job: &Job<'_>) -> Result<(Usage, Labels)> {
    for name in ["in", "tmp"] {
        std::fs::create_dir(job.dir.join(name)).context("failed to make a directory")?;
    }
    let file = job.dir.join("in/corpus.jsonl");
    std::fs::hard_link(&job.corpus.path, &file)
        .with_context(|| format!("failed to link {}", file.display()))?;
    write(&job.dir.join("stages.py"), DATATROVE)?;
    let mut command = python(job);
    command.args(["stages.py", &job.threads.to_string()]);
    let usage = child::run(&mut command, job.limit)?.well("datatrove")?;
    let mut labels: Labels = vec![None; job.corpus.documents as usize];
    for name in ["kept", "removed"] {
        let path = job.dir.join(name).join("00000.jsonl");
        // Nothing is removed where nothing is alike.
        if job.purpose == Purpose::Time || !path.exists() {
            continue;
        }
        for_each_line(&path, |line| {
            let line: Filtered = serde_json::from_str(line).context("failed to parse a line")?;
            let doc: usize = line.id.parse().context("failed to parse an id")?;
            labels[doc] = line
                .metadata
                .minhash_cluster_id
                .and_then(|id| u64::try_from(id).ok());
            Ok(())
        })?;
    }
    Ok((usage, labels))
}
