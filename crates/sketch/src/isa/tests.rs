//! Each operation of each level against its definition.

use super::*;
use crate::cpu::Cpu;
use crate::gf64::product;
use proptest::prelude::*;

/// Asks all questions about a block and two elements.
struct Questions<'a> {
    block: &'a [u8; 64],
    byte: u8,
    length: usize,
    elements: [u64; 4],
}

#[derive(Debug, PartialEq)]
struct Answers {
    masks: [u64; 5],
    parity: u64,
    products: [u64; 3],
    twice: [[u64; 2]; 3],
    first: ([u8; 16], bool),
    lower_case: [u8; 16],
}

impl Task for Questions<'_> {
    type Output = Answers;

    #[inline(always)]
    fn run(self, isa: impl Isa) -> Answers {
        let block = isa.load(self.block);
        let [a, b, c, d] = self.elements;
        let (left, right) = (isa.pair(a, b), isa.pair(c, d));
        let (low, high) = (isa.low_product(left, right), isa.high_product(left, right));
        let (two, other) = (isa.two([left, right]), isa.two([right, isa.pair(b, a)]));
        let (lows, highs) = (isa.low_products(two, other), isa.high_products(two, other));
        let sixteen = self.block.first_chunk().unwrap();
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
            twice: [lows, highs, isa.sums(lows, highs)]
                .map(|sums| isa.each(isa.both_reduced(sums)).map(|sum| isa.low(sum))),
            first: (isa.bytes(first), is_ascii),
            lower_case: isa.bytes(
                isa.lower_case(isa.pair(u64::from_le_bytes(*b"aZ09\0MqA"), u64::from_le_bytes(*b"zA5\0\0\0\0\0"))),
            ),
        }
    }

    fn run_portable(self) -> Answers {
        let mask = |holds: &dyn Fn(u8) -> bool| {
            self.block.iter().rev().fold(0, |bits: u64, &byte| bits << 1 | u64::from(holds(byte)))
        };
        let [a, b, c, d] = self.elements;
        let kept = |at: usize| if at < self.length { self.block[at] } else { 0 };
        let first: [u8; 16] = std::array::from_fn(kept);
        Answers {
            masks: [
                mask(&|byte| byte == self.byte),
                mask(&|byte| byte == self.block[63]),
                mask(&|byte| b" \t\n\x0C\r/>".contains(&byte)),
                mask(&|byte| byte >= 0x80),
                mask(&|byte| byte.is_ascii_alphanumeric()),
            ],
            parity: (0..64).fold(0, |bits, at| bits | u64::from((a << (63 - at)).count_ones() % 2) << at),
            products: [product(a, c), product(b, d), product(a, c) ^ product(b, d)],
            twice: [
                [product(a, c), product(c, b)],
                [product(b, d), product(d, a)],
                [product(a, c) ^ product(b, d), product(c, b) ^ product(d, a)],
            ],
            first: (first, first.is_ascii()),
            lower_case: *b"az09\0mqaza5\0\0\0\0\0",
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
    ) {
        let block = bytes.first_chunk().unwrap();
        let questions = || Questions { block, byte, length, elements };
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
            let questions = || Questions { block: &block, byte: 7, length: 16, elements: [0; 4] };
            assert_eq!(run(cpu.level(), questions()), questions().run_portable(), "{cpu}");
        }
    }
}
