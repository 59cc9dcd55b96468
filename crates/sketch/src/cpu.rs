//! The forms of the hot loops that this processor can run, found once, at run time.
//!
//! One binary serves every machine. The portable form is always there and always gives the same
//! values; the others are chosen by asking the processor. If `PIPELINE_CPU` in the environment is
//! the name of a form that this processor can run (`portable`, `x86-64-v2` …), it is chosen
//! everywhere.

use std::fmt;
use std::sync::LazyLock;

/// Name of the environment variable that can choose another form than the best.
const VARIABLE: &str = "PIPELINE_CPU";

/// A form of the hot loops that this processor can run.
///
/// There is no other way to get a value than from this processor's own answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cpu(CpuLevel);

/// Sets of instructions, each a superset of those before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CpuLevel {
    /// Plain Rust.
    Portable,
    /// x86-64 of about 2010: up to SSE4.2, with carry-less multiplication.
    #[cfg(target_arch = "x86_64")]
    V2,
    /// x86-64 of about 2013: with AVX2 and bit manipulation.
    #[cfg(target_arch = "x86_64")]
    V3,
    /// x86-64 of about 2020: AVX-512, four carry-less products at once, and `compress`.
    #[cfg(target_arch = "x86_64")]
    V4,
}

static CHOSEN: LazyLock<Cpu> = LazyLock::new(|| {
    let all = Cpu::all();
    let named = std::env::var(VARIABLE).ok();
    let is_named = |cpu: &&Cpu| named.as_ref().is_some_and(|name| *name == cpu.to_string());
    *all.iter().find(is_named).unwrap_or(&all[0])
});

impl Cpu {
    /// The form to use: the best one, unless the environment names another.
    pub fn chosen() -> Cpu {
        *CHOSEN
    }

    /// The portable form.
    pub fn portable() -> Cpu {
        Cpu(CpuLevel::Portable)
    }

    /// All forms that this processor can run, the best one first and the portable one last,
    /// whatever the environment says.
    pub fn all() -> Vec<Cpu> {
        let mut levels = vec![CpuLevel::Portable];
        #[cfg(target_arch = "x86_64")]
        levels.extend(x86_levels());
        levels.reverse();
        levels.into_iter().map(Cpu).collect()
    }

    #[inline]
    pub(crate) fn level(self) -> CpuLevel {
        self.0
    }
}

#[cfg(target_arch = "x86_64")]
fn x86_levels() -> Vec<CpuLevel> {
    use std::arch::is_x86_feature_detected as has;
    let v2 =
        has!("ssse3") && has!("sse4.1") && has!("sse4.2") && has!("popcnt") && has!("pclmulqdq");
    let v3 = v2 && has!("avx2") && has!("bmi1") && has!("bmi2") && has!("lzcnt");
    let v4 = v3
        && has!("vpclmulqdq")
        && has!("avx512f")
        && has!("avx512bw")
        && has!("avx512dq")
        && has!("avx512vl")
        && has!("avx512vbmi2");
    let held = [(v2, CpuLevel::V2), (v3, CpuLevel::V3), (v4, CpuLevel::V4)];
    held.into_iter()
        .filter(|(has, _)| *has)
        .map(|(_, level)| level)
        .collect()
}

impl fmt::Display for Cpu {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.0 {
            CpuLevel::Portable => "portable",
            #[cfg(target_arch = "x86_64")]
            CpuLevel::V2 => "x86-64-v2",
            #[cfg(target_arch = "x86_64")]
            CpuLevel::V3 => "x86-64-v3",
            #[cfg(target_arch = "x86_64")]
            CpuLevel::V4 => "x86-64-v4",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_portable_form_is_always_there_and_last() {
        let all = Cpu::all();
        assert_eq!(all.last(), Some(&Cpu::portable()));
        assert!(all.contains(&Cpu::chosen()));
    }
}
