//! The text of a page in the making: bytes in a buffer that is never shorter than the page could
//! need, so that whole blocks can be written and only a length moves.

use std::ops::Range;

/// Room behind the text for the rest of the last block written.
const SLACK: usize = 64;

/// Least size of the buffer, so that pages that are each a little larger than all before do not
/// each make it anew.
const ROOM_MIN: usize = 64 * 1024;

const BLOCK: usize = 64;

/// The text of a page.
#[derive(Default)]
pub(crate) struct PageText {
    /// Always whole: what is behind the text is of no use.
    room: Vec<u8>,
    length: usize,
}

impl PageText {
    /// The text, valid UTF-8.
    pub(crate) fn as_bytes(&self) -> &[u8] {
        &self.room[..self.length]
    }

    #[cfg(test)]
    pub(crate) fn capacity(&self) -> usize {
        self.room.capacity()
    }

    /// Empties it and makes room for so many bytes.
    pub(super) fn restart(&mut self, bytes_max: usize) {
        self.length = 0;
        if self.room.len() < bytes_max + SLACK {
            // freed first: two of them need not fit. Fresh zeros come from the system untouched
            self.room = Vec::new();
            self.room = vec![0; (bytes_max + SLACK).max(ROOM_MIN)];
        }
    }

    /// Keeps these ranges of the text only; they are in order.
    pub(super) fn keep(&mut self, ranges: &[Range<usize>]) {
        self.length = 0;
        for range in ranges {
            let length = range.len();
            self.room.copy_within(range.clone(), self.length);
            self.length += length;
        }
    }

    #[inline]
    pub(super) fn push(&mut self, piece: &[u8]) {
        self.room[self.length..self.length + piece.len()].copy_from_slice(piece);
        self.length += piece.len();
    }

    /// Adds `source[from..to]`, copying whole blocks: `source` must go on for 64 bytes behind `to`.
    #[inline(always)]
    pub(super) fn push_blocks(&mut self, source: &[u8], from: usize, to: usize) {
        self.push_block(source, from, 0);
        let mut done = BLOCK;
        while from + done < to {
            self.push_block(source, from, done);
            done += BLOCK;
        }
        self.length += to - from;
    }

    /// Copies the block that begins `done` bytes behind `from`.
    #[inline(always)]
    fn push_block(&mut self, source: &[u8], from: usize, done: usize) {
        let room = self
            .room
            .get_mut(self.length + done..)
            .and_then(|room| room.first_chunk_mut::<BLOCK>());
        let block = source
            .get(from + done..)
            .and_then(|rest| rest.first_chunk::<BLOCK>());
        if let (Some(room), Some(block)) = (room, block) {
            *room = *block;
        }
    }

    /// Adds a line feed if `lines` is 1, nothing if it is 0.
    #[inline(always)]
    pub(super) fn push_lines(&mut self, lines: usize) {
        self.room[self.length] = b'\n';
        self.length += lines;
    }
}
