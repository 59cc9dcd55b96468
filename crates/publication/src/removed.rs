//! `removed.parquet`: every document that goes when duplicates are removed, beside the one that is
//! kept instead.
//!
//! *Input.* The files of phase `cluster` and of those before. *Output.* The table, and the removals
//! as records for `membership.parquet`. *Algorithm.* The crate `removals` pairs and counts. Chains
//! of links are not counted. *Memory.* Half the budget, for sorts. *Disk.* 32 bytes a removed
//! document, until the table is written.

use super::PHASE;
use crate::host_pairs::HostPairs;
use crate::hosts::{RemovedHost, RemovedHosts};
use crate::publish::Publication;
use crate::removals::candidate::{Members, from_clusters};
use crate::removals::evidence::{self, DirectLinks};
use crate::removals::removal::{NOT_COUNTED, RemovalFile, RemovalRecord};
use crate::removals::table;
use crate::removals::task::Task;
use clustering::ReferenceOrder;
use engine::Engine;
use engine::cells::SpillableCells;
use format::{RecordReader, Sealed};
use runtime::Error;
use std::collections::BTreeMap;

/// The documents that go, in a scratch file.
pub struct Removed<'a> {
    engine: &'a Engine<'a>,
    file: RemovalFile,
}

/// Steps of the phase, whose sorts are of so many bytes.
pub(crate) fn task<'a>(engine: &'a Engine<'a>, share_bytes: usize) -> Task<'a> {
    Task {
        engine,
        dir: engine.dir(PHASE),
        share_bytes,
    }
}

impl<'a> Removed<'a> {
    /// Finds them, with the evidence.
    pub fn find(engine: &'a Engine<'a>) -> Result<Removed<'a>, Error> {
        let memory = engine.budget.reserve_share(1, 2);
        let task = task(engine, memory.bytes() / 4);
        let candidates = from_clusters::<SpillableCells>(&task, Members::NotKept, |_| true, None)?;
        let removals = evidence::removals(&task, candidates, &mut DirectLinks::open(engine)?)?;
        let file = RemovalFile::write(&task, "removals.run-0", removals)?;
        Ok(Removed { engine, file })
    }

    /// The resemblances of all documents to those kept in their favour, to be looked up in document
    /// order.
    pub(crate) fn resemblances(&self) -> Result<Resemblances, Error> {
        let mut reader = self.file.read(&task(self.engine, 0))?;
        Ok(Resemblances {
            next: reader.next()?,
            reader,
        })
    }

    /// Writes the table and that of pairs of hosts, and removes the scratch file. Also counts what
    /// goes. Documents of references do not go, also where another one is kept for their cluster.
    pub fn publish(self, publication: &Publication) -> Result<([Sealed; 2], RemovedSums), Error> {
        let memory = self.engine.budget.reserve_share(1, 2);
        let task = task(self.engine, memory.bytes() / 4);
        let mut references = ReferenceOrder::open(self.engine)?;
        let removals = match self.engine.inputs.listing.has_references() {
            true => self
                .file
                .without(&task, |doc| references.is_reference(doc))?,
            false => self.file,
        };
        let file = publication.file("removed.parquet")?;
        let mut sums = RemovedSums::default();
        let mut hosts = RemovedHosts::new(&task);
        let mut host_pairs = HostPairs::new(&task);
        let equal = |removal: &RemovalRecord| Ok(removal.is_equal().then_some(false));
        let mut revisited = self.engine.segments()?.revisited();
        let sealed = table::write(&task, &removals, file, equal, |removal, row| {
            if let Some(kept) = row.kept {
                let of_class = sums.classes.entry(kept.class).or_default();
                of_class.documents += 1;
                // A revisit has no body that could be saved.
                if !revisited.has(removal.doc)? {
                    of_class.bytes = of_class.bytes.saturating_add(row.bytes.unsigned_abs());
                }
                sums.same_url += u64::from(row.url.is_some() && row.url == kept.url);
            }
            sums.consider(removal);
            hosts.add(removal.doc, row.url)?;
            host_pairs.add(removal, row)
        })?;
        removals.remove(&task)?;
        sums.hosts = hosts.finish(self.engine)?;
        let host_pairs = host_pairs.publish(self.engine, publication)?;
        Ok(([sealed, host_pairs], sums))
    }
}

/// Sums over the documents that go.
#[derive(Default)]
pub struct RemovedSums {
    /// By class, as the table names it.
    pub classes: BTreeMap<&'static str, RemovedClass>,
    /// The hosts with most of them, most first.
    pub hosts: Vec<RemovedHost>,
    /// The document that is least like the one kept in its favour.
    pub least_alike: Option<LeastAlike>,
    /// Documents that only others link to the one kept in their favour.
    pub through_others: u64,
    /// Documents with the URL of the one kept in their favour: captures of one page.
    pub same_url: u64,
}

/// A document that goes, beside the one that is kept in its favour.
#[derive(Clone, Copy, Debug)]
pub struct LeastAlike {
    /// The document.
    pub document: u32,
    /// The one that is kept.
    pub kept: u32,
    /// Their resemblance.
    pub resemblance: f64,
}

impl RemovedSums {
    /// Notes the removal if its documents are less alike than all before; the first of equals
    /// stays. Counts it if no link joins the two.
    fn consider(&mut self, removal: &RemovalRecord) {
        self.through_others += u64::from(removal.links == NOT_COUNTED);
        let (Some(kept), Some(resemblance)) = (removal.kept_document(), removal.resemblance())
        else {
            return;
        };
        let least = self.least_alike.map_or(1.0, |least| least.resemblance);
        if resemblance < least {
            self.least_alike = Some(LeastAlike {
                document: removal.doc,
                kept,
                resemblance,
            });
        }
    }
}

/// Sums over the documents that go for one that they share a class with.
#[derive(Clone, Copy, Debug, Default)]
pub struct RemovedClass {
    /// Documents.
    pub documents: u64,
    /// Bytes of their bodies.
    pub bytes: u64,
}

/// Resemblances to kept documents, looked up in ascending order of documents.
pub(crate) struct Resemblances {
    reader: RecordReader<RemovalRecord>,
    next: Option<RemovalRecord>,
}

impl Resemblances {
    /// The resemblance of a document to the one that is kept instead, if it is known; 1 of one that
    /// stays.
    pub(crate) fn of(&mut self, doc: u32) -> Result<Option<f64>, Error> {
        while self.next.is_some_and(|next| next.doc < doc) {
            self.next = self.reader.next()?;
        }
        let removal = self.next.filter(|next| next.doc == doc);
        Ok(removal.map_or(Some(1.0), |removal| removal.resemblance()))
    }
}
