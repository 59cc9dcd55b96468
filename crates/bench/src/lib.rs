//! What the benches measure with: generated input in the shape of the 1996 collection, and programs
//! that time the others.

pub mod altavista;
pub mod child;
pub mod hostile;
pub mod kernels;
pub mod links;
pub mod nights;
pub mod peers;
pub mod real_pages;
pub mod rerun;
pub mod stages;
pub mod svg;
pub mod urls;
