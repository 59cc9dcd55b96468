//! Folds stored sets: the shingles that many of them hold become bits ([`FrequentShingles`]).
//!
//! *Input.* Stored sets, and documents that stand for all. *Output.* The same sets, shorter.
//! *Algorithm.* Sets in memory are folded where they lie. Sets on disk are read in order, folded
//! and stored anew, in memory if they fit now. *Memory.* Half of the free budget for the sample,
//! 4 MiB at most; 64 KiB, and 128 KiB a thread. Sets are not folded where these are not free.

use super::{FILES, SetStore, Storing};
use crate::chunk_layout::{ChunkHeader, HEADER_WORDS, SetWord, UNIT_WORDS};
use crate::frequent::{BITMAP_WORDS, BYTES, FrequentShingles, UNFOLDED_BYTES};
use crate::memory;
use crate::overlap::ShingleSet;
use engine::{Error, cells::SpillableCells};
use format::{FormatError, RecordReader};
use model::Cells;
use std::collections::HashMap;

/// Shingles of a sample at most.
const SAMPLE_SHINGLES: usize = 1 << 19;

impl SetStore<'_> {
    /// Folds the sets, if these documents share enough shingles. Many pairs are then compared
    /// sooner.
    pub fn fold(self, sample: &[u32]) -> Result<Self, Error> {
        self.try_fold(sample).map_err(Error::from)
    }

    fn try_fold(mut self, sample: &[u32]) -> Result<Self, FormatError> {
        let frequent = self.frequent_shingles(sample)?;
        let bytes = BYTES + rayon::current_num_threads() * UNFOLDED_BYTES;
        let memory = self.place.engine.budget.reserve("folded sets", bytes);
        let (true, Ok(memory)) = (frequent.len() > BITMAP_WORDS, memory) else {
            return Ok(self);
        };
        match &mut self.words {
            Some(words) => fold_words(words, &mut self.cells, &frequent)?,
            None => self = self.fold_file(&frequent)?,
        }
        self.frequent = Some((frequent, memory));
        Ok(self)
    }

    /// The shingles that many of these documents hold.
    fn frequent_shingles(&mut self, sample: &[u32]) -> Result<FrequentShingles, FormatError> {
        let memory = self.place.engine.budget.take(memory::SAMPLE);
        let fitting = (memory.bytes() / 8).min(SAMPLE_SHINGLES);
        let mut cells = Vec::with_capacity(sample.len());
        for doc in sample {
            cells.push(self.cells.get(*doc)?);
        }
        let mut shingles = Vec::with_capacity(fitting);
        let mut reader = self.reader()?;
        for cell in cells.into_iter().filter(|cell| *cell != 0) {
            let set = reader.lowest_chunk(cell)?;
            if shingles.len() + set.len() <= fitting {
                shingles.extend_from_slice(set);
            }
        }
        Ok(FrequentShingles::of_sample(shingles))
    }

    fn fold_file(self, frequent: &FrequentShingles) -> Result<Self, FormatError> {
        let SetStore {
            place,
            cells,
            file,
            memory,
            ..
        } = self;
        let mut storing = Storing::new(cells, FILES[1], memory);
        let mut words = place.read::<SetWord>(file)?;
        let mut chunk = Vec::new();
        let mut cell = 1;
        // The new cells of chunks that are not the lowest of their sets.
        let mut moved = HashMap::new();
        while let Some(first) = words.next()? {
            chunk.clear();
            chunk.push(first.word);
            push_words(&mut words, &mut chunk, HEADER_WORDS)?;
            let header = ChunkHeader::of([chunk[0], chunk[1]]);
            push_words(&mut words, &mut chunk, header.chunk_words())?;
            let shingles = &mut chunk[HEADER_WORDS..][..header.shingles];
            let is_lowest = storing.cells.get(header.doc)? == cell;
            let is_whole = is_lowest && header.next == 0;
            let folded = is_whole.then(|| frequent.fold(shingles)).flatten();
            let set = ShingleSet {
                level: header.level,
                frequent: folded.as_ref().map_or(&[], |(bitmap, _)| bitmap),
                shingles: folded
                    .as_ref()
                    .map_or(&*shingles, |(_, others)| &shingles[..*others]),
            };
            let next = moved.get(&header.next).copied().unwrap_or(0);
            // There are fewer units than before.
            let new = storing.push(&place, (header.doc, set), next)?.unwrap_or(0);
            if is_lowest {
                storing.cells.set(header.doc, new)?;
            } else {
                moved.insert(cell, new);
            }
            cell += (header.chunk_words() / UNIT_WORDS) as u32;
        }
        place.remove(file)?;
        storing.finish(place)
    }
}

/// Folds the chunks that are whole sets where they lie.
fn fold_words(
    mut words: &mut [u64],
    cells: &mut SpillableCells,
    frequent: &FrequentShingles,
) -> Result<(), FormatError> {
    let mut cell = 1;
    while let Some(header) = words.first_chunk::<HEADER_WORDS>() {
        let header = ChunkHeader::of(*header);
        let (chunk, behind) = words.split_at_mut(header.chunk_words());
        words = behind;
        let (first, rest) = chunk.split_at_mut(HEADER_WORDS);
        let shingles = &mut rest[..header.shingles];
        let is_whole = header.next == 0 && cells.get(header.doc)? == cell;
        cell += (header.chunk_words() / UNIT_WORDS) as u32;
        if is_whole && let Some((bitmap, others)) = frequent.fold(shingles) {
            shingles.copy_within(..others, BITMAP_WORDS);
            shingles[..BITMAP_WORDS].copy_from_slice(&bitmap);
            let folded = ChunkHeader {
                shingles: others,
                is_folded: true,
                ..header
            };
            first.copy_from_slice(&folded.words());
        }
    }
    Ok(())
}

/// Reads on until a chunk has so many words.
fn push_words(
    words: &mut RecordReader<SetWord>,
    chunk: &mut Vec<u64>,
    wanted: usize,
) -> Result<(), FormatError> {
    while chunk.len() < wanted
        && let Some(word) = words.next()?
    {
        chunk.push(word.word);
    }
    chunk.resize(wanted, 0);
    Ok(())
}
