//! Shared foundations of all commands: the names of the phases, errors with their exit codes,
//! signals, the lock of a work directory, progress, log lines, cost meters, and the parameters of a
//! phase as text.

pub mod allocator;
pub mod commands;
pub mod cost;
pub mod error;
mod first_signal;
mod holder;
mod input_error;
pub mod lock;
pub mod log;
pub mod messages;
pub mod parameters;
pub mod phase;
pub mod progress;
pub mod signals;
mod table_error;
pub mod threads;

/// Held by a test that looks at the memory of the process: another one would change it.
#[cfg(test)]
fn alone_with_memory() -> std::sync::MutexGuard<'static, ()> {
    use model::Unpoisoned;
    static LOOKING: std::sync::Mutex<()> = std::sync::Mutex::new(());
    LOOKING.lock().unpoisoned()
}

pub use error::Error;
pub use holder::Holder;
pub use phase::PhaseName;
pub use progress::Reporter;
