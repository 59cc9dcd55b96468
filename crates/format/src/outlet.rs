//! The bytes of one new file on their way to the disk, from first to last.
//!
//! *Algorithm.* The first bytes of a file are written as they come. Once a piece would be full,
//! later bytes are gathered in aligned pieces and written directly; the unaligned bytes at the end
//! go through the page cache. So a small file costs no memory here, and one write for each of its
//! parts. *Memory.* One piece, once the file is larger than that. *Limits.* Nothing is gathered
//! where direct I/O is refused or unwanted.
//!
//! The file has a temporary name until [`Outlet::commit`]. Dropped before, it is removed.

use crate::direct::{ALIGN, Aligned, DIRECT_BYTES_MIN, IoMode, RawFile, aligned};
use crate::disk::Disk;
use crate::{Durability, FormatError};
use std::path::{Path, PathBuf};

/// A file being written.
pub(crate) struct Outlet {
    disk: Disk,
    /// The final name.
    path: PathBuf,
    /// The temporary name beside it.
    part: PathBuf,
    has_its_name: bool,
    raw: RawFile,
    /// Where the next byte goes that goes out.
    at: u64,
    piece_bytes: usize,
    /// Bytes of the file before pieces are gathered; `None`: never.
    gather_from: Option<u64>,
    piece: Option<Aligned>,
    gathered: usize,
}

impl Outlet {
    /// Starts a file; `wanted_bytes` is the piece that the caller has memory for.
    pub(crate) fn create(
        disk: &Disk,
        path: PathBuf,
        wanted_bytes: usize,
    ) -> Result<Outlet, FormatError> {
        let mut part = path.file_name().unwrap_or_default().to_os_string();
        part.push(".part");
        let part = path.with_file_name(part);
        let raw = RawFile::new(disk.create(&part)?);
        let piece_bytes = aligned(wanted_bytes.max(1));
        let gather_from = match disk.io_mode() {
            IoMode::Direct => Some(0),
            IoMode::Auto if wanted_bytes >= DIRECT_BYTES_MIN => Some(piece_bytes as u64),
            _ => None,
        };
        Ok(Outlet {
            disk: disk.clone(),
            path,
            part,
            has_its_name: false,
            raw,
            at: 0,
            piece_bytes,
            gather_from,
            piece: None,
            gathered: 0,
        })
    }

    /// Appends bytes.
    pub(crate) fn append(&mut self, mut bytes: &[u8]) -> Result<(), FormatError> {
        if self.piece.is_none() {
            let head = self.begin(bytes.len());
            self.put(&bytes[..head])?;
            bytes = &bytes[head..];
        }
        while !bytes.is_empty() {
            let Some(piece) = &mut self.piece else {
                return self.put(bytes);
            };
            let n = bytes.len().min(self.piece_bytes - self.gathered);
            piece.bytes_mut()[self.gathered..self.gathered + n].copy_from_slice(&bytes[..n]);
            self.gathered += n;
            bytes = &bytes[n..];
            if self.gathered == self.piece_bytes {
                self.flush()?;
            }
        }
        Ok(())
    }

    /// How many of the next bytes go out as they are; gathers the rest if it is time.
    fn begin(&mut self, coming: usize) -> usize {
        let to_grid = (ALIGN - (self.at % ALIGN as u64) as usize) % ALIGN;
        let due = self
            .gather_from
            .is_some_and(|from| self.at + coming as u64 >= from);
        if !due || to_grid > coming {
            return coming;
        }
        if !self.raw.go_direct() {
            self.gather_from = None;
            return coming;
        }
        self.piece = Some(Aligned::new(self.piece_bytes));
        to_grid
    }

    fn put(&mut self, bytes: &[u8]) -> Result<(), FormatError> {
        if bytes.is_empty() {
            return Ok(());
        }
        let direct = self.piece.is_some();
        self.disk
            .write_all(&mut self.raw, &self.part, bytes, self.at)?;
        self.at += bytes.len() as u64;
        if direct {
            // The bytes up to the grid went through the page cache.
            self.raw.go_direct();
        }
        Ok(())
    }

    /// Writes the gathered bytes.
    fn flush(&mut self) -> Result<(), FormatError> {
        let Some(piece) = &self.piece else {
            return Ok(());
        };
        let whole = self.gathered / ALIGN * ALIGN;
        for part in [
            &piece.bytes()[..whole],
            &piece.bytes()[whole..self.gathered],
        ] {
            if !part.is_empty() {
                self.disk
                    .write_all(&mut self.raw, &self.part, part, self.at)?;
                self.at += part.len() as u64;
            }
        }
        self.gathered = 0;
        Ok(())
    }

    /// The final name.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The temporary name.
    pub(crate) fn part(&self) -> &Path {
        &self.part
    }

    /// Chooses another final name in the same directory: one that the bytes tell.
    pub(crate) fn rename(&mut self, path: PathBuf) {
        self.path = path;
    }

    /// Writes the last bytes, makes them durable if asked, and gives the file its name, which it
    /// returns. If a step fails, the file is removed: a failed sync is not tried again.
    pub(crate) fn commit(mut self, durability: Durability) -> Result<String, FormatError> {
        self.flush()?;
        self.raw.go_buffered();
        if durability == Durability::Durable {
            self.disk.sync(self.raw.file(), &self.part)?;
        }
        self.disk.rename(&self.part, &self.path)?;
        self.has_its_name = true;
        let name = self.path.file_name().unwrap_or_default();
        Ok(name.to_string_lossy().into_owned())
    }
}

impl Drop for Outlet {
    fn drop(&mut self) {
        if !self.has_its_name {
            let _ = self.disk.remove(&self.part);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::disk::DiskOptions;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]
        #[test]
        fn bytes_are_the_same_in_every_mode(parts in proptest::collection::vec(0usize..30_000, 0..40), piece in 1usize..200_000) {
            let dir = tempfile::tempdir().unwrap();
            for io in [IoMode::Auto, IoMode::Buffered, IoMode::Direct] {
                let disk = Disk::new(DiskOptions { io, ..DiskOptions::default() });
                let path = dir.path().join("file");
                let mut outlet = Outlet::create(&disk, path.clone(), piece).unwrap();
                let mut expected: Vec<u8> = Vec::new();
                for &part in &parts {
                    let bytes: Vec<u8> = (0..part).map(|i| ((expected.len() + i) % 253) as u8).collect();
                    outlet.append(&bytes).unwrap();
                    expected.extend(bytes);
                }
                outlet.commit(Durability::Scratch).unwrap();
                prop_assert!(std::fs::read(&path).unwrap() == expected, "{:?}", io);
                prop_assert_eq!(disk.traffic().0, expected.len() as u64);
            }
        }
    }

    #[test]
    fn all_but_the_ends_of_a_large_file_go_directly() {
        let dir = tempfile::tempdir().unwrap();
        let disk = Disk::new(DiskOptions {
            io: IoMode::Auto,
            ..DiskOptions::default()
        });
        let mut probe = RawFile::new(disk.create(&dir.path().join("probe")).unwrap());
        let page = Aligned::new(ALIGN);
        let possible =
            probe.go_direct() && probe.write_all_at(page.bytes(), 0).is_ok() && probe.is_direct();
        let mut outlet = Outlet::create(&disk, dir.path().join("file"), 1 << 16).unwrap();
        for round in 0..40_usize {
            outlet.append(&[1; 10_007]).unwrap();
            // Six parts come before the first piece, and the seventh begins it.
            assert_eq!(
                outlet.raw.is_direct(),
                possible && round >= 6,
                "part {round}"
            );
        }
    }
}
