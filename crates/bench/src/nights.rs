//! A crawl every night: what each run costs that goes on from the one before, beside runs from
//! scratch.
//!
//! *Input.* A directory with HTML pages. *Output.* A line a night: pages, CPU seconds and bytes
//! written of the run, by phase, and of a run from scratch over the same snapshots on nights 1, 2,
//! 4, 8, … and the last; whether the tables are the same bytes. *Algorithm.* Each night a share of
//! the pages changes (a sentence is put in, for good), as many are new (an old page with other
//! words under another URL), and as many are gone. `increments` crawls only what is new or changed.
//! *Memory.* All pages. *Disk.* The crawls and two work directories.

use crate::real_pages::RealPages;
use anyhow::{Context, Result, ensure};
use pipeline::{Reporter, RunOptions};
use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use testkit::Random;

/// What is measured.
#[derive(Clone, Debug, Default)]
pub struct Bench {
    /// Nights.
    pub nights: u32,
    /// Pages of a thousand that change, and that are new, each night.
    pub changed: u32,
    /// Snapshots that stay; all if none.
    pub keep: Option<u32>,
    /// Whether a crawl holds only what is new or changed, instead of all pages.
    pub increments: bool,
    /// `work.memory`.
    pub memory: String,
    /// Where the pages are.
    pub pages: PathBuf,
    /// Where crawls and runs go.
    pub dir: PathBuf,
}

/// What a run cost.
struct Cost {
    by_phase: BTreeMap<String, f64>,
    cpu_s: f64,
    written_mb: f64,
}

impl Bench {
    /// Measures, and prints a table.
    ///
    /// # Errors
    /// When a run fails, or its tables are not those of a run from scratch.
    pub fn run(&self) -> Result<()> {
        let mut pages: Vec<(String, String)> = RealPages::read(&self.pages)?
            .pages
            .into_iter()
            .enumerate()
            .map(named)
            .collect();
        let mut random = Random::new(1997);
        println!(
            "night  snapshots  pages  CPU-s  sketch  distinct  sort  pairs  cluster  index  MB written  from scratch: CPU-s  MB  share"
        );
        for night in 1..=self.nights {
            if night > 1 {
                self.turn(&mut pages, night, &mut random);
            }
            self.crawl(&pages, night)?;
            let night_dir = self.dir.join("nightly");
            self.configure(&night_dir)?;
            let cost = run(&night_dir)?;
            let phases = ["sketch", "distinct", "sort", "pairs", "cluster", "index"];
            let by_phase: Vec<String> = phases
                .iter()
                .map(|phase| format!("{:.2}", cost.by_phase.get(*phase).unwrap_or(&0.0)))
                .collect();
            let snapshots = self.keep.map_or(night, |keep| keep.min(night));
            print!(
                "{night} {snapshots} {} {:.2} {} {:.1}",
                pages.len(),
                cost.cpu_s,
                by_phase.join(" "),
                cost.written_mb
            );
            if night.is_power_of_two() || night == self.nights {
                let scratch = self.dir.join("scratch");
                if scratch.exists() {
                    fs::remove_dir_all(&scratch)?;
                }
                self.configure(&scratch)?;
                fs::copy(
                    night_dir.join("snapshots.toml"),
                    scratch.join("snapshots.toml"),
                )?;
                let anew = run(&scratch)?;
                ensure!(
                    tables(&night_dir)? == tables(&scratch)?,
                    "the tables of night {night} are not those of a run from scratch"
                );
                print!(
                    " {:.2} {:.1} {:.1}%",
                    anew.cpu_s,
                    anew.written_mb,
                    100.0 * cost.cpu_s / anew.cpu_s
                );
            }
            println!();
            std::io::stdout().flush()?;
        }
        Ok(())
    }

    /// What happens between two nights.
    fn turn(&self, pages: &mut Vec<(String, String)>, night: u32, random: &mut Random) {
        let mut new = Vec::new();
        pages.retain_mut(|(url, page)| {
            let draw = random.below(1000);
            if draw < u64::from(self.changed) {
                let middle = (page.len() / 2..page.len())
                    .find(|&at| page.is_char_boundary(at) && page[at..].starts_with('<'));
                page.insert_str(middle.unwrap_or(page.len()), &sentence(night, random));
            } else if draw < u64::from(2 * self.changed) {
                let words: String = (0..40).map(|_| sentence(night, random)).collect();
                new.push((
                    format!("{url}-{night}"),
                    format!("<html><body>{words}</body></html>"),
                ));
            }
            // As many go as come.
            random.below(1000) >= u64::from(self.changed)
        });
        pages.append(&mut new);
    }

    fn crawl(&self, pages: &[(String, String)], night: u32) -> Result<()> {
        let dir = self.dir.join(format!("crawls/{night:04}"));
        fs::create_dir_all(&dir)?;
        let mut out = std::io::BufWriter::new(fs::File::create(dir.join("pages.jsonl"))?);
        for (url, html) in pages.iter().filter(|(url, html)| {
            night == 1
                || !self.increments
                || html.contains(&mark(night))
                || url.ends_with(&format!("-{night}"))
        }) {
            serde_json::to_writer(&mut out, &serde_json::json!({ "url": url, "html": html }))?;
            out.write_all(b"\n")?;
        }
        out.flush()?;
        fs::write(dir.join("_SUCCESS"), "")?;
        Ok(())
    }

    fn configure(&self, dir: &Path) -> Result<()> {
        fs::create_dir_all(dir)?;
        let keep = self
            .keep
            .map_or(String::new(), |keep| format!("keep = {keep}\n"));
        let text = format!(
            "version = 1\n[snapshots]\npath = \"../crawls/{{name}}/\"\n{keep}[work]\nmemory = \"{}\"\n[sketch]\nseed = \"nights\"\n",
            self.memory
        );
        Ok(fs::write(dir.join("pipeline.toml"), text)?)
    }
}

fn named((number, page): (usize, String)) -> (String, String) {
    (format!("https://pages.example/{number}"), page)
}

/// Ten words that nobody wrote.
fn sentence(night: u32, random: &mut Random) -> String {
    let words: Vec<String> = (0..10)
        .map(|_| format!("w{:x}", random.below(1 << 20)))
        .collect();
    format!(" {} {} ", mark(night), words.join(" "))
}

/// What only pages have that changed in a night.
fn mark(night: u32) -> String {
    format!("night {night} of")
}

fn run(dir: &Path) -> Result<Cost> {
    let config = pipeline::config::load(&dir.join("pipeline.toml"))?;
    let outcome = pipeline::run(&config, &RunOptions::default(), &Reporter::silent())?;
    let by_phase = outcome
        .run
        .phases
        .iter()
        .map(|phase| (phase.name.clone(), phase.cpu_s))
        .collect();
    let totals = outcome.run.totals;
    Ok(Cost {
        by_phase,
        cpu_s: totals.cpu_s,
        written_mb: totals.bytes_written as f64 / 1e6,
    })
}

/// The published tables.
fn tables(dir: &Path) -> Result<BTreeMap<String, Vec<u8>>> {
    let out = dir.join("out");
    let mut tables = BTreeMap::new();
    for place in [out.clone(), out.join("documents")] {
        for entry in
            fs::read_dir(&place).with_context(|| format!("failed to list {}", place.display()))?
        {
            let path = entry?.path();
            let name = path.strip_prefix(&out)?.to_string_lossy().into_owned();
            if path.is_file() && name != "run.json" && name != "cluster_changes.parquet" {
                tables.insert(name, fs::read(&path)?);
            }
        }
    }
    Ok(tables)
}
