//! Finds the representatives that have no postings yet.
//!
//! *Input.* The classes, and the representatives of an earlier run. *Output.* A bit for each
//! document that says whether it is a representative; for each segment, how many representatives
//! are new. *Algorithm.* Both lists are in document order, also after documents were dropped, so
//! one pass compares them. New documents have higher numbers than older ones. A document with
//! postings therefore remains a representative until it is dropped. The next document of its class
//! then takes its place, and its postings are added. If a document with postings is no longer a
//! representative (`shingle-class-min` was changed), the phase starts from scratch. *Memory.* A
//! number a segment. *Disk.* A bit a document.

use super::names::{PHASE, REPRESENTATIVES};
use engine::{
    Engine, Error,
    merge_levels::{self, EarlierLevels},
};
use format::{FileKind, RecordReader, Sealed};
use model::{Renumbering, SnapshotDocuments};

/// The representatives of a run.
pub(super) struct Representatives {
    /// The file of bits.
    pub(super) file: Sealed,
    /// For each segment, the number of representatives whose postings must be added.
    pub(super) added: Vec<u32>,
    /// Whether a document that has postings is no longer a representative.
    pub(super) has_demoted: bool,
}

/// Compares the representatives of now with those of `earlier`, and writes the bits for this step.
pub(super) fn representatives(
    engine: &Engine<'_>,
    step: u64,
    earlier: Option<&EarlierLevels>,
) -> Result<Representatives, Error> {
    let name = merge_levels::level_name(REPRESENTATIVES, step, step);
    let mut writer = engine.writer::<u32>(PHASE, &name, FileKind::Representatives)?;
    let mut classes = engine.classes()?;
    let mut sorted = EarlierPostings::open(engine, earlier)?;
    let segments = engine.segments()?;
    let (mut added, mut has_demoted) = (vec![0; segments.count()], false);
    let (mut doc, mut word) = (0_u32, 0_u32);
    for (segment, added) in added.iter_mut().enumerate() {
        for _ in 0..segments.documents_of(segment) {
            let (is_one, was_one) = (!classes.is_represented(doc)?, sorted.has(doc)?);
            *added += u32::from(is_one && !was_one);
            has_demoted |= was_one && !is_one;
            word |= u32::from(is_one) << (doc % 32);
            doc += 1;
            if doc.is_multiple_of(32) {
                writer.push(&word)?;
                word = 0;
            }
        }
    }
    if !doc.is_multiple_of(32) {
        writer.push(&word)?;
    }
    Ok(Representatives {
        file: writer.finish()?,
        added,
        has_demoted,
    })
}

/// Tells, in ascending order, which documents have postings from an earlier run.
pub(super) struct EarlierPostings {
    /// The bits of that run; `None` if there was none.
    words: Option<RecordReader<u32>>,
    /// The mapping to the document numbers of that run.
    by: Renumbering,
    /// The last word read.
    word: u32,
    /// How many words were read.
    read: u32,
}

impl EarlierPostings {
    pub(super) fn open(
        engine: &Engine<'_>,
        earlier: Option<&EarlierLevels>,
    ) -> Result<EarlierPostings, Error> {
        let Some(earlier) = earlier else {
            return Ok(EarlierPostings {
                words: None,
                by: Renumbering::default(),
                word: 0,
                read: 0,
            });
        };
        let now: Vec<SnapshotDocuments> = merge_levels::numbering(&engine.taken());
        let by = Renumbering::between(&now, &merge_levels::numbering(&earlier.levels.snapshots));
        let sealed = earlier.levels.others.get(REPRESENTATIVES);
        let open = |sealed| engine.open(PHASE, sealed, FileKind::Representatives);
        Ok(EarlierPostings {
            words: sealed.map(open).transpose()?,
            by,
            word: 0,
            read: 0,
        })
    }

    pub(super) fn has(&mut self, doc: u32) -> Result<bool, Error> {
        let (Some(words), Some(then)) = (&mut self.words, self.by.get(doc)) else {
            return Ok(false);
        };
        while self.read <= then / 32 {
            self.word = words.next()?.unwrap_or(0);
            self.read += 1;
        }
        Ok(self.word >> (then % 32) & 1 != 0)
    }
}
