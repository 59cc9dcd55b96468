//! The anchors of a document: places at which equal windows of different documents meet.
//!
//! *Input.* The text of a document. *Output.* The fingerprint of every window of L tokens, and the
//! windows in runs of one anchor ([`AnchorRun`]). *Algorithm.* Winnowing (S. Schleimer, D. S.
//! Wilkerson, A. Aiken, *Winnowing: local algorithms for document fingerprinting*, 2003, section
//! 3): the anchor of a window is the shingle of k tokens in it with the least fingerprint, of equal
//! ones the last. It follows from the tokens of the window alone, so equal windows have equal
//! anchors at equal places. A document of random tokens has 2 / (L − k + 2) anchors a token. The
//! least of each window is found with a queue of candidates (the ascending minima). *Memory.* Some
//! 40 bytes a token of a window, whatever the length of the document. *Limits.* 2^32 − 1 tokens.

use crate::cpu::Cpu;
use crate::dispatch;
use crate::fingerprint::{Fingerprinter, RunningPolynomials, mixed};
use crate::params::{FingerprintBits, SketchParams, TextOfPages};
use crate::roll::{Mix, Roll};
use crate::roll_keys::CHUNK;
use crate::sketcher::{HashChunk, Sketcher};
use model::{Content, Sampling};
use std::collections::VecDeque;

/// Consecutive windows of a document with one anchor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AnchorRun {
    /// The fingerprint of the anchor.
    pub anchor: u64,
    /// A fingerprint of all tokens of the windows, and of the place of the anchor among them.
    pub tokens: u64,
    /// The token at which the first window begins.
    pub first: u32,
    /// The windows: at most L − k + 1.
    pub windows: u32,
}

/// Finds the windows and the anchors of documents, one after another. One for each thread.
pub struct Winnower {
    sketcher: Sketcher,
    cpu: Cpu,
    /// Of the shingles.
    short: Rolling,
    /// Of the windows.
    long: Rolling,
    least: VecDeque<Candidate>,
    /// The fewest tokens of a page that counts.
    page_tokens_min: u64,
    /// Runs of a page that may turn out to have no main part.
    held: Vec<AnchorRun>,
}

/// A shingle that may be the least of a window.
#[derive(Clone, Copy)]
struct Candidate {
    print: u64,
    place: u32,
}

/// A run that goes on.
struct OpenRun {
    anchor: Candidate,
    first: u32,
    of_first: u64,
    of_last: u64,
}

impl Winnower {
    /// For windows of `words` tokens, at least one.
    pub fn new(params: &SketchParams, words: u32) -> Winnower {
        Winnower::for_cpu(params, words, Cpu::chosen())
    }

    fn for_cpu(params: &SketchParams, words: u32, cpu: Cpu) -> Winnower {
        let words = words.max(1);
        let of_size = |shingle_size| SketchParams {
            shingle_size,
            bits: FingerprintBits::B64,
            sampling: Sampling::Modulus { modulus: 1 },
            ..params.clone()
        };
        let shingle = params.shingle_size.clamp(1, words);
        Winnower {
            sketcher: Sketcher::for_cpu(&of_size(shingle), cpu),
            cpu,
            short: Rolling::new(&of_size(shingle)),
            long: Rolling::new(&of_size(words)),
            least: VecDeque::new(),
            page_tokens_min: match params.text_of_pages {
                TextOfPages::Main { words_min } => u64::from(words_min),
                TextOfPages::Whole | TextOfPages::Frame => 0,
            },
            held: Vec::new(),
        }
    }

    /// Hands on the fingerprint of each window of a document, in order.
    pub fn windows(&mut self, content: Content<'_>, mut take: impl FnMut(u64)) {
        let (cpu, long) = (self.cpu, &mut self.long);
        long.clear();
        self.sketcher.hash_chunks(content, long.size, |chunk| {
            long.roll(cpu, chunk).iter().for_each(|print| take(*print));
        });
    }

