//! A Parquet file, opened: its row groups, and the rows of one.
//!
//! *Input.* The file. *Output.* Its row groups in the order of their first pages; its rows handed
//! on. *Algorithm.* Every call into the parser is guarded against panics. *Memory.* As [`super`]
//! says. *Limits.* A row group whose row count is out of all proportion to its size is refused.
//! Values count with all their bytes in every row: a dictionary of one long text can stand for
//! millions of copies, so the rest of a row group that expands too far is given up.

use std::path::PathBuf;

use parquet::errors::Result as ParquetResult;
use parquet::file::metadata::ColumnChunkMetaData;

use super::cells::{CellReader, StoredCell, cells};
use super::chunk::{ColumnChunk, guarded};
use super::columns::{ColumnUse, ReadColumns, check_codec};
use super::deltas::column_reader;
use super::footer::{Footer, believed, is_plausible};
use super::groups::{RowGroup, groups};
use super::lists::{RowPages, lists};
use super::other_texts::{OpenColumn, OtherTexts};
use super::pages::{self, PageBuffer, bad};
use super::room::{Room, too_large};
use super::row::Emit;
use decode::document::Refusal;
use decode::document::{Place, Rejection, Sink};
use decode::error::InputError;
use decode::expansion::{EXPANDS_TOO_FAR, ExpansionLimit};
use decode::options::{ReadOptions, SourceFile};

/// An open file.
pub(super) struct ParquetSource<'o> {
    footer: Footer<'o>,
    /// Bytes that the pages of a row group may take, with the footer.
    most_bytes: u64,
    path: PathBuf,
    chunk: ColumnChunk,
    columns: ReadColumns,
    pub(super) groups: Vec<RowGroup>,
}

impl<'o> ParquetSource<'o> {
    /// Reads and checks the footer. The inner error is a reason to reject the file, and the rows
    /// that are lost.
    pub(super) fn open(
        file: &SourceFile,
        options: &'o ReadOptions,
    ) -> Result<Result<Self, (Refusal, u64)>, InputError> {
        let chunk = ColumnChunk::open(file)?;
        let tail = chunk
            .up_to(file.stat.bytes.saturating_sub(8), 8)
            .map_err(InputError::io("read", &file.path))?;
        let open = chunk.file.clone();
        let parsed = Self::parse(file.path.clone(), chunk, &tail, options);
        open.check_medium(&file.path)?;
        Ok(parsed)
    }

    fn parse(
        path: PathBuf,
        chunk: ColumnChunk,
        tail: &[u8],
        options: &'o ReadOptions,
    ) -> Result<Self, (Refusal, u64)> {
        let footer = Footer::read(&chunk, tail, &options.large).map_err(|why| (why, 1))?;
        let metadata = &footer.metadata;
        let columns = guarded(|| Ok(ReadColumns::find(metadata, &options.fields)));
        let columns = columns.map_err(bad).flatten();
        let columns = columns.map_err(|why| (why, footer.rows(chunk.bytes)))?;
        let groups = guarded(|| Ok(groups(metadata, chunk.bytes)));
        Ok(ParquetSource {
            groups: groups.map_err(|why| (bad(why), 1))?,
            most_bytes: options.max_page_bytes,
            path,
            chunk,
            footer,
            columns,
        })
    }

    /// Hands on the rows of a group. Where it is damaged, the rest of it is one rejection.
    pub(super) fn read_group(
        &self,
        group: &RowGroup,
        expansion: &mut ExpansionLimit,
        options: &ReadOptions,
        sink: &mut dyn Sink,
    ) -> Result<(), InputError> {
        let result = match guarded(|| Ok(self.check(group))).map_err(bad).flatten() {
            Ok(held_bytes) => {
                let gate = self.footer.gate.is_none().then_some(&options.large);
                let open = self.opening(group);
                let room = Room::new(held_bytes, self.most_bytes, gate);
                let others = OtherTexts::new(&self.columns.others, &*open, room);
                self.read_rows(group, others, expansion, options, sink)?
            }
            Err(refusal) => Err((0, refusal)),
        };
        self.chunk.file.check_medium(&self.path)?;
        let Err((row, (reason, detail))) = result else {
            return Ok(());
        };
        let rows = self.footer.metadata.row_group(group.index).num_rows();
        let detail = format!(
            "row group {}, from row {row} of {rows}: {detail}",
            group.index
        );
        let rest = u64::try_from(rows).unwrap_or(0).saturating_sub(row);
        sink.rejected(Rejection {
            records: believed(rest, group.bytes),
            ..Rejection::new(group.offset, reason, detail)
        })
        .map_err(InputError::Sink)
    }

