//! Hosts of URLs: their keys, and those with most removed documents.
//!
//! *Algorithm.* Neighbours often have one host, so documents in a row are counted first. The counts
//! are sorted by the key of the host and added up. *Memory.* A sort. *Disk.* 32 bytes a row of
//! documents with one host, if they do not fit.

use crate::removals::task::Task;
use crate::urls::Urls;
use engine::Engine;
use model::word_record;
use runtime::Error;
use sketch::{UrlKeys, host_of};
use sort::{Prefixes, WordSorter};

/// Hosts shown in the report.
const SHOWN: usize = 10;

/// Keys of the hosts of URLs, which often have the host of the URL before.
pub(crate) struct HostKeys {
    keys: UrlKeys,
    /// The start of the last URL up to the slash behind its host; empty if it had none.
    start: String,
    host: String,
    key: u128,
}

impl HostKeys {
    pub(crate) fn of(engine: &Engine<'_>) -> HostKeys {
        HostKeys {
            keys: UrlKeys::of(&engine.config.sketch.keys),
            start: String::new(),
            host: String::new(),
            key: 0,
        }
    }

    /// The key of the host in lower case; 0 if there is none.
    pub(crate) fn key(&mut self, url: Option<&str>) -> u128 {
        let url = url.unwrap_or_default();
        if !self.start.is_empty() && url.starts_with(&self.start) {
            return self.key;
        }
        let host = host_of(url);
        if host.is_empty() {
            return 0;
        }
        self.start = start_of(url).to_owned();
        if !self.host.eq_ignore_ascii_case(host) {
            self.host = host.to_ascii_lowercase();
            self.key = self.keys.exact(&self.host).max(1);
        }
        self.key
    }
}

/// A URL up to the slash behind its authority; nothing if no slash ends the authority.
fn start_of(url: &str) -> &str {
    let authority = url.find("://").map_or(url.len(), |scheme| scheme + 3);
    let ends = |byte: &u8| matches!(byte, b'/' | b'?' | b'#');
    let end = url.bytes().skip(authority).position(|byte| ends(&byte));
    match end.map(|end| url.split_at(authority + end)) {
        Some((_, rest)) if rest.starts_with('/') => &url[..=url.len() - rest.len()],
        _ => "",
    }
}

/// A host, and how many of its documents are removed.
pub struct RemovedHost {
    /// The host, in lower case.
    pub host: String,
    /// Removed documents with a URL of it.
    pub documents: u64,
}

/// Removed documents of one host, one after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct HostRun {
    /// The key of the host.
    host: u128,
    /// The first of them.
    doc: u32,
    documents: u32,
}

word_record! { HostRun { host, doc, documents } }

/// Removed documents being counted by host.
pub(crate) struct RemovedHosts {
    keys: HostKeys,
    runs: WordSorter<HostRun>,
    last: Option<HostRun>,
}

impl RemovedHosts {
    pub(crate) fn new(task: &Task<'_>) -> RemovedHosts {
        let runs = task.sorter("removed-hosts", task.share_bytes);
        RemovedHosts {
            keys: HostKeys::of(task.engine),
            runs: runs.expecting(Prefixes::ALL),
            last: None,
        }
    }

    /// Counts a removed document.
    pub(crate) fn add(&mut self, doc: u32, url: Option<&str>) -> Result<(), Error> {
        let host = self.keys.key(url);
        if host == 0 {
            return Ok(());
        }
        match &mut self.last {
            Some(last) if last.host == host => last.documents += 1,
            last => {
                let run = HostRun {
                    host,
                    doc,
                    documents: 1,
                };
                if let Some(run) = last.replace(run) {
                    self.runs.push(run)?;
                }
            }
        }
        Ok(())
    }

    /// The hosts with most removed documents; of equal ones that of the lowest document first.
    pub(crate) fn finish(mut self, engine: &Engine<'_>) -> Result<Vec<RemovedHost>, Error> {
        if let Some(run) = self.last {
            self.runs.push(run)?;
        }
        let mut runs = self.runs.finish()?;
        let mut largest = LargestHosts::default();
        let mut sum: Option<(u128, u32, u64)> = None;
        while let Some(HostRun {
            host,
            doc,
            documents,
        }) = runs.next()?
        {
            let documents = u64::from(documents);
            match &mut sum {
                Some((last, _, sum)) if *last == host => *sum += documents,
                _ => {
                    let done = sum.replace((host, doc, documents));
                    done.iter().for_each(|(_, doc, n)| largest.add(*doc, *n));
                }
            }
        }
        sum.iter().for_each(|(_, doc, n)| largest.add(*doc, *n));
        let docs = largest.0.iter().map(|(doc, _)| *doc).collect();
        let urls = Urls::of(&engine.segments()?, docs, usize::MAX)?;
        let host = |doc| {
            let url = urls.as_ref().and_then(|urls| urls.find(doc));
            url.map_or("", host_of).to_ascii_lowercase()
        };
        let named = |(doc, documents)| RemovedHost {
            host: host(doc),
            documents,
        };
        Ok(largest.0.into_iter().map(named).collect())
    }
}

/// ⟨lowest document, removed documents⟩ of the hosts with most of them, most first.
#[derive(Default)]
struct LargestHosts(Vec<(u32, u64)>);

impl LargestHosts {
    fn add(&mut self, doc: u32, documents: u64) {
        let is_before = |other: &(u32, u64)| (other.1, doc) > (documents, other.0);
        let place = self.0.partition_point(is_before);
        self.0.insert(place, (doc, documents));
        self.0.truncate(SHOWN);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_those_of_the_hosts_whatever_url_came_before() {
        let urls = [
            "http://a.test/x",
            "http://a.test/y",
            "http://A.test/y",
            "http://a.test?x/",
            "no host",
            "http://a.test.example/",
            "https://u@a.test/",
            "http://a.test",
            "http://b.test:80/x",
            "http://b.test:80/y",
            "http://b.test/y",
            "",
            "http://[::1]/x",
            "http://[::1]/",
        ];
        let fresh = || HostKeys {
            keys: UrlKeys::of(&sketch::FingerprintKeys::from_seed("a")),
            start: String::new(),
            host: String::new(),
            key: 0,
        };
        for one in urls {
            for other in urls {
                let mut keys = fresh();
                keys.key(Some(one));
                assert_eq!(
                    keys.key(Some(other)),
                    fresh().key(Some(other)),
                    "{one} {other}"
                );
            }
        }
        assert_eq!(fresh().key(Some(urls[0])), fresh().key(Some(urls[2])));
        assert_eq!(fresh().key(None), 0);
        assert_ne!(fresh().key(Some(urls[0])), 0);
    }

    #[test]
    fn the_largest_hosts_come_first_and_the_lowest_of_equal_ones() {
        let mut largest = LargestHosts::default();
        for (doc, documents) in [(7, 2), (3, 2), (9, 5), (1, 1)] {
            largest.add(doc, documents);
        }
        assert_eq!(largest.0, [(9, 5), (3, 2), (7, 2), (1, 1)]);
        (10..30).for_each(|doc| largest.add(doc, 3));
        assert_eq!(largest.0.len(), SHOWN);
        assert_eq!(largest.0[..3], [(9, 5), (10, 3), (11, 3)]);
    }
}
