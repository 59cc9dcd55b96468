//! Night after night beside runs from scratch: `nights [--nights N] [--changed PER_MILLE] [--keep
//! N] [--increments] [--memory SIZE] PAGES DIR`. See [`bench::nights`].

use anyhow::{Context, Result, bail};
use bench::nights::Bench;
use std::path::PathBuf;

fn main() -> Result<()> {
    let mut bench = Bench {
        nights: 30,
        changed: 10,
        keep: None,
        memory: "256MiB".to_owned(),
        ..Bench::default()
    };
    let mut places = Vec::new();
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
            "--nights" => bench.nights = number(value()?)?,
            "--changed" => bench.changed = number(value()?)?,
            "--keep" => bench.keep = Some(number(value()?)?),
            "--increments" => bench.increments = true,
            "--memory" => bench.memory = value()?,
            option if option.starts_with('-') => bail!("failed to understand {option}"),
            place => places.push(PathBuf::from(place)),
        }
    }
    let [pages, dir] = places
        .try_into()
        .map_err(|_| anyhow::anyhow!("failed to start: name pages and a directory"))?;
    (bench.pages, bench.dir) = (pages, dir);
    bench.run()
}
