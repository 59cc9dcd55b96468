//! Reads stored sets chunk by chunk, and compares two of them.
//!
//! *Input.* The cells of two sets. *Output.* The value of a function of the two. *Algorithm.* The
//! two lists of chunks are walked in step, as a merge does. At each step both are cut at the last
//! shingle of the chunk that ends first, and the function is applied to the parts up to there. So
//! each shingle is in one part, and the values of all parts are joined. Sets of one chunk are
//! compared at once. A folded set is unfolded if the other one is not folded. *Memory.* Two chunks,
//! if the sets are on disk, and two unfolded sets.

use crate::chunk_layout::{ChunkHeader, HEADER_WORDS, SetWord, UNIT_WORDS};
use crate::frequent::FrequentShingles;
use crate::overlap::ShingleSet;
use format::{FormatError, RecordReader};

/// Reads sets, for one thread.
pub(crate) struct SetReader<'a> {
    /// The words of all sets, if they are in memory.
    words: &'a [u64],
    file: Option<RecordReader<SetWord>>,
    /// The two chunks that were read last from the file, with their headers, and their cells.
    chunks: [Vec<u64>; 2],
    cells: [Option<u32>; 2],
    /// The frequent shingles that folded sets are unfolded with.
    frequent: Option<&'a FrequentShingles>,
    unfolded: [Vec<u64>; 2],
    /// The cells of those sets.
    unfolded_cells: [Option<u32>; 2],
}

/// How far the comparison of a set came: a chunk, and its shingles that are done.
#[derive(Clone, Copy, Default)]
struct SetCursor {
    cell: u32,
    done: usize,
}

/// The rest of a chunk, and the cell of the next one, or 0.
struct SetChunk<'a> {
    set: ShingleSet<'a>,
    next: u32,
}

