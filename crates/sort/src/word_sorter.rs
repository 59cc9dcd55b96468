//! Sorts of records that are a few 32-bit numbers, compiled once for all of them.
//!
//! *Why.* A [`Sorter`] is compiled anew for each type of records, and takes a second of a build.
//! Most sorts are of small records that live only within a phase, on one thread. Here they are
//! widened with zeros to one of a few widths, and all types of a width share one [`Sorter`] behind
//! a trait object. *Algorithm.* As [`Sorter`]; the prefix is the first two numbers. *Memory.* As
//! [`Sorter`], a 32nd of it, at most 8 KiB, for two batches. *Limits.* Records are kept, not
//! combined, and pushed by one thread. At most [`WORDS_MAX`] numbers a record.

use crate::{KeepAll, Prefixes, SortSpec, Sorted, Sorter};
use format::FormatError;
use model::{WordRecord, record};
use std::marker::PhantomData;

/// Numbers that are passed through the trait object at a time: 4 KiB.
const BATCH_WORDS: usize = 1024;

/// The widest record.
const WORDS_MAX: usize = 24;

/// A record of `W` numbers, the last of which may be fill.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Widened<const W: usize>([u32; W]);

record! {
    [const W: usize] Widened<W> { 0 },
    |record| u64::from(record.0[0]) << 32 | u64::from(record.0[1])
}

/// The input of a sort of widened records.
trait WordInput: Send {
    fn expecting(self: Box<Self>, prefixes: Prefixes) -> Box<dyn WordInput>;
    fn push_all(&mut self, words: &[u32]) -> Result<(), FormatError>;
    fn finish(self: Box<Self>) -> Result<Box<dyn WordOutput>, FormatError>;
}

/// The output of a sort of widened records.
trait WordOutput: Send {
    /// Replaces `words` by those of the next records, at most `most`; by none after the last.
    fn refill(&mut self, words: &mut Vec<u32>, most: usize) -> Result<(), FormatError>;
}

impl<const W: usize> WordInput for Sorter<Widened<W>, KeepAll> {
    fn expecting(self: Box<Self>, prefixes: Prefixes) -> Box<dyn WordInput> {
        Box::new(Sorter::expecting(*self, prefixes))
    }

    fn push_all(&mut self, words: &[u32]) -> Result<(), FormatError> {
        let records = words.as_chunks::<W>().0;
        records
            .iter()
            .try_for_each(|&record| self.push(Widened(record)))
    }

    fn finish(self: Box<Self>) -> Result<Box<dyn WordOutput>, FormatError> {
        Ok(Box::new(Sorter::finish(*self)?))
    }
}

impl<const W: usize> WordOutput for Sorted<Widened<W>, KeepAll> {
    fn refill(&mut self, words: &mut Vec<u32>, most: usize) -> Result<(), FormatError> {
        words.clear();
        while words.len() + W <= most
            && let Some(record) = self.next()?
        {
            words.extend_from_slice(&record.0);
        }
        Ok(())
    }
}

/// The widths that are compiled.
const WIDTHS: [usize; 6] = [2, 3, 5, 8, 12, WORDS_MAX];

/// The input of a sort of records of the `width`-th of [`WIDTHS`].
fn input(width: usize, spec: SortSpec) -> Box<dyn WordInput> {
    fn of<const W: usize>(spec: SortSpec) -> Box<dyn WordInput> {
        Box::new(Sorter::<Widened<W>, KeepAll>::new(spec, KeepAll))
    }
    match width {
        0 => of::<{ WIDTHS[0] }>(spec),
        1 => of::<{ WIDTHS[1] }>(spec),
        2 => of::<{ WIDTHS[2] }>(spec),
        3 => of::<{ WIDTHS[3] }>(spec),
        4 => of::<{ WIDTHS[4] }>(spec),
        _ => of::<WORDS_MAX>(spec),
    }
}

