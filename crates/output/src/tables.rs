//! The published tables of documents, classes, clusters and links, and their rows.

use crate::declaration::table;
use crate::row::RowField;
use crate::{
    CHANGES, CLUSTER_CHANGES, CONTAMINATION, Cell, ColumnType, HOST_CHANGES, Hexadecimal, MOVED,
    Micros, Table,
};

/// Version of the published tables. The phase that publishes them runs again if it differs.
pub const TABLES_VERSION: u16 = 8;

/// Every table, in the order of the documentation.
pub const TABLES: &[&Table] = &[
    &DOCUMENTS,
    &MEMBERSHIP,
    &CLUSTERS,
    &PAIRS,
    &COMMON_SHINGLES,
    &PASSAGES,
    &CHANGES,
    &MOVED,
    &HOST_CHANGES,
    &CLUSTER_CHANGES,
    &REJECTED,
    &REMOVED,
    &HOST_PAIRS,
    &CONTAMINATION,
];

impl Table {
    /// The declared table of that name.
    pub fn by_name(name: &str) -> Option<&'static Table> {
        TABLES.iter().find(|table| table.name == name).copied()
    }
}

table! {
    /// `documents/SNAPSHOT.parquet`; carried fields follow the columns here.
    DOCUMENTS: "documents", "every document of the snapshot", sorted by ["doc_id"];
    /// A row of [`DOCUMENTS`].
    DocumentRow<'a> {
        doc_id: i64, Ascending, "snapshot number * 2^32 + position in the snapshot; never reused";
        id: Option<&'a str>, Names,
            "WARC-Record-ID without angle brackets, or the value of id-field";
        url: Option<&'a str>, Names, "its URL; in a tree, the path relative to the root";
        host: Option<&'a str>, Repeated, "the host of its URL, in lower case; null if it has none";
        title: Option<&'a str>, Names,
            "text of the first title element in 64 KiB of HTML, white space collapsed, 200 characters at most; null for other formats and for revisits";
        date: Option<Micros>, "when it was fetched, UTC";
        source: &'a str, Repeated, "the file it was read from";
        row: Option<i64>, Ascending,
            "its line of a JSONL file or its row of a Parquet file, the first is 0; null for other formats and behind damage";
        entry_offset: i64, Ascending, "byte of the source where decoding can start";
        inner_offset: i64, Repeated, "decoded byte (or row) of the record after that place";
        length: i64, "bytes of the record after decompression";
        bytes: i64, "bytes of the body, after transfer and content decoding";
        words: i64, "tokens of the canonical form";
        shingles: i64, "shingles before sampling";
        sketch_size: i32, Repeated, "shingles kept, common ones included";
        modulus: i32, Repeated, "the modulus of the sketch: one shingle in so many was kept";
        flags: Option<&'a str>, Repeated,
            "what is odd about the record, as report.json counts it, separated by spaces; null if nothing is";
        fields: &'a [Cell<'a>], "carried fields, in the order of the schema" {};
    }
}

impl RowField for &[Cell<'_>] {
    const KIND: ColumnType = ColumnType::Utf8;
    #[inline]
    fn cells(&self, take: &mut impl FnMut(Cell<'_>)) {
        self.iter().for_each(|&cell| take(cell));
    }
}

table! {
    /// `membership.parquet`.
    MEMBERSHIP: "membership", "every document", sorted by ["doc_id"];
    /// A row of [`MEMBERSHIP`].
    MembershipRow {
        doc_id: i64, "the document";
        same_as: Option<i64>, "lowest document of the strongest class it shares";
        same_kind: Option<&'static str>, Repeated, "that class: identical, lexical or shingle";
        cluster_id: i64, "its cluster: the lowest document in it; its own doc_id if alone";
        cluster_documents: i64, Repeated, "documents in its cluster; 1 if alone";
        keep: bool, "whether it stays when duplicates are removed";
        kept_doc_id: i64, Ascending, "the document that stays in its favour; its own doc_id if it stays";
        resemblance: Option<f64>, Repeated,
            "estimate of its resemblance to the kept document; 1 if it stays; null if neither has a shingle";
        repeated_words: Option<i64>, Repeated,
            "its words in passages that stand at more than one place; null where the configuration does not ask for passages, and for a document that could not be read again for them";
    }
}

table! {
    /// `clusters.parquet`.
    CLUSTERS: "clusters", "every cluster of two or more documents", sorted by ["cluster_id"];
    /// A row of [`CLUSTERS`].
    ClusterRow<'a> {
        cluster_id: i64, "the lowest document in it";
        documents: i64, Repeated, "documents in it";
        kept: i64, Repeated, "those of them that stay when duplicates are removed";
        representatives: i64, Repeated,
            "representatives in it: documents left when each class counts once";
        kind: &'static str, Repeated,
            "the weakest relation it needs: identical, lexical, shingle, similar";
        min_resemblance: Option<f64>, "resemblance of its weakest link; null without links";
        hosts: u64, Repeated, "different hosts of their URLs";
        bytes: u64, "bytes of the bodies of its documents";
        bytes_saved: u64,
            "those of the documents that go when duplicates are removed; a revisit saves none";
        kept_doc_id: i64, Ascending,
            "the document kept when duplicates are removed; of several the best by keep";
        kept_id: Option<&'a str>, Names, "the id of that document";
        kept_url: Option<&'a str>, Names, "the URL of that document";
        title: Option<&'a str>, Names, "the title of that document";
    }
}

