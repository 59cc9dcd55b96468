//! The common case of pages, a block of 64 bytes at a time.
//!
//! The places of `<` and `&` in a block are found at once. They are walked in order; the end of
//! each tag is computed from its own 64 bytes, without a branch on what it holds: where its name
//! ends, where quotes are, and which `>` is the first outside of them (quotes by the parity of
//! those before, a carry-less product, as in G. Langdale and D. Lemire, *Parsing Gigabytes of JSON
//! per Second*, 2019). So the processor can be at work on several tags at once.
//!
//! A tag is left to the plain scanner unless this is certain to give its very result: an ASCII
//! letter behind `<` or `</`; a name within 64 bytes that only leaves a line feed or nothing
//! behind; an end within 256 bytes, in XML not behind a `/`; and either no quote before the first
//! `>`, or nothing but attributes `name="value"`, `name=value` and `name`. The plain scanner also
//! reads references, comments and whatever else. Stops where elements are open that change what
//! text is, and 64 bytes before the end of the page.

use super::effect::effect_of;
use super::scanner::Scanner;
use crate::isa::{HotLoop, Isa};

/// Longest tag read here.
const TAG_BYTES_MAX: usize = 256;

/// Reads a page from where its scanner is.
pub(super) struct TagWalk<'a, 'b>(pub(super) &'a mut Scanner<'b>);

impl HotLoop for TagWalk<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run(self, isa: impl Isa) {
        walk(isa, self.0);
    }

    /// Nothing: the plain scanner reads it all.
    fn run_portable(self) {}
}

#[inline(always)]
fn walk(isa: impl Isa, scanner: &mut Scanner<'_>) {
    let source = scanner.source.as_bytes();
    let mut base = scanner.at;
    while let Some(block) = source.get(base..).and_then(|rest| rest.first_chunk()) {
        let block = isa.load(block);
        let mut stops = isa.equal(block, b'<') | isa.equal(block, b'&') | isa.equal(block, 0);
        while stops != 0 {
            let place = base + stops.trailing_zeros() as usize;
            stops &= stops - 1;
            if place < scanner.at {
                // inside of what was just read
                continue;
            }
            let Some(window) = source.get(place..).and_then(|rest| rest.first_chunk()) else {
                return;
            };
            scanner.text.push_blocks(source, scanner.at, place);
            scanner.at = place;
            if window[0] != b'<' {
                if window[0] == 0 {
                    scanner.nul = Some(true);
                    return;
                }
                scanner.reference();
            } else if let Some((length, lines)) = plain_tag(isa, window, &source[place..])
                && !may_close_itself(scanner, place + length)
            {
                if scanner.outline.is_some() && (lines > 0 || is_link(window)) {
                    scanner.outline_seen(place + 1, place + length, lines == 0);
                }
                scanner.text.push_lines(lines);
                scanner.at = place + length;
            } else {
                scanner.markup();
                if !scanner.is_ordinary() {
                    return;
                }
            }
        }
        base = scanner.at.max(base + 64);
    }
}

/// Whether the tag that ends at `end` may be an element without content, which the main part knows
/// nothing of: the plain scanner tells.
#[inline(always)]
fn may_close_itself(scanner: &Scanner<'_>, end: usize) -> bool {
    scanner.is_xml && scanner.outline.is_some() && scanner.source.as_bytes()[end - 2] == b'/'
}

/// Whether an inline tag that begins the window is that of a link, or of another element with a
/// name in `a`.
#[inline(always)]
fn is_link(window: &[u8; 64]) -> bool {
    let name = window[1 + usize::from(window[1] == b'/')];
    name.eq_ignore_ascii_case(&b'a')
}

/// Length of the tag that begins the window, and the line feeds it leaves behind; `None` for the
/// plain scanner. `rest` is the page from the window on.
#[inline(always)]
fn plain_tag(isa: impl Isa, window: &[u8; 64], rest: &[u8]) -> Option<(usize, usize)> {
    let block = isa.load(window);
    let start = 1 + usize::from(window[1] == b'/');
    let name = u64::from_le_bytes(*window.get(start..)?.first_chunk()?);
    if !(name as u8).is_ascii_alphabetic() {
        return None;
    }
    let ends = isa.name_ends(block);
    let behind = ends & (!0 << start);
    let name_end = behind.trailing_zeros() as usize;
    let lines = effect_of(name, name_end - start).lines()?;
    // most tags have no attributes: all end tags, to begin with; a name that goes on behind the
    // window may hold `=` and quotes, which are no attribute there
    if *window.get(name_end)? == b'>' {
        return Some((name_end + 1, lines));
    }
    let attributes = behind.wrapping_neg() | behind;
    match AttributeState::default().read(isa, block, attributes) {
        TagRead::End(at) => Some((at + 1, lines)),
        TagRead::Irregular => None,
        TagRead::Open(state) => long_tag(isa, state, rest).map(|length| (length, lines)),
    }
}

