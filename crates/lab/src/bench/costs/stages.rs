//! One table of everything that takes time: kernels in memory, stages from disk to disk, in CPU
//! seconds.
//!
//! *Input.* The `pipeline` binary and [`Options`], whose scale is that of the phases. *Output.* A
//! row for each kernel and stage: amount, CPU seconds, rate. *Algorithm.* Kernels and the sort run
//! in this process on its CPU clock, in turn, round by round; stages are processes of their own.
//! The best round counts. *Disk.* That of [`rerun`](super::rerun), and twice the records of the
//! sort.

use super::Options;
use super::measured::{self, Sketching};
use crate::bench::altavista::groups::Groups;
use crate::bench::altavista::{Model, sketches};
use crate::bench::child::process_cpu_s;
use crate::bench::files;
use crate::bench::kernels::{self, Inputs, Kernel, Work};
use crate::bench::real_pages::RealPages;
use crate::bench::report::Report;
use crate::table::{Table, row};
use anyhow::{Context, Result, ensure};
use format::{Disk, FileKind, RecordSpec, RecordWriter};
use model::Posting;
use serde_json::json;
use sketch::Cpu;
use sort::{KeepAll, SortSpec, Sorter};
use std::path::{Path, PathBuf};
use testkit::Random;

/// Memory of the external sort.
const SORT_BYTES: usize = 256 << 20;

/// Kernels run in at least so many rounds.
const KERNEL_ROUNDS: u32 = 3;

/// The command `stages`.
#[derive(Clone, Debug, clap::Args)]
#[command(
    mut_arg("results", |arg| arg.default_value("stages-results")),
    mut_arg("scale", |arg| arg.default_value("0.01")),
    mut_arg("memory", |arg| arg.default_value("256MiB")),
    mut_arg("page_bytes", |arg| arg.default_value("200MB")),
    mut_arg("rounds", |arg| arg.default_value("3")),
)]
pub(crate) struct Stages {
    #[command(flatten)]
    options: Options,
    /// Records of the external sort.
    #[arg(long, default_value_t = 100_000_000)]
    records: u64,
    /// Links of the phase `cluster` where every pair is a link.
    #[arg(long, default_value_t = 1_000_000)]
    links: u64,
    /// A directory of real pages, sketched from memory and, repeated, from disk.
    #[arg(long, value_name = "DIR")]
    html: Vec<PathBuf>,
    /// Sketch the real pages from memory in each form of the hot loops; nothing else.
    #[arg(long, requires = "html")]
    forms: bool,
}

/// Times everything and prints the table.
pub(crate) fn run(mut stages: Stages) -> Result<()> {
    stages.options = stages.options.prepared()?;
    let mut rows = Rows {
        report: Report::new(Some(&stages.options.results))?,
        table: Table::new("Stages", []),
    };
    if stages.forms {
        for dir in &stages.html {
            stages.in_each_form(&RealPages::read(dir)?, &mut rows)?;
        }
    } else {
        stages.kernels(&kernels::ALL, &Inputs::generated(), "", &mut rows)?;
        stages.stages(&mut rows)?;
    }
    rows.report.table(&rows.table)?;
    stages.options.done();
    Ok(())
}

/// The rows so far.
struct Rows {
    report: Report,
    table: Table,
}

impl Rows {
    fn add(
        &mut self,
        name: &str,
        (amount, unit): (u64, &str),
        seconds: f64,
        goal: &str,
    ) -> Result<()> {
        let millions = amount as f64 / 1e6;
        self.table.push(row! {
            "stage": name,
            "amount, M": millions,
            "unit": unit,
            "CPU-s": seconds,
            "M/s": millions / seconds.max(1e-9),
            "ns each": seconds * 1e9 / amount.max(1) as f64,
            "goal": goal,
        });
        let result = json!({ "name": name, "amount": amount, "unit": unit, "seconds": seconds });
        self.report.raw("stage", result)
    }

    /// Rows of pages sketched from disk to disk: CPU seconds of the phase.
    fn sketched(&mut self, found: Vec<Sketching>) -> Result<()> {
        for found in found {
            let name = format!("to disk: {}", found.name);
            self.add(&name, (found.written.bytes, "B"), found.phase_s, "")?;
        }
        Ok(())
    }
}

