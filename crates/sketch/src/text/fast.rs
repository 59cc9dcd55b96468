//! Words, a block of 64 bytes at a time: the fast form of [`words`](super::words).
//!
//! A bit for each byte says whether it belongs to a run without separators, ASCII or U+00A0 (which
//! joins with nothing); where a bit differs from the one before it, a run begins or ends. These
//! places are written to a list without a branch on how many there are, and the loop over the list
//! can look far ahead. Runs of up to 16 ASCII bytes are loaded at once and handed on in registers,
//! four by four; one that holds anything else goes through [`simple`](super::simple).

use super::simple::CharacterTables;
use super::sink::TokenSink;
use super::token::{TokenBuilder, TokenMaker};
use super::words::run;
use crate::isa::{HotLoop, Isa};
use crate::word_cache::{self, Span};
use std::ops::Range;

/// Bytes whose runs are listed before they are handed on.
const BATCH: usize = 1024;

/// Places for which there must be room at once: those of a block.
const AT_ONCE: usize = 64;

/// Where runs begin and end, in turns; room for one batch after another.
pub(super) struct Edges {
    places: [u16; BATCH + AT_ONCE],
    count: usize,
}

impl Default for Edges {
    fn default() -> Self {
        Edges {
            places: [0; BATCH + AT_ONCE],
            count: 0,
        }
    }
}

/// The task of sending the words of `text` to `maker`.
pub(super) struct FastWords<'a, 'b, S> {
    pub(super) text: &'a [u8],
    pub(super) edges: &'a mut Edges,
    pub(super) maker: &'a mut TokenMaker<'b, S>,
}

impl<S: TokenSink> HotLoop for FastWords<'_, '_, S> {
    type Output = ();

    #[inline(always)]
    fn run(self, isa: impl Isa) {
        words(isa, self.text, self.edges, self.maker);
    }

    fn run_portable(self) {
        super::words::words(self.text, self.maker);
    }
}

/// Sends the words of `text` to `maker`.
#[inline(always)]
fn words(
    isa: impl Isa,
    text: &[u8],
    edges: &mut Edges,
    maker: &mut TokenMaker<'_, impl TokenSink>,
) {
    let tables = CharacterTables::get();
    // whether a run is open, and where it began
    let (mut open, mut start) = (0, 0);
    for base in (0..text.len()).step_by(BATCH) {
        let batch = &text[base..text.len().min(base + BATCH)];
        let was_open = open == 1;
        open = edges.list(isa, batch, open);
        let mut places = &edges.places[..edges.count];
        if was_open && let Some((&end, rest)) = places.split_first() {
            tables.run(isa, text, start..base + usize::from(end), maker);
            places = rest;
        }
        let (fours, rest) = places.as_chunks::<8>();
        for four in fours {
            tables.four_runs(isa, text, base, four, maker);
        }
        let (pairs, rest) = rest.as_chunks::<2>();
        for pair in pairs {
            tables.run(isa, text, run_at(base, *pair), maker);
        }
        if let [last] = rest {
            start = base + usize::from(*last);
        }
    }
    if open == 1 {
        tables.run(isa, text, start..text.len(), maker);
    }
}

impl Edges {
    /// Lists the edges of a batch; `open` is 1 if a run is open before it. Returns whether one is
    /// behind it.
    #[inline(always)]
    fn list(&mut self, isa: impl Isa, batch: &[u8], open: u64) -> u64 {
        let mut open = open;
        self.count = 0;
        let mut blocks = batch.chunks_exact(64);
        let mut base = 0;
        for block in &mut blocks {
            if let Some(block) = block.first_chunk() {
                open = self.list_block(isa, block, base, open);
                base += 64;
            }
        }
        if !blocks.remainder().is_empty() {
            let mut last = [0; 64];
            last[..blocks.remainder().len()].copy_from_slice(blocks.remainder());
            open = self.list_block(isa, &last, base, open);
        }
        open
    }

    #[inline(always)]
    fn list_block(&mut self, isa: impl Isa, block: &[u8; 64], base: u16, open: u64) -> u64 {
        let block = isa.load(block);
        let mut non_ascii = isa.non_ascii(block);
        if non_ascii != 0 {
            non_ascii &= !no_break_spaces(isa, block);
        }
        let inside = isa.letters_and_digits(block) | non_ascii;
        let edges = inside ^ (inside << 1 | open);
        // past the count there is rubbish, to be overwritten
        if let Some(room) = self
            .places
            .get_mut(self.count..)
            .and_then(|room| room.first_chunk_mut())
        {
            isa.places(edges, base, room);
        }
        self.count += edges.count_ones() as usize;
        inside >> 63
    }
}

