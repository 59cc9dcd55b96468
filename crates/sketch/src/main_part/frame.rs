//! Which regions of a page are its frame, or captions of pictures.

use crate::main_part::measures::weight;
use crate::main_part::outline::{Region, TextBlock};
use crate::main_part::regions::{any_tells, around, sums, within};
use crate::main_part::tells;

/// Letters of what may be all of the text of a page and yet is its footer.
const FOOTER: u32 = 400;

/// Which regions are parts of the frame. A name of a frame is wrong if the region holds most of
/// the text, or a third of it with an element of content inside; that of comments or a footer only
/// if it holds nearly all, and is long; that of what stands around a main part is wrong in any
/// case. What is hidden, and has the name of a frame, is one unless it holds nearly all. Beside a
/// main part, or an element of content, a header, an element of a frame, and what has the name of
/// one are frame in any case, however short the content. Content in an element of a frame is none.
pub(super) fn frames(blocks: &[TextBlock], regions: &[Region]) -> Vec<bool> {
    let tells = |at: usize, bits: u16| regions[at].tells & bits != 0;
    let never = within(regions, |at| tells(at, tells::NEVER));
    let shown = blocks.iter().filter(|block| !never[block.region as usize]);
    let weights = sums(regions, shown.map(|block| (block.region, weight(block))));
    let letters = sums(
        regions,
        blocks
            .iter()
            .map(|block| (block.region, block.letters.into())),
    );
    let linked = sums(
        regions,
        blocks
            .iter()
            .map(|block| (block.region, block.linked.into())),
    );
    let whole = weights[0].max(1);
    let mut holds_content = vec![false; regions.len()];
    for at in (1..regions.len()).rev() {
        if holds_content[at] || tells(at, tells::CONTENT) && 4 * weights[at] >= whole {
            holds_content[regions[at].parent as usize] = true;
        }
    }
    let is_main = |at: usize| tells(at, tells::MAIN);
    let in_main = within(regions, is_main);
    let holds_main = around(regions, is_main);
    // what a frame shows of other pages is no content of this one
    let in_frame = within(regions, |at| tells(at, tells::NEVER | tells::FRAME_ELEMENT));
    let is_content = |at: usize| tells(at, tells::CONTENT) && !in_frame[at] && letters[at] > 0;
    let in_content = within(regions, is_content);
    let around_content = around(regions, is_content);
    within(regions, |at| {
        let is_beside_main = holds_main[0] && !in_main[at] && !holds_main[at];
        let is_beside_content = around_content[0] && !in_content[at] && !around_content[at];
        // in a list of links, a footer has nearly all of the text, and is one
        let is_below = |percent: u64| {
            100 * weights[at] < percent * whole || 200 * letters[at] < percent * letters[0]
        };
        let by_name = match (tells(at, tells::FIRM), holds_content[at]) {
            (true, _) => is_below(85) || letters[at] < FOOTER.into(),
            (false, true) => is_below(30),
            (false, false) => is_below(45),
        };
        tells(at, tells::NEVER)
            || tells(at, tells::NOT_SHOWN)
                && is_below(if tells(at, tells::FRAME_NAME) { 98 } else { 50 })
            || tells(at, tells::FRAME_ELEMENT)
                && (is_beside_main || is_beside_content || is_below(70))
            || tells(at, tells::FRAME_NAME | tells::HEADER) && is_beside_content
            || tells(at, tells::FRAME_NAME) && (by_name || is_beside_main) && !holds_main[at]
            || tells(at, tells::TEASER) && is_below(30) && 33 * linked[at] > letters[at]
    })
}

/// Which regions are captions, or in one.
pub(super) fn captions(blocks: &[TextBlock], regions: &[Region]) -> Vec<bool> {
    if !any_tells(regions, tells::CAPTION) {
        return vec![false; regions.len()];
    }
    let weights = sums(
        regions,
        blocks.iter().map(|block| (block.region, weight(block))),
    );
    within(regions, |at| {
        regions[at].tells & tells::CAPTION != 0 && 10 * weights[at] < 3 * weights[0].max(1)
    })
}
