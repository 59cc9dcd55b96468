//! Opening the whole query index of a publication with a cold page cache, and asking it for one
//! URL.
//!
//! *Input.* A configuration with a publication, and URLs of it, a line each. *Output.*
//! Microseconds: median, one in a hundred above, worst; bytes and number of the files. *Algorithm.*
//! Before each opening the system is asked to drop the pages of every file of the publication.
//! Opening is all that `pipeline query` does before its first lookup but reading the configuration.

use super::{drop_pages, percentiles, size};
use anyhow::{Context, Result, ensure};
use std::path::{Path, PathBuf};
use std::time::Instant;

fn files(dir: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in
        std::fs::read_dir(dir).with_context(|| format!("failed to list {}", dir.display()))?
    {
        let path = entry?.path();
        if path.is_dir() {
            found.append(&mut files(&path)?);
        } else {
            found.push(path);
        }
    }
    Ok(found)
}

/// Measures and prints `times` openings, cold and then warm.
///
/// # Errors
/// When there is no publication, or a URL is not found in it.
pub fn run(config: &Path, urls: &Path, times: u32) -> Result<()> {
    let config = pipeline::config::load(config)?;
    let text = std::fs::read_to_string(urls)
        .with_context(|| format!("failed to read {}", urls.display()))?;
    let urls: Vec<&str> = text.lines().collect();
    ensure!(!urls.is_empty(), "there is no URL in the list");
    let files = files(&config.work.output.canonicalize()?)?;
    let bytes = files.iter().map(|path| size(path)).sum::<Result<u64>>()?;
    println!("{} files of {bytes} bytes", files.len());
    for cold in [true, false] {
        let (mut opening, mut lookup) = (Vec::new(), Vec::new());
        for (_, url) in (0..times).zip(urls.iter().cycle()) {
            if cold {
                drop_pages(&files)?;
            }
            let start = Instant::now();
            let index = pipeline::query::open(&config)?;
            opening.push(start.elapsed().as_secs_f64() * 1e6);
            let start = Instant::now();
            ensure!(
                !index.docs_of_url(url, 1)?.docs.is_empty(),
                "failed to find {url}"
            );
            lookup.push(start.elapsed().as_secs_f64() * 1e6);
        }
        let name = if cold { "cold" } else { "warm" };
        println!("index    opening, {name}: {}", percentiles(opening));
        println!("index    first lookup, {name}: {}", percentiles(lookup));
    }
    Ok(())
}
