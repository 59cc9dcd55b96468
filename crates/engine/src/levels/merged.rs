//! Files of several steps → one stream in the numbers of now.

use super::renumbering;
use crate::engine::{Engine, Output};
use format::{FileKind, MergeLevel, RecordReader, TakenSnapshot};
use model::{PairCount, Posting, Record, Renumbering};
use runtime::{Error, PhaseName};

/// A record that names documents.
pub trait Numbered: Record {
    /// The same in other numbers; none if a document of it is gone.
    fn renumbered(self, by: &Renumbering) -> Option<Self>;
    /// The document whose snapshot it counts for.
    fn lower(&self) -> u32;
}

impl Numbered for Posting {
    #[inline]
    fn renumbered(self, by: &Renumbering) -> Option<Self> {
        Some(Posting {
            doc: by.get(self.doc)?,
            ..self
        })
    }
    #[inline]
    fn lower(&self) -> u32 {
        self.doc
    }
}

impl Numbered for PairCount {
    #[inline]
    fn renumbered(self, by: &Renumbering) -> Option<Self> {
        Some(PairCount {
            a: by.get(self.a)?,
            b: by.get(self.b)?,
            ..self
        })
    }
    #[inline]
    fn lower(&self) -> u32 {
        self.a
    }
}

/// One file on its way.
pub(super) struct Source<R> {
    pub(super) reader: Output<R>,
    /// None if its numbers are those of now.
    pub(super) by: Option<Renumbering>,
    /// Some of its records, as they were written, and how many of them were taken.
    pub(super) block: Vec<R>,
    pub(super) taken: usize,
    pub(super) head: Option<R>,
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
    pub(super) fn advance(&mut self) -> Result<(), Error> {
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

    /// Passes over the records that are below something, as they were written.
    pub(super) fn skip_while(&mut self, is_below: impl Fn(&R) -> bool) -> Result<(), Error> {
        if self.block.last().is_some_and(&is_below) {
            self.block.clear();
            self.taken = 0;
            while let Some(slice) = self.reader.next_slice()? {
                if !slice.last().is_some_and(&is_below) {
                    self.block.extend_from_slice(slice);
                    break;
                }
            }
        }
        self.taken += self.block[self.taken..].partition_point(is_below);
        self.advance()
    }

    /// Passes over the records whose prefix, which numbers have no part in, is below this one.
    fn skip_below(&mut self, prefix: u64) -> Result<(), Error> {
        if self.head.is_none_or(|head| head.prefix() >= prefix) {
            return Ok(());
        }
        self.skip_while(|record| record.prefix() < prefix)
    }
}

/// Files merged: their records in order, each with the place of its file. There are few files: who
/// is first is looked up.
pub struct Merged<R> {
    pub(super) sources: Vec<Source<R>>,
}

impl<R: Numbered> Merged<R> {
    /// Opens files of a phase.
    pub fn open(
        engine: &Engine<'_>,
        (phase, kind): (PhaseName, FileKind),
        files: &[MergeLevel],
        now: &[TakenSnapshot],
    ) -> Result<Merged<R>, Error> {
        let mut sources = Vec::new();
        for level in files {
            let reader =
                RecordReader::open_sealed(&engine.disk, &engine.dir(phase), &level.sealed, kind);
            let by = Some(renumbering(level, now)).filter(|by| !by.is_identity());
            let reader = Output::of(reader.map_err(Error::work(phase))?, phase);
            let mut source = Source {
                reader,
                by,
                block: Vec::new(),
                taken: 0,
                head: None,
            };
            source.advance()?;
            sources.push(source);
        }
        Ok(Merged { sources })
    }

    /// The next record, and the place of its file; `None` after the last.
    #[inline]
    pub fn next(&mut self) -> Result<Option<(R, usize)>, Error> {
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
    pub fn least_prefix(&self, of: impl Fn(usize) -> bool) -> Option<u64> {
        let sources = self
            .sources
            .iter()
            .enumerate()
            .filter(|(place, _)| of(*place));
        sources
            .filter_map(|(_, source)| source.head.map(|head| head.prefix()))
            .min()
    }

    /// Passes over the records of these files whose prefix is below this one; only where numbers
    /// have no part in prefixes.
    pub fn skip_below(&mut self, prefix: u64, of: impl Fn(usize) -> bool) -> Result<(), Error> {
        let sources = self
            .sources
            .iter_mut()
            .enumerate()
            .filter(|(place, _)| of(*place));
        sources
            .into_iter()
            .try_for_each(|(_, source)| source.skip_below(prefix))
    }
}
