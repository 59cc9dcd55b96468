//! The shingles that enough counted representatives may contain, sorted.

use crate::count_filter::CountFilter;
use engine::segments::{CountedRows, Segments};
use engine::{Engine, RepresentedLookup};
use model::word_record;
use runtime::{Error, PhaseName};
use sort::SortedWords;
use std::sync::{Mutex, PoisonError};

const PHASE: PhaseName = PhaseName::Pairs;

/// Postings that a thread collects before it hands them over.
const BATCH: usize = 4096;

/// A shingle of a counted document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct CountedPosting {
    pub(crate) shingle: u64,
    pub(crate) doc: u32,
    /// 1 if the sketch of the document does not keep the shingle.
    pub(crate) is_beyond: u8,
}

word_record! { CountedPosting { shingle, doc, is_beyond } }

/// The postings of all counted representatives, but for shingles of too few documents.
pub(crate) fn sorted(
    engine: &Engine<'_>,
    share: usize,
) -> Result<SortedWords<CountedPosting>, Error> {
    let segments = engine.segments()?;
    // About twice what is expected of real pages; a wrong guess costs time only.
    let expected = u64::from(segments.documents()) * 1500 / model::COUNTED_ONE_IN;
    let filter = CountFilter::new(share, expected);
    let passes = Passes {
        engine,
        segments,
        filter,
    };
    passes.in_all_threads(|_, shingles| {
        shingles
            .iter()
            .for_each(|shingle| passes.filter.add(*shingle));
        Ok(())
    })?;
    let sorter = engine.word_sorter::<CountedPosting>(PHASE, "counted", share);
    let sorter = Mutex::new(sorter);
    let sampling = engine.config.sketch.sampling;
    passes.in_all_threads(|doc, shingles| {
        let level = sampling.level_of(shingles);
        let posting = |&shingle: &u64| CountedPosting {
            shingle,
            doc,
            is_beyond: u8::from(sampling.coarsest_level_of(shingle) < level),
        };
        let enough = shingles
            .iter()
            .filter(|one| passes.filter.may_reach_minimum(**one));
        let postings: Vec<CountedPosting> = enough.map(posting).collect();
        for batch in postings.chunks(BATCH) {
            let mut sorter = sorter.lock().unwrap_or_else(PoisonError::into_inner);
            batch.iter().try_for_each(|one| sorter.push(*one))?;
        }
        Ok(())
    })?;
    let sorter = sorter.into_inner().unwrap_or_else(PoisonError::into_inner);
    sorter.finish().map_err(Error::from)
}

/// What both passes share.
struct Passes<'a> {
    engine: &'a Engine<'a>,
    segments: Segments,
    filter: CountFilter,
}

impl Passes<'_> {
    /// Gives every counted representative with its fingerprints to `take`, on all threads.
    fn in_all_threads(
        &self,
        take: impl Fn(u32, &[u64]) -> Result<(), Error> + Sync,
    ) -> Result<(), Error> {
        let done = self.segments.in_every_thread(|segments| {
            let mut represented = RepresentedLookup::open(self.engine)?;
            for segment in segments {
                self.engine.disk.check_interrupt()?;
                let mut rows = CountedRows::open(&self.segments, segment)?;
                while let Some((doc, shingles)) = rows.next_document()? {
                    represented.go_to(doc)?;
                    if !represented.here {
                        take(doc, &shingles)?;
                    }
                }
            }
            Ok(())
        });
        done.map(drop)
    }
}
