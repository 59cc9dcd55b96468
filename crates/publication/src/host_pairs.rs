//! `host_pairs.parquet`: which hosts hold copies of which.
//!
//! *Input.* The documents that go, each with the URL of the one that is kept. *Output.* The table:
//! the pairs of hosts with most copies, most first. *Algorithm.* Neighbours often have one pair of
//! hosts, so documents in a row are counted first. The counts are sorted by the keys of both hosts
//! and added up. *Memory.* A sort, and the largest pairs. *Disk.* 56 bytes a row of documents with
//! one pair of hosts, if they do not fit. *Limits.* 10,000 pairs.

use crate::hosts::HostKeys;
use crate::metadata;
use crate::publish::Publication;
use crate::removals::removal::RemovalRecord;
use crate::removals::task::Task;
use crate::urls::Urls;
use engine::Engine;
use format::Sealed;
use model::Words;
use output::{HOST_PAIRS, HostPairRow, ParquetTable, RemovedRow};
use runtime::Error;
use sketch::host_of;
use sort::{Prefixes, WordSorter};

/// Rows of the table, at most.
const ROWS: usize = 10_000;

/// Bytes of the URLs from which hosts are named.
const URL_BYTES: usize = 8 << 20;

/// ⟨keys of both hosts, first removed document of the row and its kept one, removed documents, near
/// copies among them, bytes of all⟩.
type PairRun = Words<14>;

/// Copies being counted by the hosts of the removed and of the kept document.
pub(crate) struct HostPairs {
    removed_keys: HostKeys,
    kept_keys: HostKeys,
    runs: WordSorter<PairRun>,
    sum: Option<HostPair>,
}

/// Copies on one host of pages of another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct HostPair {
    keys: [u32; 8],
    removed: u32,
    kept: u32,
    documents: u64,
    near: u64,
    bytes: u64,
}

impl HostPair {
    /// Adds a later one if the hosts are the same.
    fn add(&mut self, other: &HostPair) -> bool {
        let is_same = self.keys == other.keys;
        if is_same {
            self.documents += other.documents;
            self.near += other.near;
            self.bytes = self.bytes.saturating_add(other.bytes);
        }
        is_same
    }

    fn of_record(Words(words): PairRun) -> HostPair {
        let [keys @ .., removed, kept, documents, near, high, low] = words;
        HostPair {
            keys,
            removed,
            kept,
            documents: documents.into(),
            near: near.into(),
            bytes: u64::from(high) << 32 | u64::from(low),
        }
    }

    /// Counts are of documents of one run, so each fits 32 bits.
    fn record(&self) -> PairRun {
        let mut words = [0; 14];
        words[..8].copy_from_slice(&self.keys);
        let (documents, near) = (self.documents as u32, self.near as u32);
        let bytes = [(self.bytes >> 32) as u32, self.bytes as u32];
        words[8..].copy_from_slice(&[self.removed, self.kept, documents, near, bytes[0], bytes[1]]);
        Words(words)
    }
}

impl HostPairs {
    pub(crate) fn new(task: &Task<'_>) -> HostPairs {
        let runs = task.sorter("host-pairs", task.share_bytes);
        HostPairs {
            removed_keys: HostKeys::of(task.engine),
            kept_keys: HostKeys::of(task.engine),
            runs: runs.expecting(Prefixes::ALL),
            sum: None,
        }
    }

    /// Counts a removed document, if both documents have a host.
    pub(crate) fn add(
        &mut self,
        removal: &RemovalRecord,
        row: &RemovedRow<'_>,
    ) -> Result<(), Error> {
        let Some((kept, shown)) = removal.kept_document().zip(row.kept) else {
            return Ok(());
        };
        let hosts = [
            self.removed_keys.key(row.url),
            self.kept_keys.key(shown.url),
        ];
        if hosts.contains(&0) {
            return Ok(());
        }
        let word = |at: usize| (hosts[at / 4] >> (96 - 32 * (at % 4))) as u32;
        let pair = HostPair {
            keys: std::array::from_fn(word),
            removed: removal.doc,
            kept,
            documents: 1,
            near: u64::from(["shingle", "similar"].contains(&shown.class)),
            bytes: row.bytes.unsigned_abs(),
        };
        if self.sum.as_mut().is_some_and(|sum| sum.add(&pair)) {
            return Ok(());
        }
        match self.sum.replace(pair) {
            Some(done) => Ok(self.runs.push(done.record())?),
            None => Ok(()),
        }
    }

