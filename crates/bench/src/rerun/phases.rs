//! Generated sketches through the phases after `sketch`.

use super::{Log, Options, remove};
use crate::altavista::{Expected, Model, sketches};
use crate::child::{self, Io, Usage};
use anyhow::{Context, Result};
use format::{Disk, Manifest};
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

/// The phases that run on sketches.
pub const PHASES: [&str; 4] = ["distinct", "sort", "pairs", "cluster"];

/// No phase may take longer.
pub(super) const LIMIT: Duration = Duration::from_secs(4 * 3600);

/// A phase, measured.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Cost {
    /// Which.
    pub phase: String,
    /// What its process took.
    pub usage: Usage,
    /// What it read and wrote.
    pub io: Io,
}

/// A run on sketches, measured.
#[derive(Clone, Debug, Serialize)]
pub struct Phases {
    /// How the sketches were sampled.
    pub method: String,
    /// `work.memory`.
    pub memory: String,
    /// The sketches.
    pub written: sketches::Written,
    /// CPU seconds it took to make them.
    pub generation_s: f64,
    /// What the model foresaw, at modulus 25.
    pub expected: Expected,
    /// The phases, in order.
    pub costs: Vec<Cost>,
    /// What they counted: `phase.name`.
    pub counts: BTreeMap<String, u64>,
    /// Bytes of the work directory at the end.
    pub disk_bytes: u64,
}

impl Phases {
    /// CPU seconds of a phase, or of all.
    pub fn cpu_s(&self, phase: Option<&str>) -> f64 {
        let wanted = self
            .costs
            .iter()
            .filter(|cost| phase.is_none_or(|phase| cost.phase == phase));
        wanted.map(|cost| cost.usage.cpu_s()).sum()
    }

    /// A count, 0 if there is none.
    pub fn count(&self, name: &str) -> u64 {
        self.counts.get(name).copied().unwrap_or(0)
    }

    /// Bytes written by the phases and for the sketches they began with.
    pub fn written_bytes(&self) -> u64 {
        self.written.bytes
            + self
                .costs
                .iter()
                .map(|cost| cost.io.written_bytes)
                .sum::<u64>()
    }

    /// Bytes of the postings, 12 each.
    pub fn posting_bytes(&self) -> u64 {
        12 * self.count("pairs.postings")
    }
}

/// Makes the sketches, runs the phases as often as asked for, removes everything.
///
/// # Errors
/// When sketches cannot be made or a phase fails.
pub fn measure(
    options: &Options,
    spec: &sketches::Spec,
    model: &Model,
    log: &mut Log,
) -> Result<Phases> {
    remove(&spec.dir)?;
    let before = child::process_cpu_s();
    let written = spec.write(model)?;
    let generation_s = child::process_cpu_s() - before;
    let phases = run(
        options,
        spec,
        Made {
            model,
            written,
            generation_s,
        },
    )?;
    log.raw("phases", &phases)?;
    remove(&spec.dir)?;
    Ok(phases)
}

/// Sketches that are there.
#[derive(Clone, Copy, Debug)]
pub(super) struct Made<'a> {
    pub(super) model: &'a Model,
    pub(super) written: sketches::Written,
    pub(super) generation_s: f64,
}

/// Runs the phases on sketches that are there.
pub(super) fn run(options: &Options, spec: &sketches::Spec, made: Made<'_>) -> Result<Phases> {
    spec.write_configuration()?;
    let mut costs: Vec<Cost> = Vec::new();
    for round in 0..options.rounds.max(1) {
        for (at, phase) in PHASES.iter().enumerate() {
            let cost = one(&options.pipeline, &spec.dir, phase)?;
            match costs.get_mut(at) {
                Some(best) if round > 0 && cost.usage.cpu_s() < best.usage.cpu_s() => *best = cost,
                Some(_) => {}
                None => costs.push(cost),
            }
        }
    }
    let work = spec.dir.join("work");
    let manifest =
        Manifest::load(&Disk::default(), &work)?.context("failed to find the manifest")?;
    let counts = manifest.phases.iter().flat_map(|(phase, record)| {
        record
            .counts
            .iter()
            .map(move |(name, count)| (format!("{phase}.{name}"), *count))
    });
    let outputs = manifest
        .phases
        .values()
        .flat_map(|record| record.outputs.values());
    Ok(Phases {
        method: spec.method.clone(),
        memory: spec.memory.clone(),
        written: made.written,
        generation_s: made.generation_s,
        expected: made.model.expected(25, 1000),
        costs,
        disk_bytes: outputs.map(|sealed| sealed.bytes).sum(),
        counts: counts.collect(),
    })
}

/// Runs one phase, whether or not it is done.
pub(crate) fn one(pipeline: &Path, dir: &Path, phase: &str) -> Result<Cost> {
    let mut command = Command::new(pipeline);
    command
        .args(["run", "-q", "--force", "--only", phase])
        .current_dir(dir);
    let ended = child::run(&mut command, LIMIT)?;
    let io = ended.io;
    Ok(Cost {
        phase: phase.to_owned(),
        usage: ended.well(&format!("pipeline run --only {phase}"))?,
        io,
    })
}