    /// Hands on the runs of a document, in order. A page whose main part is too short has none.
    pub fn runs(&mut self, content: Content<'_>, mut take: impl FnMut(AnchorRun)) {
        let tokens_min = match content {
            Content::Html(_) | Content::Xhtml(_) => self.page_tokens_min,
            Content::Text(_) | Content::Features(_) => 0,
        };
        let (cpu, short, long) = (self.cpu, &mut self.short, &mut self.long);
        short.clear();
        long.clear();
        let kept = long.size;
        let mut runs = Runs {
            of_window: (long.size - short.size + 1) as u32,
            mixer: long.prints.mixer(),
            place: 0,
            least: &mut self.least,
            open: None,
        };
        runs.least.clear();
        let held = &mut self.held;
        held.clear();
        let mut tokens = 0;
        self.sketcher.hash_chunks(content, kept, |chunk| {
            tokens += (chunk.hashes.len() - chunk.from) as u64;
            let (shingles, windows) = (short.roll(cpu, chunk), long.roll(cpu, chunk));
            runs.add(shingles, windows, |run| held.push(run));
            if tokens >= tokens_min {
                held.drain(..).for_each(&mut take);
            }
        });
        held.extend(runs.finish());
        if tokens >= tokens_min {
            held.drain(..).for_each(&mut take);
        }
    }
}

/// The windows of a document so far, in runs.
struct Runs<'a> {
    /// Shingles of a window.
    of_window: u32,
    mixer: [(u64, u64); 3],
    /// The next shingle.
    place: u32,
    /// The shingles that may be the least of a window, ascending.
    least: &'a mut VecDeque<Candidate>,
    open: Option<OpenRun>,
}

impl Runs<'_> {
    /// Adds shingles, and the windows that end with them; hands on the runs that they end.
    fn add(&mut self, shingles: &[u64], windows: &[u64], mut take: impl FnMut(AnchorRun)) {
        // The first shingles of a document end no window.
        let without = shingles.len() - windows.len();
        for (at, print) in shingles.iter().enumerate() {
            while self.least.back().is_some_and(|one| one.print >= *print) {
                self.least.pop_back();
            }
            self.least.push_back(Candidate {
                print: *print,
                place: self.place,
            });
            self.place += 1;
            let Some(window) = at.checked_sub(without).map(|at| windows[at]) else {
                continue;
            };
            let first = self.place - self.of_window;
            while self.least[0].place < first {
                self.least.pop_front();
            }
            match &mut self.open {
                Some(run) if run.anchor.place == self.least[0].place => run.of_last = window,
                open => {
                    let next = OpenRun {
                        anchor: self.least[0],
                        first,
                        of_first: window,
                        of_last: window,
                    };
                    if let Some(run) = open.replace(next) {
                        take(run.close(self.mixer, first));
                    }
                }
            }
        }
    }

    fn finish(&mut self) -> Option<AnchorRun> {
        let end = self.place + 1 - self.of_window.min(self.place + 1);
        let open = self.open.take();
        open.map(|run| run.close(self.mixer, end))
    }
}

impl OpenRun {
    /// The run whose last window is before `end`. The first and the last window overlap or touch,
    /// so their fingerprints tell all tokens.
    fn close(self, mixer: [(u64, u64); 3], end: u32) -> AnchorRun {
        let windows = end - self.first;
        let places = u64::from(self.anchor.place - self.first) << 32 | u64::from(windows);
        let tokens = mixed(mixer, self.of_first ^ places) ^ self.of_last;
        AnchorRun {
            anchor: self.anchor.print,
            tokens: mixed(mixer, tokens),
            first: self.first,
            windows,
        }
    }
}

/// Makes the fingerprints of all windows of a size, chunk after chunk.
struct Rolling {
    prints: Fingerprinter,
    size: usize,
    running: RunningPolynomials,
    /// Tokens so far.
    tokens: usize,
    windows: Vec<u64>,
}

