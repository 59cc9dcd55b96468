//! The shapes of a footer and of a page header, as `parquet.thrift` of Apache Parquet has them.
//!
//! The parser passes over an unknown list of booleans without reading a byte for an element, and
//! believes the number of elements: a footer of 76 bytes took a second, and one of a megabyte would
//! take days. It also reads a field that it knows as what it should be, whatever its type says. So
//! what has another shape does not reach it.

use decode::thrift::Shape::{self, Binary, Boolean, Byte, Double, Fields, List, Number};

/// A column chunk in memory, at most.
pub(super) const CHUNK_BYTES: u64 = 640;
/// A row group, at most.
pub(super) const GROUP_BYTES: u64 = 256;
/// An element of the schema with its column, at most.
pub(super) const ELEMENT_BYTES: u64 = 1024;

/// A struct or union without known fields.
const EMPTY: Shape = Fields(&[]);
const KEY_VALUE: Shape = Fields(&[(1, Binary), (2, Binary)]);
const NUMBERS: Shape = List(&Number, 0);

/// `FileMetaData`.
pub(super) const FOOTER: Shape = Fields(&[
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
pub(super) const PAGE_HEADER: Shape = Fields(&[
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