table! {
    /// `pairs.parquet`.
    PAIRS:
        "pairs",
        "every link between representatives; few of the links of a dense cluster",
        sorted by ["a", "b"];
    /// A row of [`PAIRS`].
    PairRow {
        a: i64, "document A, the lower";
        b: i64, "document B, the higher";
        shared: i32, Repeated, "sampled shingles in both; or equal min-hashes";
        size_a: Option<i32>, Repeated,
            "sampled shingles of A at the coarser of the two moduli; null where min-hashes were compared";
        size_b: Option<i32>, Repeated,
            "sampled shingles of B at the coarser of the two moduli; null where min-hashes were compared";
        resemblance: f64, Repeated, "estimate of |A and B| / |A or B|";
        resemblance_low: f64, Repeated, "lower end of its 95 % interval";
        resemblance_high: f64, Repeated, "upper end of its 95 % interval";
        containment_a_in_b: Option<f64>, Repeated,
            "estimate of |A and B| / |A|; null where min-hashes were compared";
        containment_a_in_b_low: Option<f64>, Repeated, "lower end of its 95 % interval";
        containment_a_in_b_high: Option<f64>, Repeated, "upper end of its 95 % interval";
        containment_b_in_a: Option<f64>, Repeated,
            "estimate of |A and B| / |B|; null where min-hashes were compared";
        containment_b_in_a_low: Option<f64>, Repeated, "lower end of its 95 % interval";
        containment_b_in_a_high: Option<f64>, Repeated, "upper end of its 95 % interval";
        kind: &'static str, Repeated,
            "what makes it a link: resemblance, containment, or both";
        certain: bool, "whether the interval lies wholly on the threshold's side";
        exact: bool,
            "whether all shingles of both were compared, so that the intervals have no width";
    }
}

table! {
    /// `passages.parquet`.
    PASSAGES:
        "passages",
        "every passage that stands at more than one place, where the configuration asks for them",
        sorted by ["doc_id", "begin_word"];
    /// A row of [`PASSAGES`].
    PassageRow<'a> {
        doc_id: i64, Ascending,
            "its document; of documents with equal tokens the lowest, unless all count";
        id: Option<&'a str>, Names, "the id of that document";
        url: Option<&'a str>, Names, "the URL of that document";
        begin_word: i64, "its first word, counted from 0";
        end_word: i64, "the word after its last";
        begin_character: Option<i64>,
            "the first character of its first word in the text field, counted from 0; null where the text has markup or could not be read again";
        end_character: Option<i64>, "the character after its last word";
        words: i64, "words in it";
        places_min: i64, Repeated, "places of the corpus at which one of its windows stands: the fewest";
        places_max: i64, Repeated, "places at which one of its windows stands: the most";
        documents: i64, Repeated, "documents in which one of its windows stands: the most";
        source_doc_id: i64, "the document that has its first window first, by keep";
        source_begin: i64, "the word at which that window begins there";
        is_source: bool, "whether each of its windows stands here first";
    }
}

table! {
    /// `common_shingles.parquet`.
    COMMON_SHINGLES:
        "common_shingles", "every shingle in the sketches of more documents than common-shingle-limit", sorted by ["shingle"];
    /// A row of [`COMMON_SHINGLES`].
    CommonShingleRow {
        shingle: Hexadecimal, "its fingerprint, 16 hexadecimal digits";
        documents: i64,
            "representatives whose sketches contain it";
        example_doc_id: i64, "a document that has it";
    }
}

table! {
    /// `rejected.jsonl`: written as JSON lines only.
    REJECTED: "rejected", "every record not used", sorted by [];
    /// A row of [`REJECTED`].
    RejectedRow<'a> {
        source: &'a str, Repeated, "the file it was read from";
        byte: i64, "byte of the source where the record or the damage begins";
        url: Option<&'a str>, "its URL, if that was known";
        reason: &'a str, Repeated,
            "a stable word: not-found, unresolved-revisit, too-large";
        detail: &'a str, Repeated, "what exactly was wrong; empty if the reason says it all";
        records: i64, "records lost by it: more than 1 for rows of Parquet that are lost together";
    }
}

