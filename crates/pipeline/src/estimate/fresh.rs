//! What of the input is new, where the rest was sketched by an earlier run.
//!
//! *Input.* The files of all snapshots, the manifest. *Output.* [`Fresh`]: the files that are to be
//! read, and what the others gave, so that a sample looks at the new ones only and is added to what
//! is known. *Limits.* Pairs between old and new documents are guessed: as if the old ones had as
//! many with each other as the new ones.

use super::counts::Counts;
use config::Config;
use format::Manifest;
use input::Listing;
use intake::inputs::Inputs;
use runtime::PhaseName;

/// The new part of the input.
#[derive(Clone, Debug)]
pub(crate) struct Fresh {
    /// Its files.
    pub(crate) listing: Listing,
    /// What the rest counted.
    pub(crate) known: Counts,
    /// Its share of all bytes.
    pub(crate) share: f64,
}

impl Fresh {
    /// None if nothing is sketched, or nothing is new.
    pub(crate) fn of(config: &Config, inputs: &Inputs, manifest: &Manifest) -> Option<Fresh> {
        let parameters = runtime::parameters::of(PhaseName::Sketch, config);
        let (mut fresh, mut known) = (Listing::default(), Counts::default());
        let mut has_known = false;
        for live in inputs
            .snapshots
            .iter()
            .filter(|live| !live.may_change() && !live.lent)
        {
            let record = manifest
                .snapshots
                .iter()
                .find(|record| record.number == live.number);
            match record.filter(|record| record.sketched.parameters == parameters) {
                Some(record) => {
                    let mut own = Counts::default();
                    own.take(PhaseName::Sketch, &record.sketched);
                    known = known.plus(&own);
                    has_known = true;
                }
                None => fresh.files.extend_from_slice(live.files(&inputs.listing)),
            }
        }
        if !has_known || fresh.files.is_empty() {
            return None;
        }
        let sketched = known;
        for phase in [
            PhaseName::Distinct,
            PhaseName::Sort,
            PhaseName::Pairs,
            PhaseName::Cluster,
        ] {
            if let Some(record) = manifest.phases.get(phase.name()) {
                known.take(phase, record);
            }
        }
        debug_assert_eq!(known.documents, sketched.documents);
        let share = fresh.bytes() as f64 / inputs.listing.bytes().max(1) as f64;
        Some(Fresh {
            listing: fresh,
            known,
            share,
        })
    }
}

/// Whether all of the input is of snapshots that are sketched: then none of it is read again,
/// whatever became of its files.
pub(crate) fn nothing_new(config: &Config, inputs: &Inputs, manifest: &Manifest) -> bool {
    let parameters = runtime::parameters::of(PhaseName::Sketch, config);
    let live = inputs.snapshots.iter().map(|live| (live.number, live.lent));
    let sketched = manifest
        .snapshots
        .iter()
        .map(|record| (record.number, record.lent));
    !inputs.snapshots.is_empty()
        && inputs.snapshots.iter().all(|live| !live.may_change())
        && live.eq(sketched)
        && manifest
            .snapshots
            .iter()
            .all(|record| record.sketched.parameters == parameters)
}
