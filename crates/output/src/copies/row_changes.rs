//! What becomes of the rows of a Parquet file: some go, and parts of the texts of others.
//!
//! *Input.* The file; its changes, as often as they are asked for. *Output.* The rows of a group
//! that go, and new values. *Algorithm.* One reader of the changes is ahead, and says which rows of
//! a group go; each column that may have the text has another one, which is at the row that is
//! copied. Where there are several such columns, the rows of a group are read first, and the reader
//! of documents says which one has the text of each. *Memory.* A bit for each row of a row group,
//! and a byte where there are several columns.

use input::{
    Document, DocumentCut, DocumentCuts, InputError, ParquetCopy, Piece, Place, ReadOptions,
    SinkError, SourceFile, cut_text, read_piece,
};

/// Begins to read the changes of a file.
pub type OpenCuts<'a> = dyn Fn() -> Result<Box<dyn DocumentCuts + 'a>, SinkError> + 'a;

/// The rows of a row group that go.
pub(super) struct GoneRows {
    words: Vec<u64>,
    pub(super) rows: usize,
    pub(super) count: usize,
}

impl GoneRows {
    pub(super) fn none(rows: usize) -> GoneRows {
        GoneRows {
            words: vec![0; rows.div_ceil(64)],
            rows,
            count: 0,
        }
    }

    /// False if there is no such row, or it was there before.
    pub(super) fn add(&mut self, row: u64) -> bool {
        let row = usize::try_from(row).unwrap_or(usize::MAX);
        if row >= self.rows || self.has(row) {
            return false;
        }
        self.words[row / 64] |= 1 << (row % 64);
        self.count += 1;
        true
    }

    pub(super) fn has(&self, row: usize) -> bool {
        self.words
            .get(row / 64)
            .is_some_and(|word| word >> (row % 64) & 1 == 1)
    }
}

/// Reads changes one by one.
struct CutReader<'a> {
    cuts: Box<dyn DocumentCuts + 'a>,
    next: Option<(Place, DocumentCut)>,
}

impl<'a> CutReader<'a> {
    fn begin(open: &OpenCuts<'a>) -> Result<Self, InputError> {
        let mut cuts = open()?;
        let next = cuts.next()?;
        Ok(CutReader { cuts, next })
    }

    /// The change of a row, if there is one, and passes over those before.
    fn of(&mut self, row: (u64, u64)) -> Result<Option<DocumentCut>, InputError> {
        while let Some((place, cut)) = self.next.take() {
            let at = place.start();
            if at > row {
                self.next = Some((place, cut));
                break;
            }
            self.next = self.cuts.next()?;
            if at == row {
                return Ok(Some(cut));
            }
        }
        Ok(None)
    }
}

/// A column that may have the text of a row.
struct TextColumn<'a> {
    leaf: usize,
    name: String,
    cuts: CutReader<'a>,
}

/// The changes of a file.
pub(super) struct RowChanges<'a> {
    file: &'a SourceFile,
    options: &'a ReadOptions,
    marker: &'a str,
    ahead: CutReader<'a>,
    columns: Vec<TextColumn<'a>>,
    /// The first byte of the row group.
    offset: u64,
    /// By row: the number of the column that has its text. Empty if there is only one.
    column_of: Vec<u8>,
    /// Texts of the row group that have still to be cut.
    left: usize,
}

impl<'a> RowChanges<'a> {
    pub(super) fn begin(
        file: &'a SourceFile,
        options: &'a ReadOptions,
        source: &ParquetCopy,
        cuts: &OpenCuts<'a>,
        marker: &'a str,
    ) -> Result<Self, InputError> {
        let of_file = options.of(file);
        let usual = of_file.fields.usual_text().map(|(name, _)| name);
        let names: Vec<&str> = std::iter::once(&*of_file.fields.text)
            .chain(usual)
            .collect();
        let schema = source.metadata().file_metadata().schema_descr();
        let mut columns = Vec::new();
        for (leaf, column) in schema.columns().iter().enumerate() {
            if let [name] = column.path().parts()
                && names.contains(&&**name)
            {
                columns.push(TextColumn {
                    leaf,
                    name: name.clone(),
                    cuts: CutReader::begin(cuts)?,
                });
            }
        }
        Ok(RowChanges {
            file,
            options,
            marker,
            ahead: CutReader::begin(cuts)?,
            columns,
            offset: 0,
            column_of: Vec::new(),
            left: 0,
        })
    }

