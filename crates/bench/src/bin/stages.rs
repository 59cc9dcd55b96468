//! Kernels and stages in one table: `stages [--records N] [--links N] [--pages SIZE] [--scale X]
//! [--rounds N] [--html DIR]… [--memory SIZE] [--threads N] [--results DIR] [--pipeline FILE]
//! [DIR]`. See [`bench::stages`].

use anyhow::{Context, Result, bail};
use bench::altavista::pages::Container;
use bench::rerun::Options;
use bench::rerun::log::Log;
use bench::stages::Stages;
use std::path::PathBuf;

fn main() -> Result<()> {
    let beside = std::env::current_exe()
        .context("failed to find this program")?
        .with_file_name("pipeline");
    let options = Options {
        pipeline: beside,
        dir: PathBuf::from(format!("stages-{}", std::process::id())),
        results: PathBuf::from("stages-results"),
        scale: 0.01,
        adaptive_scale: 0.0,
        memory: "256MiB".to_owned(),
        threads: 1,
        page_bytes: 200_000_000,
        rounds: 3,
        containers: vec![Container::Warc, Container::WarcGz, Container::Jsonl],
        seed: 1,
    };
    let mut stages = Stages {
        options,
        records: 100_000_000,
        links: 1_000_000,
        html: Vec::new(),
    };
    let options = &mut stages.options;
    let mut given = std::env::args().skip(1);
    while let Some(argument) = given.next() {
        let mut value = || {
            given
                .next()
                .with_context(|| format!("failed to find a value for {argument}"))
        };
        match argument.as_str() {
            "--records" => stages.records = number(&value()?)?,
            "--links" => stages.links = number(&value()?)?,
            "--scale" => options.scale = number(&value()?)?,
            "--rounds" => options.rounds = number(&value()?)?,
            "--threads" => options.threads = number(&value()?)?,
            "--memory" => options.memory = value()?,
            "--html" => stages.html.push(PathBuf::from(value()?)),
            "--results" => options.results = PathBuf::from(value()?),
            "--pipeline" => options.pipeline = PathBuf::from(value()?),
            "--pages" => {
                let text = value()?;
                let bytes = pipeline::config::parse_size(&text).ok();
                options.page_bytes =
                    bytes.with_context(|| format!("failed to read {text} as a size"))?;
            }
            option if option.starts_with('-') => bail!("failed to understand {option}"),
            dir => options.dir = PathBuf::from(dir),
        }
    }
    std::fs::create_dir_all(&options.dir)
        .with_context(|| format!("failed to make {}", options.dir.display()))?;
    let program = options.pipeline.canonicalize();
    options.pipeline =
        program.with_context(|| format!("failed to find {}", options.pipeline.display()))?;
    let mut log = Log::create(&options.results)?;
    let dir = options.dir.clone();
    stages.run(&mut log)?;
    // Only if nothing else is in it.
    _ = std::fs::remove_dir(&dir);
    Ok(())
}

fn number<T: std::str::FromStr>(text: &str) -> Result<T> {
    text.parse()
        .ok()
        .with_context(|| format!("failed to read {text} as a number"))
}
