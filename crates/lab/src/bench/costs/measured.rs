//! Phases of the program as processes of their own: generated sketches through the phases after
//! `sketch`, pages through `sketch`.
//!
//! *Input.* A collection or pages, and several configurations. *Output.* For each configuration and
//! phase the resources that it used, and what the phases counted. *Algorithm.* In each round all
//! configurations take turns; of several rounds the least CPU time counts, in each phase.

use super::Options;
use crate::bench::altavista::Model;
use crate::bench::altavista::pages::{Container, PageTotals, Pages};
use crate::bench::altavista::sketches::{ADAPTIVE, Collection, MODULUS_25, Spec, Written};
use crate::bench::child::{self, Usage};
use crate::bench::files;
use crate::bench::report::Report;
use anyhow::{Context, Result};
use engine::figures::SketchFigures;
use format::{Disk, Manifest};
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

/// The phases that run on sketches.
pub(super) const PHASES: [&str; 4] = ["distinct", "sort", "pairs", "cluster"];

/// The methods by which pages are sketched, and their configuration.
const METHODS: [(&str, &str); 2] = [("modulus 25", MODULUS_25), ("adaptive", ADAPTIVE)];

/// Bytes of a generated page.
const PAGE_BYTES: u64 = 5000;

/// Phases of one configuration, run once.
struct Round {
    /// What each phase took.
    costs: Vec<Usage>,
    manifest: Manifest,
}

/// Runs phases in several configurations, in each round all in turn. Gives the rounds of each
/// configuration; `spec` makes it from the number of the round and its own.
fn rounds(
    options: &Options,
    phases: &[&str],
    configurations: usize,
    spec: &dyn Fn(u32, usize) -> Spec,
) -> Result<Vec<Vec<Round>>> {
    let pipeline = child::pipeline()?;
    let mut all: Vec<Vec<Round>> = Vec::new();
    all.resize_with(configurations, Vec::new);
    for round in 0..options.rounds.max(1) {
        for (at, rounds) in all.iter_mut().enumerate() {
            let spec = spec(round, at);
            spec.write_configuration()?;
            let costs = phases.iter().map(|phase| one(&pipeline, &spec.dir, phase));
            rounds.push(Round {
                costs: costs.collect::<Result<_>>()?,
                manifest: manifest(&spec.dir)?,
            });
        }
    }
    Ok(all)
}

/// Runs one phase, whether or not it is done.
fn one(pipeline: &Path, dir: &Path, phase: &str) -> Result<Usage> {
    let mut command = Command::new(pipeline);
    command.args(["run", "-q", "--force"]);
    match phase {
        "cluster" => command.args(["--from", "settle", "--until", phase]),
        phase => command.args(["--only", phase]),
    };
    child::run(command.current_dir(dir)).with_context(|| format!("phase {phase}"))
}

fn manifest(dir: &Path) -> Result<Manifest> {
    Manifest::load(&Disk::default(), &dir.join("work"))?.context("failed to find the manifest")
}

/// What all phases of a run counted: `phase.name`.
pub(crate) fn counts(manifest: &Manifest) -> BTreeMap<String, u64> {
    let figures = manifest.phases.iter().flat_map(|(phase, record)| {
        let figures = record.figures.numbers().into_iter();
        figures.map(move |(name, count)| (format!("{phase}.{name}"), count))
    });
    figures.collect()
}

/// A run on sketches, measured.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Phases {
    /// How the sketches were sampled.
    pub(super) method: String,
    /// `work.memory`.
    pub(super) memory: String,
    /// The sketches.
    pub(super) written: Written,
    /// The cost of each of [`PHASES`].
    pub(super) costs: BTreeMap<&'static str, Usage>,
    /// The counts of the phases: `phase.name`.
    counts: BTreeMap<String, u64>,
    /// Bytes of the work directory at the end.
    pub(super) disk_bytes: u64,
}

impl Phases {
    /// The phases with their costs.
    pub(super) fn each(&self) -> impl Iterator<Item = (&'static str, &Usage)> {
        let cost = |phase| Some((phase, self.costs.get(phase)?));
        PHASES.into_iter().filter_map(cost)
    }

    /// CPU seconds of a phase, or of all.
    pub(super) fn cpu_s(&self, phase: Option<&str>) -> f64 {
        let asked = self
            .each()
            .filter(|(name, _)| phase.is_none_or(|phase| phase == *name));
        asked.map(|(_, usage)| usage.cpu_s()).sum()
    }

    /// A count, 0 if there is none.
    pub(super) fn count(&self, name: &str) -> u64 {
        self.counts.get(name).copied().unwrap_or(0)
    }

    /// Bytes written by the phases and for the sketches they began with.
    pub(super) fn written_bytes(&self) -> u64 {
        let by_phases: u64 = self.costs.values().map(|usage| usage.written_bytes).sum();
        self.written.bytes + by_phases
    }
}

