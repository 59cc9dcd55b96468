//! An input file as an index remembers it, so that its documents can be read again.

use crate::rows::{Row, RowBytes, put_bytes, put_varint};

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
    /// Size in bytes.
    pub bytes: u64,
    /// Modification time in nanoseconds since 1970.
    pub modified_ns: i128,
    /// Time of the last change of content, rights or names in nanoseconds since 1970.
    pub changed_ns: i128,
    /// Inode number.
    pub inode: u64,
    /// Digest of its bytes, in hex.
    pub digest: &'a str,
}

fn take_i128(bytes: &mut RowBytes<'_>) -> Option<i128> {
    bytes.take(16)?.try_into().ok().map(i128::from_le_bytes)
}

impl<'a> Row<'a> for SourceRow<'a> {
    fn encode(&self, out: &mut Vec<u8>) {
        put_bytes(out, self.name.as_bytes());
        put_bytes(out, self.path);
        put_bytes(out, self.format.as_bytes());
        put_varint(out, self.bytes);
        out.extend_from_slice(&self.modified_ns.to_le_bytes());
        out.extend_from_slice(&self.changed_ns.to_le_bytes());
        put_varint(out, self.inode);
        put_bytes(out, self.digest.as_bytes());
    }

    fn decode(bytes: &mut RowBytes<'a>) -> Option<Self> {
        Some(SourceRow {
            name: bytes.text()?,
            path: bytes.bytes()?,
            format: bytes.text()?,
            bytes: bytes.varint()?,
            modified_ns: take_i128(bytes)?,
            changed_ns: take_i128(bytes)?,
            inode: bytes.varint()?,
            digest: bytes.text()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn rows_read_back(name in ".*", path: Vec<u8>, format in ".*", n: [u64; 2], t: [i128; 2], digest in ".*") {
            let row = SourceRow {
                name: &name, path: &path, format: &format, bytes: n[0], modified_ns: t[0], changed_ns: t[1],
                inode: n[1], digest: &digest,
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
