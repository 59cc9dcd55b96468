//! Equal work in several threads.
//!
//! *Input.* The work, which takes its parts from a queue that the threads share. *Output.* The
//! result of each thread. *Algorithm.* The system may refuse a thread, for want of memory or by a
//! limit. The others then do its work; without any, the caller does.

use crate::Error;
use rayon::ThreadPool;
use std::thread::Builder;

/// The threads that a program's rayon calls share.
pub fn thread_pool(threads: usize) -> Result<ThreadPool, Error> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    pool.map_err(|error| Error::Threads {
        threads,
        detail: error.to_string(),
    })
}

/// Does the work in up to `threads` threads beside the caller, which waits. `action` says in an
/// error of a thread that panicked what it did.
pub fn in_threads<T: Send>(
    threads: usize,
    action: &str,
    work: impl Fn() -> Result<T, Error> + Sync,
) -> Result<Vec<T>, Error> {
    let results: Vec<Result<T, Error>> = std::thread::scope(|scope| {
        let spawn = |_| Builder::new().spawn_scoped(scope, &work).ok();
        let handles: Vec<_> = (0..threads).filter_map(spawn).collect();
        if handles.is_empty() {
            return vec![work()];
        }
        let died = || Err(Error::thread_died(action));
        let handles = handles.into_iter();
        handles
            .map(|one| one.join().unwrap_or_else(|_| died()))
            .collect()
    });
    results.into_iter().collect()
}