/// Takes records in any order; [`WordSorter::finish`] gives them in order.
pub struct WordSorter<R> {
    input: Box<dyn WordInput>,
    batch: Vec<u32>,
    batch_words: usize,
    width: usize,
    pushed: u64,
    record: PhantomData<R>,
}

impl<R: WordRecord> WordSorter<R> {
    /// An empty sort. Memory is allocated as records come.
    pub fn new(mut spec: SortSpec) -> WordSorter<R> {
        const { assert!(R::WORDS <= WORDS_MAX) }
        let nth = WIDTHS.partition_point(|&width| width < R::WORDS);
        let width = WIDTHS[nth];
        // One batch of the input, one of the output, together a 32nd of the memory.
        let batch_words = (spec.memory_bytes / 256).clamp(width, BATCH_WORDS);
        spec.memory_bytes = spec.memory_bytes.saturating_sub(8 * batch_words);
        WordSorter {
            input: input(nth, spec),
            batch: Vec::new(),
            batch_words,
            width,
            pushed: 0,
            record: PhantomData,
        }
    }

    /// This sort, expecting prefixes in another range. Call it before the first record.
    #[must_use]
    pub fn expecting(self, prefixes: Prefixes) -> WordSorter<R> {
        WordSorter {
            input: self.input.expecting(prefixes),
            ..self
        }
    }

    /// How many records were pushed so far.
    pub fn pushed(&self) -> u64 {
        self.pushed
    }

    /// Adds a record.
    #[inline]
    pub fn push(&mut self, record: R) -> Result<(), FormatError> {
        if self.batch.len() + self.width > self.batch_words {
            self.flush()?;
        }
        let at = self.batch.len();
        self.batch.resize(at + self.width, 0);
        record.write_words(&mut self.batch[at..at + R::WORDS]);
        debug_assert!(self.keeps_order(record), "not in the order of its words");
        self.pushed += 1;
        Ok(())
    }

    /// Whether the words of the last record are in the same order to those before as the records.
    fn keeps_order(&self, last: R) -> bool {
        let mut backwards = self.batch.rchunks(self.width);
        let (words, before) = (backwards.next(), backwards.next());
        before.is_none_or(|before| {
            R::of_words(&before[..R::WORDS]).cmp(&last) == Some(before).cmp(&words)
        })
    }

    fn flush(&mut self) -> Result<(), FormatError> {
        let pushed = self.input.push_all(&self.batch);
        self.batch.clear();
        pushed
    }

    /// Ends the input and gives the records in order.
    pub fn finish(mut self) -> Result<SortedWords<R>, FormatError> {
        self.flush()?;
        Ok(SortedWords {
            output: self.input.finish()?,
            batch: self.batch,
            batch_words: self.batch_words,
            width: self.width,
            taken: 0,
            record: PhantomData,
        })
    }
}

/// The records of a [`WordSorter`] in order.
pub struct SortedWords<R> {
    output: Box<dyn WordOutput>,
    batch: Vec<u32>,
    batch_words: usize,
    width: usize,
    /// Numbers of the batch that the caller has taken.
    taken: usize,
    record: PhantomData<R>,
}

