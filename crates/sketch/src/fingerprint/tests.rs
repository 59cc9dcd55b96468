//! The fingerprint against its formulas, evaluated term by term with schoolbook products; golden
//! values.

use super::*;
use crate::cpu::Cpu;
use crate::gf64::product;
use crate::isa::HotLoop;
use crate::keys::FingerprintKeys;
use crate::params::TokenUnit;
use crate::params::{Family, FingerprintBits, ShingleKind, TextOfPages};
use model::Sampling;
use proptest::prelude::*;

pub(crate) fn params(shingle_size: u32) -> SketchParams {
    SketchParams {
        tokens: TokenUnit::Words,
        drop_numbers: false,
        text_of_pages: TextOfPages::Whole,
        shingle_size,
        shingles: ShingleKind::Labelled,
        sampling: Sampling::Modulus { modulus: 1 },
        bits: FingerprintBits::B64,
        family: Family::Keyed,
        keys: FingerprintKeys::from_seed("golden"),
    }
}

/// Σ coefficient_i · point^(n−1−i).
fn polynomial(coefficients: &[u64], point: u64) -> u64 {
    let highest = coefficients.len().saturating_sub(1) as u32;
    (0..).zip(coefficients).fold(0, |sum, (i, &c)| {
        sum ^ product(c, power(point, highest - i))
    })
}

fn token_directly(keys: &FingerprintKeys, token: &[u8]) -> u64 {
    let chunk = |bytes: &[u8]| {
        bytes
            .iter()
            .rev()
            .fold(0, |word, &byte| word << 8 | u64::from(byte))
    };
    let mut coefficients: Vec<u64> = token.chunks(8).map(chunk).collect();
    coefficients.push(token.len() as u64);
    polynomial(&coefficients, keys.token_point)
}

proptest! {
    #[test]
    fn token_hash_is_the_polynomial(token in prop::collection::vec(any::<u8>(), 1..40)) {
        let params = params(3);
        prop_assert_eq!(Fingerprinter::new(&params).token(&token), token_directly(&params.keys, &token));
    }

    #[test]
    fn ascii_words_hash_as_their_lower_case(before in "[ -~]{0,9}", word in "[a-zA-Z0-9]{1,40}", after in "[ -~]{0,9}") {
        let prints = Fingerprinter::new(&params(3));
        let text = format!("{before}{word}{after}");
        let hash = prints.ascii_word(text.as_bytes(), before.len(), before.len() + word.len());
        prop_assert_eq!(hash, prints.token(word.to_lowercase().as_bytes()));
    }

    #[test]
    fn tokens_in_registers_hash_as_their_bytes(token in prop::collection::vec(any::<u8>(), 1..40)) {
        let prints = Fingerprinter::new(&params(3));
        for cpu in Cpu::all() {
            let hashes = crate::dispatch::run(cpu.level(), InRegisters { prints: &prints, token: &token });
            let expected = prints.token(&token);
            prop_assert_eq!(hashes, (expected, expected), "{}", cpu);
        }
    }

    #[test]
    fn rolling_is_the_polynomial_of_each_window(size in 1u32..6, hashes in prop::collection::vec(any::<u64>(), 1..30)) {
        let params = params(size);
        let prints = Fingerprinter::new(&params);
        let mut running = RunningPolynomials::default();
        for (n, &entering) in hashes.iter().enumerate() {
            let from = (n + 1).saturating_sub(size as usize);
            let leaving = if from == 0 { 0 } else { hashes[from - 1] };
            running = prints.advance(running, leaving, entering);
            prop_assert_eq!(running.window, polynomial(&hashes[from..=n], params.keys.window_point));
        }
        prop_assert_eq!(running.lexical, polynomial(&hashes, params.keys.lexical_point));
    }

    #[test]
    fn labels_are_multiples(before: u64) {
        let params = params(3);
        prop_assert_eq!(Fingerprinter::new(&params).label(before), product(before, params.keys.label_weight));
    }

    #[test]
    fn the_mixer_can_be_undone(window: u64) {
        let params = params(3);
        let mut f = Fingerprinter::new(&params).fingerprint(window);
        f ^= f >> 32;
        for (add, odd) in params.keys.mixer.into_iter().rev() {
            let newton = |inverse: u64, _| inverse.wrapping_mul(2_u64.wrapping_sub(odd.wrapping_mul(inverse)));
            f = f.wrapping_mul((0..5).fold(odd, newton));
            f ^= f >> 32;
            f ^= add;
        }
        prop_assert_eq!(f, window);
    }
}

