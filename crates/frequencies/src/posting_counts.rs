//! Counts the postings of single shingles, in files of many.
//!
//! *Memory.* The two blocks of each file that were read last. Shingles are asked for in order, so a
//! block is seldom read twice.

use engine::merge_levels::{self, renumbering};
use engine::{Engine, Output};
use format::{FileKind, MergeLevels, RecordReader};
use model::{Posting, Renumbering};
use runtime::{Error, PhaseName};

/// Guesses by interpolation before the search halves.
const INTERPOLATIONS_MAX: u32 = 8;

const SORT: PhaseName = PhaseName::Sort;

/// The files of the phase `sort`.
pub(crate) struct PostingCounts {
    files: Vec<PostingFile>,
}

struct PostingFile {
    postings: Output<Posting>,
    /// The first posting of each block that was read last, and the block.
    blocks: [(u64, Vec<Posting>); 2],
    /// Which of them was read first.
    oldest: usize,
    /// Tells which documents are not dropped.
    by: Renumbering,
}

impl PostingCounts {
    /// Opens the files.
    pub(crate) fn open(engine: &Engine<'_>, sorted: &MergeLevels) -> Result<PostingCounts, Error> {
        let now = merge_levels::taken(&engine.manifest());
        let mut files = Vec::new();
        for level in &sorted.files {
            let (dir, kind) = (engine.dir(SORT), FileKind::Postings);
            let reader = RecordReader::open_sealed(&engine.disk, &dir, &level.sealed, kind);
            files.push(PostingFile {
                postings: Output::of(reader?.for_lookups(), SORT),
                blocks: [const { (0, Vec::new()) }; 2],
                oldest: 0,
                by: renumbering(level, &now),
            });
        }
        Ok(PostingCounts { files })
    }

    /// The number of documents whose sketches contain a shingle.
    pub(crate) fn of(&mut self, shingle: u64) -> Result<u64, Error> {
        let mut documents = 0;
        for file in &mut self.files {
            documents += file.count(shingle)?;
        }
        Ok(documents)
    }
}

impl PostingFile {
    /// Reads the block that begins with this posting, unless it is there; gives its place.
    fn load(&mut self, first: u64) -> Result<usize, Error> {
        let is_there = |(start, block): &(u64, Vec<Posting>)| *start == first && !block.is_empty();
        if let Some(place) = self.blocks.iter().position(is_there) {
            return Ok(place);
        }
        let place = self.oldest;
        self.oldest = 1 - place;
        self.postings.seek(first)?;
        let (start, block) = &mut self.blocks[place];
        *start = first;
        block.clear();
        block.extend_from_slice(self.postings.next_slice()?.unwrap_or_default());
        Ok(place)
    }

    fn count(&mut self, shingle: u64) -> Result<u64, Error> {
        let mut first = self.first_at_least(shingle)?;
        let mut documents = 0;
        while first < self.postings.reader.records() {
            let place = self.load(first)?;
            let block = &self.blocks[place].1;
            let begin = block.partition_point(|posting| posting.shingle < shingle);
            let end = block.partition_point(|posting| posting.shingle <= shingle);
            let live = block[begin..end]
                .iter()
                .filter(|posting| self.by.get(posting.doc).is_some());
            documents += live.count() as u64;
            if end < block.len() {
                break;
            }
            first += block.len().max(1) as u64;
        }
        Ok(documents)
    }

    /// The first posting of a block: the block has the first posting of this shingle, or it is the
    /// first block of higher ones. Fingerprints are uniform, so one or two interpolations find it;
    /// should they not, the range is halved from then on.
    fn first_at_least(&mut self, shingle: u64) -> Result<u64, Error> {
        let (mut low, mut high) = (0, self.postings.reader.records());
        let (mut least, mut most) = (0_u64, u64::MAX);
        let mut interpolations = 0;
        while low < high {
            let share = (shingle - least) as f64 / (most - least).max(1) as f64;
            let is_slow = interpolations == INTERPOLATIONS_MAX;
            let guess = if is_slow { 0.5 } else { share };
            interpolations += u32::from(!is_slow);
            let middle = low + (((high - low) as f64 * guess) as u64).min(high - low - 1);
            let middle = self.postings.reader.start_of_block(middle);
            let place = self.load(middle)?;
            let block = &self.blocks[place].1;
            let (Some(first), Some(last)) = (block.first(), block.last()) else {
                return Ok(low);
            };
            if first.shingle >= shingle {
                (high, most) = (middle, first.shingle);
            } else if last.shingle < shingle {
                (low, least) = (middle + block.len() as u64, last.shingle);
            } else {
                return Ok(middle);
            }
        }
        Ok(low)
    }
}
