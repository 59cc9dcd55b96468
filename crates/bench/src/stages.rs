//! One table of everything that takes time: kernels in memory, stages from disk to disk, in CPU
//! seconds.
//!
//! *Input.* The `pipeline` binary and [`crate::rerun::Options`], whose scale is that of the phases.
//! *Output.* A row a kernel and a stage: amount, CPU seconds, rate. *Algorithm.* Kernels and the
//! sort run in this process on its CPU clock, in turn, round by round; stages are processes of
//! their own. The best round counts. *Disk.* That of [`crate::rerun`], and twice the records of the
//! sort.

use crate::altavista::{Model, sketches};
use crate::child::{process_cpu_s, thread_cpu_s};
use crate::kernels::{Inputs, Kernel};
use crate::links;
use crate::real_pages::RealPages;
use crate::rerun::log::Log;
use crate::rerun::sketching::Sketching;
use crate::rerun::{Options, phases, sketching};
use anyhow::{Context, Result, ensure};
use format::{Disk, FileKind, RecordSpec, RecordWriter};
use model::Posting;
use serde_json::json;
use sort::{Keep, SortSpec, Sorter};
use std::path::{Path, PathBuf};
use testkit::Random;

/// Memory of the sort, as in the measurements of others.
const SORT_BYTES: usize = 256 << 20;

/// What to time besides what [`Options`] say.
#[derive(Clone, Debug)]
pub struct Stages {
    /// Sizes, program, places.
    pub options: Options,
    /// Records of the external sort.
    pub records: u64,
    /// Links of the phase `cluster` where every pair is one.
    pub links: u64,
    /// Directories of real pages, each sketched from memory and, repeated, from disk.
    pub html: Vec<PathBuf>,
}

impl Stages {
    /// Times everything and prints the table.
    ///
    /// # Errors
    /// When something cannot be written or run.
    pub fn run(&self, log: &mut Log) -> Result<()> {
        log.line("stage                                       amount         CPU-s               rate   goal")?;
        self.kernels(log)?;
        for dir in &self.html {
            self.real_pages(dir, log)?;
        }
        sketched(sketching::measure(&self.options, log)?, log)?;
        let best = (0..self.options.rounds.max(1))
            .map(|_| self.sort())
            .collect::<Result<Vec<f64>>>()?;
        let cpu_s = best.into_iter().fold(f64::INFINITY, f64::min);
        row(
            log,
            "external sort, 256 MiB, written",
            (self.records, "records"),
            cpu_s,
            ">= 18 M",
        )?;
        self.phases(log)
    }

    fn kernels(&self, log: &mut Log) -> Result<()> {
        let inputs = Inputs::generated();
        let kernels = Kernel::ALL;
        for (kernel, cpu_s) in kernels.iter().zip(self.best(&kernels, &inputs)) {
            row(log, kernel.name(), kernel.amount(&inputs), cpu_s, "")?;
        }
        Ok(())
    }

    /// The best CPU time of each kernel over rounds in which all take turns.
    fn best(&self, kernels: &[Kernel], inputs: &Inputs) -> Vec<f64> {
        let mut best = vec![f64::INFINITY; kernels.len()];
        for _ in 0..self.options.rounds.max(3) {
            for (kernel, best) in kernels.iter().zip(&mut best) {
                let before = thread_cpu_s();
                std::hint::black_box(kernel.run(inputs));
                *best = best.min(thread_cpu_s() - before);
            }
        }
        best
    }

    fn real_pages(&self, dir: &Path, log: &mut Log) -> Result<()> {
        let pages = RealPages::read(dir)?;
        let inputs = Inputs::of_pages(pages.pages.clone());
        let kernels = [
            Kernel::Tokenise,
            Kernel::SketchModulus,
            Kernel::SketchAdaptive,
        ];
        for (kernel, cpu_s) in kernels.iter().zip(self.best(&kernels, &inputs)) {
            row(
                log,
                &format!("{}: {}", kernel.name(), pages.name),
                kernel.amount(&inputs),
                cpu_s,
                "",
            )?;
        }
        drop(inputs);
        for &container in &self.options.containers {
            sketched(
                sketching::measure_real(&self.options, container, &pages, log)?,
                log,
            )?;
        }
        Ok(())
    }

