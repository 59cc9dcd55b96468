//! x86-64 of about 2013: vectors of 32 bytes.

use super::common::{KEEP, NAME_ENDS, SMALL_PRODUCTS, Wide, common};
use crate::isa::{HotLoop, Isa, one_by_one};
use std::arch::x86_64::*;

#[target_feature(enable = "ssse3,sse4.1,sse4.2,popcnt,pclmulqdq,avx2,bmi1,bmi2,lzcnt")]
pub(super) fn run<T: HotLoop>(task: T) -> T::Output {
    task.run(V3(()))
}

/// The proof of [`crate::cpu::CpuLevel::V3`].
#[derive(Clone, Copy)]
pub(crate) struct V3(());

impl V3 {
    /// One bit for each byte of all ones or zeros.
    #[inline(always)]
    fn mask(self, [a, b]: [__m256i; 2]) -> u64 {
        // SAFETY: `self` proves that AVX2 is there; no memory is touched.
        let (a, b) = unsafe { (_mm256_movemask_epi8(a), _mm256_movemask_epi8(b)) };
        u64::from(a.cast_unsigned()) | u64::from(b.cast_unsigned()) << 32
    }

    #[inline(always)]
    fn equal32(self, part: __m256i, byte: u8) -> __m256i {
        // SAFETY: as above.
        unsafe { _mm256_cmpeq_epi8(part, _mm256_set1_epi8(byte.cast_signed())) }
    }

    #[inline(always)]
    fn name_ends32(self, part: __m256i) -> __m256i {
        // SAFETY: `self` proves that AVX2 is there; an array of 16 bytes is read.
        unsafe {
            let table = _mm256_broadcastsi128_si256(_mm_loadu_si128(NAME_ENDS.as_ptr().cast()));
            _mm256_cmpeq_epi8(part, _mm256_shuffle_epi8(table, part))
        }
    }

    #[inline(always)]
    fn letters_and_digits32(self, part: __m256i) -> __m256i {
        // SAFETY: `self` proves that AVX2 is there; no memory is touched.
        unsafe {
            let letter = _mm256_sub_epi8(
                _mm256_or_si256(part, _mm256_set1_epi8(0x20)),
                _mm256_set1_epi8(0x61),
            );
            let digit = _mm256_sub_epi8(part, _mm256_set1_epi8(0x30));
            let is_letter =
                _mm256_cmpeq_epi8(_mm256_min_epu8(letter, _mm256_set1_epi8(25)), letter);
            let is_digit = _mm256_cmpeq_epi8(_mm256_min_epu8(digit, _mm256_set1_epi8(9)), digit);
            _mm256_or_si256(is_letter, is_digit)
        }
    }
}

impl Isa for V3 {
    #[inline(always)]
    fn call<T: HotLoop>(self, task: T) -> T::Output {
        // SAFETY: `self` proves that the processor has all instructions enabled there.
        unsafe { run(task) }
    }

    common!();
    one_by_one!();
    type Block = [__m256i; 2];

    #[inline(always)]
    fn load(self, bytes: &[u8; 64]) -> [__m256i; 2] {
        let from = bytes.as_ptr().cast::<__m256i>();
        // SAFETY: `self` proves that AVX is there; the array has two times 32 bytes, at any
        // alignment.
        unsafe { [_mm256_loadu_si256(from), _mm256_loadu_si256(from.add(1))] }
    }

    #[inline(always)]
    fn equal(self, [a, b]: [__m256i; 2], byte: u8) -> u64 {
        self.mask([self.equal32(a, byte), self.equal32(b, byte)])
    }

    #[inline(always)]
    fn name_ends(self, [a, b]: [__m256i; 2]) -> u64 {
        self.mask([self.name_ends32(a), self.name_ends32(b)])
    }

    #[inline(always)]
    fn non_ascii(self, block: [__m256i; 2]) -> u64 {
        self.mask(block)
    }

    #[inline(always)]
    fn letters_and_digits(self, [a, b]: [__m256i; 2]) -> u64 {
        self.mask([self.letters_and_digits32(a), self.letters_and_digits32(b)])
    }
}
