//! The list of common shingles, to tell them from the others of a document.
//!
//! *Input.* The common shingles that phase `pairs` wrote, in order. *Algorithm.* A table of bits
//! answers for nearly all shingles that are not common (Bloom, *Space/time trade-offs in hash
//! coding*, 1970, with one hash function). Shingles that pass are looked up in the list. If the
//! list is short, the common shingles of a set are a bit each, and two sets are compared by words
//! of bits. *Memory.* The list, or every k-th of it if it does not fit; then the file is read at
//! the place that the sample shows. Two bytes a shingle for the table. *Disk.* None of its own.

use crate::overlap::ShingleSet;
use engine::Engine;
use format::{CommonRecord, FileKind, FormatError, RecordReader, Sealed};
use runtime::{Error, PhaseName};
use sort::Reservation;

const PHASE: PhaseName = PhaseName::Pairs;

/// Bits of the table for each common shingle.
const BITS_EACH: usize = 16;

/// Common shingles of the longest list of which a set has a bit for each: 512 bytes a set.
const BITS_MAX: usize = 4096;

/// An odd number without pattern: 2^64 divided by the golden ratio.
const MULTIPLIER: u64 = 0x9E37_79B9_7F4A_7C15;

/// Common shingles in memory.
pub struct CommonShingles {
    /// Every `step`-th shingle of the list.
    sample: Vec<u64>,
    step: usize,
    /// The list on disk, if the sample is not all of it.
    file: Option<(std::path::PathBuf, Sealed)>,
    bits: Vec<u64>,
    _memory: Option<Reservation>,
}

impl CommonShingles {
    /// No shingle is common.
    pub fn none() -> CommonShingles {
        CommonShingles {
            sample: Vec::new(),
            step: 1,
            file: None,
            bits: Vec::new(),
            _memory: None,
        }
    }

    /// These shingles, in order.
    #[cfg(test)]
    pub(crate) fn of_list(list: Vec<u64>) -> CommonShingles {
        let mut common = CommonShingles {
            bits: vec![0; list.len().div_ceil(4).max(1)],
            ..CommonShingles::none()
        };
        for &shingle in &list {
            let (word, bit) = common.bit(shingle);
            common.bits[word] |= bit;
        }
        common.sample = list;
        common
    }

    /// Reads the list of a finished phase `pairs`; takes at most an eighth of the free memory.
    ///
    /// # Errors
    /// When the file is missing or damaged.
    pub fn open(engine: &Engine<'_>) -> Result<CommonShingles, Error> {
        let sealed = engine.sealed(PHASE, "common")?;
        if sealed.records == 0 {
            return Ok(CommonShingles::none());
        }
        let count = usize::try_from(sealed.records).unwrap_or(usize::MAX);
        let share = engine.budget.free_bytes() / 16;
        let step = count.div_ceil((share / 8).max(1));
        let words = (count.saturating_mul(BITS_EACH).min(share * 8) / 64).max(1);
        let bytes = 8 * (count.div_ceil(step) + words);
        let memory = engine.budget.reserve("common shingles", bytes).ok();
        let mut common = CommonShingles {
            sample: Vec::with_capacity(count.div_ceil(step)),
            step,
            file: (step > 1).then(|| (engine.dir(PHASE), sealed)),
            bits: vec![0; words],
            _memory: memory,
        };
        let mut list = engine.reader::<CommonRecord>(PHASE, "common", FileKind::Common)?;
        for at in 0.. {
            let Some(CommonRecord { shingle, .. }) = list.next()? else {
                break;
            };
            let (word, bit) = common.bit(shingle);
            common.bits[word] |= bit;
            if at % step == 0 {
                common.sample.push(shingle);
            }
        }
        Ok(common)
    }

    fn bit(&self, shingle: u64) -> (usize, u64) {
        let hash = shingle.wrapping_mul(MULTIPLIER);
        let bits = (self.bits.len() as u64) * 64;
        let bit = ((u128::from(hash) * u128::from(bits)) >> 64) as u64;
        ((bit / 64) as usize, 1 << (bit % 64))
    }

