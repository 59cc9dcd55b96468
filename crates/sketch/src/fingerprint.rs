//! From tokens to fingerprints, specified to the bit.
//!
//! All arithmetic is in GF(2^64) with t^64 + t^4 + t^3 + t + 1 (see [`gf64`](crate::gf64)); `·` is
//! its product, `⊕` its sum. x, y, z, v and the mixer's a, b are the secret constants of
//! [`keys`](crate::keys).
//!
//! - **Token.** Its UTF-8 bytes, 8 at a time, are the little-endian coefficients c₀ … c_k−1, the
//!   last one filled up with zeros; its length in bytes is the last coefficient: h = ((c₀·x ⊕ c₁)·x
//!   ⊕ … ⊕ c_k−1)·x ⊕ length.
//! - **Window** of w token hashes: W = Σ hᵢ·y^(w−1−i), i = 0 … w−1. Rolling: W′ = W·y ⊕ h_out·y^w ⊕
//!   h_in. A document of n < w tokens, n > 0, has one window, the polynomial of its n hashes.
//! - **Label.** Occurrence k (from 1) of the same window in a document adds (k−1)·z, k−1 read as a
//!   field element. First occurrences keep the value they have without labels.
//! - **Mixer**, a bijection of 64 bits: for i = 1, 2, 3: f ← f xor aᵢ, f ← f xor (f >> 32), f ←
//!   f·bᵢ mod 2^64; at last f ← f xor (f >> 32). The fingerprint is f, or its upper bits.
//! - **Lexical fingerprint** of n tokens: Σ hᵢ·v^(n−1−i), not mixed.
//!
//! **Collisions.** Two different tokens of at most 8k bytes differ in a non-zero polynomial of
//! degree ≤ k in x, so for x drawn at random they collide with probability ≤ k/2^64; two windows of
//! different token hashes likewise ≤ (w−1)/2^64; two sequences of n token hashes ≤ (n−1)/2^64. The
//! mixer is a bijection and adds none; 40 bits add 2^−40.
//!
//! **Fair residues.** The polynomials alone are linear over GF(2): a family of similar shingles
//! could share low bits. Integer multiplication by an odd number carries low bits upwards and is
//! not linear there, the shift brings the high half back down; after three keyed rounds every
//! output bit depends on every input bit and key. No proof, but a test.
//!
//! Memory: five multipliers of 16 KiB.

use crate::gf64::{Multiplier, power};
use crate::isa::Isa;
use crate::params::SketchParams;
use crate::roll_keys::RollKeys;

/// The keyed functions of a run, with their tables.
pub(crate) struct Fingerprinter {
    token: Multiplier,
    window: Multiplier,
    /// y^w.
    leaving: Multiplier,
    lexical: Multiplier,
    label: Multiplier,
    mixer: [(u64, u64); 3],
    shift: u32,
    /// The constants of windows for [`roll`](crate::roll).
    pub(crate) roll_keys: RollKeys,
    /// The factors of the two halves of a short token, by its length: x and nothing, or x² and x.
    short_keys: [[u64; 2]; 17],
}

/// The running polynomials of a document.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct RunningPolynomials {
    /// Over the last w tokens.
    pub(crate) window: u64,
    /// Over all tokens.
    pub(crate) lexical: u64,
}

impl Fingerprinter {
    /// Tables for the keys and the shingle size of `params`.
    pub(crate) fn new(params: &SketchParams) -> Fingerprinter {
        let keys = &params.keys;
        let leaving = power(keys.window_point, params.shingle_size.max(1));
        let (once, twice) = (keys.token_point, power(keys.token_point, 2));
        Fingerprinter {
            roll_keys: RollKeys::new(
                keys.window_point,
                params.shingle_size.max(1),
                keys.lexical_point,
            ),
            short_keys: std::array::from_fn(
                |length| if length > 8 { [twice, once] } else { [once, 0] },
            ),
            token: Multiplier::new(keys.token_point),
            window: Multiplier::new(keys.window_point),
            leaving: Multiplier::new(leaving),
            lexical: Multiplier::new(keys.lexical_point),
            label: Multiplier::new(keys.label_weight),
            mixer: keys.mixer,
            shift: u64::BITS - params.bits.count(),
        }
    }

    /// The hash of a token.
    pub(crate) fn token(&self, token: &[u8]) -> u64 {
        let hash = token
            .chunks(8)
            .fold(0, |hash, chunk| self.token.times(hash ^ load(chunk, 0)));
        hash ^ token.len() as u64
    }

