//! The run of 1996 again: `altavista [--scale X | --full] [OPTION…] [DIR]`. See [`bench::rerun`].
//!
//! | option | meaning | default |
//! |---|---|---|
//! | `--scale X` | part of 30 M documents | 0.001 |
//! | `--full` | `--scale 1 --pages 3GB --adaptive-scale 0.1` | |
//! | `--adaptive-scale X` | the same for adaptive sketches | a tenth of the scale |
//! | `--pages SIZE` | pages of each container | the scale times 3 GB, at least 20 MB |
//! | `--containers A,B` | `warc`, `warc.gz`, `jsonl`, `tree` | all |
//! | `--memory SIZE`, `--threads N` | of the runs | 1GiB, 1 |
//! | `--rounds N` | how often each figure is taken; the best counts | 1 |
//! | `--curve` | scaling curves instead of the table | |
//! | `--write CONTAINER DOCUMENTS` | only write pages into DIR; `sketches` for a container: a work directory | |
//! | `--results DIR` | table, raw results, plots | `altavista-results` |
//! | `--pipeline FILE`, `--seed N` | the program; the seed | beside this one; 1 |

use anyhow::{Context, Result, bail};
use bench::altavista::pages::{Container, Pages};
use bench::altavista::{Model, sketches};
use bench::rerun::log::Log;
use bench::rerun::{Options, curve, run};
use std::path::PathBuf;

/// Pages that are sketched at full size.
const FULL_PAGES_BYTES: u64 = 3_000_000_000;

struct Arguments {
    options: Options,
    curve: bool,
    /// What to write instead: pages in a container, or sketches, and how many.
    write: Option<(Option<Container>, u64)>,
}

fn main() -> Result<()> {
    let Arguments {
        mut options,
        curve: is_curve,
        write,
    } = arguments()?;
    std::fs::create_dir_all(&options.dir)
        .with_context(|| format!("failed to make {}", options.dir.display()))?;
    if let Some((container, documents)) = write {
        return write_input(&options, container, documents);
    }
    options.pipeline = options
        .pipeline
        .canonicalize()
        .with_context(|| format!("failed to find {}", options.pipeline.display()))?;
    let mut log = Log::create(&options.results)?;
    if is_curve {
        curve::curve(&options, &mut log)?;
    } else {
        run(&options, &mut log)?;
    }
    // Only if nothing else is in it.
    _ = std::fs::remove_dir(&options.dir);
    Ok(())
}

/// Writes pages, or sketches for whoever wants to look into a phase.
fn write_input(options: &Options, container: Option<Container>, documents: u64) -> Result<()> {
    let Some(container) = container else {
        let (dir, memory, threads) = (options.dir.clone(), options.memory.clone(), options.threads);
        let spec = sketches::Spec {
            dir,
            method: sketches::MODULUS_25.to_owned(),
            memory,
            threads,
        };
        let written = spec.write(&Model::of_sketches(options.seed, documents))?;
        println!("{}", serde_json::to_string(&written)?);
        return Ok(());
    };
    let written = Pages::new(&Model::of_pages(options.seed, documents)).write(
        container,
        documents,
        &options.dir,
    )?;
    println!("{}", serde_json::to_string(&written)?);
    Ok(())
}

fn arguments() -> Result<Arguments> {
    let beside = std::env::current_exe()
        .context("failed to find this program")?
        .with_file_name("pipeline");
    let mut options = Options {
        pipeline: beside,
        dir: PathBuf::from(format!("altavista-{}", std::process::id())),
        results: PathBuf::from("altavista-results"),
        scale: 0.001,
        adaptive_scale: 0.0,
        memory: "1GiB".to_owned(),
        threads: 1,
        page_bytes: 0,
        rounds: 1,
        containers: Container::ALL.to_vec(),
        seed: 1,
    };
    let (mut curve, mut write) = (false, None);
    let mut given = std::env::args().skip(1);
    while let Some(argument) = given.next() {
        let mut value = || {
            given
                .next()
                .with_context(|| format!("failed to find a value for {argument}"))
        };
        match argument.as_str() {
            "--scale" => options.scale = number(&value()?)?,
            "--full" => options.scale = 1.0,
            "--adaptive-scale" => options.adaptive_scale = number(&value()?)?,
            "--pages" => options.page_bytes = size(&value()?)?,
            "--containers" => {
                options.containers = value()?.split(',').map(container).collect::<Result<_>>()?
            }
            "--memory" => options.memory = value()?,
            "--threads" => options.threads = number(&value()?)?,
            "--rounds" => options.rounds = number(&value()?)?,
            "--curve" => curve = true,
            "--write" => {
                let what = value()?;
                let container = if what == "sketches" {
                    None
                } else {
                    Some(container(&what)?)
                };
                write = Some((container, number(&value()?)?));
            }
            "--results" => options.results = PathBuf::from(value()?),
            "--pipeline" => options.pipeline = PathBuf::from(value()?),
            "--seed" => options.seed = number(&value()?)?,
            option if option.starts_with('-') => bail!("failed to understand {option}"),
            dir => options.dir = PathBuf::from(dir),
        }
    }
    if !(options.scale > 0.0 && options.scale <= 100.0) {
        bail!(
            "failed to take {} for a scale: it is above 0 and at most 100",
            options.scale
        );
    }
    if options.adaptive_scale <= 0.0 {
        options.adaptive_scale = options.scale / 10.0;
    }
    if options.page_bytes == 0 {
        options.page_bytes = ((FULL_PAGES_BYTES as f64 * options.scale) as u64).max(20_000_000);
    }
    Ok(Arguments {
        options,
        curve,
        write,
    })
}

fn number<T: std::str::FromStr>(text: &str) -> Result<T> {
    text.parse()
        .ok()
        .with_context(|| format!("failed to read {text} as a number"))
}

fn size(text: &str) -> Result<u64> {
    pipeline::config::parse_size(text)
        .ok()
        .with_context(|| format!("failed to read {text} as a size"))
}

fn container(name: &str) -> Result<Container> {
    let known = Container::ALL
        .into_iter()
        .find(|container| container.name() == name);
    known.with_context(|| format!("failed to find the container {name}"))
}
