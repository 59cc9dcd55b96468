//! What became of the URLs of each host: `host_changes.parquet`, and the largest hosts for the
//! report.
//!
//! A sort adds up the counts of each host between two snapshots, and keeps a document of the host.
//! The rows are written snapshot by snapshot, in the order of those documents. For as many hosts as
//! fit memory, a pass over the document rows reads the URLs, which have the names of the hosts.
//! URLs without a host are in no row.

use super::by_step::StepTable;
use super::half_life::{SurvivalSums, half_life};
use super::job::Job;
use super::outcome::Fate;
use super::statistics::{HostFigures, StepFigures, Tally};
use format::{RecordReader, Sealed};
use model::{Words, record};
use output::HostChangeRow;
use publication::PHASE;
use publication::publish::Publication;
use publication::urls::Urls;
use runtime::Error;
use sketch::{UrlKeys, host_of};
use sort::{Combine, Prefixes, Sorter};
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// Hosts shown in the report.
const LARGEST: usize = 10;
/// Bytes of a host in memory, without its URL.
const HOST_BYTES: usize = 160;
/// The fewest hosts that are taken at a time, whatever the memory.
const BATCH_MIN: usize = 256;

/// ⟨place of the older snapshot, a document of the host, 11 counts of two words each⟩.
type HostWords = Words<24>;

/// The counts of a host. 112 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct HostCount {
    key: u128,
    counts: HostWords,
}

record! { HostCount { key, counts }, |host| (host.key >> 64) as u64 }

/// Adds up what is of one host between the same snapshots; the lowest document names it.
#[derive(Clone, Copy, Debug)]
struct AddHosts;

impl Combine<HostCount> for AddHosts {
    fn absorb(&self, into: &mut HostCount, next: &HostCount) -> bool {
        if (into.key, into.counts.0[0]) != (next.key, next.counts.0[0]) {
            return false;
        }
        let mut tally = tally(&into.counts);
        tally.add_all(&self::tally(&next.counts));
        let doc = into.counts.0[1].min(next.counts.0[1]);
        into.counts = of_host([into.counts.0[0], doc], &tally);
        true
    }
}

fn of_host([place, doc]: [u32; 2], tally: &Tally) -> HostWords {
    let mut words = [0; 24];
    words[..2].copy_from_slice(&[place, doc]);
    let SurvivalSums {
        pages,
        sum,
        squares,
    } = tally.surviving;
    for (pair, n) in words[2..]
        .chunks_exact_mut(2)
        .zip(tally.classes.into_iter().chain([pages, sum, squares]))
    {
        pair.copy_from_slice(&[(n >> 32) as u32, n as u32]);
    }
    Words(words)
}

fn tally(counts: &HostWords) -> Tally {
    let mut numbers = [0; 11];
    for (number, pair) in numbers.iter_mut().zip(counts.0[2..].chunks_exact(2)) {
        *number = u64::from(pair[0]) << 32 | u64::from(pair[1]);
    }
    let [classes @ .., pages, sum, squares] = numbers;
    Tally {
        classes,
        surviving: SurvivalSums {
            pages,
            sum,
            squares,
        },
    }
}

/// Hosts being counted.
pub(super) struct Hosts<'a> {
    job: &'a Job<'a>,
    keys: UrlKeys,
    sorter: Sorter<HostCount, AddHosts>,
    /// The host of the last row, which often is that of the next.
    last: LastHost,
}

/// A host whose rows come one after the other.
#[derive(Default)]
struct LastHost {
    name: String,
    /// The place of the older snapshot.
    place: u32,
    /// A document of the host.
    doc: u32,
    tally: Tally,
}

