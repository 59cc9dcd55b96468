//! How many files a merge may hold open.

/// Files that one merge may hold open. The limit of the system, less 32 files that the program
/// needs for other purposes, is divided by four: a phase runs at most four merges at a time.
pub(crate) fn fan_in_max() -> usize {
    let limit = rustix::process::getrlimit(rustix::process::Resource::Nofile)
        .current
        .unwrap_or(1024);
    usize::try_from(limit)
        .unwrap_or(1024)
        .saturating_sub(32)
        .div_euclid(4)
        .clamp(2, 512)
}
