//! Which blocks of a page are its main part?
//!
//! *Input.* The outline of a page. *Output.* For each block whether it counts. *Algorithm.*
//! 1. A region is a part of the frame if its start tag says so, but not if it holds so much of the
//!    page that its name must be wrong ([`frames`]).
//! 2. Of what is left, the smallest region that holds most of the text is the one of the main part
//!    ([`main_region`]). A lead may stand right before it.
//! 3. In it, links, headings of links, and short texts of no kind do not count. Lines of code do.
//! 4. If that is less than half of the text there, and links are not most of it, all of it counts
//!    but for links.
//! 5. If few sentences are left beside a list, all of the element counts that names itself content
//!    and holds most of the page ([`listed_part`]), or all of a page that names nothing content:
//!    the page is an index. So it is if the list is far longer than all else.
//! 6. If next to nothing is left, all of the region counts; if that is nothing, all but the frame;
//!    if that is nothing, the page without its title and what it says where scripts do not run.
//!
//! The ideas are those of J. Kohlschütter, P. Fankhauser and W. Nejdl, *Boilerplate Detection using
//! Shallow Text Features* (WSDM 2010): length and density of links tell text from the rest, block
//! by block. *Memory.* About 30 bytes a region and 1 a block. *Limits.* Linear; `PARTS_MAX` of
//! [`crate::outline`].

use crate::element::{HEADING, ITEM, PREFORMATTED, TEXT};
use crate::outline::{Block, Outline, Region};
use crate::regions::{any_tells, around, sums, within};
use crate::tells;

/// Letters of a text that is a sentence or more, some twelve words.
const LONG: u32 = 55;
/// Letters of a short text that no element of text holds, below which it is a label.
const LABEL: u32 = 40;
/// Letters of a caption that only names a picture.
const CAPTION: u32 = 50;
/// Letters of a lead.
const LEAD: u32 = 70;
/// Blocks before the main region in which its lead may stand.
const LEAD_BLOCKS: usize = 8;
/// Blocks behind a heading that tell what it heads.
const HEADED_BLOCKS: usize = 12;
/// Blocks before and behind a text that belong to it.
const NEAR: usize = 3;
/// Letters of what may be all of the text of a page and yet is its footer.
const FOOTER: u32 = 400;
/// Letters of a main part that is as good as none.
const NOTHING: u64 = 20;
/// Letters of sentences, some thirty words, that may be a notice above a list of links. Entries of
/// the list without a link are none.
const FEW: u64 = 200;
/// Sentences, and what is near them, are too little of a page if all text without links is more
/// than so many times as long.
const PLAIN: u64 = 2;
/// How long a list is that is the content of the page beside these, in percent of what counts else.
const LISTED_BESIDE_FEW: u64 = 120;
/// The same beside more sentences: long entries without a link look like them.
const LISTED: u64 = 1600;
/// The same in what names itself content.
const LISTED_IN_CONTENT: u64 = 700;

/// Whether each block counts.
pub(super) fn judge(outline: &Outline) -> Vec<bool> {
    let (blocks, regions) = (outline.blocks.as_slice(), outline.regions.as_slice());
    if outline.is_too_long() {
        return vec![true; blocks.len()];
    }
    let frame = frames(blocks, regions);
    let caption = captions(blocks, regions);
    let is_left = |block: &Block| {
        let region = block.region as usize;
        !(frame[region] || block.is_credit || caption[region] && block.letters < CAPTION)
    };
    let left: Vec<usize> = (0..blocks.len())
        .filter(|&at| is_left(&blocks[at]))
        .collect();
    let main = main_region(blocks, regions, &left);
    let part = with_lead(blocks, &left, &main);
    let mut counted = texts(blocks, &part, &main);
    let is_plain = |at: &usize| !is_links(&blocks[*at]);
    let plain: Vec<usize> = part.iter().copied().filter(is_plain).collect();
    let most = letters(blocks, &plain);
    let is_most = most >= FEW && 2 * most >= letters(blocks, &part);
    if is_most && PLAIN * letters(blocks, &counted) < most {
        counted = plain;
    }
    let is_long = |at: &usize| blocks[*at].letters >= LONG;
    let sentences: Vec<usize> = counted.iter().copied().filter(is_long).collect();
    let most = match letters(blocks, &sentences) < FEW {
        true => LISTED_BESIDE_FEW,
        false if main.is_named => LISTED_IN_CONTENT,
        false => LISTED,
    };
    let text = most * letters(blocks, &counted);
    let is_list = |listed: &Vec<usize>| text < 100 * letters(blocks, listed);
    let content = listed_part(blocks, regions, &left);
    let around = if main.is_named { &part } else { &left };
    let listed = content.into_iter().chain([around.clone()]).find(is_list);
    if let Some(listed) = listed {
        counted = listed;
    }
    for more in [&part, &left] {
        if letters(blocks, &counted) < NOTHING {
            counted.clone_from(more);
        }
    }
    if counted.is_empty() {
        let stands_in = within(regions, |at| regions[at].tells & tells::STANDS_IN != 0);
        let is_shown = |block: &Block| !stands_in[block.region as usize];
        return blocks.iter().map(is_shown).collect();
    }
    let mut counts = vec![false; blocks.len()];
    for at in counted {
        counts[at] = true;
    }
    counts
}