/// Hashes a token in chunks, and at once if it is short.
struct InRegisters<'a> {
    prints: &'a Fingerprinter,
    token: &'a [u8],
}

impl HotLoop for InRegisters<'_> {
    type Output = (u64, u64);

    #[inline(always)]
    fn run(self, isa: impl Isa) -> (u64, u64) {
        let length = self.token.len();
        let chunks: Vec<u64> = self.token.chunks(8).map(|chunk| load(chunk, 0)).collect();
        let chunked = self.prints.chunked(isa, &chunks, length);
        let mut bytes = [0xEE; 16];
        let short = length.min(16);
        bytes[..short].copy_from_slice(&self.token[..short]);
        let (word, _) = isa.first(&bytes, short);
        (
            if length > 16 {
                chunked
            } else {
                self.prints.short(isa, word, length)
            },
            chunked,
        )
    }

    fn run_portable(self) -> (u64, u64) {
        let hash = self.prints.token(self.token);
        (hash, hash)
    }
}

/// These values are on users' disks: if one changes, sketches of old runs no longer fit.
#[test]
fn golden_values() {
    let mut params = params(3);
    let keys = &params.keys;
    let points = [
        keys.token_point,
        keys.window_point,
        keys.label_weight,
        keys.lexical_point,
    ];
    assert_eq!(
        points,
        [
            0xD059_71DC_C872_1158,
            0x16F4_E7A5_2B92_71E1,
            0xF4C9_6E2E_D7AC_99B2,
            0x21EF_4B2B_5B21_92DC
        ]
    );
    assert_eq!(
        keys.mixer,
        [
            (0xB38B_4401_DE19_14B4, 0xF55F_2619_0EDF_1B1B),
            (0xFD78_6DA8_E025_BA49, 0x7DC2_776F_D11F_5E11),
            (0x2D79_06DD_834C_DFEF, 0x0C67_B9FB_FDBD_B0AF)
        ]
    );
    assert_eq!(
        (keys.sketch_seed, keys.content_seed()),
        (0x7CF4_F34C_8FBE_1755, 0x642C_EB6B_20BB_A043)
    );
    assert_eq!(
        u128::from_le_bytes(keys.digest()),
        0xFA44_354E_C933_E83F_5CDF_11AB_5E6E_29EA
    );
    let prints = Fingerprinter::new(&params);
    let tokens = [
        "a",
        "rose",
        "incomprehensible",
        "pneumonoultramicroscopic",
        "字",
    ]
    .map(|token| prints.token(token.as_bytes()));
    assert_eq!(
        tokens,
        [
            0xCD2B_3D77_DAB4_6FBB,
            0x4839_58AD_AF88_B2FC,
            0x6E30_4752_BA1D_89ED,
            0x6A4E_5EA2_6912_79C6,
            0x67A5_678A_68C1_4ECB
        ]
    );
    let advance = |tokens: &[u64]| {
        tokens
            .iter()
            .fold(RunningPolynomials::default(), |sum, &hash| {
                prints.advance(sum, 0, hash)
            })
    };
    let window = advance(&tokens[..3]).window;
    let rolled = prints
        .advance(advance(&tokens[..3]), tokens[0], tokens[3])
        .window;
    assert_eq!(
        [window, rolled, window ^ prints.label(1)].map(|window| prints.fingerprint(window)),
        [
            0xEBA1_8342_12A4_F882,
            0x91ED_25A7_6BD2_019E,
            0x941D_1B48_3584_6E5B
        ]
    );
    let lexical = advance(&tokens).lexical;
    assert_eq!(lexical, 0xB887_BCB4_D920_360F);
    params.bits = FingerprintBits::B40;
    assert_eq!(
        Fingerprinter::new(&params).fingerprint(window),
        0xEB_A183_4212
    );
}
