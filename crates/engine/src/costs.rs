//! The costs of a run, phase by phase: collected while it runs, then written to `run.json`.

use crate::Engine;
use crate::PhaseName;
use crate::runtime::cost::{self, Meter};
use format::PhaseCost;
use model::Unpoisoned;
use output::{PhaseState, RunRecord, RunTotals};
use std::path::Path;

impl Engine<'_> {
    /// Records that a phase was skipped because its outputs are up to date.
    pub fn log_skipped(&self, phase: PhaseName) {
        let record = output::PhaseRun::skipped(phase.name(), "up to date");
        self.log.lock().unpoisoned().push(record);
    }

    /// Records that a phase ran, for which reason (`why`), and the figures of its meter.
    pub fn log_done(&self, phase: PhaseName, why: &str, cost: &PhaseCost) {
        let record = self.phase_record(phase, why, cost);
        self.log.lock().unpoisoned().push(record);
    }

    /// The costs so far. The index phase writes them while it runs, so it passes its own meter, and
    /// why it runs.
    pub fn run_record(&self, index: Option<(&Meter, &str)>) -> RunRecord {
        let mut phases = self.log.lock().unpoisoned().clone();
        if let Some((meter, why)) = index {
            phases.push(self.phase_record(PhaseName::Index, why, &meter.stop(&self.disk, 0)));
        }
        let start = &self.start;
        let (bytes_written, bytes_read) = self.disk.traffic();
        let totals = RunTotals {
            wall_s: start.clock.elapsed().as_secs_f64(),
            cpu_s: cost::cpu_ms().saturating_sub(start.cpu_ms) as f64 / 1000.0,
            bytes_read,
            bytes_written,
            peak_memory_bytes: cost::peak_bytes(),
            peak_disk_bytes: Some(self.disk.peak_bytes()),
        };
        let version = env!("CARGO_PKG_VERSION").to_owned();
        let beside = |path| Some(beside(path, &self.config.work.output));
        RunRecord {
            work: beside(&self.config.work.dir),
            configuration: beside(&self.config.file),
            version,
            started: start.rfc3339.clone(),
            ended: cost::now_rfc3339(),
            phases,
            totals,
        }
    }

    fn phase_record(&self, phase: PhaseName, why: &str, cost: &PhaseCost) -> output::PhaseRun {
        output::PhaseRun {
            name: phase.name().to_owned(),
            state: PhaseState::Done,
            why: why.to_owned(),
            wall_s: cost.wall_ms as f64 / 1000.0,
            cpu_s: cost.cpu_ms as f64 / 1000.0,
            bytes_read: cost.bytes_read,
            bytes_written: cost.bytes_written,
            records: cost.records,
            peak_memory_bytes: cost.peak_memory_bytes,
        }
    }
}

/// A path below the directory of the link `out` as seen from there, another one as an absolute
/// path: both may be moved together.
fn beside(path: &Path, out: &Path) -> String {
    let absolute = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let (path, out) = (absolute(path), absolute(out));
    let below = out.parent().and_then(|dir| path.strip_prefix(dir).ok());
    below.unwrap_or(&path).to_string_lossy().into_owned()
}
