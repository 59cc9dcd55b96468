//! Phase `settle`: compares all pairs that may be links by all their shingles.
//!
//! *Input.* Pair counts and sketch sizes; the input, which is read again. *Output.* `settled`: the
//! exact counts of each compared pair, in order. *Algorithm.*
//!
//! 1. Choose the pairs that reach a threshold, or are within six standard errors of it
//!    (`clustering::partition::SettleRule`, `candidates`).
//! 2. Take over the counts of pairs that an earlier run settled (`earlier`).
//! 3. Compare the others (crate `exact`), and write all in order.
//!
//! *Memory.* As `exact`. *Disk.* 25 bytes a chosen pair, 20 a settled one, and what `exact` takes.
//! *Limits.* A pair with a document that cannot be read any more is no link.

mod candidates;
mod earlier;

use candidates::SettleCandidates;
use engine::{
    Engine, Error, FileLookup, PhaseName,
    figures::SettleFigures,
    merge_levels::{self, SnapshotCounter},
};
use exact::{Bodies, InputTexts, PairComparison, Texts};
use exact::{SetOverlap, Workplace};
use format::{
    FileKind, MergeLevels, PhaseFigures, PhaseRecord, RecordWriter, Sealed, SettledRecord,
};
use model::{Class, mix};
use sort::Lookup;
use std::collections::{BTreeMap, BTreeSet};

const PHASE: PhaseName = PhaseName::Settle;

/// The file of settled pairs, by its name among those of the phase.
const SETTLED: &str = "settled";

/// The scratch file of the counts that are taken over.
const KEPT: &str = "kept.run-0";

/// The files of the input with documents that a finished phase could not read as they were, by
/// their numbers in the listing. The phase runs again when one of them has its bytes again.
pub fn unread_files(record: &PhaseRecord) -> BTreeSet<u32> {
    record.figures.read::<SettleFigures>().unread_files
}

/// Runs the phase; gives its outputs and counts for the manifest.
pub fn run(engine: &Engine<'_>) -> Result<PhaseRecord, Error> {
    let texts = InputTexts::new(&Workplace::of(engine, PHASE));
    let mut record = run_over(engine, &texts)?;
    let unread = texts.unread_files();
    record.figures = PhaseFigures::of(&SettleFigures {
        unread_files: unread.clone(),
        ..record.figures.read()
    });
    let file = unread
        .first()
        .and_then(|file| engine.inputs.listing.files.get(*file as usize));
    let of_files = match (file, unread.len()) {
        (None, _) => String::new(),
        (Some(file), 1) => format!(" of {}", file.name),
        (Some(file), _) => format!(" of {} and other files", file.name),
    };
    for (count, of_files, why) in [
        (
            texts.bodiless(),
            "",
            "have no body that could be read again",
        ),
        (
            texts.unread(),
            &of_files,
            "could not be read again as they were",
        ),
    ] {
        if count > 0 {
            engine.reporter.line(&format!(
                "note: {count} documents{of_files} {why}; pairs of theirs that were never compared are no links"
            ));
        }
    }
    Ok(record)
}

