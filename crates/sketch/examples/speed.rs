//! How fast is `sketch()`? `cargo run --release -p sketch --example speed -- DIR [ROUNDS]`
//!
//! Reads all pages below DIR into memory (`.html`, `.htm`, `.html.xx`; invalid UTF-8 replaced), then sketches them ROUNDS
//! times (3) for each sampling, and prints the best: megabytes of HTML and millions of tokens per CPU-second of the thread.

use model::{Content, Sampling};
use sketch::{FingerprintBits, FingerprintKeys, ShingleKind, SketchParams, Sketcher, TokenUnit};
use std::error::Error;

#[path = "../tests/pages/mod.rs"]
mod pages;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let directory = arguments.next().ok_or("expected a directory")?;
    let rounds: u32 = arguments.next().map_or(Ok(3), |text| text.parse())?;
    let pages: Vec<String> =
        pages::below(directory.as_ref())?.iter().map(|path| pages::read(path)).collect::<Result<_, _>>()?;
    let bytes: usize = pages.iter().map(String::len).sum();
    println!("{} pages, {:.1} MB", pages.len(), bytes as f64 / 1e6);
    for sampling in [Sampling::Modulus { modulus: 25 }, Sampling::Adaptive { target: 128, coarsest_log2: 5 }] {
        let mut sketcher = Sketcher::new(&params(sampling));
        let (mut best, mut tokens, mut kept) = (f64::INFINITY, 0, 0);
        for _ in 0..rounds {
            (tokens, kept) = (0, 0);
            let before = cpu_seconds()?;
            for page in &pages {
                let sketched = sketcher.sketch(Content::Html(page));
                tokens += sketched.words;
                kept += sketched.fingerprints.len();
            }
            best = best.min(cpu_seconds()? - before);
        }
        println!(
            "{sampling:?}: {:.0} MB of HTML and {:.1} million tokens per CPU-second; {tokens} tokens, {kept} fingerprints",
            bytes as f64 / 1e6 / best,
            tokens as f64 / 1e6 / best,
        );
    }
    Ok(())
}

fn params(sampling: Sampling) -> SketchParams {
    SketchParams {
        tokens: TokenUnit::Words,
        drop_numbers: false,
        shingle_size: 10,
        shingles: ShingleKind::Set,
        sampling,
        bits: FingerprintBits::B64,
        keys: FingerprintKeys::from_seed("speed"),
    }
}

/// Time this thread spent on a CPU, from the kernel's scheduler.
fn cpu_seconds() -> Result<f64, Box<dyn Error>> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat")?;
    let first = text.split(' ').next().ok_or("expected three numbers in schedstat")?;
    Ok(first.parse::<f64>()? / 1e9)
}
