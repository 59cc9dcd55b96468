//! The context that the parts of a sort share, and the sort of a part that does not fit memory.
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
use std::collections::VecDeque;

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

/// The context that the parts of a sort share.
pub(crate) struct PartContext<R, C> {
    pub(crate) setup: PartSetup,
    pub(crate) combine: C,
    pub(crate) sort_oversized: SortOversized<R, C>,
}

/// The part of the context that does not depend on the type of the records.
pub(crate) struct PartSetup {
    /// The parts that are not yet taken, in order.
    pub(crate) waiting: VecDeque<QueuedPart>,
    /// How many parts may be in memory at once.
    pub(crate) buffers_max: usize,
    pub(crate) spec: SortSpec,
    pub(crate) scale: Scale,
    /// Bytes for parts in memory: the memory of the sort without the counts of the bins.
    pub(crate) memory_bytes: usize,
    pub(crate) block_bytes: usize,
    /// How many sorts this one is nested in.
    pub(crate) depth: u32,
}

impl PartSetup {
    /// How to sort one part by itself: with all memory, apart from the block that the part is read
    /// into.
    pub(crate) fn nested_spec(&self, part: usize) -> SortSpec {
        SortSpec {
            name: PartStore::name_of(&self.spec.name, part) + "-again",
            memory_bytes: self.memory_bytes.saturating_sub(self.block_bytes),
            ..self.spec.clone()
        }
    }

    /// Reads the records of a part, in no order, and passes them to `push`.
    pub(crate) fn each_record<R: Record>(
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::Layout;
    use format::Disk;

    fn setup() -> PartSetup {
        let layout = Layout::small();
        PartSetup {
            waiting: VecDeque::new(),
            buffers_max: 1,
            spec: SortSpec::new(Disk::default(), "dir".into(), "test".into(), 1200),
            scale: Scale::new(Prefixes::ALL, &layout),
            memory_bytes: 1000,
            block_bytes: layout.block_bytes,
            depth: 0,
        }
    }

    #[test]
    fn a_part_is_partitioned_again_over_the_bins_it_has() {
        let setup = setup();
        let range = |bins: &[u32]| {
            let mut contents = PartContents::default();
            contents.records = bins.iter().copied().map(u64::from).sum();
            contents.bins = bins.to_vec();
            setup.range_to_partition(&contents, 2)
        };
        assert_eq!(range(&[0; 8]), None, "it has no records");
        let range_of = |first, last| Some(setup.scale.range(2, first, last));
        assert_eq!(range(&[0, 3, 0, 3, 0, 0, 0, 0]), range_of(1, 3));
        assert_eq!(range(&[0, 0, 6, 0, 0, 0, 0, 0]), range_of(2, 2));
        let crowded = [0, 1, 0, 5, 0, 0, 0, 0];
        assert_eq!(
            range(&crowded),
            None,
            "most records are in one bin of several"
        );
    }

    #[test]
    fn a_nested_sort_has_the_memory_that_one_block_leaves() {
        let nested = setup().nested_spec(3);
        assert_eq!(
            (nested.memory_bytes, &*nested.name),
            (900, "test.run-p003-again")
        );
    }
}