table! {
    /// `removed.parquet` of a publication, and of a directory of copies.
    REMOVED:
        "removed", "every document that goes when duplicates are removed", sorted by ["doc_id"];
    /// A row of [`REMOVED`].
    RemovedRow<'a> {
        doc_id: i64, Ascending, "the document that goes";
        id: Option<&'a str>, Names, "its id, as in documents";
        url: Option<&'a str>, Names, "its URL";
        bytes: i64, "bytes of its body";
        kept: Option<KeptInFavour<'a>>, "the document that is kept instead, if one is" {
            kept_doc_id: Option<i64>, Ascending, "the document it goes in favour of; null if none is kept";
            kept_id: Option<&'a str>, SharedNames, "the id of that document";
            kept_url: Option<&'a str>, SharedNames, "the URL of that document";
            class: Option<&'a str>, Repeated,
                "how the two are related: identical, lexical, shingle or similar";
            resemblance, Repeated,
                "estimate of |A and B| / |A or B|; null if neither has a shingle";
            resemblance_low, Repeated, "lower end of its 95 % interval";
            resemblance_high, Repeated, "upper end of its 95 % interval";
            containment_in_kept, Repeated,
                "estimate of the share of it that is in the kept one; null where min-hashes were compared";
            containment_in_kept_low, Repeated, "lower end of its 95 % interval";
            containment_in_kept_high, Repeated, "upper end of its 95 % interval";
            containment_of_kept, Repeated,
                "estimate of the share of the kept one that is in it; null where min-hashes were compared";
            containment_of_kept_low, Repeated, "lower end of its 95 % interval";
            containment_of_kept_high, Repeated, "upper end of its 95 % interval";
            links: Option<i32>, Repeated,
                "links of the shortest chain between them; 0 if they share a class; null if not counted: a publication counts no chain of two links or more";
        };
        differs_only_in_digits: Option<bool>, Repeated,
            "whether its words are those of the kept one but for words of digits; null if not known: a publication compares no texts";
    }
}

table! {
    /// `host_pairs.parquet`.
    HOST_PAIRS:
        "host_pairs",
        "every host and host of which it holds copies; the 10000 pairs with most copies, most first",
        sorted by [];
    /// A row of [`HOST_PAIRS`].
    HostPairRow<'a> {
        host: &'a str, Names, "the host of documents that go, in lower case";
        kept_host: &'a str, Names, "the host of the documents that are kept instead";
        documents: u64, "documents that go";
        near: u64, "those of them of the classes shingle and similar";
        bytes: u64, "bytes of the bodies of the documents that go";
    }
}

/// The document that is kept, and how the removed one is related to it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct KeptInFavour<'a> {
    /// Public id.
    pub doc_id: i64,
    /// Record id.
    pub id: Option<&'a str>,
    /// URL.
    pub url: Option<&'a str>,
    /// The strongest class both are in, or `similar`.
    pub class: &'static str,
    /// Resemblance, containment of the removed one in the kept one, and of the kept one in it: each
    /// as value, low, high; `None` without a shingle that counts.
    pub estimates: [Option<[f64; 3]>; 3],
    /// Links of the shortest chain between them; `None` if they are not linked themselves and
    /// chains were not looked for.
    pub links: Option<i32>,
}

impl RowField for KeptInFavour<'_> {
    const KIND: ColumnType = ColumnType::Double;
    const CELLS: usize = 14;
    fn cells(&self, take: &mut impl FnMut(Cell<'_>)) {
        self.doc_id.cells(take);
        self.id.cells(take);
        self.url.cells(take);
        self.class.cells(take);
        self.estimates.cells(take);
        self.links.cells(take);
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

    /// Words that DuckDB 1.4 does not take as the name of a column without quotes, by
    /// `duckdb_keywords()`: reserved, or names of types and functions.
    const RESERVED_BY_DUCKDB: &str = "all analyse analyze and anti any array as asc asof \
        asymmetric at authorization binary both by case cast check collate collation column \
        columns concurrently constraint create cross current_catalog default deferrable desc describe \
        distinct do else end except false fetch for foreign freeze from full generated glob grant \
        group having ilike in initially inner intersect into is isnull join lambda lateral leading \
        left like limit map natural not notnull null offset on only or order outer overlaps pivot \
        pivot_longer pivot_wider placing positional primary qualify references returning right \
        select semi session_user show similar some struct summarize symmetric table tablesample \
        then to trailing true try_cast union unique unpack unpivot using variadic verbose when where \
        window with";

    /// Further words that PostgreSQL or Spark (ANSI) reserve.
    const RESERVED_BY_OTHERS: &str = "current_date current_role current_time current_timestamp \
        current_user exists filter localtime localtimestamp tablesample time unknown user";

    #[test]
    fn no_column_has_a_name_that_sql_reserves() {
        for table in TABLES.iter().chain([&&crate::ANNOTATION, &&crate::CUTS]) {
            for column in table.columns() {
                let mut reserved = RESERVED_BY_DUCKDB
                    .split_whitespace()
                    .chain(RESERVED_BY_OTHERS.split_whitespace());
                assert!(
                    reserved.all(|word| word != column.name),
                    "{}.{} needs quotes",
                    table.name,
                    column.name
                );
            }
        }
    }
}
