//! The tables of what changed between snapshots, declared, and their rows.

use crate::ColumnType::{Double, Int64, Utf8};
use crate::{Cell, Column, HalfLife, Row, Table};

/// `changes.parquet`.
pub const CHANGES: Table = Table {
    name: "changes",
    row: "every URL of two consecutive snapshots",
    sorted_by: &[],
    columns: &[
        Column::new("old_snapshot", Utf8, "the older snapshot").repeated(),
        Column::new("new_snapshot", Utf8, "the one after it").repeated(),
        Column::new("url", Utf8, "the URL; of what moved the one it had"),
        Column::new(
            "old_doc_id",
            Int64,
            "its document in the older snapshot; null if it is new",
        )
        .nullable(),
        Column::new(
            "new_doc_id",
            Int64,
            "its document in the newer one; of what moved the best; null if gone",
        )
        .nullable(),
        Column::new(
            "class",
            Utf8,
            "identical, lexical, shingle, similar, changed, new, gone or moved",
        )
        .repeated(),
        Column::new(
            "resemblance",
            Double,
            "estimate of |A and B| / |A or B|; null if new or gone",
        )
        .nullable()
        .repeated(),
        Column::new("resemblance_low", Double, "lower end of its 95 % interval")
            .nullable()
            .repeated(),
        Column::new("resemblance_high", Double, "upper end of its 95 % interval")
            .nullable()
            .repeated(),
        Column::new(
            "containment_old_in_new",
            Double,
            "estimate of the share of the old one that is in the new one",
        )
        .nullable()
        .repeated(),
        Column::new(
            "containment_old_in_new_low",
            Double,
            "lower end of its 95 % interval",
        )
        .nullable()
        .repeated(),
        Column::new(
            "containment_old_in_new_high",
            Double,
            "upper end of its 95 % interval",
        )
        .nullable()
        .repeated(),
        Column::new(
            "containment_new_in_old",
            Double,
            "estimate of the share of the new one that is in the old one",
        )
        .nullable()
        .repeated(),
        Column::new(
            "containment_new_in_old_low",
            Double,
            "lower end of its 95 % interval",
        )
        .nullable()
        .repeated(),
        Column::new(
            "containment_new_in_old_high",
            Double,
            "upper end of its 95 % interval",
        )
        .nullable()
        .repeated(),
    ],
};

/// `moved.parquet`.
pub const MOVED: Table = Table {
    name: "moved",
    row: "every gone URL whose content has a new one",
    sorted_by: &["old_doc_id"],
    columns: &[
        Column::new("old_snapshot", Utf8, "the snapshot it was last in").repeated(),
        Column::new("new_snapshot", Utf8, "the one after it").repeated(),
        Column::new("old_url", Utf8, "the URL it had"),
        Column::new(
            "new_url",
            Utf8,
            "the URL of the best document that has its content",
        ),
        Column::new("old_doc_id", Int64, "its document"),
        Column::new("new_doc_id", Int64, "that document"),
        Column::new(
            "class",
            Utf8,
            "how the two are related: identical, lexical, shingle, similar, or changed if below resemblance",
        )
        .repeated(),
        Column::new("resemblance", Double, "estimate of |A and B| / |A or B|").repeated(),
        Column::new("resemblance_low", Double, "lower end of its 95 % interval").repeated(),
        Column::new("resemblance_high", Double, "upper end of its 95 % interval").repeated(),
        Column::new(
            "containment_old_in_new",
            Double,
            "estimate of the share of the old one that is in the new one",
        )
        .repeated(),
        Column::new(
            "containment_old_in_new_low",
            Double,
            "lower end of its 95 % interval",
        )
        .repeated(),
        Column::new(
            "containment_old_in_new_high",
            Double,
            "upper end of its 95 % interval",
        )
        .repeated(),
        Column::new(
            "containment_new_in_old",
            Double,
            "estimate of the share of the new one that is in the old one",
        )
        .repeated(),
        Column::new(
            "containment_new_in_old_low",
            Double,
            "lower end of its 95 % interval",
        )
        .repeated(),
        Column::new(
            "containment_new_in_old_high",
            Double,
            "upper end of its 95 % interval",
        )
        .repeated(),
        Column::new(
            "candidates",
            Int64,
            "URLs that appeared in a class with it, or linked with it",
        )
        .repeated(),
        Column::new(
            "appeared",
            Utf8,
            "the snapshot that first had the new URL: the older one if the page was copied first",
        )
        .repeated(),
    ],
};

