#![doc = include_str!("../FORMATS.md")]

mod atomic;
mod block_walk;
mod direct;
mod directory;
mod disk;
mod document_row;
mod error;
mod fault;
mod free_space;
mod index_file;
mod index_manifest;
mod index_records;
mod inlet;
mod json_page;
mod layout;
mod link;
mod manifest;
mod map;
mod mapped;
mod mapped_rows;
mod outlet;
mod passage_records;
mod public_ids;
mod reader;
#[cfg(test)]
mod record_bytes;
mod records;
mod revisits;
mod rows;
mod scratch;
mod scratch_file;
mod sealed;
mod sketch_row;
mod sorted_records;
mod source_row;
mod spill;
mod work_records;
mod writer;

pub use atomic::AtomicFile;
pub use block_walk::{RowBlock, block_keys, row_blocks};
pub use direct::IoMode;
pub use directory::Access;
pub use disk::{Disk, DiskOptions};
pub use document_row::{DocumentRow, FieldCell, RejectedRow, SkippedDocument};
pub use error::{FormatError, is_transient};
pub use fault::{Faults, Operation};
pub use free_space::free_bytes;
pub use index_file::{IndexFile, SegmentPart};
pub use index_manifest::{INDEX_MANIFEST, INDEX_VERSION, IndexManifest};
pub use index_records::{
    BlockKey, BlockPlace, GroupRecord, QuoteRecord, Seal, SegmentRecord, UrlRecord, segment_name,
};
pub use layout::{FORMAT_VERSION, FileKind, Fingerprint, Header, Trailer};
pub use manifest::{
    CostScale, InputFile, InputFiles, Manifest, MergeLevel, MergeLevelSnapshot, MergeLevels,
    PhaseCost, PhaseFigures, PhaseRecord, RefusedInput, ShardRecord, SnapshotRecord, TakenSnapshot,
};
pub use mapped::MappedRecords;
pub use mapped_rows::{MappedRows, PlaceRange, RowCursor, SegmentFiles};
pub use passage_records::{Characters, CutRecord, PassageRecord};
pub use public_ids::{PublicIds, SnapshotSpan};
pub use reader::FileReader;
pub use records::{RecordReader, RecordWriter};
pub use revisits::{PayloadRecord, RevisitRow};
pub use rows::{EncodedRow, RowBytes, RowReader, RowWriter};
pub use scratch::ScratchCells;
pub use scratch_file::{ScratchFile, ScratchWriter};
pub use sealed::{Durability, Sealed};
pub use sketch_row::{FinestSizeRow, SKETCH_ROW_MAX, SizesRow, SketchRow};
pub use sorted_records::{KeyRange, RecordRange, SortedRecords};
pub use source_row::{OF_SOURCE, SourceRow};
pub use spill::{Spill, SpillBlock};
pub use work_records::{
    ClusterRecord, CommonOfDocument, CommonRecord, LinkRecord, Mark, MemberRecord, SettledRecord,
};
pub use writer::{BLOCK_BYTES, RecordSpec};
