//! The instructions of x86-64 that the hot loops use, behind the safe methods of
//! [`crate::isa::Isa`]; the only `unsafe` of this crate.
//!
//! Three levels of processor have a file each; `common` holds the operations that are the same for
//! all. A value of [`V2`](v2::V2), [`V3`](v3::V3) or [`V4`](v4::V4) proves that the processor has
//! the instructions. Each can be made only in its own file, and there only inside functions that
//! are compiled for those instructions.
//!
//! `v2` sketches pages at twice the speed of the portable form, and processors without AVX2 were
//! sold until 2021 and later (Atom, Pentium, Celeron), so it earns its lines. A form with AVX2 and
//! VPCLMULQDQ, but without AVX-512, gained 1 to 3 % over `v3` for 90 lines of unsafe code, so it
//! was removed.

#![expect(
    unsafe_code,
    reason = "vector instructions and carry-less multiplication"
)]

mod common;
mod v2;
mod v3;
mod v4;

use crate::cpu::CpuLevel;
use crate::isa::HotLoop;

/// Runs the form of `task` that is compiled for `level`.
pub(crate) fn run<T: HotLoop>(level: CpuLevel, task: T) -> T::Output {
    match level {
        CpuLevel::Portable => task.run_portable(),
        // SAFETY: a level is only made when the processor was found to have all instructions
        // enabled there.
        CpuLevel::V2 => unsafe { v2::run(task) },
        // SAFETY: as above.
        CpuLevel::V3 => unsafe { v3::run(task) },
        // SAFETY: as above.
        CpuLevel::V4 => unsafe { v4::run(task) },
    }
}
