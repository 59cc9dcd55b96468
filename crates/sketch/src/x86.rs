//! The instructions of x86-64 that the hot loops use, behind the safe methods of [`Isa`]; the only `unsafe` of this crate.
//!
//! Three levels of processor. The values [`V2`], [`V3`] and [`V3Twice`] prove that it has the instructions: they cannot be
//! made outside of this module, and here only inside of functions compiled for those instructions.

#![expect(unsafe_code, reason = "vector instructions and carry-less multiplication")]

use crate::cpu::Level;
use crate::isa::{Isa, Task, one_by_one};
use std::arch::x86_64::*;

/// Runs the form of `task` that is made for `level`.
pub(crate) fn run<T: Task>(level: Level, task: T) -> T::Output {
    match level {
        Level::Portable => task.run_portable(),
        // SAFETY: a level is only made when the processor was found to have all instructions enabled there.
        Level::V2 => unsafe { run_v2(task) },
        // SAFETY: as above.
        Level::V3 => unsafe { run_v3(task) },
        // SAFETY: as above.
        Level::V3Twice => unsafe { run_v3_twice(task) },
    }
}

#[target_feature(enable = "ssse3,sse4.1,sse4.2,popcnt,pclmulqdq")]
fn run_v2<T: Task>(task: T) -> T::Output {
    task.run(V2(()))
}

#[target_feature(enable = "ssse3,sse4.1,sse4.2,popcnt,pclmulqdq,avx2,bmi1,bmi2,lzcnt")]
fn run_v3<T: Task>(task: T) -> T::Output {
    task.run(V3(()))
}

#[target_feature(enable = "ssse3,sse4.1,sse4.2,popcnt,pclmulqdq,avx2,bmi1,bmi2,lzcnt,vpclmulqdq")]
fn run_v3_twice<T: Task>(task: T) -> T::Output {
    task.run(V3Twice(()))
}

/// Two elements of GF(2^64), or an unreduced sum of products.
#[derive(Clone, Copy)]
pub(crate) struct Wide(__m128i);

/// `byte` if it ends the name of a tag, by its lower half; no two of them share one. 0xFF equals no byte below 0x80.
const NAME_ENDS: [u8; 16] =
    [b' ', 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, b'\t', b'\n', 0xFF, 0x0C, b'\r', b'>', b'/'];

/// Products of the elements of degree below 4 with t^4 + t^3 + t + 1.
const SMALL_PRODUCTS: [u8; 16] = {
    let mut products = [0; 16];
    let mut element = 0;
    while element < 16 {
        let mut bit = 0;
        while bit < 4 {
            if element >> bit & 1 == 1 {
                products[element] ^= 0x1B << bit;
            }
            bit += 1;
        }
        element += 1;
    }
    products
};

/// Sixteen bytes kept, then sixteen cleared: a mask of n bytes begins at 16 − n.
static KEEP: [u8; 32] = {
    let mut keep = [0; 32];
    let mut at = 0;
    while at < 16 {
        keep[at] = 0xFF;
        at += 1;
    }
    keep
};

