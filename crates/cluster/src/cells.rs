//! An array of 32-bit cells, one a document, wherever it lies.

use std::convert::Infallible;

/// Cells that all start at 0.
pub trait Cells {
    /// What access can end in.
    type Error;
    /// Reads a cell.
    ///
    /// # Errors
    /// When the store cannot be read.
    fn get(&mut self, index: u32) -> Result<u32, Self::Error>;
    /// Writes a cell.
    ///
    /// # Errors
    /// When the store cannot be written.
    fn set(&mut self, index: u32, value: u32) -> Result<(), Self::Error>;
    /// Brings a cell near, where that is cheap, and gives what is in it, else 0: a store in memory asks for it early, and many
    /// such waits overlap.
    #[inline]
    fn touch(&self, _index: u32) -> u32 {
        0
    }
}

/// Cells in memory: 4 bytes a document. Cells beyond the end read as 0.
#[derive(Clone, Debug, Default)]
pub struct VecCells(Vec<u32>);

impl VecCells {
    /// So many cells.
    pub fn new(cells: usize) -> VecCells {
        VecCells(vec![0; cells])
    }
}

impl Cells for VecCells {
    type Error = Infallible;
    #[inline]
    fn get(&mut self, index: u32) -> Result<u32, Infallible> {
        Ok(self.0.get(index as usize).copied().unwrap_or(0))
    }
    #[inline]
    fn set(&mut self, index: u32, value: u32) -> Result<(), Infallible> {
        if let Some(cell) = self.0.get_mut(index as usize) {
            *cell = value;
        }
        Ok(())
    }
    #[inline]
    fn touch(&self, index: u32) -> u32 {
        // The load must happen though nobody may want its value; the processor does not wait for it.
        std::hint::black_box(self.0.get(index as usize).copied().unwrap_or(0))
    }
}
