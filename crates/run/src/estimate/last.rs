//! The cost of a phase when it ran last in this work directory, and how that is scaled.

use super::rates::{self, PHASE_S, PROGRAM_BYTES};
use config::WorkConfig;
use engine::PhaseName;
use format::{CostScale, Manifest, PhaseRecord};
use output::Cost;

/// Costs of a run so many times smaller are mostly fixed costs, and are not scaled.
const GROWTH_MAX: u64 = 100;

/// The cost of a phase when it ran last.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct LastCosts {
    scale: CostScale,
    cost: Cost,
    /// The bytes that it wrote and that stayed on disk.
    kept_bytes: u64,
}

/// Bytes of the outputs of a phase.
///
/// The query index has files of other phases under a second name, which take no room.
pub(super) fn own_bytes(phase: PhaseName, record: &PhaseRecord) -> u64 {
    let outputs = record.outputs.values().map(|sealed| sealed.bytes).sum();
    match phase {
        PhaseName::Index => record.cost.bytes_written.min(outputs),
        _ => outputs,
    }
}

impl LastCosts {
    /// None if the phase is not done, or if its bytes of text were not kept.
    pub(super) fn of(phase: PhaseName, manifest: &Manifest) -> Option<LastCosts> {
        let record = manifest.phases.get(phase.name())?;
        let cost = &record.cost;
        Some(LastCosts {
            scale: cost.scale?,
            cost: Cost {
                wall_s: cost.wall_ms as f64 / 1000.0,
                cpu_s: cost.cpu_ms as f64 / 1000.0,
                peak_memory_bytes: cost.peak_memory_bytes,
                bytes_written: cost.bytes_written,
                peak_disk_bytes: cost.bytes_written,
            },
            kept_bytes: own_bytes(phase, record).min(cost.bytes_written),
        })
    }

    /// Whether they say something about a run of so many bytes of text.
    pub(super) fn are_comparable(&self, text_bytes: u64) -> bool {
        let last = self.scale.text_bytes;
        last > 0 && text_bytes / last < GROWTH_MAX
    }

    /// The cost for a number of bytes of text, and the bytes that stay on disk.
    pub(super) fn scaled(
        &self,
        phase: PhaseName,
        text_bytes: u64,
        work: &WorkConfig,
    ) -> (Cost, u64) {
        let growth = text_bytes as f64 / self.scale.text_bytes as f64;
        // Only the cost above that of an empty phase grows.
        let above = |value: f64, fixed: f64| {
            let fixed = fixed.min(value);
            fixed + (value - fixed) * growth
        };
        let memory = above(self.cost.peak_memory_bytes as f64, PROGRAM_BYTES);
        let sharing =
            rates::wall_share(phase, work.threads) / rates::wall_share(phase, self.scale.threads);
        let bytes = |value: u64| (value as f64 * growth) as u64;
        let cost = Cost {
            wall_s: above(self.cost.wall_s, PHASE_S) * sharing,
            cpu_s: self.cost.cpu_s * growth,
            peak_memory_bytes: rates::within_budget(memory, work),
            bytes_written: bytes(self.cost.bytes_written),
            peak_disk_bytes: bytes(self.cost.peak_disk_bytes),
        };
        (cost, bytes(self.kept_bytes))
    }
}
