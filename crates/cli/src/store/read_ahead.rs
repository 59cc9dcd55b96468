//! Which ranges of an object are asked for, and when.
//!
//! *Algorithm.* A read at any offset asks for what is wanted, at least [`LEAST_BYTES`]. A read that
//! goes on where the last range ended is one in order: from then on [`REQUESTS`] ranges are kept
//! under way, each twice as long as the one before up to the most. *Memory.* The ranges.

use std::collections::VecDeque;
use std::io;

/// Requests of a reader at once.
pub(crate) const REQUESTS: usize = 4;

/// Bytes of the shortest range.
const LEAST_BYTES: usize = 64 << 10;

/// The ranges of an object that are there or under way, one behind the other.
pub(crate) struct ReadAhead<R> {
    object_bytes: u64,
    ranges: VecDeque<Range<R>>,
    /// Where the last range ended.
    end: u64,
    /// Length of the next range.
    next_bytes: usize,
    /// How many ranges are kept.
    depth: usize,
}

struct Range<R> {
    start: u64,
    end: u64,
    fetched: Fetched<R>,
}

/// The bytes of a range.
pub(crate) enum Fetched<R> {
    /// They are asked for.
    Request(R),
    /// They are there.
    Bytes(Vec<u8>),
}

impl<R> ReadAhead<R> {
    /// Of an object of so many bytes.
    pub(crate) fn of(object_bytes: u64) -> ReadAhead<R> {
        ReadAhead {
            object_bytes,
            ranges: VecDeque::new(),
            end: 0,
            next_bytes: LEAST_BYTES,
            depth: 1,
        }
    }

    /// Asks for what a read of `wanted` bytes at an offset needs, and for what the next ones will
    /// need. No range has more than `most` bytes.
    pub(crate) fn prepare(
        &mut self,
        offset: u64,
        wanted: usize,
        most: usize,
        request: &mut dyn FnMut(u64, u64) -> R,
    ) {
        while self.ranges.front().is_some_and(|range| range.end <= offset) {
            self.ranges.pop_front();
        }
        let is_there = self
            .ranges
            .front()
            .is_some_and(|range| range.start <= offset);
        if !is_there && offset == self.end && offset > 0 {
            self.depth = REQUESTS;
        } else if !is_there {
            self.ranges.clear();
            self.end = offset;
            self.depth = 1;
            self.next_bytes = wanted.max(LEAST_BYTES);
        }
        while self.ranges.len() < self.depth && self.end < self.object_bytes {
            let bytes = self.next_bytes.min(most) as u64;
            let (start, end) = (self.end, self.object_bytes.min(self.end + bytes));
            self.ranges.push_back(Range {
                start,
                end,
                fetched: Fetched::Request(request(start, end)),
            });
            self.end = end;
            self.next_bytes = self.next_bytes.saturating_mul(2).min(most);
        }
    }

    /// Reads of the first range, after [`ReadAhead::prepare`]; 0 at the end of the object.
    pub(crate) fn read(
        &mut self,
        out: &mut [u8],
        offset: u64,
        wait: &mut dyn FnMut(&mut Fetched<R>) -> io::Result<Vec<u8>>,
    ) -> io::Result<usize> {
        let Some(range) = self.ranges.front_mut() else {
            return Ok(0);
        };
        let bytes = wait(&mut range.fetched)?;
        let from = (offset - range.start) as usize;
        let taken = out.len().min(bytes.len().saturating_sub(from));
        out[..taken].copy_from_slice(&bytes[from..from + taken]);
        range.fetched = Fetched::Bytes(bytes);
        Ok(taken)
    }

    /// Forgets all ranges, so that the next read asks anew.
    pub(crate) fn forget(&mut self) {
        self.ranges.clear();
        self.end = u64::MAX;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn byte(offset: u64) -> u8 {
        (offset.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56) as u8
    }

    proptest! {
        /// Whatever is read, in order or not, the bytes are those of the object, no range is longer
        /// than allowed, and no more are kept than may be under way.
        #[test]
        fn reads_give_the_bytes_of_the_object(
            bytes in 0u64..3_000_000, most in 1usize..600_000,
            reads in proptest::collection::vec((0.0f64..1.1, any::<bool>(), 1usize..400_000), 1..40),
        ) {
            let mut ahead = ReadAhead::of(bytes);
            let mut position = 0;
            for (at, goes_on, length) in reads {
                let offset = if goes_on { position } else { (at * bytes as f64) as u64 };
                let mut out = vec![0; length];
                ahead.prepare(offset, length, most, &mut |start, end| {
                    assert!(start < end && end <= bytes && end - start <= most as u64);
                    (start, end)
                });
                prop_assert!(ahead.ranges.len() <= REQUESTS);
                let read = ahead.read(&mut out, offset, &mut |range| match range {
                    Fetched::Bytes(bytes) => Ok(std::mem::take(bytes)),
                    Fetched::Request((start, end)) => Ok((*start..*end).map(byte).collect()),
                }).unwrap();
                prop_assert_eq!(read == 0, offset >= bytes);
                let expected: Vec<u8> = (offset..offset + read as u64).map(byte).collect();
                prop_assert_eq!(&out[..read], &expected);
                position = offset + read as u64;
            }
        }
    }

    #[test]
    fn reading_in_order_asks_ahead_and_a_jump_for_little() {
        let mut ahead = ReadAhead::of(100 << 20);
        let (mut asked, mut position) = (Vec::new(), 0);
        let most = 8 << 20;
        let mut read = |ahead: &mut ReadAhead<(u64, u64)>, offset: u64, length: usize| {
            ahead.prepare(offset, length, most, &mut |start, end| {
                asked.push(end - start);
                (start, end)
            });
            let mut out = vec![0; length];
            let read = ahead.read(&mut out, offset, &mut |range| match range {
                Fetched::Bytes(bytes) => Ok(std::mem::take(bytes)),
                Fetched::Request((start, end)) => Ok(vec![0; (*end - *start) as usize]),
            });
            (read.unwrap() as u64, std::mem::take(&mut asked))
        };
        let (got, first) = read(&mut ahead, 0, 4);
        assert_eq!((got, first), (4, vec![64 << 10]));
        while position < 40 << 20 {
            position += read(&mut ahead, position, 1 << 20).0;
        }
        let lengths: Vec<u64> = ahead
            .ranges
            .iter()
            .map(|range| range.end - range.start)
            .collect();
        assert_eq!(lengths, vec![8 << 20; REQUESTS]);
        let (_, jump) = read(&mut ahead, 90 << 20, 200_000);
        assert_eq!(jump, [200_000]);
    }
}
