//! What a phase cost: wall time, CPU time, bytes, peak memory. From the clock and `/proc/self`.

use format::Disk;
use std::collections::BTreeMap;
use std::fs;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

/// Now, as RFC 3339 in UTC.
pub(crate) fn now_rfc3339() -> String {
    let micros = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_micros());
    output::rfc3339(i64::try_from(micros).unwrap_or(0))
}

/// CPU time of this process so far, user and system, in milliseconds; 0 where `/proc` does not tell.
pub(crate) fn cpu_ms() -> u64 {
    let Ok(text) = fs::read_to_string("/proc/self/stat") else { return 0 };
    // Fields after the command name, which may hold blanks: state is the first, utime and stime the 12th and 13th.
    let Some((_, rest)) = text.rsplit_once(')') else { return 0 };
    let ticks: u64 = rest.split_ascii_whitespace().skip(11).take(2).filter_map(|field| field.parse::<u64>().ok()).sum();
    ticks * 1000 / u64::from(TICKS_A_SECOND)
}

/// The kernel reports CPU time to user space in hundredths of a second on every architecture it runs on.
const TICKS_A_SECOND: u32 = 100;

/// Peak resident memory in bytes since the last [`reset_peak`]; 0 where `/proc` does not tell.
pub(crate) fn peak_bytes() -> u64 {
    let Ok(text) = fs::read_to_string("/proc/self/status") else { return 0 };
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.trim().strip_suffix("kB")).and_then(|kb| kb.trim().parse::<u64>().ok()).unwrap_or(0)
        * 1024
}

/// Starts a new peak, where the kernel allows it.
fn reset_peak() {
    let _ = fs::write("/proc/self/clear_refs", "5");
}

/// A phase being measured.
pub(crate) struct Meter {
    started: Instant,
    cpu_ms: u64,
    traffic: (u64, u64),
}

impl Meter {
    pub(crate) fn start(disk: &Disk) -> Meter {
        reset_peak();
        Meter { started: Instant::now(), cpu_ms: cpu_ms(), traffic: disk.traffic() }
    }

    /// The figures as the manifest keeps them.
    pub(crate) fn stop(&self, disk: &Disk, records: u64) -> BTreeMap<String, u64> {
        let (written, read) = disk.traffic();
        let figures = [
            ("wall_ms", u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX)),
            ("cpu_ms", cpu_ms().saturating_sub(self.cpu_ms)),
            ("bytes_written", written - self.traffic.0),
            ("bytes_read", read - self.traffic.1),
            ("peak_memory_bytes", peak_bytes()),
            ("records", records),
        ];
        figures.map(|(name, value)| (name.to_owned(), value)).into_iter().collect()
    }
}
