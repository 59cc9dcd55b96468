//! The published tables, declared.

use crate::ColumnType::{Bool, Double, Int32, Int64, TimestampMicros, Utf8};
use crate::{CHANGES, CLUSTER_CHANGES, Column, HOST_CHANGES, MOVED, Table};

/// Every table, in the order of the documentation.
pub const TABLES: &[&Table] = &[
    &DOCUMENTS,
    &MEMBERSHIP,
    &CLUSTERS,
    &PAIRS,
    &COMMON_SHINGLES,
    &CHANGES,
    &MOVED,
    &HOST_CHANGES,
    &CLUSTER_CHANGES,
    &REJECTED,
    &REMOVED,
];

/// `documents/SNAPSHOT.parquet`; carried fields follow the columns here.
pub const DOCUMENTS: Table = Table {
    name: "documents",
    row: "every document of the snapshot",
    sorted_by: &["doc_id"],
    columns: &[
        Column::new(
            "doc_id",
            Int64,
            "snapshot number * 2^32 + position in the snapshot; never reused",
        )
        .ascending(),
        Column::new(
            "id",
            Utf8,
            "WARC-Record-ID without angle brackets, or the value of id-field",
        )
        .nullable()
        .names(),
        Column::new(
            "url",
            Utf8,
            "its URL; in a tree, the path relative to the root",
        )
        .nullable()
        .names(),
        Column::new("date", TimestampMicros, "when it was fetched, UTC").nullable(),
        Column::new("source", Utf8, "the file it was read from").repeated(),
        Column::new(
            "entry_offset",
            Int64,
            "byte of the source where decoding can start",
        )
        .ascending(),
        Column::new(
            "inner_offset",
            Int64,
            "decoded byte (or row) of the record after that place",
        )
        .repeated(),
        Column::new("length", Int64, "bytes of the record after decompression"),
        Column::new(
            "bytes",
            Int64,
            "bytes of the body, after transfer and content decoding",
        ),
        Column::new("words", Int64, "tokens of the canonical form"),
        Column::new("shingles", Int64, "shingles before sampling"),
        Column::new("sketch_size", Int32, "shingles kept, common ones included").repeated(),
        Column::new(
            "modulus",
            Int32,
            "the modulus of the sketch: one shingle in so many was kept",
        )
        .repeated(),
    ],
};

/// `membership.parquet`.
pub const MEMBERSHIP: Table = Table {
    name: "membership",
    row: "every document",
    sorted_by: &["doc_id"],
    columns: &[
        Column::new("doc_id", Int64, "the document"),
        Column::new(
            "same_as",
            Int64,
            "lowest document of the strongest class it shares",
        )
        .nullable(),
        Column::new(
            "same_kind",
            Utf8,
            "that class: identical, lexical or shingle",
        )
        .nullable()
        .repeated(),
        Column::new(
            "cluster_id",
            Int64,
            "its cluster: the lowest document in it; its own doc_id if alone",
        ),
        Column::new("keep", Bool, "whether it stays when duplicates are removed"),
        Column::new(
            "common_shingles",
            Int32,
            "shingles of its sketch that are common and did not count",
        )
        .repeated(),
    ],
};

/// `clusters.parquet`.
pub const CLUSTERS: Table = Table {
    name: "clusters",
    row: "every cluster of two or more documents",
    sorted_by: &["cluster_id"],
    columns: &[
        Column::new("cluster_id", Int64, "the lowest document in it"),
        Column::new("documents", Int64, "documents in it").repeated(),
        Column::new(
            "distinct",
            Int64,
            "representatives in it: documents left when each class counts once",
        )
        .repeated(),
        Column::new(
            "kind",
            Utf8,
            "the weakest relation it needs: identical, lexical, shingle, similar",
        )
        .repeated(),
        Column::new(
            "min_resemblance",
            Double,
            "resemblance of its weakest link; null without links",
        )
        .nullable(),
        Column::new(
            "kept_doc_id",
            Int64,
            "the document kept when duplicates are removed",
        ),
    ],
};

/// `pairs.parquet`.
pub const PAIRS: Table = Table {
    name: "pairs",
    row: "every link between representatives; few of the links of a dense cluster",
    sorted_by: &["a", "b"],
    columns: &[
        Column::new("a", Int64, "document A, the lower"),
        Column::new("b", Int64, "document B, the higher"),
        Column::new(
            "shared",
            Int32,
            "sampled shingles in both, common ones left out",
        )
        .repeated(),
        Column::new(
            "size_a",
            Int32,
            "sampled shingles of A at the coarser of the two moduli",
        )
        .repeated(),
        Column::new(
            "size_b",
            Int32,
            "sampled shingles of B at the coarser of the two moduli",
        )
        .repeated(),
        Column::new("resemblance", Double, "estimate of |A and B| / |A or B|").repeated(),
        Column::new("resemblance_low", Double, "lower end of its 95 % interval").repeated(),
        Column::new("resemblance_high", Double, "upper end of its 95 % interval").repeated(),
        Column::new("containment_a_in_b", Double, "estimate of |A and B| / |A|").repeated(),
        Column::new(
            "containment_a_in_b_low",
            Double,
            "lower end of its 95 % interval",
        )
        .repeated(),
        Column::new(
            "containment_a_in_b_high",
            Double,
            "upper end of its 95 % interval",
        )
        .repeated(),
        Column::new("containment_b_in_a", Double, "estimate of |A and B| / |B|").repeated(),
        Column::new(
            "containment_b_in_a_low",
            Double,
            "lower end of its 95 % interval",
        )
        .repeated(),
        Column::new(
            "containment_b_in_a_high",
            Double,
            "upper end of its 95 % interval",
        )
        .repeated(),
        Column::new(
            "kind",
            Utf8,
            "what makes it a link: its resemblance, containment, or the resemblance with common shingles",
        )
        .repeated(),
        Column::new(
            "certain",
            Bool,
            "whether the interval lies wholly on the threshold's side",
        ),
        Column::new(
            "exact",
            Bool,
            "whether all shingles of both were compared, so that the intervals have no width",
        ),
    ],
};

