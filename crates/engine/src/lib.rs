//! A run under way, and the work directory it writes: manifest, segments, merge levels, leftovers.

pub mod cells;
mod costs;
pub mod engine;
pub mod levels;
pub mod segments;
pub mod work_dir;

pub use engine::{Engine, Output};