    /// Hands on one row of a group, if it can be read and is a document.
    pub(super) fn read_row(
        &self,
        group: &RowGroup,
        row: u64,
        options: &ReadOptions,
        sink: &mut dyn Sink,
    ) -> Result<(), InputError> {
        let rows =
            u64::try_from(self.footer.metadata.row_group(group.index).num_rows()).unwrap_or(0);
        let held = guarded(|| Ok(self.check(group)));
        self.chunk.file.check_medium(&self.path)?;
        let Ok(Ok(held_bytes)) = held else {
            return Ok(());
        };
        if row >= rows {
            return Ok(());
        }
        let _guard = self.footer.gate.is_none().then(|| options.large.enter());
        let open = self.opening(group);
        let room = Room::new(held_bytes, self.most_bytes, None);
        let mut others = OtherTexts::new(&self.columns.others, &*open, room);
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
    fn chunks(&self, group: &RowGroup) -> impl Iterator<Item = &ColumnChunkMetaData> {
        let chunks = self.footer.metadata.row_group(group.index).columns();
        self.columns
            .leaves
            .iter()
            .filter_map(|&leaf| chunks.get(leaf))
    }

    /// Looks at what the group claims; bytes that will be held at once, with the footer.
    fn check(&self, group: &RowGroup) -> Result<u64, Refusal> {
        let rows = self.footer.metadata.row_group(group.index).num_rows();
        let rows = u64::try_from(rows).map_err(|_| bad(format!("{rows} rows")))?;
        let (mut held_bytes, mut passing_bytes) = (self.footer.bytes, 0);
        for chunk in self.chunks(group) {
            let held = self.check_column(chunk, rows)?;
            held_bytes = held_bytes.saturating_add(held.steady_bytes);
            passing_bytes = passing_bytes.max(held.passing_bytes);
        }
        if !is_plausible(rows, group.bytes) {
            let detail = format!("a row group of {rows} rows in {} bytes", group.bytes);
            return Err(bad(detail));
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
    fn opening<'a>(&'a self, group: &RowGroup) -> Box<OpenColumn<'a>> {
        let group = self.footer.metadata.row_group(group.index);
        Box::new(move |leaf, room| {
            let chunk = group.columns().get(leaf);
            let chunk = chunk.ok_or_else(|| bad(format!("column {leaf} is missing")))?;
            check_codec(chunk)?;
            let rows = group.num_rows().cast_unsigned();
            let held = guarded(|| Ok(self.check_column(chunk, rows))).map_err(bad)??;
            room.take(held)?;
            let reader = guarded(|| {
                let rows = usize::try_from(rows)?;
                cells(column_reader(
                    &self.chunk,
                    chunk,
                    rows,
                    None,
                    self.most_bytes,
                )?)
            });
            reader.map_err(bad)
        })
    }

    fn readers(&self, group: &RowGroup) -> ParquetResult<Vec<Box<dyn CellReader>>> {
        let rows = usize::try_from(self.footer.metadata.row_group(group.index).num_rows())?;
        let open = |chunk: &ColumnChunkMetaData| {
            let is_list = chunk.column_descr().max_rep_level() > 0;
            let is_nested = chunk.column_path().parts().len() > 1;
            let element = self.columns.features.and_then(|column| match column.kind {
                ColumnUse::Features(element) if is_list => Some(element),
                _ => None,
            });
            let row = (element.is_some() || is_nested).then(RowPages::default);
            let reader = column_reader(&self.chunk, chunk, rows, row.clone(), self.most_bytes)?;
            match row {
                Some(row) => lists(reader, element, row),
                None => cells(reader),
            }
        };
        self.chunks(group).map(open).collect()
    }

    /// The inner error: from which row on the group cannot be read, and why.
    fn read_rows(
        &self,
        group: &RowGroup,
        mut others: OtherTexts<'_>,
        expansion: &mut ExpansionLimit,
        options: &ReadOptions,
        sink: &mut dyn Sink,
    ) -> Result<Result<(), (u64, Refusal)>, InputError> {
        let columns = &self.columns;
        let emit = Emit { columns, options };
        let rows = self.footer.metadata.row_group(group.index).num_rows();
        let mut readers = match guarded(|| self.readers(group)) {
            Ok(readers) => readers,
            Err(error) => return Ok(Err((0, bad(error)))),
        };
        let mut row: Vec<StoredCell> = Vec::with_capacity(readers.len());
        let mut bytes = 0_u64;
        let mut ended = Ok(());
        for index in 0..rows.cast_unsigned() {
            row.clear();
            let read = guarded(|| {
                readers
                    .iter_mut()
                    .try_for_each(|reader| reader.next().map(|cell| row.push(cell)))
            });
            if let Err(error) = read {
                ended = Err((index, bad(error)));
                break;
            }
            bytes = row.iter().fold(bytes, |sum, cell| sum + cell.bytes());
            if let Some(detail) = expansion.refusal(group.bytes, bytes + others.bytes) {
                ended = Err((index, (EXPANDS_TOO_FAR, detail)));
                break;
            }
            let place = Place {
                entry_offset: group.offset,
                inner_offset: index,
                length: 0,
            };
            let row_number = group.first_row.saturating_add(index);
            bytes += emit.row(&row, &mut others, place, row_number, sink)?;
        }
        expansion.end_entry(group.bytes, bytes + others.bytes);
        Ok(ended)
    }
}
