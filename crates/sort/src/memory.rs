//! The budget of a run: memory that grows with the input is reserved here before it is allocated.
//!
//! The setting `memory` of `[work]` is its total. Memory that does not grow with the input (the
//! program itself, stacks, one block for each file) is not reserved; each run may take 64 MiB for
//! it beside the budget.

use crate::sync::{Arc, Mutex, MutexGuard};
use model::Unpoisoned;

/// A budget in bytes. Clones share it.
#[derive(Clone, Debug)]
pub struct MemoryBudget {
    total_bytes: usize,
    state: Arc<Mutex<BudgetState>>,
}

#[derive(Debug, Default)]
struct BudgetState {
    used_bytes: usize,
    peak_bytes: usize,
}

/// Bytes claimed from a budget, and given back when this is dropped.
#[derive(Debug)]
pub struct Reservation {
    bytes: usize,
    parts: usize,
    state: Arc<Mutex<BudgetState>>,
}

/// A share of the memory that is free when a step begins, for structures of equal size. Each phase
/// names its shares in one table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Share {
    numerator: usize,
    denominator: usize,
    parts: usize,
}

impl Share {
    /// All of it.
    pub const ALL: Share = Share::of(1, 1);

    /// So much of it.
    pub const fn of(numerator: usize, denominator: usize) -> Share {
        Share {
            numerator,
            denominator,
            parts: 1,
        }
    }

    /// The same share, divided among so many structures.
    pub const fn in_parts(self, parts: usize) -> Share {
        Share { parts, ..self }
    }
}

/// The budget does not cover what is needed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "failed to reserve {needed_bytes} bytes for {what}: {free_bytes} of {total_bytes} are free; raise work.memory"
)]
pub struct BudgetError {
    /// The data structure that needs the memory.
    pub what: &'static str,
    /// Bytes that it needs.
    pub needed_bytes: usize,
    /// Bytes that were free.
    pub free_bytes: usize,
    /// Bytes of the whole budget.
    pub total_bytes: usize,
}

impl MemoryBudget {
    /// A budget of `total_bytes`, all of them free.
    pub fn new(total_bytes: usize) -> MemoryBudget {
        MemoryBudget {
            total_bytes,
            state: Arc::default(),
        }
    }

    /// Bytes of the whole budget.
    pub fn total_bytes(&self) -> usize {
        self.total_bytes
    }

    /// Bytes that are free now.
    pub fn free_bytes(&self) -> usize {
        self.total_bytes - self.lock().used_bytes
    }

    /// Most bytes that were reserved at one time.
    pub fn peak_bytes(&self) -> usize {
        self.lock().peak_bytes
    }

    /// Claims `bytes` for `what` until the reservation is dropped.
    pub fn reserve(&self, what: &'static str, bytes: usize) -> Result<Reservation, BudgetError> {
        let state = self.lock();
        let free_bytes = self.total_bytes - state.used_bytes;
        if bytes > free_bytes {
            return Err(BudgetError {
                what,
                needed_bytes: bytes,
                free_bytes,
                total_bytes: self.total_bytes,
            });
        }
        Ok(self.claim(state, bytes, 1))
    }

    /// Claims a share of the bytes that are free now, rounded down.
    pub fn take(&self, share: Share) -> Reservation {
        let state = self.lock();
        let free_bytes = self.total_bytes - state.used_bytes;
        let bytes = free_bytes / share.denominator.max(1) * share.numerator.min(share.denominator);
        self.claim(state, bytes, share.parts)
    }

    fn claim(
        &self,
        mut state: MutexGuard<'_, BudgetState>,
        bytes: usize,
        parts: usize,
    ) -> Reservation {
        state.used_bytes += bytes;
        state.peak_bytes = state.peak_bytes.max(state.used_bytes);
        Reservation {
            bytes,
            parts,
            state: Arc::clone(&self.state),
        }
    }

    fn lock(&self) -> MutexGuard<'_, BudgetState> {
        self.state.lock().unpoisoned()
    }
}

impl Reservation {
    /// Reserved bytes.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Bytes of each part of a share.
    pub fn part_bytes(&self) -> usize {
        self.bytes / self.parts.max(1)
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        self.state.lock().unpoisoned().used_bytes -= self.bytes;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_taken_is_not_free_until_it_is_given_back() {
        let budget = MemoryBudget::new(100);
        let first = budget.reserve("a", 60).unwrap();
        let refused = budget.reserve("b", 50).unwrap_err();
        assert_eq!((refused.free_bytes, refused.needed_bytes), (40, 50));
        assert_eq!((budget.total_bytes(), budget.free_bytes()), (100, 40));
        let half = Share::of(1, 2).in_parts(3);
        assert_eq!(budget.take(half).bytes(), 20);
        assert_eq!(budget.take(half).part_bytes(), 6);
        let share = budget.take(Share::of(2, 4));
        assert_eq!((share.bytes(), budget.free_bytes()), (20, 20));
        drop(first);
        assert_eq!((budget.free_bytes(), budget.peak_bytes()), (80, 80));
        drop(share);
        let all = budget.reserve("c", 100).unwrap();
        assert_eq!((all.bytes(), budget.free_bytes()), (100, 0));
    }
}
