//! Encoded records that a sort spills and reads back once.
//!
//! *Algorithm.* Blocks are appended and read back by their number. The offset, length and checksum
//! of each block stay in memory, so that the file holds nothing but records. Blocks that are
//! written directly are padded to the alignment. *Memory.* 24 bytes a block here; the blocks belong
//! to the caller. *Disk.* Scratch: never published, never read by another run, removed when
//! dropped.

use crate::FormatError;
use crate::direct::{ALIGN, Aligned, RawFile, aligned};
use crate::disk::Disk;
use std::path::{Path, PathBuf};
use twox_hash::XxHash3_64;

/// Memory for encoded records, filled from the front.
pub struct SpillBlock {
    memory: Aligned,
    filled: usize,
    room: usize,
}

impl SpillBlock {
    /// An empty block for so many bytes of records.
    pub fn new(room: usize) -> SpillBlock {
        SpillBlock {
            memory: Aligned::new(aligned(room)),
            filled: 0,
            room,
        }
    }

    /// The next `bytes` bytes, to be filled; `None` if they do not fit.
    #[inline]
    pub fn slot(&mut self, bytes: usize) -> Option<&mut [u8]> {
        let from = self.filled;
        if from + bytes > self.room {
            return None;
        }
        self.filled = from + bytes;
        Some(&mut self.memory.bytes_mut()[from..from + bytes])
    }

    /// The filled part.
    pub fn filled(&self) -> &[u8] {
        &self.memory.bytes()[..self.filled]
    }

    /// Appends all of `bytes`; false if they do not fit.
    pub fn append(&mut self, bytes: &[u8]) -> bool {
        self.slot(bytes.len())
            .map(|slot| slot.copy_from_slice(bytes))
            .is_some()
    }

    /// Empties it.
    pub fn clear(&mut self) {
        self.filled = 0;
    }
}

struct Placed {
    at: u64,
    bytes: u32,
    checksum: u64,
}

/// A file of blocks.
pub struct Spill {
    disk: Disk,
    path: PathBuf,
    /// Open while blocks are written or read.
    raw: Option<RawFile>,
    blocks: Vec<Placed>,
    at: u64,
}

impl Spill {
    /// An empty file.
    pub fn create(disk: &Disk, path: &Path) -> Result<Spill, FormatError> {
        let raw = Some(RawFile::new(disk.create(path)?));
        Ok(Spill {
            disk: disk.clone(),
            path: path.to_path_buf(),
            raw,
            blocks: Vec::new(),
            at: 0,
        })
    }

    /// Blocks in it.
    pub fn blocks(&self) -> usize {
        self.blocks.len()
    }

    /// Whether blocks of this size go directly, and the bytes they take then: they are padded.
    fn placing(&self, bytes: usize) -> (bool, usize) {
        let direct = self.disk.io_mode().is_direct(bytes);
        (direct, if direct { aligned(bytes) } else { bytes })
    }

    /// Appends a block.
    pub fn append(&mut self, block: &SpillBlock) -> Result<(), FormatError> {
        let (direct, bytes) = self.placing(block.filled);
        // After a short block the grid may be missed; then the file goes on at the next multiple.
        let at = if direct {
            self.at.next_multiple_of(ALIGN as u64)
        } else {
            self.at
        };
        let raw = open(&mut self.raw, &self.disk, &self.path, direct)?;
        let padded = &block.memory.bytes()[..bytes];
        self.disk.write_all(raw, &self.path, padded, at)?;
        self.at = at + bytes as u64;
        self.blocks.push(Placed {
            at,
            bytes: block.filled as u32,
            checksum: XxHash3_64::oneshot_with_seed(at, block.filled()),
        });
        Ok(())
    }

    /// Closes the file until it is read.
    pub fn rest(&mut self) {
        self.raw = None;
    }

    /// Reads a block by its number, into a block of at least its size.
    pub fn read(&mut self, index: usize, block: &mut SpillBlock) -> Result<(), FormatError> {
        block.clear();
        let Some(placed) = self.blocks.get(index) else {
            return Ok(());
        };
        let (at, bytes, checksum) = (placed.at, placed.bytes as usize, placed.checksum);
        let (direct, wanted) = self.placing(bytes);
        if wanted > block.memory.bytes().len() {
            *block = SpillBlock::new(bytes);
        }
        let path = &self.path;
        let raw = open(&mut self.raw, &self.disk, path, direct)?;
        let space = &mut block.memory.bytes_mut()[..wanted];
        let read = self.disk.read_up_to(raw, path, space, at)?;
        if read < bytes {
            let end = at + read as u64;
            return Err(FormatError::damaged(path, end, "the file ends here"));
        }
        block.filled = bytes;
        if XxHash3_64::oneshot_with_seed(at, block.filled()) != checksum {
            let what = format!("the checksum of block {index} does not match");
            return Err(FormatError::damaged(path, at, what));
        }
        Ok(())
    }
}

/// The file, opened and switched for blocks that go directly or not.
fn open<'r>(
    raw: &'r mut Option<RawFile>,
    disk: &Disk,
    path: &Path,
    direct: bool,
) -> Result<&'r mut RawFile, FormatError> {
    let raw = match raw {
        Some(raw) => raw,
        None => raw.insert(RawFile::new(disk.open(path)?)),
    };
    if direct {
        raw.go_direct();
    } else {
        raw.go_buffered();
    }
    Ok(raw)
}

