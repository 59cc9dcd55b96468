//! The ranks of documents by `keep`, in document order.

use crate::partition::{Attributes, FieldRef, Rank, rank};
use config::Config;
use engine::{
    Error,
    intake::inputs::Inputs,
    segments::{Marks, SegmentFile, SegmentRows, Segments},
};
use format::{DocumentRow, FieldCell};
use model::Keep;

/// Ranks of all documents, one after the other. Document rows are read only if `keep` needs more
/// than token counts.
pub struct Ranks<'a> {
    keep: &'a Keep,
    marks: Marks,
    rows: Option<SegmentRows>,
    /// Index of the field that `keep` names among the carried ones.
    field: Option<usize>,
    bytes: u32,
}

impl<'a> Ranks<'a> {
    /// Opens the marks, and the document rows if `keep` needs them.
    pub fn new(config: &'a Config, segments: &Segments) -> Ranks<'a> {
        let keep = &config.cluster.keep;
        let needs_rows = !matches!(keep, Keep::First | Keep::Longest);
        Ranks {
            keep,
            marks: segments.marks(),
            rows: needs_rows.then(|| segments.rows(SegmentFile::Documents)),
            field: config.keep_field(),
            bytes: 0,
        }
    }

    /// The rank of a document. Ask in ascending order. With `keep = "first"` all ranks are equal,
    /// and nothing is read.
    pub fn of(&mut self, doc: u32) -> Result<Rank, Error> {
        if matches!(self.keep, Keep::First) {
            return Ok(rank(self.keep, &Attributes::default()));
        }
        while let Some((ranked, rank)) = self.next()? {
            if ranked == doc {
                return Ok(rank);
            }
        }
        Err(Error::Usage(format!(
            "failed to rank document {doc}: it has no mark"
        )))
    }

    /// Bytes of the document that [`Ranks::next`] gave last.
    pub fn bytes(&self) -> u32 {
        self.bytes
    }

    /// The next document and its rank; `None` after the last.
    #[expect(
        clippy::should_implement_trait,
        reason = "an Iterator cannot end in an error"
    )]
    pub fn next(&mut self) -> Result<Option<(u32, Rank)>, Error> {
        let Some((doc, mark)) = self.marks.next()? else {
            return Ok(None);
        };
        self.bytes = mark.bytes;
        let Some(rows) = &mut self.rows else {
            let attributes = Attributes {
                words: mark.words,
                ..Attributes::default()
            };
            return Ok(Some((doc, rank(self.keep, &attributes))));
        };
        let Some((_, row)) = rows.next_document()? else {
            return Ok(None);
        };
        Ok(Some((doc, rank(self.keep, &attributes(&row, self.field)))))
    }
}

/// The byte before the rank of a document that is not of a reference, where there are references.
pub(super) const DATA: u8 = 4;

/// Tells in document order which documents come behind those of references: files of sources, where
/// others are of none.
pub struct ReferenceOrder<'a> {
    inputs: &'a Inputs,
    /// None if there are no references.
    rows: Option<SegmentRows>,
}

impl<'a> ReferenceOrder<'a> {
    /// Looks whether there are references.
    pub fn new(inputs: &'a Inputs, segments: &Segments) -> ReferenceOrder<'a> {
        let rows = || segments.rows(SegmentFile::Documents);
        ReferenceOrder {
            inputs,
            rows: inputs.listing.has_references().then(rows),
        }
    }

    /// [`DATA`] if a document comes behind those of references, else 0. Ask in ascending order, for
    /// each document once.
    pub(super) fn of(&mut self, doc: u32) -> Result<u8, Error> {
        let is_first = self.rows.is_none() || self.is_reference(doc)?;
        Ok(if is_first { 0 } else { DATA })
    }

    /// Whether a document is of a reference. Ask in ascending order, for each document once.
    pub fn is_reference(&mut self, doc: u32) -> Result<bool, Error> {
        let Some(rows) = &mut self.rows else {
            return Ok(false);
        };
        let row = rows.document(doc)?;
        let file = row.and_then(|row| self.inputs.listing.files.get(row.file as usize));
        Ok(!file.is_some_and(|file| file.sources.is_empty()))
    }
}

/// The attributes of a document, of which `keep` takes one; `field` is
/// [`config::Config::keep_field`].
pub fn attributes<'a>(row: &DocumentRow<'a>, field: Option<usize>) -> Attributes<'a> {
    let number = |value| Some(FieldRef::Number(value));
    let field = field.and_then(|at| row.fields.get(at));
    Attributes {
        words: row.words,
        date: row.date,
        url: row.url,
        field: field.and_then(|cell| match *cell {
            FieldCell::Null => None,
            FieldCell::Integer(value) => number(value as f64),
            FieldCell::Float(value) => number(value),
            FieldCell::Text(text) => Some(FieldRef::Text(text)),
            FieldCell::Bool(value) => number(f64::from(u8::from(value))),
        }),
    }
}
