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
    /// Some of its records, as they were written, and how many of them were taken.
    block: Vec<R>,
    taken: usize,
    head: Option<R>,
}

impl<R: Numbered> Source<R> {
    fn refill(&mut self) -> Result<bool, Error> {
        self.block.clear();
        self.taken = 0;
        if let Some(slice) = self.reader.next_slice()? {
            self.block.extend_from_slice(slice);
        }
        Ok(!self.block.is_empty())
    }

    #[inline]
    fn advance(&mut self) -> Result<(), Error> {
        loop {
            if self.taken == self.block.len() && !self.refill()? {
                self.head = None;
                return Ok(());
            }
            let record = self.block[self.taken];
            self.taken += 1;
            self.head = match &self.by {
                None => Some(record),
                Some(by) => record.renumbered(by),
            };
            if self.head.is_some() {
                return Ok(());
            }
        }
    }

    /// Passes over the records whose prefix, which numbers have no part in, is below this one.
    fn skip_below(&mut self, prefix: u64) -> Result<(), Error> {
        if self.head.is_none_or(|head| head.prefix() >= prefix) {
            return Ok(());
        }
        while self.block.last().is_some_and(|last| last.prefix() < prefix) {
            if !self.refill()? {
                break;
            }
        }
        self.taken += self.block[self.taken..].partition_point(|record| record.prefix() < prefix);
        self.advance()
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
            let mut source = Source { reader, by, block: Vec::new(), taken: 0, head: None };
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

    /// The lowest prefix that comes next in one of these files.
    pub(crate) fn least_prefix(&self, of: impl Fn(usize) -> bool) -> Option<u64> {
        let sources = self.sources.iter().enumerate().filter(|(place, _)| of(*place));
        sources.filter_map(|(_, source)| source.head.map(|head| head.prefix())).min()
    }

    /// Passes over the records of these files whose prefix is below this one; only where numbers have no part in prefixes.
    pub(crate) fn skip_below(&mut self, prefix: u64, of: impl Fn(usize) -> bool) -> Result<(), Error> {
        let sources = self.sources.iter_mut().enumerate().filter(|(place, _)| of(*place));
        sources.into_iter().try_for_each(|(_, source)| source.skip_below(prefix))
    }
}

impl Merged<PairCount> {
    /// The place of the largest file, if its numbers are those of now.
    fn main(&self) -> Option<usize> {
        let records = |source: &Source<PairCount>| source.reader.reader.records();
        let (place, source) = self.sources.iter().enumerate().max_by_key(|(_, source)| records(source))?;
        source.by.is_none().then_some(place)
    }

    /// Takes the counts of one file that come before those of all others, as far as they are at hand.
    fn take_run(&mut self, place: usize, batch: &mut Vec<PairCount>) -> Result<(), Error> {
        let others = self.sources.iter().enumerate().filter(|(other, _)| *other != place);
        let end = others.filter_map(|(_, source)| source.head.map(|head| (head.a, head.b))).min();
        let source = &mut self.sources[place];
        let Some(head) = source.head.filter(|head| end.is_none_or(|end| (head.a, head.b) < end)) else { return Ok(()) };
        batch.push(head);
        let rest = &source.block[source.taken..];
        let run = end.map_or(rest.len(), |end| rest.partition_point(|pair| (pair.a, pair.b) < end));
        batch.extend_from_slice(&rest[..run]);
        source.taken += run;
        source.advance()
    }

    /// The sum of the next counts that are of one pair, if it is not zero, else the one behind it.
    #[inline]
    fn next_sum(&mut self) -> Result<Option<PairCount>, Error> {
        while let Some((mut pair, _)) = self.next()? {
            for source in &mut self.sources {
                if let Some(same) = source.head.filter(|same| (same.a, same.b) == (pair.a, pair.b)) {
                    pair.shared = pair.shared.wrapping_add(same.shared);
                    source.advance()?;
                }
            }
            if pair.shared != 0 {
                return Ok(Some(pair));
            }
        }
        Ok(None)
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
    /// And the place of the file with most of them, if it is in the numbers of now.
    Merged { merged: Merged<PairCount>, main: Option<usize>, batch: Vec<PairCount> },
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
        let merged = Merged::open(engine, (phase, kind), &files, &now)?;
        Ok(PairCounts { source: PairSource::Merged { main: merged.main(), merged, batch: Vec::new() }, records })
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
            PairSource::Merged { merged, .. } => merged.next_sum(),
        }
    }

    /// Some of the next counts, at least one; `None` after the last.
    pub(crate) fn next_slice(&mut self) -> Result<Option<&[PairCount]>, Error> {
        match &mut self.source {
            PairSource::Plain(reader) | PairSource::Part(reader) => reader.next_slice(),
            PairSource::Merged { merged, main, batch } => {
                batch.clear();
                while batch.len() < BATCH_PAIRS {
                    let before = batch.len();
                    if let Some(main) = *main {
                        merged.take_run(main, batch)?;
                    }
                    if batch.len() == before {
                        let Some(pair) = merged.next_sum()? else { break };
                        batch.push(pair);
                    }
                }
                Ok((!batch.is_empty()).then_some(&batch[..]))
            }
        }
    }
}
