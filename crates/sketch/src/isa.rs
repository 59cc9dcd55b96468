//! The operations of which the hot loops are made: an instruction set as a trait.
//!
//! A hot loop is a [`HotLoop`], generic over [`Isa`], its operations. [`run`](crate::dispatch::run)
//! calls the form that was compiled for the level of processor, or the portable one, which is
//! written without these operations.
//!
//! A value of a type that implements [`Isa`] proves that the processor has the instructions. Only
//! [`run`](crate::dispatch::run) makes one, from a [`CpuLevel`](crate::cpu::CpuLevel), which only
//! the processor's own answer makes. Every method takes that value.
//!
//! `Task::run` and whatever it calls with an `Isa` must be `#[inline(always)]`: only then is it
//! compiled with the instructions of the level. Forgetting it costs speed, nothing else.

use crate::divisor::Divisor;

pub(crate) trait HotLoop {
    /// The result of the loop.
    type Output;
    /// Runs it with the instructions of `isa`; the portable form, compiled for them, unless the
    /// task says otherwise. Must be `#[inline(always)]`.
    #[inline(always)]
    fn run(self, _isa: impl Isa) -> Self::Output
    where
        Self: Sized,
    {
        self.run_portable()
    }
    /// Runs its portable form. `#[inline(always)]`, too, if there is no other one.
    fn run_portable(self) -> Self::Output;
}

/// The operations of one level.
pub(crate) trait Isa: Copy {
    /// Runs the form of `task` that is made for this level, by a call: what is seldom needed inside
    /// of a hot loop.
    fn call<T: HotLoop>(self, task: T) -> T::Output;

    type Block: Copy;
    /// An element of GF(2^64), a pair of them, or the unreduced sum of products of elements.
    type Wide: Copy;
    /// Four of those, worked on at once if the level can.
    type Four: Copy;

    fn load(self, bytes: &[u8; 64]) -> Self::Block;
    /// Which bytes equal `byte`, the first one in bit 0; so below.
    fn equal(self, block: Self::Block, byte: u8) -> u64;
    /// Which bytes end the name of a tag: white space, `/`, `>`.
    fn name_ends(self, block: Self::Block) -> u64;
    /// Which bytes are no ASCII.
    fn non_ascii(self, block: Self::Block) -> u64;
    /// Which bytes are ASCII letters or digits.
    fn letters_and_digits(self, block: Self::Block) -> u64;
    /// Bit i is the parity of the bits 0 … i.
    fn prefix_parity(self, bits: u64) -> u64;
    /// `base` and the place of each bit that is set, in order, at the front of `room`; rubbish
    /// behind them.
    #[inline(always)]
    fn places(self, bits: u64, base: u16, room: &mut [u16; 64]) {
        let mut bits = bits;
        // written by eights, without a branch on how many there are: in English a block has
        // eighteen on average
        for eight in room.as_chunks_mut::<8>().0 {
            for place in eight {
                *place = base + bits.trailing_zeros() as u16;
                bits &= bits.wrapping_sub(1);
            }
            if bits == 0 {
                return;
            }
        }
    }
    /// The multiples among `values`, in order, at the front of `room`, rubbish behind them; how
    /// many they are.
    #[inline(always)]
    fn multiples(self, values: &[u64; 8], divisor: Divisor, room: &mut [u64; 8]) -> usize {
        let mut count = 0;
        for &value in values {
            // written in any case and counted if kept: no branch on what chance decides
            room[count % 8] = value;
            count += usize::from(divisor.divides(value));
        }
        count
    }

