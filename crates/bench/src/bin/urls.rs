//! The map of URLs beside a finite-state transducer: `urls [--urls N] [--lookups N] [--cold N]
//! [--memory SIZE] [DIR]`. See [`bench::urls`]. Or opening the query index of a publication: `urls
//! --publication CONFIG URLS [--cold N]`. See [`bench::urls::opening`].

use anyhow::{Context, Result, bail};
use bench::urls::Bench;
use std::path::PathBuf;

fn main() -> Result<()> {
    let dir = PathBuf::from(format!("urls-{}", std::process::id()));
    let mut bench = Bench {
        urls: 30_000_000,
        lookups: 200_000,
        cold: 300,
        memory_bytes: 256 << 20,
        dir,
    };
    let mut publication = None;
    let mut given = std::env::args().skip(1);
    while let Some(argument) = given.next() {
        let mut value = || {
            given
                .next()
                .with_context(|| format!("failed to find a value for {argument}"))
        };
        let number = |text: String| {
            text.parse::<u32>()
                .with_context(|| format!("failed to read {text} as a number"))
        };
        match argument.as_str() {
            "--urls" => bench.urls = number(value()?)?,
            "--lookups" => bench.lookups = number(value()?)?,
            "--cold" => bench.cold = number(value()?)?,
            "--publication" => publication = Some((value()?, value()?)),
            "--memory" => {
                let text = value()?;
                let bytes = pipeline::config::parse_size(&text).ok();
                let bytes = bytes.with_context(|| format!("failed to read {text} as a size"))?;
                bench.memory_bytes = usize::try_from(bytes)?;
            }
            option if option.starts_with('-') => bail!("failed to understand {option}"),
            dir => bench.dir = PathBuf::from(dir),
        }
    }
    match publication {
        Some((config, urls)) => {
            bench::urls::opening::run(config.as_ref(), urls.as_ref(), bench.cold)
        }
        None => bench.run(),
    }
}
