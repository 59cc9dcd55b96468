//! Rows of WARC `revisit` records, whose bodies are those of earlier records, and keys of bodies.

use crate::rows::{Row, RowBytes, put_optional, put_signed, put_varint};
use model::record;

/// A WARC `revisit`, in file order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RevisitRow<'a> {
    /// Documents of its segment before it, revisits left out.
    pub before: u32,
    /// Index of its file in the listing of the snapshot.
    pub file: u32,
    /// Record id.
    pub id: Option<&'a str>,
    /// URL.
    pub url: Option<&'a str>,
    /// Microseconds since 1970.
    pub date: Option<i64>,
    /// Where it lies: entry, offset within, length; as in [`crate::DocumentRow`].
    pub place: [u64; 3],
    /// Key of the digest of its body.
    pub payload: Option<u128>,
    /// Id of the record it refers to.
    pub refers_to_id: Option<&'a str>,
    /// URL of that record.
    pub refers_to_url: Option<&'a str>,
    /// Date of that record.
    pub refers_to_date: Option<i64>,
}

impl<'a> Row<'a> for RevisitRow<'a> {
    fn encode(&self, out: &mut Vec<u8>) {
        put_varint(out, u64::from(self.before));
        put_varint(out, u64::from(self.file));
        put_optional(out, self.id);
        put_optional(out, self.url);
        put_date(out, self.date);
        self.place.iter().for_each(|value| put_varint(out, *value));
        match self.payload {
            None => out.push(0),
            Some(payload) => {
                out.push(1);
                out.extend_from_slice(&payload.to_le_bytes());
            }
        }
        put_optional(out, self.refers_to_id);
        put_optional(out, self.refers_to_url);
        put_date(out, self.refers_to_date);
    }

    fn decode(bytes: &mut RowBytes<'a>) -> Option<Self> {
        Some(RevisitRow {
            before: bytes.varint32()?,
            file: bytes.varint32()?,
            id: bytes.optional()?,
            url: bytes.optional()?,
            date: take_date(bytes)?,
            place: [bytes.varint()?, bytes.varint()?, bytes.varint()?],
            payload: match bytes.byte()? {
                0 => None,
                _ => Some(u128::from_le_bytes(bytes.take(16)?.try_into().ok()?)),
            },
            refers_to_id: bytes.optional()?,
            refers_to_url: bytes.optional()?,
            refers_to_date: take_date(bytes)?,
        })
    }
}

fn put_date(out: &mut Vec<u8>, date: Option<i64>) {
    match date {
        None => out.push(0),
        Some(date) => {
            out.push(1);
            put_signed(out, date);
        }
    }
}

fn take_date(bytes: &mut RowBytes<'_>) -> Option<Option<i64>> {
    Some(if bytes.byte()? == 0 {
        None
    } else {
        Some(bytes.signed()?)
    })
}

/// A document whose record names a digest of its body, by document. 20 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PayloadRecord {
    /// The document, relative to its segment.
    pub doc: u32,
    /// Key of the digest.
    pub payload: u128,
}

record! { PayloadRecord { doc, payload } }

#[cfg(test)]
mod tests {
    use super::*;
    use model::Record;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn rows_read_back(n: [u32; 2], place: [u64; 3], text in proptest::option::of(".*"), url in proptest::option::of(".*"),
                          dates: [Option<i64>; 2], payload: Option<u128>) {
            let row = RevisitRow {
                before: n[0], file: n[1], id: text.as_deref(), url: url.as_deref(), date: dates[0], place, payload,
                refers_to_id: url.as_deref(), refers_to_url: text.as_deref(), refers_to_date: dates[1],
            };
            let mut out = Vec::new();
            row.encode(&mut out);
            prop_assert_eq!(RevisitRow::decode(&mut RowBytes(&out)), Some(row));
            let record = PayloadRecord { doc: n[0], payload: payload.unwrap_or(7) };
            let mut bytes = [0; PayloadRecord::SIZE];
            record.encode(&mut bytes);
            prop_assert_eq!(PayloadRecord::decode(&bytes), record);
        }
    }
}
