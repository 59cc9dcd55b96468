//! The changes between snapshots, and the changes of clusters from publication to publication.

pub mod changes;
pub mod journal;
mod reuse_error;

#[cfg(test)]
mod histories_tests;
