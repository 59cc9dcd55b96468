//! Whether the figures that a manifest keeps can be read back.
//!
//! A phase goes on from the figures of others and takes figures that are not there for 0. So a
//! manifest whose figures are of other types is damage, and is found before a run begins.

use engine::figures::{
    ClusterFigures, DistinctFigures, PairsFigures, PassageFigures, SettleFigures, SketchFigures,
};
use format::{FormatError, Manifest};
use publication::figures::IndexFigures;
use std::path::Path;

/// Fails if the figures of a finished phase are not those that this program keeps.
pub(crate) fn check(work: &Path, manifest: &Manifest) -> Result<(), FormatError> {
    for (phase, record) in &manifest.phases {
        let figures = &record.figures;
        let checked = match phase.as_str() {
            "sketch" => figures.check::<SketchFigures>(),
            "distinct" => figures.check::<DistinctFigures>(),
            "pairs" => figures.check::<PairsFigures>(),
            "settle" => figures.check::<SettleFigures>(),
            "passages" => figures.check::<PassageFigures>(),
            "cluster" => figures.check::<ClusterFigures>(),
            "index" => figures.check::<IndexFigures>(),
            _ => Ok(()),
        };
        checked.map_err(|why| {
            let what = format!("the figures of phase {phase} cannot be read: {why}");
            FormatError::damaged(&work.join("manifest.json"), 0, what)
        })?;
    }
    Ok(())
}
