//! Token hashes → the polynomials of their windows, and of all tokens; polynomials → fingerprints.
//!
//! The portable form rolls with tables. The fast form multiplies without carries, sums the products
//! of a window before it reduces them, and rolls eight parts of a chunk side by side, because each
//! step must wait for the one before it; the polynomial of all tokens takes eight tokens at a step,
//! by eight powers of its point. Both give the same values.

use crate::fingerprint::{Fingerprinter, RunningPolynomials};
use crate::isa::{HotLoop, Isa};
use crate::roll_keys::{CHUNK, RollKeys};

/// The task of rolling over `hashes[from..]`, at most [`CHUNK`]; before `from` are the last `size`
/// hashes, or all.
pub(crate) struct Roll<'a> {
    pub(crate) prints: &'a Fingerprinter,
    pub(crate) hashes: &'a [u64],
    pub(crate) from: usize,
    pub(crate) size: usize,
    /// The polynomials before `from`.
    pub(crate) running: RunningPolynomials,
    /// Where the polynomial of the window that ends at each hash goes.
    pub(crate) windows: &'a mut [u64; CHUNK],
}

impl Roll<'_> {
    /// The hash that leaves the window when the one at `at` enters; 0 before there are so many.
    #[inline(always)]
    fn leaving(&self, at: usize) -> u64 {
        self.hashes
            .get(at.wrapping_sub(self.size))
            .copied()
            .unwrap_or(0)
    }
}

impl HotLoop for Roll<'_> {
    /// The polynomials at the end.
    type Output = RunningPolynomials;

    #[inline(always)]
    fn run(mut self, isa: impl Isa) -> RunningPolynomials {
        let window = roll_windows(isa, &mut self);
        let lexical = roll_lexical(
            isa,
            &self.prints.roll_keys,
            self.running.lexical,
            &self.hashes[self.from..],
        );
        RunningPolynomials { window, lexical }
    }

    fn run_portable(self) -> RunningPolynomials {
        let mut running = self.running;
        for (at, window) in (self.from..self.hashes.len()).zip(self.windows.iter_mut()) {
            let leaving = self
                .hashes
                .get(at.wrapping_sub(self.size))
                .copied()
                .unwrap_or(0);
            running = self.prints.advance(running, leaving, self.hashes[at]);
            *window = running.window;
        }
        running
    }
}

/// The polynomial of the last window.
#[inline(always)]
fn roll_windows(isa: impl Isa, roll: &mut Roll<'_>) -> u64 {
    let count = (roll.hashes.len() - roll.from).min(CHUNK);
    // the first window of a part is made of the hashes of the chunk alone
    if count.div_ceil(8) >= roll.size {
        return roll_parts::<2>(isa, roll, count);
    }
    if count.div_ceil(4) >= roll.size {
        return roll_parts::<1>(isa, roll, count);
    }
    let mut last = isa.pair(roll.running.window, 0);
    for step in 0..count {
        last = one_step(isa, roll, last, step);
    }
    isa.low(last)
}

