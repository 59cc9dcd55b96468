//! A cache of token hashes for words that are not ASCII alone. Pages repeat the same few thousand
//! words.
//!
//! *Input.* The bytes of a run, as they stand on the page, and later the hash of its one token.
//! *Output.* That hash, when the same bytes come again. *Algorithm.* A direct-mapped table: each
//! run has one slot, and the latest run keeps it. A hit needs all bytes to be equal. The rules and
//! keys of a table never change, so a run always has the same hash. *Memory.* [`MEMORY_BYTES`].
//! *Limits.* Runs of up to [`RUN_BYTES_MAX`] bytes.

/// Longest run: twelve letters of two bytes.
pub(crate) const RUN_BYTES_MAX: usize = 24;

const SLOTS_LOG2: u32 = 11;

/// Bytes held.
pub(crate) const MEMORY_BYTES: u64 = (size_of::<Slot>() as u64) << SLOTS_LOG2;

/// The bytes of a run, zeros behind them: runs hold no zeros.
pub(crate) type Run = [u64; RUN_BYTES_MAX / 8];

#[derive(Clone, Copy, Default)]
#[repr(align(32))]
struct Slot {
    /// Of zeros only: free.
    run: Run,
    hash: u64,
}

/// The cache.
pub(crate) struct WordCache(Box<[Slot]>);

impl WordCache {
    pub(crate) fn new() -> WordCache {
        WordCache(vec![Slot::default(); 1 << SLOTS_LOG2].into_boxed_slice())
    }

    /// The hash noted for a run.
    #[inline(always)]
    pub(crate) fn hash(&self, run: &Run) -> Option<u64> {
        let slot = self.0[number(run)];
        (slot.run == *run).then_some(slot.hash)
    }

    /// Notes the hash of a run.
    pub(crate) fn note(&mut self, run: &Run, hash: u64) {
        self.0[number(run)] = Slot { run: *run, hash };
    }
}

/// The slot of a run: by two multiplications of 64 bits to 128 (as wyhash does), which mix all
/// bytes into the upper half.
#[inline(always)]
fn number(run: &Run) -> usize {
    let product =
        u128::from(run[0] ^ 0x9E37_79B9_7F4A_7C15) * u128::from(run[1] ^ 0xD6E8_FEB8_6659_FD93);
    let mixed =
        (product as u64 ^ (product >> 64) as u64 ^ run[2]).wrapping_mul(0xA076_1D64_78BD_642F);
    (mixed >> (u64::BITS - SLOTS_LOG2)) as usize
}

/// The bytes `text[start..end]` as a run; `None` if they are too many, or the text ends so soon
/// that they cannot be loaded at once.
#[inline(always)]
pub(crate) fn run_of(text: &[u8], start: usize, end: usize) -> Option<Run> {
    let length = end - start;
    if length > RUN_BYTES_MAX {
        return None;
    }
    let bytes: &[u8; RUN_BYTES_MAX] = text.get(start..)?.first_chunk()?;
    let mut run = [0; RUN_BYTES_MAX / 8];
    for (number, (word, bytes)) in run.iter_mut().zip(bytes.as_chunks().0).enumerate() {
        let kept = length.saturating_sub(8 * number).min(8);
        let mask = if kept == 0 {
            0
        } else {
            u64::MAX >> (64 - 8 * kept)
        };
        *word = u64::from_le_bytes(*bytes) & mask;
    }
    Some(run)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashMap;

    proptest! {
        #[test]
        fn a_run_is_its_bytes(text in "[a-zé字]{0,20}", start in 0_usize..20, length in 1_usize..30) {
            let (text, end) = (text.as_bytes(), start + length);
            prop_assume!(end <= text.len());
            let fits = length <= RUN_BYTES_MAX && start + RUN_BYTES_MAX <= text.len();
            let run = run_of(text, start, end);
            prop_assert_eq!(run.is_some(), fits);
            if let Some(run) = run {
                let bytes: Vec<u8> = run.iter().flat_map(|word| word.to_le_bytes()).collect();
                prop_assert_eq!(&bytes[..length], &text[start..end]);
                prop_assert!(bytes[length..].iter().all(|&byte| byte == 0));
            }
        }

        #[test]
        fn what_is_found_is_what_was_noted(runs in prop::collection::vec([1_u64..3, 0_u64..900, 0_u64..2], 1..3000)) {
            let (mut known, mut noted) = (WordCache::new(), HashMap::new());
            for (hash, run) in (0_u64..).zip(&runs) {
                if let Some(hash) = known.hash(run) {
                    prop_assert_eq!(Some(&hash), noted.get(run));
                }
                known.note(run, hash);
                noted.insert(*run, hash);
                prop_assert_eq!(known.hash(run), Some(hash));
            }
        }
    }

    #[test]
    fn most_of_a_few_hundred_words_find_a_place_of_their_own() {
        let mut known = WordCache::new();
        let words: Vec<String> = (0..400).map(|n| format!("été{n}{:24}", "")).collect();
        let runs: Vec<Run> = words
            .iter()
            .filter_map(|word| run_of(word.as_bytes(), 0, word.trim_end().len()))
            .collect();
        (0_u64..)
            .zip(&runs)
            .for_each(|(hash, run)| known.note(run, hash));
        let found = (0_u64..)
            .zip(&runs)
            .filter(|(hash, run)| known.hash(run) == Some(*hash))
            .count();
        assert!(runs.len() == 400 && found > 320, "{found}");
    }
}