impl Drop for Spill {
    fn drop(&mut self) {
        self.raw = None;
        let _ = self.disk.remove(&self.path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::IoMode;
    use crate::direct::DIRECT_BYTES_MIN;
    use crate::disk::DiskOptions;
    use proptest::prelude::*;

    fn filled(seed: usize, bytes: usize, room: usize) -> SpillBlock {
        let mut block = SpillBlock::new(room);
        let content: Vec<u8> = (0..bytes).map(|i| (i * 7 + seed) as u8).collect();
        assert!(block.append(&content));
        block
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]
        #[test]
        fn blocks_read_back_in_any_order(sizes in proptest::collection::vec(0usize..150_000, 1..8)) {
            let dir = tempfile::tempdir().unwrap();
            let path = dir.path().join("spill");
            for io in [IoMode::Auto, IoMode::Buffered, IoMode::Direct] {
                let disk = Disk::new(DiskOptions { io, ..DiskOptions::default() });
                let mut spill = Spill::create(&disk, &path).unwrap();
                for (seed, &bytes) in sizes.iter().enumerate() {
                    spill.append(&filled(seed, bytes, 150_000)).unwrap();
                }
                spill.rest();
                let mut block = SpillBlock::new(10);
                for (seed, &bytes) in sizes.iter().enumerate().rev() {
                    spill.read(seed, &mut block).unwrap();
                    prop_assert!(block.filled() == filled(seed, bytes, 150_000).filled());
                }
                drop(spill);
                prop_assert!(!path.exists());
            }
        }
    }

    #[test]
    fn a_changed_byte_and_a_cut_are_noticed() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("spill");
        let disk = Disk::new(DiskOptions {
            io: IoMode::Auto,
            ..DiskOptions::default()
        });
        let mut spill = Spill::create(&disk, &path).unwrap();
        spill.append(&filled(1, 70_000, 70_000)).unwrap();
        spill.append(&filled(2, 100, 100)).unwrap();
        let mut block = SpillBlock::new(70_000);
        let good = std::fs::read(&path).unwrap();
        for at in [0, 69_999] {
            let mut bad = good.clone();
            bad[at] ^= 1;
            std::fs::write(&path, &bad).unwrap();
            spill.rest();
            assert!(spill.read(0, &mut block).is_err(), "byte {at}");
            spill.read(1, &mut block).unwrap();
        }
        std::fs::write(&path, &good[..good.len() - 1]).unwrap();
        spill.rest();
        let error = spill.read(1, &mut block).unwrap_err();
        let FormatError::Damaged { offset, what, .. } = error else {
            panic!("{error}");
        };
        let end = good.len() as u64 - 1;
        assert_eq!((offset, &*what), (end, "the file ends here"));
    }

    #[test]
    fn a_block_is_read_into_the_memory_there_is() {
        let dir = tempfile::tempdir().unwrap();
        let bytes = DIRECT_BYTES_MIN;
        let mut spill = Spill::create(&Disk::default(), &dir.path().join("spill")).unwrap();
        spill.append(&filled(1, bytes, bytes)).unwrap();
        let mut block = SpillBlock::new(bytes);
        let memory = block.memory.bytes().as_ptr();
        spill.read(0, &mut block).unwrap();
        assert_eq!(block.memory.bytes().as_ptr(), memory);
    }

    #[test]
    fn records_that_do_not_fit_are_refused() {
        let mut block = SpillBlock::new(25);
        assert!(block.slot(12).is_some() && block.slot(12).is_some() && block.slot(12).is_none());
        block.clear();
        assert!(!block.append(&[0; 26]) && block.append(&[0; 25]) && block.append(&[]));
        assert_eq!(block.filled().len(), 25);
    }

    #[test]
    fn large_blocks_go_directly_unless_the_disk_says_otherwise() {
        let dir = tempfile::tempdir().unwrap();
        let direct = |io, bytes| {
            let disk = Disk::new(DiskOptions {
                io,
                ..DiskOptions::default()
            });
            let spill = Spill::create(&disk, &dir.path().join("spill")).unwrap();
            spill.placing(bytes).0
        };
        assert!(direct(IoMode::Auto, DIRECT_BYTES_MIN));
        assert!(!direct(IoMode::Auto, DIRECT_BYTES_MIN - 1));
        assert!(direct(IoMode::Direct, 1) && !direct(IoMode::Buffered, 1 << 20));
    }

    #[test]
    fn a_file_at_rest_is_closed_and_knows_its_blocks() {
        let dir = tempfile::tempdir().unwrap();
        let mut spill = Spill::create(&Disk::default(), &dir.path().join("spill")).unwrap();
        for seed in 0..3 {
            spill.append(&filled(seed, 10, 10)).unwrap();
        }
        assert!(spill.raw.is_some());
        spill.rest();
        assert_eq!((spill.raw.is_none(), spill.blocks()), (true, 3));
        let mut block = filled(1, 10, 10);
        spill.read(3, &mut block).unwrap();
        assert!(block.filled().is_empty(), "there is no fourth block");
    }
}
