//! The documents of a sample as they come from the reader: sketched, measured, and little of them
//! kept.

use super::clock;
use crate::phases::identity::identity;
use distinct::SketchedFingerprints;
use format::{DocumentRow, FieldCell, LadderRow, Mark, Row};
use input::{Document, FieldValue, Rejection, Revisit, Sink, SinkError};
use model::{Record, SizeLadder};
use sketch::{SketchParams, Sketcher};

/// What is kept of a document.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sampled {
    /// The slot it was met in.
    pub(super) slot: u32,
    /// The key of the widest class it can be in.
    pub(super) key: u128,
    /// Its sketch sizes.
    pub(super) ladder: SizeLadder,
    /// Fingerprints in its sketch.
    pub(super) sketch_size: u32,
}

/// Sums over the documents met.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sums {
    pub(super) documents: u64,
    pub(super) rejected: u64,
    /// Of the bodies, after transfer and content decoding.
    pub(super) body_bytes: u64,
    /// Fingerprints kept.
    pub(super) sampled: u64,
    /// What the sketch phase writes of them into its segments.
    pub(super) row_bytes: u64,
    /// CPU nanoseconds of sketching.
    pub(super) sketch_ns: u64,
    /// CPU nanoseconds of reading, of documents that were not the first of their slot: a first one
    /// also pays for the way to it.
    pub(super) read_ns: u64,
    /// Bodies of those documents.
    pub(super) read_bytes: u64,
}

/// Why the reader was stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum Stop {
    /// There are enough documents, or the memory for them is used up.
    #[error("the sample is large enough")]
    Enough,
    /// More documents come from these bytes than can begin in them: the file can only be read from
    /// its beginning.
    #[error("the file can only be read from its beginning")]
    Stream,
    /// A signal came.
    #[error("interrupted")]
    Interrupted,
}

/// What one slot may give.
#[derive(Clone, Copy, Debug)]
pub(super) struct Allowed {
    /// Unpacked bytes after which it is left.
    pub(super) bytes: u64,
    /// What leaving it means.
    pub(super) beyond: Stop,
}

/// A slot has to give so many records before it is taken for a stream.
const STREAM_RECORDS_MIN: u64 = 64;

/// Unpacked bytes a rejected record counts for: how long it was is not told.
const REJECTED_BYTES: u64 = 256;

/// Takes the documents of one slot after the other.
pub(super) struct Taker<'a> {
    pub(super) params: SketchParams,
    pub(super) sketcher: Sketcher,
    pub(super) shingle_class_min: u32,
    /// Bytes that documents and postings may take.
    pub(super) memory_bytes: usize,
    pub(super) is_stopped: &'a dyn Fn() -> bool,
    pub(super) sums: Sums,
    pub(super) documents: Vec<Sampled>,
    /// ⟨shingle, document⟩ of all documents.
    pub(super) postings: Vec<(u64, u32)>,
    row: Vec<u8>,
    slot: Slot,
}

/// The slot being read.
#[derive(Clone, Copy, Debug)]
struct Slot {
    number: u32,
    allowed: Allowed,
    documents: u64,
    rejected: u64,
    /// Bodies, and [`REJECTED_BYTES`] for what is none; or how far into a stream they reached, if
    /// that is more.
    bytes: u64,
    /// When the document before ended, by the CPU clock of the thread.
    before_ns: u64,
}