/// The methods that are the same for all levels.
macro_rules! common {
    () => {
        type Wide = Wide;

        #[inline(always)]
        fn prefix_parity(self, bits: u64) -> u64 {
            // SAFETY: `self` proves that SSE2 and PCLMULQDQ are there; no memory is touched.
            unsafe {
                let all_ones = _mm_set1_epi8(-1);
                let product = _mm_clmulepi64_si128::<0>(_mm_cvtsi64_si128(bits.cast_signed()), all_ones);
                _mm_cvtsi128_si64(product).cast_unsigned()
            }
        }

        #[inline(always)]
        fn pair(self, low: u64, high: u64) -> Wide {
            // SAFETY: `self` proves that SSE2 is there; no memory is touched.
            Wide(unsafe { _mm_set_epi64x(high.cast_signed(), low.cast_signed()) })
        }

        #[inline(always)]
        fn low_product(self, a: Wide, b: Wide) -> Wide {
            // SAFETY: `self` proves that PCLMULQDQ is there; no memory is touched.
            Wide(unsafe { _mm_clmulepi64_si128::<0x00>(a.0, b.0) })
        }

        #[inline(always)]
        fn high_product(self, a: Wide, b: Wide) -> Wide {
            // SAFETY: as above.
            Wide(unsafe { _mm_clmulepi64_si128::<0x11>(a.0, b.0) })
        }

        #[inline(always)]
        fn sum(self, a: Wide, b: Wide) -> Wide {
            // SAFETY: `self` proves that SSE2 is there; no memory is touched.
            Wide(unsafe { _mm_xor_si128(a.0, b.0) })
        }

        #[inline(always)]
        fn reduced(self, a: Wide) -> Wide {
            // SAFETY: `self` proves that PCLMULQDQ and SSSE3 are there; no memory is touched but the array.
            unsafe {
                let table = _mm_loadu_si128(SMALL_PRODUCTS.as_ptr().cast());
                // t^64 = t^4 + t^3 + t + 1, so the high half counts that many times; four bits stick out again
                let folded = _mm_clmulepi64_si128::<0x01>(a.0, _mm_cvtsi32_si128(0x1B));
                let folded_again = _mm_shuffle_epi8(table, _mm_srli_si128::<8>(folded));
                Wide(_mm_xor_si128(_mm_xor_si128(a.0, folded), folded_again))
            }
        }

        #[inline(always)]
        fn low(self, a: Wide) -> u64 {
            // SAFETY: `self` proves that SSE2 is there; no memory is touched.
            unsafe { _mm_cvtsi128_si64(a.0).cast_unsigned() }
        }

        #[inline(always)]
        fn first(self, bytes: &[u8; 16], length: usize) -> (Wide, bool) {
            let start = 16 - length.min(16);
            // SAFETY: `self` proves that SSE2 is there; `bytes` has 16 bytes, and KEEP has 16 from every place up to 16.
            unsafe {
                let keep = _mm_loadu_si128(KEEP.as_ptr().add(start).cast());
                let kept = _mm_and_si128(_mm_loadu_si128(bytes.as_ptr().cast()), keep);
                (Wide(kept), _mm_movemask_epi8(kept) == 0)
            }
        }

        #[inline(always)]
        fn bytes(self, a: Wide) -> [u8; 16] {
            let mut bytes = [0; 16];
            // SAFETY: `self` proves that SSE2 is there; the array has 16 bytes.
            unsafe { _mm_storeu_si128(bytes.as_mut_ptr().cast(), a.0) };
            bytes
        }

        #[inline(always)]
        fn lower_case(self, a: Wide) -> Wide {
            // SAFETY: `self` proves that SSE2 is there; no memory is touched.
            unsafe {
                let letters = _mm_and_si128(a.0, _mm_set1_epi8(0x40));
                Wide(_mm_or_si128(a.0, _mm_srli_epi16::<1>(letters)))
            }
        }
    };
}

/// The proof of [`Level::V2`].
#[derive(Clone, Copy)]
pub(crate) struct V2(());

impl V2 {
    /// One bit for each byte of all ones or zeros.
    #[inline(always)]
    fn mask(self, [a, b, c, d]: [__m128i; 4]) -> u64 {
        // SAFETY: `self` proves that SSE2 is there; no memory is touched.
        let masks = unsafe { [_mm_movemask_epi8(a), _mm_movemask_epi8(b), _mm_movemask_epi8(c), _mm_movemask_epi8(d)] };
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
        unsafe { _mm_cmpeq_epi8(part, _mm_shuffle_epi8(_mm_loadu_si128(NAME_ENDS.as_ptr().cast()), part)) }
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
    fn call<T: Task>(self, task: T) -> T::Output {
        // SAFETY: `self` proves that the processor has all instructions enabled there.
        unsafe { run_v2(task) }
    }

    type Block = [__m128i; 4];
    common!();
    one_by_one!();

    #[inline(always)]
    fn load(self, bytes: &[u8; 64]) -> [__m128i; 4] {
        let from = bytes.as_ptr().cast::<__m128i>();
        // SAFETY: `self` proves that SSE2 is there; the array has four times 16 bytes, at any alignment.
        unsafe {
            let (first, second) = (_mm_loadu_si128(from), _mm_loadu_si128(from.add(1)));
            [first, second, _mm_loadu_si128(from.add(2)), _mm_loadu_si128(from.add(3))]
        }
    }

    #[inline(always)]
    fn equal(self, [a, b, c, d]: [__m128i; 4], byte: u8) -> u64 {
        self.mask([self.equal16(a, byte), self.equal16(b, byte), self.equal16(c, byte), self.equal16(d, byte)])
    }

    #[inline(always)]
    fn name_ends(self, [a, b, c, d]: [__m128i; 4]) -> u64 {
        self.mask([self.name_ends16(a), self.name_ends16(b), self.name_ends16(c), self.name_ends16(d)])
    }

    #[inline(always)]
    fn non_ascii(self, block: [__m128i; 4]) -> u64 {
        self.mask(block)
    }

    #[inline(always)]
    fn letters_and_digits(self, [a, b, c, d]: [__m128i; 4]) -> u64 {
        let (first, second) = (self.letters_and_digits16(a), self.letters_and_digits16(b));
        self.mask([first, second, self.letters_and_digits16(c), self.letters_and_digits16(d)])
    }
}

/// The proof of [`Level::V3`].
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
            let letter = _mm256_sub_epi8(_mm256_or_si256(part, _mm256_set1_epi8(0x20)), _mm256_set1_epi8(0x61));
            let digit = _mm256_sub_epi8(part, _mm256_set1_epi8(0x30));
            let is_letter = _mm256_cmpeq_epi8(_mm256_min_epu8(letter, _mm256_set1_epi8(25)), letter);
            let is_digit = _mm256_cmpeq_epi8(_mm256_min_epu8(digit, _mm256_set1_epi8(9)), digit);
            _mm256_or_si256(is_letter, is_digit)
        }
    }
}

