//! The pages of a column, each with a checksum that readers compare.
//!
//! *Input.* Compressed pages as the encoder makes them. *Output.* The bytes of a column chunk,
//! which the row group takes over. *Algorithm.* The library writes headers without a checksum, so
//! this module writes them: Thrift's compact protocol, and the CRC-32 of the page as it is stored.
//! *Memory.* The column chunk. *Limits.* Pages of version 1 without statistics; no others are
//! written.

use flate2::Crc;
use parquet::column::page::{CompressedPage, Page, PageWriteSpec, PageWriter};
use parquet::errors::{ParquetError, Result};

/// Writes pages to the end of a column chunk.
pub(crate) struct ChecksummedPages<'a>(pub(crate) &'a mut Vec<u8>);

impl PageWriter for ChecksummedPages<'_> {
    fn write_page(&mut self, page: CompressedPage) -> Result<PageWriteSpec> {
        let start = self.0.len();
        header(&page, self.0)?;
        let header_bytes = self.0.len() - start;
        self.0.extend_from_slice(page.data());
        let mut written = PageWriteSpec::new();
        written.page_type = page.page_type();
        written.uncompressed_size = header_bytes + page.uncompressed_size();
        written.compressed_size = header_bytes + page.compressed_size();
        written.num_values = page.num_values();
        written.offset = start as u64;
        written.bytes_written = (self.0.len() - start) as u64;
        Ok(written)
    }

    fn close(&mut self) -> Result<()> {
        Ok(())
    }
}

/// `PageHeader` of the format, with the fields that stand in it.
fn header(page: &CompressedPage, out: &mut Vec<u8>) -> Result<()> {
    let mut crc = Crc::new();
    crc.update(page.data());
    let common = [
        page.page_type() as i32,
        i32::try_from(page.uncompressed_size())?,
        i32::try_from(page.compressed_size())?,
        crc.sum().cast_signed(),
    ];
    common.iter().for_each(|&value| next_number(out, value));
    let (values, encoding) = (i32::try_from(page.num_values())?, page.encoding());
    match page.compressed_page() {
        Page::DataPage {
            def_level_encoding,
            rep_level_encoding,
            statistics: None,
            ..
        } => {
            // Field 5 is a struct.
            out.push(1 << 4 | 12);
            next_number(out, values);
            for encoding in [encoding, *def_level_encoding, *rep_level_encoding] {
                next_number(out, encoding as i32);
            }
        }
        Page::DictionaryPage { is_sorted, .. } => {
            // Field 7 is a struct; its last field is a boolean, whose type is its value.
            out.push(3 << 4 | 12);
            next_number(out, values);
            next_number(out, encoding as i32);
            out.push(1 << 4 | if *is_sorted { 1 } else { 2 });
        }
        _ => return Err(ParquetError::NYI("a page of version 2".to_owned())),
    }
    out.extend([0, 0]);
    Ok(())
}

/// The field after the last one: a number with a sign.
fn next_number(out: &mut Vec<u8>, value: i32) {
    out.push(1 << 4 | 5);
    let mut rest = (value << 1 ^ value >> 31).cast_unsigned();
    while rest >= 0x80 {
        out.push(rest as u8 | 0x80);
        rest >>= 7;
    }
    out.push(rest as u8);
}