    /// Writes the table.
    pub(crate) fn publish(
        mut self,
        engine: &Engine<'_>,
        publication: &Publication,
    ) -> Result<Sealed, Error> {
        if let Some(done) = self.sum {
            self.runs.push(done.record())?;
        }
        let mut runs = self.runs.finish()?;
        let mut largest = LargestPairs::default();
        let mut sum: Option<HostPair> = None;
        while let Some(run) = runs.next()?.map(HostPair::of_record) {
            if !sum.as_mut().is_some_and(|sum| sum.add(&run)) {
                largest.0.extend(sum.replace(run));
                largest.cut(2 * ROWS);
            }
        }
        largest.0.extend(sum);
        largest.cut(0);
        let urls = largest.urls(engine)?;
        let file = publication.file("host_pairs.parquet")?;
        let table = ParquetTable::new(HOST_PAIRS.schema(), &metadata(engine), file);
        let mut table = table?.expecting(largest.0.len() as u64);
        let host = |doc| {
            let url = urls.find(doc);
            url.map_or("", host_of).to_ascii_lowercase()
        };
        for pair in &largest.0 {
            let row = HostPairRow {
                host: &host(pair.removed),
                kept_host: &host(pair.kept),
                documents: pair.documents,
                near: pair.near,
                bytes: pair.bytes,
            };
            table.write(&row)?;
        }
        let rows = table.rows();
        Ok(table.finish()?.commit(rows)?)
    }
}

/// The pairs with most copies, most first; of equal ones that of the lowest document first.
#[derive(Default)]
struct LargestPairs(Vec<HostPair>);

impl LargestPairs {
    /// Leaves the first ones, if there are more than so many.
    fn cut(&mut self, most: usize) {
        if self.0.len() > most {
            let place = |pair: &HostPair| (std::cmp::Reverse(pair.documents), pair.removed);
            self.0.sort_unstable_by_key(place);
            self.0.truncate(ROWS);
        }
    }

    /// The URLs of their documents. Very long URLs leave room for fewer pairs.
    fn urls(&mut self, engine: &Engine<'_>) -> Result<Urls, Error> {
        let segments = engine.segments()?;
        let mut most_bytes = URL_BYTES;
        loop {
            let docs = self.0.iter().flat_map(|pair| [pair.removed, pair.kept]);
            if let Some(urls) = Urls::of(&segments, docs.collect(), most_bytes)? {
                return Ok(urls);
            }
            self.0.truncate(self.0.len().div_ceil(2));
            if self.0.len() == 1 {
                most_bytes = usize::MAX;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair(removed: u32, documents: u64) -> HostPair {
        HostPair {
            keys: [removed, 2, 3, 4, 5, 6, 7, 8],
            removed,
            kept: 9,
            documents,
            near: 1,
            bytes: 5 << 32 | 7,
        }
    }

    #[test]
    fn records_give_the_pairs_back_and_equal_hosts_add_up() {
        let mut one = pair(1, 2);
        assert_eq!(HostPair::of_record(one.record()), one);
        assert!(one.add(&one.clone()) && !one.add(&pair(2, 1)));
        assert_eq!((one.documents, one.near, one.bytes), (4, 2, 10 << 32 | 14));
    }

    #[test]
    fn the_largest_come_first_and_the_lowest_of_equal_ones() {
        let mut largest = LargestPairs((0..25_000).map(|n| pair(n, u64::from(n % 3))).collect());
        largest.cut(2 * ROWS);
        assert_eq!(largest.0.len(), ROWS);
        let first: Vec<u32> = largest.0.iter().map(|pair| pair.removed).collect();
        assert_eq!(first[..3], [2, 5, 8]);
        assert_eq!(first[8_333], 1);
    }
}
