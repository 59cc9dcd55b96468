//! Runs a program to its end and reports the resources that it used, by the kernel's figures.
//!
//! *Input.* A command. *Output.* [`Usage`]: CPU seconds of the program and of all its children,
//! peak memory of the largest of them, wall time, bytes read and written. *Algorithm.* `wait4`.
//! *Limits.* The kernel counts CPU time in steps of up to 10 ms on some machines, so short runs say
//! little. The peak counts from the memory that the starting program has at that moment, so the
//! starting program must be small.

use anyhow::{Context, Result, bail};
use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};
use rustix::time::{ClockId, clock_gettime};
use std::io::{Read, Seek};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Instant;
use wait4::Wait4;

/// The resources that a program used.
#[derive(Clone, Copy, Debug, Default, PartialEq, serde::Serialize)]
pub(crate) struct Usage {
    /// User time in seconds.
    pub(crate) user_s: f64,
    /// System time in seconds.
    pub(crate) sys_s: f64,
    /// Time from start to end in seconds.
    pub(crate) wall_s: f64,
    /// `ru_maxrss` in bytes: that of the largest process.
    pub(crate) peak_bytes: u64,
    /// Bytes that the program and the children it waited for read; 0 where the system does not say.
    pub(crate) read_bytes: u64,
    /// Bytes that they wrote.
    pub(crate) written_bytes: u64,
}

impl Usage {
    /// User and system time.
    pub(crate) fn cpu_s(&self) -> f64 {
        self.user_s + self.sys_s
    }

    /// Peak memory in MiB.
    pub(crate) fn peak_mib(&self) -> f64 {
        self.peak_bytes as f64 / f64::from(1 << 20)
    }
}

/// The end of a program's standard error that an error message quotes.
const QUOTED_BYTES: usize = 2000;

/// Runs a program without input, discards its output, and waits for its end.
pub(crate) fn run(command: &mut Command) -> Result<Usage> {
    let name = command.get_program().to_string_lossy().into_owned();
    let mut stderr = tempfile::tempfile().context("failed to make a temporary file")?;
    command.stdin(Stdio::null()).stdout(Stdio::null());
    command.stderr(stderr.try_clone()?);
    let failed = || format!("failed to wait for {name}");
    let began = Instant::now();
    let child = command
        .spawn()
        .with_context(|| format!("failed to start {name}"))?;
    // The figures of an ended program stay until it is reaped, so it is waited for without reaping.
    let (id, options) = (WaitId::Pid(Pid::from_child(&child)), WaitIdOptions::EXITED);
    waitid(id, options | WaitIdOptions::NOWAIT).with_context(failed)?;
    let [read_bytes, written_bytes] = traffic(&child);
    let used = child.wait4().with_context(failed)?;
    let wall_s = began.elapsed().as_secs_f64();
    if used.status.code() != Some(0) {
        let mut text = Vec::new();
        stderr.rewind()?;
        stderr.read_to_end(&mut text)?;
        let end = &text[text.len().saturating_sub(QUOTED_BYTES)..];
        let code = used.status.code();
        bail!(
            "{name} ended with {code:?}: {}",
            String::from_utf8_lossy(end)
        );
    }
    Ok(Usage {
        user_s: used.rusage.utime.as_secs_f64(),
        sys_s: used.rusage.stime.as_secs_f64(),
        wall_s,
        peak_bytes: used.rusage.maxrss,
        read_bytes,
        written_bytes,
    })
}

/// Bytes that an ended program read and wrote.
fn traffic(child: &Child) -> [u64; 2] {
    let text = std::fs::read_to_string(format!("/proc/{}/io", child.id())).unwrap_or_default();
    ["rchar:", "wchar:"].map(|name| {
        let figure = text.lines().find_map(|line| line.strip_prefix(name));
        figure
            .and_then(|text| text.trim().parse().ok())
            .unwrap_or(0)
    })
}

/// The program to measure: the one beside this program.
pub(crate) fn pipeline() -> Result<PathBuf> {
    let this = std::env::current_exe().context("failed to find this program")?;
    let path = this.with_file_name("pipeline");
    path.canonicalize()
        .with_context(|| format!("failed to find {}", path.display()))
}

/// CPU seconds of this process so far, all threads.
pub(crate) fn process_cpu_s() -> f64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str) -> Result<Usage> {
        run(Command::new("sh").args(["-c", script]))
    }

    #[test]
    fn usage_is_that_of_the_program_and_its_children() {
        let busy = "i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done";
        let usage = shell(&format!("({busy}) & wait")).unwrap();
        assert!(usage.cpu_s() > 0.02, "{usage:?}");
        assert!(usage.peak_bytes > 100_000, "{usage:?}");
    }

    #[test]
    fn a_failure_quotes_the_end_of_standard_error() {
        let error = shell("echo complaint >&2; exit 3").unwrap_err();
        assert_eq!(error.to_string(), "sh ended with Some(3): complaint\n");
    }

    #[test]
    fn bytes_read_and_written_are_counted() {
        let usage = shell("exec head -c 100000 /dev/zero").unwrap();
        assert!(usage.written_bytes >= 100_000 && usage.read_bytes >= 100_000);
    }
}
