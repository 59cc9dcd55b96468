//! The effect of a tag with a short name, without a branch on the name: a perfect hash, made at
//! compile time.
//!
//! Says the same as [`TagName::role`](crate::tag_name::TagName::role); a test compares them.
//! Memory: 2.3 KiB, static.

/// The effect of a tag, as far as the common case must know: how many line feeds it leaves, or that
/// it does more than that.
///
/// A number and no `enum`: a compiler tells its variants apart one by one, and which of the first
/// two it is is as good as random.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Effect(u8);

impl Effect {
    /// An inline tag: nothing.
    pub(super) const NOTHING: Effect = Effect(0);
    /// Any other tag: a line feed.
    pub(super) const LINE: Effect = Effect(1);
    /// More than that: whoever asks must look closer.
    pub(super) const SPECIAL: Effect = Effect(2);

    /// The line feeds that the tag leaves; `None` if it does more than that.
    #[inline(always)]
    pub(super) fn lines(self) -> Option<usize> {
        (self.0 <= Effect::LINE.0).then_some(usize::from(self.0))
    }
}

/// Longest name in the table but one; `plaintext` is longer and told by its length.
const LENGTH_MAX: usize = 8;
const PLAINTEXT_LENGTH: usize = 9;

/// Names with the effect [`Effect::NOTHING`], then those with the effect [`Effect::SPECIAL`].
const INLINE: [&str; 34] = [
    "a", "abbr", "acronym", "b", "bdi", "bdo", "big", "cite", "code", "data", "del", "dfn", "em",
    "font", "i", "ins", "kbd", "label", "mark", "nobr", "q", "s", "samp", "small", "span",
    "strike", "strong", "sub", "sup", "time", "tt", "u", "var", "wbr",
];
const SPECIAL: [&str; 11] = [
    "template", "script", "style", "title", "textarea", "xmp", "svg", "math", "iframe", "noembed",
    "noframes",
];

const SLOTS_LOG2: u32 = 8;
const SLOTS: usize = 1 << SLOTS_LOG2;

struct EffectTable {
    factor: u64,
    names: [u64; SLOTS],
    effects: [Effect; SLOTS],
}

static TABLE: EffectTable = table();

const fn table() -> EffectTable {
    let mut factor = 0x9E37_79B9_7F4A_7C15;
    loop {
        if let Some(table) = table_with(factor) {
            return table;
        }
        // a step of Marsaglia's xorshift: any odd factors will do
        factor ^= factor << 13;
        factor ^= factor >> 7;
        factor ^= factor << 17;
        factor |= 1;
    }
}

/// The table with this factor, if it keeps all names apart.
const fn table_with(factor: u64) -> Option<EffectTable> {
    let mut table = EffectTable {
        factor,
        names: [0; SLOTS],
        effects: [Effect::LINE; SLOTS],
    };
    let mut at = 0;
    while at < INLINE.len() + SPECIAL.len() {
        let (name, effect) = if at < INLINE.len() {
            (packed(INLINE[at]), Effect::NOTHING)
        } else {
            (packed(SPECIAL[at - INLINE.len()]), Effect::SPECIAL)
        };
        let slot = slot(name, factor);
        if table.names[slot] != 0 {
            return None;
        }
        (table.names[slot], table.effects[slot]) = (name, effect);
        at += 1;
    }
    Some(table)
}

const fn slot(name: u64, factor: u64) -> usize {
    (name.wrapping_mul(factor) >> (u64::BITS - SLOTS_LOG2)) as usize
}

/// The bytes of a name, the first one lowest, and all bits behind it: no name of a page is as long
/// as another and has them.
const fn packed(name: &str) -> u64 {
    let bytes = name.as_bytes();
    let mut packed = u64::MAX;
    let mut at = bytes.len();
    while at > 0 {
        at -= 1;
        packed = packed << 8 | bytes[at] as u64;
    }
    packed
}

/// The effect of the tag whose name has this length and these first eight bytes, the first one
/// lowest, in either case.
#[inline(always)]
pub(super) fn effect_of(first: u64, length: usize) -> Effect {
    if length > LENGTH_MAX {
        return if length == PLAINTEXT_LENGTH {
            Effect::SPECIAL
        } else {
            Effect::LINE
        };
    }
    let name = first | !(u64::MAX >> (64 - 8 * length.max(1)));
    // no other byte than a capital letter becomes a letter by this, and names here have small
    // letters only
    let name = name | (name & 0x4040_4040_4040_4040) >> 1;
    let slot = slot(name, TABLE.factor);
    // computed, as a select is made a branch around the second look-up
    let found = u8::from(TABLE.names[slot] == name).wrapping_neg();
    let line = Effect::LINE.0;
    Effect(line ^ (line ^ TABLE.effects[slot].0) & found)
}

#[cfg(test)]
mod tests {
    use super::super::tag::{TagRole, read};
    use super::*;
    use crate::tag_name::TagName;
    use proptest::prelude::*;

    /// The effect that the table should have for a tag.
    fn directly(name: TagName) -> Effect {
        match name.role() {
            _ if [TagName::of("svg"), TagName::of("math")].contains(&name) => Effect::SPECIAL,
            TagRole::Inline => Effect::NOTHING,
            TagRole::Block => Effect::LINE,
            _ => Effect::SPECIAL,
        }
    }

    fn check(name: &str) {
        let (expected, _) = read(format!("{name}>").as_bytes(), 0).expect("a tag");
        let mut first = [b'x'; 8];
        first
            .iter_mut()
            .zip(name.bytes())
            .for_each(|(to, byte)| *to = byte);
        let found = effect_of(u64::from_le_bytes(first), name.len());
        // every name of nine bytes is looked at closer
        if name.len() != PLAINTEXT_LENGTH {
            assert_eq!(found, directly(expected), "{name}");
        } else {
            assert_eq!(found, Effect::SPECIAL, "{name}");
        }
    }

    #[test]
    fn all_names_of_the_table() {
        for name in INLINE.iter().chain(&SPECIAL) {
            check(name);
            check(&name.to_uppercase());
            check(&format!("{name}s"));
            check(&name[..name.len() - 1].replace("", "x"));
        }
        check("plaintext");
        for name in [
            "span\0",
            "a\0",
            "p",
            "div",
            "h1",
            "blockquote",
            "table",
            "B@",
            "b[",
            "figcaption",
            "plaintex",
            "plaintexts",
        ] {
            check(name);
        }
    }

    proptest! {
        #[test]
        fn any_name(name in "[a-zA-Z][!-.0-;=?-~]{0,12}", short in "[a-uA-U]{1,2}") {
            check(&name);
            check(&short);
        }
    }
}