impl<'a> Hosts<'a> {
    pub(super) fn new(job: &'a Job<'_>) -> Hosts<'a> {
        let sorter = job
            .engine
            .sorter::<HostCount, _>(PHASE, "hosts", job.share_bytes, AddHosts);
        let keys = UrlKeys::of(&job.engine.config.sketch.keys);
        Hosts {
            job,
            keys,
            sorter: sorter.expecting(Prefixes::ALL),
            last: LastHost::default(),
        }
    }

    /// Counts a URL.
    pub(super) fn add(
        &mut self,
        place: usize,
        doc: u32,
        url: Option<&str>,
        class: &'static str,
        fate: Option<&Fate>,
    ) -> Result<(), Error> {
        let (host, place) = (
            host_of(url.unwrap_or("")),
            u32::try_from(place).unwrap_or(u32::MAX),
        );
        if !self.last.name.eq_ignore_ascii_case(host) || self.last.place != place {
            self.push_last()?;
            self.last = LastHost {
                name: host.to_ascii_lowercase(),
                place,
                doc,
                tally: Tally::default(),
            };
        }
        self.last.tally.add(class, fate);
        Ok(())
    }

    fn push_last(&mut self) -> Result<(), Error> {
        let LastHost {
            name,
            place,
            doc,
            tally,
        } = &self.last;
        if name.is_empty() {
            return Ok(());
        }
        let counted = HostCount {
            key: self.keys.exact(name),
            counts: of_host([*place, *doc], tally),
        };
        self.sorter.push(counted).map_err(Error::from)
    }

    /// Writes the table, and adds the largest hosts to the figures of each step. `days` are those
    /// between its two snapshots.
    pub(super) fn write(
        mut self,
        publication: &Publication,
        days: &[Option<f64>],
        steps: &mut [StepFigures],
    ) -> Result<(Sealed, Vec<usize>), Error> {
        let job = self.job;
        self.push_last()?;
        let mut sorted = self.sorter.finish()?;
        let mut in_order =
            job.engine
                .word_sorter::<HostWords>(PHASE, "hosts-in-order", job.share_bytes);
        while let Some(host) = sorted.next()? {
            in_order.push(host.counts)?;
        }
        drop(sorted);
        let (mut in_order, mut list) = (in_order.finish()?, job.write::<HostWords>("hosts")?);
        while let Some(host) = in_order.next()? {
            list.push(&host)?;
        }
        drop(in_order);
        list.finish()?;
        let table = StepTable::create(job, publication, 2)?;
        let mut rows = HostRows {
            job,
            days,
            table,
            largest: BTreeMap::new(),
        };
        let mut reader: RecordReader<HostWords> = job.read("hosts")?;
        rows.write_all(&mut reader)?;
        job.remove("hosts")?;
        let HostRows { table, largest, .. } = rows;
        for (place, hosts) in largest {
            // Those of a step that was taken over are known, and were not counted again.
            let hosts = hosts
                .into_iter()
                .map(|LargeHost { name, tally, .. }| HostFigures { host: name, tally });
            steps[place].hosts = hosts.collect();
        }
        table.finish()
    }
}

/// A host that may be among the largest.
struct LargeHost {
    /// Its URLs in both snapshots.
    urls: u64,
    name: String,
    tally: Tally,
}

struct HostRows<'a> {
    job: &'a Job<'a>,
    days: &'a [Option<f64>],
    table: StepTable<'a>,
    /// By the place of the older snapshot, most URLs first.
    largest: BTreeMap<usize, Vec<LargeHost>>,
}

impl HostRows<'_> {
    fn write_all(&mut self, reader: &mut RecordReader<HostWords>) -> Result<(), Error> {
        let segments = self.job.engine.segments()?;
        let room_bytes = self.job.share_bytes;
        let mut most = (room_bytes / HOST_BYTES / 2).max(BATCH_MIN);
        let mut next = 0;
        while next < reader.records() {
            reader.seek(next)?;
            let mut batch: Vec<HostWords> = Vec::new();
            while batch.len() < most
                && let Some(host) = reader.next()?
            {
                batch.push(host);
            }
            let room = room_bytes.saturating_sub(batch.len() * HOST_BYTES);
            let room = if batch.len() <= BATCH_MIN {
                usize::MAX
            } else {
                room
            };
            let Some(urls) = Urls::of(
                &segments,
                batch.iter().map(|host| host.0[1]).collect(),
                room,
            )?
            else {
                most = (batch.len() / 2).max(BATCH_MIN);
                continue;
            };
            next += batch.len() as u64;
            for host in &batch {
                self.write(host, host_of(urls.find(host.0[1]).unwrap_or("")))?;
            }
        }
        Ok(())
    }

    fn write(&mut self, counts: &HostWords, host: &str) -> Result<(), Error> {
        let (place, tally, host) = (
            counts.0[0] as usize,
            tally(counts),
            host.to_ascii_lowercase(),
        );
        let days = self.days.get(place).copied().flatten();
        let name = |at: usize| self.job.spans.get(at).map_or("", |span| span.name.as_str());
        let row = HostChangeRow {
            old_snapshot: name(place),
            new_snapshot: name(place + 1),
            host: &host,
            urls: tally.urls(),
            classes: tally.classes,
            half_life: &half_life(&[(tally.surviving, days)]),
        };
        self.table.write(place, &row)?;
        let largest = self.largest.entry(place).or_default();
        largest.push(LargeHost {
            urls: tally.urls().iter().sum(),
            name: host,
            tally,
        });
        largest.sort_by(|one, other| {
            (Reverse(one.urls), &one.name).cmp(&(Reverse(other.urls), &other.name))
        });
        largest.truncate(LARGEST);
        Ok(())
    }
}
