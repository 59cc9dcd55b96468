//! Documents in: WARC, WACZ, WET, ARC, JSONL, Parquet, HTML and text trees → [`Document`].
//!
//! *Input.* Files of the user, opened read-only, read in streams, never mapped. *Output.* Calls of
//! a [`Sink`], in file order. *Algorithm.* [`discover()`] lists the files in byte order of their
//! relative paths; [`plan`] cuts them into [`InputSegment`]s of about equal bytes; [`read_piece`]
//! reads one [`Piece`] of one file. Pieces of one file may be read in any order and at the same
//! time: each says where its first record began and where the next piece has to begin, and the
//! caller reads a piece again whose guess was wrong, so that the result is that of one reader going
//! straight on. *Memory.* One block and one record a reader; records over [`LARGE_RECORD_BYTES`]
//! pass one at a time through the [`LargeRecords`] gate, up to `max_document_bytes`. *Limits.*
//! Damage costs only what is damaged: a [`Rejection`] says so, and the next record is found.
//! *Errors.* An [`InputError`]: the file cannot be read, is not the one that was listed, or the
//! receiver stops.

mod copy;
mod jsonl;
mod listing;
mod parquet_in;
mod read;
#[cfg(test)]
mod tests;
mod tree;
mod wacz;
mod warc;

pub use copy::{
    Annotations, CopyLosses, CopySink, DocumentCut, DocumentCuts, Packaging, Removal,
    annotate_lines, check_readable, copy_records, copy_whole, cut_text, packaging, record_hash,
};
pub use decode::charset::Charset;
pub use decode::date::parse as parse_date;
pub use decode::digest::piece_digest;
pub use decode::document::{
    CarriedField, Date, Document, FieldValue, Place, Rejection, Revisit, Sink, SinkError,
    UNRESOLVED_REVISIT,
};
pub use decode::error::InputError;
pub use decode::guard::caught;
pub use decode::objects;
pub use decode::open::{open_regular, says_nothing_is_there};
pub use decode::options::{
    FIELD_BYTES, FieldNames, Format, FormatChoice, InputSegment, LARGE_RECORD_BYTES, LargeRecords,
    NamedSource, PAGE_BYTES, Piece, PieceEnd, ReadOptions, SourceFile, TEXTS_WITHIN, URL_BYTES,
    USUAL_TEXT_FIELDS,
};
pub use decode::plan::{Sizes, plan};
pub use listing::{
    Discovery, FileContent, LISTING_REASONS, LinkedFiles, ListedSource, Listing, NOT_A_PAGE,
    PassedOver, Reach, RejectedFile, discover, discover_again, discover_file, entry_end,
    listing_reason,
};
pub use parquet_in::{PARQUET_THREAD_BYTES, ParquetCopy};
pub use read::{PlaceContent, read_document_at, read_piece};

/// The version of the readers. It is raised when other records become documents, so that work
/// directories of earlier builds are read again.
pub const READERS_VERSION: u32 = 9;
