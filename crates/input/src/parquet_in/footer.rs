//! The footer of a file, measured before it is parsed.
//!
//! *Input.* The file. *Output.* Its metadata, without statistics, or why it cannot be read.
//! *Memory.* The parsed footer, at most half of [`PAGE_BYTES`]; a large one waits at the gate.
//! *Limits.* [`FOOTER_BYTES`].

use std::sync::MutexGuard;

use parquet::file::metadata::{
    PageIndexPolicy, ParquetMetaData, ParquetMetaDataOptions, ParquetMetaDataReader,
    ParquetStatisticsPolicy,
};

use super::chunk::{ColumnChunk, guarded};
use super::pages::bad;
use super::room::PARQUET_THREAD_BYTES;
use decode::document::Refusal;
use decode::options::{LargeRecords, PAGE_BYTES};
use decode::parquet_shapes::footer_memory_bytes;

/// Largest footer that is read.
const FOOTER_BYTES: u64 = 8 << 20;

/// A parsed footer.
pub(super) struct Footer<'o> {
    pub(super) metadata: ParquetMetaData,
    /// Its memory.
    pub(super) bytes: u64,
    /// Held as long as a large footer is.
    pub(super) gate: Option<MutexGuard<'o, Vec<u8>>>,
}

impl<'o> Footer<'o> {
    /// Parses the footer of a file that ends in `tail`.
    pub(super) fn read(
        chunk: &ColumnChunk,
        tail: &[u8],
        large: &'o LargeRecords,
    ) -> Result<Self, Refusal> {
        let bytes = length(chunk, tail)?;
        let mut gate = (bytes > PARQUET_THREAD_BYTES / 8).then(|| large.enter());
        let footer = chunk.up_to(chunk.bytes - 8 - bytes, bytes as usize);
        let footer = footer.map_err(|error| bad(format!("bad footer: {error}")))?;
        let bytes = footer_memory_bytes(&footer);
        let bytes = bytes.ok_or_else(|| bad("bad footer: it is no metadata of Parquet"))?;
        if bytes > PAGE_BYTES / 2 {
            let detail = format!(
                "the parsed footer takes {bytes} bytes, and at most {} fit",
                PAGE_BYTES / 2
            );
            return Err(("footer-too-large", detail));
        }
        if gate.is_none() && bytes > PARQUET_THREAD_BYTES / 2 {
            gate = Some(large.enter());
        }
        let read = ParquetMetaDataOptions::new()
            .with_column_stats_policy(ParquetStatisticsPolicy::SkipAll)
            .with_size_stats_policy(ParquetStatisticsPolicy::SkipAll)
            .with_encoding_stats_policy(ParquetStatisticsPolicy::SkipAll);
        let metadata = guarded(|| {
            ParquetMetaDataReader::new()
                .with_page_index_policy(PageIndexPolicy::Skip)
                .with_metadata_options(Some(read))
                .parse_and_finish(chunk)
        });
        let metadata = metadata.map_err(|error| bad(format!("bad footer: {error}")))?;
        Ok(Footer {
            metadata,
            bytes,
            gate,
        })
    }

    /// Rows that the file claims to have, as far as they are believed: at least 1.
    pub(super) fn rows(&self, file_bytes: u64) -> u64 {
        let groups = self.metadata.row_groups().iter();
        let rows = groups.map(|group| u64::try_from(group.num_rows()).unwrap_or(0));
        believed(rows.fold(0, u64::saturating_add), file_bytes)
    }
}

/// The length of the footer, checked against the file.
fn length(chunk: &ColumnChunk, tail: &[u8]) -> Result<u64, Refusal> {
    let [a, b, c, d, magic @ ..] = tail else {
        return Err(bad("the file is too short for Parquet"));
    };
    let bytes = u64::from(u32::from_le_bytes([*a, *b, *c, *d]));
    match magic {
        b"PAR1" => {}
        b"PARE" => return Err(("encrypted", "encrypted Parquet cannot be read".to_owned())),
        _ => return Err(bad("the file does not end in PAR1; it may be truncated")),
    }
    if bytes + 12 > chunk.bytes {
        return Err(bad(format!(
            "the footer claims {bytes} bytes, and the file has {}",
            chunk.bytes
        )));
    }
    if bytes > FOOTER_BYTES {
        return Err((
            "footer-too-large",
            format!("the footer has {bytes} bytes, at most {FOOTER_BYTES} are read"),
        ));
    }
    Ok(bytes)
}

/// Rows that may lie in so few bytes, and in each byte more.
const ROWS: (u64, u64) = (16 << 20, 1024);

/// Whether so many rows can be in so many bytes.
pub(super) fn is_plausible(rows: u64, bytes: u64) -> bool {
    rows <= ROWS.0.saturating_add(ROWS.1.saturating_mul(bytes))
}

/// The rows that are counted as lost of a claim: one of a claim that cannot be true.
pub(super) fn believed(rows: u64, bytes: u64) -> u64 {
    if is_plausible(rows, bytes) {
        rows.max(1)
    } else {
        1
    }
}
