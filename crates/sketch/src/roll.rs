//! Token hashes → the polynomials of their windows, and of all tokens; polynomials → fingerprints.
//!
//! The portable form rolls with tables. The fast form multiplies without carries, sums the products of a window before it
//! reduces them, and rolls four parts of a chunk side by side, because each step must wait for the one before it; the
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
        let mut windows = isa.four([before, direct(1), direct(2), direct(3)]);
        for step in 0..part {
            windows = four_steps(isa, roll, windows, [step, step + part, step + 2 * part, step + 3 * part]);
        }
        (isa.each(windows)[3], PARTS * part)
    } else {
        (before, 0)
    };
    for step in done..count {
        last = one_step(isa, roll, last, step);
    }
    isa.low(last)
}

/// As [`one_step`], of four parts at once.
#[inline(always)]
fn four_steps<I: Isa>(isa: I, roll: &mut Roll<'_>, windows: I::Four, steps: [usize; 4]) -> I::Four {
    let places = steps.map(|step| roll.from + step);
    let keys = &roll.prints.roll_keys;
    let all = |value: u64| isa.four([isa.pair(value, 0); 4]);
    let kept = isa.low_products(windows, all(keys.window_point));
    let leaving = isa.four(places.map(|at| isa.pair(roll.leaving(at), 0)));
    let left = isa.low_products(leaving, all(keys.leaving));
    let entering = isa.four(places.map(|at| isa.pair(roll.hashes[at], 0)));
    let next = isa.sums(isa.all_reduced(isa.sums(kept, left)), entering);
    for (step, window) in steps.into_iter().zip(isa.lows(next)) {
        roll.windows[step % CHUNK] = window;
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
    let (eights, rest) = hashes.as_chunks::<8>();
    for eight in eights {
        let pairs = |a: [u64; 8]| {
            isa.four([isa.pair(a[0], a[1]), isa.pair(a[2], a[3]), isa.pair(a[4], a[5]), isa.pair(a[6], a[7])])
        };
        // what was before counts with the power of eight; the last hash has no factor
        let [h0, h1, h2, h3, h4, h5, h6, last] = *eight;
        let [p8, p7, p6, p5, p4, p3, p2, p1] = *powers;
        let (hashes, powers) = (pairs([h0, h1, h2, h3, h4, h5, h6, lexical]), pairs([p7, p6, p5, p4, p3, p2, p1, p8]));
        let products = isa.sums(isa.low_products(hashes, powers), isa.high_products(hashes, powers));
        let [a, b, c, d] = isa.each(products);
        lexical = isa.low(isa.reduced(isa.sum(isa.sum(a, b), isa.sum(c, d)))) ^ last;
    }
    for &hash in rest {
        lexical = isa.low(isa.reduced(isa.low_product(isa.pair(lexical, 0), isa.pair(powers[7], 0)))) ^ hash;
    }
    lexical
}

/// The task of making fingerprints of the polynomials of windows, where they lie: mixed by the same expression at every level,
/// which the compiler turns into as many multiplications at once as the level has.
pub(crate) struct Mix<'a> {
    pub(crate) prints: &'a Fingerprinter,
    pub(crate) windows: &'a mut [u64],
}

impl Task for Mix<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self, _isa: impl Isa) {
        self.run_portable();
    }

    #[inline(always)]
    fn run_portable(self) {
        let Mix { prints, windows } = self;
        windows.iter_mut().for_each(|window| *window = prints.fingerprint(*window));
    }
}

#[cfg(test)]
mod tests;
