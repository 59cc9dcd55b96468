//! What the changes between two snapshots follow from, as a digest: their documents, the time
//! between them, the parameters, and the shingles that are common.

use crate::publish::PARAMETERS;
use engine::{
    Engine, Error, PhaseName,
    figures::SettleFigures,
    intake::listing,
    runtime::parameters::{fingerprint, hex},
};
use format::SnapshotSpan;
use format::{CommonRecord, FileKind};
use model::Settle;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// The origin of the changes between two snapshots.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct StepKey {
    /// A digest of the two snapshots, and of what all changes follow from.
    pub(super) key: String,
    /// A digest of the snapshot before; empty if there is none.
    pub(super) before: String,
}

impl StepKey {
    /// Whether changes found with this key, with copies or not, are those of another one.
    pub(super) fn serves(&self, has_copies: bool, wanted: &StepKey) -> bool {
        let is_free = !has_copies && wanted.before.is_empty();
        self.key == wanted.key && (self.before == wanted.before || is_free)
    }
}

/// The changes between each snapshot and the next follow from this.
pub(super) fn keys(
    engine: &Engine<'_>,
    parameters: &str,
    spans: &[SnapshotSpan],
) -> Result<Vec<StepKey>, Error> {
    let mut common = engine.reader::<CommonRecord>(PhaseName::Pairs, "common", FileKind::Common)?;
    let mut of_all = listing::tool();
    let _ = writeln!(of_all, "\ncounts = with moves between hosts");
    let _ = writeln!(of_all, "\n{PARAMETERS}\n{parameters}");
    let mut has_common = false;
    while let Some(record) = common.next()? {
        has_common = true;
        let _ = writeln!(of_all, "{:016x}", record.shingle);
    }
    // A pair that could not be compared may be compared the next time.
    let manifest = engine.manifest();
    let settle = manifest.phases.get(PhaseName::Settle.name());
    let figures = settle.map(|record| record.figures.read::<SettleFigures>());
    let uncompared = figures.map_or(0, |figures| figures.uncompared);
    drop(manifest);
    let _ = writeln!(of_all, "exact counts, but of {uncompared:x}");
    let of_all = hex(fingerprint(&of_all));
    let snapshots = engine.taken();
    let dates: BTreeMap<u32, Option<i64>> = engine
        .inputs
        .snapshots
        .iter()
        .map(|snapshot| (snapshot.number, snapshot.date))
        .collect();
    let of_one = |span: &SnapshotSpan| {
        let content = snapshots
            .iter()
            .find(|one| one.number == span.number)
            .map_or("", |one| one.content.as_str());
        let date = dates.get(&span.number).copied().flatten();
        format!(
            "{} {:?} {} {content} {date:?}\n",
            span.number, span.name, span.documents
        )
    };
    let of_both = |pair: &[SnapshotSpan]| of_all.clone() + &of_one(&pair[0]) + &of_one(&pair[1]);
    let digest = |text: &str| hex(fingerprint(text));
    // Then the texts of a class may differ, and its lowest document is the one that is compared.
    let is_compared_by_lowest =
        engine.config.sketch.sampling.levels() == 1 && engine.config.cluster.settle != Settle::Off;
    // A common shingle proposes pairs with the first documents that have it.
    let depends_on_all_before = is_compared_by_lowest || has_common;
    let all_before = |place: usize| match depends_on_all_before {
        true => spans[..place].iter().map(of_one).collect(),
        false => String::new(),
    };
    let of_step = |(place, pair): (usize, &[SnapshotSpan])| StepKey {
        key: digest(&(of_both(pair) + &all_before(place))),
        before: match place.checked_sub(1) {
            Some(before) => digest(&of_one(&spans[before])),
            None => String::new(),
        },
    };
    Ok(spans.windows(2).enumerate().map(of_step).collect())
}
