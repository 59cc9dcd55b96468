//! Tokens → windows → sample, with our own fingerprints.

use super::hash_sink::HashSink;
use crate::cpu::Cpu;
use crate::dispatch;
use crate::fingerprint::{Fingerprinter, RunningPolynomials};
use crate::params::{Family, ShingleKind, SketchParams};
use crate::roll::{Mix, Roll};
use crate::roll_keys::CHUNK;
use crate::sample::Sampler;
use crate::word_cache::WordCache;

/// Buffers grown beyond this by a document of more than 1 MiB are given back.
pub(super) const BUFFER_BYTES_KEPT: usize = 1 << 20;

/// Token hashes gathered before they are rolled over, at least.
const HASHES_MIN: usize = 1024;

/// Tokens → windows → sample.
pub(super) struct Shingler {
    pub(super) cpu: Cpu,
    pub(super) prints: Fingerprinter,
    pub(super) known: WordCache,
    pub(super) size: usize,
    pub(super) kind: ShingleKind,
    /// Whether a shingle is a window of token hashes; other families read its text.
    has_windows: bool,
    /// Hashes of the last `size` tokens rolled over, or of all, then of those not yet rolled over.
    pub(super) hashes: Vec<u64>,
    /// How many of them have been rolled over.
    pub(super) rolled: usize,
    /// Tokens rolled over.
    pub(super) tokens: u64,
    /// Their polynomials.
    pub(super) running: RunningPolynomials,
    /// The polynomials of the windows of one chunk.
    pub(super) chunk: Box<[u64; CHUNK]>,
    /// All windows; for labelled shingles only.
    pub(super) windows: Vec<u64>,
    pub(super) sampler: Sampler,
}

impl Shingler {
    pub(super) fn new(params: &SketchParams, cpu: Cpu) -> Shingler {
        Shingler {
            cpu,
            prints: Fingerprinter::new(params),
            known: WordCache::new(),
            size: params.shingle_size.max(1) as usize,
            kind: params.shingles,
            has_windows: params.family == Family::Keyed,
            hashes: Vec::new(),
            rolled: 0,
            tokens: 0,
            running: RunningPolynomials::default(),
            chunk: Box::new([0; CHUNK]),
            windows: Vec::new(),
            sampler: Sampler::new(params.sampling, params.keys.permutation_key, cpu),
        }
    }

    pub(super) fn clear(&mut self) {
        self.hashes.clear();
        self.hashes.shrink_to(BUFFER_BYTES_KEPT / 8);
        self.windows.clear();
        self.windows.shrink_to(BUFFER_BYTES_KEPT / 8);
        (self.rolled, self.tokens, self.running) = (0, 0, RunningPolynomials::default());
        self.sampler.clear();
    }

    /// Reserves what so many tokens can need at most, so that no list doubles beyond that.
    pub(super) fn expect_tokens(&mut self, tokens_max: u64) {
        if self.kind == ShingleKind::Labelled {
            self.windows
                .reserve_exact(usize::try_from(tokens_max).unwrap_or(0));
        }
    }

    /// Rolls over the hashes not yet rolled over, and forgets all but the last window of them.
    pub(super) fn roll(&mut self) {
        while self.rolled < self.hashes.len() {
            let end = self.hashes.len().min(self.rolled + CHUNK);
            let count = end - self.rolled;
            self.running = dispatch::run(
                self.cpu.level(),
                Roll {
                    prints: &self.prints,
                    hashes: &self.hashes[..end],
                    from: self.rolled,
                    size: self.size,
                    running: self.running,
                    windows: &mut self.chunk,
                },
            );
            if self.has_windows {
                self.take_windows(count);
            }
            self.tokens += count as u64;
            self.rolled = end;
        }
        let length = self.hashes.len();
        let kept = self.size.min(length);
        self.hashes.copy_within(length - kept.., 0);
        self.hashes.truncate(kept);
        self.rolled = kept;
    }

    /// Takes the windows that end at the next `count` tokens.
    fn take_windows(&mut self, count: usize) {
        // no window ends at the first w − 1 tokens
        let partial = (self.size as u64 - 1)
            .saturating_sub(self.tokens)
            .min(count as u64) as usize;
        let windows = &mut self.chunk[partial..count];
        match self.kind {
            ShingleKind::Set => {
                let prints = &self.prints;
                dispatch::run(self.cpu.level(), Mix { prints, windows });
                self.sampler.offer_all(self.cpu, windows);
            }
            ShingleKind::Labelled => self.windows.extend_from_slice(windows),
        }
    }

    #[inline]
    fn shingle(&mut self, window: u64) {
        match self.kind {
            ShingleKind::Set => self.sampler.offer(self.prints.fingerprint(window)),
            ShingleKind::Labelled => self.windows.push(window),
        }
    }

    /// The document is over. Returns its shingle occurrences.
    pub(super) fn finish(&mut self) -> u64 {
        let size = self.size as u64;
        if self.tokens > 0 && self.tokens < size {
            self.shingle(self.running.window);
        }
        self.offer_windows(|prints, window, before| {
            prints.fingerprint(window ^ prints.label(before))
        })
    }

    /// Offers the windows of labelled shingles, each with its occurrences before. Returns the
    /// shingle occurrences.
    pub(super) fn offer_windows(
        &mut self,
        labelled: impl Fn(&Fingerprinter, u64, u64) -> u64,
    ) -> u64 {
        self.windows.sort_unstable();
        for run in self.windows.chunk_by(|a, b| a == b) {
            for (before, window) in (0_u64..).zip(run) {
                self.sampler.offer(labelled(&self.prints, *window, before));
            }
        }
        match self.tokens {
            0 => 0,
            tokens => tokens.saturating_sub(self.size as u64) + 1,
        }
    }
}

impl HashSink for Shingler {
    #[inline(always)]
    fn prints(&self) -> &Fingerprinter {
        &self.prints
    }

    #[inline(always)]
    fn known(&mut self) -> &mut WordCache {
        &mut self.known
    }

    #[inline(always)]
    fn hashes(&mut self) -> &mut Vec<u64> {
        &mut self.hashes
    }

    /// Rolls over the hashes, or makes the list longer while it is shorter than two windows.
    #[cold]
    fn make_room(&mut self) {
        let most = self.size + self.size.max(HASHES_MIN);
        if self.hashes.len() < most {
            let length = (2 * self.hashes.len()).clamp(2 * HASHES_MIN, most.max(2 * HASHES_MIN));
            self.hashes.reserve_exact(length - self.hashes.len());
        } else {
            self.roll();
        }
    }
}