impl Rolling {
    fn new(params: &SketchParams) -> Rolling {
        Rolling {
            prints: Fingerprinter::new(params),
            size: params.shingle_size as usize,
            running: RunningPolynomials::default(),
            tokens: 0,
            windows: Vec::new(),
        }
    }

    fn clear(&mut self) {
        self.running = RunningPolynomials::default();
        self.tokens = 0;
    }

    /// The fingerprints of the windows that end in a chunk.
    fn roll(&mut self, cpu: Cpu, chunk: HashChunk<'_>) -> &[u64] {
        self.windows.clear();
        let mut polynomials = [0; CHUNK];
        let mut from = chunk.from;
        while from < chunk.hashes.len() {
            let end = chunk.hashes.len().min(from + CHUNK);
            self.running = dispatch::run(
                cpu.level(),
                Roll {
                    prints: &self.prints,
                    hashes: &chunk.hashes[..end],
                    from,
                    size: self.size,
                    running: self.running,
                    windows: &mut polynomials,
                },
            );
            // No window ends at the first tokens.
            let partial = (self.size - 1).saturating_sub(self.tokens).min(end - from);
            let windows = &mut polynomials[partial..end - from];
            let prints = &self.prints;
            dispatch::run(cpu.level(), Mix { prints, windows });
            self.windows.extend_from_slice(windows);
            self.tokens += end - from;
            from = end;
        }
        &self.windows
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::{Family, ShingleKind, TokenUnit};
    use crate::{FingerprintKeys, PlacedText};
    use proptest::prelude::*;
    use std::collections::HashMap;

    fn params(shingle_size: u32) -> SketchParams {
        SketchParams {
            tokens: TokenUnit::Words,
            drop_numbers: false,
            text_of_pages: TextOfPages::Whole,
            shingle_size,
            shingles: ShingleKind::Set,
            sampling: Sampling::Modulus { modulus: 1 },
            bits: FingerprintBits::B64,
            family: Family::Keyed,
            keys: FingerprintKeys::from_seed("tests"),
        }
    }

    fn windows(winnower: &mut Winnower, text: &str) -> Vec<u64> {
        let mut windows = Vec::new();
        winnower.windows(Content::Text(text), |window| windows.push(window));
        windows
    }

    fn text(words: &[u32]) -> String {
        words.iter().map(|word| format!("w{word} ")).collect()
    }

    proptest! {
        #[test]
        fn windows_are_those_of_the_plain_form(
            words in prop::collection::vec(0u32..9, 0..2500), size in 1u32..90,
        ) {
            let text = text(&words);
            let plain = PlacedText::new(&params(size), Content::Text(&text));
            let plain = if words.len() < size as usize { Vec::new() } else { plain.windows };
            for cpu in Cpu::all() {
                let mut winnower = Winnower::for_cpu(&params(3), size, cpu);
                prop_assert_eq!(&windows(&mut winnower, &text), &plain);
            }
        }

        #[test]
        fn equal_windows_have_equal_anchors_at_equal_places(
            words in prop::collection::vec(0u32..4, 0..1500), size in 1u32..30, shingle in 1u32..12,
        ) {
            let text = text(&words);
            let mut winnower = Winnower::new(&params(shingle), size);
            let windows = windows(&mut winnower, &text);
            let mut runs = Vec::new();
            winnower.runs(Content::Text(&text), |run| runs.push(run));
            let mut met = HashMap::new();
            let (mut next, mut of_run) = (0, HashMap::new());
            for run in runs {
                prop_assert_eq!(run.first, next);
                prop_assert!(run.windows >= 1 && run.windows <= size);
                next += run.windows;
                let of_windows = &windows[run.first as usize..next as usize];
                prop_assert_eq!(&*of_run.entry(run.tokens).or_insert_with(|| of_windows.to_vec()), of_windows);
                for window in of_windows {
                    prop_assert_eq!(*met.entry(*window).or_insert(run.anchor), run.anchor);
                }
            }
            prop_assert_eq!(next as usize, windows.len());
        }
    }
}
