//! The file: rows of the publication before, as long as their snapshots are there, then those of
//! this one.

use super::job::{FILE, Job, NONE};
use super::previous::PreviousClusters;
use super::records::{Change, EVENTS};
use engine::Engine;
use format::{AtomicFile, Sealed};
use model::Words;
use output::{CLUSTER_CHANGES, ClusterChangeRow, ParquetTable, carry};
use publication::metadata;
use publication::publish::Publication;
use runtime::Error;
use sort::SortedWords;
use std::collections::BTreeSet;

pub(super) struct Writer {
    table: ParquetTable<AtomicFile>,
    number: u64,
    /// Names of the snapshots, the newest last.
    snapshots: Vec<String>,
}

fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

impl Writer {
    pub(super) fn begin(engine: &Engine<'_>, publication: &Publication) -> Result<Writer, Error> {
        let file = publication.file(FILE)?;
        let table = ParquetTable::new(CLUSTER_CHANGES.schema(), &metadata(engine), file)?;
        let snapshots = engine.spans().into_iter().map(|span| span.name).collect();
        Ok(Writer {
            table,
            number: publication.number(),
            snapshots,
        })
    }

    /// Takes over the rows of the publication before, from the first one on whose snapshot is still
    /// there.
    pub(super) fn carry(&mut self, previous: &mut PreviousClusters) -> Result<(), Error> {
        let Some(journal) = &mut previous.journal else {
            return Ok(());
        };
        let live: BTreeSet<&str> = self.snapshots.iter().map(String::as_str).collect();
        carry(journal, &mut self.table, |row| {
            live.contains(ClusterChangeRow::of(row).snapshot)
        })
        .map_err(Error::from)
    }

    /// Adds the rows of this publication.
    pub(super) fn rows(
        &mut self,
        previous: u64,
        job: &Job<'_>,
        mut changes: SortedWords<Change>,
    ) -> Result<(), Error> {
        let snapshot = self.snapshots.last().map_or("", String::as_str);
        while let Some(Words([old, new, event, before, after, documents])) = changes.next()? {
            let row = ClusterChangeRow {
                publication: signed(self.number),
                previous: signed(previous),
                snapshot,
                event: EVENTS.get(event as usize).copied().unwrap_or_default(),
                old_cluster_id: (old != NONE).then(|| job.old.ids.get(old)),
                new_cluster_id: (new != NONE).then(|| job.new.ids.get(new)),
                documents_before: i64::from(before),
                documents_after: i64::from(after),
                documents: i64::from(documents),
            };
            self.table.write(&row)?;
        }
        Ok(())
    }

    pub(super) fn finish(self) -> Result<Sealed, Error> {
        let rows = self.table.rows();
        let file = self.table.finish()?;
        file.commit(rows).map_err(Error::from)
    }
}
