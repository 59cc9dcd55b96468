//! Each operation of each level against its definition.

use super::*;
use crate::cpu::Cpu;
use crate::dispatch::run;
use crate::gf64::product;
use proptest::prelude::*;

/// Asks all questions about a block and two elements.
struct Questions<'a> {
    block: &'a [u8; 64],
    byte: u8,
    length: usize,
    elements: [u64; 4],
    modulus: u32,
}

impl<'a> Questions<'a> {
    fn sixteens(&self) -> Box<[&'a [u8; 16]; 4]> {
        Box::new([0, 1, 2, 3].map(|number: usize| self.block.as_chunks().0.get(number).unwrap()))
    }

    fn lengths(&self) -> [usize; 4] {
        [self.length, 16, 1, 16 - self.length]
    }

    /// Eight, some of them multiples, one the largest there is.
    fn values(&self) -> [u64; 8] {
        let [a, b, c, d] = self.elements;
        let multiple = |value: u64| (value >> 32) * u64::from(self.modulus);
        [
            multiple(a),
            b,
            multiple(c),
            d,
            u64::MAX - u64::MAX % u64::from(self.modulus),
            multiple(b),
            c,
            0,
        ]
    }
}

#[derive(Debug, PartialEq)]
struct Answers {
    masks: [u64; 5],
    parity: u64,
    products: [u64; 3],
    fourfold: [[u64; 4]; 3],
    first: ([u8; 16], bool),
    first_four: ([[u8; 16]; 4], bool),
    lower_case: [[u8; 16]; 2],
    places: Vec<u16>,
    multiples: Vec<u64>,
}

impl HotLoop for Questions<'_> {
    type Output = Answers;

    #[inline(always)]
    fn run(self, isa: impl Isa) -> Answers {
        let block = isa.load(self.block);
        let [a, b, c, d] = self.elements;
        let (left, right) = (isa.pair(a, b), isa.pair(c, d));
        let (low, high) = (isa.low_product(left, right), isa.high_product(left, right));
        let (swapped, mixed) = (isa.pair(b, a), isa.pair(d, b));
        let (four, other) = (
            isa.four([left, right, swapped, mixed]),
            isa.four([right, swapped, mixed, left]),
        );
        let (lows, highs) = (
            isa.low_products(four, other),
            isa.high_products(four, other),
        );
        let sixteen = self.block.first_chunk().unwrap();
        let (words, are_ascii) = isa.first_four(*self.sixteens(), self.lengths());
        let letters = isa.pair(
            u64::from_le_bytes(*b"aZ09\0MqA"),
            u64::from_le_bytes(*b"zA5\0\0\0\0\0"),
        );
        let mut room = [7; 64];
        isa.places(a, 1000, &mut room);
        let values = self.values();
        let mut multiples = [3; 8];
        let count = isa.multiples(&values, Divisor::new(self.modulus), &mut multiples);
        let (first, is_ascii) = isa.first(sixteen, self.length);
        Answers {
            masks: [
                isa.equal(block, self.byte),
                isa.equal(block, self.block[63]),
                isa.name_ends(block),
                isa.non_ascii(block),
                isa.letters_and_digits(block),
            ],
            parity: isa.prefix_parity(a),
            products: [low, high, isa.sum(low, high)].map(|sum| isa.low(isa.reduced(sum))),
            fourfold: [
                isa.lows(isa.all_reduced(lows)),
                isa.each(isa.all_reduced(highs)).map(|sum| isa.low(sum)),
                isa.lows(isa.all_reduced(isa.sums(lows, highs))),
            ],
            first: (isa.bytes(first), is_ascii),
            first_four: (isa.each(words).map(|word| isa.bytes(word)), are_ascii),
            lower_case: [
                isa.bytes(isa.lower_case(letters)),
                isa.bytes(isa.each(isa.lower_cases(isa.four([letters, left, left, letters])))[3]),
            ],
            places: room[..a.count_ones() as usize].to_vec(),
            multiples: multiples[..count].to_vec(),
        }
    }

    fn run_portable(self) -> Answers {
        let mask = |holds: &dyn Fn(u8) -> bool| {
            self.block
                .iter()
                .rev()
                .fold(0, |bits: u64, &byte| bits << 1 | u64::from(holds(byte)))
        };
        let [a, b, c, d] = self.elements;
        let kept = |at: usize| if at < self.length { self.block[at] } else { 0 };
        let first: [u8; 16] = std::array::from_fn(kept);
        let (lows, highs) = (
            [(a, c), (c, b), (b, d), (d, a)].map(|(a, b)| product(a, b)),
            [(b, d), (d, a), (a, b), (b, b)].map(|(a, b)| product(a, b)),
        );
        let mut words = self.sixteens().map(|bytes| *bytes);
        for (word, length) in words.iter_mut().zip(self.lengths()) {
            word[length..].fill(0);
        }
        Answers {
            masks: [
                mask(&|byte| byte == self.byte),
                mask(&|byte| byte == self.block[63]),
                mask(&|byte| b" \t\n\x0C\r/>".contains(&byte)),
                mask(&|byte| byte >= 0x80),
                mask(&|byte| byte.is_ascii_alphanumeric()),
            ],
            parity: (0..64).fold(0, |bits, at| {
                bits | u64::from((a << (63 - at)).count_ones() % 2) << at
            }),
            products: [product(a, c), product(b, d), product(a, c) ^ product(b, d)],
            fourfold: [
                lows,
                highs,
                [0, 1, 2, 3].map(|number: usize| lows[number] ^ highs[number]),
            ],
            first: (first, first.is_ascii()),
            first_four: (words, words.as_flattened().is_ascii()),
            lower_case: [*b"az09\0mqaza5\0\0\0\0\0"; 2],
            places: (0..64)
                .filter(|at| a >> at & 1 == 1)
                .map(|at| 1000 + at)
                .collect(),
            multiples: self
                .values()
                .into_iter()
                .filter(|value| value % u64::from(self.modulus) == 0)
                .collect(),
        }
    }
}

proptest! {
    #[test]
    fn operations_are_as_defined(
        bytes in prop::collection::vec(prop_oneof![any::<u8>(), prop::sample::select(&b" /><=\"'\t\n\x0C\raZ09@[`{:"[..])], 64),
        byte: u8,
        length in 0_usize..=16,
        elements: [u64; 4],
        modulus in 1..1000_u32,
    ) {
        let block = bytes.first_chunk().unwrap();
        let questions = || Questions { block, byte, length, elements, modulus };
        for cpu in Cpu::all() {
            prop_assert_eq!(run(cpu.level(), questions()), questions().run_portable(), "{}", cpu);
        }
    }
}

#[test]
fn every_byte_is_classed_right() {
    for start in (0..=255_u8).step_by(64) {
        let block: [u8; 64] = std::array::from_fn(|at| start + at as u8);
        for cpu in Cpu::all() {
            let questions = || Questions {
                block: &block,
                byte: 7,
                length: 16,
                elements: [0; 4],
                modulus: 25,
            };
            assert_eq!(
                run(cpu.level(), questions()),
                questions().run_portable(),
                "{cpu}"
            );
        }
    }
}
