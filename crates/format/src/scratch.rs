//! An array of 32-bit cells on disk, for random access to more cells than fit memory.
//!
//! Scratch: never published, never read by another run, removed when dropped.

use crate::FormatError;
use crate::disk::Disk;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

const PAGE_CELLS: usize = 4096;
const PAGE_BYTES: usize = PAGE_CELLS * 4;

struct ScratchPage {
    number: u64,
    changed: bool,
    cells: Box<[u32; PAGE_CELLS]>,
}

/// Cells that all start at 0, in pages of 16 KiB behind a cache of a fixed number of pages.
pub struct ScratchCells {
    disk: Disk,
    path: PathBuf,
    file: File,
    /// A page can only be in one place, `number % cache.len()`.
    cache: Vec<Option<ScratchPage>>,
    /// Pages ever written; reading beyond gives zeros.
    bytes: u64,
}

impl ScratchCells {
    /// A new array in a file of this name, with a cache of `memory_bytes` (at least one page).
    pub fn create(
        disk: &Disk,
        path: &Path,
        memory_bytes: usize,
    ) -> Result<ScratchCells, FormatError> {
        let file = disk.create(path)?;
        let pages = (memory_bytes / PAGE_BYTES).max(1);
        let cache = std::iter::repeat_with(|| None).take(pages).collect();
        Ok(ScratchCells {
            disk: disk.clone(),
            path: path.to_path_buf(),
            file,
            cache,
            bytes: 0,
        })
    }

    fn page(&mut self, number: u64) -> Result<&mut ScratchPage, FormatError> {
        let slot = (number % self.cache.len() as u64) as usize;
        let hit = self.cache[slot]
            .as_ref()
            .is_some_and(|page| page.number == number);
        if !hit {
            let mut page = match self.cache[slot].take() {
                Some(old) => {
                    if old.changed {
                        self.write_back(&old)?;
                    }
                    old
                }
                None => ScratchPage {
                    number,
                    changed: false,
                    cells: Box::new([0; PAGE_CELLS]),
                },
            };
            self.read_in(&mut page, number)?;
            self.cache[slot] = Some(page);
        }
        self.cache[slot].as_mut().ok_or(FormatError::Interrupted)
    }

    fn write_back(&mut self, page: &ScratchPage) -> Result<(), FormatError> {
        let mut bytes = Vec::with_capacity(PAGE_BYTES);
        for cell in page.cells.iter() {
            bytes.extend_from_slice(&cell.to_le_bytes());
        }
        let at = page.number * PAGE_BYTES as u64;
        self.disk
            .write_at(&self.file, &self.path, &bytes, at, self.bytes)?;
        self.bytes = self.bytes.max(at + PAGE_BYTES as u64);
        Ok(())
    }

    fn read_in(&mut self, page: &mut ScratchPage, number: u64) -> Result<(), FormatError> {
        page.number = number;
        page.changed = false;
        let at = number * PAGE_BYTES as u64;
        if at >= self.bytes {
            page.cells.fill(0);
            return Ok(());
        }
        let mut bytes = [0; PAGE_BYTES];
        self.file
            .read_exact_at(&mut bytes, at)
            .map_err(|e| FormatError::io("read", &self.path, 0, e))?;
        for (cell, word) in page.cells.iter_mut().zip(bytes.chunks_exact(4)) {
            *cell = u32::from_le_bytes([word[0], word[1], word[2], word[3]]);
        }
        Ok(())
    }

    /// Reads a cell.
    pub fn get(&mut self, index: u32) -> Result<u32, FormatError> {
        let page = self.page(u64::from(index) / PAGE_CELLS as u64)?;
        Ok(page.cells[index as usize % PAGE_CELLS])
    }

    /// Writes a cell.
    pub fn set(&mut self, index: u32, value: u32) -> Result<(), FormatError> {
        let page = self.page(u64::from(index) / PAGE_CELLS as u64)?;
        page.cells[index as usize % PAGE_CELLS] = value;
        page.changed = true;
        Ok(())
    }
}

impl Drop for ScratchCells {
    fn drop(&mut self) {
        let _ = self.disk.remove(&self.path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]
        #[test]
        fn behaves_like_a_vector(writes in proptest::collection::vec((0u32..60_000, 1u32..), 0..300), pages in 1usize..4) {
            let dir = tempfile::tempdir().unwrap();
            let path = dir.path().join("cells");
            let mut cells = ScratchCells::create(&Disk::default(), &path, pages * PAGE_BYTES).unwrap();
            let mut vector = vec![0; 60_000];
            for &(index, value) in &writes {
                prop_assert_eq!(cells.get(index).unwrap(), vector[index as usize]);
                cells.set(index, value).unwrap();
                vector[index as usize] = value;
            }
            for &(index, _) in &writes {
                prop_assert_eq!(cells.get(index).unwrap(), vector[index as usize]);
            }
            drop(cells);
            prop_assert!(!path.exists());
        }
    }
}
