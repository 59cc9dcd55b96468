//! The place where tests make file operations fail.
//!
//! `PIPELINE_FAULT=MODE:OP:N[:ERRNO]` makes the N-th operation OP (`write`, `sync`, `rename`,
//! `remove`, `link`, `any`) of the process end badly: `kill` (SIGKILL before it), `torn` (half of a
//! write, then SIGKILL), `error` (the errno, 5 = EIO unless given). `PIPELINE_FAULT_COUNT=FILE`
//! writes how many operations of each kind a command made. Unset, the cost is one relaxed addition
//! an operation.

use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock};

/// A file operation that can be made to fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// Bytes written to a file.
    Write,
    /// A file or directory made durable.
    Sync,
    /// A file given its final name.
    Rename,
    /// A file removed.
    Remove,
    /// A hard or symbolic link made.
    Link,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FaultMode {
    Kill,
    Torn,
    Error(i32),
}

#[derive(Clone, Copy, Debug)]
struct Plan {
    mode: FaultMode,
    operation: Option<Operation>,
    nth: u64,
}

/// The effect of a planned fault on this operation.
pub(crate) enum Fault {
    None,
    /// Half of the bytes reach the file, then the process dies.
    Torn,
    Fail(io::Error),
}

/// Counts operations and makes the planned one fail.
#[derive(Debug, Default)]
pub struct Faults {
    plan: Option<Plan>,
    counters: Arc<Counters>,
    count_file: Option<PathBuf>,
}

/// Operations so far, by their kinds, and those that the plan is about.
#[derive(Debug, Default)]
struct Counters {
    operations: [AtomicU64; 5],
    hits: AtomicU64,
}

impl Faults {
    /// No faults.
    pub fn none() -> Faults {
        Faults::default()
    }

    /// As the environment says. A plan that cannot be read is no plan. All disks of the process
    /// count together, so that each operation of a command has a number of its own.
    pub fn from_environment() -> Faults {
        static OF_PROCESS: LazyLock<Arc<Counters>> = LazyLock::new(Arc::default);
        let plan = std::env::var("PIPELINE_FAULT")
            .ok()
            .and_then(|text| parse(&text));
        let count_file = std::env::var_os("PIPELINE_FAULT_COUNT").map(PathBuf::from);
        let mut faults = Faults::of(plan, count_file);
        faults.counters = Arc::clone(&OF_PROCESS);
        faults
    }

    /// Fails the `nth` operation (1 is the first) of this kind, any kind if `None`, with this
    /// errno.
    pub fn failing(operation: Option<Operation>, nth: u64, errno: i32) -> Faults {
        let mode = FaultMode::Error(errno);
        let plan = Plan {
            mode,
            operation,
            nth,
        };
        Faults::of(Some(plan), None)
    }

    fn of(plan: Option<Plan>, count_file: Option<PathBuf>) -> Faults {
        Faults {
            plan,
            counters: Arc::default(),
            count_file,
        }
    }

    /// Operations so far: write, sync, rename, remove, link.
    pub fn counts(&self) -> [u64; 5] {
        [0, 1, 2, 3, 4].map(|i| self.counters.operations[i].load(Ordering::Relaxed))
    }

    pub(crate) fn step(&self, operation: Operation) -> Fault {
        self.counters.operations[operation as usize].fetch_add(1, Ordering::Relaxed);
        let Some(plan) = self.plan else {
            return Fault::None;
        };
        if plan.operation.is_some_and(|wanted| wanted != operation) {
            return Fault::None;
        }
        if self.counters.hits.fetch_add(1, Ordering::SeqCst) + 1 != plan.nth {
            return Fault::None;
        }
        match plan.mode {
            FaultMode::Error(errno) => Fault::Fail(io::Error::from_raw_os_error(errno)),
            FaultMode::Torn if operation == Operation::Write => Fault::Torn,
            FaultMode::Kill | FaultMode::Torn => {
                kill_self();
                Fault::None
            }
        }
    }
}

/// Tells tests how many operations there were.
impl Drop for Faults {
    fn drop(&mut self) {
        if let Some(file) = &self.count_file {
            // A test without counts fails by itself.
            let _ = std::fs::write(file, self.counts().map(|n| n.to_string()).join(" "));
        }
    }
}

/// Ends the process as a power cut would: at once, with nothing flushed.
pub(crate) fn kill_self() {
    let _ = rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::KILL);
}

fn parse(text: &str) -> Option<Plan> {
    let mut parts = text.split(':');
    let mode = parts.next()?;
    let operation = match parts.next()? {
        "any" => None,
        "write" => Some(Operation::Write),
        "sync" => Some(Operation::Sync),
        "rename" => Some(Operation::Rename),
        "remove" => Some(Operation::Remove),
        "link" => Some(Operation::Link),
        _ => return None,
    };
    let nth = parts.next()?.parse().ok()?;
    let errno = parts.next().and_then(|n| n.parse().ok()).unwrap_or(5);
    let mode = match mode {
        "kill" => FaultMode::Kill,
        "torn" => FaultMode::Torn,
        "error" => FaultMode::Error(errno),
        _ => return None,
    };
    Some(Plan {
        mode,
        operation,
        nth,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plans_are_read() {
        let plan = parse("error:sync:3:28").expect("a plan");
        assert_eq!(
            (plan.mode, plan.operation, plan.nth),
            (FaultMode::Error(28), Some(Operation::Sync), 3)
        );
        assert!(parse("nonsense").is_none() && parse("kill:write").is_none());
    }

    #[test]
    fn only_the_planned_operation_fails() {
        let faults = Faults::failing(Some(Operation::Sync), 2, 28);
        assert!(matches!(faults.step(Operation::Write), Fault::None));
        assert!(matches!(faults.step(Operation::Sync), Fault::None));
        assert!(matches!(faults.step(Operation::Sync), Fault::Fail(_)));
        assert!(matches!(faults.step(Operation::Sync), Fault::None));
        assert_eq!(faults.counts(), [1, 3, 0, 0, 0]);
    }
}
