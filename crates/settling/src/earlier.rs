//! The pairs that an earlier run settled.
//!
//! *Algorithm.* The counts of a pair follow from its two documents and from the list of common
//! shingles. So they are taken over if both documents are still there. If the list changed, they
//! are corrected (`common_changes`). *Limits.* If a shingle entered or left the list that was not
//! borderline when the documents were compared, all pairs are compared again.

use crate::borderline::{BorderlineRuns, BorderlineShingles, RUNS, SHINGLES};
use crate::common_changes::CommonChanges;
use engine::Engine;
use engine::merge_levels::{renumbering, taken};
use format::{
    BorderlineRecord, BorderlineRunRecord, FileKind, FormatError, MergeLevels, RecordReader,
    SettledRecord,
};
use model::Renumbering;
use runtime::{Error, PhaseName, parameters};

const PHASE: PhaseName = PhaseName::Settle;

/// Key, among the counts of the phase, of the digest of the common shingles that are not
/// borderline.
pub(crate) const COMMON_DIGEST: &str = "common_digest";

/// The parameters that exact counts depend on.
pub(crate) fn parameters(engine: &Engine<'_>) -> String {
    parameters::of(PhaseName::Sketch, engine.config)
}

/// The earlier run that this one goes on from; `None` if it is of other documents.
pub(crate) fn earlier_levels(engine: &Engine<'_>) -> Option<MergeLevels> {
    let manifest = engine.manifest();
    let levels = manifest.levels.get(PHASE.name())?.clone();
    let now = taken(&manifest);
    let is_changed = levels.snapshots.iter().any(|then| {
        let one = now.iter().find(|one| one.number == then.number);
        one.is_some_and(|one| one != then)
    });
    (levels.parameters == parameters(engine) && !is_changed).then_some(levels)
}

/// An error other than an interrupt means that the files of the earlier run cannot be used.
pub(crate) fn usable<T>(result: Result<T, FormatError>) -> Result<Option<T>, Error> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(source @ FormatError::Interrupted) => Err(Error::from_format(Some(PHASE), source)),
        Err(_) => Ok(None),
    }
}

/// The list of common shingles, and the run before if its counts can be taken over.
pub(crate) struct CommonList {
    /// The borderline shingles, marked.
    pub(crate) shingles: BorderlineShingles,
    /// A digest of the common shingles that are not borderline.
    pub(crate) digest: u64,
    /// The run before, and the borderline shingles that changed since.
    earlier: Option<(MergeLevels, Vec<BorderlineRecord>)>,
}

impl CommonList {
    /// Compares the list with that of the earlier run.
    pub(crate) fn open(
        engine: &Engine<'_>,
        levels: Option<&MergeLevels>,
    ) -> Result<CommonList, Error> {
        if let Some(levels) = levels
            && let Some(sealed) = levels.others.get(SHINGLES)
            && let Some(Some(mut shingles)) = usable(BorderlineShingles::read(engine, sealed))?
        {
            let (changed, digest) = shingles.mark(engine)?;
            if levels.counts.get(COMMON_DIGEST) == Some(&digest) {
                return Ok(CommonList {
                    shingles,
                    digest,
                    earlier: Some((levels.clone(), changed)),
                });
            }
        }
        let mut shingles = BorderlineShingles::find(engine)?;
        let (_, digest) = shingles.mark(engine)?;
        Ok(CommonList {
            shingles,
            digest,
            earlier: None,
        })
    }
}

/// Pairs in order of their present numbers.
#[derive(Default)]
pub(crate) struct EarlierPairs {
    reader: Option<RecordReader<SettledRecord>>,
    by: Renumbering,
    next: Option<SettledRecord>,
    changes: Option<CommonChanges>,
}

impl EarlierPairs {
    /// Opens them, and adds the runs of their documents to those of this run. There are none if
    /// they cannot be read.
    pub(crate) fn open(
        engine: &Engine<'_>,
        list: &CommonList,
        runs: &mut BorderlineRuns<'_>,
    ) -> Result<EarlierPairs, Error> {
        let Some((levels, changed)) = &list.earlier else {
            return Ok(EarlierPairs::default());
        };
        let Some(level) = levels.files.first() else {
            return Ok(EarlierPairs::default());
        };
        let by = renumbering(level, &taken(&engine.manifest()));
        let mut changes = match &changed[..] {
            [] => None,
            changed => Some(CommonChanges::of(engine, changed.to_vec())?),
        };
        let dir = engine.dir(PHASE);
        let earlier_runs = levels.others.get(RUNS).map(|sealed| {
            let kind = FileKind::BorderlineRuns;
            let mut earlier = RecordReader::open_sealed(&engine.disk, &dir, sealed, kind)?;
            add_runs(&mut earlier, &by, runs, changes.as_mut())
        });
        let read = usable(earlier_runs.unwrap_or(Ok(())))?.is_some();
        let is_complete = changes.as_ref().is_none_or(CommonChanges::is_complete);
        if !read || !is_complete {
            return Ok(EarlierPairs::default());
        }
        let kind = FileKind::Settled;
        let reader = RecordReader::open_sealed(&engine.disk, &dir, &level.sealed, kind);
        let mut earlier = EarlierPairs {
            reader: usable(reader)?,
            by,
            next: None,
            changes,
        };
        earlier.advance()?;
        Ok(earlier)
    }

    /// The counts of the pair, if they are known. Pairs come in order.
    pub(crate) fn find(&mut self, pair: [u32; 2]) -> Result<Option<SettledRecord>, Error> {
        while self.next.is_some_and(|next| [next.a, next.b] < pair) {
            self.advance()?;
        }
        let found = self.next.filter(|next| [next.a, next.b] == pair);
        match (found, &mut self.changes) {
            (Some(settled), Some(changes)) => {
                changes.corrected(settled).map_err(Error::work(PHASE))
            }
            (found, _) => Ok(found),
        }
    }

    /// Goes to the next pair whose documents are both there.
    fn advance(&mut self) -> Result<(), Error> {
        self.next = None;
        let Some(reader) = &mut self.reader else {
            return Ok(());
        };
        while let Some(settled) = reader.next().map_err(Error::work(PHASE))? {
            if let (Some(a), Some(b)) = (self.by.get(settled.a), self.by.get(settled.b)) {
                self.next = Some(SettledRecord { a, b, ..settled });
                break;
            }
        }
        Ok(())
    }
}

/// Hands on the runs of the documents that are still there, document by document.
fn add_runs(
    earlier: &mut RecordReader<BorderlineRunRecord>,
    by: &Renumbering,
    runs: &mut BorderlineRuns<'_>,
    mut changes: Option<&mut CommonChanges>,
) -> Result<(), FormatError> {
    let mut of_document: Vec<BorderlineRunRecord> = Vec::new();
    loop {
        let next = earlier.next()?;
        let is_same = |of: &BorderlineRunRecord| Some(of.doc) == next.map(|one| one.doc);
        if !of_document.first().is_some_and(is_same) {
            let doc = of_document.first().and_then(|run| by.get(run.doc));
            if let Some(doc) = doc {
                of_document.iter_mut().for_each(|run| run.doc = doc);
                runs.add_known(&of_document)?;
                if let Some(changes) = &mut changes {
                    changes.add(&of_document)?;
                }
            }
            of_document.clear();
        }
        let Some(run) = next else {
            return Ok(());
        };
        of_document.push(run);
    }
}
