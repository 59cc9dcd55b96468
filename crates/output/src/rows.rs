//! One row of each table, as plain fields. Meaning and units of the fields are those of the columns
//! in the tables' declarations ([`crate::TABLES`]).

use model::Shingle;

use crate::Cell;

/// Something that is a row: it hands its cells on in the order of the table's columns.
pub trait Row {
    /// Hands on one cell after the other.
    fn cells(&self, take: &mut impl FnMut(Cell<'_>));
}

impl Row for &[Cell<'_>] {
    fn cells(&self, take: &mut impl FnMut(Cell<'_>)) {
        self.iter().for_each(|&cell| take(cell));
    }
}

/// A row of [`crate::DOCUMENTS`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DocumentRow<'a> {
    /// Public id.
    pub doc_id: i64,
    /// The document's own id.
    pub id: Option<&'a str>,
    /// URL, or relative path.
    pub url: Option<&'a str>,
    /// Microseconds since 1970-01-01T00:00:00Z.
    pub date: Option<i64>,
    /// File it was read from.
    pub source: &'a str,
    /// Byte of the source where decoding can start.
    pub entry_offset: i64,
    /// Decoded byte or row of the record after that.
    pub inner_offset: i64,
    /// Bytes of the record after decompression.
    pub length: i64,
    /// Bytes of the body.
    pub bytes: i64,
    /// Tokens.
    pub words: i64,
    /// Shingles before sampling.
    pub shingles: i64,
    /// Shingles kept.
    pub sketch_size: i32,
    /// Modulus of the sketch.
    pub modulus: i32,
    /// Carried fields, in the order of the schema.
    pub fields: &'a [Cell<'a>],
}

impl Row for DocumentRow<'_> {
    fn cells(&self, take: &mut impl FnMut(Cell<'_>)) {
        take(Cell::Int64(self.doc_id));
        take(text(self.id));
        take(text(self.url));
        take(self.date.map_or(Cell::Null, Cell::TimestampMicros));
        take(Cell::Utf8(self.source));
        take(Cell::Int64(self.entry_offset));
        take(Cell::Int64(self.inner_offset));
        take(Cell::Int64(self.length));
        take(Cell::Int64(self.bytes));
        take(Cell::Int64(self.words));
        take(Cell::Int64(self.shingles));
        take(Cell::Int32(self.sketch_size));
        take(Cell::Int32(self.modulus));
        self.fields.iter().for_each(|&field| take(field));
    }
}

/// A row of [`crate::MEMBERSHIP`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MembershipRow {
    /// Public id.
    pub doc_id: i64,
    /// Lowest document of the strongest class shared; `None` if it shares none.
    pub same_as: Option<i64>,
    /// That class.
    pub same_kind: Option<&'static str>,
    /// Its cluster.
    pub cluster_id: i64,
    /// Whether it stays.
    pub keep: bool,
    /// Common shingles in its sketch.
    pub common_shingles: i32,
}

impl Row for MembershipRow {
    fn cells(&self, take: &mut impl FnMut(Cell<'_>)) {
        take(Cell::Int64(self.doc_id));
        take(self.same_as.map_or(Cell::Null, Cell::Int64));
        take(text(self.same_kind));
        take(Cell::Int64(self.cluster_id));
        take(Cell::Bool(self.keep));
        take(Cell::Int32(self.common_shingles));
    }
}

/// A row of [`crate::REMOVED`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RemovedRow<'a> {
    /// Public id.
    pub doc_id: i64,
    /// URL.
    pub url: Option<&'a str>,
    /// The document that is kept instead, if one is.
    pub kept: Option<KeptInFavour<'a>>,
}

/// The document that is kept, and how the removed one is related to it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct KeptInFavour<'a> {
    /// Public id.
    pub doc_id: i64,
    /// URL.
    pub url: Option<&'a str>,
    /// The strongest class both are in, or `similar`.
    pub class: &'static str,
    /// Resemblance, containment of the removed one in the kept one, and of the kept one in it: each
    /// as value, low, high.
    pub estimates: [[f64; 3]; 3],
    /// Links of the shortest chain between them; `None` if they are not linked themselves and
    /// chains were not looked for.
    pub links: Option<i32>,
}

impl Row for RemovedRow<'_> {
    fn cells(&self, take: &mut impl FnMut(Cell<'_>)) {
        take(Cell::Int64(self.doc_id));
        take(text(self.url));
        take(
            self.kept
                .map_or(Cell::Null, |kept| Cell::Int64(kept.doc_id)),
        );
        take(text(self.kept.and_then(|kept| kept.url)));
        take(text(self.kept.map(|kept| kept.class)));
        for estimate in 0..9 {
            take(self.kept.map_or(Cell::Null, |kept| {
                Cell::Double(kept.estimates[estimate / 3][estimate % 3])
            }));
        }
        take(
            self.kept
                .and_then(|kept| kept.links)
                .map_or(Cell::Null, Cell::Int32),
        );
    }
}

