//! What changed between snapshots, and what became of clusters from publication to publication.

pub mod changes;
pub mod journal;

#[cfg(test)]
mod histories_tests;
