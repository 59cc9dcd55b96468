//! Small records of a few 32-bit numbers, for sorts that live only within a phase.

use crate::record;

/// `N` numbers, ordered from the first on. 4 `N` bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Words<const N: usize>(pub [u32; N]);

record! {
    [const N: usize] Words<N> { 0 },
    // The first number alone: some sorts combine records that differ in the others.
    |words| u64::from(words.0[0]) << 32
}

word_record! { [const N: usize] Words<N> { 0 } }

/// A record with the value and the order of a few 32-bit numbers, or a field of one. Sorts of such
/// records share their machine code. [`word_record!`](crate::word_record!) implements it.
pub trait WordRecord: Copy + Ord {
    /// How many numbers.
    const WORDS: usize;
    /// Writes the numbers into `words`, which has [`WordRecord::WORDS`] places, the highest first.
    fn write_words(&self, words: &mut [u32]);
    /// The record of [`WordRecord::WORDS`] numbers.
    fn of_words(words: &[u32]) -> Self;

    /// Writes the numbers at `at` and moves `at` behind them.
    #[inline]
    fn put(&self, words: &mut [u32], at: &mut usize) {
        let end = *at + Self::WORDS;
        self.write_words(&mut words[*at..end]);
        *at = end;
    }

    /// Reads the numbers at `at` and moves `at` behind them.
    #[inline]
    fn take(words: &[u32], at: &mut usize) -> Self {
        let end = *at + Self::WORDS;
        let value = Self::of_words(&words[*at..end]);
        *at = end;
        value
    }
}

/// [`WordRecord::WORDS`] of a field, given a function that selects it.
pub const fn words_of<S, F: WordRecord>(_select: fn(&S) -> &F) -> usize {
    F::WORDS
}

macro_rules! number_fields {
    ($($number:ty),+) => {$(
        impl WordRecord for $number {
            const WORDS: usize = size_of::<$number>().div_ceil(4);
            #[inline]
            fn write_words(&self, words: &mut [u32]) {
                for (at, word) in words.iter_mut().rev().enumerate() {
                    *word = (u128::from(*self) >> (32 * at)) as u32;
                }
            }
            #[inline]
            fn of_words(words: &[u32]) -> Self {
                words.iter().fold(0_u128, |value, &word| value << 32 | u128::from(word)) as $number
            }
        }
    )+};
}

number_fields!(u8, u32, u64, u128);

/// 0 or 1.
impl WordRecord for bool {
    const WORDS: usize = 1;
    #[inline]
    fn write_words(&self, words: &mut [u32]) {
        words[0] = u32::from(*self);
    }
    #[inline]
    fn of_words(words: &[u32]) -> Self {
        words[0] != 0
    }
}

impl<const N: usize> WordRecord for [u64; N] {
    const WORDS: usize = 2 * N;
    #[inline]
    fn write_words(&self, words: &mut [u32]) {
        for (value, words) in self.iter().zip(words.chunks_exact_mut(2)) {
            value.write_words(words);
        }
    }
    #[inline]
    fn of_words(words: &[u32]) -> Self {
        std::array::from_fn(|at| u64::of_words(&words[2 * at..2 * at + 2]))
    }
}

impl<const N: usize> WordRecord for [u32; N] {
    const WORDS: usize = N;
    #[inline]
    fn write_words(&self, words: &mut [u32]) {
        words.copy_from_slice(self);
    }
    #[inline]
    fn of_words(words: &[u32]) -> Self {
        std::array::from_fn(|at| words[at])
    }
}

/// Four bytes a number.
impl<const N: usize> WordRecord for [u8; N] {
    const WORDS: usize = N.div_ceil(4);
    #[inline]
    fn write_words(&self, words: &mut [u32]) {
        for (word, bytes) in words.iter_mut().zip(self.chunks(4)) {
            let byte = |at: usize| u32::from(bytes.get(at).copied().unwrap_or(0));
            *word = byte(0) << 24 | byte(1) << 16 | byte(2) << 8 | byte(3);
        }
    }
    #[inline]
    fn of_words(words: &[u32]) -> Self {
        std::array::from_fn(|at| (words[at / 4] >> (24 - 8 * (at % 4))) as u8)
    }
}

/// Implements [`WordRecord`] for a struct from the list of its fields in their
/// order in the struct, by which records are ordered (derived `Ord`). Constant parameters stand
/// before the name.
///
/// ```
/// use model::{WordRecord, word_record};
///
/// #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
/// struct Wanted {
///     key: u64,
///     rank: u8,
/// }
///
/// word_record! { Wanted { key, rank } }
///
/// let wanted = Wanted { key: 5 << 32 | 7, rank: 1 };
/// let mut words = [0; Wanted::WORDS];
/// wanted.write_words(&mut words);
/// assert_eq!(words, [5, 7, 1]);
/// assert_eq!(Wanted::of_words(&words), wanted);
/// ```
#[macro_export]
macro_rules! word_record {
    ($([$($generic:tt)+])? $record:ident $(<$argument:ident>)? { $($field:tt),+ $(,)? }) => {
        impl $(<$($generic)+>)? $crate::WordRecord for $record $(<$argument>)? {
            const WORDS: usize = 0 $(+ $crate::words_of(|record: &Self| &record.$field))+;
            #[inline]
            fn write_words(&self, words: &mut [u32]) {
                let mut at = 0;
                $($crate::WordRecord::put(&self.$field, words, &mut at);)+
                debug_assert_eq!(at, words.len());
            }
            #[inline]
            fn of_words(words: &[u32]) -> Self {
                let mut at = 0;
                $record { $($field: $crate::WordRecord::take(words, &mut at)),+ }
            }
        }
    };
}
use word_record;

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
    struct AllFields {
        byte: u8,
        key: u128,
        bytes: [u8; 6],
        long: u64,
        words: [u32; 2],
        inner: Inner,
    }

    word_record! { AllFields { byte, key, bytes, long, words, inner } }

    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
    struct Inner {
        flag: bool,
        longs: [u64; 2],
    }

    word_record! { Inner { flag, longs } }

    fn all_fields() -> impl Strategy<Value = AllFields> {
        (
            0..2_u8,
            any::<u128>(),
            any::<[u8; 6]>(),
            any::<u64>(),
            any::<[u32; 2]>(),
            (any::<bool>(), any::<[u64; 2]>()),
            0..7_u32,
        )
            .prop_map(
                |(byte, key, bytes, long, words, (flag, longs), same)| AllFields {
                    byte,
                    key: if same > 0 { 1 << 64 } else { key },
                    bytes: if same > 1 { [1; 6] } else { bytes },
                    long: if same > 2 { 7 } else { long },
                    words: if same > 3 {
                        [0, if same > 5 { 1 } else { words[1] }]
                    } else {
                        words
                    },
                    inner: Inner { flag, longs },
                },
            )
    }

    proptest! {
        #[test]
        fn words_have_the_value_and_the_order_of_the_record(a in all_fields(), b in all_fields()) {
            let words = |record: AllFields| {
                let mut words = [0; AllFields::WORDS];
                record.write_words(&mut words);
                words
            };
            prop_assert_eq!(AllFields::WORDS, 1 + 4 + 2 + 2 + 2 + 5);
            prop_assert_eq!(AllFields::of_words(&words(a)), a);
            prop_assert_eq!(words(a).cmp(&words(b)), a.cmp(&b));
        }
    }
}