impl<'a> SetReader<'a> {
    /// Reads the words of all sets, or a file of them.
    pub(crate) fn new(
        words: &'a [u64],
        file: Option<RecordReader<SetWord>>,
        frequent: Option<&'a FrequentShingles>,
    ) -> SetReader<'a> {
        SetReader {
            words,
            file,
            chunks: [const { Vec::new() }; 2],
            cells: [None; 2],
            frequent,
            unfolded: [const { Vec::new() }; 2],
            unfolded_cells: [None; 2],
        }
    }

    /// The lowest chunk of the set that begins at this cell.
    pub(crate) fn lowest_chunk(&mut self, cell: u32) -> Result<&[u64], FormatError> {
        self.load([cell; 2])?;
        let cursor = SetCursor { cell, done: 0 };
        Ok(self.chunk(0, cursor, true).set.shingles)
    }

    /// Compares the two sets that begin at these cells, which are not 0: `compare` is applied to
    /// parts of both that hold the same range of shingles, and `join` joins the values.
    pub(crate) fn compare<T>(
        &mut self,
        cells: [u32; 2],
        compare: &impl Fn([ShingleSet<'_>; 2]) -> T,
        join: &impl Fn(T, T) -> T,
    ) -> Result<T, FormatError> {
        let mut cursors = cells.map(|cell| SetCursor {
            cell,
            ..SetCursor::default()
        });
        let mut value = None;
        loop {
            self.load(cursors.map(|cursor| cursor.cell))?;
            let are_folded = self.unfold_one(cursors);
            let chunks = [
                self.chunk(0, cursors[0], are_folded),
                self.chunk(1, cursors[1], are_folded),
            ];
            let ends = [chunks[0].end(), chunks[1].end()];
            let bound = ends.into_iter().flatten().min();
            let [a, b] = match bound {
                Some(bound) => [chunks[0].set.up_to(bound), chunks[1].set.up_to(bound)],
                None => [chunks[0].set, chunks[1].set],
            };
            let part = compare([a, b]);
            let joined = match value {
                Some(before) => join(before, part),
                None => part,
            };
            if bound.is_none() {
                return Ok(joined);
            }
            value = Some(joined);
            let next = chunks.map(|chunk| chunk.next);
            let lengths = [a, b].map(|set| set.shingles.len());
            for (side, cursor) in cursors.iter_mut().enumerate() {
                if ends[side] == bound {
                    *cursor = SetCursor {
                        cell: next[side],
                        ..SetCursor::default()
                    };
                } else {
                    cursor.done += lengths[side];
                }
            }
        }
    }

    /// Reads the chunks at these cells, if they are on disk.
    fn load(&mut self, cells: [u32; 2]) -> Result<(), FormatError> {
        let Some(file) = &mut self.file else {
            return Ok(());
        };
        // Pairs in order have the same first document many times.
        let known = self.chunks.iter_mut().zip(&mut self.cells);
        for ((chunk, known), cell) in known.zip(cells) {
            if *known != Some(cell) {
                *known = None;
                read_chunk(file, start_of(cell), chunk)?;
                *known = Some(cell);
            }
        }
        Ok(())
    }

    /// Whether both chunks are folded. If only one is, it is unfolded.
    fn unfold_one(&mut self, cursors: [SetCursor; 2]) -> bool {
        let Some(frequent) = self.frequent else {
            return false;
        };
        let sides = [0, 1];
        let are_folded =
            sides.map(|side| header(self.words_at(side, cursors[side].cell)).is_folded);
        for side in sides {
            let cell = cursors[side].cell;
            let is_needed = are_folded[side] && !are_folded[1 - side];
            if is_needed && self.unfolded_cells[side] != Some(cell) {
                let mut unfolded = std::mem::take(&mut self.unfolded[side]);
                frequent.unfold(
                    self.chunk(side, SetCursor { cell, done: 0 }, true).set,
                    &mut unfolded,
                );
                self.unfolded[side] = unfolded;
                self.unfolded_cells[side] = Some(cell);
            }
        }
        are_folded == [true; 2]
    }

    /// The words from a cell on.
    fn words_at(&self, side: usize, cell: u32) -> &[u64] {
        if self.file.is_some() {
            &self.chunks[side]
        } else {
            let start = start_of(cell) as usize;
            self.words.get(start..).unwrap_or_default()
        }
    }

    /// The rest of the chunk of a side, folded or not.
    fn chunk(&self, side: usize, cursor: SetCursor, as_folded: bool) -> SetChunk<'_> {
        let words = self.words_at(side, cursor.cell);
        let header = header(words);
        let words = words.get(HEADER_WORDS..).unwrap_or_default();
        let (frequent, mut shingles) = words.split_at(header.bitmap_words().min(words.len()));
        let mut count = header.shingles;
        let is_unfolded = header.is_folded && !as_folded;
        if is_unfolded {
            (shingles, count) = (&self.unfolded[side], self.unfolded[side].len());
        }
        SetChunk {
            set: ShingleSet {
                level: header.level,
                frequent: if is_unfolded { &[] } else { frequent },
                shingles: shingles.get(cursor.done..count).unwrap_or_default(),
            },
            next: header.next,
        }
    }
}

impl SetChunk<'_> {
    /// The last shingle, if other chunks follow.
    fn end(&self) -> Option<u64> {
        (self.next != 0).then(|| self.set.shingles.last().copied().unwrap_or(0))
    }
}

/// The header of a chunk; that of an empty one if there is none.
fn header(words: &[u64]) -> ChunkHeader {
    let words = words.first_chunk::<2>();
    words.map_or_else(ChunkHeader::default, |words| ChunkHeader::of(*words))
}

fn start_of(cell: u32) -> u64 {
    u64::from(cell).saturating_sub(1) * UNIT_WORDS as u64
}

/// Reads the words of a chunk.
fn read_chunk(
    file: &mut RecordReader<SetWord>,
    start: u64,
    chunk: &mut Vec<u64>,
) -> Result<(), FormatError> {
    chunk.clear();
    file.seek(start)?;
    let mut wanted = HEADER_WORDS;
    while chunk.len() < wanted {
        let Some(mut words) = file.next_slice()? else {
            break;
        };
        while !words.is_empty() && chunk.len() < wanted {
            let (taken, rest) = words.split_at(words.len().min(wanted - chunk.len()));
            chunk.extend(taken.iter().map(|word| word.word));
            words = rest;
            if let &[first, second] = chunk.as_slice() {
                let header = ChunkHeader::of([first, second]);
                wanted += header.bitmap_words() + header.shingles;
                chunk.reserve_exact(wanted - chunk.len());
            }
        }
    }
    Ok(())
}
