//! The words for a file that is copied without some of its records or of their texts, and the hand
//! that writes what stays.

mod annotated;
mod cuts;
mod emit;
mod records;

pub use annotated::{Annotations, CutLine, LineAction, LineChanges};
pub use cuts::{DocumentCut, DocumentCuts, KeepText, cut_json, cut_text};
pub use emit::{EmitCursor, Emitter};
pub use records::{CopyLosses, CopySink, Packaging, Pending, Removal, record_hash, remember};