/// The methods about blocks that are the same for all levels with AVX2, whose proofs prove [`Level::V3`], too.
macro_rules! blocks_of_avx2 {
    () => {
        type Block = [__m256i; 2];

        #[inline(always)]
        fn load(self, bytes: &[u8; 64]) -> [__m256i; 2] {
            let from = bytes.as_ptr().cast::<__m256i>();
            // SAFETY: `self` proves that AVX is there; the array has two times 32 bytes, at any alignment.
            unsafe { [_mm256_loadu_si256(from), _mm256_loadu_si256(from.add(1))] }
        }

        #[inline(always)]
        fn equal(self, [a, b]: [__m256i; 2], byte: u8) -> u64 {
            V3(()).mask([V3(()).equal32(a, byte), V3(()).equal32(b, byte)])
        }

        #[inline(always)]
        fn name_ends(self, [a, b]: [__m256i; 2]) -> u64 {
            V3(()).mask([V3(()).name_ends32(a), V3(()).name_ends32(b)])
        }

        #[inline(always)]
        fn non_ascii(self, block: [__m256i; 2]) -> u64 {
            V3(()).mask(block)
        }

        #[inline(always)]
        fn letters_and_digits(self, [a, b]: [__m256i; 2]) -> u64 {
            V3(()).mask([V3(()).letters_and_digits32(a), V3(()).letters_and_digits32(b)])
        }
    };
}

impl Isa for V3 {
    #[inline(always)]
    fn call<T: Task>(self, task: T) -> T::Output {
        // SAFETY: `self` proves that the processor has all instructions enabled there.
        unsafe { run_v3(task) }
    }

    common!();
    one_by_one!();
    blocks_of_avx2!();
}

/// The proof of [`Level::V3Twice`], and so of [`Level::V3`].
#[derive(Clone, Copy)]
pub(crate) struct V3Twice(());

/// Two values of [`Wide`].
#[derive(Clone, Copy)]
pub(crate) struct Twice(__m256i);

impl Isa for V3Twice {
    type Two = Twice;
    common!();
    blocks_of_avx2!();

    #[inline(always)]
    fn call<T: Task>(self, task: T) -> T::Output {
        // SAFETY: `self` proves that the processor has all instructions enabled there.
        unsafe { run_v3_twice(task) }
    }

    #[inline(always)]
    fn two(self, [first, second]: [Wide; 2]) -> Twice {
        // SAFETY: `self` proves that AVX is there; no memory is touched.
        Twice(unsafe { _mm256_set_m128i(second.0, first.0) })
    }

    #[inline(always)]
    fn each(self, two: Twice) -> [Wide; 2] {
        // SAFETY: `self` proves that AVX2 is there; no memory is touched.
        unsafe { [Wide(_mm256_castsi256_si128(two.0)), Wide(_mm256_extracti128_si256::<1>(two.0))] }
    }

    #[inline(always)]
    fn low_products(self, a: Twice, b: Twice) -> Twice {
        // SAFETY: `self` proves that VPCLMULQDQ is there; no memory is touched.
        Twice(unsafe { _mm256_clmulepi64_epi128::<0x00>(a.0, b.0) })
    }

    #[inline(always)]
    fn high_products(self, a: Twice, b: Twice) -> Twice {
        // SAFETY: as above.
        Twice(unsafe { _mm256_clmulepi64_epi128::<0x11>(a.0, b.0) })
    }

    #[inline(always)]
    fn sums(self, a: Twice, b: Twice) -> Twice {
        // SAFETY: `self` proves that AVX2 is there; no memory is touched.
        Twice(unsafe { _mm256_xor_si256(a.0, b.0) })
    }

    #[inline(always)]
    fn both_reduced(self, a: Twice) -> Twice {
        // SAFETY: `self` proves that VPCLMULQDQ and AVX2 are there; no memory is touched but the array.
        unsafe {
            let table = _mm256_broadcastsi128_si256(_mm_loadu_si128(SMALL_PRODUCTS.as_ptr().cast()));
            // as `reduced`
            let folded = _mm256_clmulepi64_epi128::<0x01>(a.0, _mm256_set1_epi64x(0x1B));
            let folded_again = _mm256_shuffle_epi8(table, _mm256_srli_si256::<8>(folded));
            Twice(_mm256_xor_si256(_mm256_xor_si256(a.0, folded), folded_again))
        }
    }
}
