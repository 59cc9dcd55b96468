//! A table whose row groups end where the next two snapshots begin, so that those of an earlier run
//! can be copied.

use super::earlier_changes::TABLES;
use super::job::Job;
use crate::publish::{Publication, end_table};
use engine::Error;
use format::{AtomicFile, Sealed};
use output::{ParquetTable, Row, carry_groups};

/// One of [`TABLES`], being written. Rows come in order of the older snapshot.
pub(super) struct StepTable<'a> {
    job: &'a Job<'a>,
    which: usize,
    table: ParquetTable<AtomicFile>,
    /// Row groups between the snapshots so far.
    groups: Vec<usize>,
}

impl<'a> StepTable<'a> {
    pub(super) fn create(
        job: &'a Job<'a>,
        publication: &Publication,
        which: usize,
    ) -> Result<StepTable<'a>, Error> {
        let (table, name) = TABLES[which];
        let table = publication.table(name, table.schema(), 0);
        Ok(StepTable {
            job,
            which,
            table: table?,
            groups: Vec::new(),
        })
    }

    /// Adds a row of what is between the snapshot at `place` and the next.
    pub(super) fn write(&mut self, place: usize, row: &impl Row) -> Result<(), Error> {
        self.reach(place)?;
        self.table.write(row).map_err(Error::from)
    }

    /// Ends what comes before a place: takes over what is kept of it.
    fn reach(&mut self, place: usize) -> Result<(), Error> {
        while self.groups.len() < place {
            match self.job.earlier.groups(self.groups.len(), self.which) {
                Some((from, groups)) => {
                    carry_groups(from, &mut self.table, groups)?;
                }
                None => self.table.end_group()?,
            }
            self.groups
                .push(self.table.groups() - self.groups.iter().sum::<usize>());
        }
        Ok(())
    }

    /// Ends the table. Also gives the row groups between each snapshot and the next.
    pub(super) fn finish(mut self) -> Result<(Sealed, Vec<usize>), Error> {
        self.reach(self.job.spans.len() - 1)?;
        Ok((end_table(self.table)?, self.groups))
    }
}
