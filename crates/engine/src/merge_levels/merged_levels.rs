//! Merges the files of several steps into one stream in the current document numbers.

use super::renumbering;
use crate::Engine;
use crate::{Error, PhaseName};
use format::{FileKind, MergeLevel, RecordReader, TakenSnapshot};
use model::{Posting, Record, Renumbering};

/// A record that contains document numbers.
pub trait DocumentRecord: Record {
    /// The record in other numbers; `None` if one of its documents has been dropped.
    fn renumbered(self, by: &Renumbering) -> Option<Self>;
    /// The document whose snapshot the record is counted for.
    fn lower(&self) -> u32;
}

impl DocumentRecord for Posting {
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

/// One file being read.
pub(super) struct LevelReader<R> {
    pub(super) reader: RecordReader<R>,
    /// `None` if the numbers in the file are the current ones.
    pub(super) by: Option<Renumbering>,
    /// Some of its records, as they were written.
    pub(super) block: Vec<R>,
    /// Records of the block already consumed.
    pub(super) taken: usize,
    /// The next record, renumbered; `None` at the end.
    pub(super) head: Option<R>,
}

impl<R: DocumentRecord> LevelReader<R> {
    pub(super) fn refill(&mut self) -> Result<bool, Error> {
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

    /// Skips records while `is_below` holds for them as they were written.
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

    /// Skips records with a smaller prefix. Only for records whose prefix has no document number.
    fn skip_below(&mut self, prefix: u64) -> Result<(), Error> {
        if self.head.is_none_or(|head| head.prefix() >= prefix) {
            return Ok(());
        }
        self.skip_while(|record| record.prefix() < prefix)
    }
}

/// The records of several files in order, each with the index of its file. There are few files, so
/// the smallest head is found by a linear search.
pub struct MergedLevels<R> {
    pub(super) sources: Vec<LevelReader<R>>,
}

impl<R: DocumentRecord> MergedLevels<R> {
    /// Opens files of a phase.
    pub fn open(
        engine: &Engine<'_>,
        phase: PhaseName,
        kind: FileKind,
        files: &[MergeLevel],
        now: &[TakenSnapshot],
    ) -> Result<MergedLevels<R>, Error> {
        let mut sources = Vec::new();
        for level in files {
            let mut source = LevelReader {
                reader: engine.open(phase, &level.sealed, kind)?,
                by: Some(renumbering(level, now)).filter(|by| !by.is_identity()),
                block: Vec::new(),
                taken: 0,
                head: None,
            };
            source.advance()?;
            sources.push(source);
        }
        Ok(MergedLevels { sources })
    }

    /// The next record, and the index of its file; `None` after the last.
    #[expect(
        clippy::should_implement_trait,
        reason = "an Iterator cannot end in an error"
    )]
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

    /// The smallest prefix of the next records of the files that `of` selects.
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

    /// Skips records with a prefix below this one in the files that `of` selects. Only for records
    /// whose prefix has no document number.
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