/// Rolls over all hashes in four times so many parts of one length, which may overlap.
#[inline(always)]
fn roll_parts<const FOURS: usize>(isa: impl Isa, roll: &mut Roll<'_>, count: usize) -> u64 {
    let part = count.div_ceil(4 * FOURS);
    let start = |number: usize| (number * part).min(count - part);
    let mut starts = [[0; 4]; FOURS];
    let mut windows = [isa.four([isa.pair(roll.running.window, 0); 4]); FOURS];
    for (four, (starts, windows)) in starts.iter_mut().zip(&mut windows).enumerate() {
        *starts = [
            start(4 * four),
            start(4 * four + 1),
            start(4 * four + 2),
            start(4 * four + 3),
        ];
        let mut first = isa.each(*windows);
        for (window, &start) in first
            .iter_mut()
            .zip(starts.iter())
            .skip(usize::from(four == 0))
        {
            *window = window_directly(isa, roll, roll.from + start);
        }
        *windows = isa.four(first);
    }
    for step in 0..part {
        for (starts, windows) in starts.iter().zip(&mut windows) {
            *windows = four_steps(isa, roll, *windows, starts.map(|start| start + step));
        }
    }
    isa.low(isa.each(windows[FOURS - 1])[3])
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

/// The window before, and the place of the hash that enters from `from` on, to the window after,
/// which is noted.
#[inline(always)]
fn one_step<I: Isa>(isa: I, roll: &mut Roll<'_>, window: I::Wide, step: usize) -> I::Wide {
    let at = roll.from + step;
    let keys = &roll.prints.roll_keys;
    let kept = isa.low_product(window, isa.pair(keys.window_point, 0));
    let left = isa.low_product(isa.pair(roll.leaving(at), 0), isa.pair(keys.leaving, 0));
    let next = isa.sum(
        isa.reduced(isa.sum(kept, left)),
        isa.pair(roll.hashes[at], 0),
    );
    roll.windows[step % CHUNK] = isa.low(next);
    next
}

/// The polynomial of the window that ends before `end`.
#[inline(always)]
fn window_directly<I: Isa>(isa: I, roll: &Roll<'_>, end: usize) -> I::Wide {
    let powers = &roll.prints.roll_keys.window_powers;
    let mut sum = isa.pair(0, 0);
    for (&hash, &power) in roll.hashes[end.saturating_sub(roll.size)..end]
        .iter()
        .zip(powers)
    {
        sum = isa.sum(sum, isa.low_product(isa.pair(hash, 0), isa.pair(power, 0)));
    }
    isa.reduced(sum)
}

/// The polynomial of all tokens, after `hashes` too.
#[inline(always)]
fn roll_lexical(isa: impl Isa, keys: &RollKeys, before: u64, hashes: &[u64]) -> u64 {
    let mut lexical = isa.pair(before, 0);
    let (eights, rest) = hashes.as_chunks::<8>();
    for eight in eights {
        lexical = eight_tokens(isa, keys, lexical, eight, 8);
    }
    if !rest.is_empty() {
        // zeros in front count nothing
        let mut eight = [0; 8];
        eight[8 - rest.len()..].copy_from_slice(rest);
        lexical = eight_tokens(isa, keys, lexical, &eight, rest.len());
    }
    isa.low(lexical)
}

/// The polynomial before, times the power of `count`, plus the last tokens, each times its power;
/// only the first product has to wait.
#[inline(always)]
fn eight_tokens<I: Isa>(
    isa: I,
    keys: &RollKeys,
    before: I::Wide,
    hashes: &[u64; 8],
    count: usize,
) -> I::Wide {
    let pairs = |a: &[u64; 8]| {
        isa.four([
            isa.pair(a[0], a[1]),
            isa.pair(a[2], a[3]),
            isa.pair(a[4], a[5]),
            isa.pair(a[6], a[7]),
        ])
    };
    let (hashes, powers) = (pairs(hashes), pairs(&keys.lexical_powers));
    let [a, b, c, d] = isa.each(isa.sums(
        isa.low_products(hashes, powers),
        isa.high_products(hashes, powers),
    ));
    let tokens = isa.sum(isa.sum(a, b), isa.sum(c, d));
    isa.reduced(isa.sum(
        isa.low_product(before, isa.pair(keys.lexical_steps[count % 9], 0)),
        tokens,
    ))
}

/// The task of making fingerprints of the polynomials of windows, where they lie: mixed by the same
/// expression at every level, which the compiler turns into as many multiplications at once as the
/// level has.
pub(crate) struct Mix<'a> {
    pub(crate) prints: &'a Fingerprinter,
    pub(crate) windows: &'a mut [u64],
}

impl HotLoop for Mix<'_> {
    type Output = ();

    #[inline(always)]
    fn run_portable(self) {
        let Mix { prints, windows } = self;
        windows
            .iter_mut()
            .for_each(|window| *window = prints.fingerprint(*window));
    }
}

#[cfg(test)]
mod tests;
