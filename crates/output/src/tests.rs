//! Parquet tables written, read back, damaged, and exported.

pub(crate) mod rows;

use std::io::{self, Write};

use proptest::prelude::*;

use self::rows::{Owned, document, owned, parquet, schema_with_fields};
use crate::{
    CLUSTERS, COMMON_SHINGLES, Cell, ClusterRow, Column, ColumnSelection, ColumnType,
    CommonShingleRow, DOCUMENTS, DocumentRow, ExportFormat, FormulaGuard, Hexadecimal, LineFormat,
    LineTable, MEMBERSHIP, MembershipRow, Micros, OutputError, PAIRS, PairRow, ParquetTable,
    Repetition, Row, RowGroupLimits, Schema, TableReader, export,
};

const SMALL: RowGroupLimits = RowGroupLimits {
    rows: 3,
    bytes: 1 << 20,
};

/// A named file holding these bytes, deleted with the value.
fn file(bytes: &[u8]) -> tempfile::NamedTempFile {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(bytes).unwrap();
    file
}

fn read_all(
    bytes: &[u8],
    selection: ColumnSelection<'_>,
) -> Result<(Schema, Vec<Vec<Owned>>), OutputError> {
    let file = file(bytes);
    let mut reader = TableReader::open(file.path(), selection)?;
    let mut rows = Vec::new();
    while let Some(batch) = reader.next_batch()? {
        assert!(batch.rows() > 0);
        rows.extend(batch.iter().map(|row| owned(&row)));
    }
    assert_eq!(reader.rows(), rows.len() as u64);
    Ok((reader.schema().clone(), rows))
}

fn reads_back<R: Row>(schema: &Schema, rows: &[R], limits: RowGroupLimits) {
    let bytes = parquet(schema, rows, limits);
    assert_eq!(
        bytes,
        parquet(schema, rows, limits),
        "the same rows give the same bytes"
    );
    let (read_schema, read) = read_all(&bytes, ColumnSelection::All).unwrap();
    assert_eq!(&read_schema, schema);
    assert_eq!(read, rows.iter().map(owned).collect::<Vec<_>>());
}

fn pair(a: i64, b: i64) -> PairRow {
    PairRow {
        a,
        b,
        shared: 60,
        size_a: Some(64),
        size_b: Some(70),
        resemblance: 60.0 / 74.0,
        resemblance_low: 0.71,
        resemblance_high: 0.88,
        containment_a_in_b: Some(60.0 / 64.0),
        containment_a_in_b_low: Some(0.85),
        containment_a_in_b_high: Some(0.97),
        containment_b_in_a: Some(60.0 / 70.0),
        containment_b_in_a_low: Some(0.75),
        containment_b_in_a_high: Some(0.92),
        kind: "resemblance",
        certain: true,
        exact: false,
    }
}

