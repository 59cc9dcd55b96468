//! Sums and properties over the regions of a page. A region stands behind the one around it.

use crate::main_part::outline::Region;

/// A sum over the blocks of each region and of those in it.
pub(super) fn sums(regions: &[Region], blocks: impl Iterator<Item = (u32, u64)>) -> Vec<u64> {
    let mut sums = vec![0; regions.len()];
    for (region, value) in blocks {
        sums[region as usize] += value;
    }
    for at in (1..sums.len()).rev() {
        sums[regions[at].parent as usize] += sums[at];
    }
    sums
}

/// Whether a region tells this.
pub(super) fn any_tells(regions: &[Region], bit: u16) -> bool {
    let all = regions.iter().fold(0, |all, region| all | region.tells);
    all & bit != 0
}

/// Whether a property holds for a region or for one around it.
pub(super) fn within(regions: &[Region], holds: impl Fn(usize) -> bool) -> Vec<bool> {
    let mut within = vec![false; regions.len()];
    for at in 0..regions.len() {
        within[at] = holds(at) || within[regions[at].parent as usize];
    }
    within
}

/// Whether a property holds for a region or for one in it.
pub(super) fn around(regions: &[Region], holds: impl Fn(usize) -> bool) -> Vec<bool> {
    let mut around: Vec<bool> = (0..regions.len()).map(holds).collect();
    for at in (1..regions.len()).rev() {
        around[regions[at].parent as usize] |= around[at];
    }
    around
}
