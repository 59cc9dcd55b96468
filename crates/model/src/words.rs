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