impl Stages {
    fn stages(&self, rows: &mut Rows) -> Result<()> {
        for dir in &self.html {
            let pages = RealPages::read(dir)?;
            let inputs = Inputs::new(pages.pages.clone(), Vec::new(), 1);
            let names = ["tokenise-html", "sketch-modulus", "sketch-adaptive"];
            let mut kernels = Vec::from(kernels::ALL);
            kernels.retain(|kernel| names.contains(&kernel.name));
            self.kernels(&kernels, &inputs, &format!(": {}", pages.name), rows)?;
            drop(inputs);
            let write =
                |container, dir: &Path| pages.write(container, self.options.page_bytes(), dir);
            let set = format!(": {}", pages.name);
            let found = measured::sketched(&self.options, &set, &write, &mut rows.report)?;
            rows.sketched(found)?;
        }
        let found = measured::generated(&self.options, &mut rows.report)?;
        rows.sketched(found)?;
        let rounds = (0..self.options.rounds.max(1)).map(|_| self.sort());
        let best = rounds.collect::<Result<Vec<f64>>>()?.into_iter();
        let cpu_s = best.fold(f64::INFINITY, f64::min);
        let name = "external sort, 256 MiB, written";
        rows.add(name, (self.records, "records"), cpu_s, ">= 18 M/s")?;
        self.phases(rows)
    }

    /// Times kernels in rounds in which all take turns.
    fn kernels(
        &self,
        kernels: &[Kernel],
        inputs: &Inputs,
        set: &str,
        rows: &mut Rows,
    ) -> Result<()> {
        let prepare = |kernel: &Kernel| (kernel.prepare)(inputs, Cpu::chosen());
        let works = kernels.iter().map(prepare).collect::<Result<Vec<_>>>()?;
        for (kernel, (amount, seconds)) in kernels.iter().zip(self.best(works)?) {
            let name = format!("{}{set}", kernel.name);
            rows.add(&name, (amount, kernel.unit), seconds, "")?;
        }
        Ok(())
    }

    /// Times both samplings in each form of the hot loops that this processor has.
    fn in_each_form(&self, pages: &RealPages, rows: &mut Rows) -> Result<()> {
        let inputs = Inputs::new(pages.pages.clone(), Vec::new(), 1);
        let (mut names, mut works) = (Vec::new(), Vec::new());
        for name in ["sketch-modulus", "sketch-adaptive"] {
            let kernel = Kernel::named(name).context("failed to find a kernel")?;
            for cpu in Cpu::all() {
                names.push(format!("{name}, {cpu}: {}", pages.name));
                works.push((kernel.prepare)(&inputs, cpu)?);
            }
        }
        for (name, (amount, seconds)) in names.iter().zip(self.best(works)?) {
            rows.add(name, (amount, "B"), seconds, "")?;
        }
        Ok(())
    }

    /// Amount and least seconds of each work over rounds in which all take turns.
    fn best(&self, works: Vec<Work<'_>>) -> Result<Vec<(u64, f64)>> {
        let mut works: Vec<_> = works
            .into_iter()
            .map(|work| (work, (0, f64::INFINITY)))
            .collect();
        for _ in 0..self.options.rounds.max(KERNEL_ROUNDS) {
            for (work, (amount, best)) in &mut works {
                let before_s = process_cpu_s();
                *amount = work()?;
                *best = best.min(process_cpu_s() - before_s);
            }
        }
        Ok(works.into_iter().map(|(_, found)| found).collect())
    }

    /// Random postings through the sort into a file; CPU seconds of this process, the kernel's
    /// share included.
    fn sort(&self) -> Result<f64> {
        let dir = self.options.dir.join("sort");
        files::make_dir(&dir)?;
        let before = process_cpu_s();
        let (disk, mut random) = (Disk::default(), Random::new(self.options.seed));
        let spec = SortSpec::new(disk.clone(), dir.clone(), "run".to_owned(), SORT_BYTES);
        let mut sorter = Sorter::new(spec, KeepAll);
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
        let written = writer.finish()?.records;
        let cpu_s = process_cpu_s() - before;
        ensure!(
            written == self.records,
            "failed to sort: {written} records came out"
        );
        files::remove_dir(&dir)?;
        Ok(cpu_s)
    }

    fn phases(&self, rows: &mut Rows) -> Result<()> {
        let options = &self.options;
        let model = Model::of_sketches(options.seed, Options::documents(options.scale));
        let method = sketches::MODULUS_25;
        let found = measured::phases(options, ("phases", method), &model, &mut rows.report)?;
        for (phase, count, unit, goal) in [
            ("distinct", "sketch.documents", "documents", ""),
            ("sort", "pairs.postings", "postings", ""),
            ("pairs", "pairs.increments", "increments", ">= 100 M/s"),
            ("cluster", "pairs.pairs", "pairs", ""),
        ] {
            let (name, amount) = (format!("phase {phase}"), (found.count(count), unit));
            rows.add(&name, amount, found.cpu_s(Some(phase)), goal)?;
        }
        let groups = Groups::of_links(options.seed, self.links);
        let found = measured::phases(options, ("links", method), &groups, &mut rows.report)?;
        let (links, wanted) = (found.count("cluster.links.resemblance"), groups.links());
        ensure!(
            links == wanted,
            "failed to find all links: {links} of {wanted}"
        );
        let cpu_s = found.cpu_s(Some("cluster"));
        let name = "phase cluster, every pair a link";
        rows.add(name, (links, "links"), cpu_s, "<= 40 ns")
    }
}
