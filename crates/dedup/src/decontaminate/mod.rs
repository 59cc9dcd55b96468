//! x
mod item_index;
mod score;
mod window;
