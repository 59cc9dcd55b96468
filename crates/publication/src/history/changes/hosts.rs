//! The changes of the URLs of each host: `host_changes.parquet`, and the largest hosts for the
//! report.
//!
//! A sort adds up the counts of each host between two snapshots, and keeps a document of the host.
//! The rows are written snapshot by snapshot, in the order of those documents. For as many hosts as
//! fit memory, a pass over the document rows reads the URLs, which have the names of the hosts.
//! URLs without a host are in no row.

use super::by_step::StepTable;
use super::half_life::half_life;
use super::job::Job;
use super::outcome::Fate;
use super::statistics::{HostFigures, Intervals, StepFigures, StepTally, days};
use crate::PHASE;
use crate::hosts::HostKeys;
use crate::publish::Publication;
use engine::Error;
use format::Sealed;
use model::{record, word_record};
use output::HostChangeRow;
use sketch::host_of;
use sort::{Combine, Prefixes, Sorter, Stream};
use std::cmp::Reverse;

/// Hosts shown in the report.
const LARGEST: usize = 10;
/// Bytes of a host in memory, without its URL.
const HOST_BYTES: usize = 160;

/// The changes of the URLs of a host between two snapshots. 112 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct HostCount {
    key: u128,
    host: CountedHost,
}

record! { HostCount { key, host }, |count| (count.key >> 64) as u64 }

/// A host, without its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct CountedHost {
    /// The place of the older snapshot.
    place: u32,
    /// A document of the host.
    doc: u32,
    tally: StepTally,
}

record! { CountedHost { place, doc, tally } }
word_record! { CountedHost { place, doc, tally } }

/// Adds up what is of one host between the same snapshots; the lowest document names it.
#[derive(Clone, Copy, Debug)]
struct AddHosts;

impl Combine<HostCount> for AddHosts {
    fn absorb(&self, into: &mut HostCount, next: &HostCount) -> bool {
        if (into.key, into.host.place) != (next.key, next.host.place) {
            return false;
        }
        into.host.tally.add_all(&next.host.tally);
        into.host.doc = into.host.doc.min(next.host.doc);
        true
    }
}

pub(super) struct Hosts<'a> {
    job: &'a Job<'a>,
    keys: HostKeys,
    sorter: Sorter<HostCount, AddHosts>,
    /// The URLs in a row that were counted last, all of one host.
    last: Option<HostCount>,
}

impl<'a> Hosts<'a> {
    pub(super) fn new(job: &'a Job<'_>) -> Hosts<'a> {
        let sorter = job
            .engine
            .sorter::<HostCount, _>(PHASE, "hosts", job.share_bytes, AddHosts);
        Hosts {
            job,
            keys: HostKeys::of(job.engine),
            sorter: sorter.expecting(Prefixes::ALL),
            last: None,
        }
    }

    pub(super) fn add(
        &mut self,
        place: usize,
        doc: u32,
        url: Option<&str>,
        class: &'static str,
        fate: Option<&Fate>,
    ) -> Result<(), Error> {
        let (key, place) = (self.keys.key(url), place as u32);
        if key == 0 {
            return Ok(());
        }
        let is_of = |last: &&mut HostCount| (last.key, last.host.place) == (key, place);
        if let Some(last) = self.last.as_mut().filter(is_of) {
            last.host.tally.add(class, fate);
            return Ok(());
        }
        let mut tally = StepTally::default();
        tally.add(class, fate);
        let host = CountedHost { place, doc, tally };
        if let Some(last) = self.last.replace(HostCount { key, host }) {
            self.sorter.push(last)?;
        }
        Ok(())
    }

    /// Writes the table, and adds the largest hosts to the figures of each step.
    pub(super) fn write(
        mut self,
        publication: &Publication,
        intervals: &Intervals,
        steps: &mut [StepFigures],
    ) -> Result<(Sealed, Vec<usize>), Error> {
        let job = self.job;
        if let Some(last) = self.last {
            self.sorter.push(last)?;
        }
        let in_order = job.scratch.sorter("hosts-in-order", job.share_bytes);
        let in_order = self
            .sorter
            .finish()?
            .sort_by(in_order, |count| count.host)?;
        let mut table = StepTable::create(job, publication, 2)?;
        let docs = |host: &CountedHost| [host.doc];
        job.with_urls(in_order, HOST_BYTES, docs, |counted, urls| {
            let (place, tally) = (counted.place as usize, counted.tally);
            let host = urls
                .find(counted.doc)
                .map_or("", host_of)
                .to_ascii_lowercase();
            let days = intervals.get(&place).copied().map(days);
            let name = |at: usize| job.spans.get(at).map_or("", |span| span.name.as_str());
            let row = HostChangeRow {
                old_snapshot: name(place),
                new_snapshot: name(place + 1),
                host: &host,
                urls: tally.urls(),
                classes: tally.classes,
                half_life: &half_life(&[(tally.surviving, days)]),
            };
            table.write(place, &row)?;
            // Hosts of a step that was taken over are known, and were not counted again.
            if let Some(step) = steps.get_mut(place) {
                let urls = |host: &HostFigures| Reverse(host.tally.urls().iter().sum::<u64>());
                step.hosts.push(HostFigures { host, tally });
                step.hosts
                    .sort_by(|a, b| (urls(a), &a.host).cmp(&(urls(b), &b.host)));
                step.hosts.truncate(LARGEST);
            }
            Ok(())
        })?;
        table.finish()
    }
}
