//! The process that holds a lock, as it describes itself in the lock file.

use std::fmt;
use std::path::Path;

/// Longer command lines are cut.
const COMMAND_CHARS_MAX: usize = 200;

/// Keys of the configuration that hold the seed.
const SECRETS: [&str; 2] = ["sketch.seed", "sketch"];

/// The option that gives it.
const SEED: &str = "--seed";

/// A process that works in a work directory.
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

/// An argument without the value of `--set sketch.seed=VALUE` or `--seed=VALUE`: others may read
/// the lock file.
pub(crate) fn without_secret(argument: String) -> String {
    let option = argument.strip_prefix("--set=").unwrap_or(&argument);
    match option.split_once('=') {
        Some((key, _)) if key == SEED || SECRETS.contains(&key.trim()) => {
            let before = argument.len() - option.len() + key.len();
            format!("{}=…", &argument[..before])
        }
        _ => argument,
    }
}

impl Holder {
    /// This process.
    pub(crate) fn own() -> Holder {
        let command = std::env::args_os().map(|argument| argument.to_string_lossy().into_owned());
        let mut is_seed = false;
        let command = command.map(|argument| {
            let is_value = std::mem::replace(&mut is_seed, argument == SEED);
            match is_value {
                true => "…".to_owned(),
                false => without_secret(argument),
            }
        });
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
            since: crate::runtime::cost::now_rfc3339(),
            host: host(),
            command,
        }
    }

    /// The text of the lock file.
    pub(crate) fn to_line(&self) -> String {
        format!(
            "{} {} {} {}\n",
            self.pid, self.since, self.host, self.command
        )
    }

    /// Reads the text of a lock file; `None` if its process ran on this host and is gone.
    pub(crate) fn of(text: &str) -> Option<Holder> {
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
pub(crate) fn host() -> String {
    let name = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let name = name.trim().replace(char::is_whitespace, "-");
    if name.is_empty() {
        "unknown".to_owned()
    } else {
        name
    }
}
