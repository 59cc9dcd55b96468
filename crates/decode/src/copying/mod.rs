//! The words for a file that is copied without some of its records, and the hand that writes what
//! stays.

mod annotated;
mod emit;
mod records;

pub use annotated::{Annotations, LineChanges};
pub use emit::{EmitCursor, Emitter};
pub use records::{
    CopyLosses, CopySink, Packaging, Pending, Removal, Removals, record_hash, remember,
};
