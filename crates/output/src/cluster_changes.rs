//! The journal of clusters over time, declared, and its row.

use crate::ColumnType::{Int64, Utf8};
use crate::{Cell, Column, Row, Table};

/// `cluster_changes.parquet`.
pub const CLUSTER_CHANGES: Table = Table {
    name: "cluster_changes",
    row: "every event, old cluster and new cluster between two publications",
    sorted_by: &[],
    columns: &[
        Column::new(
            "publication",
            Int64,
            "number of the publication it is of: 7 of g000007",
        )
        .repeated(),
        Column::new(
            "previous",
            Int64,
            "number of the publication before, which it is compared with",
        )
        .repeated(),
        Column::new("snapshot", Utf8, "the newest snapshot of the publication").repeated(),
        Column::new(
            "event",
            Utf8,
            "born, died, grown, merged, renamed, shrunk or split",
        )
        .repeated(),
        Column::new(
            "old_cluster_id",
            Int64,
            "the cluster in the publication before; null if there is none",
        )
        .nullable(),
        Column::new(
            "new_cluster_id",
            Int64,
            "the cluster in the publication; null if there is none",
        )
        .nullable(),
        Column::new(
            "documents_before",
            Int64,
            "documents the old cluster had; 0 if there is none",
        )
        .repeated(),
        Column::new(
            "documents_after",
            Int64,
            "documents the new cluster has; 0 if there is none",
        )
        .repeated(),
        Column::new(
            "documents",
            Int64,
            "documents that came, left, or went from the old cluster to the new one",
        )
        .repeated(),
    ],
};

/// A row of [`CLUSTER_CHANGES`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClusterChangeRow<'a> {
    /// Number of the publication.
    pub publication: i64,
    /// Number of the one before.
    pub previous: i64,
    /// Name of its newest snapshot.
    pub snapshot: &'a str,
    /// The event.
    pub event: &'a str,
    /// Public id of the cluster before.
    pub old_cluster_id: Option<i64>,
    /// Public id of the cluster now.
    pub new_cluster_id: Option<i64>,
    /// Documents of the cluster before.
    pub documents_before: i64,
    /// Documents of the cluster now.
    pub documents_after: i64,
    /// Documents it is about.
    pub documents: i64,
}

impl Row for ClusterChangeRow<'_> {
    fn cells(&self, take: &mut impl FnMut(Cell<'_>)) {
        take(Cell::Int64(self.publication));
        take(Cell::Int64(self.previous));
        take(Cell::Utf8(self.snapshot));
        take(Cell::Utf8(self.event));
        for id in [self.old_cluster_id, self.new_cluster_id] {
            take(id.map_or(Cell::Null, Cell::Int64));
        }
        for count in [self.documents_before, self.documents_after, self.documents] {
            take(Cell::Int64(count));
        }
    }
}

/// A text, or nothing.
fn text<'a>(cell: Cell<'a>) -> &'a str {
    if let Cell::Utf8(text) = cell {
        text
    } else {
        ""
    }
}

/// A number, or none.
fn number(cell: Cell<'_>) -> Option<i64> {
    if let Cell::Int64(value) = cell {
        Some(value)
    } else {
        None
    }
}

impl<'a> ClusterChangeRow<'a> {
    /// The row of a reader of the whole table.
    pub fn of(row: &crate::BatchRow<'a>) -> ClusterChangeRow<'a> {
        let count = |at| number(row.cell(at)).unwrap_or(0);
        ClusterChangeRow {
            publication: count(0),
            previous: count(1),
            snapshot: text(row.cell(2)),
            event: text(row.cell(3)),
            old_cluster_id: number(row.cell(4)),
            new_cluster_id: number(row.cell(5)),
            documents_before: count(6),
            documents_after: count(7),
            documents: count(8),
        }
    }
}