    /// Random postings through the sort into a file; CPU seconds of this process, the kernel's
    /// share included.
    fn sort(&self) -> Result<f64> {
        let dir = self.options.dir.join("sort");
        std::fs::create_dir_all(&dir)
            .with_context(|| format!("failed to make {}", dir.display()))?;
        let (disk, mut random) = (Disk::default(), Random::new(self.options.seed));
        let before = process_cpu_s();
        let spec = SortSpec {
            threads: 1,
            ..SortSpec::new(disk.clone(), dir.clone(), "run".to_owned(), SORT_BYTES)
        };
        let mut sorter = Sorter::new(spec, Keep);
        for doc in 0..self.records {
            sorter.push(Posting {
                shingle: random.bits(),
                doc: doc as u32,
            })?;
        }
        let mut sorted = sorter.finish()?;
        let spec = RecordSpec::durable(dir.join("postings"), FileKind::Postings, [0; 16]);
        let mut writer: RecordWriter<Posting> = RecordWriter::create(&disk, spec)?;
        while let Some(records) = sorted.next_slice()? {
            writer.push_all(records)?;
        }
        let sealed = writer.finish()?;
        let cpu_s = process_cpu_s() - before;
        ensure!(
            sealed.records == self.records,
            "failed to sort: {} records came out",
            sealed.records
        );
        std::fs::remove_dir_all(&dir)
            .with_context(|| format!("failed to remove {}", dir.display()))?;
        Ok(cpu_s)
    }

    fn phases(&self, log: &mut Log) -> Result<()> {
        let Options {
            dir,
            memory,
            threads,
            scale,
            seed,
            ..
        } = &self.options;
        let (dir, memory, threads) = (dir.join("phases"), memory.clone(), *threads);
        let spec = sketches::Spec {
            dir,
            method: sketches::MODULUS_25.to_owned(),
            memory,
            threads,
        };
        let model = Model::of_sketches(*seed, Options::documents(*scale));
        let found = phases::measure(&self.options, &spec, &model, log)?;
        let amounts = [
            ("distinct", "sketch.documents", "documents", ""),
            ("sort", "pairs.postings", "postings", ""),
            ("pairs", "pairs.increments", "increments", ">= 100 M"),
            ("cluster", "pairs.pairs", "pairs", ""),
        ];
        for (phase, amount, unit, goal) in amounts {
            row(
                log,
                &format!("phase {phase}"),
                (found.count(amount), unit),
                found.cpu_s(Some(phase)),
                goal,
            )?;
        }
        let (cluster, links) = links::measure(&self.options, self.links)?;
        row(
            log,
            "phase cluster, every pair a link",
            (links, "links"),
            cluster.usage.cpu_s(),
            "<= 40 ns",
        )
    }
}

/// Rows of pages sketched from disk to disk: CPU seconds of the phase.
fn sketched(found: Vec<Sketching>, log: &mut Log) -> Result<()> {
    for found in found {
        let name = format!("{} to disk, {}", found.container, found.method);
        let name = if found.pages.is_empty() {
            name
        } else {
            format!("{name}: {}", found.pages)
        };
        row(log, &name, (found.written.bytes, "B"), found.phase_s, "")?;
    }
    Ok(())
}

fn row(
    log: &mut Log,
    name: &str,
    (amount, unit): (u64, &str),
    cpu_s: f64,
    goal: &str,
) -> Result<()> {
    log.raw(
        "stage",
        json!({ "name": name, "amount": amount, "unit": unit, "cpu_s": cpu_s }),
    )?;
    let rate = amount as f64 / 1e6 / cpu_s.max(1e-9);
    let each = cpu_s * 1e9 / amount.max(1) as f64;
    let amount = format!("{:.2} M {unit}", amount as f64 / 1e6);
    log.line(&format!(
        "{name:<36}{amount:>21}{cpu_s:>10.3}{rate:>12.1} M/s{each:>9.2} ns   {goal}"
    ))
}
