//! Compares the stored sets of many pairs, on all threads.
//!
//! *Input.* Pairs in any order. *Output.* The value of a function of the sets of each pair, in the
//! same order. *Algorithm.* One thread looks up the places of the sets of a batch. All threads
//! compare parts of the batch. *Memory.* A batch of pairs and values, and two chunks a thread.

use crate::overlap::ShingleSet;
use crate::set_reader::SetReader;
use crate::set_store::SetStore;
use engine::Error;
use format::FormatError;

/// Pairs whose places are looked up together, and shared out among the threads.
const BATCH_PAIRS: usize = 4096;

/// A pair, and where its sets begin.
struct LocatedPair {
    pair: [u32; 2],
    cells: [u32; 2],
}

impl SetStore<'_> {
    /// Compares the pairs that `next` gives, until it gives none. Hands each pair on with the value
    /// of `compare`, or with `None` if one of its documents has no set. Sets of more than
    /// [`CHUNK_SHINGLES`](crate::CHUNK_SHINGLES) are compared in parts. Each shingle is in one
    /// part, and `join` joins the values of two parts.
    ///
    /// # Errors
    /// Those of `next` and `take`; when the disk reports an error, or the run is interrupted.
    pub fn compare_pairs<T: Clone + Send>(
        &mut self,
        mut next: impl FnMut() -> Result<Option<[u32; 2]>, Error>,
        compare: impl Fn([ShingleSet<'_>; 2]) -> T + Sync,
        join: impl Fn(T, T) -> T + Sync,
        mut take: impl FnMut([u32; 2], Option<T>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let mut batch = Vec::with_capacity(BATCH_PAIRS);
        loop {
            self.place.engine.disk.check_interrupt()?;
            batch.clear();
            while batch.len() < BATCH_PAIRS
                && let Some(pair) = next()?
            {
                let cells = [self.cell(pair[0])?, self.cell(pair[1])?];
                batch.push(LocatedPair { pair, cells });
            }
            if batch.is_empty() {
                return Ok(());
            }
            for (located, result) in batch
                .iter()
                .zip(self.compare_batch(&batch, &compare, &join)?)
            {
                take(located.pair, result)?;
            }
        }
    }

    /// Compares a batch on as many threads as may have two chunks each.
    fn compare_batch<T: Clone + Send>(
        &self,
        batch: &[LocatedPair],
        compare: &(impl Fn([ShingleSet<'_>; 2]) -> T + Sync),
        join: &(impl Fn(T, T) -> T + Sync),
    ) -> Result<Vec<Option<T>>, Error> {
        let threads = rayon::current_num_threads().min(self.readers_max());
        let each = batch.len().div_ceil(threads).max(1);
        let mut compared = vec![None; batch.len()];
        let mut results: Vec<Result<(), FormatError>> = Vec::new();
        results.resize_with(threads, || Ok(()));
        rayon::scope(|scope| {
            let parts = batch.chunks(each).zip(compared.chunks_mut(each));
            for ((pairs, compared), result) in parts.zip(&mut results) {
                scope.spawn(move |_| {
                    let reader = self.reader();
                    *result = reader.and_then(|mut sets| {
                        compare_part(&mut sets, pairs, compare, join, compared)
                    });
                });
            }
        });
        let all: Result<(), FormatError> = results.into_iter().collect();
        all?;
        Ok(compared)
    }
}

fn compare_part<T>(
    sets: &mut SetReader<'_>,
    pairs: &[LocatedPair],
    compare: &impl Fn([ShingleSet<'_>; 2]) -> T,
    join: &impl Fn(T, T) -> T,
    compared: &mut [Option<T>],
) -> Result<(), FormatError> {
    for (LocatedPair { cells, .. }, compared) in pairs.iter().zip(compared) {
        if !cells.contains(&0) {
            *compared = Some(sets.compare(*cells, compare, join)?);
        }
    }
    Ok(())
}
