//! Documents and rejected records as rows of a segment.

use crate::rows::{RowBytes, RowValue, put_varint, row};

/// A carried field.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum FieldCell<'a> {
    /// Absent or null.
    Null,
    /// A whole number.
    Integer(i64),
    /// Any other number.
    Float(f64),
    /// Text or JSON.
    Text(&'a str),
    /// True or false.
    Bool(bool),
}

/// A document in the document table; rows are in document order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DocumentRow<'a> {
    /// Index of its file in the listing of the run.
    pub file: u32,
    /// Record id.
    pub id: Option<&'a str>,
    /// URL.
    pub url: Option<&'a str>,
    /// Title of a page.
    pub title: Option<&'a str>,
    /// Microseconds since 1970.
    pub date: Option<i64>,
    /// Where decoding can start.
    pub entry_offset: u64,
    /// Where the record is after decoding.
    pub inner_offset: u64,
    /// Bytes of the record.
    pub length: u64,
    /// The line, from 0, in a piece of a JSONL file, or the row in a Parquet file.
    pub row: Option<u64>,
    /// Bytes of the body.
    pub bytes: u64,
    /// Canonical tokens.
    pub words: u64,
    /// Shingle occurrences.
    pub shingles: u64,
    /// Fingerprints in the sketch.
    pub sketch_size: u32,
    /// Modulus of the sketch.
    pub modulus: u32,
    /// Oddities of the record that cost it nothing, separated by spaces.
    pub flags: Option<&'a str>,
    /// Carried fields, in the order of the configuration.
    pub fields: Vec<FieldCell<'a>>,
}

row! {
    DocumentRow {
        file, id, url, title, date, entry_offset, inner_offset, length, row, bytes, words, shingles,
        sketch_size, modulus, flags, fields
    }
}

impl DocumentRow<'_> {
    /// Passes over one row without looking at its texts.
    pub fn skip(bytes: &mut RowBytes<'_>) -> Option<()> {
        bytes.varint()?;
        skip_optional(bytes)?;
        skip_optional(bytes)?;
        skip_optional(bytes)?;
        if bytes.byte()? != 0 {
            bytes.varint()?;
        }
        for _ in 0..3 {
            bytes.varint()?;
        }
        if bytes.byte()? != 0 {
            bytes.varint()?;
        }
        for _ in 0..5 {
            bytes.varint()?;
        }
        skip_optional(bytes)?;
        for _ in 0..bytes.varint()? {
            FieldCell::read(bytes)?;
        }
        Some(())
    }
}

/// A [`DocumentRow`] that is passed over.
pub struct SkippedDocument;

impl<'a> crate::EncodedRow<'a> for SkippedDocument {
    fn encode(&self, _: &mut Vec<u8>) {}
    fn decode(bytes: &mut RowBytes<'a>) -> Option<SkippedDocument> {
        DocumentRow::skip(bytes).map(|()| SkippedDocument)
    }
}

fn skip_optional(bytes: &mut RowBytes<'_>) -> Option<()> {
    let length = bytes.varint()?.saturating_sub(1);
    bytes.take(usize::try_from(length).ok()?).map(|_| ())
}

impl<'a> RowValue<'a> for FieldCell<'a> {
    fn put(&self, out: &mut Vec<u8>) {
        match self {
            FieldCell::Null => out.push(0),
            FieldCell::Integer(value) => {
                out.push(1);
                value.put(out);
            }
            FieldCell::Float(value) => {
                out.push(2);
                value.put(out);
            }
            FieldCell::Text(text) => {
                out.push(3);
                text.put(out);
            }
            FieldCell::Bool(value) => out.push(4 + u8::from(*value)),
        }
    }
    fn read(bytes: &mut RowBytes<'a>) -> Option<FieldCell<'a>> {
        Some(match bytes.byte()? {
            0 => FieldCell::Null,
            1 => FieldCell::Integer(RowValue::read(bytes)?),
            2 => FieldCell::Float(RowValue::read(bytes)?),
            3 => FieldCell::Text(RowValue::read(bytes)?),
            4 => FieldCell::Bool(false),
            5 => FieldCell::Bool(true),
            _ => return None,
        })
    }
}

impl<'a> RowValue<'a> for Vec<FieldCell<'a>> {
    fn put(&self, out: &mut Vec<u8>) {
        put_varint(out, self.len() as u64);
        self.iter().for_each(|field| field.put(out));
    }
    fn read(bytes: &mut RowBytes<'a>) -> Option<Vec<FieldCell<'a>>> {
        (0..bytes.varint()?)
            .map(|_| FieldCell::read(bytes))
            .collect()
    }
}

/// A rejected record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RejectedRow<'a> {
    /// Index of its file in the listing; `u32::MAX` for a file that was not listed.
    pub file: u32,
    /// Name, where the file is not listed.
    pub name: Option<&'a str>,
    /// Byte of the file.
    pub offset: u64,
    /// URL, if known.
    pub url: Option<&'a str>,
    /// The word it is counted under.
    pub reason: &'a str,
    /// The reason, for a person.
    pub detail: &'a str,
    /// Records that it stands for.
    pub records: u64,
}

row! { RejectedRow { file, name, offset, url, reason, detail, records } }

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows::EncodedRow;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn rows_read_back(file: u32, id in proptest::option::of(".*"), url in proptest::option::of(".*"),
                          title in proptest::option::of(".*"), flags in proptest::option::of(".*"), date: Option<i64>, n: [u64; 6], line: Option<u64>, m: [u32; 2], text in ".*", float: u32, whole: i64) {
            let row = DocumentRow {
                file, id: id.as_deref(), url: url.as_deref(), title: title.as_deref(), date,
                entry_offset: n[0], inner_offset: n[1], length: n[2], row: line, bytes: n[3], words: n[4], shingles: n[5],
                sketch_size: m[0], modulus: m[1], flags: flags.as_deref(),
                fields: vec![FieldCell::Null, FieldCell::Integer(whole), FieldCell::Float(f64::from(float)),
                             FieldCell::Text(&text), FieldCell::Bool(true), FieldCell::Bool(false)],
            };
            let mut out = Vec::new();
            row.encode(&mut out);
            prop_assert_eq!(DocumentRow::decode(&mut RowBytes(&out)), Some(row));
            let mut skipped = RowBytes(&out);
            prop_assert_eq!(DocumentRow::skip(&mut skipped), Some(()));
            prop_assert!(skipped.0.is_empty());
            let row = RejectedRow { file, name: id.as_deref(), offset: n[0], url: url.as_deref(), reason: "r", detail: &text, records: n[1] };
            let mut out = Vec::new();
            row.encode(&mut out);
            prop_assert_eq!(RejectedRow::decode(&mut RowBytes(&out)), Some(row));
        }
    }
}