    /// Two elements, low and high.
    fn pair(self, low: u64, high: u64) -> Self::Wide;
    /// The low elements' product, not reduced.
    fn low_product(self, a: Self::Wide, b: Self::Wide) -> Self::Wide;
    /// The high elements' product, not reduced.
    fn high_product(self, a: Self::Wide, b: Self::Wide) -> Self::Wide;
    fn sum(self, a: Self::Wide, b: Self::Wide) -> Self::Wide;
    /// A sum of products, reduced to an element in the low half; the high half holds nothing of
    /// use.
    fn reduced(self, a: Self::Wide) -> Self::Wide;
    /// Four for one.
    fn four(self, values: [Self::Wide; 4]) -> Self::Four;
    /// And back.
    fn each(self, four: Self::Four) -> [Self::Wide; 4];
    /// [`Isa::low_product`] of each.
    fn low_products(self, a: Self::Four, b: Self::Four) -> Self::Four;
    /// [`Isa::high_product`] of each.
    fn high_products(self, a: Self::Four, b: Self::Four) -> Self::Four;
    /// [`Isa::sum`] of each.
    fn sums(self, a: Self::Four, b: Self::Four) -> Self::Four;
    /// [`Isa::reduced`] of each.
    fn all_reduced(self, a: Self::Four) -> Self::Four;
    /// [`Isa::low`] of each.
    #[inline(always)]
    fn lows(self, four: Self::Four) -> [u64; 4] {
        self.each(four).map(|value| self.low(value))
    }
    /// [`Isa::first`] of each; and whether all bytes kept are ASCII.
    #[inline(always)]
    fn first_four(self, bytes: [&[u8; 16]; 4], lengths: [usize; 4]) -> (Self::Four, bool) {
        let [a, b, c, d] =
            [0, 1, 2, 3].map(|number: usize| self.first(bytes[number], lengths[number]));
        (self.four([a.0, b.0, c.0, d.0]), a.1 & b.1 & c.1 & d.1)
    }
    /// [`Isa::lower_case`] of each.
    #[inline(always)]
    fn lower_cases(self, four: Self::Four) -> Self::Four {
        self.four(self.each(four).map(|value| self.lower_case(value)))
    }

    fn low(self, a: Self::Wide) -> u64;
    /// The first `length` bytes, at most 16, all others zero; and whether all those are ASCII.
    fn first(self, bytes: &[u8; 16], length: usize) -> (Self::Wide, bool);
    /// The bytes, lowest first.
    fn bytes(self, a: Self::Wide) -> [u8; 16];
    /// ASCII letters, digits and zeros in lower case: letters have bit 6, which digits lack, and
    /// small ones bit 5 too.
    fn lower_case(self, a: Self::Wide) -> Self::Wide;
}

/// The methods about four at once for levels that have nothing for it: one by one.
#[cfg(target_arch = "x86_64")]
macro_rules! one_by_one {
    () => {
        type Four = [Self::Wide; 4];

        #[inline(always)]
        fn four(self, values: [Self::Wide; 4]) -> [Self::Wide; 4] {
            values
        }

        #[inline(always)]
        fn each(self, four: [Self::Wide; 4]) -> [Self::Wide; 4] {
            four
        }

        #[inline(always)]
        fn low_products(self, a: [Self::Wide; 4], b: [Self::Wide; 4]) -> [Self::Wide; 4] {
            [0, 1, 2, 3].map(|number: usize| self.low_product(a[number], b[number]))
        }

        #[inline(always)]
        fn high_products(self, a: [Self::Wide; 4], b: [Self::Wide; 4]) -> [Self::Wide; 4] {
            [0, 1, 2, 3].map(|number: usize| self.high_product(a[number], b[number]))
        }

        #[inline(always)]
        fn sums(self, a: [Self::Wide; 4], b: [Self::Wide; 4]) -> [Self::Wide; 4] {
            [0, 1, 2, 3].map(|number: usize| self.sum(a[number], b[number]))
        }

        #[inline(always)]
        fn all_reduced(self, a: [Self::Wide; 4]) -> [Self::Wide; 4] {
            a.map(|value| self.reduced(value))
        }
    };
}
#[cfg(target_arch = "x86_64")]
pub(crate) use one_by_one;

#[cfg(test)]
mod tests;
