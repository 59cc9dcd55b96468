//! The same URLs in a finite-state transducer: the library `fst`.

use super::{Bench, Lookup, cpu_s, map, shape, size};
use anyhow::{Context, Result};
use std::fs::File;
use std::io::BufWriter;
use std::path::{Path, PathBuf};

/// What building it gave.
#[derive(Clone, Debug)]
pub struct Built {
    /// Its file.
    pub path: PathBuf,
    /// Bytes of it.
    pub bytes: u64,
    /// User and system seconds of building from sorted URLs.
    pub build_cpu_s: f64,
    /// User and system seconds of sorting them.
    pub sort_cpu_s: f64,
}

/// All URLs, in one piece of memory.
struct Urls {
    text: String,
    ends: Vec<u32>,
}

impl Urls {
    fn get(&self, n: u32) -> &str {
        let start = n
            .checked_sub(1)
            .and_then(|before| self.ends.get(before as usize))
            .copied()
            .unwrap_or(0);
        let end = self.ends.get(n as usize).copied().unwrap_or(start);
        self.text
            .get(start as usize..end as usize)
            .unwrap_or_default()
    }
}

/// Builds it; of a URL with several documents it keeps the newest.
///
/// # Errors
/// When the file cannot be written.
pub fn build(bench: &Bench) -> Result<Built> {
    let mut urls = Urls {
        text: String::new(),
        ends: Vec::new(),
    };
    let mut url = String::new();
    for doc in 0..bench.urls {
        shape::url(&mut url, doc, bench.urls);
        urls.text.push_str(&url);
        urls.ends.push(
            u32::try_from(urls.text.len()).context("failed to hold more than 4 GiB of URLs")?,
        );
    }
    let start = cpu_s();
    let mut order: Vec<u32> = (0..bench.urls).collect();
    order.sort_unstable_by(|a, b| urls.get(*a).cmp(urls.get(*b)).then(a.cmp(b)));
    let sort_cpu_s = cpu_s() - start;
    let start = cpu_s();
    let path = bench.dir.join("urls.fst");
    let file =
        File::create(&path).with_context(|| format!("failed to create {}", path.display()))?;
    let mut builder = fst::MapBuilder::new(BufWriter::new(file))?;
    for (at, doc) in order.iter().enumerate() {
        let url = urls.get(*doc);
        if order.get(at + 1).is_none_or(|next| urls.get(*next) != url) {
            builder.insert(url, u64::from(*doc))?;
        }
    }
    builder.finish()?;
    // Its pages must be on disk before the system can be asked to drop them.
    File::open(&path)?.sync_all()?;
    Ok(Built {
        bytes: size(&path)?,
        path,
        build_cpu_s: cpu_s() - start,
        sort_cpu_s,
    })
}

/// The open map.
pub struct Rival(fst::Map<memmap2::Mmap>);

/// Opens it.
///
/// # Errors
/// When it is not there or none.
pub fn open(path: &Path) -> Result<Rival> {
    let bytes = map::map(path).with_context(|| format!("failed to map {}", path.display()))?;
    Ok(Rival(fst::Map::new(bytes)?))
}

impl Lookup for Rival {
    fn find(&self, url: &str) -> Result<bool> {
        Ok(self.0.get(url).is_some())
    }
}
