//! The cost of a run, phase by phase: kept while it runs, written to `run.json`.

use crate::PhaseName;
use crate::cost::{self, Meter};
use crate::engine::Engine;
use output::{PhaseState, RunRecord, RunTotals};
use std::collections::BTreeMap;
use std::sync::PoisonError;

impl Engine<'_> {
    pub(crate) fn log_skipped(&self, phase: PhaseName) {
        let record = output::PhaseRecord::skipped(phase.name(), "up to date");
        self.log
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(record);
    }

    pub(crate) fn log_done(&self, phase: PhaseName, why: &str, cost: &BTreeMap<String, u64>) {
        let record = self.phase_record(phase, why, cost);
        self.log
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(record);
    }

    /// The cost so far; with the meter of the index phase, that of the phase that writes it down.
    pub(crate) fn run_record(&self, index: Option<&Meter>) -> RunRecord {
        let mut phases = self
            .log
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone();
        if let Some(meter) = index {
            phases.push(self.phase_record(
                PhaseName::Index,
                "as in the log",
                &meter.stop(&self.disk, 0),
            ));
        }
        let (started, clock, cpu_ms) = &self.started;
        let (bytes_written, bytes_read) = self.disk.traffic();
        let totals = RunTotals {
            wall_s: clock.elapsed().as_secs_f64(),
            cpu_s: cost::cpu_ms().saturating_sub(*cpu_ms) as f64 / 1000.0,
            bytes_read,
            bytes_written,
            peak_memory_bytes: cost::peak_bytes(),
            peak_disk_bytes: Some(self.disk.peak_bytes()),
        };
        let version = env!("CARGO_PKG_VERSION").to_owned();
        RunRecord {
            version,
            started: started.clone(),
            ended: cost::now_rfc3339(),
            phases,
            totals,
        }
    }

    fn phase_record(
        &self,
        phase: PhaseName,
        why: &str,
        cost: &BTreeMap<String, u64>,
    ) -> output::PhaseRecord {
        let figure = |name: &str| cost.get(name).copied().unwrap_or(0);
        output::PhaseRecord {
            name: phase.name().to_owned(),
            state: PhaseState::Done,
            why: why.to_owned(),
            wall_s: figure("wall_ms") as f64 / 1000.0,
            cpu_s: figure("cpu_ms") as f64 / 1000.0,
            bytes_read: figure("bytes_read"),
            bytes_written: figure("bytes_written"),
            records: figure("records"),
            peak_memory_bytes: figure("peak_memory_bytes"),
        }
    }
}
