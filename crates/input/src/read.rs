//! One piece of one file, whatever its format; and one document again.
//!
//! *Input.* A listed file, and a piece of it or the place of a document. *Output.* Calls of a
//! [`Sink`]. *Algorithm.* The format's reader. *Limits.* [`PieceEnd::next`] of a piece inside a
//! record longer than it is only the end of the piece: a caller that knows a later beginning from
//! the pieces before keeps to that one.

use crate::{jsonl, parquet_in, tree, wacz, warc};
use decode::field_limits::FieldLimits;
use decode::{
    document::{Document, Place, Revisit, Sink, SinkError},
    error::InputError,
    options::{Format, Piece, PieceEnd, ReadOptions, SourceFile},
};

/// Hands the records that begin in `piece` to `sink`, in file order.
///
/// `from` is where the first record begins if the caller knows it, at or after `piece.start`: after
/// reading the piece before, or 0. Otherwise the reader finds it, and says so in
/// [`PieceEnd::first`]; if the piece before did not end there, the caller reads the piece again. If
/// that ended at or after `piece.end`, no record begins here, and [`PieceEnd::first`] is `None`.
///
/// # Errors
/// [`InputError::Io`] if the file cannot be read, [`InputError::Changed`] if it is not the one that
/// was listed, [`InputError::Sink`] if the sink stops. Damage is no error but a
/// [`decode::document::Rejection`].
pub fn read_piece(
    file: &SourceFile,
    piece: &Piece,
    from: Option<u64>,
    options: &ReadOptions,
    sink: &mut dyn Sink,
) -> Result<PieceEnd, InputError> {
    let options = &*options.of(file);
    let sink = &mut FieldLimits::new(options, sink);
    match file.format {
        Format::Warc | Format::Arc => warc::read_piece(file, piece, from, options, sink),
        Format::Wacz => wacz::read_piece(file, piece, from, options, sink),
        Format::Jsonl => jsonl::read_piece(file, piece, from, options, sink),
        Format::Parquet => parquet_in::read_piece(file, piece, from, options, sink),
        Format::Html | Format::Text => tree::read_piece(file, piece, from, options, sink),
    }
}

/// The kind of record at a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlaceContent {
    /// A document; it was handed on.
    Document,
    /// A record whose body is that of another one.
    Revisit,
    /// Neither.
    Nothing,
}

/// Hands the document at `place`, as recorded when the file was first read, to `f`.
pub fn read_document_at(
    file: &SourceFile,
    place: &Place,
    options: &ReadOptions,
    f: &mut dyn FnMut(&Document<'_>),
) -> Result<PlaceContent, InputError> {
    let options = &*options.of(file);
    let mut wanted = WantedRecord { place: *place, f };
    let mut sink = FieldLimits::new(options, &mut wanted);
    let result = match file.format {
        Format::Warc | Format::Arc => {
            let start = place.entry_offset;
            let piece = Piece {
                file: 0,
                start,
                end: start.saturating_add(1),
            };
            warc::read_piece(file, &piece, Some(start), options, &mut sink).map(drop)
        }
        Format::Wacz => wacz::read_at(file, place, options, &mut sink),
        Format::Jsonl => jsonl::read_at(file, place, options, &mut sink),
        Format::Parquet => parquet_in::read_at(file, place, options, &mut sink),
        Format::Html | Format::Text => {
            let piece = Piece::whole(0, file.stat.bytes);
            tree::read_piece(file, &piece, Some(0), options, &mut sink).map(drop)
        }
    };
    match result {
        Err(InputError::Sink(stop)) => match stop.downcast::<Delivered>() {
            Ok(met) => Ok(met.0),
            Err(stop) => Err(InputError::Sink(stop)),
        },
        Err(error) => Err(error),
        Ok(()) => Ok(PlaceContent::Nothing),
    }
}

/// Stops a reader that has delivered what was asked for.
#[derive(Debug, thiserror::Error)]
#[error("the record was found")]
struct Delivered(PlaceContent);

struct WantedRecord<'f> {
    place: Place,
    f: &'f mut dyn FnMut(&Document<'_>),
}

impl WantedRecord<'_> {
    fn is_at(&self, place: &Place) -> bool {
        place.start() == self.place.start()
    }
}

impl Sink for WantedRecord<'_> {
    fn document(&mut self, document: &Document<'_>) -> Result<(), SinkError> {
        if self.is_at(&document.place) {
            (self.f)(document);
            return Err(Box::new(Delivered(PlaceContent::Document)));
        }
        Ok(())
    }

    fn revisit(&mut self, revisit: &Revisit<'_>) -> Result<(), SinkError> {
        match self.is_at(&revisit.place) {
            true => Err(Box::new(Delivered(PlaceContent::Revisit))),
            false => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;
    use crate::tests::collect::{options, read_whole, source};

    /// Several records may share an entry: the place tells them apart.
    #[test]
    fn each_record_of_a_member_is_found_by_its_place() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("x.warc.gz");
        let mut file = flate2::write::GzEncoder::new(
            std::fs::File::create(&path).unwrap(),
            flate2::Compression::fast(),
        );
        for text in ["one", "three", "eleven"] {
            let head = "WARC/1.0\r\nWARC-Type: conversion\r\nContent-Type: text/plain\r\nWARC-Target-URI: http://x/";
            write!(
                file,
                "{head}{text}\r\nContent-Length: {}\r\n\r\n{text}\r\n\r\n",
                text.len()
            )
            .unwrap();
        }
        file.finish().unwrap();
        let file = source(&path, Format::Warc);
        let (collected, _) = read_whole(&file, &options(100, &[]));
        assert_eq!(
            collected.texts(),
            ["one", "three", "eleven"],
            "{:?}",
            collected.rejected
        );
        for kept in &collected.documents {
            let mut text = String::new();
            let mut keep = |document: &Document<'_>| text.push_str(document.content.as_str());
            assert_eq!(
                read_document_at(&file, &kept.place, &options(100, &[]), &mut keep).unwrap(),
                PlaceContent::Document
            );
            assert_eq!(text, kept.text);
        }
        let nowhere = Place {
            inner_offset: 1,
            ..collected.documents[0].place
        };
        let found = read_document_at(&file, &nowhere, &options(100, &[]), &mut |_| {
            panic!("nothing begins there")
        });
        assert_eq!(found.unwrap(), PlaceContent::Nothing);
    }
}
