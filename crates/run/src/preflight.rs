//! Checks before work begins: disk for the output of a phase, and memory for one document.
//!
//! The forecast of the disk is off by half at times. So a phase is refused only if it certainly
//! does not fit. If a phase runs out of disk nevertheless, it ends with the same error.

use crate::estimate::PhaseForecast;
use config::Config;
use engine::{Engine, Error, PhaseName};
use format::FormatError;
use model::Sampling;
use phases::sketch::memory_minimum_bytes;
use std::path::Path;

/// Refuses to begin a phase for which there is certainly too little room, on disk or within
/// `work.disk`.
pub(crate) fn check(engine: &Engine<'_>, forecast: &PhaseForecast) -> Result<(), Error> {
    let needed = forecast.certain_disk_bytes;
    let path = written_to(engine.config, forecast.phase).to_path_buf();
    let refuse = |source| {
        Err(Error::Work {
            phase: Some(forecast.phase),
            source,
        })
    };
    if let Ok(free) = format::free_bytes(&path)
        && free < needed
    {
        return refuse(FormatError::NoSpace { path, needed, free });
    }
    let used = engine.disk.used_bytes();
    match engine.config.work.disk_bytes {
        Some(limit) if limit.saturating_sub(used) < needed => {
            refuse(FormatError::DiskLimit { path, limit, used })
        }
        _ => Ok(()),
    }
}

/// A directory of the file system that a phase writes to.
fn written_to(config: &Config, phase: PhaseName) -> &Path {
    match phase {
        // The publication lies beside the link to it.
        PhaseName::Index => match config.work.output.parent() {
            Some(parent) if parent != Path::new("") => parent,
            _ => Path::new("."),
        },
        _ => &config.work.dir,
    }
}

/// Refuses a `work.memory` in which no document of `max-document` bytes could be sketched.
pub(crate) fn check_memory(config: &Config) -> Result<(), Error> {
    let (given_bytes, needed_bytes) = (config.work.memory_bytes, memory_minimum_bytes(config));
    if given_bytes >= needed_bytes {
        return Ok(());
    }
    let mut why = format!(
        "to sketch a document of max-document = {} bytes",
        config.input.max_document_bytes
    );
    if config.input.page_memory_bytes() > 0 {
        why += &format!(" in pages of max-page = {}", config.input.max_page_bytes);
    }
    if let Some((target, largest)) = largest_target(config) {
        why +=
            &format!(" with target = {target} in [sketch.method], of which at most {largest} fits");
    }
    Err(Error::MemoryMinimum {
        given_bytes,
        needed_bytes,
        why,
    })
}

/// The target of adaptive sketches, and the largest one that fits the memory; `None` if none does.
fn largest_target(config: &Config) -> Option<(u32, u32)> {
    let Sampling::Adaptive {
        target,
        coarsest_log2,
    } = config.sketch.sampling
    else {
        return None;
    };
    let mut smaller = config.clone();
    let mut fits = |target| {
        smaller.sketch.sampling = Sampling::Adaptive {
            target,
            coarsest_log2,
        };
        memory_minimum_bytes(&smaller) <= config.work.memory_bytes
    };
    let (mut largest, mut above) = (0, target);
    while above - largest > 1 {
        let middle = largest + (above - largest) / 2;
        if fits(middle) {
            largest = middle;
        } else {
            above = middle;
        }
    }
    (largest > 0).then_some((target, largest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_target_that_does_not_fit_is_told_with_the_largest_that_does() {
        let config = |target: u32| {
            let text = format!(
                "version = 1\n[input]\npaths = [\"a\"]\n[work]\nmemory = \"64MiB\"\n[sketch]\nseed = \"s\"\n\
                 method = {{ kind = \"adaptive-modulus\", target = {target} }}\n"
            );
            config::parse(&text, Path::new("pipeline.toml")).expect("right")
        };
        let refused = check_memory(&config(1_000_000_000)).expect_err("too large");
        let (target, largest) = largest_target(&config(1_000_000_000)).expect("one fits");
        assert_eq!(target, 1_000_000_000);
        let said = refused.to_string();
        assert!(
            said.contains(&format!("of which at most {largest} fits")),
            "{said}"
        );
        assert!(check_memory(&config(largest)).is_ok());
        assert!(check_memory(&config(largest + 1)).is_err());
        assert!(largest > 100_000, "{largest}");
    }

    #[test]
    fn a_publication_is_written_where_its_link_lies() {
        let text = "version = 1\n[input]\npaths = [\"a\"]\n[sketch]\nseed = \"s\"\n\
                    [work]\ndir = \"/fast/work\"\noutput = \"/large/results/out\"\n";
        let config = config::parse(text, Path::new("pipeline.toml")).expect("right");
        for phase in PhaseName::ALL {
            let expected = match phase {
                PhaseName::Index => "/large/results",
                _ => "/fast/work",
            };
            assert_eq!(written_to(&config, phase), Path::new(expected), "{phase}");
        }
    }
}