    /// The hash of the ASCII word `text[start..end]` in lower case.
    #[inline]
    pub(crate) fn ascii_word(&self, text: &[u8], start: usize, end: usize) -> u64 {
        let mut hash = 0;
        let mut at = start;
        while end - at > 8 {
            hash = self.token.times(hash ^ lower_ascii_words(load(text, at)));
            at += 8;
        }
        // keep the bytes of the word only; its last chunk has 1 to 8 of them
        let mask = u64::MAX >> (64 - 8 * (end - at).clamp(1, 8));
        hash = self
            .token
            .times(hash ^ lower_ascii_words(load(text, at) & mask));
        hash ^ (end - start) as u64
    }

    /// The hash of a token of at most 16 bytes, zeros behind it.
    #[inline(always)]
    pub(crate) fn short<I: Isa>(&self, isa: I, token: I::Wide, length: usize) -> u64 {
        let [low, high] = self.short_keys[length.min(16)];
        let keys = isa.pair(low, high);
        let products = isa.sum(isa.low_product(token, keys), isa.high_product(token, keys));
        isa.low(isa.reduced(products)) ^ length as u64
    }

    /// [`Fingerprinter::short`] of four tokens at once.
    #[inline(always)]
    pub(crate) fn short_four<I: Isa>(
        &self,
        isa: I,
        tokens: I::Four,
        lengths: [usize; 4],
    ) -> [u64; 4] {
        let keys = isa.four(lengths.map(|length| {
            let [low, high] = self.short_keys[length.min(16)];
            isa.pair(low, high)
        }));
        let products = isa.sums(
            isa.low_products(tokens, keys),
            isa.high_products(tokens, keys),
        );
        let hashes = isa.lows(isa.all_reduced(products));
        [0, 1, 2, 3].map(|number: usize| hashes[number] ^ lengths[number] as u64)
    }

    /// The hash of a token of so many bytes, eight to a chunk, the first one lowest, zeros behind
    /// it.
    #[inline(always)]
    pub(crate) fn chunked(&self, isa: impl Isa, chunks: &[u64], length: usize) -> u64 {
        let point = isa.pair(self.short_keys[0][0], 0);
        let mut hash = 0;
        for chunk in chunks {
            hash = isa.low(isa.reduced(isa.low_product(isa.pair(hash ^ chunk, 0), point)));
        }
        hash ^ length as u64
    }

    /// The polynomials after a token entered and, once there are w, one left; `leaving` is 0 before
    /// that.
    #[inline]
    pub(crate) fn advance(
        &self,
        running: RunningPolynomials,
        leaving: u64,
        entering: u64,
    ) -> RunningPolynomials {
        RunningPolynomials {
            window: self.window.times(running.window) ^ self.leaving.times(leaving) ^ entering,
            lexical: self.lexical.times(running.lexical) ^ entering,
        }
    }

    /// The term that earlier occurrences of the same window add to this one: 0 for the first.
    pub(crate) fn label(&self, occurrences_before: u64) -> u64 {
        self.label.times(occurrences_before)
    }

    /// The keys of the bijection that makes fingerprints of polynomials.
    pub(crate) fn mixer(&self) -> [(u64, u64); 3] {
        self.mixer
    }

    /// The fingerprint of a window polynomial.
    #[inline]
    pub(crate) fn fingerprint(&self, window: u64) -> u64 {
        mixed(self.mixer, window) >> self.shift
    }
}

/// The bijection of a mixer.
#[inline(always)]
pub(crate) fn mixed(mixer: [(u64, u64); 3], number: u64) -> u64 {
    let mut f = number;
    for (add, odd) in mixer {
        f ^= add;
        f ^= f >> 32;
        f = f.wrapping_mul(odd);
    }
    f ^ (f >> 32)
}

/// Eight bytes from `at`, zeros past the end.
#[inline]
fn load(text: &[u8], at: usize) -> u64 {
    if let Some(chunk) = text.get(at..).and_then(|rest| rest.first_chunk::<8>()) {
        return u64::from_le_bytes(*chunk);
    }
    let mut last = [0; 8];
    let rest = text.get(at..).unwrap_or_default();
    last[..rest.len()].copy_from_slice(rest);
    u64::from_le_bytes(last)
}

/// Lower case of eight ASCII letters, digits or zeros at once: letters have bit 6, which digits
/// lack, and small ones bit 5 as well.
#[inline]
fn lower_ascii_words(bytes: u64) -> u64 {
    bytes | ((bytes & 0x4040_4040_4040_4040) >> 1)
}

#[cfg(test)]
pub(crate) mod tests;