fn letters(blocks: &[Block], which: &[usize]) -> u64 {
    which.iter().map(|&at| u64::from(blocks[at].letters)).sum()
}

fn is_code(block: &Block) -> bool {
    block.kind & PREFORMATTED != 0
}

/// What a block weighs in the search for the main region: its letters outside of links, those of a
/// short one less.
fn weight(block: &Block) -> u64 {
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
fn is_links(block: &Block) -> bool {
    let most = if is_code(block) {
        95
    } else if block.letters >= LONG && block.kind & ITEM != 0 {
        85
    } else {
        45
    };
    100 * u64::from(block.linked) > most * u64::from(block.letters)
}

/// Which regions are parts of the frame. A name of a frame is wrong if the region holds most of
/// the text, or a third of it with an element of content inside; that of comments or a footer only
/// if it holds nearly all, and is long; that of what stands around a main part is wrong in any
/// case. What is hidden, and has the name of a frame, is one unless it holds nearly all. Beside a
/// main part, or an element of content, a header, an element of a frame, and what has the name of
/// one are frame in any case.
fn frames(blocks: &[Block], regions: &[Region]) -> Vec<bool> {
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
    let is_main = |at: usize| tells(at, tells::MAIN) && letters[at] >= NOTHING;
    let in_main = within(regions, is_main);
    let holds_main = around(regions, is_main);
    let is_content = |at: usize| {
        tells(at, tells::CONTENT)
            && !tells(at, tells::NEVER | tells::FRAME_ELEMENT)
            && letters[at] >= NOTHING
    };
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
            || tells(at, tells::FRAME_ELEMENT) && (is_beside_content || is_below(70))
            || tells(at, tells::FRAME_NAME | tells::HEADER) && is_beside_content
            || tells(at, tells::FRAME_NAME) && (by_name || is_beside_main) && !holds_main[at]
            || tells(at, tells::TEASER) && is_below(30) && 33 * linked[at] > letters[at]
    })
}

