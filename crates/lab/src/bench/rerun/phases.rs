//! Generated sketches through the phases after `sketch`.

use super::options::Options;
use crate::bench::altavista::sketches::{Collection, Spec, Written};
use crate::bench::child::{self, Usage};
use crate::bench::files;
use crate::bench::report::Report;
use anyhow::{Context, Result};
use format::{Disk, Manifest};
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

/// The phases that run on sketches.
pub(crate) const PHASES: [&str; 4] = ["distinct", "sort", "pairs", "cluster"];

/// A run on sketches, measured.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Phases {
    /// How the sketches were sampled.
    pub(crate) method: String,
    /// `work.memory`.
    pub(crate) memory: String,
    /// The sketches.
    pub(crate) written: Written,
    /// What each of [`PHASES`] took.
    pub(crate) costs: BTreeMap<&'static str, Usage>,
    /// What the phases counted: `phase.name`.
    pub(crate) counts: BTreeMap<String, u64>,
    /// Bytes of the work directory at the end.
    pub(crate) disk_bytes: u64,
}

impl Phases {
    /// The phases with their costs.
    pub(crate) fn each(&self) -> impl Iterator<Item = (&'static str, &Usage)> {
        let cost = |phase| Some((phase, self.costs.get(phase)?));
        PHASES.into_iter().filter_map(cost)
    }

    /// CPU seconds of a phase, or of all.
    pub(crate) fn cpu_s(&self, phase: Option<&str>) -> f64 {
        self.each()
            .filter(|(name, _)| phase.is_none_or(|phase| phase == *name))
            .map(|(_, usage)| usage.cpu_s())
            .sum()
    }

    /// A count, 0 if there is none.
    pub(crate) fn count(&self, name: &str) -> u64 {
        self.counts.get(name).copied().unwrap_or(0)
    }

    /// Bytes written by the phases and for the sketches they began with.
    pub(crate) fn written_bytes(&self) -> u64 {
        let by_phases: u64 = self.costs.values().map(|usage| usage.written_bytes).sum();
        self.written.bytes + by_phases
    }
}

/// Makes the sketches, runs the phases as often as asked for, removes everything.
pub(crate) fn measure(
    options: &Options,
    spec: &Spec,
    collection: &impl Collection,
    report: &mut Report,
) -> Result<Phases> {
    let memories = std::slice::from_ref(&spec.memory);
    let mut found = measure_memories(options, spec, collection, memories)?;
    let phases = found.pop().context("failed to measure")?;
    report.raw("phases", &phases)?;
    Ok(phases)
}

/// The same with each of several budgets; of several rounds all budgets take turns.
pub(super) fn measure_memories(
    options: &Options,
    spec: &Spec,
    collection: &impl Collection,
    memories: &[String],
) -> Result<Vec<Phases>> {
    let pipeline = child::pipeline(options.pipeline.as_deref())?;
    files::remove_dir(&spec.dir)?;
    let written = spec.write(collection)?;
    let mut found: Vec<Phases> = Vec::new();
    for _ in 0..options.rounds.max(1) {
        for (at, memory) in memories.iter().enumerate() {
            let spec = Spec {
                memory: memory.clone(),
                ..spec.clone()
            };
            spec.write_configuration()?;
            let cost = |phase| one(&pipeline, &spec.dir, phase).map(|usage| (phase, usage));
            let costs = PHASES.into_iter().map(cost);
            let costs = costs.collect::<Result<BTreeMap<_, Usage>>>()?;
            if let Some(best) = found.get_mut(at) {
                for (best, cost) in best.costs.values_mut().zip(costs.into_values()) {
                    if cost.cpu_s() < best.cpu_s() {
                        *best = cost;
                    }
                }
                continue;
            }
            let (counts, disk_bytes) = counts(&spec.dir)?;
            found.push(Phases {
                method: spec.method.clone(),
                memory: memory.clone(),
                written,
                costs,
                counts,
                disk_bytes,
            });
        }
    }
    files::remove_dir(&spec.dir)?;
    Ok(found)
}

/// The manifest of a run.
pub(super) fn manifest(dir: &Path) -> Result<Manifest> {
    Manifest::load(&Disk::default(), &dir.join("work"))?.context("failed to find the manifest")
}

/// The counts of all phases, and the bytes of the work directory.
pub(crate) fn counts(dir: &Path) -> Result<(BTreeMap<String, u64>, u64)> {
    let (manifest, mut counts, mut bytes) = (manifest(dir)?, BTreeMap::new(), 0);
    for (phase, record) in &manifest.phases {
        for (name, count) in record.figures.numbers() {
            counts.insert(format!("{phase}.{name}"), count);
        }
        bytes += record.outputs.values().map(|file| file.bytes).sum::<u64>();
    }
    Ok((counts, bytes))
}

/// Runs one phase, whether or not it is done.
pub(super) fn one(pipeline: &Path, dir: &Path, phase: &str) -> Result<Usage> {
    let mut command = Command::new(pipeline);
    command.args(["run", "-q", "--force"]);
    match phase {
        "cluster" => command.args(["--from", "settle", "--until", phase]),
        phase => command.args(["--only", phase]),
    };
    child::run(command.current_dir(dir)).with_context(|| format!("phase {phase}"))
}
