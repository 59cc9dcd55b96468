//! Which blocks of a page are its main part?
//!
//! *Input.* The outline of a page. *Output.* For each block whether it counts. *Algorithm.*
//! 1. A region is a part of the frame if its start tag says so, but not if it holds so much of the
//!    page that its name must be wrong ([`frames`]).
//! 2. Of what is left, the smallest region that holds most of the text is the one of the main part
//!    ([`main_region`]), with other articles beside it. A lead may stand right before it.
//! 3. In it, links, headings of links, and short texts of no kind do not count. Lines of code do.
//! 4. If that is less than half of the text there, and links are not most of it, all of it counts
//!    but for links.
//! 5. If few sentences are left beside a list, all of the element counts that names itself content
//!    and holds most of the page ([`listed_part`]), or all of a page that names nothing content:
//!    the page is an index. So it is if the list is far longer than all else.
//! 6. If next to nothing is left, all of the region counts; if that is nothing, all but the frame;
//!    if that is nothing, what is in elements of content, whatever its names. If that is nothing,
//!    the page has no main part.
//!
//! The ideas are those of J. Kohlschütter, P. Fankhauser and W. Nejdl, *Boilerplate Detection using
//! Shallow Text Features* (WSDM 2010): length and density of links tell text from the rest, block
//! by block. *Memory.* About 30 bytes a region and 1 a block. *Limits.* Linear; `PARTS_MAX` of
//! [`crate::main_part::outline`].

use crate::main_part::element::{HEADING, TEXT};
use crate::main_part::frame::{captions, frames};
use crate::main_part::measures::{LONG, NOTHING, is_code, is_links, letters, weight};
use crate::main_part::outline::{Outline, Region, TextBlock};
use crate::main_part::regions::{any_tells, around, sums, within};
use crate::main_part::tells;

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
/// How much of the text an element of content beside the main part holds that belongs to it, in
/// percent.
const OTHER: u64 = 10;
/// Letters of sentences, some thirty words, that may be a notice above a list of links. Entries of
/// the list without a link are none.
const FEW: u64 = 200;
/// Sentences, and what is near them, are too little of a page if all text without links is more
/// than so many times as long.
const PLAIN: u64 = 2;
/// How long a list is that is the content of the page beside these, in percent of what counts else.
const LISTED_BESIDE_FEW: u64 = 120;
/// The length of such a list beside more sentences, in percent: long entries without a link look
/// like sentences.
const LISTED: u64 = 1600;
/// The length of such a list in an element named as content, in percent.
const LISTED_IN_CONTENT: u64 = 700;

/// Whether each block counts; `None` if the page has no main part.
pub(super) fn judge(outline: &Outline) -> Option<Vec<bool>> {
    let (blocks, regions) = (outline.blocks.as_slice(), outline.regions.as_slice());
    if outline.is_too_long() {
        return Some(vec![true; blocks.len()]);
    }
    let frame = frames(blocks, regions);
    let caption = captions(blocks, regions);
    let is_left = |block: &TextBlock| {
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
        counted = named_content(blocks, regions);
    }
    let mut counts = vec![false; blocks.len()];
    for &at in &counted {
        counts[at] = true;
    }
    (!counted.is_empty()).then_some(counts)
}

/// The blocks of elements of content, though all that stands there has names of a frame.
fn named_content(blocks: &[TextBlock], regions: &[Region]) -> Vec<usize> {
    let tells = |at: usize, bits: u16| regions[at].tells & bits != 0;
    let is_content = |at| tells(at, tells::CONTENT) && !tells(at, tells::FRAME_ELEMENT);
    let (inside, hidden) = (
        within(regions, is_content),
        within(regions, |at| tells(at, tells::NEVER | tells::NOT_SHOWN)),
    );
    let regions = blocks.iter().map(|block| block.region as usize);
    let is_shown = |(_, region): &(usize, usize)| inside[*region] && !hidden[*region];
    let shown: Vec<usize> = regions
        .enumerate()
        .filter(is_shown)
        .map(|(at, _)| at)
        .collect();
    if letters(blocks, &shown) < NOTHING {
        return Vec::new();
    }
    shown
}

/// Whether each block is in the page itself: not in its title, nor in what it says where scripts do
/// not run.
pub(super) fn page_itself(outline: &Outline) -> Vec<bool> {
    let regions = outline.regions.as_slice();
    let stands_in = within(regions, |at| regions[at].tells & tells::STANDS_IN != 0);
    let blocks = outline.blocks.iter();
    blocks
        .map(|block| !stands_in[block.region as usize])
        .collect()
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
/// content, or is shorter, is not the main part but a footer, if that element is not in it. Other
/// elements of content that hold 10 % belong to a main part of that name.
fn main_region(blocks: &[TextBlock], regions: &[Region], left: &[usize]) -> MainRegion {
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
    let is_named = named[best];
    if is_named {
        best = with_others(regions, best, |at| is_content(at) && holds(at, OTHER));
    }
    MainRegion {
        inside: within(regions, |at| at == best),
        is_named,
        is_page: best == 0,
    }
}

/// The smallest region around a main part and other content: one of several articles is not the
/// main part of a page.
fn with_others(regions: &[Region], main: usize, is_other: impl Fn(usize) -> bool) -> usize {
    let mut best = main;
    let mut holds_main = around(regions, |at| at == best);
    let mut in_main = within(regions, |at| at == best);
    for at in 1..regions.len() {
        if in_main[at] || holds_main[at] || !is_other(at) {
            continue;
        }
        let mut parent = at;
        while !holds_main[parent] {
            parent = regions[parent].parent as usize;
        }
        best = parent;
        holds_main = around(regions, |at| at == best);
        in_main = within(regions, |at| at == best);
    }
    best
}

/// Letters of what is left in each region, those of links included.
fn sums_of_letters(blocks: &[TextBlock], regions: &[Region], left: &[usize]) -> Vec<u64> {
    let of_block = |&at: &usize| (blocks[at].region, u64::from(blocks[at].letters));
    sums(regions, left.iter().map(of_block))
}

/// The blocks that a list of the page may be in: those of the smallest region that names itself
/// content and holds 55 % of all letters, those of links included; else those of the longest region
/// that names itself content, unless it is short beside the page.
fn listed_part(blocks: &[TextBlock], regions: &[Region], left: &[usize]) -> Option<Vec<usize>> {
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
fn with_lead(blocks: &[TextBlock], left: &[usize], main: &MainRegion) -> Vec<usize> {
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
fn texts(blocks: &[TextBlock], part: &[usize], main: &MainRegion) -> Vec<usize> {
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
fn heads_links(blocks: &[TextBlock], behind: &[usize]) -> bool {
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
fn trim(blocks: &[TextBlock], texts: &mut Vec<usize>) {
    let is_long = |at: &usize| blocks[*at].letters >= LONG || is_code(&blocks[*at]);
    if let (Some(first), Some(last)) = (
        texts.iter().position(is_long),
        texts.iter().rposition(is_long),
    ) {
        texts.truncate(last + 2);
        texts.drain(..first.saturating_sub(2));
    }
}
