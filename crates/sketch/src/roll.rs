//! Token hashes → the polynomials of their windows, and of all tokens.
//!
//! The portable form rolls with tables. The fast form multiplies without carries, sums the products of a window before it
//! reduces them, and rolls four parts of a chunk side by side, two at once, because each step must wait for the one before it; the
//! polynomial of all tokens takes eight tokens at a step, by eight powers of its point. Both give the same values.

use crate::fingerprint::{Fingerprinter, Running};
use crate::gf64::power;
use crate::isa::{Isa, Task};

/// Most tokens in a chunk.
pub(crate) const CHUNK: usize = 256;

/// Parts rolled side by side.
const PARTS: usize = 4;

/// The constants of the fast form.
pub(crate) struct RollKeys {
    window_point: u64,
    leaving: u64,
    /// v^8, v^7, … v.
    lexical_powers: [u64; 8],
}

impl RollKeys {
    /// Those of y, y^w and v.
    pub(crate) fn new(window_point: u64, leaving: u64, lexical_point: u64) -> RollKeys {
        let lexical_powers = [8, 7, 6, 5, 4, 3, 2, 1].map(|exponent| power(lexical_point, exponent));
        RollKeys { window_point, leaving, lexical_powers }
    }
}

/// The task of rolling over `hashes[from..]`, at most [`CHUNK`]; before `from` are the last `size` hashes, or all.
pub(crate) struct Roll<'a> {
    pub(crate) prints: &'a Fingerprinter,
    pub(crate) hashes: &'a [u64],
    pub(crate) from: usize,
    pub(crate) size: usize,
    /// The polynomials before `from`.
    pub(crate) running: Running,
    /// Where the polynomial of the window that ends at each hash goes.
    pub(crate) windows: &'a mut [u64; CHUNK],
}

impl Roll<'_> {
    /// The hash that leaves the window when the one at `at` enters; 0 before there are so many.
    #[inline(always)]
    fn leaving(&self, at: usize) -> u64 {
        self.hashes.get(at.wrapping_sub(self.size)).copied().unwrap_or(0)
    }
}

impl Task for Roll<'_> {
    /// The polynomials at the end.
    type Output = Running;

    #[inline(always)]
    fn run(mut self, isa: impl Isa) -> Running {
        let window = roll_windows(isa, &mut self);
        let lexical = roll_lexical(isa, &self.prints.roll_keys, self.running.lexical, &self.hashes[self.from..]);
        Running { window, lexical }
    }

    fn run_portable(self) -> Running {
        let mut running = self.running;
        for (at, window) in (self.from..self.hashes.len()).zip(self.windows.iter_mut()) {
            let leaving = self.hashes.get(at.wrapping_sub(self.size)).copied().unwrap_or(0);
            running = self.prints.advance(running, leaving, self.hashes[at]);
            *window = running.window;
        }
        running
    }
}

/// The polynomial of the last window.
#[inline(always)]
fn roll_windows<I: Isa>(isa: I, roll: &mut Roll<'_>) -> u64 {
    let count = (roll.hashes.len() - roll.from).min(CHUNK);
    let before = isa.pair(roll.running.window, 0);
    let part = count / PARTS;
    // the first window of a part costs as much as its size in steps
    let (mut last, done) = if part >= roll.size {
        let direct = |number: usize| isa.pair(window_directly(isa, roll, roll.from + number * part), 0);
        let mut pairs = [isa.two([before, direct(1)]), isa.two([direct(2), direct(3)])];
        for step in 0..part {
            for (number, pair) in pairs.iter_mut().enumerate() {
                let first = 2 * number * part + step;
                *pair = two_steps(isa, roll, *pair, [first, first + part]);
            }
        }
        (isa.each(pairs[1])[1], PARTS * part)
    } else {
        (before, 0)
    };
    for step in done..count {
        last = one_step(isa, roll, last, step);
    }
    isa.low(last)
}

/// As [`one_step`], of two parts at once.
#[inline(always)]
fn two_steps<I: Isa>(isa: I, roll: &mut Roll<'_>, windows: I::Two, steps: [usize; 2]) -> I::Two {
    let places = steps.map(|step| roll.from + step);
    let keys = &roll.prints.roll_keys;
    let both = |value: u64| isa.two([isa.pair(value, 0); 2]);
    let kept = isa.low_products(windows, both(keys.window_point));
    let leaving = isa.two(places.map(|at| isa.pair(roll.leaving(at), 0)));
    let left = isa.low_products(leaving, both(keys.leaving));
    let entering = isa.two(places.map(|at| isa.pair(roll.hashes[at], 0)));
    let next = isa.sums(isa.both_reduced(isa.sums(kept, left)), entering);
    for (step, window) in steps.into_iter().zip(isa.each(next)) {
        roll.windows[step % CHUNK] = isa.low(window);
    }
    next
}

/// The window before, and the place of the hash that enters from `from` on, to the window after, which is noted.
#[inline(always)]
fn one_step<I: Isa>(isa: I, roll: &mut Roll<'_>, window: I::Wide, step: usize) -> I::Wide {
    let at = roll.from + step;
    let keys = &roll.prints.roll_keys;
    let kept = isa.low_product(window, isa.pair(keys.window_point, 0));
    let left = isa.low_product(isa.pair(roll.leaving(at), 0), isa.pair(keys.leaving, 0));
    let next = isa.sum(isa.reduced(isa.sum(kept, left)), isa.pair(roll.hashes[at], 0));
    roll.windows[step % CHUNK] = isa.low(next);
    next
}

/// The polynomial of the window that ends before `end`.
#[inline(always)]
fn window_directly(isa: impl Isa, roll: &Roll<'_>, end: usize) -> u64 {
    let point = isa.pair(roll.prints.roll_keys.window_point, 0);
    let mut sum = isa.pair(0, 0);
    for &hash in &roll.hashes[end.saturating_sub(roll.size)..end] {
        sum = isa.sum(isa.reduced(isa.low_product(sum, point)), isa.pair(hash, 0));
    }
    isa.low(sum)
}

/// The polynomial of all tokens, after `hashes` too.
#[inline(always)]
fn roll_lexical(isa: impl Isa, keys: &RollKeys, before: u64, hashes: &[u64]) -> u64 {
    let powers = &keys.lexical_powers;
    let mut lexical = before;
    let mut eights = hashes.chunks_exact(8);
    for eight in &mut eights {
        let pairs = |a: [u64; 4]| isa.two([isa.pair(a[0], a[1]), isa.pair(a[2], a[3])]);
        let first =
            (pairs([eight[0], eight[1], eight[2], eight[3]]), pairs([powers[1], powers[2], powers[3], powers[4]]));
        // what was before counts with the power of eight; the last hash has no factor
        let second =
            (pairs([eight[4], eight[5], eight[6], lexical]), pairs([powers[5], powers[6], powers[7], powers[0]]));
        let products = |(a, b)| isa.sums(isa.low_products(a, b), isa.high_products(a, b));
        let [a, b] = isa.each(isa.sums(products(first), products(second)));
        lexical = isa.low(isa.reduced(isa.sum(a, b))) ^ eight[7];
    }
    for &hash in eights.remainder() {
        lexical = isa.low(isa.reduced(isa.low_product(isa.pair(lexical, 0), isa.pair(powers[7], 0)))) ^ hash;
    }
    lexical
}

#[cfg(test)]
mod tests;
