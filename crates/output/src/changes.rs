//! The published tables of what changed between snapshots and publications, and their rows.

use crate::declaration::table;
use crate::row::RowField;
use crate::{BatchRow, Cell, ColumnType, HalfLife};

table! {
    /// `changes.parquet`.
    CHANGES: "changes", "every URL of two consecutive snapshots", sorted by [];
    /// A row of [`CHANGES`].
    ChangeRow<'a> {
        old_snapshot: &'a str, Repeated, "the older snapshot";
        new_snapshot: &'a str, Repeated, "the one after it";
        url: &'a str, "the URL; the old one of a page that moved";
        old_doc_id: Option<i64>, "its document in the older snapshot; null if new";
        new_doc_id: Option<i64>,
            "its document in the newer snapshot; the best match if it moved; null if gone";
        class: &'static str, Repeated,
            "identical, lexical, shingle, similar, changed, new, gone or moved";
        estimates: [Option<[f64; 3]>; 3],
            "Resemblance, containment of the old in the new, and of the new in the old: each as \
             value, low, high." {
            resemblance, Repeated, "estimate of |A and B| / |A or B|; null if new or gone";
            resemblance_low, Repeated, "lower end of its 95 % interval";
            resemblance_high, Repeated, "upper end of its 95 % interval";
            containment_old_in_new, Repeated,
                "estimate of the share of the old one that is in the new one; null where min-hashes were compared";
            containment_old_in_new_low, Repeated, "lower end of its 95 % interval";
            containment_old_in_new_high, Repeated, "upper end of its 95 % interval";
            containment_new_in_old, Repeated,
                "estimate of the share of the new one that is in the old one; null where min-hashes were compared";
            containment_new_in_old_low, Repeated, "lower end of its 95 % interval";
            containment_new_in_old_high, Repeated, "upper end of its 95 % interval";
        };
    }
}

table! {
    /// `moved.parquet`.
    MOVED: "moved", "every gone URL whose content has a new URL", sorted by ["old_doc_id"];
    /// A row of [`MOVED`].
    MovedRow<'a> {
        old_snapshot: &'a str, Repeated, "the last snapshot that has the old URL";
        new_snapshot: &'a str, Repeated, "the one after it";
        old_url: &'a str, "the old URL";
        new_url: &'a str, "the URL of the best match";
        old_doc_id: i64, "the document at the old URL";
        new_doc_id: i64, "the document at the new URL";
        class: &'static str, Repeated,
            "how the two are related: identical, lexical, shingle, similar, or changed below the threshold of resemblance";
        estimates: [Option<[f64; 3]>; 3], "As in [`ChangeRow`]." {
            resemblance, Repeated, "estimate of |A and B| / |A or B|";
            resemblance_low, Repeated, "lower end of its 95 % interval";
            resemblance_high, Repeated, "upper end of its 95 % interval";
            containment_old_in_new, Repeated,
                "estimate of the share of the old one that is in the new one; null where min-hashes were compared";
            containment_old_in_new_low, Repeated, "lower end of its 95 % interval";
            containment_old_in_new_high, Repeated, "upper end of its 95 % interval";
            containment_new_in_old, Repeated,
                "estimate of the share of the new one that is in the old one; null where min-hashes were compared";
            containment_new_in_old_low, Repeated, "lower end of its 95 % interval";
            containment_new_in_old_high, Repeated, "upper end of its 95 % interval";
        };
        candidates: i64, Repeated, "new URLs in its class or linked to it";
        appeared: &'a str, Repeated,
            "the snapshot that first had the new URL: the older one if the page was copied first";
    }
}

table! {
    /// `host_changes.parquet`.
    HOST_CHANGES: "host_changes", "every host of two consecutive snapshots", sorted by [];
    /// A row of [`HOST_CHANGES`].
    HostChangeRow<'a> {
        old_snapshot: &'a str, Repeated, "the older snapshot";
        new_snapshot: &'a str, Repeated, "the one after it";
        host: &'a str, "the host, in lower case";
        urls: [u64; 2], "URLs of the older snapshot, and of the newer one." {
            old_urls, Repeated, "its URLs in the older snapshot";
            urls, Repeated, "its URLs in the newer one";
        };
        classes: [u64; 8], "URLs by class, in the order of the columns." {
            identical, Repeated, "URLs whose versions are identical";
            lexical, Repeated, "URLs whose versions have equal tokens";
            shingle, Repeated, "URLs whose versions have equal shingles";
            similar_urls, Repeated, "URLs whose versions would be linked";
            changed, Repeated, "URLs whose versions are less alike than that";
            gone, Repeated, "gone URLs without a match among the new ones";
            moved, Repeated, "gone URLs with a match among the new ones";
            new, Repeated, "URLs that were not there before";
        };
        half_life: &'a HalfLife, "The half-life of the content of its pages." {
            surviving, "mean share of the shingles of a page that the newer snapshot still has";
            half_life, "half-life of the content of a page; null if nothing was lost";
            half_life_low, "lower end of its 95 % interval";
            half_life_high, "upper end of its 95 % interval; null if without end";
            half_life_unit: &'a str, Repeated, "unit of the half-life: days between the dates of the two snapshots; snapshots if one has no date";
        };
    }
}

impl RowField for &HalfLife {
    const KIND: ColumnType = ColumnType::Double;
    const IS_NULLABLE: bool = true;
    fn cells(&self, take: &mut impl FnMut(Cell<'_>)) {
        [self.surviving, self.value, self.low, self.high].cells(take);
        self.unit.as_str().cells(take);
    }
}

table! {
    /// `cluster_changes.parquet`.
    CLUSTER_CHANGES:
        "cluster_changes",
        "every event, old cluster and new cluster between two publications",
        sorted by [];
    /// A row of [`CLUSTER_CHANGES`].
    ClusterChangeRow<'a> {
        publication: i64, Repeated, "number of the publication it is of: 7 of g000007";
        previous: i64, Repeated,
            "number of the publication before it";
        snapshot: &'a str, Repeated, "the newest snapshot of the publication";
        event: &'a str, Repeated, "born, died, grown, merged, renamed, shrunk or split";
        old_cluster_id: Option<i64>,
            "the cluster in the publication before; null if there is none";
        new_cluster_id: Option<i64>, "the cluster in the publication; null if there is none";
        documents_before: i64, Repeated, "documents the old cluster had; 0 if there is none";
        documents_after: i64, Repeated, "documents the new cluster has; 0 if there is none";
        documents: i64, Repeated,
            "documents that came, left, or went from the old cluster to the new one";
    }
}

impl<'a> ClusterChangeRow<'a> {
    /// The row of a reader of the whole table.
    pub fn of(row: &BatchRow<'a>) -> ClusterChangeRow<'a> {
        let number = |at| row.int64(at);
        let text = |at| row.text(at).unwrap_or_default();
        let count = |at| number(at).unwrap_or(0);
        ClusterChangeRow {
            publication: count(0),
            previous: count(1),
            snapshot: text(2),
            event: text(3),
            old_cluster_id: number(4),
            new_cluster_id: number(5),
            documents_before: count(6),
            documents_after: count(7),
            documents: count(8),
        }
    }
}
