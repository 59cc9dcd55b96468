//! What a process has used: CPU time, memory, bytes written. From `/proc/self`.

use crate::Failure;
use std::fmt;
use std::time::Instant;

/// CPU and wall time so far.
#[derive(Clone, Copy)]
pub(crate) struct Usage {
    ticks: [u64; 4],
    at: Instant,
}

/// The difference of two.
pub(crate) struct Used {
    user: f64,
    system: f64,
    wall: f64,
}

/// The kernel reports CPU time in hundredths of a second.
const TICKS_A_SECOND: f64 = 100.0;

impl Usage {
    /// This process, and those it has waited for.
    pub(crate) fn now() -> Result<Usage, Failure> {
        let text = std::fs::read_to_string("/proc/self/stat")?;
        let fields: Result<Vec<u64>, _> = text
            .rsplit(')')
            .next()
            .ok_or("no fields")?
            .split_ascii_whitespace()
            .skip(11)
            .take(4)
            .map(str::parse)
            .collect();
        Ok(Usage {
            ticks: fields?.try_into().map_err(|_| "too few fields")?,
            at: Instant::now(),
        })
    }

    pub(crate) fn since(&self, begun: &Usage) -> Used {
        let [user, system, waited_user, waited_system] =
            [0, 1, 2, 3].map(|i| (self.ticks[i] - begun.ticks[i]) as f64 / TICKS_A_SECOND);
        Used {
            user: user + waited_user,
            system: system + waited_system,
            wall: (self.at - begun.at).as_secs_f64(),
        }
    }
}

impl Used {
    pub(crate) fn cpu_seconds(&self) -> f64 {
        self.user + self.system
    }
}

impl fmt::Display for Used {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Used { user, system, wall } = self;
        write!(
            f,
            "{:6.2} CPU-s ({user:.2} user, {system:.2} system; {wall:.2} s wall)",
            user + system
        )
    }
}

/// The number after a field's name in a file of `/proc/self`.
fn field(file: &str, name: &str) -> Result<u64, Failure> {
    let text = std::fs::read_to_string(format!("/proc/self/{file}"))?;
    let line = text
        .lines()
        .find_map(|line| line.strip_prefix(name))
        .ok_or("no such field")?;
    Ok(line.trim().trim_end_matches(" kB").parse()?)
}

/// Peak resident memory.
pub(crate) fn peak_bytes() -> Result<u64, Failure> {
    Ok(field("status", "VmHWM:")? * 1024)
}

/// Bytes given to write calls.
pub(crate) fn written_bytes() -> Result<u64, Failure> {
    field("io", "wchar:")
}
