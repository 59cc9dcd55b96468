//! The usual line, read fast.
//!
//! *Input.* A line, the names of the fields. *Output.* The raw values of the named fields and the
//! text, or nothing: then [`super::judge`] reads the line from its beginning, and says what is
//! wrong with it, if anything is. *Algorithm.* One pass. Strings are searched for quotes,
//! backslashes and control characters many bytes at a time; one with escapes is copied at the same
//! time. Whatever is unusual (a named field twice, or under two names; keys with escapes; deep
//! nesting; half a surrogate pair) is left to the other reader, so that it needs no rule here.
//! *Memory.* The text of a string with escapes, in a buffer that serves one line after another.
//! *Limits.* [`DEPTH`] levels.

use std::borrow::Cow;

use super::raw::{EscapeBuffer, RawFields};
use super::specials::{is_special, special, special_tops, specials};
use super::text::Text;
use decode::options::FieldNames;

/// Bytes looked at, and copied, at once.
const BLOCK: usize = 64;

/// Bytes that may be read of a block and behind it: those of a copy that begins behind an escape at
/// its end.
const WINDOW: usize = 2 * BLOCK + 1;

/// Arrays and objects within each other that are still usual.
const DEPTH: u32 = 16;

/// The named fields of a line; `None` if it is not a usual one.
pub(super) fn scan<'a>(
    line: &'a str,
    names: &FieldNames,
    scratch: &mut EscapeBuffer<'a>,
) -> Option<RawFields<'a>> {
    let mut raw = RawFields::for_names(names);
    let mut scan = Scan { line, at: 0 };
    scan.members(|scan, key| {
        if *key == *names.text {
            if raw.slots(names).any(|(name, _)| name == key) {
                return None;
            }
            let text = match scan.peek()? {
                b'"' => Text::String(scan.string(scratch)?),
                b'n' => scan.literal("null").map(|()| Text::Null)?,
                _ => return None,
            };
            return if raw.text.replace(text).is_some() {
                None
            } else {
                Some(())
            };
        }
        let from = scan.at;
        if *key == *names.html && raw.text.is_none() && scan.peek() == Some(b'"') {
            // It will be the text, probably.
            raw.html_text = Some(scan.string(scratch)?);
        } else {
            scan.value(DEPTH)?;
        }
        let value = &line[from..scan.at];
        let mut slots = raw.slots(names).filter(|(name, _)| *name == key);
        if slots.any(|(_, slot)| slot.replace(value).is_some()) {
            None
        } else {
            Some(())
        }
    })?;
    scan.blanks();
    (scan.at == line.len()).then_some(raw)
}

struct Scan<'a> {
    line: &'a str,
    at: usize,
}

impl<'a> Scan<'a> {
    fn peek(&self) -> Option<u8> {
        self.line.as_bytes().get(self.at).copied()
    }

    fn take(&mut self, byte: u8) -> Option<()> {
        let is_here = self.peek() == Some(byte);
        self.at += usize::from(is_here);
        is_here.then_some(())
    }

    fn blanks(&mut self) {
        while let Some(b' ' | b'\t' | b'\r' | b'\n') = self.peek() {
            self.at += 1;
        }
    }

    fn literal(&mut self, literal: &str) -> Option<()> {
        let is_here = self.line.as_bytes()[self.at..].starts_with(literal.as_bytes());
        self.at += if is_here { literal.len() } else { 0 };
        is_here.then_some(())
    }

