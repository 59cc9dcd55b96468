//! The digest of a piece without reading its records, to see whether a touched file still holds the
//! same bytes.

use crate::range::RangeReader;
use crate::{
    error::InputError,
    options::{Piece, SourceFile},
};

/// XXH3-64 of the bytes `start..end` of a file: what `input::read_piece` returns as digest.
pub fn piece_digest(file: &SourceFile, piece: &Piece) -> Result<u64, InputError> {
    RangeReader::open(file, piece.start, piece.end)?.finish()
}
