//! Files of several steps → one stream in the numbers of now.

use super::renumbering;
use crate::engine::{Engine, Output};
use crate::{Error, PhaseName};
use format::{FileKind, Level, RecordReader, TakenSnapshot};
use model::{PairCount, Posting, Record, Renumbering};

/// A record that names documents.
pub(crate) trait Numbered: Record {
    /// The same in other numbers; none if a document of it is gone.
    fn renumbered(self, by: &Renumbering) -> Option<Self>;
    /// The document whose snapshot it counts for.
    fn lower(&self) -> u32;
}

impl Numbered for Posting {
    #[inline]
    fn renumbered(self, by: &Renumbering) -> Option<Self> {
        Some(Posting { doc: by.get(self.doc)?, ..self })
    }
    #[inline]
    fn lower(&self) -> u32 {
        self.doc
    }
}

impl Numbered for PairCount {
    #[inline]
    fn renumbered(self, by: &Renumbering) -> Option<Self> {
        Some(PairCount { a: by.get(self.a)?, b: by.get(self.b)?, ..self })
    }
    #[inline]
    fn lower(&self) -> u32 {
        self.a
    }
}

/// One file on its way.
struct Source<R> {
    reader: Output<R>,
    /// None if its numbers are those of now.
    by: Option<Renumbering>,
    head: Option<R>,
}

impl<R: Numbered> Source<R> {
    fn advance(&mut self) -> Result<(), Error> {
        loop {
            self.head = self.reader.next()?;
            let (Some(record), Some(by)) = (self.head, &self.by) else { return Ok(()) };
            self.head = record.renumbered(by);
            if self.head.is_some() {
                return Ok(());
            }
        }
    }
}

/// Files merged: their records in order, each with the place of its file. There are few files: who is first is looked up.
pub(crate) struct Merged<R> {
    sources: Vec<Source<R>>,
}

impl<R: Numbered> Merged<R> {
    /// Opens files of a phase.
    pub(crate) fn open(
        engine: &Engine<'_>,
        (phase, kind): (PhaseName, FileKind),
        files: &[Level],
        now: &[TakenSnapshot],
    ) -> Result<Merged<R>, Error> {
        let mut sources = Vec::new();
        for level in files {
            let reader = RecordReader::open_sealed(&engine.disk, &engine.dir(phase), &level.sealed, kind);
            let by = Some(renumbering(level, now)).filter(|by| !by.is_identity());
            let reader = Output::of(reader.map_err(Error::work(phase))?, phase);
            let mut source = Source { reader, by, head: None };
            source.advance()?;
            sources.push(source);
        }
        Ok(Merged { sources })
    }

    /// The next record, and the place of its file; `None` after the last.
    #[inline]
    pub(crate) fn next(&mut self) -> Result<Option<(R, usize)>, Error> {
        let mut first: Option<(R, usize)> = None;
        for (place, source) in self.sources.iter().enumerate() {
            if let Some(head) = source.head
                && first.is_none_or(|(least, _)| head < least)
            {
                first = Some((head, place));
            }
        }
        if let Some((_, place)) = first {
            self.sources[place].advance()?;
        }
        Ok(first)
    }
}

/// Counts taken out of a merge at a time.
const BATCH_PAIRS: usize = 4096;

/// The counts of all pairs, in order: those of several files added up, signs heeded, what is zero left out.
pub(crate) struct PairCounts {
    source: PairSource,
    records: u64,
}

enum PairSource {
    /// One file in the numbers of now.
    Plain(Output<PairCount>),
    Merged {
        merged: Merged<PairCount>,
        next: Option<PairCount>,
        batch: Vec<PairCount>,
    },
    /// What is parted within `cluster`.
    Part(Output<PairCount>),
}

impl PairCounts {
    /// Opens the counts of a finished phase `pairs`.
    pub(crate) fn open(engine: &Engine<'_>) -> Result<PairCounts, Error> {
        let (files, now) = {
            let manifest = engine.manifest();
            let levels = manifest.levels.get(PhaseName::Pairs.name());
            (levels.map(|levels| levels.files.clone()).unwrap_or_default(), super::taken(&manifest))
        };
        let records = files.iter().map(|level| level.sealed.records).sum();
        let (phase, kind) = (PhaseName::Pairs, FileKind::Pairs);
        if let [level] = &files[..]
            && renumbering(level, &now).is_identity()
        {
            let reader = RecordReader::open_sealed(&engine.disk, &engine.dir(phase), &level.sealed, kind);
            let reader = Output::of(reader.map_err(Error::work(phase))?, phase);
            return Ok(PairCounts { source: PairSource::Plain(reader), records });
        }
        let mut merged = Merged::open(engine, (phase, kind), &files, &now)?;
        let next = merged.next()?.map(|(pair, _)| pair);
        Ok(PairCounts { source: PairSource::Merged { merged, next, batch: Vec::new() }, records })
    }

    /// Those of one part.
    pub(crate) fn part(reader: Output<PairCount>) -> PairCounts {
        let records = reader.reader.records();
        PairCounts { source: PairSource::Part(reader), records }
    }

    /// Records at most.
    pub(crate) fn records(&self) -> u64 {
        self.records
    }

    /// The next count; `None` after the last. Not to be mixed with [`PairCounts::next_slice`].
    pub(crate) fn next(&mut self) -> Result<Option<PairCount>, Error> {
        match &mut self.source {
            PairSource::Plain(reader) | PairSource::Part(reader) => reader.next(),
            PairSource::Merged { merged, next, .. } => next_sum(merged, next),
        }
    }

    /// Some of the next counts, at least one; `None` after the last.
    pub(crate) fn next_slice(&mut self) -> Result<Option<&[PairCount]>, Error> {
        match &mut self.source {
            PairSource::Plain(reader) | PairSource::Part(reader) => reader.next_slice(),
            PairSource::Merged { merged, next, batch } => {
                batch.clear();
                while batch.len() < BATCH_PAIRS
                    && let Some(pair) = next_sum(merged, next)?
                {
                    batch.push(pair);
                }
                Ok((!batch.is_empty()).then_some(&batch[..]))
            }
        }
    }
}

/// The sum of the next counts that are of one pair, if it is not zero, else the one behind it.
#[inline]
fn next_sum(merged: &mut Merged<PairCount>, next: &mut Option<PairCount>) -> Result<Option<PairCount>, Error> {
    while let Some(mut pair) = *next {
        loop {
            *next = merged.next()?.map(|(pair, _)| pair);
            let Some(same) = next.filter(|same| (same.a, same.b) == (pair.a, pair.b)) else { break };
            pair.shared = pair.shared.wrapping_add(same.shared);
        }
        if pair.shared != 0 {
            return Ok(Some(pair));
        }
    }
    Ok(None)
}
