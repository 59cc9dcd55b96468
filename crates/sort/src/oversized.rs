//! What the parts of a sort have in common, and how one that does not fit memory is sorted.
//!
//! *Algorithm.* An oversized part gets a sort of its own, with the memory of the whole sort: its
//! records are partitioned again over the range of prefixes that they have, or sorted in runs if
//! one bin holds most of them.

use crate::layout::Scale;
use crate::part_buffer::PartBuffer;
use crate::part_store::{PartContents, PartStore};
use crate::{Prefixes, SortSpec};
use format::{FormatError, SpillBlock};
use model::Record;

/// Sorted records that arrive in buffers: the sort of an oversized part, as seen by the sort that
/// it belongs to. It is a trait object so that a sort can contain a sort.
pub(crate) trait NestedSort<R>: Send {
    /// Takes back the buffer that was used last and gives the next records; `None` after the last.
    fn next_buffer(&mut self, used: PartBuffer<R>) -> Result<Option<PartBuffer<R>>, FormatError>;

    /// The records at hand, at least one; `None` after the last.
    fn next_slice(&mut self) -> Result<Option<&[R]>, FormatError>;
}

/// Sorts an oversized part. `sorter` supplies this function, since it starts another sort.
pub(crate) type SortOversized<R, C> =
    fn(&PartContext<R, C>, QueuedPart) -> Result<Box<dyn NestedSort<R>>, FormatError>;

/// A part that waits to be sorted.
pub(crate) struct QueuedPart {
    pub(crate) contents: PartContents,
    pub(crate) part: usize,
    /// Whether it does not fit memory.
    pub(crate) is_oversized: bool,
}

/// What the parts of a sort have in common.
pub(crate) struct PartContext<R, C> {
    pub(crate) spec: SortSpec,
    pub(crate) combine: C,
    pub(crate) scale: Scale,
    /// Bytes for parts in memory: the memory of the sort without the counts of the bins.
    pub(crate) memory_bytes: usize,
    pub(crate) block_bytes: usize,
    /// How many sorts this one is nested in.
    pub(crate) depth: u32,
    pub(crate) sort_oversized: SortOversized<R, C>,
}

impl<R: Record, C> PartContext<R, C> {
    /// How to sort one part by itself: with all memory, apart from the block that the part is read
    /// into.
    pub(crate) fn nested_spec(&self, part: usize) -> SortSpec {
        SortSpec {
            name: PartStore::<R>::name_of(&self.spec.name, part) + "-again",
            memory_bytes: self.memory_bytes.saturating_sub(self.block_bytes),
            ..self.spec.clone()
        }
    }

    /// Reads the records of a part, in no order, and passes them to `push`.
    pub(crate) fn each_record(
        &self,
        contents: PartContents,
        mut push: impl FnMut(R) -> Result<(), FormatError>,
    ) -> Result<(), FormatError> {
        let encoding = contents.encoding;
        let mut push_block = |block: &SpillBlock| {
            let mut pushed = Ok(());
            encoding.each(block.filled(), |record| {
                if pushed.is_ok() {
                    pushed = push(record);
                }
            });
            pushed
        };
        contents.kept.iter().try_for_each(&mut push_block)?;
        if let Some(mut spill) = contents.spill {
            let mut block = SpillBlock::new(self.block_bytes);
            for index in 0..spill.blocks() {
                spill.read(index, &mut block)?;
                push_block(&block)?;
            }
        }
        Ok(())
    }

    /// The range of prefixes that a part has, to partition it again; `None` if that is useless
    /// because most of its records are in one bin.
    pub(crate) fn range_to_partition(
        &self,
        contents: &PartContents,
        part: usize,
    ) -> Option<Prefixes> {
        let first = contents.bins.iter().position(|&records| records > 0)?;
        let last = contents.bins.iter().rposition(|&records| records > 0)?;
        let most = contents.bins.iter().copied().max().map_or(0, u64::from);
        let one_bin = last > first && most > contents.records / 2;
        (!one_bin).then(|| self.scale.range(part, first, last))
    }
}
