//! The cost of a byte of text where no last run says it, and how costs grow.
//!
//! The rates were measured on the machine that docs/BENCHMARKS.md describes, with the default
//! configuration and two threads: `TEXT` is 424 MB of JSONL (160,000 generated pages of 2.5 kB,
//! `cargo run -p testkit --example corpus -- 7 160000`), `HTML` the Boost manual of
//! `scripts/fetch-corpus` (7,709 pages of 15 kB, 24 MB of WARC.gz).

use config::WorkConfig;
use engine::PhaseName;
use output::Cost;

/// Bytes of text in a byte of HTML: what `HTML` costs, divided by what `TEXT` costs. CPU time says
/// 0.37, bytes written say 0.18.
pub(super) const HTML_TEXT_SHARE: f64 = 0.25;
/// Decoded bytes in a byte of gzip: 4.9 of `HTML`.
pub(super) const GZIP_RATIO: f64 = 5.0;
/// Decoded bytes in a byte of zstd: assumed. As one stream, `HTML` is 13 % smaller than with gzip.
pub(super) const ZSTD_RATIO: f64 = 6.0;
/// Bytes of text in a byte of Parquet: assumed, as it is compressed in pages.
pub(super) const PARQUET_RATIO: f64 = 3.0;

/// CPU nanoseconds for a byte of text, in the order of the phases: `TEXT`.
const CPU_NS: [f64; 8] = [7.3, 0.11, 1.4, 0.6, 1.0, 0.08, 15.0, 0.5];
/// Bytes written for a byte of text, in the order of the phases: `TEXT`.
const WRITTEN_BYTES: [f64; 8] = [0.345, 0.0023, 0.34, 0.06, 0.005, 0.005, 0.3, 0.012];

/// Seconds of a phase without input: files are made safe on disk. The samples in `data-samples`.
pub(super) const PHASE_S: f64 = 0.04;
/// Resident memory that does not grow with the input: the program (15 MB, the samples in
/// `data-samples`), the buffers of two threads and the first blocks of a sort (`HTML`).
pub(super) const PROGRAM_BYTES: f64 = 25e6;
/// Bytes of memory for a byte of text: `sort` of `TEXT` takes 0.23 to 0.26, small trees of HTML
/// take 0.5 to 0.7 (docs/runs/forecast).
const MEMORY_BYTES: f64 = 0.3;

/// Documents of another size than those of `TEXT` take up to so many times less disk: large ones
/// have no larger sketches.
const WRITTEN_MARGIN: u64 = 32;

/// The cost of a phase for so many bytes of text.
pub(super) fn cost(phase: PhaseName, text_bytes: u64, work: &WorkConfig) -> Cost {
    let text = text_bytes as f64;
    let cpu_s = CPU_NS[phase as usize] * text / 1e9;
    let bytes_written = (WRITTEN_BYTES[phase as usize] * text) as u64;
    Cost {
        wall_s: PHASE_S + cpu_s * wall_share(phase, work.threads),
        cpu_s,
        peak_memory_bytes: within_budget(PROGRAM_BYTES + MEMORY_BYTES * text, work),
        bytes_written,
        peak_disk_bytes: bytes_written,
    }
}

/// The disk space that a phase needs at least, if these are its cost by the rates.
pub(super) fn certain_disk_bytes(by_rates: &Cost) -> u64 {
    by_rates.peak_disk_bytes / WRITTEN_MARGIN
}

/// Seconds by the clock for a second of CPU time. `sketch` and `pairs` share nearly all of their
/// work among the threads, the other phases little of it.
pub(super) fn wall_share(phase: PhaseName, threads: usize) -> f64 {
    match phase {
        PhaseName::Sketch | PhaseName::Pairs => 1.0 / threads.max(1) as f64,
        PhaseName::Distinct
        | PhaseName::Sort
        | PhaseName::Settle
        | PhaseName::Cluster
        | PhaseName::Passages
        | PhaseName::Index => 1.0,
    }
}

/// Memory in bytes, at most what `work.memory` and the program itself take.
pub(super) fn within_budget(bytes: f64, work: &WorkConfig) -> u64 {
    bytes.min(work.memory_bytes as f64 + PROGRAM_BYTES) as u64
}
