//! x86-64 of about 2020 with AVX-512: vectors of 64 bytes, answers as masks, four carry-less
//! products at once, and `compress`, which brings what a mask names to the front.

use super::common::{KEEP, NAME_ENDS, SMALL_PRODUCTS, Wide, common};
use crate::divisor::Divisor;
use crate::isa::{HotLoop, Isa};
use std::arch::x86_64::*;

#[target_feature(
    enable = "ssse3,sse4.1,sse4.2,popcnt,pclmulqdq,avx2,bmi1,bmi2,lzcnt,vpclmulqdq,avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi2"
)]
pub(super) fn run<T: HotLoop>(task: T) -> T::Output {
    task.run(V4(()))
}

/// The proof of [`crate::cpu::CpuLevel::V4`].
#[derive(Clone, Copy)]
pub(crate) struct V4(());

/// 0, 1, … 63.
static COUNTING: [u8; 64] = {
    let mut counting = [0; 64];
    let mut at = 0;
    while at < 64 {
        counting[at] = at as u8;
        at += 1;
    }
    counting
};

/// Four values of [`Wide`].
#[derive(Clone, Copy)]
pub(crate) struct Four(__m512i);

impl V4 {
    /// Sixteen bytes from each.
    #[inline(always)]
    fn gather(self, [a, b, c, d]: [__m128i; 4]) -> __m512i {
        // SAFETY: `self` proves that AVX-512 F is there; no memory is touched.
        unsafe {
            let two = _mm512_inserti32x4::<1>(_mm512_castsi128_si512(a), b);
            _mm512_inserti32x4::<3>(_mm512_inserti32x4::<2>(two, c), d)
        }
    }
}

impl Isa for V4 {
    type Block = __m512i;
    type Four = Four;
    common!();

    #[inline(always)]
    fn call<T: HotLoop>(self, task: T) -> T::Output {
        // SAFETY: `self` proves that the processor has all instructions enabled there.
        unsafe { run(task) }
    }

    #[inline(always)]
    fn load(self, bytes: &[u8; 64]) -> __m512i {
        // SAFETY: `self` proves that AVX-512 F is there; the array has 64 bytes, at any alignment.
        unsafe { _mm512_loadu_si512(bytes.as_ptr().cast()) }
    }

    #[inline(always)]
    fn equal(self, block: __m512i, byte: u8) -> u64 {
        // SAFETY: `self` proves that AVX-512 BW is there; no memory is touched.
        unsafe { _mm512_cmpeq_epi8_mask(block, _mm512_set1_epi8(byte.cast_signed())) }
    }

    #[inline(always)]
    fn name_ends(self, block: __m512i) -> u64 {
        // SAFETY: `self` proves that AVX-512 F and BW are there; an array of 16 bytes is read.
        unsafe {
            let table = _mm512_broadcast_i32x4(_mm_loadu_si128(NAME_ENDS.as_ptr().cast()));
            _mm512_cmpeq_epi8_mask(block, _mm512_shuffle_epi8(table, block))
        }
    }

    #[inline(always)]
    fn non_ascii(self, block: __m512i) -> u64 {
        // SAFETY: `self` proves that AVX-512 BW is there; no memory is touched.
        unsafe { _mm512_movepi8_mask(block) }
    }

    #[inline(always)]
    fn letters_and_digits(self, block: __m512i) -> u64 {
        // SAFETY: as above.
        unsafe {
            let letter = _mm512_sub_epi8(
                _mm512_or_si512(block, _mm512_set1_epi8(0x20)),
                _mm512_set1_epi8(0x61),
            );
            let digit = _mm512_sub_epi8(block, _mm512_set1_epi8(0x30));
            _mm512_cmplt_epu8_mask(letter, _mm512_set1_epi8(26))
                | _mm512_cmplt_epu8_mask(digit, _mm512_set1_epi8(10))
        }
    }

    #[inline(always)]
    fn places(self, bits: u64, base: u16, room: &mut [u16; 64]) {
        let room = room.as_mut_ptr();
        // SAFETY: `self` proves that AVX-512 F, BW and VBMI2 are there; the static array has 64
        // bytes, and `room` two times the 64 bytes of one vector, at any alignment.
        unsafe {
            let places =
                _mm512_maskz_compress_epi8(bits, _mm512_loadu_si512(COUNTING.as_ptr().cast()));
            let base = _mm512_set1_epi16(base.cast_signed());
            let first = _mm512_cvtepu8_epi16(_mm512_castsi512_si256(places));
            _mm512_storeu_si512(room.cast(), _mm512_add_epi16(first, base));
            if bits.count_ones() > 32 {
                let second = _mm512_cvtepu8_epi16(_mm512_extracti64x4_epi64::<1>(places));
                _mm512_storeu_si512(room.add(32).cast(), _mm512_add_epi16(second, base));
            }
        }
    }

