//! Measures the cost of a phase: wall time, CPU time, bytes, peak memory. The figures come from the
//! clocks and from `/proc/self`.

use format::{Disk, PhaseCost};
use rustix::time::{ClockId, clock_gettime};
use std::fs::{self, File};
use std::os::unix::fs::FileExt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Now, as RFC 3339 in UTC.
pub fn now_rfc3339() -> String {
    let micros = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |d| d.as_micros());
    output::rfc3339(i64::try_from(micros).unwrap_or(0))
}

/// CPU time of this process so far, user and system, in milliseconds. `/proc` counts in hundredths
/// of a second, which is all that some phases take, so a clock is read instead.
pub fn cpu_ms() -> u64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    let part = |n: i64| u64::try_from(n).unwrap_or(0);
    part(time.tv_sec)
        .saturating_mul(1000)
        .saturating_add(part(time.tv_nsec) / 1_000_000)
}

/// Peak resident memory of the process so far in bytes, by the kernel; 0 if `/proc` does not have
/// it.
pub fn peak_bytes() -> u64 {
    let Ok(text) = fs::read_to_string("/proc/self/status") else {
        return 0;
    };
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.trim().strip_suffix("kB"))
        .and_then(|kb| kb.trim().parse::<u64>().ok())
        .unwrap_or(0)
        * 1024
}

/// Reads resident memory from `statm`, the shortest file of `/proc` that has it. The file stays
/// open.
struct Resident {
    statm: Option<File>,
    page_bytes: u64,
}

impl Resident {
    fn open() -> Resident {
        Resident {
            statm: File::open("/proc/self/statm").ok(),
            page_bytes: rustix::param::page_size() as u64,
        }
    }

    /// The memory now, in bytes; 0 if `/proc` does not have it.
    fn bytes(&self) -> u64 {
        let mut text = [0; 128];
        let Some(length) = self
            .statm
            .as_ref()
            .and_then(|statm| statm.read_at(&mut text, 0).ok())
        else {
            return 0;
        };
        resident_pages(&text[..length]).saturating_mul(self.page_bytes)
    }
}

/// The second number of the file, in pages.
fn resident_pages(statm: &[u8]) -> u64 {
    let second = statm.split(|&byte| byte == b' ').nth(1);
    second
        .and_then(|number| std::str::from_utf8(number).ok()?.trim().parse().ok())
        .unwrap_or(0)
}

/// Samples resident memory fifty times a second and keeps the largest value. The kernel has a peak
/// for the whole process only, and a reset would falsify it for observers outside.
struct PeakSampler {
    shared: Arc<SharedCost>,
    /// The kernel's peak at the start.
    before_bytes: u64,
    thread: Option<JoinHandle<()>>,
}

struct SharedCost {
    resident: Resident,
    peak_bytes: AtomicU64,
    is_over: AtomicBool,
}

impl SharedCost {
    fn look(&self) -> u64 {
        let now = self.resident.bytes();
        self.peak_bytes.fetch_max(now, Ordering::Relaxed).max(now)
    }
}

impl PeakSampler {
    fn start() -> PeakSampler {
        let shared = SharedCost {
            resident: Resident::open(),
            peak_bytes: AtomicU64::new(0),
            is_over: false.into(),
        };
        let shared = Arc::new(shared);
        shared.look();
        let seen = Arc::clone(&shared);
        let sample = move || {
            while !seen.is_over.load(Ordering::Relaxed) {
                seen.look();
                std::thread::park_timeout(Duration::from_millis(20));
            }
        };
        let thread = std::thread::Builder::new()
            .name("peak".into())
            .spawn(sample)
            .ok();
        PeakSampler {
            shared,
            before_bytes: peak_bytes(),
            thread,
        }
    }

    /// The kernel's exact figure if its peak rose since the start; else the largest sample.
    fn bytes(&self) -> u64 {
        let (seen, peak) = (self.shared.look(), peak_bytes());
        if peak > self.before_bytes { peak } else { seen }
    }
}

impl Drop for PeakSampler {
    fn drop(&mut self) {
        self.shared.is_over.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            thread.thread().unpark();
            let _ = thread.join();
        }
    }
}

/// The measurement of a phase that runs.
pub struct Meter {
    started: Instant,
    cpu_ms: u64,
    traffic: (u64, u64),
    peak: PeakSampler,
}

impl Meter {
    /// Starts to measure time, CPU time, memory, and the traffic of `disk`.
    pub fn start(disk: &Disk) -> Meter {
        Meter {
            started: Instant::now(),
            cpu_ms: cpu_ms(),
            traffic: disk.traffic(),
            peak: PeakSampler::start(),
        }
    }

    /// The cost since the start.
    pub fn stop(&self, disk: &Disk, records: u64) -> PhaseCost {
        let (written, read) = disk.traffic();
        PhaseCost {
            wall_ms: u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX),
            cpu_ms: cpu_ms().saturating_sub(self.cpu_ms),
            bytes_written: written - self.traffic.0,
            bytes_read: read - self.traffic.1,
            peak_memory_bytes: self.peak.bytes(),
            records,
            scale: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn resident_memory_is_that_of_the_process() {
        assert_eq!(resident_pages(b"2890 1234 500 37 0 800 0\n"), 1234);
        for odd in ["", " ", "12", "12 x 3", "12 \n"] {
            assert_eq!(resident_pages(odd.as_bytes()), 0);
        }
        let _alone = crate::runtime::alone_with_memory();
        let resident = Resident::open();
        // Other tests of the process may give memory back at the same time: now and then, not at
        // every one of 50 tries.
        let grown = |_| {
            let before = resident.bytes();
            let held = std::hint::black_box(vec![1_u8; 64 << 20]);
            let more = resident.bytes().saturating_sub(before);
            drop(std::hint::black_box(held));
            more
        };
        let wanted = (48 << 20)..(80 << 20);
        assert!((0..50).map(grown).any(|more| wanted.contains(&more)));
    }

    #[test]
    fn a_peak_between_two_looks_is_the_kernels() {
        let _alone = crate::runtime::alone_with_memory();
        let sampler = PeakSampler::start();
        // More than the process ever had.
        let wanted = (peak_bytes() + (32 << 20)) as usize;
        drop(std::hint::black_box(vec![1_u8; wanted]));
        assert!(sampler.bytes() >= wanted as u64);
        assert!(PeakSampler::start().bytes() > 0);
    }
}
