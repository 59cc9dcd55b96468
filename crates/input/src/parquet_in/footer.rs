//! Estimates the memory that parsing a footer takes, before it is parsed.
//!
//! *Input.* The bytes of a footer. *Output.* A bound of what its parsed form takes. *Algorithm.*
//! One walk that counts the columns of all row groups and the elements of the schema: a few bytes
//! of a footer can become several hundred in memory. *Memory.* None. *Limits.* What is no footer
//! counts as one without columns: the parser refuses it.

use decode::thrift::Compact;

/// A column chunk in memory, at most.
const CHUNK_BYTES: u64 = 640;
/// A row group, at most.
const GROUP_BYTES: u64 = 256;
/// An element of the schema with its column, at most.
const ELEMENT_BYTES: u64 = 1024;

/// Bytes that the footer takes in memory: its own, and what is made of them.
pub(super) fn memory_bytes(footer: &[u8]) -> u64 {
    let mut bytes = 2 * footer.len() as u64;
    let _ = count(&mut Compact { rest: footer }, &mut bytes);
    bytes
}

/// Adds what the lists of the file's metadata come to; `None` where it is damaged.
fn count(thrift: &mut Compact<'_>, bytes: &mut u64) -> Option<()> {
    let mut id = 0;
    while let Some(kind) = thrift.field(&mut id)? {
        match (id, kind) {
            (2, 9) => {
                let (elements, kind) = thrift.list()?;
                for _ in 0..elements {
                    *bytes += ELEMENT_BYTES;
                    thrift.skip(kind, 0)?;
                }
            }
            (4, 9) => {
                let (groups, _) = thrift.list()?;
                for _ in 0..groups {
                    *bytes += GROUP_BYTES;
                    count_chunks(thrift, bytes)?;
                }
            }
            _ => thrift.skip(kind, 0)?,
        }
    }
    Some(())
}

fn count_chunks(thrift: &mut Compact<'_>, bytes: &mut u64) -> Option<()> {
    let mut id = 0;
    while let Some(kind) = thrift.field(&mut id)? {
        match (id, kind) {
            (1, 9) => {
                let (chunks, kind) = thrift.list()?;
                for _ in 0..chunks {
                    *bytes += CHUNK_BYTES;
                    thrift.skip(kind, 0)?;
                }
            }
            _ => thrift.skip(kind, 0)?,
        }
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use parquet::file::metadata::{ColumnChunkMetaData, RowGroupMetaData};
    use proptest::prelude::*;

    #[test]
    fn the_parsed_form_is_no_larger_than_was_counted_for() {
        assert!(
            size_of::<ColumnChunkMetaData>() as u64 + 64 <= CHUNK_BYTES,
            "{}",
            size_of::<ColumnChunkMetaData>()
        );
        assert!(
            size_of::<RowGroupMetaData>() as u64 + 64 <= GROUP_BYTES,
            "{}",
            size_of::<RowGroupMetaData>()
        );
    }

    #[test]
    fn every_list_is_counted() {
        // Version; two elements of schema; two row groups, of three and of no column chunks, each
        // an empty struct.
        let footer = [
            0x15, 2, 0x19, 0x2c, 0, 0, 0x29, 0x2c, 0x19, 0x3c, 0, 0, 0, 0, 0x19, 0x0c, 0, 0,
        ];
        let expected =
            2 * footer.len() as u64 + 2 * ELEMENT_BYTES + 2 * GROUP_BYTES + 3 * CHUNK_BYTES;
        assert_eq!(memory_bytes(&footer), expected);
    }

    proptest! {
        /// A list cannot claim more than its bytes can hold.
        #[test]
        fn no_bytes_panic_or_count_beyond_their_number(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            prop_assert!(memory_bytes(&bytes) <= 2 * bytes.len() as u64 + (bytes.len() as u64 + 1) * ELEMENT_BYTES);
        }
    }
}
