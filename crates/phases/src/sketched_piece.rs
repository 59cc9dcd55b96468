//! The end of a piece of an input file after phase `sketch` has read it, or could not open it.
//!
//! A page of `paths` that cannot be opened is rejected, and the next run tries again: one page
//! among a million must not stop a run. A snapshot is read once, so there the page would be lost
//! for ever, and the run ends.

use engine::{Engine, Error};
use input::{Format, InputError, Piece, PieceEnd, Rejection, Sink};
use std::io::ErrorKind;

/// Where a piece of a file really began and ended.
pub(crate) struct SketchedPiece {
    /// Where its first record begins; `None` if none does.
    pub first: Option<u64>,
    /// Where the next piece has to begin.
    pub next: u64,
    /// Its lines, if it is of a JSONL file.
    pub lines: u64,
    /// The digest of its bytes; `None` if the file could not be opened.
    pub digest: Option<u64>,
}

impl From<PieceEnd> for SketchedPiece {
    fn from(end: PieceEnd) -> SketchedPiece {
        SketchedPiece {
            first: end.first,
            next: end.next,
            lines: end.lines,
            digest: Some(end.digest),
        }
    }
}

/// Rejects a page of `paths` that cannot be opened.
///
/// # Errors
/// The given error, if it is another one, or if the file is no page of `paths`.
pub(crate) fn unread_page(
    engine: &Engine<'_>,
    piece: Piece,
    error: InputError,
    sink: &mut dyn Sink,
) -> Result<SketchedPiece, Error> {
    let file = &engine.inputs.listing.files[piece.file as usize];
    let may_change = engine.inputs.may_change(piece.file as usize);
    let is_page = matches!(file.format, Format::Html | Format::Text);
    let Some(cause) = error.unopened_file().filter(|_| is_page && may_change) else {
        return Err(Error::from(gone(error)));
    };
    let begins = piece.start == 0;
    if begins {
        let rejection = Rejection::new(0, "unreadable", cause.to_string());
        sink.rejected(rejection).map_err(InputError::Sink)?;
    }
    Ok(SketchedPiece {
        first: begins.then_some(0),
        next: file.stat.bytes,
        lines: 0,
        digest: None,
    })
}

/// A file that was there when it was listed, and is not, is input that changed.
fn gone(error: InputError) -> InputError {
    match error {
        InputError::Io {
            action: "open",
            path,
            source,
        } if source.kind() == ErrorKind::NotFound => InputError::Gone { path },
        error => error,
    }
}
