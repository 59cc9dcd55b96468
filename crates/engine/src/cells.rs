//! Cells that spill: one 32-bit cell a document, in memory if they fit their share of the budget,
//! else on disk.

use format::{Disk, FormatError, ScratchCells};
use model::{Cells, VecCells};
use sort::{MemoryBudget, Share};
use std::path::Path;

/// The cache of cells on disk.
const CACHE: Share = Share::of(1, 3);

/// One 32-bit cell a document, in memory or on disk.
pub enum SpillableCells {
    /// In memory, with the reservation of its bytes.
    Memory(VecCells, sort::Reservation),
    /// On disk behind a cache, with the reservation of the cache.
    Disk(ScratchCells, sort::Reservation),
}

impl SpillableCells {
    /// Makes `cells` cells: in memory if that leaves a quarter of the budget free, else in a file
    /// behind a cache of a third of the free budget.
    pub fn create(
        disk: &Disk,
        path: &Path,
        cells: usize,
        budget: &MemoryBudget,
    ) -> Result<SpillableCells, FormatError> {
        if let Ok(reserved) = budget.reserve("a cell for each document", cells * 4)
            && budget.free_bytes() >= budget.total_bytes() / 4
        {
            return Ok(SpillableCells::Memory(VecCells::new(cells), reserved));
        }
        let reserved = budget.take(CACHE);
        Ok(SpillableCells::Disk(
            ScratchCells::create(disk, path, reserved.bytes())?,
            reserved,
        ))
    }

    /// Reserves memory for `cells` cells with `beside` words beside each; `None` if less than a
    /// quarter of the budget would stay free.
    pub fn reserve_beside(
        budget: &MemoryBudget,
        cells: usize,
        beside: usize,
    ) -> Option<sort::Reservation> {
        let reserved = budget
            .reserve(
                "cells and what lies beside them",
                VecCells::bytes(cells, beside),
            )
            .ok()?;
        (budget.free_bytes() >= budget.total_bytes() / 4).then_some(reserved)
    }
}

impl Cells for SpillableCells {
    type Error = FormatError;
    #[inline]
    fn get(&mut self, index: u32) -> Result<u32, FormatError> {
        match self {
            SpillableCells::Memory(cells, _) => Ok(cells.get(index).unwrap_or_default()),
            SpillableCells::Disk(cells, _) => cells.get(index),
        }
    }
    #[inline]
    fn set(&mut self, index: u32, value: u32) -> Result<(), FormatError> {
        match self {
            SpillableCells::Memory(cells, _) => {
                let Ok(()) = cells.set(index, value);
                Ok(())
            }
            SpillableCells::Disk(cells, _) => cells.set(index, value),
        }
    }
    #[inline]
    fn touch(&self, index: u32) -> u32 {
        match self {
            SpillableCells::Memory(cells, _) => cells.touch(index),
            SpillableCells::Disk(..) => 0,
        }
    }
    #[inline]
    fn words(&self, index: u32) -> &[u32] {
        match self {
            SpillableCells::Memory(cells, _) => cells.words(index),
            SpillableCells::Disk(..) => &[],
        }
    }
    #[inline]
    fn words_mut(&mut self, index: u32) -> &mut [u32] {
        match self {
            SpillableCells::Memory(cells, _) => cells.words_mut(index),
            SpillableCells::Disk(..) => &mut [],
        }
    }
}
