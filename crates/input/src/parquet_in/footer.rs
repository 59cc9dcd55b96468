//! Estimates the memory that parsing a footer takes, before it is parsed.
//!
//! *Input.* The bytes of a footer. *Output.* A bound of what its parsed form takes; `None` if it has
//! not the shape of a footer. *Algorithm.* One walk that counts the columns of all row groups and
//! the elements of the schema: a few bytes of a footer can become several hundred in memory.
//! *Memory.* None.

use super::shapes::FOOTER;
use decode::thrift::Compact;

/// The type of a struct.
pub(super) const STRUCT: u8 = 12;

/// Bytes that the footer takes in memory: its own, and what is made of them.
pub(super) fn memory_bytes(footer: &[u8]) -> Option<u64> {
    let mut bytes = 2 * footer.len() as u64;
    let mut thrift = Compact { rest: footer };
    thrift.check(STRUCT, &FOOTER, &mut bytes)?;
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::super::shapes::{CHUNK_BYTES, ELEMENT_BYTES, GROUP_BYTES};
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
        assert_eq!(memory_bytes(&footer), Some(expected));
    }

    /// Two billion booleans of no bytes, in a field that no parser knows, in a struct of one, and in
    /// one that has another type.
    #[test]
    fn a_list_of_booleans_is_in_no_footer() {
        let list = [0xf1, 0xff, 0xff, 0xff, 0xff, 0x07];
        let in_unknown = [&[0xe9][..], &list, &[0]].concat();
        let in_row_group = [&[0x49, 0x1c, 0xe9][..], &list, &[0, 0]].concat();
        let as_version = [&[0x19][..], &list, &[0]].concat();
        for footer in [in_unknown, in_row_group, as_version] {
            assert_eq!(memory_bytes(&footer), None, "{footer:x?}");
        }
    }

    /// A type that is not that of the field: the parser would read two bytes of a list as a number.
    #[test]
    fn a_known_field_has_its_type() {
        let binary = |field: u8| [field << 4 | 8, 1, b'a', 0];
        assert_eq!(memory_bytes(&binary(6)), Some(8));
        assert_eq!(memory_bytes(&binary(1)), None);
        // The parser takes field 65537 for field 1.
        assert_eq!(memory_bytes(&[0x08, 0x82, 0x80, 0x08, 1, b'a', 0]), None);
    }

    proptest! {
        /// A list cannot claim more than its bytes can hold.
        #[test]
        fn no_bytes_panic_or_count_beyond_their_number(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            prop_assert!(memory_bytes(&bytes).unwrap_or(0) <= 2 * bytes.len() as u64 + (bytes.len() as u64 + 1) * ELEMENT_BYTES);
        }
    }
}
