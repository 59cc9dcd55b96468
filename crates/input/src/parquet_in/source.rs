//! A Parquet file, opened: its row groups, and the rows of one.
//!
//! *Input.* The file. *Output.* Its row groups in the order of their first pages; its rows handed
//! on. *Algorithm.* The footer is measured before it is parsed; every call into the parser is
//! guarded against panics. *Memory.* As [`super`] says. *Limits.* A row group whose row count or
//! whose texts are out of all proportion to its size is refused: a dictionary of one long text can
//! stand for millions of copies.

use std::path::PathBuf;
use std::sync::MutexGuard;

use parquet::column::reader::get_column_reader;
use parquet::errors::Result as ParquetResult;
use parquet::file::metadata::{
    ColumnChunkMetaData, PageIndexPolicy, ParquetMetaData, ParquetMetaDataOptions,
    ParquetMetaDataReader, ParquetStatisticsPolicy,
};

use super::chunk::Chunk;
use super::columns::{Cell, Cells, Columns, Kind, cells};
use super::deltas::CheckedPages;
use super::lists::{RowPages, lists};
use super::pages::{self, Refusal};
use super::row::Emit;
use decode::document::{Place, Rejection, Sink};
use decode::error::InputError;
use decode::open_file::OpenFile;
use decode::options::{ReadOptions, SourceFile};
use decode::parquet_shapes::footer_memory_bytes;

/// Largest footer that is read.
const FOOTER_BYTES: u64 = 8 << 20;

/// The memory that the footer and the pages of a row group may take at once. It is part of what a
/// run takes beyond its budget for what does not grow with the input; so it depends on nothing, and
/// all runs refuse the same.
const HELD_BYTES: u64 = 40 << 20;

/// The memory that a thread may hold for Parquet besides a document, without waiting at the gate
/// for large records.
pub const PARQUET_THREAD_BYTES: u64 = 8 << 20;

/// Rows, and bytes of text, that a row group may have whatever its size, and for each of its bytes.
const ROWS: (u64, u64) = (16 << 20, 1024);
const TEXT_BYTES: (u64, u64) = (1 << 30, 1000);

/// An open file.
pub(super) struct Source<'o> {
    /// Held as long as a large footer is.
    gate: Option<MutexGuard<'o, ()>>,
    footer_bytes: u64,
    path: PathBuf,
    chunk: Chunk,
    metadata: ParquetMetaData,
    columns: Columns,
    pub(super) groups: Vec<Group>,
}

/// A row group.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Group {
    /// Byte of the file where its first page begins.
    pub(super) offset: u64,
    pub(super) index: usize,
    /// Rows of the row groups before it in the footer.
    pub(super) first_row: u64,
}

/// Runs the parser; its errors and panics become text.
fn guarded<T>(parse: impl FnOnce() -> ParquetResult<T>) -> Result<T, String> {
    let parsed = decode::guard::caught(parse);
    parsed.map_or_else(
        || Err("the Parquet library cannot parse it".to_owned()),
        |parsed| parsed.map_err(|error| error.to_string()),
    )
}

fn bad(detail: impl Into<String>) -> Refusal {
    ("bad-parquet", detail.into())
}

impl<'o> Source<'o> {
    /// Reads and checks the footer. The inner error is a reason to reject the file.
    pub(super) fn open(
        file: &SourceFile,
        options: &'o ReadOptions,
    ) -> Result<Result<Self, Refusal>, InputError> {
        let opened = OpenFile::open_regular(&file.path);
        let chunk = Chunk {
            file: opened.map_err(InputError::io("open", &file.path))?,
            bytes: file.bytes,
        };
        let tail = chunk
            .up_to(file.bytes.saturating_sub(8), 8)
            .map_err(InputError::io("read", &file.path))?;
        let open = chunk.file.clone();
        let parsed = Self::parse(file.path.clone(), chunk, &tail, options);
        open.check_medium(&file.path)?;
        Ok(parsed)
    }

