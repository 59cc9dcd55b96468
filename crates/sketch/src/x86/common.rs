//! The operations on one vector of 16 bytes, which are the same for all levels.

use std::arch::x86_64::__m128i;

/// Two elements of GF(2^64), or an unreduced sum of products.
#[derive(Clone, Copy)]
pub(crate) struct Wide(pub(super) __m128i);

/// `byte` if it ends the name of a tag, by its lower half; no two of them share one. 0xFF equals no
/// byte below 0x80.
pub(super) const NAME_ENDS: [u8; 16] = [
    b' ', 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, b'\t', b'\n', 0xFF, 0x0C, b'\r', b'>',
    b'/',
];

/// Products of the elements of degree below 4 with t^4 + t^3 + t + 1.
pub(super) const SMALL_PRODUCTS: [u8; 16] = {
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
pub(super) static KEEP: [u8; 32] = {
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
                let product =
                    _mm_clmulepi64_si128::<0>(_mm_cvtsi64_si128(bits.cast_signed()), all_ones);
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
            // SAFETY: `self` proves that PCLMULQDQ and SSSE3 are there; no memory is touched but
            // the array.
            unsafe {
                let table = _mm_loadu_si128(SMALL_PRODUCTS.as_ptr().cast());
                // t^64 = t^4 + t^3 + t + 1, so the high half counts that many times; four bits
                // stick out again
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
            // SAFETY: `self` proves that SSE2 is there; `bytes` has 16 bytes, and KEEP has 16 from
            // every place up to 16.
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
pub(super) use common;
