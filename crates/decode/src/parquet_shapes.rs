//! The shapes of a footer and of a page header of Parquet, as its `parquet.thrift` has them.
//!
//! *Input.* The bytes of a footer or of a page header. *Output.* Whether it has the shape; of a
//! footer, a bound of what its parsed form takes in memory: a few bytes of it can become several
//! hundred. *Algorithm.* One walk. The parser passes over an unknown list of booleans without
//! reading a byte for an element, and believes the number of elements: a footer of 76 bytes took a
//! second, and one of a megabyte would take days. It also reads a field that it knows as what it
//! should be, whatever its type says. So what has another shape must not reach it. *Memory.* None.

use crate::thrift::Compact;
use crate::thrift::Shape::{self, Binary, Boolean, Byte, Double, Fields, List, Number};

/// The advice for a page that is too large to be read.
pub const PAGE_ADVICE: &str = "raise max-page in [input], or write the file with smaller pages";

/// A column chunk in memory, at most.
pub const CHUNK_BYTES: u64 = 640;
/// A row group, at most.
pub const GROUP_BYTES: u64 = 256;
/// An element of the schema with its column, at most.
const ELEMENT_BYTES: u64 = 1024;

/// The type of a struct.
const STRUCT: u8 = 12;

/// Bytes that a footer takes in memory: its own, and what is made of them; `None` if it has another
/// shape.
pub fn footer_memory_bytes(footer: &[u8]) -> Option<u64> {
    let mut bytes = 2 * footer.len() as u64;
    let mut thrift = Compact { rest: footer };
    thrift.check(STRUCT, &FOOTER, &mut bytes)?;
    Some(bytes)
}

/// Whether the bytes begin with a page header.
pub fn begins_with_page_header(bytes: &[u8]) -> bool {
    let mut thrift = Compact { rest: bytes };
    thrift.check(STRUCT, &PAGE_HEADER, &mut 0).is_some()
}

/// A struct or union without known fields.
const EMPTY: Shape = Fields(&[]);
const KEY_VALUE: Shape = Fields(&[(1, Binary), (2, Binary)]);
const NUMBERS: Shape = List(&Number, 0);

/// `FileMetaData`.
const FOOTER: Shape = Fields(&[
    (1, Number),
    (2, List(&SCHEMA_ELEMENT, ELEMENT_BYTES)),
    (3, Number),
    (4, List(&ROW_GROUP, GROUP_BYTES)),
    (5, List(&KEY_VALUE, 0)),
    (6, Binary),
    (7, List(&Fields(&[(1, EMPTY), (2, EMPTY)]), 0)),
    (8, Fields(&[(1, ENCRYPTION), (2, ENCRYPTION)])),
    (9, Binary),
]);

const ENCRYPTION: Shape = Fields(&[(1, Binary), (2, Binary), (3, Boolean)]);

const SCHEMA_ELEMENT: Shape = Fields(&[
    (1, Number),
    (2, Number),
    (3, Number),
    (4, Binary),
    (5, Number),
    (6, Number),
    (7, Number),
    (8, Number),
    (9, Number),
    (10, LOGICAL_TYPE),
]);

const LOGICAL_TYPE: Shape = Fields(&[
    (1, EMPTY),
    (2, EMPTY),
    (3, EMPTY),
    (4, EMPTY),
    (5, Fields(&[(1, Number), (2, Number)])),
    (6, EMPTY),
    (7, TIME),
    (8, TIME),
    (10, Fields(&[(1, Byte), (2, Boolean)])),
    (11, EMPTY),
    (12, EMPTY),
    (13, EMPTY),
    (14, EMPTY),
    (15, EMPTY),
    (16, Fields(&[(1, Byte)])),
    (17, Fields(&[(1, Binary)])),
    (18, Fields(&[(1, Binary), (2, Number)])),
]);

const TIME: Shape = Fields(&[
    (1, Boolean),
    (2, Fields(&[(1, EMPTY), (2, EMPTY), (3, EMPTY)])),
]);

const ROW_GROUP: Shape = Fields(&[
    (1, List(&COLUMN_CHUNK, CHUNK_BYTES)),
    (2, Number),
    (3, Number),
    (
        4,
        List(&Fields(&[(1, Number), (2, Boolean), (3, Boolean)]), 0),
    ),
    (5, Number),
    (6, Number),
    (7, Number),
]);

