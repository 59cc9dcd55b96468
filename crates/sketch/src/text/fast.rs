//! Words, a block of 64 bytes at a time: the fast form of [`words`](super::words).
//!
//! A bit for each byte says whether it belongs to a run without ASCII separators; where a bit differs from the one before
//! it, a run begins or ends. These places are written to a list without a branch on how many there are, and the loop over
//! the list can look far ahead. A run of up to 16 ASCII bytes is loaded at once and handed on in a register; one that
//! holds anything else goes through [`simple`](super::simple).

use super::TokenSink;
use super::simple::Tables;
use super::token::Maker;
use super::words::run;
use crate::isa::Isa;
use std::ops::Range;

/// Bytes whose runs are listed before they are handed on.
const BATCH: usize = 1024;

/// Places written at once. A block has eighteen on average in English.
const AT_ONCE: usize = 8;

/// Where runs begin and end, in turns.
struct Edges {
    places: [u32; BATCH + AT_ONCE],
    count: usize,
}

/// Sends the words of `text` to `maker`.
#[inline(always)]
pub(super) fn words(isa: impl Isa, text: &[u8], maker: &mut Maker<'_, impl TokenSink>) {
    let tables = Tables::get();
    let mut edges = Edges { places: [0; BATCH + AT_ONCE], count: 0 };
    // whether a run is open, and where it began
    let (mut open, mut start) = (0, 0);
    for base in (0..text.len()).step_by(BATCH) {
        let batch = &text[base..text.len().min(base + BATCH)];
        let was_open = open == 1;
        open = edges.list(isa, batch, open);
        let mut places = &edges.places[..edges.count];
        if was_open && let Some((&end, rest)) = places.split_first() {
            tables.run(isa, text, start..base + end as usize, maker);
            places = rest;
        }
        let mut pairs = places.chunks_exact(2);
        for pair in &mut pairs {
            tables.run(isa, text, base + pair[0] as usize..base + pair[1] as usize, maker);
        }
        if let [last] = pairs.remainder() {
            start = base + *last as usize;
        }
    }
    if open == 1 {
        tables.run(isa, text, start..text.len(), maker);
    }
}

impl Edges {
    /// Lists the edges of a batch; `open` is 1 if a run is open before it. Returns whether one is behind it.
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
    fn list_block(&mut self, isa: impl Isa, block: &[u8; 64], base: u32, open: u64) -> u64 {
        let block = isa.load(block);
        let inside = isa.letters_and_digits(block) | isa.non_ascii(block);
        let mut edges = inside ^ (inside << 1 | open);
        let count = edges.count_ones() as usize;
        let mut done = 0;
        loop {
            // past the count there is rubbish, to be overwritten
            if let Some(room) = self.places.get_mut(self.count + done..).and_then(|room| room.first_chunk_mut()) {
                let room: &mut [u32; AT_ONCE] = room;
                for place in room {
                    *place = base + edges.trailing_zeros();
                    edges &= edges.wrapping_sub(1);
                }
            }
            done += AT_ONCE;
            if done >= count {
                break;
            }
        }
        self.count += count;
        inside >> 63
    }
}

impl Tables {
    /// Hands on the words of one run, which lies at `place`.
    #[inline(always)]
    fn run(self, isa: impl Isa, text: &[u8], place: Range<usize>, maker: &mut Maker<'_, impl TokenSink>) {
        let Range { start, end } = place;
        let length = end - start;
        if length <= 16
            && let Some(bytes) = text.get(start..).and_then(|rest| rest.first_chunk())
        {
            let (word, is_ascii) = isa.first(bytes, length);
            if is_ascii {
                maker.short_ascii(isa, isa.lower_case(word), length);
                return;
            }
        } else if text[start..end].is_ascii() {
            maker.ascii_word(text, start, end);
            return;
        }
        // a separator before a character that is no ASCII may join with it
        let from = if text[start].is_ascii() { start } else { start.saturating_sub(1) };
        let piece = &text[from..end];
        let restart = if maker.drops_numbers() { Some(0) } else { self.words(isa, piece, start - from, maker) };
        if let Some(restart) = restart {
            run(&super::utf8(&piece[restart..]), maker);
        }
    }
}
