//! The locks, channels and threads that this crate uses.
//!
//! They are those of the standard library. In the tests of `scripts/models` they are those of
//! shuttle, which tries many orders of the steps of all threads.

#[cfg(all(test, shuttle))]
pub(crate) use shuttle::{sync::*, thread};
#[cfg(not(all(test, shuttle)))]
pub(crate) use std::{sync::*, thread};

/// Starts a thread of a scope. If the system refuses, nothing is said, because the other threads do
/// its work.
pub(crate) fn spawn_scoped<'scope>(
    scope: &'scope thread::Scope<'scope, '_>,
    work: impl FnOnce() + Send + 'scope,
) {
    #[cfg(all(test, shuttle))]
    scope.spawn(work);
    #[cfg(not(all(test, shuttle)))]
    let _ = thread::Builder::new()
        .name("sort".into())
        .spawn_scoped(scope, work);
}