/// `common_shingles.parquet`.
pub const COMMON_SHINGLES: Table = Table {
    name: "common_shingles",
    row: "every shingle ignored for being common",
    sorted_by: &["shingle"],
    columns: &[
        Column::new("shingle", Utf8, "its fingerprint, 16 hexadecimal digits"),
        Column::new(
            "documents",
            Int64,
            "representatives that contain it: with adaptive sketches an estimate, its standard deviation 8 times the root of those beyond their sketches",
        ),
        Column::new("example_doc_id", Int64, "a document that has it"),
    ],
};

/// `rejected.jsonl`: written as JSON lines only.
pub const REJECTED: Table = Table {
    name: "rejected",
    row: "every record not used",
    sorted_by: &[],
    columns: &[
        Column::new("source", Utf8, "the file it was read from").repeated(),
        Column::new(
            "offset",
            Int64,
            "byte of the source where the record or the damage begins",
        ),
        Column::new("url", Utf8, "its URL, if that was known").nullable(),
        Column::new(
            "reason",
            Utf8,
            "a stable word: not-found, unresolved-revisit, too-large",
        )
        .repeated(),
        Column::new(
            "detail",
            Utf8,
            "what exactly was wrong; empty if the reason says it all",
        )
        .repeated(),
    ],
};

/// `removed.parquet` of a directory of copies.
pub const REMOVED: Table = Table {
    name: "removed",
    row: "every document that was not copied",
    sorted_by: &["doc_id"],
    columns: &[
        Column::new("doc_id", Int64, "the document that went"),
        Column::new("url", Utf8, "its URL").nullable(),
        Column::new("kept_doc_id", Int64, "the document it went in favour of; null if none is kept").nullable(),
        Column::new("kept_url", Utf8, "the URL of that document").nullable(),
        Column::new("class", Utf8, "how the two are related: identical, lexical, shingle or similar")
            .nullable()
            .repeated(),
        Column::new("resemblance", Double, "estimate of |A and B| / |A or B|").nullable().repeated(),
        Column::new("resemblance_low", Double, "lower end of its 95 % interval").nullable().repeated(),
        Column::new("resemblance_high", Double, "upper end of its 95 % interval").nullable().repeated(),
        Column::new("containment_in_kept", Double, "estimate of the share of it that is in the kept one")
            .nullable()
            .repeated(),
        Column::new("containment_in_kept_low", Double, "lower end of its 95 % interval").nullable().repeated(),
        Column::new("containment_in_kept_high", Double, "upper end of its 95 % interval").nullable().repeated(),
        Column::new("containment_of_kept", Double, "estimate of the share of the kept one that is in it")
            .nullable()
            .repeated(),
        Column::new("containment_of_kept_low", Double, "lower end of its 95 % interval").nullable().repeated(),
        Column::new("containment_of_kept_high", Double, "upper end of its 95 % interval").nullable().repeated(),
        Column::new(
            "links",
            Int32,
            "links of the shortest chain between them; 0 if they share a class; null if not counted",
        )
        .nullable()
        .repeated(),
    ],
};

impl Table {
    /// The declared table of that name.
    pub fn by_name(name: &str) -> Option<&'static Table> {
        TABLES.iter().find(|table| table.name == name).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_table_is_well_formed() {
        for table in TABLES {
            let schema = table.schema();
            assert_eq!(
                schema.sorted_by().len(),
                table.sorted_by.len(),
                "{}",
                table.name
            );
            assert!(
                schema
                    .sorted_by()
                    .iter()
                    .all(|&at| !schema.columns()[at].nullable)
            );
            for (at, column) in schema.columns().iter().enumerate() {
                assert_eq!(
                    schema.position(&column.name),
                    Some(at),
                    "{} is there twice",
                    column.name
                );
                assert!(
                    !column.about.is_empty()
                        && column.about.is_ascii()
                        && !column.about.ends_with('.')
                );
            }
            assert_eq!(Table::by_name(table.name), Some(*table));
        }
        assert_eq!(PAIRS.schema().names([0, 1].into_iter()), "a, b");
    }
}