#[test]
fn every_table_reads_back_empty_and_full() {
    for table in crate::TABLES {
        reads_back::<&[Cell<'_>]>(&table.schema(), &[], SMALL);
    }
    reads_back(
        &DOCUMENTS.schema(),
        &(0..10).map(document).collect::<Vec<_>>(),
        SMALL,
    );
    let member = |doc_id| MembershipRow {
        doc_id,
        same_as: (doc_id % 2 == 0).then_some(doc_id / 2),
        same_kind: (doc_id % 2 == 0).then_some("lexical"),
        cluster_id: doc_id / 2,
        cluster_documents: 1 + doc_id % 5,
        keep: doc_id % 3 == 0,
        kept_doc_id: doc_id / 3,
        resemblance: (doc_id % 7 > 0).then(|| 1.0 / (doc_id % 7) as f64),
        repeated_words: (doc_id % 4 > 0).then_some(doc_id % 9),
    };
    reads_back(
        &MEMBERSHIP.schema(),
        &(0..10_000).map(member).collect::<Vec<_>>(),
        RowGroupLimits::default(),
    );
    let cluster = |cluster_id| ClusterRow {
        cluster_id,
        documents: 3,
        kept: 1,
        representatives: 2,
        kind: "similar",
        min_resemblance: (cluster_id > 2).then_some(0.1 + 0.2),
        hosts: 1,
        bytes: 7,
        bytes_saved: 5,
        kept_doc_id: cluster_id,
        kept_id: (cluster_id > 4).then_some("rec-4"),
        kept_url: (cluster_id > 3).then_some("http://a.test/"),
        title: (cluster_id > 4).then_some("A"),
    };
    reads_back(
        &CLUSTERS.schema(),
        &(0..7).map(cluster).collect::<Vec<_>>(),
        SMALL,
    );
    reads_back(
        &PAIRS.schema(),
        &[
            pair(0, 9),
            pair(1, 2),
            pair(1, 3),
            pair(i64::MAX - 1, i64::MAX),
        ],
        SMALL,
    );
    let common = |shingle| CommonShingleRow {
        shingle: Hexadecimal(shingle),
        documents: 1001,
        example_doc_id: 5,
    };
    reads_back(
        &COMMON_SHINGLES.schema(),
        &[common(0), common(0xab), common(u64::MAX)],
        SMALL,
    );
    let rows = [common(0xab)];
    let (_, read) = read_all(
        &parquet(&COMMON_SHINGLES.schema(), &rows, SMALL),
        ColumnSelection::All,
    )
    .unwrap();
    assert_eq!(read[0][0], Owned::Text("00000000000000ab".to_owned()));
}

/// The content of a document's row: texts, times, numbers, and the carried fields.
type Parts = (
    Option<String>,
    Option<String>,
    Option<i64>,
    (String, i64, i32),
    [Option<i64>; 3],
    Option<String>,
);

fn with_row<T>(doc_id: i64, parts: &Parts, use_row: impl FnOnce(&DocumentRow<'_>) -> T) -> T {
    let (id, url, date, (source, number, small), [int, double, time], text) = parts;
    let fields = [
        text.as_deref().map_or(Cell::Null, Cell::Utf8),
        int.map_or(Cell::Null, Cell::Int64),
        double.map_or(Cell::Null, |double| Cell::Double(double as f64 / 7.0)),
        time.map_or(Cell::Null, |time| Cell::Bool(time % 2 == 0)),
        time.map_or(Cell::Null, Cell::TimestampMicros),
    ];
    use_row(&DocumentRow {
        doc_id,
        id: id.as_deref(),
        url: url.as_deref(),
        date: date.map(Micros),
        source,
        entry_offset: *number,
        modulus: *small,
        fields: &fields,
        ..document(doc_id)
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn random_documents_read_back(rows: Vec<Parts>, group_rows in 1usize..20, group_bytes in 1usize..4000) {
        let schema = schema_with_fields();
        let limits = RowGroupLimits { rows: group_rows, bytes: group_bytes };
        let write = || {
            let mut table = ParquetTable::with_limits(schema.clone(), &[], Vec::new(), limits).unwrap();
            for (at, parts) in rows.iter().enumerate() {
                with_row(at as i64, parts, |row| table.write(row)).unwrap();
            }
            table.finish().unwrap()
        };
        let bytes = write();
        prop_assert_eq!(&bytes, &write());
        let (read_schema, read) = read_all(&bytes, ColumnSelection::All).unwrap();
        prop_assert_eq!(read_schema, schema);
        let cells = |(at, parts)| with_row(at as i64, parts, |row| owned(row));
        let expected: Vec<_> = rows.iter().enumerate().map(cells).collect();
        prop_assert_eq!(read, expected);
    }

    #[test]
    fn damage_is_an_error_or_other_rows_never_a_panic(at: prop::sample::Index, mask in 1u8.., cut: bool) {
        let rows: Vec<_> = (0..20).map(document).collect();
        let mut bytes = parquet(&DOCUMENTS.schema(), &rows, RowGroupLimits { rows: 7, bytes: 1 << 20 });
        let at = at.index(bytes.len());
        if cut { bytes.truncate(at) } else { bytes[at] ^= mask }
        let file = file(&bytes);
        let outcome = export(&[file.path().to_owned()], ExportFormat::Lines(LineFormat::Jsonl), &mut io::sink());
        let expected = matches!(&outcome, Ok(_) | Err(OutputError::Damaged { .. } | OutputError::Refused(_)));
        prop_assert!(expected, "{outcome:?}");
        prop_assert!(!cut || outcome.is_err());
    }
}

#[test]
fn a_flipped_bit_of_a_page_is_not_read_as_other_rows() {
    let rows: Vec<_> = (0..600).map(|a| pair(a, a + 1)).collect();
    let good = parquet(&PAIRS.schema(), &rows, RowGroupLimits::default());
    let rows = read_all(&good, ColumnSelection::All).unwrap().1;
    let footer = u32::from_le_bytes(good[good.len() - 8..][..4].try_into().unwrap()) as usize;
    let bits = 8 * (good.len() - 8 - footer);
    let mut other = 0;
    for bit in (0..bits).step_by(7) {
        let mut bytes = good.clone();
        bytes[bit / 8] ^= 1 << (bit % 8);
        match read_all(&bytes, ColumnSelection::All) {
            Ok((_, read)) => other += u32::from(read != rows),
            Err(_) => {
                let to = &mut Vec::new();
                export(&[file(&bytes).path().to_owned()], ExportFormat::Parquet, to).unwrap_err();
                assert!(to.is_empty());
            }
        }
    }
    // The encoding of a page stands in its header, which has no checksum.
    assert!(other <= 4, "{other} of {}", bits / 7);
}

#[test]
fn row_groups_end_at_either_limit_and_say_how_they_are_sorted() {
    use parquet::file::reader::{FileReader, SerializedFileReader};
    let groups = |limits| {
        let rows: Vec<_> = (0..10).map(document).collect();
        let file = file(&parquet(&DOCUMENTS.schema(), &rows, limits));
        let reader = SerializedFileReader::new(file.reopen().unwrap()).unwrap();
        let metadata = reader.metadata();
        assert_eq!(
            metadata.file_metadata().created_by(),
            Some("pipeline version 0.1.0")
        );
        for group in metadata.row_groups() {
            let sorting = group.sorting_columns().unwrap();
            assert_eq!(
                (sorting.len(), sorting[0].column_idx, sorting[0].descending),
                (1, 0, false)
            );
            assert!(
                group.column(0).statistics().is_some() && group.column(2).statistics().is_none()
            );
        }
        metadata
            .row_groups()
            .iter()
            .map(|group| group.num_rows())
            .collect::<Vec<_>>()
    };
    assert_eq!(groups(SMALL), [3, 3, 3, 1]);
    assert_eq!(
        groups(RowGroupLimits {
            rows: 5,
            bytes: 1 << 20
        }),
        [5, 5]
    );
    assert_eq!(
        groups(RowGroupLimits {
            rows: 100,
            bytes: 1
        }),
        [1; 10]
    );
    assert_eq!(groups(RowGroupLimits::default()), [10]);
}

#[test]
fn buffers_stay_within_the_limit() {
    let url = "u".repeat(500);
    for bytes in [600_000, 700_000, 800_000, 1_000_000, 1_200_000] {
        let limits = RowGroupLimits {
            rows: usize::MAX,
            bytes,
        };
        let mut table =
            ParquetTable::with_limits(DOCUMENTS.schema(), &[], io::sink(), limits).unwrap();
        let mut peak = 0;
        for doc_id in 0..4_000 {
            table
                .write(&DocumentRow {
                    url: Some(&url),
                    ..document(doc_id)
                })
                .unwrap();
            peak = peak.max(table.memory_bytes());
        }
        assert!(
            (bytes..bytes * 5 / 4 + 30_000).contains(&peak),
            "{peak} for {bytes}"
        );
        table.finish().unwrap();
    }
}

/// The memory of a Parquet column by itself is that of its declaration, and the rest is refused in
/// the same words.
#[test]
fn columns_take_what_they_are_declared_to_take() {
    use ColumnType::{Bool, Double, Int32, Int64, TimestampMicros, Utf8};
    let mut cells = vec![
        Cell::Null,
        Cell::Int32(1),
        Cell::Int64(2),
        Cell::Double(0.5),
        Cell::Utf8("x"),
    ];
    cells.extend([Cell::Bool(true), Cell::TimestampMicros(3)]);
    for kind in [Bool, Double, Int32, Int64, TimestampMicros, Utf8] {
        for (nullable, values) in [
            (false, Repetition::Distinct),
            (true, Repetition::Distinct),
            (true, Repetition::Carried),
        ] {
            let column = Column {
                name: "c".into(),
                kind,
                nullable,
                values,
                about: "",
            };
            let schema = Schema::new("t".to_owned(), vec![column], &[]);
            for cell in &cells {
                let row = std::slice::from_ref(cell);
                let declared = schema
                    .each_cell(&row, |_, _| {})
                    .map_err(|error| error.to_string());
                let mut table = ParquetTable::new(schema.clone(), &[], Vec::new()).unwrap();
                assert_eq!(
                    table.write(&row).map_err(|error| error.to_string()),
                    declared,
                    "{kind}: {cell:?}"
                );
            }
        }
    }
}

#[test]
fn selected_columns_come_in_the_order_asked_for() {
    let bytes = parquet(&PAIRS.schema(), &[pair(1, 2), pair(1, 3)], SMALL);
    let (schema, rows) = read_all(&bytes, ColumnSelection::Named(&["b", "kind", "a"])).unwrap();
    assert_eq!(
        schema
            .columns()
            .iter()
            .map(|column| column.name.as_ref())
            .collect::<Vec<_>>(),
        ["b", "kind", "a"]
    );
    let kind = Owned::Text("resemblance".to_owned());
    let int = |value| Owned::Plain(Cell::Int64(value));
    assert_eq!(
        rows,
        [[int(2), kind.clone(), int(1)], [int(3), kind, int(1)]]
    );
    let missing = read_all(&bytes, ColumnSelection::Named(&["a", "c"])).unwrap_err();
    assert!(
        missing
            .to_string()
            .contains("\"c\" in table pairs; its columns are a, b, shared"),
        "{missing}"
    );
}

#[test]
fn metadata_is_kept_in_order_after_the_name_of_the_table() {
    let file = file(&parquet(&PAIRS.schema(), &[pair(1, 2)], SMALL));
    let metadata = TableReader::open(file.path(), ColumnSelection::All)
        .unwrap()
        .metadata();
    let given = [("pipeline.table", "pairs"), ("pipeline.seed-digest", "00")];
    let given = given.map(|(key, value)| (key.to_owned(), value.to_owned()));
    let described = PAIRS.columns().into_iter();
    let described = described.map(|column| {
        (
            format!("pipeline.column.{}", column.name),
            column.about.to_owned(),
        )
    });
    assert!(metadata.into_iter().eq(given.into_iter().chain(described)));
}

#[test]
fn rows_that_do_not_fit_are_refused_for_good() {
    type Pairs = ParquetTable<Vec<u8>>;
    let refused = |row: &dyn Fn(&mut Pairs) -> Result<(), OutputError>| {
        let mut table: Pairs = ParquetTable::new(PAIRS.schema(), &[], Vec::new()).unwrap();
        table.write(&pair(5, 6)).unwrap();
        let error = row(&mut table).unwrap_err();
        assert!(matches!(
            table.write(&pair(7, 8)),
            Err(OutputError::Refused(_))
        ));
        assert!(matches!(table.finish(), Err(OutputError::Refused(_))));
        error.to_string()
    };
    assert_eq!(
        refused(&|table| table.write(&pair(5, 6))),
        "failed to write table pairs: row 1 does not come after the row before it, in the order of a, b"
    );
    assert_eq!(
        refused(&|table| table.write(&document(9))),
        "failed to write table pairs: column b expects int64, got null"
    );
    assert_eq!(
        refused(&|table| table.write(&&[Cell::Int64(9)][..])),
        "failed to write table pairs: a row has 17 values, got 1"
    );
}

#[test]
fn texts_too_long_for_a_page_are_refused() {
    // Zeros, so that the system need not find the memory.
    let long = String::from_utf8(vec![0; (1 << 30) + 1]).unwrap();
    let mut table = ParquetTable::new(DOCUMENTS.schema(), &[], Vec::new()).unwrap();
    let error = table
        .write(&DocumentRow {
            url: Some(&long),
            ..document(1)
        })
        .unwrap_err();
    assert!(
        matches!(error, OutputError::Refused(ref fault) if fault.contains(": column url takes")),
        "{error}"
    );
}

/// Takes so many bytes, then has no space left.
#[derive(Debug)]
struct Full(usize);

impl Write for Full {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 = self
            .0
            .checked_sub(bytes.len())
            .ok_or(io::ErrorKind::StorageFull)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_full_disk_is_told_wherever_it_strikes() {
    let rows: Vec<_> = (0..200).map(document).collect();
    let limits = RowGroupLimits { rows: 80, ..SMALL };
    let write = |room| {
        ParquetTable::with_limits(DOCUMENTS.schema(), &[], Full(room), limits).and_then(
            |mut table| {
                rows.iter().try_for_each(|row| table.write(row))?;
                table.finish()
            },
        )
    };
    let plenty = 1 << 30;
    let whole = plenty - write(plenty).unwrap().0;
    for room in (0..whole).step_by(61).chain([whole - 1]) {
        let Err(OutputError::Write { source, .. }) = write(room) else {
            panic!("not told with room for {room} of {whole}")
        };
        assert_eq!(source.kind(), io::ErrorKind::StorageFull);
    }
    write(whole).unwrap();
    let buffered = io::BufWriter::with_capacity(1 << 20, Full(0));
    let error = ParquetTable::new(DOCUMENTS.schema(), &[], buffered)
        .and_then(ParquetTable::finish)
        .unwrap_err();
    assert!(
        matches!(error, OutputError::Write { source, .. } if source.kind() == io::ErrorKind::StorageFull)
    );
    let file = file(&parquet(&DOCUMENTS.schema(), &rows, SMALL));
    for format in [
        ExportFormat::Parquet,
        ExportFormat::Lines(LineFormat::Jsonl),
        ExportFormat::Lines(LineFormat::Csv(FormulaGuard::Guard)),
    ] {
        let error = export(&[file.path().to_owned()], format, &mut Full(100)).unwrap_err();
        assert!(
            matches!(error, OutputError::Write { source, .. } if source.kind() == io::ErrorKind::StorageFull)
        );
    }
}

#[test]
fn exports_are_as_if_written_directly() {
    let schema = schema_with_fields();
    let fields = [
        Cell::Utf8("=1"),
        Cell::Int64(3),
        Cell::Double(0.1),
        Cell::Bool(false),
        Cell::TimestampMicros(1),
    ];
    let rows: Vec<_> = (0..2500)
        .map(|id| DocumentRow {
            fields: &fields,
            date: Some(Micros(id)),
            ..document(id)
        })
        .collect();
    let bytes = parquet(
        &schema,
        &rows,
        RowGroupLimits {
            rows: 1100,
            bytes: 1 << 20,
        },
    );
    let file = file(&bytes);
    let exported = |format| {
        let mut out = Vec::new();
        assert_eq!(
            export(&[file.path().to_owned()], format, &mut out).unwrap(),
            2500
        );
        out
    };
    assert_eq!(exported(ExportFormat::Parquet), bytes);
    let mut jsonl = LineTable::new(schema.clone(), LineFormat::Jsonl, Vec::new()).unwrap();
    rows.iter().try_for_each(|row| jsonl.write(row)).unwrap();
    assert_eq!(
        exported(ExportFormat::Lines(LineFormat::Jsonl)),
        jsonl.finish().unwrap()
    );
    for guard in [FormulaGuard::Guard, FormulaGuard::Verbatim] {
        let mut csv = LineTable::new(schema.clone(), LineFormat::Csv(guard), Vec::new()).unwrap();
        rows.iter().try_for_each(|row| csv.write(row)).unwrap();
        assert_eq!(
            exported(ExportFormat::Lines(LineFormat::Csv(guard))),
            csv.finish().unwrap()
        );
    }
}

#[test]
fn files_of_others_are_told_apart() {
    let bytes = parquet(&PAIRS.schema(), &[pair(1, 2)], SMALL);
    assert!(matches!(
        read_all(b"", ColumnSelection::All),
        Err(OutputError::Damaged { .. })
    ));
    assert!(matches!(
        read_all(b"PAR1PAR1", ColumnSelection::All),
        Err(OutputError::Damaged { .. })
    ));
    let name = b"pipeline version";
    let at = bytes
        .windows(name.len())
        .position(|window| window == name)
        .unwrap();
    let mut other = bytes;
    other[at..at + 3].copy_from_slice(b"zap");
    let error = read_all(&other, ColumnSelection::All).unwrap_err();
    assert!(
        error
            .to_string()
            .ends_with("got one written by \"zapeline version 0.1.0\""),
        "{error}"
    );
    let missing = TableReader::open(std::path::Path::new("no such file"), ColumnSelection::All);
    assert!(matches!(
        missing.err(),
        Some(OutputError::Io { action: "open", .. })
    ));
}
