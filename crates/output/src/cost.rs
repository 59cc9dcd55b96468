//! The predicted cost of a phase, and the table that shows it before a run.

use serde::{Deserialize, Serialize};
use std::fmt;

use crate::humane::{humane_bytes, humane_seconds};

/// The predicted cost of a phase or a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Cost {
    /// Seconds by the clock, with the threads of the configuration and nothing else running.
    pub wall_s: f64,
    /// Seconds of all threads, user and system.
    pub cpu_s: f64,
    /// Largest resident memory.
    pub peak_memory_bytes: u64,
    /// Bytes written to files.
    pub bytes_written: u64,
    /// The most that is on disk at one time besides what was there before.
    pub peak_disk_bytes: u64,
}

impl Cost {
    /// Two phases, one after the other. What the first keeps on disk is taken to be all that it
    /// wrote.
    #[must_use]
    pub fn then(self, next: Cost, kept_bytes: u64) -> Cost {
        Cost {
            wall_s: self.wall_s + next.wall_s,
            cpu_s: self.cpu_s + next.cpu_s,
            peak_memory_bytes: self.peak_memory_bytes.max(next.peak_memory_bytes),
            bytes_written: self.bytes_written.saturating_add(next.bytes_written),
            peak_disk_bytes: self
                .peak_disk_bytes
                .max(kept_bytes.saturating_add(next.peak_disk_bytes)),
        }
    }
}

impl fmt::Display for Cost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (wall, cpu) = (humane_seconds(self.wall_s), humane_seconds(self.cpu_s));
        let memory = humane_bytes(self.peak_memory_bytes);
        let written = humane_bytes(self.bytes_written);
        let disk = humane_bytes(self.peak_disk_bytes);
        write!(
            f,
            "{wall}, CPU {cpu}, memory {memory}, written {written}, disk {disk}"
        )
    }
}

/// A table of costs, a line each, with its head and a line feed at the end.
pub fn cost_table<'a>(rows: impl IntoIterator<Item = (&'a str, Cost)>) -> String {
    let mut text = row(["Forecast", "Time", "CPU", "Memory", "Written", "Disk"].map(str::to_owned));
    for (name, cost) in rows {
        text += &row([
            name.to_owned(),
            humane_seconds(cost.wall_s),
            humane_seconds(cost.cpu_s),
            humane_bytes(cost.peak_memory_bytes),
            humane_bytes(cost.bytes_written),
            humane_bytes(cost.peak_disk_bytes),
        ]);
    }
    text
}

fn row([name, wall, cpu, memory, written, disk]: [String; 6]) -> String {
    format!("{name:<10}{wall:>11}{cpu:>12}{memory:>13}{written:>13}{disk:>13}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_needs_the_memory_of_its_largest_phase_and_the_disk_of_what_is_kept() {
        let phase = |n: u64| Cost {
            wall_s: n as f64,
            cpu_s: 2.0 * n as f64,
            peak_memory_bytes: n << 20,
            bytes_written: 30 * n,
            peak_disk_bytes: 20 * n,
        };
        let both = phase(3).then(phase(2), 25);
        let expected = Cost {
            wall_s: 5.0,
            cpu_s: 10.0,
            peak_memory_bytes: 3 << 20,
            bytes_written: 150,
            peak_disk_bytes: 65,
        };
        assert_eq!(both, expected);
        let table = cost_table([("sketch", phase(3)), ("all", both)]);
        let lines: Vec<&str> = table.lines().collect();
        assert_eq!(
            lines[0],
            "Forecast         Time         CPU       Memory      Written         Disk"
        );
        assert_eq!(
            lines[1],
            "sketch         3.00 s      6.00 s      3.0 MiB         90 B         60 B"
        );
        assert!(lines[2].starts_with("all") && lines.len() == 3);
        assert_eq!(
            both.to_string(),
            "5.00 s, CPU 10.00 s, memory 3.0 MiB, written 150 B, disk 65 B"
        );
    }
}
