//! A set of documents, a bit each.

use sort::{MemoryBudget, Reservation};

/// Some of the documents of a run.
pub struct DocumentSet {
    bits: Vec<u64>,
    _memory: Reservation,
}

impl DocumentSet {
    /// No document of so many; `None` if the set takes more than a sixteenth of the budget.
    pub fn new(budget: &MemoryBudget, documents: u32) -> Option<DocumentSet> {
        let words = documents.div_ceil(64) as usize;
        if 8 * words > budget.total_bytes() / 16 {
            return None;
        }
        let memory = budget.reserve("a set of documents", 8 * words).ok()?;
        Some(DocumentSet {
            bits: vec![0; words],
            _memory: memory,
        })
    }

    /// Adds a document.
    pub fn add(&mut self, doc: u32) {
        if let Some(word) = self.bits.get_mut(doc as usize / 64) {
            *word |= 1 << (doc % 64);
        }
    }

    /// The lowest document; `None` if there is none.
    pub fn lowest(&self) -> Option<u32> {
        let word = self.bits.iter().position(|word| *word != 0)?;
        Some(64 * word as u32 + self.bits[word].trailing_zeros())
    }

    /// Whether a document is in the set.
    #[inline]
    pub fn has(&self, doc: u32) -> bool {
        let word = self.bits.get(doc as usize / 64);
        word.is_some_and(|word| word & 1 << (doc % 64) != 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn the_set_has_what_was_added() {
        let budget = MemoryBudget::new(1 << 12);
        let added = BTreeSet::from([63, 64, 130, 999]);
        let mut set = DocumentSet::new(&budget, 1000).unwrap();
        assert_eq!(set.lowest(), None);
        added.iter().for_each(|doc| set.add(*doc));
        assert!((0..2000).all(|doc| set.has(doc) == added.contains(&doc)));
        assert_eq!(set.lowest(), Some(63));
        drop(set);
        assert_eq!(budget.free_bytes(), 1 << 12);
    }

    #[test]
    fn a_set_that_would_take_much_of_the_budget_is_not_made() {
        let budget = MemoryBudget::new(1 << 12);
        assert!(DocumentSet::new(&budget, 2048).is_some());
        assert!(DocumentSet::new(&budget, 2049).is_none());
    }
}
