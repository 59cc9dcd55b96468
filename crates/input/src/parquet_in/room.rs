//! The memory that a row group takes while it is read.
//!
//! *Algorithm.* What takes little is read at once; what takes more waits at the gate for large
//! records until no other thread holds one; what takes more than is allowed is refused.

use std::sync::MutexGuard;

use super::pages::PageBuffer;
use decode::document::Refusal;
use decode::options::{LARGE_RECORD_BYTES, LargeRecords};
use decode::parquet_shapes::PAGE_ADVICE;

/// The memory that a thread may hold for Parquet besides a document, without waiting at the gate
/// for large records.
pub const PARQUET_THREAD_BYTES: u64 = 8 << 20;

/// The memory that is held for a row group.
pub(super) struct Room<'a> {
    held_bytes: u64,
    /// Bytes that may be held.
    most_bytes: u64,
    /// The gate, unless the row group has passed it.
    gate: Option<&'a LargeRecords>,
    _guard: Option<MutexGuard<'a, Vec<u8>>>,
}

impl<'a> Room<'a> {
    /// Of a row group that holds so much from its beginning, and may hold `most_bytes`. Without a
    /// gate, the caller has passed it.
    pub(super) fn new(held_bytes: u64, most_bytes: u64, gate: Option<&'a LargeRecords>) -> Self {
        let mut room = Room {
            held_bytes,
            most_bytes,
            gate,
            _guard: None,
        };
        room.wait();
        room
    }

    /// Takes room for another column.
    pub(super) fn take(&mut self, buffer: PageBuffer) -> Result<(), Refusal> {
        let more = buffer.steady_bytes.saturating_add(buffer.passing_bytes);
        let held_bytes = self.held_bytes.saturating_add(more);
        if held_bytes > self.most_bytes {
            return Err(too_large(held_bytes, self.most_bytes));
        }
        self.held_bytes = held_bytes;
        self.wait();
        Ok(())
    }

    fn wait(&mut self) {
        if self.held_bytes > PARQUET_THREAD_BYTES
            && let Some(gate) = self.gate.take()
        {
            self._guard = Some(gate.enter());
        }
    }

    /// Waits for a text of so many bytes, if that is needed.
    pub(super) fn enter_with(&self, bytes: usize) -> Option<MutexGuard<'a, Vec<u8>>> {
        let gate = self.gate.filter(|_| bytes > LARGE_RECORD_BYTES);
        gate.map(LargeRecords::enter)
    }
}

/// Pages that need more memory than there may be.
pub(super) fn too_large(held_bytes: u64, most_bytes: u64) -> Refusal {
    let detail = format!("the pages need {held_bytes} bytes, {most_bytes} fit; {PAGE_ADVICE}");
    ("page-too-large", detail)
}
