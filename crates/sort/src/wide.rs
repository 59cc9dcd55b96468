//! Sorting a part that does not fit memory.

use crate::line::Waiting;
use crate::shape::Scale;
use crate::sorter::Sorter;
use crate::store::{Contents, Store};
use crate::{Combine, Prefixes, SortSpec, Sorted};
use format::{FormatError, SpillBlock};
use model::Record;

/// What the parts of a sort have in common.
pub(crate) struct Rule<C> {
    pub(crate) spec: SortSpec,
    pub(crate) combine: C,
    pub(crate) scale: Scale,
    /// For parts: without what their bins take.
    pub(crate) memory_bytes: usize,
    pub(crate) block_bytes: usize,
    /// How many times the records were parted before.
    pub(crate) depth: u32,
}

impl<C> Rule<C> {
    /// A sort of a part by itself, with all memory but that of the parts' bins.
    pub(crate) fn sort_wide<R: Record>(&self, part: Waiting) -> Result<Sorted<R, C>, FormatError>
    where
        C: Combine<R>,
    {
        let Waiting { contents, part, .. } = part;
        let name = Store::<R>::name_of(&self.spec.name, part) + "-again";
        let memory_bytes = self.memory_bytes.saturating_sub(self.block_bytes);
        let spec = SortSpec {
            name,
            memory_bytes,
            ..self.spec.clone()
        };
        let prefixes = self.range_to_part(&contents, part);
        let mut sorter = Sorter::nested(spec, prefixes, self.combine.clone(), self.depth + 1);
        let code = contents.code;
        let mut push = |block: &SpillBlock| {
            let mut pushed = Ok(());
            code.each(block.filled(), |record| {
                if pushed.is_ok() {
                    pushed = sorter.push(record);
                }
            });
            pushed
        };
        contents.kept.iter().try_for_each(&mut push)?;
        if let Some(mut spill) = contents.spill {
            let mut block = SpillBlock::new(self.block_bytes);
            for index in 0..spill.blocks() {
                spill.read(index, &mut block)?;
                push(&block)?;
            }
        }
        sorter.finish()
    }

    /// The prefixes of a part; `None` if most of its records are in one bin.
    fn range_to_part(&self, contents: &Contents, part: usize) -> Option<Prefixes> {
        let first = contents.bins.iter().position(|&records| records > 0)?;
        let last = contents.bins.iter().rposition(|&records| records > 0)?;
        let most = contents.bins.iter().copied().max().map_or(0, u64::from);
        let one_bin = last > first && most > contents.records / 2;
        (!one_bin).then(|| self.scale.range(part, first, last))
    }
}
