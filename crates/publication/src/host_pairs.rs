//! `host_pairs.parquet`: which hosts hold copies of which; and the hosts with most copies.
//!
//! *Input.* The documents that go, each with the URL of the one that is kept. *Output.* The table:
//! the pairs of hosts with most copies, most first; the first hosts. *Algorithm.* Neighbours often
//! have one pair of hosts, so documents in a row are counted first. The counts are sorted by the
//! keys of both hosts and added up. *Memory.* A sort, and the largest pairs. *Disk.* 56 bytes a row
//! of documents with one pair of hosts, if they do not fit. *Limits.* 10,000 pairs, ten hosts.

use crate::hosts::HostKeys;
use crate::publish::{Publication, end_table};
use crate::removals::removal::RemovalRecord;
use crate::removals::task::RemovalTask;
use crate::urls::Urls;
use engine::{Engine, Error};
use format::Sealed;
use model::{Leading, keyed, word_record};
use output::{HOST_PAIRS, HostPairRow, RemovedHost, RemovedRow};
use sketch::host_of;
use sort::{Lookup, Prefixes, WordSorter};
use std::cmp::Reverse;

/// Rows of the table, at most.
const ROWS: usize = 10_000;

/// Hosts in the report, at most.
const HOSTS: usize = 10;

/// Bytes of the URLs from which hosts are named.
const URL_BYTES: usize = 8 << 20;

/// Copies being counted by the hosts of the removed and of the kept document.
pub(crate) struct HostPairs {
    removed_keys: HostKeys,
    kept_keys: HostKeys,
    runs: WordSorter<HostPair>,
    /// The documents in a row that were added last.
    run: Option<HostPair>,
}

/// Copies on one host of pages of another one. There are fewer than 2^32 documents.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct HostPair {
    /// The key of the host of the removed documents.
    host: u128,
    /// The key of the host of the kept ones; 0 if they have none.
    kept_host: u128,
    /// The first removed document.
    removed: u32,
    /// The document kept in its favour.
    kept: u32,
    documents: u32,
    /// Near copies among them.
    near: u32,
    bytes: u64,
}

word_record! { HostPair { host, kept_host, removed, kept, documents, near, bytes } }
keyed! { HostPair: u128 = |pair| pair.host }
keyed! { HostPair: [u128; 2] = |pair| [pair.host, pair.kept_host] }

impl HostPair {
    /// Adds a later one of the same hosts.
    fn add(&mut self, other: &HostPair) {
        self.documents += other.documents;
        self.near += other.near;
        self.bytes = self.bytes.saturating_add(other.bytes);
    }
}

impl HostPairs {
    pub(crate) fn new(task: &RemovalTask<'_>) -> HostPairs {
        let runs = task.sorter("host-pairs");
        HostPairs {
            removed_keys: HostKeys::of(task.engine),
            kept_keys: HostKeys::of(task.engine),
            runs: runs.expecting(Prefixes::ALL),
            run: None,
        }
    }

    /// Counts a removed document, if it has a host.
    pub(crate) fn add(
        &mut self,
        removal: &RemovalRecord,
        row: &RemovedRow<'_>,
    ) -> Result<(), Error> {
        let host = self.removed_keys.key(row.url);
        if host == 0 {
            return Ok(());
        }
        let is_near = |class| ["shingle", "similar"].contains(&class);
        let pair = HostPair {
            host,
            kept_host: self.kept_keys.key(row.kept.and_then(|kept| kept.url)),
            removed: removal.doc,
            kept: removal.kept,
            documents: 1,
            near: u32::from(row.kept.is_some_and(|kept| is_near(kept.class))),
            bytes: row.bytes.unsigned_abs(),
        };
        match &mut self.run {
            Some(run) if [run.host, run.kept_host] == [host, pair.kept_host] => run.add(&pair),
            run => {
                if let Some(done) = run.replace(pair) {
                    self.runs.push(done)?;
                }
            }
        }
        Ok(())
    }

    /// Writes the table. Also gives the hosts with most removed documents, most first; of equal
    /// ones that of the lowest document first.
    pub(crate) fn publish(
        mut self,
        engine: &Engine<'_>,
        publication: &Publication,
    ) -> Result<(Sealed, Vec<RemovedHost>), Error> {
        if let Some(done) = self.run {
            self.runs.push(done)?;
        }
        let mut runs = Lookup::over(self.runs.finish()?)?;
        let (mut largest, mut hosts) = (Leading::of(ROWS), Leading::of(HOSTS));
        while let Some(HostPair { host, removed, .. }) = runs.peek() {
            let (mut lowest, mut documents) = (removed, 0);
            while let Some(mut pair) = runs.next_of(host)? {
                while let Some(run) = runs.next_of([host, pair.kept_host])? {
                    pair.add(&run);
                }
                lowest = lowest.min(pair.removed);
                documents += u64::from(pair.documents);
                if pair.kept_host != 0 {
                    largest.offer((Reverse(pair.documents), pair.removed), || pair);
                }
            }
            hosts.offer((Reverse(documents), lowest), || (lowest, documents));
        }
        let mut largest = largest.sorted();
        let urls = urls_of(&mut largest, engine)?;
        let rows = largest.len() as u64;
        let mut table = publication.table("host_pairs.parquet", HOST_PAIRS.schema(), rows)?;
        for pair in &largest {
            table.write(&HostPairRow {
                host: &host_name(&urls, pair.removed),
                kept_host: &host_name(&urls, pair.kept),
                documents: pair.documents.into(),
                near: pair.near.into(),
                bytes: pair.bytes,
            })?;
        }
        Ok((end_table(table)?, named(hosts.sorted(), engine)?))
    }
}

/// The host of a document, in lower case.
fn host_name(urls: &Urls, doc: u32) -> String {
    urls.find(doc).map_or("", host_of).to_ascii_lowercase()
}

/// The URLs of the documents of some pairs. Very long URLs leave room for fewer pairs.
fn urls_of(pairs: &mut Vec<HostPair>, engine: &Engine<'_>) -> Result<Urls, Error> {
    let segments = engine.segments()?;
    let mut most_bytes = URL_BYTES;
    loop {
        let docs = pairs.iter().flat_map(|pair| [pair.removed, pair.kept]);
        if let Some(urls) = Urls::of(&segments, docs.collect(), most_bytes)? {
            return Ok(urls);
        }
        pairs.truncate(pairs.len().div_ceil(2));
        if pairs.len() == 1 {
            most_bytes = usize::MAX;
        }
    }
}

/// The hosts of ⟨lowest document, removed documents⟩ by name.
fn named(hosts: Vec<(u32, u64)>, engine: &Engine<'_>) -> Result<Vec<RemovedHost>, Error> {
    let docs = hosts.iter().map(|(doc, _)| *doc).collect();
    let urls = Urls::of(&engine.segments()?, docs, usize::MAX)?;
    let hosts = hosts.into_iter().map(|(doc, documents)| RemovedHost {
        host: urls
            .as_ref()
            .map_or_else(String::new, |urls| host_name(urls, doc)),
        documents,
    });
    Ok(hosts.collect())
}
