//! The part of `report.json` about the changes between snapshots.

use serde::{Deserialize, Serialize};

/// Changes between consecutive snapshots. There are two snapshots or more.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ChangeCounts {
    /// Of each snapshot and the one after it, oldest first.
    pub between: Vec<ChangesBetween>,
    /// The half-life of the content of pages over all of them.
    pub half_life: HalfLife,
}

/// Changes between a snapshot and the one after it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ChangesBetween {
    /// The older snapshot.
    pub old_snapshot: String,
    /// The one after it.
    pub new_snapshot: String,
    /// Days between their dates; null if one has none, or if they do not ascend.
    pub days: Option<f64>,
    /// Documents of the newer one.
    pub documents: u64,
    /// Different URLs of the older one.
    pub old_urls: u64,
    /// Different URLs of the newer one.
    pub urls: u64,
    /// URLs by class.
    pub classes: ChangeClasses,
    /// Of those that moved: to a URL of another host. The others moved within their host.
    pub moved_between_hosts: u64,
    /// `classes` as shares of the URLs of the older one; of what is new, of the newer one.
    pub shares: ChangeShares,
    /// URLs in both by resemblance of their versions, from 0 to 0.1 on, the last from 0.9 to 1;
    /// those whose sketches have nothing but common shingles are not in it.
    pub resemblance: [u64; 10],
    /// The half-life of the content of pages that are in both.
    pub half_life: HalfLife,
    /// The hosts with most URLs in both together, most first; ten at most. All are in
    /// `host_changes.parquet`.
    pub hosts: Vec<HostChanges>,
}

/// Changes of one host between a snapshot and the one after it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct HostChanges {
    /// The host, in lower case.
    pub host: String,
    /// Its URLs in the older snapshot.
    pub old_urls: u64,
    /// Its URLs in the newer one.
    pub urls: u64,
    /// Its URLs by class.
    pub classes: ChangeClasses,
    /// The counts of classes as shares.
    pub shares: ChangeShares,
    /// The half-life of the content of its pages.
    pub half_life: HalfLife,
}

/// URLs by what became of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChangeClasses {
    /// Equal body, media type and charset.
    pub identical: u64,
    /// Equal tokens.
    pub lexical: u64,
    /// Equal sketch.
    pub shingle: u64,
    /// Linked.
    pub similar: u64,
    /// None of these.
    pub changed: u64,
    /// Gone, and nothing new is like it.
    pub gone: u64,
    /// Gone, and something new is like it.
    pub moved: u64,
    /// Not there before.
    pub new: u64,
}

impl ChangeClasses {
    /// Not identical, but equal or linked: what the summary, the pages and the report call slightly
    /// changed.
    pub fn slightly_changed(&self) -> u64 {
        self.lexical + self.shingle + self.similar
    }
}

/// Shares of URLs, 0 to 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ChangeShares {
    /// Identical.
    pub identical: f64,
    /// Lexical, shingle or similar.
    pub slightly_changed: f64,
    /// Changed.
    pub rewritten: f64,
    /// Gone.
    pub gone: f64,
    /// Moved.
    pub moved: f64,
    /// New.
    pub new: f64,
}

/// After how long half of the shingles of a page are gone, if they go at a constant rate.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct HalfLife {
    /// `days`, or `snapshots` where not all have dates.
    pub unit: String,
    /// The estimate; null if nothing was lost, or nothing is known.
    pub value: Option<f64>,
    /// Lower end of its 95 % interval.
    pub low: Option<f64>,
    /// Upper end; null if it may be any time.
    pub high: Option<f64>,
    /// Pairs of versions it rests on.
    pub pages: u64,
    /// Mean share of the shingles of a page that are still there in the next snapshot; null without
    /// pages.
    pub surviving: Option<f64>,
}
