//! Locks that a thread may have died with.

use std::sync::LockResult;

/// The value that a lock guards, also if a thread panicked while it had it: the panic ends the run
/// by itself, and its half-done work is never stored.
pub trait Unpoisoned {
    /// The guard, or the value.
    type Value;

    /// Gives it, poisoned or not.
    fn unpoisoned(self) -> Self::Value;
}

impl<T> Unpoisoned for LockResult<T> {
    type Value = T;

    fn unpoisoned(self) -> T {
        self.unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}