    fn parse(
        path: PathBuf,
        chunk: Chunk,
        tail: &[u8],
        options: &'o ReadOptions,
    ) -> Result<Self, Refusal> {
        let [a, b, c, d, magic @ ..] = tail else {
            return Err(bad("the file is too short for Parquet"));
        };
        let footer_bytes = u64::from(u32::from_le_bytes([*a, *b, *c, *d]));
        match magic {
            b"PAR1" => {}
            b"PARE" => return Err(("encrypted", "encrypted Parquet cannot be read".to_owned())),
            _ => return Err(bad("the file does not end in PAR1; it may be truncated")),
        }
        if footer_bytes + 12 > chunk.bytes {
            return Err(bad(format!(
                "the footer claims {footer_bytes} bytes, and the file has {}",
                chunk.bytes
            )));
        }
        if footer_bytes > FOOTER_BYTES {
            return Err((
                "footer-too-large",
                format!("the footer has {footer_bytes} bytes, at most {FOOTER_BYTES} are read"),
            ));
        }
        let mut gate = (footer_bytes > PARQUET_THREAD_BYTES / 8).then(|| options.large.enter());
        let footer = chunk.up_to(chunk.bytes - 8 - footer_bytes, footer_bytes as usize);
        let footer = footer.map_err(|error| bad(format!("bad footer: {error}")))?;
        let bytes = footer_memory_bytes(&footer);
        let footer_bytes = bytes.ok_or_else(|| bad("bad footer: it is no metadata of Parquet"))?;
        if footer_bytes > HELD_BYTES / 2 {
            let detail = format!(
                "the parsed footer takes {footer_bytes} bytes, and at most {} fit",
                HELD_BYTES / 2
            );
            return Err(("footer-too-large", detail));
        }
        if gate.is_none() && footer_bytes > PARQUET_THREAD_BYTES / 2 {
            gate = Some(options.large.enter());
        }
        let read = ParquetMetaDataOptions::new()
            .with_column_stats_policy(ParquetStatisticsPolicy::SkipAll)
            .with_size_stats_policy(ParquetStatisticsPolicy::SkipAll)
            .with_encoding_stats_policy(ParquetStatisticsPolicy::SkipAll);
        let metadata = guarded(|| {
            ParquetMetaDataReader::new()
                .with_page_index_policy(PageIndexPolicy::Skip)
                .with_metadata_options(Some(read))
                .parse_and_finish(&chunk)
        });
        let metadata = metadata.map_err(|error| bad(format!("bad footer: {error}")))?;
        let columns = guarded(|| Ok(Columns::find(&metadata, &options.fields))).map_err(bad)??;
        let groups = guarded(|| Ok(groups(&metadata))).map_err(bad)?;
        Ok(Source {
            gate,
            footer_bytes,
            path,
            chunk,
            metadata,
            columns,
            groups,
        })
    }

    /// Hands on the rows of a group. Where it is damaged, the rest of it is one rejection.
    pub(super) fn read_group(
        &self,
        group: &Group,
        options: &ReadOptions,
        sink: &mut dyn Sink,
    ) -> Result<(), InputError> {
        let result = match guarded(|| Ok(self.check(group))).map_err(bad).flatten() {
            Ok(held_bytes) if held_bytes > PARQUET_THREAD_BYTES || self.gate.is_some() => {
                let _guard = self.gate.is_none().then(|| options.large.enter());
                self.read_rows(
                    group,
                    Emit {
                        columns: &self.columns,
                        options,
                        gate: None,
                    },
                    sink,
                )?
            }
            Ok(_) => {
                let gate = Some(&options.large);
                self.read_rows(
                    group,
                    Emit {
                        columns: &self.columns,
                        options,
                        gate,
                    },
                    sink,
                )?
            }
            Err(refusal) => Err((0, refusal)),
        };
        self.chunk.file.check_medium(&self.path)?;
        let Err((row, (reason, detail))) = result else {
            return Ok(());
        };
        let rows = self.metadata.row_group(group.index).num_rows();
        let detail = format!(
            "row group {}, from row {row} of {rows}: {detail}",
            group.index
        );
        sink.rejected(Rejection {
            offset: group.offset,
            url: None,
            reason,
            detail,
        })
        .map_err(InputError::Sink)
    }

    /// Hands on one row of a group, if it can be read and is a document.
    pub(super) fn read_row(
        &self,
        group: &Group,
        row: u64,
        options: &ReadOptions,
        sink: &mut dyn Sink,
    ) -> Result<(), InputError> {
        let rows = u64::try_from(self.metadata.row_group(group.index).num_rows()).unwrap_or(0);
        let is_readable = row < rows && matches!(guarded(|| Ok(self.check(group))), Ok(Ok(_)));
        self.chunk.file.check_medium(&self.path)?;
        if !is_readable {
            return Ok(());
        }
        let _guard = self.gate.is_none().then(|| options.large.enter());
        let cells = guarded(|| {
            let mut readers = self.readers(group)?;
            readers
                .iter_mut()
                .try_for_each(|reader| reader.skip(row as usize))?;
            readers
                .iter_mut()
                .map(|reader| reader.next())
                .collect::<ParquetResult<Vec<_>>>()
        });
        self.chunk.file.check_medium(&self.path)?;
        let place = Place {
            entry_offset: group.offset,
            inner_offset: row,
            length: 0,
        };
        match cells {
            Ok(cells) => Emit {
                columns: &self.columns,
                options,
                gate: None,
            }
            .row(&cells, place, group.first_row.saturating_add(row), sink)
            .map(drop),
            Err(_) => Ok(()),
        }
    }

    /// The columns of a group that are read.
    fn chunks(&self, group: &Group) -> impl Iterator<Item = &ColumnChunkMetaData> {
        let chunks = self.metadata.row_group(group.index).columns();
        self.columns
            .leaves
            .iter()
            .filter_map(|&leaf| chunks.get(leaf))
    }

