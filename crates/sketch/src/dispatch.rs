//! Calls the form of a hot loop that was compiled for a level of processor.

use crate::cpu::CpuLevel;
use crate::isa::HotLoop;

/// Runs the form of `task` that is compiled for `level`.
pub(crate) fn run<T: HotLoop>(level: CpuLevel, task: T) -> T::Output {
    match level {
        CpuLevel::Portable => task.run_portable(),
        #[cfg(target_arch = "x86_64")]
        level => crate::x86::run(level, task),
    }
}