const COLUMN_CHUNK: Shape = Fields(&[
    (1, Binary),
    (2, Number),
    (3, COLUMN),
    (4, Number),
    (5, Number),
    (6, Number),
    (7, Number),
    (
        8,
        Fields(&[
            (1, EMPTY),
            (2, Fields(&[(1, List(&Binary, 0)), (2, Binary)])),
        ]),
    ),
    (9, Binary),
]);

const COLUMN: Shape = Fields(&[
    (1, Number),
    (2, NUMBERS),
    (3, List(&Binary, 0)),
    (4, Number),
    (5, Number),
    (6, Number),
    (7, Number),
    (8, List(&KEY_VALUE, 0)),
    (9, Number),
    (10, Number),
    (11, Number),
    (12, STATISTICS),
    (
        13,
        List(&Fields(&[(1, Number), (2, Number), (3, Number)]), 0),
    ),
    (14, Number),
    (15, Number),
    (16, Fields(&[(1, Number), (2, NUMBERS), (3, NUMBERS)])),
    (17, Fields(&[(1, BOX), (2, NUMBERS)])),
]);

const BOX: Shape = Fields(&[
    (1, Double),
    (2, Double),
    (3, Double),
    (4, Double),
    (5, Double),
    (6, Double),
    (7, Double),
    (8, Double),
]);

const STATISTICS: Shape = Fields(&[
    (1, Binary),
    (2, Binary),
    (3, Number),
    (4, Number),
    (5, Binary),
    (6, Binary),
    (7, Boolean),
    (8, Boolean),
    (9, Number),
]);

/// `PageHeader`.
const PAGE_HEADER: Shape = Fields(&[
    (1, Number),
    (2, Number),
    (3, Number),
    (4, Number),
    (
        5,
        Fields(&[
            (1, Number),
            (2, Number),
            (3, Number),
            (4, Number),
            (5, STATISTICS),
        ]),
    ),
    (6, EMPTY),
    (7, Fields(&[(1, Number), (2, Number), (3, Boolean)])),
    (8, DATA_PAGE_V2),
]);

const DATA_PAGE_V2: Shape = Fields(&[
    (1, Number),
    (2, Number),
    (3, Number),
    (4, Number),
    (5, Number),
    (6, Number),
    (7, Boolean),
    (8, STATISTICS),
]);

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn every_list_is_counted() {
        // Version; two elements of schema; two row groups, of three and of no column chunks, each
        // an empty struct.
        let footer = [
            0x15, 2, 0x19, 0x2c, 0, 0, 0x29, 0x2c, 0x19, 0x3c, 0, 0, 0, 0, 0x19, 0x0c, 0, 0,
        ];
        let expected =
            2 * footer.len() as u64 + 2 * ELEMENT_BYTES + 2 * GROUP_BYTES + 3 * CHUNK_BYTES;
        assert_eq!(footer_memory_bytes(&footer), Some(expected));
    }

    /// Two billion booleans of no bytes: in a field that no parser knows, in one of a row group,
    /// and in one that has another type.
    #[test]
    fn a_list_of_booleans_is_in_no_footer() {
        let list = [0xf1, 0xff, 0xff, 0xff, 0xff, 0x07];
        let in_unknown = [&[0xe9][..], &list, &[0]].concat();
        let in_row_group = [&[0x49, 0x1c, 0xe9][..], &list, &[0, 0]].concat();
        let as_version = [&[0x19][..], &list, &[0]].concat();
        for footer in [in_unknown, in_row_group, as_version] {
            assert_eq!(footer_memory_bytes(&footer), None, "{footer:x?}");
        }
    }

    /// A type that is not that of the field: the parser would read two bytes of a list as a number.
    #[test]
    fn a_known_field_has_its_type() {
        let binary = |field: u8| [field << 4 | 8, 1, b'a', 0];
        assert_eq!(footer_memory_bytes(&binary(6)), Some(8));
        assert_eq!(footer_memory_bytes(&binary(1)), None);
        // The parser takes field 65537 for field 1.
        assert_eq!(
            footer_memory_bytes(&[0x08, 0x82, 0x80, 0x08, 1, b'a', 0]),
            None
        );
    }

    proptest! {
        /// A list cannot claim more than its bytes can hold.
        #[test]
        fn no_bytes_panic_or_count_beyond_their_number(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            prop_assert!(footer_memory_bytes(&bytes).unwrap_or(0) <= 2 * bytes.len() as u64 + (bytes.len() as u64 + 1) * ELEMENT_BYTES);
        }
    }
}
