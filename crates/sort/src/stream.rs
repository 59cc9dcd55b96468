//! Streams of records in order: looked up by ascending keys, grouped, merged, sorted anew.
//!
//! *Input.* Anything that gives records one by one: a file ([`RecordReader`]), a sort ([`Sorted`],
//! [`SortedWords`]), a closure ([`from_fn`]). *Output.* The records of a key, when keys are asked
//! for in ascending order. *Memory.* One record beside that of the stream. *Errors.* Those of the
//! stream, as they are.
//!
//! A phase on disk is mostly this: two streams that ascend by the same key are read side by side.
//! [`Lookup`] is the side that is asked: [`Lookup::of`] answers for a key, as often as it is asked;
//! [`Lookup::next_of`] hands out the records of a key one by one; [`Lookup::join`] reads two sides
//! of equal rank. Keys are those of [`Keyed`].
//!
//! ```
//! use model::keyed;
//! use sort::{Lookup, Stream, from_slice};
//!
//! #[derive(Clone, Copy)]
//! struct Size {
//!     doc: u32,
//!     bytes: u64,
//! }
//!
//! keyed! { Size: u32 = |size| size.doc }
//!
//! let sizes = [(2, 10), (3, 20), (3, 30), (7, 40)].map(|(doc, bytes)| Size { doc, bytes });
//! let mut lookup = Lookup::over(from_slice(&sizes))?;
//! assert!(lookup.of(1)?.is_none());
//! assert!(lookup.of(2)?.is_some_and(|size| size.bytes == 10));
//! let mut sum = 0;
//! while let Some(size) = lookup.next_of(3)? {
//!     sum += size.bytes;
//! }
//! assert_eq!(sum, 50);
//! # Ok::<(), std::convert::Infallible>(())
//! ```

use crate::{Combine, Sorted, SortedWords, WordSorter};
use format::{FormatError, RecordReader};
use model::{Keyed, Record, WordRecord};
use std::cmp::Ordering;
use std::convert::Infallible;

/// Records that come one by one.
pub trait Stream {
    /// A record.
    type Record: Copy;
    /// The error of reading one.
    type Error;

    /// The next record; `None` after the last, and then again and again.
    fn next(&mut self) -> Result<Option<Self::Record>, Self::Error>;

    /// The records that `f` makes of these, without those of which it makes none.
    fn filter_map<T: Copy>(
        mut self,
        mut f: impl FnMut(Self::Record) -> Option<T>,
    ) -> impl Stream<Record = T, Error = Self::Error>
    where
        Self: Sized,
    {
        from_fn(move || {
            while let Some(record) = self.next()? {
                if let Some(made) = f(record) {
                    return Ok(Some(made));
                }
            }
            Ok(None)
        })
    }

    /// Pushes what `f` makes of each record into a sort, and gives the sorted records. The stream
    /// is dropped before the first of them is asked for, and with it its memory and its files.
    fn sort_by<R: WordRecord>(
        mut self,
        mut sorter: WordSorter<R>,
        mut f: impl FnMut(Self::Record) -> R,
    ) -> Result<SortedWords<R>, Self::Error>
    where
        Self: Sized,
        Self::Error: From<FormatError>,
    {
        while let Some(record) = self.next()? {
            sorter.push(f(record))?;
        }
        drop(self);
        Ok(sorter.finish()?)
    }
}

impl<R: Record> Stream for RecordReader<R> {
    type Record = R;
    type Error = FormatError;
    #[inline]
    fn next(&mut self) -> Result<Option<R>, FormatError> {
        RecordReader::next(self)
    }
}

impl<R: Record, C: Combine<R>> Stream for Sorted<R, C> {
    type Record = R;
    type Error = FormatError;
    #[inline]
    fn next(&mut self) -> Result<Option<R>, FormatError> {
        Sorted::next(self)
    }
}

impl<R: WordRecord> Stream for SortedWords<R> {
    type Record = R;
    type Error = FormatError;
    #[inline]
    fn next(&mut self) -> Result<Option<R>, FormatError> {
        SortedWords::next(self)
    }
}

impl<S: Stream> Stream for &mut S {
    type Record = S::Record;
    type Error = S::Error;
    #[inline]
    fn next(&mut self) -> Result<Option<S::Record>, S::Error> {
        S::next(self)
    }
}

/// A stream that may be missing: then it has no records.
impl<S: Stream> Stream for Option<S> {
    type Record = S::Record;
    type Error = S::Error;
    #[inline]
    fn next(&mut self) -> Result<Option<S::Record>, S::Error> {
        self.as_mut().map_or(Ok(None), S::next)
    }
}

/// The records that a closure gives.
#[derive(Clone, Debug)]
pub struct FromFn<F>(F);

/// The records that `next` gives.
pub fn from_fn<T: Copy, E, F: FnMut() -> Result<Option<T>, E>>(next: F) -> FromFn<F> {
    FromFn(next)
}

impl<T: Copy, E, F: FnMut() -> Result<Option<T>, E>> Stream for FromFn<F> {
    type Record = T;
    type Error = E;
    #[inline]
    fn next(&mut self) -> Result<Option<T>, E> {
        (self.0)()
    }
}

