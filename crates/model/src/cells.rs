//! An array of 32-bit cells, one for each document, in memory or elsewhere.
//!
//! *Why it is fast.* In memory, other words of a document, such as its sketch size, can be stored
//! beside its cell: one cache miss then loads all of them.

use std::convert::Infallible;

/// Cells that all start at 0.
pub trait Cells {
    /// The error of an access.
    type Error;
    /// Reads a cell.
    fn get(&mut self, index: u32) -> Result<u32, Self::Error>;
    /// Writes a cell.
    fn set(&mut self, index: u32, value: u32) -> Result<(), Self::Error>;
    /// The value of a cell if the store is in memory, else 0. A caller that touches many cells
    /// early makes the waits for memory overlap.
    #[inline]
    fn touch(&self, _index: u32) -> u32 {
        0
    }
    /// The words beside a cell, if the store is in memory and has some.
    #[inline]
    fn words(&self, _index: u32) -> &[u32] {
        &[]
    }
    /// The words beside a cell, to be changed.
    #[inline]
    fn words_mut(&mut self, _index: u32) -> &mut [u32] {
        &mut []
    }
}

/// Cells in memory: 4 bytes for each document, and beside each cell a fixed number of further words
/// of the same document. Cells beyond the end read as 0.
#[derive(Clone, Debug)]
pub struct VecCells {
    words: Vec<u32>,
    /// How many words each document has; the first is its cell.
    stride: usize,
}

impl VecCells {
    /// `cells` cells of 0, without further words.
    pub fn new(cells: usize) -> VecCells {
        VecCells::with_words(cells, 0)
    }

    /// `cells` cells of 0, with `beside` further words of 0 beside each.
    pub fn with_words(cells: usize, beside: usize) -> VecCells {
        VecCells {
            words: vec![0; cells * (1 + beside)],
            stride: 1 + beside,
        }
    }

    /// Bytes of `cells` cells with `beside` further words beside each.
    pub fn bytes(cells: usize, beside: usize) -> usize {
        cells * 4 * (1 + beside)
    }

    /// The value of a cell.
    #[inline]
    fn cell(&self, index: u32) -> u32 {
        self.words
            .get(index as usize * self.stride)
            .copied()
            .unwrap_or(0)
    }
}

impl Cells for VecCells {
    type Error = Infallible;
    #[inline]
    fn get(&mut self, index: u32) -> Result<u32, Infallible> {
        Ok(self.cell(index))
    }
    #[inline]
    fn set(&mut self, index: u32, value: u32) -> Result<(), Infallible> {
        if let Some(cell) = self.words.get_mut(index as usize * self.stride) {
            *cell = value;
        }
        Ok(())
    }
    #[inline]
    fn touch(&self, index: u32) -> u32 {
        self.cell(index)
    }
    #[inline]
    fn words(&self, index: u32) -> &[u32] {
        let at = index as usize * self.stride;
        self.words.get(at + 1..at + self.stride).unwrap_or_default()
    }
    #[inline]
    fn words_mut(&mut self, index: u32) -> &mut [u32] {
        let at = index as usize * self.stride;
        self.words
            .get_mut(at + 1..at + self.stride)
            .unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn cells_and_the_words_beside_them_keep_what_was_written(
            beside in 0usize..4, writes in proptest::collection::vec((0u32..25, 0usize..5, any::<u32>()), 0..80),
        ) {
            let mut cells = VecCells::with_words(20, beside);
            let mut expected = vec![vec![0; 1 + beside]; 20];
            for (index, word, value) in writes {
                if word == 0 {
                    cells.set(index, value).unwrap();
                } else if let Some(slot) = cells.words_mut(index).get_mut(word - 1) {
                    *slot = value;
                }
                if let Some(slot) = expected.get_mut(index as usize).and_then(|words| words.get_mut(word)) {
                    *slot = value;
                }
            }
            for (index, words) in (0..).zip(&expected) {
                prop_assert_eq!((cells.get(index).unwrap(), cells.touch(index)), (words[0], words[0]));
                prop_assert_eq!(cells.words(index), &words[1..]);
            }
            prop_assert_eq!((cells.get(20).unwrap(), cells.words(20).len()), (0, 0));
        }
    }
}
