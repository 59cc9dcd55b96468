//! URL → ids: the sorted map of the query index beside a finite-state transducer of the library
//! `fst`.
//!
//! *Input.* URLs after the shapes of real ones ([`shape`]), as rows of documents. *Output.* A
//! table: bytes a URL, CPU seconds to build it, median and worst lookup with a cold and a warm page
//! cache, resident memory. *Algorithm.* Ours is built and read by the crates that the program uses;
//! a lookup reads the URL of the document it finds and compares it, and so it needs the rows, which
//! an index has anyway. `fst` holds the URLs themselves; it wants them in order, so they are sorted
//! first, in memory. Cold means: the files are opened anew after the system was asked to drop their
//! pages. *Memory.* The URLs, for `fst`. *Disk.* About 110 bytes a URL in the directory given,
//! removed at the end.

pub mod map;
pub mod opening;
pub mod ours;
pub mod rival;
pub mod shape;

use anyhow::{Context, Result};
use rustix::fs::Advice;
use rustix::time::{ClockId, clock_gettime};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// What is measured.
#[derive(Clone, Debug)]
pub struct Bench {
    /// Documents.
    pub urls: u32,
    /// Lookups with a warm page cache.
    pub lookups: u32,
    /// Lookups with a cold one.
    pub cold: u32,
    /// What sorting ours may take.
    pub memory_bytes: usize,
    /// Where files may lie.
    pub dir: PathBuf,
}

/// Something that looks URLs up.
pub trait Lookup {
    /// Whether the URL has a document.
    ///
    /// # Errors
    /// Damage.
    fn find(&self, url: &str) -> Result<bool>;
}

/// User and system seconds of this process so far.
pub fn cpu_s() -> f64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

/// Resident bytes: all, and those that are no pages of files.
fn resident_bytes() -> Result<[u64; 2]> {
    let text = std::fs::read_to_string("/proc/self/status")?;
    let kib = |key: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(key));
        line.and_then(|line| {
            line.trim()
                .trim_end_matches(" kB")
                .trim()
                .parse::<u64>()
                .ok()
        })
        .unwrap_or(0)
    };
    Ok([kib("VmRSS:") << 10, kib("RssAnon:") << 10])
}

/// Microseconds of lookups: median, one in a hundred above, worst.
fn percentiles(mut micros: Vec<f64>) -> String {
    micros.sort_unstable_by(f64::total_cmp);
    let at = |share: f64| {
        micros
            .get(((micros.len().max(1) - 1) as f64 * share) as usize)
            .copied()
            .unwrap_or(0.0)
    };
    format!(
        "median {:.1}, 99 % {:.1}, worst {:.1} us",
        at(0.5),
        at(0.99),
        at(1.0)
    )
}

fn drop_pages(files: &[PathBuf]) -> Result<()> {
    for path in files {
        rustix::fs::fadvise(&File::open(path)?, 0, None, Advice::DontNeed)?;
    }
    Ok(())
}

impl Bench {
    /// Runs all of it and prints the table.
    ///
    /// # Errors
    /// When a file cannot be written or read, or something that is there is not found.
    pub fn run(&self) -> Result<()> {
        std::fs::create_dir_all(&self.dir)
            .with_context(|| format!("failed to make {}", self.dir.display()))?;
        println!(
            "{} URLs, {} MiB for the sort",
            self.urls,
            self.memory_bytes >> 20
        );
        let ours = ours::build(self)?;
        println!(
            "rows     {:.1} bytes a document (part of any index)",
            ours.rows_bytes as f64 / f64::from(self.urls)
        );
        self.show("ours", (ours.bytes, ours.cpu_s));
        self.measure("ours", &ours.files, &|| {
            Ok(Box::new(ours::open(&self.dir, &ours.parts)?))
        })?;
        let rival = rival::build(self)?;
        self.show("fst", (rival.bytes, rival.build_cpu_s));
        println!(
            "fst      {:.1} CPU seconds more to sort the URLs in memory",
            rival.sort_cpu_s
        );
        self.measure("fst", std::slice::from_ref(&rival.path), &|| {
            Ok(Box::new(rival::open(&rival.path)?))
        })?;
        std::fs::remove_dir_all(&self.dir)
            .with_context(|| format!("failed to remove {}", self.dir.display()))
    }

    fn show(&self, name: &str, (bytes, cpu_s): (u64, f64)) {
        let each = bytes as f64 / f64::from(self.urls);
        println!(
            "{name:<8} {each:.2} bytes a URL, {bytes} in all, built in {cpu_s:.1} CPU seconds"
        );
    }

    /// Documents to look for, spread over all.
    fn wanted(&self, count: u32, salt: u64) -> impl Iterator<Item = String> + '_ {
        let step = 0x9E37_79B9_u64 | 1;
        (0..count).map(move |n| {
            let mut url = String::new();
            shape::url(
                &mut url,
                ((u64::from(n) * step + salt) % u64::from(self.urls)) as u32,
                self.urls,
            );
            url
        })
    }

    fn measure(
        &self,
        name: &str,
        files: &[PathBuf],
        open: &dyn Fn() -> Result<Box<dyn Lookup>>,
    ) -> Result<()> {
        let mut cold = Vec::new();
        let mut opening = Vec::new();
        for url in self.wanted(self.cold, 7) {
            drop_pages(files)?;
            let start = Instant::now();
            let map = open()?;
            opening.push(start.elapsed().as_secs_f64() * 1e6);
            let start = Instant::now();
            anyhow::ensure!(map.find(&url)?, "failed to find {url}");
            cold.push(start.elapsed().as_secs_f64() * 1e6);
        }
        println!("{name:<8} opening: {}", percentiles(opening));
        println!("{name:<8} cold: {}", percentiles(cold));
        let before = resident_bytes()?;
        let map = open()?;
        // Once to have the pages at hand, once for the clock.
        let mut warm = Vec::new();
        for round in 0..2 {
            warm.clear();
            for url in self.wanted(self.lookups, 11) {
                let start = Instant::now();
                let found = map.find(&url)?;
                warm.push(start.elapsed().as_secs_f64() * 1e6);
                anyhow::ensure!(found, "failed to find {url} in round {round}");
            }
        }
        println!("{name:<8} warm: {}", percentiles(warm));
        let mut missing = Vec::new();
        for url in self.wanted(self.lookups.min(20_000), 13) {
            let url = url + "x";
            let start = Instant::now();
            anyhow::ensure!(!map.find(&url)?, "failed to miss {url}");
            missing.push(start.elapsed().as_secs_f64() * 1e6);
        }
        println!("{name:<8} not there: {}", percentiles(missing));
        let after = resident_bytes()?;
        let [all, anonymous] =
            [0, 1].map(|at| after[at].saturating_sub(before[at]) as f64 / f64::from(1 << 20));
        println!("{name:<8} resident: {all:.1} MiB more, {anonymous:.1} of them no pages of files");
        Ok(())
    }
}

/// Bytes of a file.
pub(crate) fn size(path: &Path) -> Result<u64> {
    Ok(std::fs::metadata(path)
        .with_context(|| format!("failed to examine {}", path.display()))?
        .len())
}
