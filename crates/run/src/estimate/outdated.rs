//! The phases that a run may have to do, told without opening a file.

use super::ForecastBasis;
use engine::{PhaseName, intake::manifest::has_other_references, runtime::parameters};
use format::{InputFile, Manifest};
use input::{Listing, SourceFile};

/// The phases of which parameters or inputs have changed, and those that read their files.
///
/// A phase that is not named may still have to run: a file of it may be missing.
pub(crate) fn outdated_phases(basis: &ForecastBasis<'_>) -> Vec<PhaseName> {
    let mut outdated: Vec<PhaseName> = Vec::new();
    for phase in PhaseName::of(basis.config) {
        let reads_outdated = phase.reads().iter().any(|read| outdated.contains(read));
        if basis.force || reads_outdated || !basis.is_current(phase) {
            outdated.push(phase);
        }
    }
    outdated
}

impl ForecastBasis<'_> {
    fn is_current(&self, phase: PhaseName) -> bool {
        let manifest = self.manifest;
        let Some(record) = manifest.phases.get(phase.name()) else {
            return false;
        };
        let has_same_inputs = match phase {
            PhaseName::Sketch => {
                self.has_no_new_snapshot() || is_same_input(&self.inputs.listing, manifest)
            }
            _ => {
                let is_other = matches!(phase, PhaseName::Cluster | PhaseName::Passages)
                    && has_other_references(manifest, &self.inputs.listing);
                !is_other && record.inputs == parameters::inputs_of(phase, manifest)
            }
        };
        has_same_inputs && record.parameters == parameters::of(phase, self.config)
    }

    /// Whether all of the input is in snapshots that are sketched. None of it is read again then,
    /// whatever became of its files.
    fn has_no_new_snapshot(&self) -> bool {
        let parameters = parameters::of(PhaseName::Sketch, self.config);
        let (live, sketched) = (&self.inputs.snapshots, &self.manifest.snapshots);
        !live.is_empty()
            && live.iter().all(|live| !live.may_change())
            && live
                .iter()
                .map(|live| (live.number, live.retained_for_revisits))
                .eq(sketched
                    .iter()
                    .map(|record| (record.number, record.retained_for_revisits)))
            && sketched
                .iter()
                .all(|record| record.sketched.parameters == parameters)
    }
}

/// Whether the listed files are those that were read, by their names, sizes, times and inodes.
fn is_same_input(listing: &Listing, manifest: &Manifest) -> bool {
    let is_same = |(old, file): (&InputFile, &SourceFile)| {
        old.name == file.name
            && old.stat.bytes == file.stat.bytes
            && old.format == file.format_name()
            && !old.stat.is_touched(&file.stat)
    };
    manifest.inputs.len() == listing.files.len()
        && manifest.inputs.iter().zip(&listing.files).all(is_same)
}
