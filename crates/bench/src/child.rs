//! Programs run to their end, with what the kernel says they took.
//!
//! *Input.* A command. *Output.* [`Usage`]: CPU seconds of it and of all its children, peak memory
//! of the largest of them, wall time. *Algorithm.* `wait4`; past a time limit the process is
//! killed. *Limits.* The kernel counts CPU time in steps of up to 10 ms on some machines, so short
//! runs say little. The peak counts from the memory that the starting program has at that moment,
//! so that one must be small.

use anyhow::{Context, Result, bail};
use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};
use rustix::time::{ClockId, clock_gettime};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};
use wait4::Wait4;

/// What a program took.
#[derive(Clone, Copy, Debug, Default, PartialEq, serde::Serialize)]
pub struct Usage {
    /// User time in seconds.
    pub user_s: f64,
    /// System time in seconds.
    pub sys_s: f64,
    /// Time from start to end in seconds.
    pub wall_s: f64,
    /// `ru_maxrss` in bytes: that of the largest process.
    pub peak_bytes: u64,
}

impl Usage {
    /// User and system time.
    pub fn cpu_s(&self) -> f64 {
        self.user_s + self.sys_s
    }

    /// This and another program, one after the other.
    #[must_use]
    pub fn then(self, other: Usage) -> Usage {
        Usage {
            user_s: self.user_s + other.user_s,
            sys_s: self.sys_s + other.sys_s,
            wall_s: self.wall_s + other.wall_s,
            peak_bytes: self.peak_bytes.max(other.peak_bytes),
        }
    }
}

/// Bytes that a program itself read and wrote, by whatever way; its children aside.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Io {
    /// Bytes it asked for and got.
    pub read_bytes: u64,
    /// Bytes it handed over.
    pub written_bytes: u64,
}

/// How a program ended.
#[derive(Clone, Debug)]
pub struct Ended {
    /// What it took.
    pub usage: Usage,
    /// What it read and wrote; zeros where the system does not tell.
    pub io: Io,
    /// Its exit code; `None` when a signal ended it.
    pub code: Option<i32>,
    /// Whether it was killed at the time limit.
    pub timed_out: bool,
    /// The end of its standard error.
    pub complaint: String,
}

impl Ended {
    /// What it took, if it ended well.
    ///
    /// # Errors
    /// When it did not.
    pub fn well(self, what: &str) -> Result<Usage> {
        if self.timed_out {
            bail!("{what} did not end in {:.0} s", self.usage.wall_s);
        }
        if self.code != Some(0) {
            bail!("{what} ended with {:?}: {}", self.code, self.complaint);
        }
        Ok(self.usage)
    }
}

/// Bytes of standard error kept.
const COMPLAINT_BYTES: usize = 2000;

/// Runs a program without input, its output thrown away, and waits for its end.
///
/// # Errors
/// When it cannot be started or waited for.
pub fn run(command: &mut Command, limit: Duration) -> Result<Ended> {
    let name = command.get_program().to_string_lossy().into_owned();
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped());
    let began = Instant::now();
    let mut child = command
        .spawn()
        .with_context(|| format!("failed to start {name}"))?;
    let mut stderr = child
        .stderr
        .take()
        .context("failed to get at standard error")?;
    let reader = thread::spawn(move || {
        let mut text = Vec::new();
        let read = std::io::Read::read_to_end(&mut stderr, &mut text);
        read.map(|_| text).unwrap_or_default()
    });
    let (over, watch) = channel();
    let watchdog = watchdog(&child, limit, watch);
    let io = io_at_end(&child);
    let used = child
        .wait4()
        .with_context(|| format!("failed to wait for {name}"))?;
    let wall_s = began.elapsed().as_secs_f64();
    let timed_out = end_of(over, watchdog);
    let text = reader.join().unwrap_or_default();
    let complaint =
        String::from_utf8_lossy(&text[text.len().saturating_sub(COMPLAINT_BYTES)..]).into_owned();
    let usage = Usage {
        user_s: used.rusage.utime.as_secs_f64(),
        sys_s: used.rusage.stime.as_secs_f64(),
        wall_s,
        peak_bytes: used.rusage.maxrss,
    };
    Ok(Ended {
        usage,
        io,
        code: used.status.code(),
        timed_out,
        complaint,
    })
}

/// Waits for the end of a program without taking its last figures away, and reads what it read and
/// wrote.
fn io_at_end(child: &Child) -> Io {
    let Some(pid) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) else {
        return Io::default();
    };
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
    while matches!(
        waitid(WaitId::Pid(pid), options),
        Err(rustix::io::Errno::INTR)
    ) {}
    let text = std::fs::read_to_string(format!("/proc/{}/io", child.id())).unwrap_or_default();
    let figure = |name: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(name));
        line.and_then(|figure| figure.trim().parse().ok())
            .unwrap_or(0)
    };
    Io {
        read_bytes: figure("rchar:"),
        written_bytes: figure("wchar:"),
    }
}

/// CPU seconds of this process so far, all threads.
pub fn process_cpu_s() -> f64 {
    seconds(clock_gettime(ClockId::ProcessCPUTime))
}

/// CPU seconds of this thread so far.
pub fn thread_cpu_s() -> f64 {
    seconds(clock_gettime(ClockId::ThreadCPUTime))
}

fn seconds(time: rustix::time::Timespec) -> f64 {
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

/// Kills the child when the limit is over before the other end of `watch` is dropped; says whether
/// it did.
fn watchdog(
    child: &Child,
    limit: Duration,
    watch: std::sync::mpsc::Receiver<()>,
) -> thread::JoinHandle<bool> {
    let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    thread::spawn(move || {
        let late = watch.recv_timeout(limit) == Err(RecvTimeoutError::Timeout);
        if let (true, Some(pid)) = (late, pid) {
            // It may have ended by itself just now.
            _ = rustix::process::kill_process(pid, rustix::process::Signal::KILL);
        }
        late
    })
}

fn end_of(over: Sender<()>, watchdog: thread::JoinHandle<bool>) -> bool {
    drop(over);
    watchdog.join().unwrap_or(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str, limit: Duration) -> Ended {
        run(Command::new("sh").args(["-c", script]), limit).unwrap()
    }

    #[test]
    fn usage_is_that_of_the_program_and_its_children() {
        let busy = "i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done";
        let ended = shell(
            &format!("({busy}) & wait; echo complaint >&2; exit 3"),
            Duration::from_secs(60),
        );
        assert_eq!(
            (ended.code, ended.timed_out, ended.complaint.as_str()),
            (Some(3), false, "complaint\n")
        );
        assert!(ended.usage.cpu_s() > 0.02, "{:?}", ended.usage);
        assert!(ended.usage.peak_bytes > 100_000, "{:?}", ended.usage);
        assert!(ended.well("it").is_err());
    }

    #[test]
    fn what_it_wrote_is_counted() {
        let io = shell("exec head -c 100000 /dev/zero", Duration::from_secs(60)).io;
        assert!(
            io.written_bytes >= 100_000 && io.read_bytes >= 100_000,
            "{io:?}"
        );
    }

    #[test]
    fn what_takes_too_long_is_killed() {
        let ended = shell("exec sleep 60", Duration::from_millis(50));
        assert_eq!((ended.code, ended.timed_out), (None, true));
        assert!(ended.usage.wall_s < 30.0);
    }
}
