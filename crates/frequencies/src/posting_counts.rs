//! Counts the postings of single shingles, in files of many.

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
    fn count(&mut self, shingle: u64) -> Result<u64, Error> {
        let first = self.first_at_least(shingle)?;
        self.postings.seek(first)?;
        let mut documents = 0;
        while let Some(slice) = self.postings.next_slice()? {
            let end = slice.partition_point(|posting| posting.shingle <= shingle);
            let live = slice[..end]
                .iter()
                .filter(|posting| posting.shingle == shingle && self.by.get(posting.doc).is_some());
            documents += live.count() as u64;
            if end < slice.len() {
                break;
            }
        }
        Ok(documents)
    }

    /// The number of the first posting of this shingle or a higher one, or one before it in its
    /// block. Fingerprints are uniform, so one or two interpolations find it; should they not, the
    /// range is halved from then on.
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
            let middle = self.postings.reader.start_of_block(middle).max(low);
            self.postings.seek(middle)?;
            let slice = self.postings.next_slice()?.unwrap_or_default();
            let (Some(first), Some(last)) = (slice.first(), slice.last()) else {
                return Ok(low);
            };
            if first.shingle >= shingle {
                (high, most) = (middle, first.shingle);
            } else if last.shingle < shingle {
                (low, least) = (middle + slice.len() as u64, last.shingle);
            } else {
                return Ok(middle);
            }
        }
        Ok(low)
    }
}