    /// Reads the rows of a group, for the columns that have their texts.
    fn find_columns(&mut self, offset: u64, rows: usize) -> Result<(), InputError> {
        self.column_of = vec![u8::MAX; rows];
        let group = Piece {
            file: 0,
            start: offset,
            end: offset + 1,
        };
        let options = self.options.of(self.file);
        let (columns, column_of) = (&self.columns, &mut self.column_of);
        let mut take = |document: &Document<'_>| {
            let name = options.fields.text_of(document.flags);
            let column = columns.iter().position(|column| column.name == name);
            let row = usize::try_from(document.place.inner_offset).unwrap_or(usize::MAX);
            if let (Some(column), Some(of)) = (column, column_of.get_mut(row)) {
                *of = column as u8;
            }
            Ok(())
        };
        read_piece(self.file, &group, Some(offset), self.options, &mut take).map(drop)
    }
}

impl RowChanges<'_> {
    /// The rows that go of the next row group, which begins at byte `offset`; `None` if a row is
    /// named that it does not have.
    pub(super) fn of_group(
        &mut self,
        offset: u64,
        rows: usize,
    ) -> Result<Option<GoneRows>, InputError> {
        let mut gone = GoneRows::none(rows);
        // A text that was not cut in the group before is not there any more.
        if self.left > 0 {
            return Ok(None);
        }
        self.offset = offset;
        while let Some((place, cut)) = &self.ahead.next
            && place.entry_offset == offset
        {
            match cut {
                DocumentCut::Parts(_) if place.inner_offset < rows as u64 => self.left += 1,
                DocumentCut::Whole | DocumentCut::Record(_) if gone.add(place.inner_offset) => {}
                _ => return Ok(None),
            }
            self.ahead.next = self.ahead.cuts.next()?;
        }
        self.column_of.clear();
        if self.left > 0 && self.columns.len() > 1 {
            self.find_columns(offset, rows)?;
        }
        Ok(Some(gone))
    }

    /// Whether values of this column change in the row group.
    pub(super) fn change(&self, leaf: usize) -> bool {
        self.left > 0 && self.columns.iter().any(|column| column.leaf == leaf)
    }

    /// The new value of a row in a column, if it changes.
    pub(super) fn value(
        &mut self,
        leaf: usize,
        row: usize,
        value: &[u8],
    ) -> Result<Option<Vec<u8>>, InputError> {
        let mut columns = self.columns.iter_mut().enumerate();
        let Some((number, column)) = columns.find(|(_, column)| column.leaf == leaf) else {
            return Ok(None);
        };
        let has_text = self.column_of.is_empty() || self.column_of[row] == number as u8;
        let cut = column.cuts.of((self.offset, row as u64))?;
        let Some(DocumentCut::Parts(ranges)) = cut.filter(|_| has_text) else {
            return Ok(None);
        };
        let mut kept = Vec::with_capacity(value.len());
        let is_cut = str::from_utf8(value).map(|text| {
            cut_text(text, &ranges, self.marker, |bytes| {
                kept.extend_from_slice(bytes);
                Ok(())
            })
        });
        if !is_cut.unwrap_or(Ok(false))? {
            return Err(InputError::changed(&self.file.path));
        }
        self.left -= 1;
        Ok(Some(kept))
    }

    /// Whether all changes were made, behind the last row group.
    pub(super) fn are_met(&self) -> bool {
        self.left == 0 && self.ahead.next.is_none()
    }
}
