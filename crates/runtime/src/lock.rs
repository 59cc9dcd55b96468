//! One run at a time in a work directory: a lock of the kernel on an open file, gone with the
//! process however it ends.
//!
//! Taking it writes nothing, so that a run that finds nothing to do leaves no trace. Who begins to
//! work puts into the file who it is, for those that come in vain, and takes it out at the end.
//! What a killed process left there blocks nobody.

use crate::error::Error;
use std::fmt;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, Write};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

/// Longer command lines are cut.
const COMMAND_CHARS_MAX: usize = 200;

/// Longer texts are none of ours.
const TEXT_BYTES_MAX: u64 = 4096;

/// Held until dropped.
#[derive(Debug)]
pub struct Lock {
    file: File,
    announced: AtomicBool,
}

/// A process that works in a work directory, as it describes itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Holder {
    /// Its process id, on its host.
    pub pid: String,
    /// When it began, RFC 3339 in UTC.
    pub since: String,
    /// The name of its host.
    pub host: String,
    /// Its command line.
    pub command: String,
}

impl fmt::Display for Holder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Holder {
            pid,
            since,
            host,
            command,
        } = self;
        write!(
            f,
            "process {pid} has been running here since {since} (on {host}: {command})"
        )
    }
}

impl Holder {
    /// This process.
    fn own() -> Holder {
        let command = std::env::args_os().map(|argument| argument.to_string_lossy().into_owned());
        let command: Vec<String> = command.collect();
        let plain = |c: char| if c.is_control() { ' ' } else { c };
        let command = command
            .join(" ")
            .chars()
            .map(plain)
            .take(COMMAND_CHARS_MAX)
            .collect();
        Holder {
            pid: std::process::id().to_string(),
            since: crate::cost::now_rfc3339(),
            host: host(),
            command,
        }
    }

    fn to_line(&self) -> String {
        format!(
            "{} {} {} {}\n",
            self.pid, self.since, self.host, self.command
        )
    }

    /// Who the text says it is, unless that is a process of this host which is gone.
    fn of(text: &str) -> Option<Holder> {
        let mut parts = text.trim_end().splitn(4, ' ').map(str::to_owned);
        let (pid, since, host) = (parts.next()?, parts.next()?, parts.next()?);
        let holder = Holder {
            pid,
            since,
            host,
            command: parts.next().unwrap_or_default(),
        };
        let is_gone = holder.host == self::host() && !Path::new("/proc").join(&holder.pid).exists();
        (!is_gone).then_some(holder)
    }
}

/// The name of this machine, without blanks.
fn host() -> String {
    let name = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let name = name.trim().replace(char::is_whitespace, "-");
    if name.is_empty() {
        "unknown".to_owned()
    } else {
        name
    }
}

/// Takes the lock of a work directory, and says so in it.
pub fn acquire(work: &Path) -> Result<Lock, Error> {
    let lock = take(work)?;
    lock.announce();
    Ok(lock)
}

/// Takes the lock of a work directory. Writes nothing, but makes the file if it is not there.
pub fn take(work: &Path) -> Result<Lock, Error> {
    let path = work.join("lock");
    let open = |path: &Path| {
        OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(path)
    };
    let file = open(&path).map_err(Error::io(format!("open {}", path.display())))?;
    match file.try_lock() {
        Ok(()) => Ok(Lock {
            file,
            announced: AtomicBool::new(false),
        }),
        Err(TryLockError::WouldBlock) => {
            let mut text = String::new();
            let _ = file.take(TEXT_BYTES_MAX).read_to_string(&mut text);
            Err(Error::Locked {
                holder: Holder::of(&text),
                lock: path,
            })
        }
        Err(TryLockError::Error(source)) => {
            Err(Error::io(format!("lock {}", path.display()))(source))
        }
    }
}

impl Lock {
    /// Puts into the file who works here, once.
    pub fn announce(&self) {
        if self.announced.swap(true, Ordering::Relaxed) {
            return;
        }
        let text = Holder::own().to_line();
        let mut file = &self.file;
        let written = file
            .set_len(0)
            .and_then(|()| file.rewind())
            .and_then(|()| file.write_all(text.as_bytes()));
        // A full disk must not keep a run from saying what it needs; the lock holds without its
        // text.
        drop(written);
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        if self.announced.load(Ordering::Relaxed) {
            drop(self.file.set_len(0));
        }
    }
}

/// Refuses a directory with something in it that this program did not put there.
pub fn check_ours(work: &Path) -> Result<(), Error> {
    let Ok(mut entries) = std::fs::read_dir(work) else {
        return Ok(());
    };
    if work.join("lock").is_file() || entries.next().is_none() {
        return Ok(());
    }
    let work = work.display();
    Err(Error::Usage(format!(
        "failed to start: {work} holds files of something else; set work.dir to a directory of its own"
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_holds_it_is_told_and_taken_out_again() {
        let dir = tempfile::tempdir().expect("a directory");
        let text = || std::fs::read_to_string(dir.path().join("lock")).expect("a lock");
        let lock = acquire(dir.path()).expect("free");
        let refused = take(dir.path()).expect_err("locked");
        assert_eq!(refused.exit_code(), 75);
        let told = refused.to_string();
        assert!(
            told.contains(&format!(
                "process {} has been running here since 20",
                std::process::id()
            )),
            "{told}"
        );
        assert!(
            told.contains(&format!("(on {}: ", host())) && told.ends_with("lock is locked"),
            "{told}"
        );
        drop(lock);
        assert_eq!(text(), "");
        let silent = take(dir.path()).expect("free");
        assert_eq!(text(), "");
        let told = take(dir.path()).expect_err("locked").to_string();
        assert!(told.contains("another process"), "{told}");
        drop(silent);
    }

    #[test]
    fn what_a_killed_process_left_is_nobody() {
        let dir = tempfile::tempdir().expect("a directory");
        // No process has this id: the kernel's largest is 2^22.
        let gone = Holder {
            pid: "4194305".to_owned(),
            ..Holder::own()
        };
        std::fs::write(dir.path().join("lock"), gone.to_line()).expect("written");
        let lock = take(dir.path()).expect("free");
        let told = take(dir.path()).expect_err("locked").to_string();
        assert!(
            told.contains("another process") && !told.contains("4194305"),
            "{told}"
        );
        drop(lock);
        // Of another host nothing can be said, so its word is taken.
        let elsewhere = Holder {
            host: "another.example".to_owned(),
            ..gone
        };
        assert_eq!(Holder::of(&elsewhere.to_line()), Some(elsewhere));
        for odd in ["", "12", "12 2026-01-01T00:00:00Z", "\n"] {
            assert_eq!(Holder::of(odd), None, "{odd:?}");
        }
    }
}
