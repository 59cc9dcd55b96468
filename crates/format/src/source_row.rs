//! An input file as an index remembers it, so that its documents can be read again.

use crate::rows::{RowBytes, RowValue, row};
use model::FileStat;

/// Stands between the format of a file and the name of its source.
pub const OF_SOURCE: &str = " of ";

/// A file of the user, as it was when it was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SourceRow<'a> {
    /// Path relative to its root, as tables show it.
    pub name: &'a str,
    /// The bytes of the path where it was opened, relative to the configuration if it lies below
    /// it.
    pub path: &'a [u8],
    /// The format it was read as.
    pub format: &'a str,
    /// Its size, times and inode.
    pub stat: FileStat,
    /// Digest of its bytes, in hex.
    pub digest: &'a str,
}

row! { SourceRow { name, path, format, stat, digest } }

impl<'a> RowValue<'a> for FileStat {
    fn put(&self, out: &mut Vec<u8>) {
        self.bytes.put(out);
        self.modified_ns.put(out);
        self.changed_ns.put(out);
        self.inode.put(out);
    }

    fn read(bytes: &mut RowBytes<'a>) -> Option<FileStat> {
        Some(FileStat {
            bytes: RowValue::read(bytes)?,
            modified_ns: RowValue::read(bytes)?,
            changed_ns: RowValue::read(bytes)?,
            inode: RowValue::read(bytes)?,
            device: 0,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows::EncodedRow;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn rows_read_back(name in ".*", path: Vec<u8>, format in ".*", n: [u64; 2], t: [i128; 2], digest in ".*") {
            let row = SourceRow {
                name: &name, path: &path, format: &format, digest: &digest,
                stat: FileStat { bytes: n[0], modified_ns: t[0], changed_ns: t[1], inode: n[1], device: 0 },
            };
            let mut out = Vec::new();
            row.encode(&mut out);
            let mut read = RowBytes(&out);
            prop_assert_eq!(SourceRow::decode(&mut read), Some(row));
            prop_assert!(read.0.is_empty());
        }

        #[test]
        fn no_bytes_make_decoding_panic(bytes: Vec<u8>) {
            let _ = SourceRow::decode(&mut RowBytes(&bytes));
        }
    }
}
