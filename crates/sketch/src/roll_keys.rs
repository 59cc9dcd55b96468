//! The constants of the fast form of [`roll`](crate::roll).

use crate::gf64::power;

/// Most tokens in a chunk.
pub(crate) const CHUNK: usize = 256;

/// Largest window that is rolled in parts: a part of a chunk must be as long.
const SIZE_MAX: usize = CHUNK / 4;

/// The constants of the fast form.
pub(crate) struct RollKeys {
    /// y.
    pub(crate) window_point: u64,
    /// y^w.
    pub(crate) leaving: u64,
    /// y^(w−1), … y^0; none if w is more than [`SIZE_MAX`].
    pub(crate) window_powers: Vec<u64>,
    /// v^7, v^6, … v^0.
    pub(crate) lexical_powers: [u64; 8],
    /// v^0, v^1, … v^8.
    pub(crate) lexical_steps: [u64; 9],
}

impl RollKeys {
    /// The powers of y and v, for windows of w = `size` tokens.
    pub(crate) fn new(window_point: u64, size: u32, lexical_point: u64) -> RollKeys {
        let exponents = 0..if size as usize <= SIZE_MAX { size } else { 0 };
        RollKeys {
            window_point,
            leaving: power(window_point, size),
            window_powers: exponents
                .rev()
                .map(|exponent| power(window_point, exponent))
                .collect(),
            lexical_powers: [7, 6, 5, 4, 3, 2, 1, 0].map(|exponent| power(lexical_point, exponent)),
            lexical_steps: [0, 1, 2, 3, 4, 5, 6, 7, 8]
                .map(|exponent| power(lexical_point, exponent)),
        }
    }
}
