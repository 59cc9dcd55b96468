//! The benches: generated input in the shape of the 1996 collection, and the programs that measure
//! the others. `src/main.rs` has the commands; the scripts in `scripts/` build and start them.

pub mod altavista;
pub mod child;
pub mod files;
pub mod hostile;
pub mod instructions;
pub mod kernels;
pub mod peers;
pub mod plot;
pub mod real_pages;
pub mod report;
pub mod rerun;
pub mod stages;