impl<R: WordRecord> SortedWords<R> {
    /// The next record; `None` after the last.
    #[expect(
        clippy::should_implement_trait,
        reason = "an Iterator cannot end in an error"
    )]
    #[inline]
    pub fn next(&mut self) -> Result<Option<R>, FormatError> {
        if self.taken == self.batch.len() {
            self.output.refill(&mut self.batch, self.batch_words)?;
            self.taken = 0;
        }
        let Some(words) = self.batch.get(self.taken..self.taken + R::WORDS) else {
            return Ok(None);
        };
        let record = R::of_words(words);
        self.taken += self.width;
        Ok(Some(record))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use format::Disk;
    use model::Words;
    use proptest::prelude::*;

    fn sorts<const N: usize>(mut records: Vec<Words<N>>, memory_bytes: usize, range: bool) {
        let dir = tempfile::tempdir().unwrap();
        let spec = SortSpec::new(
            Disk::default(),
            dir.path().into(),
            "test".into(),
            memory_bytes,
        );
        let mut sorter = WordSorter::new(spec);
        if range {
            sorter = sorter.expecting(Prefixes::documents(40));
        }
        for record in &records {
            sorter.push(*record).unwrap();
        }
        assert_eq!(sorter.pushed(), records.len() as u64);
        let mut sorted = sorter.finish().unwrap();
        let mut read = Vec::new();
        while let Some(record) = sorted.next().unwrap() {
            read.push(record);
        }
        assert_eq!(sorted.next().unwrap(), None);
        records.sort_unstable();
        assert_eq!(read, records);
        drop(sorted);
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
    }

    /// Records of `N` numbers out of others of 24.
    fn cut<const N: usize>(records: &[[u32; 24]]) -> Vec<Words<N>> {
        let cut = |record: &[u32; 24]| Words::of_words(&record[24 - N..]);
        records.iter().map(cut).collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(60))]
        #[test]
        fn every_width_sorts_like_memory(
            records in proptest::collection::vec(
                prop::array::uniform24(prop_oneof![0u32..50, any::<u32>()]), 0..600,
            ),
            memory_bytes in prop_oneof![40usize..3000, 3000usize..300_000], range: bool,
        ) {
            sorts(cut::<1>(&records), memory_bytes, range);
            sorts(cut::<2>(&records), memory_bytes, range);
            sorts(cut::<3>(&records), memory_bytes, range);
            sorts(cut::<4>(&records), memory_bytes, range);
            sorts(cut::<8>(&records), memory_bytes, range);
            sorts(cut::<11>(&records), memory_bytes, range);
            sorts(cut::<24>(&records), memory_bytes, range);
        }
    }

    fn spec() -> SortSpec {
        SortSpec::new(Disk::default(), "unused".into(), "test".into(), 1 << 20)
    }

    /// The longest batch of the input, and the first of the output.
    fn batches<const N: usize>() -> (usize, usize) {
        let mut sorter = WordSorter::new(spec());
        let mut longest = 0;
        for n in 0..2000 {
            sorter.push(Words([n; N])).unwrap();
            longest = longest.max(sorter.batch.len());
        }
        let mut sorted = sorter.finish().unwrap();
        sorted.next().unwrap();
        (longest, sorted.batch.len())
    }

    #[test]
    fn batches_are_as_long_as_whole_records_allow() {
        assert_eq!(batches::<2>(), (1024, 1024));
        assert_eq!(batches::<3>(), (1023, 1023));
    }

    #[test]
    fn records_in_the_expected_range_are_written_once() {
        let dir = tempfile::tempdir().unwrap();
        let spec = SortSpec {
            dir: dir.path().into(),
            memory_bytes: 256 << 10,
            ..spec()
        };
        let disk = spec.disk.clone();
        let mut sorter = WordSorter::new(spec).expecting(Prefixes::documents(40_000));
        for n in 0..40_000 {
            sorter.push(Words([n, 0])).unwrap();
        }
        let mut sorted = sorter.finish().unwrap();
        while sorted.next().unwrap().is_some() {}
        let bytes = 40_000 * 8;
        assert!(
            (bytes / 2..=bytes).contains(&disk.traffic().0),
            "{:?}",
            disk.traffic()
        );
    }

    /// A number whose order is not that of its words.
    #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
    struct Descending(std::cmp::Reverse<u32>);

    impl WordRecord for Descending {
        const WORDS: usize = 1;
        fn write_words(&self, words: &mut [u32]) {
            words[0] = self.0.0;
        }
        fn of_words(words: &[u32]) -> Self {
            Descending(std::cmp::Reverse(words[0]))
        }
    }

    #[test]
    #[should_panic(expected = "not in the order of its words")]
    fn a_record_in_another_order_than_its_words_is_refused() {
        let mut sorter = WordSorter::new(spec());
        for n in 0..2 {
            sorter.push(Descending(std::cmp::Reverse(n))).unwrap();
        }
    }
}
