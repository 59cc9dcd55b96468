//! How fast is `sketch()`? `cargo run --release -p sketch --example speed -- [ROUNDS] [--only FORM]
//! DIR…`
//!
//! Reads all pages below each DIR into memory (`.html`, `.htm`, `.html.xx`; invalid UTF-8
//! replaced), then sketches them in ROUNDS rounds (5), each with both samplings and every form of
//! the hot loops this processor can run, one after the other (with `--only FORM`: those whose name
//! holds FORM). Prints the best of the rounds: megabytes of HTML per CPU-second of the thread.
//! `scripts/fetch-manuals` fetches the pages that the figures in the documentation are about.

use model::{Content, Sampling};
use sketch::{
    Cpu, FingerprintBits, FingerprintKeys, ShingleKind, SketchParams, Sketcher, TokenUnit,
};
use std::collections::BTreeSet;
use std::error::Error;
use std::path::Path;

#[path = "../tests/pages/mod.rs"]
mod pages;

const SAMPLINGS: [(&str, Sampling); 2] = [
    ("modulus 25", Sampling::Modulus { modulus: 25 }),
    (
        "adaptive",
        Sampling::Adaptive {
            target: 128,
            coarsest_log2: 5,
        },
    ),
];

/// One way of making sketches, and what it gave.
struct Contender {
    name: String,
    sketcher: Sketcher,
    best_seconds: f64,
    words: u64,
    kept: usize,
    /// Sum over all sketches: equal for all forms, or one of them is wrong.
    check: u64,
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let rounds: u32 = match arguments.first().map(|first| first.parse()) {
        Some(Ok(rounds)) => {
            arguments.remove(0);
            rounds
        }
        _ => 5,
    };
    let only = match arguments.first().map(String::as_str) {
        Some("--only") if arguments.len() > 1 => arguments.drain(..2).nth(1).unwrap_or_default(),
        _ => String::new(),
    };
    if arguments.is_empty() {
        return Err("expected a directory".into());
    }
    println!(
        "{:<12} {:>6} {:>8}  {:<22} {:>9} {:>8} {:>9}",
        "set", "pages", "MB", "form", "MB/CPU-s", "words", "kept"
    );
    for directory in &arguments {
        measure(directory.as_ref(), rounds, &only)?;
    }
    Ok(())
}

fn measure(directory: &Path, rounds: u32, only: &str) -> Result<(), Box<dyn Error>> {
    let pages: Vec<String> = pages::below(directory)?
        .iter()
        .map(|path| pages::read(path))
        .collect::<Result<_, _>>()?;
    let megabytes = pages.iter().map(String::len).sum::<usize>() as f64 / 1e6;
    let set = directory.file_name().unwrap_or_default().to_string_lossy();
    let mut contenders = contenders();
    contenders.retain(|contender| contender.name.contains(only));
    for _ in 0..rounds {
        for contender in &mut contenders {
            contender.round(&pages)?;
        }
    }
    let checks: BTreeSet<(&str, u64)> = contenders
        .iter()
        .map(|contender| {
            (
                contender.name.split(' ').next().unwrap_or_default(),
                contender.check,
            )
        })
        .collect();
    if checks.len() > SAMPLINGS.len() {
        return Err(format!(
            "the forms give different sketches of {}",
            directory.display()
        )
        .into());
    }
    for Contender {
        name,
        best_seconds,
        words,
        kept,
        ..
    } in contenders
    {
        let speed = megabytes / best_seconds;
        println!(
            "{set:<12} {:>6} {megabytes:>8.1}  {name:<22} {speed:>9.0} {words:>8} {kept:>9}",
            pages.len()
        );
    }
    Ok(())
}

fn contenders() -> Vec<Contender> {
    let mut contenders = Vec::new();
    for (name, sampling) in SAMPLINGS {
        for cpu in Cpu::all() {
            let sketcher = Sketcher::for_cpu(&params(sampling), cpu);
            let name = format!("{name} {cpu}");
            contenders.push(Contender {
                name,
                sketcher,
                best_seconds: f64::INFINITY,
                words: 0,
                kept: 0,
                check: 0,
            });
        }
    }
    contenders
}

impl Contender {
    fn round(&mut self, pages: &[String]) -> Result<(), Box<dyn Error>> {
        (self.words, self.kept, self.check) = (0, 0, 0);
        let before = cpu_seconds()?;
        for page in pages {
            let sketched = self.sketcher.sketch(Content::Html(page));
            self.words += sketched.words;
            self.kept += sketched.fingerprints.len();
            self.check = self
                .check
                .wrapping_mul(31)
                .wrapping_add(sketched.lexical ^ sketched.sketch_digest as u64);
        }
        self.best_seconds = self.best_seconds.min(cpu_seconds()? - before);
        Ok(())
    }
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
    let first = text
        .split(' ')
        .next()
        .ok_or("expected three numbers in schedstat")?;
    Ok(first.parse::<f64>()? / 1e9)
}
