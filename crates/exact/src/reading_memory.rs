//! The memory in which documents are read again.
//!
//! *Algorithm.* Room for the largest document is reserved first, so that every document can be
//! compared, whatever the memory. It is the room that phase `sketch` has for one: large documents
//! pass a gate one at a time. The sets take half of the rest, and the threads what is left then.
//! Each thread has a document of up to 1 MiB and a piece of a set. *Limits.* The piece is longer
//! where memory allows it, which saves passes over large documents.

use crate::memory;
use engine::Engine;
use input::{Format, LARGE_RECORD_BYTES, PARQUET_THREAD_BYTES};
use sketch::SketchParams;
use sort::Reservation;

/// The bytes that a thread that reads documents holds besides large ones: blocks of five files, a
/// document of up to 1 MiB in its forms.
pub const PER_THREAD_BYTES: u64 = 8 << 20;

/// Fingerprints of the shortest piece of a set: 2 MiB.
const PIECE_MIN: u64 = 1 << 17;

/// A body may be so many times as long in UTF-8.
const GROWTH_MAX: u64 = 3;

/// Reserves room for one large document, as far as it is there.
pub(crate) fn reserve_document(
    engine: &Engine<'_>,
    params: &SketchParams,
    largest_body: u64,
) -> Reservation {
    let document_max = engine.config.input.max_document_bytes;
    let largest_text = largest_body.saturating_mul(GROWTH_MAX).min(document_max);
    // A document that is not wanted is held, too, where its file is read from the beginning.
    let needed = document_max
        .saturating_add(sketch::piece_memory_bytes(params, largest_text, 0))
        .saturating_add(engine.config.input.page_memory_bytes());
    let reserved = usize::try_from(needed).ok().and_then(|needed| {
        let reserved = engine.budget.reserve("one large document", needed);
        reserved.ok()
    });
    reserved.unwrap_or_else(|| engine.budget.take(memory::READING))
}

/// The memory of the threads.
pub(crate) struct ReadingMemory {
    /// Threads that read at once.
    pub(crate) threads: usize,
    /// Fingerprints of a piece of a set.
    pub(crate) piece: usize,
    _memory: Reservation,
}

impl ReadingMemory {
    /// Takes the free memory for up to `threads_max` threads.
    pub(crate) fn reserve(
        engine: &Engine<'_>,
        params: &SketchParams,
        threads_max: usize,
    ) -> ReadingMemory {
        let memory = engine.budget.take(memory::READING);
        let mut files = engine.inputs.listing.files.iter();
        let has_parquet = files.any(|file| file.format == Format::Parquet);
        let document = LARGE_RECORD_BYTES as u64;
        let each = PER_THREAD_BYTES
            + sketch::piece_memory_bytes(params, document, PIECE_MIN)
            + if has_parquet { PARQUET_THREAD_BYTES } else { 0 };
        let bytes = memory.bytes() as u64;
        let fitting = usize::try_from(bytes / each).unwrap_or(usize::MAX);
        let threads = threads_max.min(fitting).max(1);
        let spare = (bytes / threads as u64).saturating_sub(each);
        let piece = usize::try_from(PIECE_MIN + spare / 16).unwrap_or(usize::MAX);
        ReadingMemory {
            threads,
            piece,
            _memory: memory,
        }
    }
}