    #[inline(always)]
    fn multiples(self, values: &[u64; 8], divisor: Divisor, room: &mut [u64; 8]) -> usize {
        // SAFETY: `self` proves that AVX-512 F and DQ are there; both arrays have 64 bytes, at any
        // alignment.
        unsafe {
            let values = _mm512_loadu_si512(values.as_ptr().cast());
            let products =
                _mm512_mullo_epi64(values, _mm512_set1_epi64(divisor.inverse.cast_signed()));
            let quotients =
                _mm512_rorv_epi64(products, _mm512_set1_epi64(i64::from(divisor.shift)));
            let kept = _mm512_cmple_epu64_mask(
                quotients,
                _mm512_set1_epi64(divisor.largest.cast_signed()),
            );
            _mm512_storeu_si512(
                room.as_mut_ptr().cast(),
                _mm512_maskz_compress_epi64(kept, values),
            );
            kept.count_ones() as usize
        }
    }

    #[inline(always)]
    fn four(self, [a, b, c, d]: [Wide; 4]) -> Four {
        Four(self.gather([a.0, b.0, c.0, d.0]))
    }

    #[inline(always)]
    fn each(self, Four(four): Four) -> [Wide; 4] {
        // SAFETY: `self` proves that AVX-512 F is there; no memory is touched.
        unsafe {
            let (b, c) = (
                _mm512_extracti32x4_epi32::<1>(four),
                _mm512_extracti32x4_epi32::<2>(four),
            );
            [
                Wide(_mm512_castsi512_si128(four)),
                Wide(b),
                Wide(c),
                Wide(_mm512_extracti32x4_epi32::<3>(four)),
            ]
        }
    }

    #[inline(always)]
    fn lows(self, Four(four): Four) -> [u64; 4] {
        let mut lows = [0; 4];
        // SAFETY: `self` proves that AVX-512 F is there; the array has 32 bytes.
        unsafe {
            let front = _mm512_castsi512_si256(_mm512_maskz_compress_epi64(0b0101_0101, four));
            _mm256_storeu_si256(lows.as_mut_ptr().cast(), front);
        }
        lows
    }

    #[inline(always)]
    fn low_products(self, a: Four, b: Four) -> Four {
        // SAFETY: `self` proves that VPCLMULQDQ and AVX-512 F are there; no memory is touched.
        Four(unsafe { _mm512_clmulepi64_epi128::<0x00>(a.0, b.0) })
    }

    #[inline(always)]
    fn high_products(self, a: Four, b: Four) -> Four {
        // SAFETY: as above.
        Four(unsafe { _mm512_clmulepi64_epi128::<0x11>(a.0, b.0) })
    }

    #[inline(always)]
    fn sums(self, a: Four, b: Four) -> Four {
        // SAFETY: `self` proves that AVX-512 F is there; no memory is touched.
        Four(unsafe { _mm512_xor_si512(a.0, b.0) })
    }

    #[inline(always)]
    fn all_reduced(self, Four(four): Four) -> Four {
        // SAFETY: `self` proves that VPCLMULQDQ, AVX-512 F and BW are there; no memory is touched
        // but the array.
        Four(unsafe {
            let table = _mm512_broadcast_i32x4(_mm_loadu_si128(SMALL_PRODUCTS.as_ptr().cast()));
            // as `reduced`
            let folded = _mm512_clmulepi64_epi128::<0x01>(four, _mm512_set1_epi64(0x1B));
            let folded_again = _mm512_shuffle_epi8(table, _mm512_bsrli_epi128::<8>(folded));
            _mm512_xor_si512(_mm512_xor_si512(four, folded), folded_again)
        })
    }

    #[inline(always)]
    fn first_four(self, bytes: [&[u8; 16]; 4], lengths: [usize; 4]) -> (Four, bool) {
        // SAFETY: `self` proves that SSE2 is there; each array has 16 bytes, and KEEP has 16 from
        // every place up to 16.
        let loaded = bytes.map(|bytes| unsafe { _mm_loadu_si128(bytes.as_ptr().cast()) });
        // SAFETY: as above.
        let keep = lengths.map(|length| unsafe {
            _mm_loadu_si128(KEEP.as_ptr().add(16 - length.min(16)).cast())
        });
        // SAFETY: `self` proves that AVX-512 F and BW are there; no memory is touched.
        unsafe {
            let kept = _mm512_and_si512(self.gather(loaded), self.gather(keep));
            (Four(kept), _mm512_movepi8_mask(kept) == 0)
        }
    }

    #[inline(always)]
    fn lower_cases(self, Four(four): Four) -> Four {
        // SAFETY: `self` proves that AVX-512 F and BW are there; no memory is touched.
        unsafe {
            let letters = _mm512_and_si512(four, _mm512_set1_epi8(0x40));
            Four(_mm512_or_si512(four, _mm512_srli_epi16::<1>(letters)))
        }
    }
}
