//! How many documents contain a shingle apart from those whose sketches do.
//!
//! An adaptive sketch of a long page leaves shingles out, so the size of a group is no frequency.
//! What is missing was estimated from counted documents ([`Frequency`]); here it is read beside the
//! groups.

use model::{Frequency, Shingle};
use std::marker::PhantomData;

/// The frequency of a shingle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShingleFrequency {
    /// The shingle.
    pub shingle: Shingle,
    /// How many documents contain it.
    pub frequency: Frequency,
    /// The lowest counted document that does.
    pub example: u32,
}

/// Frequencies in the order of their shingles.
pub trait FrequencySource {
    /// The error of reading.
    type Error;
    /// The next frequency; `None` after the last.
    ///
    /// # Errors
    /// When it cannot be read.
    fn next(&mut self) -> Result<Option<ShingleFrequency>, Self::Error>;
}

/// No frequencies: every sketch keeps the same sample, so groups are complete.
#[derive(Clone, Copy, Debug)]
pub struct NoFrequencies<E>(PhantomData<E>);

impl<E> FrequencySource for NoFrequencies<E> {
    type Error = E;

    fn next(&mut self) -> Result<Option<ShingleFrequency>, E> {
        Ok(None)
    }
}

impl<E> Frequencies<NoFrequencies<E>> {
    /// No frequencies.
    pub fn none() -> Self {
        Frequencies {
            source: NoFrequencies(PhantomData),
            next: None,
        }
    }
}

/// Looks frequencies up, in ascending order of shingles.
#[derive(Debug)]
pub struct Frequencies<S> {
    source: S,
    /// The first that was not passed.
    next: Option<ShingleFrequency>,
}

impl<S: FrequencySource> Frequencies<S> {
    /// The frequencies of a source.
    ///
    /// # Errors
    /// When the first cannot be read.
    pub fn of(mut source: S) -> Result<Frequencies<S>, S::Error> {
        let next = source.next()?;
        Ok(Frequencies { source, next })
    }

    /// The first frequency of a shingle that is not below this one.
    ///
    /// # Errors
    /// When it cannot be read.
    #[inline]
    pub fn at_least(&mut self, shingle: Shingle) -> Result<Option<ShingleFrequency>, S::Error> {
        while self.next.is_some_and(|next| next.shingle < shingle) {
            self.next = self.source.next()?;
        }
        Ok(self.next)
    }

    /// The frequency of a shingle; `None` if no more documents contain it than sketches do.
    ///
    /// # Errors
    /// When it cannot be read.
    #[inline]
    pub fn of_shingle(&mut self, shingle: Shingle) -> Result<Option<ShingleFrequency>, S::Error> {
        let next = self.at_least(shingle)?;
        Ok(next.filter(|next| next.shingle == shingle))
    }
}
