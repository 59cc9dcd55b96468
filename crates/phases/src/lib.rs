//! The phases from documents to exact pair counts. `sketch` and `sort` feed the crates of their
//! names from the work directory, `pairs` feeds [`expansion`], `settle` crate `exact`. *Errors.* An
//! input is damaged, an output cannot be written, or the run is interrupted.

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