/// Runs the phase over the texts of a source.
pub fn run_over(engine: &Engine<'_>, texts: &dyn Texts) -> Result<PhaseRecord, Error> {
    let place = Workplace::of(engine, PHASE);
    let levels = earlier::earlier_levels(engine);
    let mut earlier = earlier::settled(engine, levels.as_ref())?;
    let mut candidates = SettleCandidates::find(&place, levels.as_ref())?;
    let mut bodies = Bodies::find(&place, Class::lowest_of_equal_tokens)?;
    let mut comparison = PairComparison::begin(&place)?;
    let mut kept = place.write::<SettledRecord>(KEPT, format::BLOCK_BYTES)?;
    let mut chosen = 0;
    while let Some(pair) = candidates.next()? {
        chosen += 1;
        match earlier.of(pair)? {
            Some(settled) => kept.push(&settled)?,
            None => {
                let texts = [bodies.of(pair[0])?, bodies.of(pair[1])?];
                comparison.push_read_from(pair, texts)?;
            }
        }
    }
    drop((bodies, earlier));
    let choices = candidates.finish()?;
    let taken_over = kept.finish()?.records;
    let mut settled = SettledWriter::new(engine, &place)?;
    comparison.finish(texts, |pair, counts| settled.take(pair, counts))?;
    let outcome = settled.finish()?;
    place.remove(KEPT)?;
    let figures = SettleFigures {
        chosen,
        settled: outcome.sealed.records,
        taken_over,
        uncompared: outcome.uncompared,
        unread_files: BTreeSet::new(),
    };
    let mut record = PhaseRecord::of([outcome.sealed.clone()], &figures);
    let others = choices.map(|sealed| (sealed.name.clone(), sealed));
    let others: BTreeMap<String, Sealed> = others.into_iter().collect();
    record.outputs.extend(others.clone());
    keep(engine, &outcome, others);
    Ok(record)
}

/// The files that the phase wrote.
struct Settled {
    sealed: Sealed,
    by_snapshot: SnapshotCounter,
    uncompared: u64,
}

/// Writes settled pairs in order: those that are taken over among those that were compared.
struct SettledWriter {
    kept: FileLookup<SettledRecord>,
    writer: RecordWriter<SettledRecord>,
    by_snapshot: SnapshotCounter,
    /// A digest of the pairs that could not be compared.
    uncompared: u64,
}

impl SettledWriter {
    fn new(engine: &Engine<'_>, place: &Workplace<'_>) -> Result<SettledWriter, Error> {
        Ok(SettledWriter {
            kept: Lookup::over(place.read(KEPT)?)?,
            writer: engine.writer(PHASE, SETTLED, FileKind::Settled)?,
            by_snapshot: SnapshotCounter::of(&engine.taken()),
            uncompared: 0,
        })
    }

    fn take(&mut self, pair: [u32; 2], counts: Option<SetOverlap>) -> Result<(), Error> {
        self.write_kept(|kept| [kept.a, kept.b] < pair)?;
        let Some(counts) = counts else {
            self.uncompared ^= mix(u64::from(pair[0]) << 32 | u64::from(pair[1]));
            return Ok(());
        };
        self.write(&SettledRecord {
            a: pair[0],
            b: pair[1],
            shared: counts.shared,
            size_a: counts.size_a,
            size_b: counts.size_b,
        })
    }

    fn write_kept(&mut self, is_due: impl Fn(&SettledRecord) -> bool) -> Result<(), Error> {
        while let Some(kept) = self.kept.next_if(&is_due)? {
            self.write(&kept)?;
        }
        Ok(())
    }

    fn write(&mut self, settled: &SettledRecord) -> Result<(), Error> {
        self.by_snapshot.add(settled.a);
        self.writer.push(settled).map_err(Error::from)
    }

    fn finish(mut self) -> Result<Settled, Error> {
        self.write_kept(|_| true)?;
        let sealed = self.writer.finish()?;
        Ok(Settled {
            sealed,
            by_snapshot: self.by_snapshot,
            uncompared: self.uncompared,
        })
    }
}

/// Puts down the settled pairs, and the other files, for the next run.
fn keep(engine: &Engine<'_>, settled: &Settled, others: BTreeMap<String, Sealed>) {
    let now = engine.taken();
    let level = merge_levels::level(
        settled.sealed.clone(),
        [1; 2],
        &now,
        &settled.by_snapshot.records,
    );
    let (base, source_step) = candidates::source(engine).unwrap_or_default();
    let kept = MergeLevels {
        parameters: earlier::parameters(engine),
        base,
        step: 1,
        source_step,
        snapshots: now,
        files: vec![level],
        others,
        ..MergeLevels::default()
    };
    engine.keep_levels(PHASE, kept);
}