    /// An object; `member` takes the value of each key.
    fn members(&mut self, mut member: impl FnMut(&mut Self, &'a str) -> Option<()>) -> Option<()> {
        self.blanks();
        self.take(b'{')?;
        self.blanks();
        if self.take(b'}').is_some() {
            return Some(());
        }
        loop {
            self.blanks();
            self.take(b'"')?;
            let from = self.at;
            self.at = special(self.line.as_bytes(), from);
            let key = &self.line[from..self.at];
            self.take(b'"')?;
            self.blanks();
            self.take(b':')?;
            self.blanks();
            member(self, key)?;
            self.blanks();
            if self.take(b',').is_none() {
                return self.take(b'}');
            }
        }
    }

    /// Passes over a value.
    fn value(&mut self, depth: u32) -> Option<()> {
        match self.peek()? {
            b'"' => self.skip_string(),
            b't' => self.literal("true"),
            b'f' => self.literal("false"),
            b'n' => self.literal("null"),
            b'{' => {
                let depth = depth.checked_sub(1)?;
                self.members(|scan, _| scan.value(depth))
            }
            b'[' => self.elements(depth.checked_sub(1)?),
            _ => self.number(),
        }
    }

    fn elements(&mut self, depth: u32) -> Option<()> {
        self.take(b'[')?;
        self.blanks();
        if self.take(b']').is_some() {
            return Some(());
        }
        loop {
            self.blanks();
            self.value(depth)?;
            self.blanks();
            if self.take(b',').is_none() {
                return self.take(b']');
            }
        }
    }

    fn digits(&mut self) -> Option<()> {
        let digits = self.line.as_bytes()[self.at..]
            .iter()
            .take_while(|byte| byte.is_ascii_digit())
            .count();
        self.at += digits;
        (digits > 0).then_some(())
    }

    fn number(&mut self) -> Option<()> {
        let _ = self.take(b'-');
        if self.take(b'0').is_none() {
            self.digits()?;
        }
        if self.take(b'.').is_some() {
            self.digits()?;
        }
        if let Some(b'e' | b'E') = self.peek() {
            self.at += 1;
            if let Some(b'+' | b'-') = self.peek() {
                self.at += 1;
            }
            self.digits()?;
        }
        Some(())
    }

    fn skip_string(&mut self) -> Option<()> {
        self.take(b'"')?;
        loop {
            self.at = special(self.line.as_bytes(), self.at);
            match self.peek()? {
                b'"' => return self.take(b'"'),
                b'\\' => drop(self.escape()?),
                _ => return None,
            }
        }
    }

    /// A string: of the line, or in the scratch buffer if that is free.
    fn string(&mut self, scratch: &mut EscapeBuffer<'a>) -> Option<Cow<'a, str>> {
        self.take(b'"')?;
        let from = self.at;
        self.at = special(self.line.as_bytes(), from);
        if self.take(b'"').is_some() {
            return Some(Cow::Borrowed(&self.line[from..self.at - 1]));
        }
        self.at = from;
        match scratch.take() {
            Some(buffer) => {
                let length = self.unescape(buffer)?;
                simdutf8::basic::from_utf8(buffer.get(..length)?)
                    .ok()
                    .map(Cow::Borrowed)
            }
            None => {
                let mut text = Vec::new();
                let length = self.unescape(&mut text)?;
                text.truncate(length);
                String::from_utf8(text).ok().map(Cow::Owned)
            }
        }
    }

    /// The rest of a string with escapes; how much of the buffer it fills. It copies before it
    /// looks: what it wrote too far is written over.
    fn unescape(&mut self, text: &mut Vec<u8>) -> Option<usize> {
        let bytes = self.line.as_bytes();
        // No escape is shorter than what it stands for. At once, so that no text is ever held
        // twice.
        let room = bytes.len() - self.at + BLOCK;
        if text.len() < room {
            text.clear();
            text.reserve_exact(room);
            text.resize(room, 0);
        }
        let mut to = 0;
        loop {
            to = self.unescape_blocks(text, to);
            while let Some(word) = bytes.get(self.at..).and_then(<[u8]>::first_chunk::<8>) {
                text[to..to + 8].copy_from_slice(word);
                let found = special_tops(*word);
                if found != 0 {
                    let plain = found.trailing_zeros() as usize / 8;
                    (self.at, to) = (self.at + plain, to + plain);
                    break;
                }
                (self.at, to) = (self.at + 8, to + 8);
            }
            match bytes.get(self.at..)? {
                [b'"', ..] => return self.take(b'"').map(|()| to),
                [b'\\', ..] => to += self.escape()?.encode_utf8(&mut text[to..]).len(),
                // One of the last bytes of the line.
                [byte, ..] if !is_special(*byte) => {
                    text[to] = *byte;
                    (self.at, to) = (self.at + 1, to + 1);
                }
                _ => return None,
            }
        }
    }

    /// As much of it as goes by blocks: up to the end of the string, an escape of more than a byte,
    /// or the last bytes of the line. Takes where the buffer is filled up to, and gives it.
    fn unescape_blocks(&mut self, text: &mut [u8], to: usize) -> usize {
        let mut to = to;
        // As much as may be looked at and copied from a block, whose last byte may begin an escape.
        while let Some(window) = self
            .line
            .as_bytes()
            .get(self.at..)
            .and_then(<[u8]>::first_chunk::<WINDOW>)
        {
            let Some(block) = window.first_chunk() else {
                return to;
            };
            let mut found = specials(block);
            let mut done = 0;
            while found != 0 {
                let place = found.trailing_zeros() as usize;
                copy_block(text, to, window, done);
                to += place - done;
                let stands_for = if window[place] == b'\\' {
                    stands_for(window[place + 1])
                } else {
                    0
                };
                if stands_for == 0 {
                    self.at += place;
                    return to;
                }
                text[to] = stands_for;
                to += 1;
                done = place + 2;
                // An escaped backslash or quote is none.
                found &= !(3 << place);
            }
            copy_block(text, to, window, done);
            let end = done.max(BLOCK);
            (self.at, to) = (self.at + end, to + end - done);
        }
        to
    }

    fn escape(&mut self) -> Option<char> {
        self.take(b'\\')?;
        let byte = self.peek()?;
        self.at += 1;
        Some(match byte {
            b'n' => '\n',
            b'"' | b'\\' | b'/' => char::from(byte),
            b't' => '\t',
            b'r' => '\r',
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'u' => return self.code_point(),
            _ => return None,
        })
    }

    /// Four hexadecimal digits, or a surrogate pair.
    fn code_point(&mut self) -> Option<char> {
        let unit = self.unit()?;
        if !(0xd800..0xdc00).contains(&unit) {
            return char::from_u32(unit);
        }
        self.literal("\\u")?;
        let low = self
            .unit()?
            .checked_sub(0xdc00)
            .filter(|low| *low < 0x400)?;
        char::from_u32(0x1_0000 + ((unit - 0xd800) << 10) + low)
    }

    fn unit(&mut self) -> Option<u32> {
        let digits = self.line.as_bytes().get(self.at..self.at + 4)?;
        self.at += 4;
        digits.iter().try_fold(0, |unit, &digit| {
            Some(unit << 4 | char::from(digit).to_digit(16)?)
        })
    }
}

/// Copies the block of `window` that begins at `from` to `text[to..]`, which is long enough by the
/// way it is made.
#[inline(always)]
fn copy_block(text: &mut [u8], to: usize, window: &[u8; WINDOW], from: usize) {
    let room = text
        .get_mut(to..)
        .and_then(<[u8]>::first_chunk_mut::<BLOCK>);
    let block = window.get(from..).and_then(<[u8]>::first_chunk::<BLOCK>);
    if let (Some(room), Some(block)) = (room, block) {
        *room = *block;
    }
}

/// The byte that an escape of two bytes stands for; 0: it is longer, or none.
#[inline(always)]
fn stands_for(escaped: u8) -> u8 {
    match escaped {
        b'n' => b'\n',
        b'"' | b'\\' | b'/' => escaped,
        b't' => b'\t',
        b'r' => b'\r',
        b'b' => 8,
        b'f' => 12,
        _ => 0,
    }
}

#[cfg(test)]
mod tests;
