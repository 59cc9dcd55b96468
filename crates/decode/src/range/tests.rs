//! Reading by range: bytes, digest, and files that change.

use std::path::Path;

use proptest::prelude::*;
use twox_hash::XxHash3_64;

use super::*;
use crate::options::Format;

/// The [`SourceFile`] of a file that exists.
pub(crate) fn source_of(path: &Path, format: Format) -> SourceFile {
    let now = crate::open_file::stat_at(path).unwrap();
    SourceFile {
        name: path.file_name().unwrap().to_string_lossy().into_owned(),
        path: path.to_path_buf(),
        format,
        stat: now,
        sources: Vec::new(),
    }
}

fn bytes(length: usize) -> Vec<u8> {
    (0..length as u64)
        .map(|i| (i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56) as u8)
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    /// Wherever the reader jumps, it hands out the file's bytes, and digests each byte of the
    /// range once.
    #[test]
    fn jumps_do_not_change_bytes_or_digest(
        length in 0usize..900_000, a in 0.0f64..1.0, b in 0.0f64..1.0,
        jumps in proptest::collection::vec((0.0f64..1.1, 0usize..300_000), 0..8),
    ) {
        let data = bytes(length);
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), &data).unwrap();
        let at = |x: f64| ((x * length as f64) as usize).min(length);
        let (start, end) = (at(a.min(b)), at(a.max(b)));
        let mut reader =
            RangeReader::open(&source_of(file.path(), Format::Text), start as u64, end as u64).unwrap();
        for (to, count) in jumps {
            let to = at(to);
            reader.seek(to as u64).unwrap();
            let mut got = vec![0; count];
            let mut done = 0;
            while done < count {
                match reader.read(&mut got[done..]).unwrap() { 0 => break, n => done += n }
            }
            prop_assert_eq!(&got[..done], &data[to..(to + count).min(length)]);
            prop_assert_eq!(reader.position(), (to + done) as u64);
            let mut peeked = [0; 9];
            let n = reader.peek_at(to as u64, &mut peeked).unwrap();
            prop_assert_eq!(&peeked[..n], &data[to..(to + 9).min(length)]);
        }
        prop_assert_eq!(reader.finish().unwrap(), XxHash3_64::oneshot(&data[start..end]));
    }
}

/// The bytes at hand at once depend on the offset alone.
#[test]
fn blocks_end_at_their_borders() {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), bytes(600_000)).unwrap();
    let source = source_of(file.path(), Format::Text);
    let block = BLOCK_BYTES as usize;
    for (at, expected) in [
        (0, block),
        (1, block - 1),
        (block - 1, 1),
        (block, block),
        (524_300, 600_000 - 524_300),
    ] {
        let mut reader = RangeReader::open(&source, 0, 600_000).unwrap();
        reader.seek(at as u64).unwrap();
        assert_eq!(reader.fill().unwrap().len(), expected);
        let mut reader = RangeReader::open(&source, at as u64, 600_000).unwrap();
        assert_eq!(reader.fill().unwrap().len(), expected);
    }
}

#[test]
fn who_takes_much_at_once_reads_each_byte_once_and_digests_it() {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), bytes(600_000)).unwrap();
    let mut reader = RangeReader::open(&source_of(file.path(), Format::Text), 5, 600_000).unwrap();
    reader.seek(700).unwrap();
    let mut out = vec![0; STRAIGHT_BYTES_MIN + 1];
    let mut read = Vec::new();
    loop {
        let taken = reader.read(&mut out).unwrap();
        read.extend_from_slice(&out[..taken]);
        if taken == 0 {
            break;
        }
    }
    assert!(read == bytes(600_000)[700..]);
    assert_eq!((reader.hashed, reader.block.len()), (600_000, 0));
    assert_eq!(
        reader.finish().unwrap(),
        XxHash3_64::oneshot(&bytes(600_000)[5..])
    );
}

#[test]
fn a_changed_file_is_told() {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), bytes(1000)).unwrap();
    let source = source_of(file.path(), Format::Text);
    let reader = RangeReader::open(&source, 0, 1000).unwrap();
    std::fs::write(file.path(), bytes(1001)).unwrap();
    assert!(matches!(reader.finish(), Err(InputError::Changed { .. })));
    assert!(matches!(
        RangeReader::open(&source, 0, 1000),
        Err(InputError::Changed { .. })
    ));

    let source = source_of(file.path(), Format::Text);
    let mut reader = RangeReader::open(&source, 0, 1001).unwrap();
    std::fs::write(file.path(), bytes(10)).unwrap();
    assert!(matches!(reader.fill(), Err(InputError::Changed { .. })));
}

/// A FIFO in the place of a listed file does not wait for a writer.
#[test]
fn a_fifo_in_the_place_of_the_file_is_a_change() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("page.html");
    std::fs::write(&path, bytes(1000)).unwrap();
    let source = source_of(&path, Format::Text);
    std::fs::remove_file(&path).unwrap();
    let made = std::process::Command::new("mkfifo").arg(&path).status();
    assert!(made.unwrap().success());
    assert!(matches!(
        RangeReader::open(&source, 0, 1000),
        Err(InputError::Changed { .. })
    ));
}
