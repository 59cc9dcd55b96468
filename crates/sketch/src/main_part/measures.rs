//! The weight of blocks, and whether they are code or links.

use crate::main_part::element::{ITEM, PREFORMATTED};
use crate::main_part::outline::TextBlock;

/// Letters of a text that is a sentence or more, some twelve words.
pub(super) const LONG: u32 = 55;
/// Letters of a main part that is as good as none.
pub(super) const NOTHING: u64 = 20;

pub(super) fn letters(blocks: &[TextBlock], which: &[usize]) -> u64 {
    which.iter().map(|&at| u64::from(blocks[at].letters)).sum()
}

pub(super) fn is_code(block: &TextBlock) -> bool {
    block.kind & PREFORMATTED != 0
}

/// The weight of a block in the search for the main region: its letters outside of links, fewer for
/// a short block.
pub(super) fn weight(block: &TextBlock) -> u64 {
    if block.linked > block.letters / 2 && !is_code(block) {
        return 0;
    }
    let plain = u64::from(block.letters - block.linked);
    if block.letters >= LONG {
        10 * plain
    } else {
        3 * plain
    }
}

/// Whether a block is links for the most part; a long item may be a text with many, and each name
/// in code may lead to where it is told of. A line of code that is all link is none.
pub(super) fn is_links(block: &TextBlock) -> bool {
    let most = if is_code(block) {
        95
    } else if block.letters >= LONG && block.kind & ITEM != 0 {
        85
    } else {
        45
    };
    100 * u64::from(block.linked) > most * u64::from(block.letters)
}
