//! The phases from documents to clusters: each feeds the algorithm of the crate of its name from
//! the work directory and writes what it finds there.

pub mod cluster;
pub mod distinct;
pub mod identity;
mod optional_files;
pub mod pairs;
pub mod segment;
pub mod sketch;
mod sketched_piece;
pub mod sort;
pub mod words;
