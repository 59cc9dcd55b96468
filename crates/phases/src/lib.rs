//! The phases from documents to pair counts: each feeds the algorithm of the crate of its name from
//! the work directory and writes what it finds there. *Errors.* An input is damaged, an output
//! cannot be written, or the run is interrupted.

mod combines;
pub mod distinct;
pub mod expansion;
mod memory;
pub mod pairs;
pub mod segment;
pub mod settle;
pub mod sketch;
mod sketched_piece;
pub mod sort;