    /// Looks at what the group claims; bytes that will be held at once, with the footer.
    fn check(&self, group: &Group) -> Result<u64, Refusal> {
        let rows = self.metadata.row_group(group.index).num_rows();
        let rows = u64::try_from(rows).map_err(|_| bad(format!("{rows} rows")))?;
        let mut bytes = 0u64;
        let (mut held_bytes, mut passing_bytes) = (self.footer_bytes, 0);
        for chunk in self.chunks(group) {
            let is_list = chunk.column_descr().max_rep_level() > 0;
            if !is_list && u64::try_from(chunk.num_values()) != Ok(rows) {
                let detail = format!(
                    "column {} has {} values for {rows} rows",
                    chunk.column_path(),
                    chunk.num_values()
                );
                return Err(bad(detail));
            }
            bytes = bytes.saturating_add(chunk.byte_range().1);
            let held = pages::held(&self.chunk, chunk, is_list)?;
            held_bytes = held_bytes.saturating_add(held.steady_bytes);
            passing_bytes = passing_bytes.max(held.passing_bytes);
        }
        if rows > ROWS.0.saturating_add(ROWS.1.saturating_mul(bytes)) {
            return Err(bad(format!("a row group of {rows} rows in {bytes} bytes")));
        }
        let held_bytes = held_bytes.saturating_add(passing_bytes);
        if held_bytes > HELD_BYTES {
            let detail =
                format!("the pages need {held_bytes} bytes of memory, at most {HELD_BYTES} fit");
            return Err(("page-too-large", detail));
        }
        Ok(held_bytes)
    }

    fn readers(&self, group: &Group) -> ParquetResult<Vec<Box<dyn Cells>>> {
        let rows = usize::try_from(self.metadata.row_group(group.index).num_rows())?;
        let open = |chunk: &ColumnChunkMetaData| {
            let descriptor = chunk.column_descr_ptr();
            let element = self.columns.features.and_then(|column| match column.kind {
                Kind::Features(element) if descriptor.max_rep_level() > 0 => Some(element),
                _ => None,
            });
            let row = element.map(|_| RowPages::default());
            let pages = CheckedPages::open(&self.chunk, chunk, rows, row.clone())?;
            let reader = get_column_reader(descriptor, Box::new(pages));
            match (element, row) {
                (Some(element), Some(row)) => lists(reader, element, row),
                _ => cells(reader),
            }
        };
        self.chunks(group).map(open).collect()
    }

    /// The inner error: from which row on the group cannot be read, and why.
    fn read_rows(
        &self,
        group: &Group,
        emit: Emit<'_>,
        sink: &mut dyn Sink,
    ) -> Result<Result<(), (u64, Refusal)>, InputError> {
        let rows = self
            .metadata
            .row_group(group.index)
            .num_rows()
            .cast_unsigned();
        let bytes = self
            .chunks(group)
            .map(|chunk| chunk.byte_range().1)
            .fold(0, u64::saturating_add);
        let mut budget = TEXT_BYTES
            .0
            .saturating_add(TEXT_BYTES.1.saturating_mul(bytes));
        let mut readers = match guarded(|| self.readers(group)) {
            Ok(readers) => readers,
            Err(error) => return Ok(Err((0, bad(error)))),
        };
        let mut row: Vec<Cell> = Vec::with_capacity(readers.len());
        for index in 0..rows {
            row.clear();
            let read = guarded(|| {
                readers
                    .iter_mut()
                    .try_for_each(|reader| reader.next().map(|cell| row.push(cell)))
            });
            if let Err(error) = read {
                return Ok(Err((index, bad(error))));
            }
            let place = Place {
                entry_offset: group.offset,
                inner_offset: index,
                length: 0,
            };
            let text_bytes = emit.row(&row, place, group.first_row.saturating_add(index), sink)?;
            match budget.checked_sub(text_bytes) {
                Some(left) => budget = left,
                None => {
                    return Ok(Err((
                        index + 1,
                        (
                            "expansion",
                            format!("{bytes} bytes expand to far more text than is plausible"),
                        ),
                    )));
                }
            }
        }
        Ok(Ok(()))
    }
}

/// The row groups that have rows, in the order of their first bytes.
pub(super) fn groups(metadata: &ParquetMetaData) -> Vec<Group> {
    let mut rows_before = 0_u64;
    let mut groups: Vec<_> = (0..metadata.num_row_groups())
        .filter(|&index| metadata.row_group(index).num_rows() != 0)
        .map(|index| {
            let first_row = rows_before;
            let rows = u64::try_from(metadata.row_group(index).num_rows()).unwrap_or(0);
            rows_before = first_row.saturating_add(rows);
            let columns = metadata.row_group(index).columns().iter();
            // The smaller of both page offsets is where the chunk begins; a negative one is refused
            // later.
            let starts = columns.flat_map(|column| {
                [
                    Some(column.data_page_offset()),
                    column.dictionary_page_offset(),
                ]
            });
            let offset = starts
                .flatten()
                .filter(|&start| start > 0)
                .min()
                .unwrap_or(0)
                .cast_unsigned();
            Group {
                offset,
                index,
                first_row,
            }
        })
        .collect();
    groups.sort_unstable();
    groups
}
