//! What becomes of the rows of a Parquet file: some go, some get another value.

use input::{InputError, Removal, Removals};

/// The changes of a file, row group after row group.
pub(super) trait RowChanges {
    /// The rows that go of the next row group, which begins at byte `offset`; `None` if a row is
    /// named that it does not have.
    fn of_group(&mut self, offset: u64, rows: usize) -> Result<Option<GoneRows>, InputError>;

    /// Whether values of this column change in the row group.
    fn change(&self, _leaf: usize) -> bool {
        false
    }

    /// The new value of a row in a column, if it changes.
    fn value(
        &mut self,
        _leaf: usize,
        _row: usize,
        _value: &[u8],
    ) -> Result<Option<Vec<u8>>, InputError> {
        Ok(None)
    }

    /// Whether all changes were made, behind the last row group.
    fn are_met(&self) -> bool;
}

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

/// Rows that go.
pub(super) struct RowRemovals<'a> {
    removals: &'a mut dyn Removals,
    next: Option<Removal>,
}

impl<'a> RowRemovals<'a> {
    pub(super) fn new(removals: &'a mut dyn Removals) -> Result<Self, InputError> {
        let next = removals.next()?;
        Ok(RowRemovals { removals, next })
    }
}

impl RowChanges for RowRemovals<'_> {
    fn of_group(&mut self, offset: u64, rows: usize) -> Result<Option<GoneRows>, InputError> {
        let mut gone = GoneRows::none(rows);
        while let Some(Removal { place, .. }) = self.next
            && place.entry_offset == offset
        {
            if !gone.add(place.inner_offset) {
                return Ok(None);
            }
            self.next = self.removals.next()?;
        }
        Ok(Some(gone))
    }

    fn are_met(&self) -> bool {
        self.next.is_none()
    }
}