/// Makes the sketches of a collection, runs the phases on them with `work.memory` of the options,
/// removes everything.
pub(super) fn phases(
    options: &Options,
    (name, method): (&str, &str),
    collection: &impl Collection,
    report: &mut Report,
) -> Result<Phases> {
    let memories = std::slice::from_ref(&options.memory);
    let mut found = by_memory(options, (name, method), collection, memories)?;
    let phases = found.pop().context("failed to measure")?;
    report.raw("phases", &phases)?;
    Ok(phases)
}

/// Makes the sketches, runs the phases on them with each of several budgets, removes everything.
pub(super) fn by_memory(
    options: &Options,
    (name, method): (&str, &str),
    collection: &impl Collection,
    memories: &[String],
) -> Result<Vec<Phases>> {
    let spec = options.spec(name, method);
    files::remove_dir(&spec.dir)?;
    let written = spec.write(collection)?;
    let with_memory = |_, at: usize| Spec {
        memory: memories[at].clone(),
        ..spec.clone()
    };
    let all = rounds(options, &PHASES, memories.len(), &with_memory)?;
    let measured = memories.iter().zip(all).map(|(memory, rounds)| {
        let least = |at: usize| {
            let costs = rounds.iter().map(|round| round.costs[at]);
            costs.min_by(|a, b| a.cpu_s().total_cmp(&b.cpu_s()))
        };
        let costs = PHASES.into_iter().enumerate();
        let manifest = &rounds[0].manifest;
        let outputs = manifest
            .phases
            .values()
            .flat_map(|record| record.outputs.values());
        Phases {
            method: method.to_owned(),
            memory: memory.clone(),
            written,
            costs: costs
                .filter_map(|(at, phase)| Some((phase, least(at)?)))
                .collect(),
            counts: counts(manifest),
            disk_bytes: outputs.map(|file| file.bytes).sum(),
        }
    });
    let measured = measured.collect();
    files::remove_dir(&spec.dir)?;
    Ok(measured)
}

/// A container sketched by one method.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Sketching {
    /// The container, the method, and of real pages their name.
    pub(super) name: String,
    /// The pages.
    pub(super) written: PageTotals,
    /// Its cost, with starting and with the sample that its cost is expected from.
    pub(super) usage: Usage,
    /// CPU seconds of the phase alone, as the run says.
    pub(super) phase_s: f64,
    /// Shingles kept.
    pub(super) sampled: u64,
}

impl Sketching {
    /// Megabytes of pages for each CPU second.
    pub(super) fn rate(&self) -> f64 {
        self.written.bytes as f64 / 1e6 / self.usage.cpu_s().max(1e-9)
    }
}

/// Sketches generated pages in each container by each method.
pub(super) fn generated(options: &Options, report: &mut Report) -> Result<Vec<Sketching>> {
    let documents = (options.page_bytes() / PAGE_BYTES).max(1);
    let model = Model::of_pages(options.seed, documents);
    let pages = Pages::new(&model);
    let write = |container, dir: &Path| pages.write(container, documents, dir);
    sketched(options, "", &write, report)
}

/// Writes pages container by container, sketches them by all methods in turn, removes them. Each
/// run has a directory of its own, and nothing is removed before the last: a file system may search
/// long for room where much was removed just now.
pub(super) fn sketched(
    options: &Options,
    set: &str,
    write: &dyn Fn(Container, &Path) -> Result<PageTotals>,
    report: &mut Report,
) -> Result<Vec<Sketching>> {
    let dir = options.dir.join("pages");
    let mut all = Vec::new();
    for &container in &options.containers {
        files::remove_dir(&dir)?;
        files::make_dir(&dir.join("pages"))?;
        let written = write(container, &dir.join("pages"))?;
        let spec = |round, at: usize| Spec {
            input: "../pages",
            ..options.spec(&format!("pages/{round}-{at}"), METHODS[at].1)
        };
        let found = rounds(options, &["sketch"], METHODS.len(), &spec)?;
        for ((method, _), rounds) in METHODS.iter().zip(found) {
            let measured = rounds.iter().filter_map(|round| {
                let record = round.manifest.phases.get("sketch")?;
                Some(Sketching {
                    name: format!("{}, {method}{set}", container.name()),
                    written,
                    usage: round.costs[0],
                    phase_s: record.cost.cpu_ms as f64 / 1e3,
                    sampled: record.figures.read::<SketchFigures>().sampled,
                })
            });
            let best = measured.min_by(|a, b| a.phase_s.total_cmp(&b.phase_s));
            let best = best.context("failed to find what the phase took")?;
            report.raw("sketching", &best)?;
            all.push(best);
        }
    }
    files::remove_dir(&dir)?;
    Ok(all)
}
