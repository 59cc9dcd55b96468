//! The bytes of records, for tests.

use model::Record;

/// A record that is encoded reads back as it was.
pub(crate) fn round_trip<R: Record + std::fmt::Debug>(record: R) {
    assert_eq!(R::decode(&bytes_of(record)), record);
}

/// The bytes of fields of these widths whose values are 1, 2, 3, ….
pub(crate) fn counted(widths: &[usize]) -> Vec<u8> {
    let field = |(at, width): (usize, &usize)| {
        let mut field = vec![0; *width];
        field[0] = at as u8 + 1;
        field
    };
    widths.iter().enumerate().flat_map(field).collect()
}

pub(crate) fn bytes_of<R: Record>(record: R) -> Vec<u8> {
    let mut bytes = vec![0; R::SIZE];
    record.encode(&mut bytes);
    bytes
}
