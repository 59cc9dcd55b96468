//! x86-64 of about 2010: vectors of 16 bytes.

use super::common::{KEEP, NAME_ENDS, SMALL_PRODUCTS, Wide, common};
use crate::isa::{HotLoop, Isa, one_by_one};
use std::arch::x86_64::*;

#[target_feature(enable = "ssse3,sse4.1,sse4.2,popcnt,pclmulqdq")]
pub(super) fn run<T: HotLoop>(task: T) -> T::Output {
    task.run(V2(()))
}

/// The proof of [`crate::cpu::CpuLevel::V2`].
#[derive(Clone, Copy)]
pub(crate) struct V2(());

impl V2 {
    /// One bit for each byte of all ones or zeros.
    #[inline(always)]
    fn mask(self, [a, b, c, d]: [__m128i; 4]) -> u64 {
        // SAFETY: `self` proves that SSE2 is there; no memory is touched.
        let masks = unsafe {
            [
                _mm_movemask_epi8(a),
                _mm_movemask_epi8(b),
                _mm_movemask_epi8(c),
                _mm_movemask_epi8(d),
            ]
        };
        let [a, b, c, d] = masks.map(|mask| u64::from(mask.cast_unsigned()));
        (a | b << 16) | (c | d << 16) << 32
    }

    #[inline(always)]
    fn equal16(self, part: __m128i, byte: u8) -> __m128i {
        // SAFETY: as above.
        unsafe { _mm_cmpeq_epi8(part, _mm_set1_epi8(byte.cast_signed())) }
    }

    #[inline(always)]
    fn name_ends16(self, part: __m128i) -> __m128i {
        // SAFETY: `self` proves that SSSE3 is there; an array of 16 bytes is read.
        unsafe {
            _mm_cmpeq_epi8(
                part,
                _mm_shuffle_epi8(_mm_loadu_si128(NAME_ENDS.as_ptr().cast()), part),
            )
        }
    }

    #[inline(always)]
    fn letters_and_digits16(self, part: __m128i) -> __m128i {
        // SAFETY: `self` proves that SSE2 is there; no memory is touched.
        unsafe {
            let letter = _mm_sub_epi8(_mm_or_si128(part, _mm_set1_epi8(0x20)), _mm_set1_epi8(0x61));
            let digit = _mm_sub_epi8(part, _mm_set1_epi8(0x30));
            let is_letter = _mm_cmpeq_epi8(_mm_min_epu8(letter, _mm_set1_epi8(25)), letter);
            let is_digit = _mm_cmpeq_epi8(_mm_min_epu8(digit, _mm_set1_epi8(9)), digit);
            _mm_or_si128(is_letter, is_digit)
        }
    }
}

impl Isa for V2 {
    #[inline(always)]
    fn call<T: HotLoop>(self, task: T) -> T::Output {
        // SAFETY: `self` proves that the processor has all instructions enabled there.
        unsafe { run(task) }
    }

    type Block = [__m128i; 4];
    common!();
    one_by_one!();

    #[inline(always)]
    fn load(self, bytes: &[u8; 64]) -> [__m128i; 4] {
        let from = bytes.as_ptr().cast::<__m128i>();
        // SAFETY: `self` proves that SSE2 is there; the array has four times 16 bytes, at any
        // alignment.
        unsafe {
            let (first, second) = (_mm_loadu_si128(from), _mm_loadu_si128(from.add(1)));
            [
                first,
                second,
                _mm_loadu_si128(from.add(2)),
                _mm_loadu_si128(from.add(3)),
            ]
        }
    }

    #[inline(always)]
    fn equal(self, [a, b, c, d]: [__m128i; 4], byte: u8) -> u64 {
        self.mask([
            self.equal16(a, byte),
            self.equal16(b, byte),
            self.equal16(c, byte),
            self.equal16(d, byte),
        ])
    }

    #[inline(always)]
    fn name_ends(self, [a, b, c, d]: [__m128i; 4]) -> u64 {
        self.mask([
            self.name_ends16(a),
            self.name_ends16(b),
            self.name_ends16(c),
            self.name_ends16(d),
        ])
    }

    #[inline(always)]
    fn non_ascii(self, block: [__m128i; 4]) -> u64 {
        self.mask(block)
    }

    #[inline(always)]
    fn letters_and_digits(self, [a, b, c, d]: [__m128i; 4]) -> u64 {
        let (first, second) = (self.letters_and_digits16(a), self.letters_and_digits16(b));
        self.mask([
            first,
            second,
            self.letters_and_digits16(c),
            self.letters_and_digits16(d),
        ])
    }
}
