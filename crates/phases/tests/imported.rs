//! Pair counts of other machines: the files of the phase are those of a run, or they are refused.

use engine::{Engine, Error, PhaseName};
use format::{FileKind, RecordReader};
use model::PairCount;
use parquet::column::writer::ColumnWriter;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use phases::pairs::{ImportedPairs, hand_over, run, write_rare};
use std::collections::BTreeMap;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use testbed::{assert_nothing_left, cases, clustered, tempdir};
use testkit::OracleCase;

const PHASE: PhaseName = PhaseName::Pairs;

/// Writes rows as other programs do: columns that may be null, in any order of rows.
fn write(path: &Path, rows: &[[i64; 3]]) {
    let message = "message pairs { optional int64 a; optional int64 b; optional int64 shared; }";
    let schema = Arc::new(parse_message_type(message).expect("a schema"));
    let file = File::create(path).expect("a file");
    let mut writer = SerializedFileWriter::new(file, schema, Arc::default()).expect("a writer");
    let mut group = writer.next_row_group().expect("a group");
    for column in 0..3 {
        let values: Vec<i64> = rows.iter().map(|row| row[column]).collect();
        let levels = vec![1; rows.len()];
        let mut next = group.next_column().expect("a column").expect("three");
        let ColumnWriter::Int64ColumnWriter(longs) = next.untyped() else {
            panic!("a column of longs");
        };
        longs
            .write_batch(&values, Some(&levels), None)
            .expect("rows");
        next.close().expect("a column");
    }
    group.close().expect("a group");
    writer.close().expect("a file");
}

/// All pairs of a finished run, those below the floor among them, without common shingles.
fn all_pairs(engine: &Engine<'_>) -> Vec<PairCount> {
    let path = engine.dir(PHASE).join("all");
    write_rare(engine, path.clone()).expect("all pairs");
    let reader = RecordReader::<PairCount>::open(&engine.disk, &path, FileKind::Pairs);
    let mut reader = reader.expect("a file");
    let mut all = Vec::new();
    while let Some(pair) = reader.next().expect("a pair") {
        all.push(pair);
    }
    std::fs::remove_file(path).expect("the file is there");
    all
}

/// A job that hands over these rows in two files.
fn job(
    engine: &Engine<'_>,
    rows: &[[i64; 3]],
    documents: u64,
) -> (tempfile::TempDir, Vec<PathBuf>) {
    let dir = tempdir();
    let pairs = dir.path().join("pairs");
    std::fs::create_dir(&pairs).expect("a directory");
    let files = vec![PathBuf::from("1.parquet"), PathBuf::from("2.parquet")];
    let (first, second) = rows.split_at(rows.len() / 3);
    write(&pairs.join(&files[0]), first);
    write(&pairs.join(&files[1]), second);
    hand_over(engine.config, dir.path(), &files, documents).expect("handed over");
    (dir, files)
}

fn rows_of(pairs: &[PairCount]) -> Vec<[i64; 3]> {
    let row = |pair: &PairCount| [pair.a, pair.b, pair.shared].map(i64::from);
    pairs.iter().rev().map(row).collect()
}

/// The files of the phase as the manifest has them.
fn files(engine: &Engine<'_>) -> BTreeMap<String, String> {
    let record = engine.manifest().phases[PHASE.name()].clone();
    let outputs = record.outputs.into_iter();
    outputs
        .map(|(name, sealed)| (name, sealed.checksum))
        .collect()
}

fn import(engine: &Engine<'_>, job: &Path) -> Result<(), Error> {
    let imported = ImportedPairs::load(engine.config, job)?;
    let record = run(engine, Some(&imported))?;
    assert_nothing_left(engine, PHASE, &record);
    let mut manifest = engine.manifest();
    manifest.phases.insert(PHASE.name().to_owned(), record);
    Ok(())
}

#[test]
fn the_files_are_those_of_a_run() {
    cases(60, |seed, memory_bytes| {
        let case = OracleCase::from_seed(seed);
        if case.params.sampling.has_fixed_size() {
            return;
        }
        clustered(&case, seed, memory_bytes, |engine| {
            let before = files(engine);
            let rows = rows_of(&all_pairs(engine));
            let (job, _) = job(engine, &rows, case.documents.len() as u64);
            import(engine, job.path()).expect("imported");
            assert_eq!(files(engine), before, "seed {seed}");
        });
    });
}

/// The first case with a pair, and without sketches of a fixed size.
fn with_pairs(check: impl Fn(&Engine<'_>, Vec<[i64; 3]>, u64)) {
    for seed in 0.. {
        let case = OracleCase::from_seed(seed);
        if case.params.sampling.has_fixed_size() {
            continue;
        }
        let documents = case.documents.len() as u64;
        let found = clustered(&case, seed, 4_000_000, |engine| {
            let rows = rows_of(&all_pairs(engine));
            let found = rows.len() > 2;
            if found {
                check(engine, rows, documents);
            }
            found
        });
        if found {
            return;
        }
    }
}

#[test]
fn counts_that_cannot_be_are_refused() {
    with_pairs(|engine, rows, documents| {
        let [a, b, shared] = rows[0];
        let beyond = i64::try_from(documents).expect("few");
        let wrong = [
            ([b, a, shared], "a pair twice"),
            ([a, a, shared], "of one class"),
            ([a, beyond, shared], "is no pair count"),
            ([a, b, 0], "is no pair count"),
            ([a, -1, shared], "is no pair count"),
        ];
        for (row, why) in wrong {
            let rows = [&rows[..], &[row]].concat();
            let (job, _) = job(engine, &rows, documents);
            let error = import(engine, job.path()).expect_err(why).to_string();
            assert!(error.contains(why), "{error}");
        }
        let (job, _) = job(engine, &rows, documents + 1);
        let error = import(engine, job.path())
            .expect_err("of others")
            .to_string();
        assert!(error.contains("its shards have"), "{error}");
    });
}

#[test]
fn a_job_of_another_configuration_is_refused_by_name() {
    with_pairs(|engine, rows, documents| {
        let (job, files) = job(engine, &rows, documents);
        let mut config = engine.config.clone();
        config.pairs.common_shingle_limit += 1;
        let refused = |config, why: &str| {
            let error = ImportedPairs::load(config, job.path())
                .expect_err(why)
                .to_string();
            assert!(error.contains(why), "{error}");
        };
        refused(&config, "common-shingle-limit was");
        let mut config = engine.config.clone();
        config.has_snapshots = true;
        refused(&config, "[snapshots]");
        std::fs::remove_file(job.path().join("pairs").join(&files[1])).expect("a file");
        refused(engine.config, "2.parquet is missing");
        std::fs::remove_dir_all(job.path().join("pairs")).expect("a directory");
        refused(engine.config, "it holds no pair counts");
    });
}
