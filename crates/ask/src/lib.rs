//! Questions to a finished run: which copies of a page there are, why two pages were joined, what
//! another threshold would give. Nothing here changes a work directory.

pub mod compare;
pub mod explain;
pub mod export;
pub mod inspect;
pub mod like;
pub mod named;
#[cfg(test)]
mod oracle_tests;
pub mod query;
pub mod tokens;
pub mod tune;
