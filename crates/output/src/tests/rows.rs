//! Rows for tests.

use crate::{Cell, ColumnType, DOCUMENTS, DocumentRow, ParquetTable, Row, RowGroupLimits, Schema};
use crate::{
    ClassCount, ClassCounts, ClusterCounts, ClusterSize, GroupCount, InputCounts, LeastAlike,
    RemovedCount, RemovedCounts, RemovedHost, Report, ReportedPairs, SketchCounts,
};

/// A document with nothing remarkable, without carried fields.
pub(crate) fn document(doc_id: i64) -> DocumentRow<'static> {
    DocumentRow {
        doc_id,
        id: None,
        url: Some("http://example.org/"),
        host: Some("example.org"),
        title: None,
        date: None,
        source: "crawl.warc.gz",
        row: None,
        entry_offset: 1000 * doc_id,
        inner_offset: 0,
        length: 900,
        bytes: 500,
        words: 80,
        shingles: 71,
        sketch_size: 64,
        modulus: 1,
        flags: None,
        fields: &[],
    }
}

/// The documents table with one carried field of each type.
pub(crate) fn schema_with_fields() -> Schema {
    let fields = [
        ("text", ColumnType::Utf8),
        ("int", ColumnType::Int64),
        ("double", ColumnType::Double),
    ];
    let fields: Vec<_> = fields
        .iter()
        .chain(&[
            ("bool", ColumnType::Bool),
            ("time", ColumnType::TimestampMicros),
        ])
        .map(|(name, kind)| ((*name).to_owned(), *kind))
        .collect();
    DOCUMENTS.schema_with(&fields).unwrap()
}

/// A Parquet file of these rows.
pub(crate) fn parquet<R: Row>(schema: &Schema, rows: &[R], limits: RowGroupLimits) -> Vec<u8> {
    let metadata = [("pipeline.seed-digest".to_owned(), "00".to_owned())];
    let mut table =
        ParquetTable::with_limits(schema.clone(), &metadata, Vec::new(), limits).unwrap();
    for row in rows {
        table.write(row).unwrap();
    }
    assert_eq!(table.rows(), rows.len() as u64);
    table.finish().unwrap()
}

/// A cell that owns its text, so that it can outlive its row.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Owned {
    Plain(Cell<'static>),
    Text(String),
}

impl From<Cell<'_>> for Owned {
    fn from(cell: Cell<'_>) -> Owned {
        Owned::Plain(match cell {
            Cell::Utf8(text) => return Owned::Text(text.to_owned()),
            Cell::Null => Cell::Null,
            Cell::Int32(value) => Cell::Int32(value),
            Cell::Int64(value) => Cell::Int64(value),
            Cell::Double(value) => Cell::Double(value),
            Cell::Bool(value) => Cell::Bool(value),
            Cell::TimestampMicros(value) => Cell::TimestampMicros(value),
        })
    }
}

/// The cells of a row.
pub(crate) fn owned(row: &impl Row) -> Vec<Owned> {
    let mut cells = Vec::new();
    row.cells(&mut |cell| cells.push(cell.into()));
    cells
}

/// The collection of the paper, with what it does not tell made up.
pub(crate) fn report() -> Report {
    let counts = |pairs: &[(&str, u64)]| {
        pairs
            .iter()
            .map(|(name, count)| ((*name).to_owned(), *count))
            .collect()
    };
    Report {
        input: InputCounts {
            documents: 30_000_000,
            bytes: 150_000_000_000,
            url_bytes: 1_800_000_000,
            rejected: counts(&[("not-found", 1_204_511), ("revisit", 88), ("too-large", 88)]),
            skipped: counts(&[
                ("request", 31_204_687),
                ("warcinfo", 412),
                ("\u{1b}[2J\u{202e}evil", 1),
            ]),
            flags: (0..12)
                .map(|n| (format!("flag-{n:02}"), 100 - n / 2))
                .collect(),
            repeated_ids: 0,
        },
        sketch: SketchCounts {
            shingles_found: 15_000_000_000,
            shingles_sampled: 600_000_000,
            documents_without_tokens: 2_311,
            documents_shorter_than_shingle: 0,
            documents_below_min_words: 0,
        },
        classes: ClassCounts {
            identical: ClassCount {
                classes: 2_900_000,
                documents: 7_900_000,
            },
            lexical: ClassCount {
                classes: 3_000_000,
                documents: 8_400_000,
            },
            shingle: ClassCount {
                classes: 3_100_000,
                documents: 8_800_000,
            },
            representatives: 24_300_000,
        },
        pairs: ReportedPairs {
            postings: 486_000_000,
            common_shingles: 7_411,
            pair_increments: 1_800_000_000,
            floor: 0.25,
            distinct_pairs: 500_000_000,
            settled: 0,
        },
        thresholds: None,
        removed: RemovedCounts {
            identical: RemovedCount {
                documents: 5_000_000,
                bytes: 3 << 30,
            },
            lexical: RemovedCount::default(),
            near: RemovedCount {
                documents: 3_700_000,
                bytes: 1 << 30,
            },
            bytes_saved: 4 << 30,
            least_alike: Some(LeastAlike {
                doc_id: 4,
                kept_doc_id: 17,
                resemblance: 0.503,
            }),
            through_others: 0,
            same_url: 0,
            hosts: vec![RemovedHost {
                host: "a.test".to_owned(),
                documents: 77,
            }],
        },
        changes: None,
        passages: None,
        clusters: ClusterCounts {
            links: 9_100_000,
            directed_links: 0,
            published_links: 4_100_000,
            clusters: 3_600_000,
            documents: 12_300_000,
            identical_only: GroupCount {
                clusters: 2_100_000,
                documents: 5_300_000,
            },
            remaining: GroupCount {
                clusters: 1_500_000,
                documents: 7_000_000,
            },
            largest: vec![
                ClusterSize {
                    cluster_id: 17,
                    documents: 40_031,
                    kept_id: None,
                    kept_url: Some("http://a.test/".to_owned()),
                    title: Some("A page".to_owned()),
                },
                ClusterSize {
                    cluster_id: 4,
                    documents: 812,
                    ..ClusterSize::default()
                },
            ],
            removed_if_deduplicated: 8_700_000,
        },
    }
}
