//! Records through files, whole and damaged.

use super::*;
use crate::IoMode;
use crate::disk::DiskOptions;
use crate::fault::Faults;
use model::PairCount;
use proptest::prelude::*;

fn spec(dir: &Path, block_bytes: usize) -> RecordSpec {
    RecordSpec {
        block_bytes,
        ..RecordSpec::durable(dir.join("pairs"), FileKind::Pairs, [7; 16])
    }
}

fn pair(i: u32) -> PairCount {
    PairCount {
        a: i,
        b: i * 3,
        shared: i ^ 5,
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn records_read_back_in_order_and_from_anywhere(n in 0u32..200, block in 1usize..200, at in 0u32..200) {
        let dir = tempfile::tempdir().unwrap();
        let disk = Disk::default();
        let mut writer = RecordWriter::create(&disk, spec(dir.path(), block)).unwrap();
        for i in 0..n {
            writer.push(&pair(i)).unwrap();
        }
        let sealed = writer.finish().unwrap();
        prop_assert_eq!(sealed.records, u64::from(n));
        prop_assert_eq!(sealed.bytes, std::fs::metadata(dir.path().join("pairs")).unwrap().len());
        let mut reader: RecordReader<PairCount> =
            RecordReader::open_sealed(&disk, dir.path(), &sealed, FileKind::Pairs).unwrap();
        for i in 0..n {
            prop_assert_eq!(reader.next().unwrap(), Some(pair(i)));
        }
        prop_assert_eq!(reader.next().unwrap(), None);
        let at = at.min(n);
        reader.seek(u64::from(at)).unwrap();
        for i in at..n {
            prop_assert_eq!(reader.next().unwrap(), Some(pair(i)));
        }
        prop_assert_eq!(reader.next().unwrap(), None);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn packed_records_read_back_one_by_one_and_in_slices(
        n in 0u32..300, block in 1usize..400, batches in proptest::collection::vec(1usize..90, 1..6), singles in 0usize..40,
    ) {
        let dir = tempfile::tempdir().unwrap();
        let disk = Disk::default();
        let pairs: Vec<PairCount> = (0..n).map(pair).collect();
        let mut writer = RecordWriter::create_packed(&disk, spec(dir.path(), block)).unwrap();
        let (mut rest, mut sizes) = (&pairs[..], batches.iter().cycle());
        while !rest.is_empty() {
            let (now, later) = rest.split_at((*sizes.next().unwrap()).min(rest.len()));
            if now.len() == 1 { writer.push(&now[0]).unwrap() } else { writer.push_all(now).unwrap() }
            rest = later;
            prop_assert_eq!(writer.records() as usize, pairs.len() - rest.len());
        }
        let sealed = writer.finish().unwrap();
        prop_assert_eq!(sealed.records, u64::from(n));
        prop_assert_eq!(sealed.bytes, std::fs::metadata(dir.path().join("pairs")).unwrap().len());
        // How they came does not show.
        let mut writer = RecordWriter::create_packed(&disk, RecordSpec { path: dir.path().join("all"), ..spec(dir.path(), block) }).unwrap();
        writer.push_all(&pairs).unwrap();
        prop_assert_eq!(writer.finish().unwrap().bytes, sealed.bytes);
        let mut reader: RecordReader<PairCount> =
            RecordReader::open_sealed(&disk, dir.path(), &sealed, FileKind::Pairs).unwrap();
        let mut read = Vec::new();
        while read.len() < singles && let Some(pair) = reader.next().unwrap() {
            read.push(pair);
        }
        while let Some(slice) = reader.next_slice().unwrap() {
            read.extend_from_slice(slice);
            prop_assert!(!slice.is_empty());
        }
        prop_assert_eq!((reader.position(), reader.next().unwrap()), (u64::from(n), None));
        prop_assert_eq!(read, pairs);
        prop_assert!(reader.seek(0).is_err());
    }
}

#[test]
fn every_flipped_bit_every_cut_and_every_appended_byte_is_noticed() {
    notices_damage(RecordWriter::create);
    notices_damage(RecordWriter::create_packed);
}

fn notices_damage(create: fn(&Disk, RecordSpec) -> Result<RecordWriter<PairCount>, FormatError>) {
    let dir = tempfile::tempdir().unwrap();
    let disk = Disk::default();
    let mut writer = create(&disk, spec(dir.path(), 60)).unwrap();
    for i in 0..12 {
        writer.push(&pair(i)).unwrap();
    }
    let sealed = writer.finish().unwrap();
    let path = dir.path().join("pairs");
    let good = std::fs::read(&path).unwrap();
    let check = || -> Result<(), FormatError> {
        let mut reader: RecordReader<PairCount> =
            RecordReader::open_sealed(&disk, dir.path(), &sealed, FileKind::Pairs)?;
        while reader.next()?.is_some() {}
        Ok(())
    };
    check().unwrap();
    for bit in 0..good.len() * 8 {
        let mut bad = good.clone();
        bad[bit / 8] ^= 1 << (bit % 8);
        std::fs::write(&path, &bad).unwrap();
        assert!(check().is_err(), "bit {bit} of {}", good.len() * 8);
    }
    for cut in 0..good.len() {
        std::fs::write(&path, &good[..cut]).unwrap();
        assert!(check().is_err(), "cut at {cut}");
    }
    std::fs::write(&path, [&good[..], b"x"].concat()).unwrap();
    assert!(check().is_err(), "an appended byte");
    // another file of the same shape under this name
    std::fs::write(&path, &good).unwrap();
    std::fs::rename(&path, dir.path().join("other")).unwrap();
    let moved = Sealed {
        name: "other".into(),
        ..sealed.clone()
    };
    let opened: Result<RecordReader<PairCount>, _> =
        RecordReader::open_sealed(&disk, dir.path(), &moved, FileKind::Pairs);
    assert!(opened.is_err(), "a renamed file");
}

#[test]
fn a_failing_operation_leaves_no_file_under_the_final_name() {
    // Small parts go out one by one, or in pieces: less often.
    sweep_failures(IoMode::Auto, 5);
    sweep_failures(IoMode::Direct, 3);
}

fn sweep_failures(io: IoMode, operations_min: u64) {
    for nth in 1.. {
        let dir = tempfile::tempdir().unwrap();
        let disk = Disk::new(DiskOptions {
            faults: Faults::failing(None, nth, 28),
            io,
            ..DiskOptions::default()
        });
        let result = (|| {
            let mut writer = RecordWriter::create(&disk, spec(dir.path(), 60))?;
            for i in 0..12 {
                writer.push(&pair(i))?;
            }
            writer.finish()
        })();
        let names = std::fs::read_dir(dir.path()).unwrap().count();
        match result {
            Err(error) => {
                assert!(matches!(error, FormatError::NoSpace { .. }), "{error}");
                assert_eq!(names, 0, "operation {nth} left something behind");
            }
            Ok(_) => {
                assert_eq!(names, 1);
                assert!(
                    nth > operations_min,
                    "writes, a sync and a rename were to fail one by one"
                );
                break;
            }
        }
    }
}
