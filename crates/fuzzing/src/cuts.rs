//! Copies without parts of their texts: read again, they have the other parts.
//!
//! Of each text a part is replaced by a marker, so that none becomes blank. The copy must have the
//! documents of the file, each with its text as [`input::cut_text`] cuts it.

use crate::containers::{file, options};
use decode::options::{Format, Piece, SourceFile};
use input::{
    CopySink, Document, DocumentCut, DocumentCuts, Packaging, Place, SinkError, copy_records,
    cut_text, read_piece,
};
use model::Content;
use output::copy_parquet;
use std::ops::Range;

const MARKER: &str = "x";

/// The texts of a file with their places.
fn texts(source: &SourceFile) -> Vec<(Place, String)> {
    let mut texts = Vec::new();
    let mut take = |document: &Document<'_>| {
        // Half a surrogate pair goes whole, though it is read as six characters.
        if let Content::Text(text) = document.content
            && !document.flags.contains(&decode::charset::MALFORMED)
        {
            texts.push((document.place, text.to_owned()));
        }
        Ok(())
    };
    let whole = Piece::whole(0, source.stat.bytes);
    read_piece(source, &whole, Some(0), &options(), &mut take).expect("it is there");
    texts
}

/// A part of a text, that of another place in each document.
fn part_of(number: usize, text: &str) -> Option<Range<u32>> {
    let characters = text.chars().count() as u32;
    let begin = (number as u32).checked_rem(characters)?;
    Some(begin..begin + 1 + (characters - begin - 1) / 2)
}

/// The changes of a file.
struct Parts(std::vec::IntoIter<(Place, Range<u32>)>);

impl Parts {
    fn of(texts: &[(Place, String)]) -> Parts {
        let part = |(number, (place, text)): (usize, &(Place, String))| {
            part_of(number, text).map(|part| (*place, part))
        };
        let parts = texts.iter().enumerate().filter_map(part);
        Parts(parts.collect::<Vec<_>>().into_iter())
    }
}

impl DocumentCuts for Parts {
    fn next(&mut self) -> Result<Option<(Place, DocumentCut)>, SinkError> {
        let next = self.0.next();
        Ok(next.map(|(place, part)| (place, DocumentCut::Parts(Vec::from([part])))))
    }
}

/// Holds a copy to the texts of its file.
fn check(copy: &[u8], format: Format, before: &[(Place, String)]) {
    let (_kept, source) = file(copy, format);
    let after: Vec<String> = texts(&source).into_iter().map(|(_, text)| text).collect();
    let cut = |(number, (_, text)): (usize, &(Place, String))| {
        let mut kept = Vec::new();
        let keep = |bytes: &[u8]| {
            kept.extend_from_slice(bytes);
            Ok(())
        };
        let part = part_of(number, text);
        let is_cut = cut_text(text, part.as_slice(), MARKER, keep);
        assert!(is_cut.expect("it is kept"));
        String::from_utf8(kept).expect("characters")
    };
    let expected: Vec<String> = before.iter().enumerate().map(cut).collect();
    assert_eq!(after, expected);
}

/// Takes the bytes of a plain copy.
struct Kept(Vec<u8>);

impl CopySink for Kept {
    fn raw(&mut self, bytes: &[u8]) -> Result<(), SinkError> {
        self.0.extend_from_slice(bytes);
        Ok(())
    }

    fn content(&mut self, bytes: &[u8]) -> Result<(), SinkError> {
        self.raw(bytes)
    }

    fn end_entry(&mut self) -> Result<(), SinkError> {
        Ok(())
    }
}

/// A file of lines that is not compressed.
pub(crate) fn lines(bytes: &[u8]) {
    let (_kept, source) = file(bytes, Format::Jsonl);
    if input::packaging(&source).ok() != Some(Packaging::Plain) {
        return;
    }
    let before = texts(&source);
    let mut copy = Kept(Vec::new());
    let copied = copy_records(
        &source,
        &mut Parts::of(&before),
        MARKER,
        &options(),
        &mut copy,
    );
    copied.expect("its lines are where they were read");
    check(&copy.0, Format::Jsonl, &before);
}

/// A Parquet file; one that is damaged elsewhere may not be copied.
pub(crate) fn rows(bytes: &[u8]) {
    let (_kept, source) = file(bytes, Format::Parquet);
    let before = texts(&source);
    if before.is_empty() {
        return;
    }
    let open = || Ok(Box::new(Parts::of(&before)) as Box<dyn DocumentCuts>);
    let options = options();
    if let Ok(copy) = copy_parquet(&source, &options, &open, MARKER, Vec::new()) {
        check(&copy, Format::Parquet, &before);
    }
}
