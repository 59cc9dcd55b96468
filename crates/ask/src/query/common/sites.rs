//! The hosts whose documents have a shingle.
//!
//! *Algorithm.* Hosts are counted with a fixed number of counters (Misra and Gries, *Finding
//! repeated elements*, 1982): exactly if there are no more hosts than counters, else from below. A
//! host is counted by a key, and its name is read from its first document at the end. *Memory.* The
//! counters, and the keys of the hosts of some documents: shingles of one text are in the same.

use super::super::NameRoom;
use crate::index::Index;
use engine::Error;
use format::RowCursor;
use serde::Serialize;
use sketch::host_of;
use std::collections::HashMap;

/// Hosts that are counted at a time, and documents whose hosts are known.
const COUNTERS: usize = 1 << 16;

/// Hosts that are listed of a shingle.
const SITES_MAX: usize = 20;

/// A host and how many of the documents it has, or at least has.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SiteCount {
    /// The host, in lower case; empty for documents without.
    pub host: String,
    /// Representatives of this host whose sketches hold the shingle.
    pub documents: u64,
}

/// The keys of the hosts of documents.
#[derive(Debug, Default)]
pub(super) struct DocumentHosts {
    known: HashMap<u32, u128>,
}

/// Documents of a host.
#[derive(Clone, Copy, Debug)]
struct HostDocuments {
    documents: u64,
    /// One of them.
    example: u32,
}

/// Hosts and how often they were met.
#[derive(Debug, Default)]
pub(super) struct Sites {
    counts: HashMap<u128, HostDocuments>,
    /// How often all counters were lowered.
    lowered: u64,
}

impl DocumentHosts {
    /// The hosts of the documents with a shingle.
    pub(super) fn sites(&mut self, index: &Index, shingle: u64) -> Result<Sites, Error> {
        let mut sites = Sites::default();
        let mut cursor = RowCursor::default();
        for posting in index.postings(shingle)?.iter() {
            let doc = posting?.doc;
            let key = self.key(index, &mut cursor, doc)?;
            sites.add(key, doc, COUNTERS);
        }
        Ok(sites)
    }

    fn key(&mut self, index: &Index, cursor: &mut RowCursor, doc: u32) -> Result<u128, Error> {
        if let Some(key) = self.known.get(&doc) {
            return Ok(*key);
        }
        let key = index.with_document(cursor, doc, |row| {
            index.host_key(row.url.unwrap_or_default())
        });
        let key = key?;
        if self.known.len() < COUNTERS {
            self.known.insert(doc, key);
        }
        Ok(key)
    }
}

impl Sites {
    fn add(&mut self, key: u128, doc: u32, counters: usize) {
        if let Some(count) = self.counts.get_mut(&key) {
            count.documents += 1;
        } else if self.counts.len() < counters {
            let first = HostDocuments {
                documents: 1,
                example: doc,
            };
            self.counts.insert(key, first);
        } else {
            self.lowered += 1;
            self.counts.retain(|_, count| {
                count.documents -= 1;
                count.documents > 0
            });
        }
    }

    pub(super) fn len(&self) -> usize {
        self.counts.len()
    }

    pub(super) fn is_exact(&self) -> bool {
        self.lowered == 0
    }

    /// The hosts with most documents; of equals the one whose document comes first.
    fn ranked(&self) -> Vec<HostDocuments> {
        let mut counts: Vec<HostDocuments> = self.counts.values().copied().collect();
        counts.sort_unstable_by_key(|count| (u64::MAX - count.documents, count.example));
        counts
    }

    /// The first of them with their names, as far as there is room.
    pub(super) fn most(&self, index: &Index, room: &mut NameRoom) -> Result<Vec<SiteCount>, Error> {
        let mut sites = Vec::new();
        for count in self.ranked().into_iter().take(SITES_MAX) {
            let url = index.url(count.example)?;
            let host = url.map(|url| host_of(&url).to_ascii_lowercase());
            if !room.takes([&host, &None]) {
                break;
            }
            sites.push(SiteCount {
                host: host.unwrap_or_default(),
                documents: count.documents,
            });
        }
        Ok(sites)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_hosts_are_counted_exactly_and_many_from_below() {
        let list: Vec<u128> = (0..1000_u128)
            .map(|n| [0, 0, 0, n % 97, n % 7][n as usize % 5])
            .collect();
        let counted = |counters| {
            let mut sites = Sites::default();
            let each = list.iter().zip(0..);
            each.for_each(|(host, doc)| sites.add(*host, doc, counters));
            sites
        };
        let exact = counted(1000);
        assert!(exact.is_exact());
        let most = exact.ranked()[0];
        let of_first = list.iter().filter(|host| **host == 0).count() as u64;
        assert_eq!((most.documents, most.example), (of_first, 0));
        let few = counted(4);
        assert!(!few.is_exact() && few.len() <= 4);
        let (lowered, found) = (few.lowered, few.ranked()[0]);
        // At most so many are missing: Misra and Gries.
        assert_eq!(list[found.example as usize], 0);
        assert!(found.documents <= most.documents && found.documents + lowered >= most.documents);
        assert!(lowered <= 1000 / 5);
    }
}
