//! Which documents stand for themselves, and which of them have no postings yet.
//!
//! *Input.* The classes; the same of an earlier run. *Output.* A bit for each document; how many of
//! each segment are new. *Algorithm.* Both lists are in document order, and what is dropped never
//! changes that: one pass. New documents come behind the others, so a document that has postings
//! stands for itself until it is dropped; then the next of its class does, whose postings are
//! added. Where that does not hold (`shingle-class-min` was raised or lowered), the phase begins
//! anew. *Memory.* A number a segment. *Disk.* A bit a document.

use super::{PHASE, REPRESENTATIVES, Represented};
use engine::Engine;
use engine::merge_levels::{self, Before};
use format::{FileKind, RecordReader, Sealed};
use model::{Renumbering, SnapshotDocuments};
use runtime::Error;

/// What there is, and what is new.
pub(super) struct Stock {
    pub(super) representatives: Sealed,
    /// Documents of each segment whose postings are to be added.
    pub(super) added: Vec<u32>,
    /// Whether a document that has postings no longer stands for itself.
    pub(super) has_demoted: bool,
}

/// Takes stock at a step.
pub(super) fn take(
    engine: &Engine<'_>,
    step: u64,
    before: Option<&Before>,
) -> Result<Stock, Error> {
    let work = Error::work(PHASE);
    let name = merge_levels::level_name(REPRESENTATIVES, step, step);
    let mut writer = engine.writer::<u32>(PHASE, &name, FileKind::Representatives)?;
    let mut represented = Represented::open(engine)?;
    let mut sorted = Sorted::open(engine, before)?;
    let segments = engine.segments()?;
    let (mut added, mut has_demoted) = (vec![0; segments.count()], false);
    let (mut doc, mut word) = (0_u32, 0_u32);
    for (segment, added) in added.iter_mut().enumerate() {
        for _ in 0..segments.documents_of(segment) {
            represented.go_to(doc)?;
            let (is_one, was_one) = (!represented.here, sorted.has(doc)?);
            *added += u32::from(is_one && !was_one);
            has_demoted |= was_one && !is_one;
            word |= u32::from(is_one) << (doc % 32);
            doc += 1;
            if doc.is_multiple_of(32) {
                writer.push(&word).map_err(work)?;
                word = 0;
            }
        }
    }
    if !doc.is_multiple_of(32) {
        writer.push(&word).map_err(work)?;
    }
    Ok(Stock {
        representatives: writer.finish().map_err(work)?,
        added,
        has_demoted,
    })
}

/// Looks up, in ascending order, which documents have postings from an earlier run.
pub(super) struct Sorted {
    /// None if there was none.
    words: Option<RecordReader<u32>>,
    /// To the numbers of then.
    by: Renumbering,
    /// The last word read, and words read.
    word: u32,
    read: u32,
}

impl Sorted {
    pub(super) fn open(engine: &Engine<'_>, before: Option<&Before>) -> Result<Sorted, Error> {
        let Some(before) = before else {
            return Ok(Sorted {
                words: None,
                by: Renumbering::default(),
                word: 0,
                read: 0,
            });
        };
        let now: Vec<SnapshotDocuments> =
            merge_levels::numbering(&merge_levels::taken(&engine.manifest()));
        let by = Renumbering::between(&now, &merge_levels::numbering(&before.levels.snapshots));
        let sealed = before.levels.others.get(REPRESENTATIVES);
        let open = |sealed| {
            RecordReader::open_sealed(
                &engine.disk,
                &engine.dir(PHASE),
                sealed,
                FileKind::Representatives,
            )
            .map_err(Error::work(PHASE))
        };
        Ok(Sorted {
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
            self.word = words.next().map_err(Error::work(PHASE))?.unwrap_or(0);
            self.read += 1;
        }
        Ok(self.word >> (then % 32) & 1 != 0)
    }
}
