#![doc = include_str!("../FORMATS.md")]

mod atomic;
mod direct;
mod disk;
mod document_row;
mod error;
mod fault;
mod inlet;
mod layout;
mod manifest;
mod outlet;
mod reader;
mod records;
mod rows;
mod scratch;
mod sketch_row;
mod spill;
mod tables;
mod writer;

pub use atomic::AtomicFile;
pub use direct::IoMode;
pub use disk::{Access, Disk, DiskOptions, free_bytes};
pub use document_row::{DocumentRow, FieldCell, RejectedRow};
pub use error::FormatError;
pub use fault::{Faults, Operation};
pub use layout::{FORMAT_VERSION, FileKind, Fingerprint, Header, Trailer};
pub use manifest::{InputFile, Manifest, PhaseRecord};
pub use reader::FileReader;
pub use records::{RecordReader, RecordSpec, RecordWriter};
pub use rows::{Row, RowBytes, RowReader, RowWriter, put_bytes, put_optional, put_signed, put_varint};
pub use scratch::ScratchCells;
pub use sketch_row::{LadderRow, SKETCH_ROW_MAX, SketchRow};
pub use spill::{Spill, SpillBlock};
pub use tables::{ClusterRecord, CommonRecord, LinkRecord, LostRecord, Mark, MemberRecord};
pub use writer::{BLOCK_BYTES, Durability, FileSpec, FileWriter, Sealed};