/// The length of a tag whose first 64 bytes are read.
#[inline(always)]
fn long_tag(isa: impl Isa, first: AttributeState, rest: &[u8]) -> Option<usize> {
    let mut state = first;
    for start in (64..TAG_BYTES_MAX).step_by(64) {
        let block = isa.load(rest.get(start..)?.first_chunk()?);
        match state.read(isa, block, !0) {
            TagRead::End(at) => return Some(start + at + 1),
            TagRead::Irregular => return None,
            TagRead::Open(next) => state = next,
        }
    }
    None
}

/// The state of the attributes of a tag after a block has been read. All masks are 0 or have one
/// bit, the lowest.
#[derive(Clone, Copy, Default)]
struct AttributeState {
    /// All bits are set if the next byte is inside a value.
    inside: u64,
    /// Whether any quote was seen, and whether the values are in single quotes.
    quoted: bool,
    single: bool,
    /// Whether the last byte was a `=` before a value.
    equals: u64,
    /// Whether the last byte cannot be the end of an attribute's name: it ends names, or is a
    /// quote.
    no_name: u64,
    /// Whether anything was seen that only a tag without quotes may have.
    irregular: bool,
}

/// The result of reading one block of a tag.
enum TagRead {
    /// The tag ends at this byte.
    End(usize),
    /// It goes on.
    Open(AttributeState),
    /// The plain scanner must look.
    Irregular,
}

impl AttributeState {
    /// Reads the bytes of `block` that are set in `here`, which are its last ones.
    #[inline(always)]
    fn read<I: Isa>(self, isa: I, block: I::Block, here: u64) -> TagRead {
        let double = isa.equal(block, b'"') & here;
        let single = isa.equal(block, b'\'') & here;
        let brackets = isa.equal(block, b'>') & here;
        let first_is_single = lowest(double | single) & single != 0;
        let values_are_single = if self.quoted {
            self.single
        } else {
            first_is_single
        };
        let quotes = if values_are_single { single } else { double };
        let inside = isa.prefix_parity(quotes) ^ self.inside;
        let end = lowest(brackets & !inside);
        // if there is no end, all
        let before = end.wrapping_sub(1);
        let outside = here & !inside & before;
        let equals = isa.equal(block, b'=') & outside;
        let no_names = isa.name_ends(block) | quotes;
        // every quote that opens a value is behind a `=`, right behind the name of an attribute; so
        // no quote of the other kind opens one: as part of a name it means nothing
        let opening = quotes & inside & before;
        let behind_equals = (equals << 1 | self.equals) & before;
        // values without quotes: none of those quotes is in one, and none begins with a quote of
        // the other kind, or with white space, behind which a quote may be
        let white = isa.name_ends(block) & !(isa.equal(block, b'/') | isa.equal(block, b'>'));
        let unquoted = behind_equals & !opening;
        // the sum carries from the first byte of each to its end
        let values =
            unquoted | ((!white).wrapping_add(unquoted & !white) ^ !white) & !white & before;
        let irregular = opening & !behind_equals
            | equals & (no_names << 1 | self.no_name)
            | unquoted & (white | double | single)
            | values & opening
            // one that goes on in the next block
            | values & 1 << 63;
        let irregular = self.irregular || irregular != 0;
        let quoted = self.quoted || (double | single) & before != 0;
        if irregular && quoted {
            return TagRead::Irregular;
        }
        if end != 0 {
            // an `=` right before the end has no value to check
            return TagRead::End(end.trailing_zeros() as usize);
        }
        TagRead::Open(AttributeState {
            inside: (inside >> 63).wrapping_neg(),
            quoted,
            single: values_are_single,
            equals: equals >> 63,
            no_name: no_names >> 63,
            irregular,
        })
    }
}

/// The lowest bit that is set.
#[inline(always)]
fn lowest(bits: u64) -> u64 {
    bits & bits.wrapping_neg()
}

#[cfg(test)]
mod tests;
