//! Equal work in every thread.

use engine::Error;

/// Runs `work` in every thread of the pool; gives the result of each, or the first error.
pub(super) fn in_every_thread<T: Send>(
    threads: usize,
    work: impl Fn() -> Result<T, Error> + Sync,
) -> Result<Vec<T>, Error> {
    if threads == 1 {
        return Ok(vec![work()?]);
    }
    rayon::broadcast(|_| work()).into_iter().collect()
}