/// A row of [`crate::CLUSTERS`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClusterRow {
    /// Lowest document in it.
    pub cluster_id: i64,
    /// Documents in it.
    pub documents: i64,
    /// Representatives in it.
    pub distinct: i64,
    /// The weakest relation it needs.
    pub kind: &'static str,
    /// Resemblance of its weakest link; `None` without links.
    pub min_resemblance: Option<f64>,
    /// The document kept.
    pub kept_doc_id: i64,
}

impl Row for ClusterRow {
    fn cells(&self, take: &mut impl FnMut(Cell<'_>)) {
        take(Cell::Int64(self.cluster_id));
        take(Cell::Int64(self.documents));
        take(Cell::Int64(self.distinct));
        take(Cell::Utf8(self.kind));
        take(self.min_resemblance.map_or(Cell::Null, Cell::Double));
        take(Cell::Int64(self.kept_doc_id));
    }
}

/// A row of [`crate::PAIRS`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PairRow {
    /// Document A, the lower.
    pub a: i64,
    /// Document B, the higher.
    pub b: i64,
    /// Sampled shingles in both.
    pub shared: i32,
    /// Sampled shingles of A.
    pub size_a: i32,
    /// Sampled shingles of B.
    pub size_b: i32,
    /// Estimated resemblance.
    pub resemblance: f64,
    /// Lower end of its interval.
    pub resemblance_low: f64,
    /// Upper end of its interval.
    pub resemblance_high: f64,
    /// Estimated containment of A in B.
    pub containment_a_in_b: f64,
    /// Lower end of its interval.
    pub containment_a_in_b_low: f64,
    /// Upper end of its interval.
    pub containment_a_in_b_high: f64,
    /// Estimated containment of B in A.
    pub containment_b_in_a: f64,
    /// Lower end of its interval.
    pub containment_b_in_a_low: f64,
    /// Upper end of its interval.
    pub containment_b_in_a_high: f64,
    /// The reason for the link.
    pub kind: &'static str,
    /// Whether the interval lies wholly on the threshold's side.
    pub certain: bool,
    /// Whether all shingles of both were compared.
    pub exact: bool,
}

impl Row for PairRow {
    fn cells(&self, take: &mut impl FnMut(Cell<'_>)) {
        take(Cell::Int64(self.a));
        take(Cell::Int64(self.b));
        take(Cell::Int32(self.shared));
        take(Cell::Int32(self.size_a));
        take(Cell::Int32(self.size_b));
        take(Cell::Double(self.resemblance));
        take(Cell::Double(self.resemblance_low));
        take(Cell::Double(self.resemblance_high));
        take(Cell::Double(self.containment_a_in_b));
        take(Cell::Double(self.containment_a_in_b_low));
        take(Cell::Double(self.containment_a_in_b_high));
        take(Cell::Double(self.containment_b_in_a));
        take(Cell::Double(self.containment_b_in_a_low));
        take(Cell::Double(self.containment_b_in_a_high));
        take(Cell::Utf8(self.kind));
        take(Cell::Bool(self.certain));
        take(Cell::Bool(self.exact));
    }
}

/// A row of [`crate::COMMON_SHINGLES`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CommonShingleRow {
    /// The fingerprint; written as 16 hexadecimal digits.
    pub shingle: Shingle,
    /// Representatives with it in their sketch.
    pub documents: i64,
    /// A document that has it.
    pub example_doc_id: i64,
}

impl Row for CommonShingleRow {
    fn cells(&self, take: &mut impl FnMut(Cell<'_>)) {
        take(Cell::Utf8(&format!("{:016x}", self.shingle)));
        take(Cell::Int64(self.documents));
        take(Cell::Int64(self.example_doc_id));
    }
}

/// A row of [`crate::REJECTED`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RejectedRow<'a> {
    /// File it was read from.
    pub source: &'a str,
    /// Byte of the source where the record or the damage begins.
    pub offset: i64,
    /// URL, if known.
    pub url: Option<&'a str>,
    /// A stable word.
    pub reason: &'a str,
    /// The exact problem; empty if the reason says it all.
    pub detail: &'a str,
}

impl Row for RejectedRow<'_> {
    fn cells(&self, take: &mut impl FnMut(Cell<'_>)) {
        take(Cell::Utf8(self.source));
        take(Cell::Int64(self.offset));
        take(text(self.url));
        take(Cell::Utf8(self.reason));
        take(Cell::Utf8(self.detail));
    }
}

fn text(value: Option<&str>) -> Cell<'_> {
    value.map_or(Cell::Null, Cell::Utf8)
}
