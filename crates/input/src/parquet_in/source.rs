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

use super::cells::{Cell, Cells, cells};
use super::chunk::{Chunk, guarded};
use super::columns::{Columns, Kind, check_codec};
use super::deltas::CheckedPages;
use super::groups::{Group, groups};
use super::lists::{RowPages, lists};
use super::other_texts::{OpenColumn, OtherTexts};
use super::pages::{self, PageBuffer, Refusal};
use super::room::{PARQUET_THREAD_BYTES, Room, too_large};
use super::row::Emit;
use decode::document::{Place, Rejection, Sink};
use decode::error::InputError;
use decode::open_file::OpenFile;
use decode::options::{PAGE_BYTES, ReadOptions, SourceFile};
use decode::parquet_shapes::footer_memory_bytes;

/// Largest footer that is read.
const FOOTER_BYTES: u64 = 8 << 20;

/// Rows, and bytes of text, that a row group may have whatever its size, and for each of its bytes.
const ROWS: (u64, u64) = (16 << 20, 1024);
const TEXT_BYTES: (u64, u64) = (1 << 30, 1000);

/// An open file.
pub(super) struct Source<'o> {
    /// Held as long as a large footer is.
    gate: Option<MutexGuard<'o, Vec<u8>>>,
    footer_bytes: u64,
    /// What the pages of a row group may take, with the footer.
    most_bytes: u64,
    path: PathBuf,
    chunk: Chunk,
    metadata: ParquetMetaData,
    columns: Columns,
    pub(super) groups: Vec<Group>,
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
        if footer_bytes > PAGE_BYTES / 2 {
            let detail = format!(
                "the parsed footer takes {footer_bytes} bytes, and at most {} fit",
                PAGE_BYTES / 2
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
            most_bytes: options.max_page_bytes,
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
            Ok(held_bytes) => {
                let gate = self.gate.is_none().then_some(&options.large);
                let open = self.opening(group);
                let room = Room::new(held_bytes, self.most_bytes, gate);
                let others = OtherTexts::new(&self.columns.others, &open, room);
                self.read_rows(group, others, options, sink)?
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
        let held = guarded(|| Ok(self.check(group)));
        self.chunk.file.check_medium(&self.path)?;
        let Ok(Ok(held_bytes)) = held else {
            return Ok(());
        };
        if row >= rows {
            return Ok(());
        }
        let _guard = self.gate.is_none().then(|| options.large.enter());
        let open = self.opening(group);
        let room = Room::new(held_bytes, self.most_bytes, None);
        let mut others = OtherTexts::new(&self.columns.others, &open, room);
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
            Ok(cells) => {
                let columns = &self.columns;
                let row = group.first_row.saturating_add(row);
                let emit = Emit { columns, options };
                emit.row(&cells, &mut others, place, row, sink)?;
                self.chunk.file.check_medium(&self.path)
            }
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
            bytes = bytes.saturating_add(chunk.byte_range().1);
            let held = self.check_column(chunk, rows)?;
            held_bytes = held_bytes.saturating_add(held.steady_bytes);
            passing_bytes = passing_bytes.max(held.passing_bytes);
        }
        if rows > ROWS.0.saturating_add(ROWS.1.saturating_mul(bytes)) {
            return Err(bad(format!("a row group of {rows} rows in {bytes} bytes")));
        }
        let held_bytes = held_bytes.saturating_add(passing_bytes);
        if held_bytes > self.most_bytes {
            return Err(too_large(held_bytes, self.most_bytes));
        }
        Ok(held_bytes)
    }

    /// Looks at what a column of a group of so many rows claims.
    fn check_column(&self, chunk: &ColumnChunkMetaData, rows: u64) -> Result<PageBuffer, Refusal> {
        let is_list = chunk.column_descr().max_rep_level() > 0;
        if !is_list && u64::try_from(chunk.num_values()) != Ok(rows) {
            let detail = format!(
                "column {} has {} values for {rows} rows",
                chunk.column_path(),
                chunk.num_values()
            );
            return Err(bad(detail));
        }
        pages::held(&self.chunk, chunk, is_list, self.most_bytes)
    }

    /// Opens columns that no row needed before.
    fn opening(&self, group: &Group) -> impl OpenColumn {
        let group = self.metadata.row_group(group.index);
        move |leaf, room| {
            let chunk = group.columns().get(leaf);
            let chunk = chunk.ok_or_else(|| bad(format!("column {leaf} is missing")))?;
            check_codec(chunk)?;
            let rows = group.num_rows().cast_unsigned();
            let held = guarded(|| Ok(self.check_column(chunk, rows))).map_err(bad)??;
            room.take(held)?;
            let reader = guarded(|| {
                let pages = CheckedPages::open(&self.chunk, chunk, usize::try_from(rows)?, None)?;
                cells(get_column_reader(chunk.column_descr_ptr(), Box::new(pages)))
            });
            Ok((reader.map_err(bad)?, chunk.byte_range().1))
        }
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
        mut others: OtherTexts<'_>,
        options: &ReadOptions,
        sink: &mut dyn Sink,
    ) -> Result<Result<(), (u64, Refusal)>, InputError> {
        let columns = &self.columns;
        let emit = Emit { columns, options };
        let rows = self
            .metadata
            .row_group(group.index)
            .num_rows()
            .cast_unsigned();
        let bytes = self
            .chunks(group)
            .map(|chunk| chunk.byte_range().1)
            .fold(0, u64::saturating_add);
        let mut text_bytes = 0_u64;
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
            let row_number = group.first_row.saturating_add(index);
            let bytes_of_row = emit.row(&row, &mut others, place, row_number, sink)?;
            text_bytes = text_bytes.saturating_add(bytes_of_row);
            let bytes = bytes.saturating_add(others.bytes);
            if text_bytes
                > TEXT_BYTES
                    .0
                    .saturating_add(TEXT_BYTES.1.saturating_mul(bytes))
            {
                let detail = format!("{bytes} bytes expand to far more text than is plausible");
                return Ok(Err((index + 1, ("expansion", detail))));
            }
        }
        Ok(Ok(()))
    }
}