/// The bytes of characters U+00A0 that lie whole in a block: the one separator of more than a byte
/// that pages are full of. One that goes over the border of two blocks counts as part of a run, and
/// the run's own tokenizer finds it.
#[inline(always)]
fn no_break_spaces<I: Isa>(isa: I, block: I::Block) -> u64 {
    let first = isa.equal(block, 0xC2) & isa.equal(block, 0xA0) >> 1;
    first | first << 1
}

impl CharacterTables {
    /// Hands on the words of four runs, one behind the other, of which `places` holds the edges.
    #[inline(always)]
    fn four_runs(
        self,
        isa: impl Isa,
        text: &[u8],
        base: usize,
        places: &[u16; 8],
        maker: &mut TokenMaker<'_, impl TokenSink>,
    ) {
        let edges: &[[u16; 2]; 4] = places.as_chunks().0.first_chunk().unwrap_or(&[[0; 2]; 4]);
        let lengths = edges.map(|[start, end]| usize::from(end - start));
        // not below any of them; one of 16 beside others makes it more, and they go one by one
        let longest = (lengths[0] | lengths[1]) | (lengths[2] | lengths[3]);
        let bytes = edges.map(|[start, _]| {
            text.get(base + usize::from(start)..)
                .and_then(|rest| rest.first_chunk())
        });
        if longest <= 16
            && let [Some(a), Some(b), Some(c), Some(d)] = bytes
        {
            let (words, are_ascii) = isa.first_four([a, b, c, d], lengths);
            if are_ascii {
                maker.short_ascii_four(isa, isa.lower_cases(words), lengths);
                return;
            }
        }
        for edges in edges {
            self.run(isa, text, run_at(base, *edges), maker);
        }
    }

    /// Hands on the words of one run, which lies at `place`.
    #[inline(always)]
    fn run(
        self,
        isa: impl Isa,
        text: &[u8],
        place: Range<usize>,
        maker: &mut TokenMaker<'_, impl TokenSink>,
    ) {
        let Range { start, end } = place;
        let length = end - start;
        if length <= 16
            && let Some(bytes) = text
                .get(start..start + 16)
                .and_then(|bytes| bytes.first_chunk())
        {
            let (word, is_ascii) = isa.first(bytes, length);
            if is_ascii {
                maker.short_ascii(isa, isa.lower_case(word), length);
                return;
            }
        }
        // numbers are left out by their class, which the cache does not hold
        let run = if maker.drops_numbers() {
            None
        } else {
            word_cache::span_of(text, start, end)
        };
        if run.as_ref().is_none_or(|run| !maker.known(run)) {
            isa.call(Unusual {
                tables: self,
                text,
                start,
                end,
                run,
                maker,
            });
        }
    }
}

/// The place of a run.
#[inline(always)]
fn run_at(base: usize, [start, end]: [u16; 2]) -> Range<usize> {
    base + usize::from(start)..base + usize::from(end)
}

/// The task of handing on the words of a run that is long, or holds more than ASCII, or lies at the
/// end of the text. Apart from the loop over all runs, which so can keep what it needs in
/// registers.
struct Unusual<'a, 'b, S> {
    tables: CharacterTables,
    text: &'a [u8],
    start: usize,
    end: usize,
    /// The bytes, if they are few, to be noted with what they are.
    run: Option<Span>,
    maker: &'a mut TokenMaker<'b, S>,
}

impl<S: TokenSink> HotLoop for Unusual<'_, '_, S> {
    type Output = ();

    #[inline(always)]
    fn run(self, isa: impl Isa) {
        let (text, start, end, maker) = (self.text, self.start, self.end, self.maker);
        if text[start..end].is_ascii() {
            maker.ascii_word(text, start, end);
            return;
        }
        let from = with_separator(text, start);
        let piece = &text[from..end];
        let words = if maker.drops_numbers() {
            Err(0)
        } else {
            self.tables.words(isa, piece, start - from, maker)
        };
        match (words, self.run) {
            // simple characters: nothing around them changes them
            (Ok(1), Some(bytes)) => maker.was_one_token(&bytes),
            (Ok(_), _) => {}
            (Err(restart), _) => run(piece, restart..piece.len(), maker),
        }
    }

    /// The run by the plain form. It is never called.
    fn run_portable(self) {
        run(
            self.text,
            with_separator(self.text, self.start)..self.end,
            self.maker,
        );
    }
}

/// Where the run that begins at `start` is cut: an ASCII separator before a character that is no
/// ASCII may join with it.
fn with_separator(text: &[u8], start: usize) -> usize {
    let joins = start > 0 && !text[start].is_ascii() && text[start - 1].is_ascii();
    start - usize::from(joins)
}
