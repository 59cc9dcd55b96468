//! Compares the frequencies of a run with those of the run before.

use crate::FrequencyReader;
use format::FrequencyRecord;
use model::Shingle;
use runtime::Error;

/// The shingles whose frequency changed, in order.
pub struct FrequencyChanges {
    before: FrequencyReader,
    now: FrequencyReader,
    heads: [Option<FrequencyRecord>; 2],
    next: Option<Shingle>,
}

impl FrequencyChanges {
    /// Compares two files.
    ///
    /// # Errors
    /// When one cannot be read.
    pub fn between(
        before: FrequencyReader,
        now: FrequencyReader,
    ) -> Result<FrequencyChanges, Error> {
        let mut changes = FrequencyChanges {
            before,
            now,
            heads: [None; 2],
            next: None,
        };
        changes.heads = [changes.before.next_record()?, changes.now.next_record()?];
        changes.advance()?;
        Ok(changes)
    }

    /// The next shingle whose frequency changed.
    pub fn next(&self) -> Option<Shingle> {
        self.next
    }

    /// Passes the shingles up to this one.
    ///
    /// # Errors
    /// When a file cannot be read.
    pub fn pass(&mut self, shingle: Shingle) -> Result<(), Error> {
        while self.next.is_some_and(|next| next <= shingle) {
            self.advance()?;
        }
        Ok(())
    }

    fn advance(&mut self) -> Result<(), Error> {
        loop {
            let heads = self.heads.map(|head| head.map(|record| record.shingle));
            let Some(least) = heads.into_iter().flatten().min() else {
                self.next = None;
                return Ok(());
            };
            let is_same = self.heads[0] == self.heads[1];
            if heads[0] == Some(least) {
                self.heads[0] = self.before.next_record()?;
            }
            if heads[1] == Some(least) {
                self.heads[1] = self.now.next_record()?;
            }
            if !is_same {
                self.next = Some(least);
                return Ok(());
            }
        }
    }
}