/// `host_changes.parquet`.
pub const HOST_CHANGES: Table = Table {
    name: "host_changes",
    row: "every host of two consecutive snapshots",
    sorted_by: &[],
    columns: &[
        Column::new("old_snapshot", Utf8, "the older snapshot").repeated(),
        Column::new("new_snapshot", Utf8, "the one after it").repeated(),
        Column::new("host", Utf8, "the host, in lower case"),
        Column::new("old_urls", Int64, "its URLs in the older snapshot").repeated(),
        Column::new("urls", Int64, "its URLs in the newer one").repeated(),
        Column::new("identical", Int64, "URLs whose versions are identical").repeated(),
        Column::new("lexical", Int64, "URLs whose versions have equal tokens").repeated(),
        Column::new("shingle", Int64, "URLs whose versions have equal shingles").repeated(),
        Column::new("similar", Int64, "URLs whose versions would be linked").repeated(),
        Column::new("changed", Int64, "URLs whose versions are none of these").repeated(),
        Column::new("gone", Int64, "URLs that are gone without a trace").repeated(),
        Column::new(
            "moved",
            Int64,
            "URLs that are gone while something new is like them",
        )
        .repeated(),
        Column::new("new", Int64, "URLs that were not there before").repeated(),
        Column::new(
            "surviving",
            Double,
            "mean share of the shingles of a page that are still there",
        )
        .nullable(),
        Column::new(
            "half_life",
            Double,
            "half-life of the content of a page; null if nothing was lost",
        )
        .nullable(),
        Column::new("half_life_low", Double, "lower end of its 95 % interval").nullable(),
        Column::new(
            "half_life_high",
            Double,
            "upper end of its 95 % interval; null if without end",
        )
        .nullable(),
        Column::new(
            "half_life_unit",
            Utf8,
            "days, or snapshots where one has no date",
        )
        .repeated(),
    ],
};

/// A row of [`HOST_CHANGES`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HostChangeRow<'a> {
    /// Name of the older snapshot.
    pub old_snapshot: &'a str,
    /// Name of the one after it.
    pub new_snapshot: &'a str,
    /// The host.
    pub host: &'a str,
    /// URLs of the older snapshot, and of the newer one.
    pub urls: [u64; 2],
    /// URLs by class, in the order of the columns.
    pub classes: [u64; 8],
    /// The half-life of the content of its pages.
    pub half_life: &'a HalfLife,
}

impl Row for HostChangeRow<'_> {
    fn cells(&self, take: &mut impl FnMut(Cell<'_>)) {
        for text in [self.old_snapshot, self.new_snapshot, self.host] {
            take(Cell::Utf8(text));
        }
        for &count in self.urls.iter().chain(&self.classes) {
            take(Cell::Int64(i64::try_from(count).unwrap_or(i64::MAX)));
        }
        let HalfLife {
            unit,
            value,
            low,
            high,
            surviving,
            ..
        } = self.half_life;
        for number in [surviving, value, low, high] {
            take(number.map_or(Cell::Null, Cell::Double));
        }
        take(Cell::Utf8(unit));
    }
}

/// A row of [`CHANGES`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ChangeRow<'a> {
    /// Name of the older snapshot.
    pub old_snapshot: &'a str,
    /// Name of the one after it.
    pub new_snapshot: &'a str,
    /// The URL.
    pub url: &'a str,
    /// Public id in the older snapshot.
    pub old_doc_id: Option<i64>,
    /// Public id in the newer one.
    pub new_doc_id: Option<i64>,
    /// Its class of change.
    pub class: &'static str,
    /// Resemblance, containment of the old in the new, and of the new in the old: each as value,
    /// low, high.
    pub estimates: Option<[[f64; 3]; 3]>,
}

impl Row for ChangeRow<'_> {
    fn cells(&self, take: &mut impl FnMut(Cell<'_>)) {
        take(Cell::Utf8(self.old_snapshot));
        take(Cell::Utf8(self.new_snapshot));
        take(Cell::Utf8(self.url));
        take(self.old_doc_id.map_or(Cell::Null, Cell::Int64));
        take(self.new_doc_id.map_or(Cell::Null, Cell::Int64));
        take(Cell::Utf8(self.class));
        for estimate in 0..9 {
            take(self.estimates.map_or(Cell::Null, |all| {
                Cell::Double(all[estimate / 3][estimate % 3])
            }));
        }
    }
}

/// A row of [`MOVED`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MovedRow<'a> {
    /// Name of the older snapshot.
    pub old_snapshot: &'a str,
    /// Name of the one after it.
    pub new_snapshot: &'a str,
    /// The URL it had.
    pub old_url: &'a str,
    /// The URL it has.
    pub new_url: &'a str,
    /// Public id in the older snapshot.
    pub old_doc_id: i64,
    /// Public id in the newer one.
    pub new_doc_id: i64,
    /// How the two are related.
    pub class: &'static str,
    /// As in [`ChangeRow`].
    pub estimates: [[f64; 3]; 3],
    /// How many documents qualify.
    pub candidates: i64,
    /// Name of the snapshot in which the new URL appeared.
    pub appeared: &'a str,
}

impl Row for MovedRow<'_> {
    fn cells(&self, take: &mut impl FnMut(Cell<'_>)) {
        for text in [
            self.old_snapshot,
            self.new_snapshot,
            self.old_url,
            self.new_url,
        ] {
            take(Cell::Utf8(text));
        }
        take(Cell::Int64(self.old_doc_id));
        take(Cell::Int64(self.new_doc_id));
        take(Cell::Utf8(self.class));
        self.estimates
            .iter()
            .flatten()
            .for_each(|&value| take(Cell::Double(value)));
        take(Cell::Int64(self.candidates));
        take(Cell::Utf8(self.appeared));
    }
}