    /// A way to look shingles up; each thread needs one.
    ///
    /// # Errors
    /// When the file cannot be opened.
    pub(crate) fn lookup<'a>(
        &'a self,
        engine: &Engine<'_>,
    ) -> Result<CommonLookup<'a>, FormatError> {
        let reader = match &self.file {
            None => None,
            Some((dir, sealed)) => {
                let kind = FileKind::Common;
                let reader = RecordReader::open_sealed(&engine.disk, dir, sealed, kind)?;
                Some(reader.for_lookups())
            }
        };
        Ok(CommonLookup {
            list: self,
            reader,
            content: Vec::new(),
            common: Vec::new(),
            before: 0,
        })
    }
}

/// Tells common shingles from others, for one thread.
pub(crate) struct CommonLookup<'a> {
    list: &'a CommonShingles,
    reader: Option<RecordReader<CommonRecord>>,
    content: Vec<u64>,
    common: Vec<u64>,
    /// How many of the sample are not above the shingle that was looked up last.
    before: usize,
}

/// How many of a sorted list are not above `last`: a few, so the search begins at its front
/// (Bentley and Yao, *An almost optimal algorithm for unbounded searching*, 1976).
fn up_to(list: &[u64], last: u64) -> usize {
    let mut end = 1;
    while list.get(end - 1).is_some_and(|one| *one <= last) {
        end *= 2;
    }
    let (from, to) = (end / 2, (end - 1).min(list.len()));
    from + list[from..to].partition_point(|one| *one <= last)
}

impl CommonLookup<'_> {
    /// Divides a sorted list of shingles of a level. The common ones are put into `bits`, or into
    /// a list if there are too many in all.
    ///
    /// # Errors
    /// When the file of common shingles cannot be read.
    pub(crate) fn divide<'s>(
        &'s mut self,
        level: u8,
        shingles: &'s [u64],
        bits: &mut Vec<u64>,
    ) -> Result<ShingleSet<'s>, FormatError> {
        if self.list.sample.is_empty() {
            return Ok(ShingleSet {
                level,
                content: shingles,
                ..ShingleSet::default()
            });
        }
        let are_bits = self.list.step == 1 && self.list.sample.len() <= BITS_MAX;
        self.content.clear();
        self.common.clear();
        self.before = 0;
        for &shingle in shingles {
            match self.find(shingle)? {
                Some(number) if are_bits => set_bit(bits, number),
                Some(_) => self.common.push(shingle),
                None => self.content.push(shingle),
            }
        }
        Ok(ShingleSet {
            level,
            content: &self.content,
            common: &self.common,
            bits: &[],
        })
    }

    /// Finds a shingle in the list: the number of the last one of the sample that is not above it.
    /// The shingles of a set come in order.
    fn find(&mut self, shingle: u64) -> Result<Option<usize>, FormatError> {
        let list = self.list;
        let (word, bit) = list.bit(shingle);
        if list.bits[word] & bit == 0 {
            return Ok(None);
        }
        self.before += up_to(&list.sample[self.before..], shingle);
        let Some(at) = self.before.checked_sub(1) else {
            return Ok(None);
        };
        if list.sample[at] == shingle {
            return Ok(Some(at));
        }
        let Some(reader) = &mut self.reader else {
            return Ok(None);
        };
        reader.seek((at * list.step) as u64)?;
        for _ in 0..list.step {
            match reader.next()? {
                Some(common) if common.shingle < shingle => {}
                other => {
                    let is_same = other.is_some_and(|common| common.shingle == shingle);
                    return Ok(is_same.then_some(at));
                }
            }
        }
        Ok(None)
    }
}

fn set_bit(bits: &mut Vec<u64>, number: usize) {
    let word = number / 64;
    if bits.len() <= word {
        bits.resize(word + 1, 0);
    }
    bits[word] |= 1 << (number % 64);
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_search_from_the_front_finds_what_one_from_the_middle_does(
            list in prop::collection::btree_set(0u64..300, 0..200), last in 0u64..310,
        ) {
            let list: Vec<u64> = list.into_iter().collect();
            prop_assert_eq!(up_to(&list, last), list.partition_point(|one| *one <= last));
        }
    }
}
