//! From the bytes of a user's file to characters, and the words for what is found there: ranges of
//! files, gzip, zstd and brotli, HTTP codings, charsets; documents, places, rejections.
//!
//! *Input.* A file by its path, or an object by its URL; never mapped. *Output.* Decoded bytes and
//! text, with the offset of every member. *Memory.* Blocks of 64 KiB, and one record. *Limits.*
//! Nothing here knows the format of a file: crate `input` does. *Errors.* The file cannot be read,
//! or is not the one that was listed any more ([`error::InputError`]); its bytes are damaged
//! ([`codec::DecodeError`]).

pub mod charset;
pub mod codec;
pub mod copying;
pub mod date;
pub mod digest;
pub mod document;
pub mod error;
pub mod expansion;
pub mod features;
pub mod field_limits;
pub mod guard;
pub mod http;
pub mod json_repair;
pub mod large_page;
pub mod lines;
pub mod objects;
pub mod open;
pub mod open_file;
pub mod options;
pub mod page_stream;
pub mod parquet_shapes;
pub mod payload;
pub mod plan;
pub mod range;
pub mod record_url;
mod recorded;
pub mod thrift;
pub mod zip;