/// The records of a slice.
pub fn from_slice<T: Copy>(records: &[T]) -> impl Stream<Record = T, Error = Infallible> {
    let mut records = records.iter();
    from_fn(move || Ok(records.next().copied()))
}

/// An ascending stream beside which another one is read: it is asked for ascending keys.
#[derive(Debug)]
pub struct Lookup<S: Stream> {
    stream: S,
    next: Option<S::Record>,
}

/// A key that one or both of two streams have, and the record of each that has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Joined<A, B> {
    /// The record of the first stream.
    pub left: Option<A>,
    /// The record of the second stream.
    pub right: Option<B>,
}

/// The answer to [`Lookup::join`].
type LookupJoin<S, T> =
    Result<Option<Joined<<S as Stream>::Record, <T as Stream>::Record>>, <S as Stream>::Error>;

impl<S: Stream> Lookup<S> {
    /// Reads the first record.
    pub fn over(mut stream: S) -> Result<Lookup<S>, S::Error> {
        Ok(Lookup {
            next: stream.next()?,
            stream,
        })
    }

    /// The record that [`Lookup::next`] will give.
    #[inline]
    pub fn peek(&self) -> Option<S::Record> {
        self.next
    }

    /// The stream, to ask how many records it has; its next one was read already.
    pub fn stream(&self) -> &S {
        &self.stream
    }

    /// The next record; `None` after the last.
    #[expect(
        clippy::should_implement_trait,
        reason = "an Iterator cannot end in an error"
    )]
    #[inline]
    pub fn next(&mut self) -> Result<Option<S::Record>, S::Error> {
        let next = self.next.take();
        if next.is_some() {
            self.next = self.stream.next()?;
        }
        Ok(next)
    }

    /// The next record, if it meets a condition.
    #[inline]
    pub fn next_if(
        &mut self,
        condition: impl FnOnce(&S::Record) -> bool,
    ) -> Result<Option<S::Record>, S::Error> {
        match self.next.as_ref().is_some_and(condition) {
            true => self.next(),
            false => Ok(None),
        }
    }

    /// Passes over the records of lower keys.
    #[inline]
    pub fn skip_to<K: Ord + Copy>(&mut self, key: K) -> Result<(), S::Error>
    where
        S::Record: Keyed<K>,
    {
        while self.next.as_ref().is_some_and(|next| next.key() < key) {
            self.next = self.stream.next()?;
        }
        Ok(())
    }

    /// The first record of a key, if there is one. It stays the next one: the same key may be asked
    /// for again.
    #[inline]
    pub fn of<K: Ord + Copy>(&mut self, key: K) -> Result<Option<S::Record>, S::Error>
    where
        S::Record: Keyed<K>,
    {
        self.skip_to(key)?;
        Ok(self.next.filter(|next| next.key() == key))
    }

    /// The next record of a key; `None` after the last of them.
    #[inline]
    pub fn next_of<K: Ord + Copy>(&mut self, key: K) -> Result<Option<S::Record>, S::Error>
    where
        S::Record: Keyed<K>,
    {
        self.skip_to(key)?;
        self.next_if(|next| next.key() == key)
    }

    /// Replaces `group` by all records of a key.
    pub fn all_of<K: Ord + Copy>(
        &mut self,
        key: K,
        group: &mut Vec<S::Record>,
    ) -> Result<(), S::Error>
    where
        S::Record: Keyed<K>,
    {
        group.clear();
        while let Some(record) = self.next_of(key)? {
            group.push(record);
        }
        Ok(())
    }

    /// Replaces `group` by the records of the next key there is, and gives that key; `None` after
    /// the last.
    pub fn next_group<K: Ord + Copy>(
        &mut self,
        group: &mut Vec<S::Record>,
    ) -> Result<Option<K>, S::Error>
    where
        S::Record: Keyed<K>,
    {
        group.clear();
        let Some(key) = self.next.as_ref().map(Keyed::key) else {
            return Ok(None);
        };
        self.all_of(key, group)?;
        Ok(Some(key))
    }

    /// The records of the lowest key that one of two streams still has: a full outer join, of
    /// streams without equal keys. `None` after the last.
    #[inline]
    pub fn join<T, K: Ord>(&mut self, other: &mut Lookup<T>) -> LookupJoin<S, T>
    where
        S::Record: Keyed<K>,
        T: Stream<Record: Keyed<K>, Error = S::Error>,
    {
        let order = match (&self.next, &other.next) {
            (None, None) => return Ok(None),
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (Some(left), Some(right)) => left.key().cmp(&right.key()),
        };
        Ok(Some(Joined {
            left: if order.is_le() { self.next()? } else { None },
            right: if order.is_ge() { other.next()? } else { None },
        }))
    }
}

impl<S: Stream> Stream for Lookup<S> {
    type Record = S::Record;
    type Error = S::Error;
    #[inline]
    fn next(&mut self) -> Result<Option<S::Record>, S::Error> {
        Lookup::next(self)
    }
}

#[cfg(test)]
mod tests;
