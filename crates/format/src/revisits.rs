//! Rows of WARC `revisit` records, whose bodies are those of earlier records, and keys of bodies.

use crate::rows::{RowBytes, RowValue, row};
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

row! {
    RevisitRow {
        before, file, id, url, date, place, payload, refers_to_id, refers_to_url, refers_to_date
    }
}

impl<'a> RowValue<'a> for [u64; 3] {
    fn put(&self, out: &mut Vec<u8>) {
        self.iter().for_each(|value| value.put(out));
    }
    fn read(bytes: &mut RowBytes<'a>) -> Option<[u64; 3]> {
        Some([bytes.varint()?, bytes.varint()?, bytes.varint()?])
    }
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
    use crate::rows::EncodedRow;
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
