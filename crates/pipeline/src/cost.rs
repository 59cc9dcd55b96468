//! What a phase cost: wall time, CPU time, bytes, peak memory. From the clocks and `/proc/self`.

use format::Disk;
use rustix::time::{ClockId, clock_gettime};
use std::collections::BTreeMap;
use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Now, as RFC 3339 in UTC.
pub(crate) fn now_rfc3339() -> String {
    let micros = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_micros());
    output::rfc3339(i64::try_from(micros).unwrap_or(0))
}

/// CPU time of this process so far, user and system, in milliseconds. The figures of `/proc` are ticks of a hundredth
/// of a second, which is all that some phases take.
pub(crate) fn cpu_ms() -> u64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    let part = |n: i64| u64::try_from(n).unwrap_or(0);
    part(time.tv_sec).saturating_mul(1000).saturating_add(part(time.tv_nsec) / 1_000_000)
}

/// Peak resident memory of the process so far in bytes, the kernel's figure; 0 where `/proc` does not tell.
pub(crate) fn peak_bytes() -> u64 {
    status_bytes("VmHWM:")
}

fn status_bytes(field: &str) -> u64 {
    let Ok(text) = fs::read_to_string("/proc/self/status") else { return 0 };
    let line = text.lines().find_map(|line| line.strip_prefix(field));
    line.and_then(|line| line.trim().strip_suffix("kB")).and_then(|kb| kb.trim().parse::<u64>().ok()).unwrap_or(0)
        * 1024
}

/// Largest resident memory while it lives, looked at fifty times a second. The kernel keeps a peak of the whole process
/// only, and resetting that would falsify it for whoever watches from outside.
struct PeakSampler {
    shared: Arc<(AtomicU64, AtomicBool)>,
    thread: Option<JoinHandle<()>>,
}

impl PeakSampler {
    fn start() -> PeakSampler {
        let shared = Arc::new((AtomicU64::new(status_bytes("VmRSS:")), AtomicBool::new(false)));
        let seen = Arc::clone(&shared);
        let sample = move || {
            while !seen.1.load(Ordering::Relaxed) {
                seen.0.fetch_max(status_bytes("VmRSS:"), Ordering::Relaxed);
                std::thread::park_timeout(Duration::from_millis(20));
            }
        };
        let thread = std::thread::Builder::new().name("peak".into()).spawn(sample).ok();
        PeakSampler { shared, thread }
    }

    fn bytes(&self) -> u64 {
        self.shared.0.load(Ordering::Relaxed).max(status_bytes("VmRSS:"))
    }
}

impl Drop for PeakSampler {
    fn drop(&mut self) {
        self.shared.1.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            thread.thread().unpark();
            let _ = thread.join();
        }
    }
}

/// A phase being measured.
pub(crate) struct Meter {
    started: Instant,
    cpu_ms: u64,
    traffic: (u64, u64),
    peak: PeakSampler,
}

impl Meter {
    pub(crate) fn start(disk: &Disk) -> Meter {
        Meter { started: Instant::now(), cpu_ms: cpu_ms(), traffic: disk.traffic(), peak: PeakSampler::start() }
    }

    /// The figures as the manifest keeps them.
    pub(crate) fn stop(&self, disk: &Disk, records: u64) -> BTreeMap<String, u64> {
        let (written, read) = disk.traffic();
        let figures = [
            ("wall_ms", u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX)),
            ("cpu_ms", cpu_ms().saturating_sub(self.cpu_ms)),
            ("bytes_written", written - self.traffic.0),
            ("bytes_read", read - self.traffic.1),
            ("peak_memory_bytes", self.peak.bytes()),
            ("records", records),
        ];
        figures.map(|(name, value)| (name.to_owned(), value)).into_iter().collect()
    }
}
