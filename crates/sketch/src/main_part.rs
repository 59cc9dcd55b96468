//! The main part of a page: what it says, without the frame of its site.
//!
//! *Input.* The tags of a page as the scanner passes them, and its text. *Output.* The ranges of
//! the text that count. *Algorithm.* One pass over the tags makes an [`outline`]: the blocks of
//! text, and the elements they stand in, with what their start tags tell. One pass over the outline
//! [judges](judge) the blocks. *Memory.* [`memory_bytes_max`]. *Limits.* A page of more than
//! 2^15 blocks or elements is taken whole. What scripts show and hide is not known.
//!
//! | module | what |
//! |---|---|
//! | [`outline`] | blocks and regions, from the tags |
//! | [`element`], [`names`], [`attributes`] | what a start tag tells: [`tells`] |
//! | [`words`], [`table`] | words that mean something, and how they are found |
//! | [`memory`] | what tags and names mean that came before |
//! | [`judge`] | which blocks count |
//! | [`frame`], [`measures`] | what is frame; what blocks weigh |
//! | [`regions`] | sums and properties over elements |

mod attributes;
mod element;
mod frame;
mod judge;
mod measures;
mod memory;
mod names;
mod outline;
mod regions;
mod table;
mod tells;
mod words;

pub(crate) use outline::{Outline, PARTS_MAX};

use std::iter;
use std::ops::Range;

/// The most that the outline of a page of so many bytes and its judgement take: no block and no
/// region is made of fewer than three bytes.
pub(crate) fn memory_bytes_max(page_bytes: u64) -> u64 {
    128 * (page_bytes / 3).min(PARTS_MAX as u64)
}

/// The ranges between these ranges of a text of `length` bytes.
pub(crate) fn between(ranges: &[Range<usize>], length: usize) -> Vec<Range<usize>> {
    let starts = iter::once(0).chain(ranges.iter().map(|range| range.end));
    let ends = ranges
        .iter()
        .map(|range| range.start)
        .chain(iter::once(length));
    let between = starts.zip(ends).map(|(start, end)| start..end);
    between.filter(|range| !range.is_empty()).collect()
}

/// The places of the pieces of text in these ranges of a text with these places: ⟨byte of the
/// text, byte of the page⟩ where each piece of text comes from, in order.
pub(crate) fn places_in(ranges: &[Range<usize>], places: &[(usize, usize)]) -> Vec<(usize, usize)> {
    let mut kept = Vec::new();
    let mut length = 0;
    for range in ranges {
        let first = places.partition_point(|(text, _)| *text <= range.start);
        if let Some((text, page)) = first.checked_sub(1).and_then(|before| places.get(before)) {
            kept.push((length, page + (range.start - text)));
        }
        let inside = places[first..]
            .iter()
            .take_while(|(text, _)| *text < range.end);
        kept.extend(inside.map(|(text, page)| (length + (text - range.start), *page)));
        length += range.len();
    }
    kept
}

impl Outline {
    /// Ends the page with this text. Gives the ranges of the text that count, in order; those that
    /// touch are one. All of the page stands in for a main part that is not there.
    pub(crate) fn finish(&mut self, text: &[u8]) -> Vec<Range<usize>> {
        self.end_block(text);
        self.has_main_part = true;
        if self.is_too_long() {
            return iter::once(0..text.len()).collect();
        }
        let mut ranges: Vec<Range<usize>> = Vec::new();
        let counts = judge::judge(self);
        self.has_main_part = counts.is_some();
        let counts = counts.unwrap_or_else(|| judge::page_itself(self));
        for (block, _) in self.blocks.iter().zip(counts).filter(|(_, counts)| *counts) {
            match ranges.last_mut() {
                Some(last) if last.end == block.start => last.end = block.end,
                _ => ranges.push(block.start..block.end),
            }
        }
        ranges
    }

    /// Whether the page that ended has a main part.
    pub(crate) fn has_main_part(&self) -> bool {
        self.has_main_part
    }
}