impl<'a> Taker<'a> {
    pub(super) fn new(
        params: SketchParams,
        shingle_class_min: u32,
        is_stopped: &'a dyn Fn() -> bool,
    ) -> Taker<'a> {
        let allowed = Allowed {
            bytes: u64::MAX,
            beyond: Stop::Enough,
        };
        Taker {
            sketcher: Sketcher::new(&params),
            params,
            shingle_class_min,
            memory_bytes: usize::MAX,
            is_stopped,
            sums: Sums::default(),
            documents: Vec::new(),
            postings: Vec::new(),
            row: Vec::new(),
            slot: Slot {
                number: 0,
                allowed,
                documents: 0,
                rejected: 0,
                bytes: 0,
                before_ns: 0,
            },
        }
    }

    /// Another slot begins.
    pub(super) fn begin(&mut self, allowed: Allowed) {
        let (number, before_ns) = (self.slot.number + 1, clock::thread_cpu_ns());
        self.slot = Slot {
            number,
            allowed,
            documents: 0,
            rejected: 0,
            bytes: 0,
            before_ns,
        };
    }

    /// Unpacked bytes met in the present slot, as far as they are known.
    pub(super) fn slot_bytes(&self) -> u64 {
        self.slot.bytes
    }

    /// Whether the slot is to be left before another record is looked at.
    fn check(&self) -> Result<(), SinkError> {
        if (self.is_stopped)() {
            return Err(Box::new(Stop::Interrupted));
        }
        let Slot {
            allowed,
            documents,
            rejected,
            bytes,
            ..
        } = self.slot;
        let records_min = if allowed.beyond == Stop::Stream {
            STREAM_RECORDS_MIN
        } else {
            0
        };
        if bytes > allowed.bytes && documents + rejected > records_min {
            return Err(Box::new(allowed.beyond));
        }
        if self.held_bytes() > self.memory_bytes {
            Err(Box::new(Stop::Enough))
        } else {
            Ok(())
        }
    }

    fn held_bytes(&self) -> usize {
        self.postings.len() * size_of::<(u64, u32)>() + self.documents.len() * size_of::<Sampled>()
    }

    /// Encodes what the sketch phase would write and counts it.
    fn count_rows(
        &mut self,
        document: &Document<'_>,
        sampled: &Sampled,
        (words, shingles): (u64, u64),
    ) {
        let cell = |value: &'_ FieldValue| match value {
            FieldValue::Text(text) => text.len() as u64 + 3,
            _ => 9,
        };
        let carried: u64 = document.fields.iter().map(|(_, value)| cell(value)).sum();
        let level = sampled.ladder.own_level().unwrap_or(0);
        self.row.clear();
        DocumentRow {
            file: 0,
            id: document.id,
            url: document.url,
            date: document.date,
            entry_offset: document.place.entry_offset,
            inner_offset: document.place.inner_offset,
            length: document.place.length,
            bytes: document.body.len() as u64,
            words,
            shingles,
            sketch_size: sampled.sketch_size,
            modulus: self.params.sampling.modulus_at(level),
            fields: Vec::<FieldCell<'_>>::new(),
        }
        .encode(&mut self.row);
        LadderRow(sampled.ladder).encode(&mut self.row);
        // The number of a document and of its fingerprints take two or three bytes each.
        let sketch_bytes = if sampled.sketch_size > 0 {
            8 * u64::from(sampled.sketch_size) + 5
        } else {
            0
        };
        self.sums.row_bytes += self.row.len() as u64 + carried + sketch_bytes + Mark::SIZE as u64;
    }
}

impl Sink for Taker<'_> {
    fn document(&mut self, document: &Document<'_>) -> Result<(), SinkError> {
        self.check()?;
        let bytes = document.body.len() as u64;
        let read_ns = clock::thread_cpu_ns();
        let key = identity(document, self.params.keys.content_seed());
        let sketched = self.sketcher.sketch(document.content);
        let doc = u32::try_from(self.documents.len()).unwrap_or(u32::MAX);
        self.postings
            .extend(sketched.fingerprints.iter().map(|&shingle| (shingle, doc)));
        let fingerprints = SketchedFingerprints {
            identity: key,
            lexical: sketched.lexical,
            words: sketched.words,
            sketch: sketched.sketch_digest,
            sketch_size: u32::try_from(sketched.fingerprints.len()).unwrap_or(u32::MAX),
        };
        // Classes are nested, so the key of the widest one there is decides.
        let keys = distinct::keys(&fingerprints, self.shingle_class_min);
        let sampled = Sampled {
            slot: self.slot.number,
            key: keys.into_iter().flatten().next_back().unwrap_or(key),
            ladder: self
                .params
                .sampling
                .ladder(usize::from(sketched.level), sketched.fingerprints),
            sketch_size: fingerprints.sketch_size,
        };
        let figures = (sketched.words, sketched.shingles);
        let done_ns = clock::thread_cpu_ns();
        self.sums.documents += 1;
        self.sums.body_bytes += bytes;
        self.sums.sampled += u64::from(sampled.sketch_size);
        self.sums.sketch_ns += done_ns.saturating_sub(read_ns);
        if self.slot.documents > 0 {
            self.sums.read_ns += read_ns.saturating_sub(self.slot.before_ns);
            self.sums.read_bytes += bytes;
        }
        self.count_rows(document, &sampled, figures);
        self.documents.push(sampled);
        self.slot.documents += 1;
        self.slot.bytes = (self.slot.bytes + bytes).max(document.place.inner_offset);
        self.slot.before_ns = clock::thread_cpu_ns();
        Ok(())
    }

    /// Most are documents once they are resolved; what they cost is next to nothing.
    fn revisit(&mut self, _: &Revisit<'_>) -> Result<(), SinkError> {
        self.check()?;
        self.sums.documents += 1;
        self.slot.bytes += REJECTED_BYTES;
        Ok(())
    }

    fn rejected(&mut self, _: Rejection) -> Result<(), SinkError> {
        self.check()?;
        self.sums.rejected += 1;
        self.slot.rejected += 1;
        self.slot.bytes += REJECTED_BYTES;
        Ok(())
    }

    fn skipped(&mut self, _: &str) {}
}