/// Which regions are captions, or in one.
fn captions(blocks: &[Block], regions: &[Region]) -> Vec<bool> {
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

/// The region of the main part.
struct MainRegion {
    /// Whether each region is it or in it.
    inside: Vec<bool>,
    /// Whether it, or one around it, names itself content.
    is_named: bool,
    /// Whether it is the whole page.
    is_page: bool,
}

/// The smallest region that names itself content and holds 55 % of the text, or any that holds
/// 90 %; else a main part by name that holds 30 %; else the page. What stands behind an element of
/// content, or is shorter, is not the main part but a footer, if that element is not in it.
fn main_region(blocks: &[Block], regions: &[Region], left: &[usize]) -> MainRegion {
    let weights = sums(
        regions,
        left.iter()
            .map(|&at| (blocks[at].region, weight(&blocks[at]))),
    );
    let whole = weights[0].max(1);
    let is_content = |at: usize| regions[at].tells & tells::CONTENT != 0;
    let holds = |at: usize, percent: u64| 100 * weights[at] >= percent * whole;
    let mut best = 0;
    for at in 1..regions.len() {
        let percent = if is_content(at) { 55 } else { 90 };
        if holds(at, percent) && (best == 0 || weights[at] <= weights[best]) {
            best = at;
        }
    }
    if !is_content(best) {
        let is_main = |at: &usize| regions[*at].tells & tells::MAIN != 0 && holds(*at, 30);
        best = (1..regions.len()).find(is_main).unwrap_or(best);
    }
    let named = within(regions, is_content);
    if best != 0 && !named[best] {
        let letters = sums_of_letters(blocks, regions, left);
        let is_before = |at: &usize| *at < best || letters[*at] > letters[best];
        let is_more = |at: &usize| 10 * letters[*at] >= letters[0] && is_before(at);
        let content = (1..regions.len()).filter(|at| is_content(*at) && is_more(at));
        best = content.min_by_key(|at| letters[*at]).unwrap_or(best);
    }
    MainRegion {
        inside: within(regions, |at| at == best),
        is_named: named[best],
        is_page: best == 0,
    }
}

/// Letters of what is left in each region, those of links included.
fn sums_of_letters(blocks: &[Block], regions: &[Region], left: &[usize]) -> Vec<u64> {
    let of_block = |&at: &usize| (blocks[at].region, u64::from(blocks[at].letters));
    sums(regions, left.iter().map(of_block))
}

/// The blocks that a list of the page may be in: those of the smallest region that names itself
/// content and holds 55 % of all letters, those of links included; else those of the longest region
/// that names itself content, unless it is short beside the page.
fn listed_part(blocks: &[Block], regions: &[Region], left: &[usize]) -> Option<Vec<usize>> {
    if !any_tells(regions, tells::CONTENT) {
        return None;
    }
    let letters = sums_of_letters(blocks, regions, left);
    let holds = |at: &usize, percent: u64| {
        regions[*at].tells & tells::CONTENT != 0 && 100 * letters[*at] >= percent * letters[0]
    };
    let most = (1..regions.len()).filter(|at| holds(at, 55));
    let longest = (1..regions.len()).filter(|at| holds(at, 10));
    let best = most.min_by_key(|at| letters[*at]);
    let best = best.or_else(|| longest.max_by_key(|at| letters[*at]))?;
    let inside = within(regions, |at| at == best);
    let is_inside = |at: &usize| inside[blocks[*at].region as usize];
    Some(left.iter().copied().filter(is_inside).collect())
}

/// The blocks of the main region, and the texts right before it up to a heading.
fn with_lead(blocks: &[Block], left: &[usize], main: &MainRegion) -> Vec<usize> {
    let is_inside = |at: &usize| main.inside[blocks[*at].region as usize];
    let first = left.iter().position(is_inside).unwrap_or(left.len());
    let before = left[..first].iter().rev().take(LEAD_BLOCKS);
    let lead = before
        .take_while(|&&at| blocks[at].kind & HEADING == 0)
        .filter(|&&at| blocks[at].letters >= LEAD && !is_links(&blocks[at]));
    let mut part: Vec<usize> = lead.copied().collect();
    part.reverse();
    part.extend(left[first..].iter().copied().filter(is_inside));
    part
}

/// The blocks of the part that are text, or belong to it.
fn texts(blocks: &[Block], part: &[usize], main: &MainRegion) -> Vec<usize> {
    let is_text = |at: usize| blocks[at].letters >= LONG && !is_links(&blocks[at]);
    let is_near_text = |from: usize, to: usize| {
        let near = part.get(from..to.min(part.len())).unwrap_or_default();
        near.iter().any(|&at| is_text(at))
    };
    let mut texts = Vec::new();
    for (place, &at) in part.iter().enumerate() {
        let block = &blocks[at];
        let is_heading = block.kind & HEADING != 0;
        if is_heading && heads_links(blocks, &part[place + 1..]) {
            continue;
        }
        let is_label = block.kind & TEXT == 0 && block.letters < LABEL;
        let belongs = main.is_named
            || is_near_text(place.saturating_sub(NEAR), place + NEAR + 1)
                && (!main.is_page || block.letters >= 12)
            || is_heading && is_near_text(place, place + NEAR + 1);
        let counts = is_code(block) || !is_label && belongs;
        if is_text(at) || !is_links(block) && counts {
            texts.push(at);
        }
    }
    if !main.is_named {
        trim(blocks, &mut texts);
    }
    texts
}

/// Whether links stand behind a heading rather than text, up to the next one.
fn heads_links(blocks: &[Block], behind: &[usize]) -> bool {
    let (mut linked, mut plain) = (0, 0);
    for block in behind.iter().take(HEADED_BLOCKS).map(|&at| &blocks[at]) {
        if block.kind & HEADING != 0 {
            break;
        }
        *if is_links(block) {
            &mut linked
        } else {
            &mut plain
        } += block.letters;
    }
    linked > plain || behind.is_empty()
}

/// Cuts off what stands at the ends, beyond a block or two beside the outermost long texts.
fn trim(blocks: &[Block], texts: &mut Vec<usize>) {
    let is_long = |at: &usize| blocks[*at].letters >= LONG || is_code(&blocks[*at]);
    if let (Some(first), Some(last)) = (
        texts.iter().position(is_long),
        texts.iter().rposition(is_long),
    ) {
        texts.truncate(last + 2);
        texts.drain(..first.saturating_sub(2));
    }
}
