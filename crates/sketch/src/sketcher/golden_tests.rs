//! Golden values: what each method and each family makes of one text, as it did when this was
//! written. Work directories of earlier builds hold such values.

use super::*;
use crate::FingerprintKeys;
use crate::params::{Family, FingerprintBits, ShingleKind, TextOfPages, TokenUnit};
use model::{KeyRule, PermutationFamily, mix};

fn params(sampling: Sampling, family: Family, bits: FingerprintBits) -> SketchParams {
    SketchParams {
        tokens: TokenUnit::Words,
        drop_numbers: false,
        text_of_pages: TextOfPages::Whole,
        shingle_size: 3,
        shingles: ShingleKind::Set,
        sampling,
        bits,
        family,
        keys: FingerprintKeys::from_seed("golden"),
    }
}

/// The number of elements, and a digest of them in their order.
fn digest(elements: &[u64]) -> (usize, u64) {
    let digest = elements.iter().fold(0, |digest, one| mix(digest ^ one));
    (elements.len(), digest)
}

fn sketch(params: &SketchParams) -> Vec<u64> {
    let text: String = (0..600_u32)
        .map(|n| format!("word{} ", n * n % 401))
        .collect();
    let mut sketcher = Sketcher::new(params);
    sketcher.sketch(Content::Text(&text)).fingerprints.to_vec()
}

#[test]
fn every_family_of_fingerprints_is_golden() {
    use {Family::*, FingerprintBits::*};
    let found = [
        (Keyed, B64),
        (Keyed, B40),
        (Rabin, B64),
        (Rabin, B40),
        (Modular, B64),
        (Multiplicative, B64),
        (Murmur3, B64),
        (Xxh64, B64),
        (Xxh3, B64),
    ]
    .map(|(family, bits)| {
        digest(&sketch(&params(
            Sampling::Modulus { modulus: 1 },
            family,
            bits,
        )))
    });
    assert_eq!(found, FAMILIES);
}

#[test]
fn every_method_is_golden() {
    let minhash = |family| Sampling::MinHash {
        permutations: 20,
        family,
    };
    let (bands, super_shingles) = (
        KeyRule::Bands { rows: 4, shared: 1 },
        KeyRule::SuperShingles {
            length: 6,
            shared: 1,
        },
    );
    let (size, elements) = (20, KeyRule::Elements);
    let found = [
        (Sampling::Modulus { modulus: 8 }, elements),
        (
            Sampling::Adaptive {
                target: 20,
                coarsest_log2: 15,
            },
            elements,
        ),
        (Sampling::Min { size, modulus: 1 }, elements),
        (Sampling::Min { size, modulus: 4 }, elements),
        (minhash(PermutationFamily::Linear), elements),
        (minhash(PermutationFamily::Keyed), elements),
        (
            minhash(PermutationFamily::Numpy { seed: 42, bits: 64 }),
            elements,
        ),
        (minhash(PermutationFamily::Keyed), bands),
        (minhash(PermutationFamily::Keyed), super_shingles),
        (Sampling::Min { size, modulus: 1 }, super_shingles),
    ]
    .map(|(sampling, keys)| {
        let mut made = sketch(&params(sampling, Family::Keyed, FingerprintBits::B64));
        keys.replace(sampling, &mut made);
        digest(&made)
    });
    assert_eq!(found, METHODS);
}

const FAMILIES: [(usize, u64); 9] = [
    (401, 11_218_531_494_900_610_673),
    (401, 1_287_837_075_765_281_415),
    (401, 10_678_426_173_664_742_388),
    (401, 4_203_908_590_172_717_558),
    (401, 7_443_626_285_050_221_743),
    (401, 4_239_953_228_942_152_178),
    (401, 5_178_400_427_439_013_474),
    (401, 1_369_649_410_750_104_227),
    (401, 395_731_651_318_917_938),
];

const METHODS: [(usize, u64); 10] = [
    (49, 16_754_013_584_342_615_122),
    (20, 9_395_278_621_901_014_200),
    (20, 1_434_117_953_150_556_786),
    (20, 10_167_069_757_283_176_204),
    (20, 9_188_598_703_716_910_173),
    (20, 16_460_593_931_151_272_369),
    (20, 4_767_123_347_393_728_127),
    (5, 3_617_138_386_499_074_758),
    (15, 5_744_731_987_651_818_231),
    (15, 16_215_049_526_634_427_097),
];
