//! The errors of all commands, and their exit codes.

use crate::runtime::first_signal;
use crate::runtime::holder::Holder;
use crate::runtime::messages::{
    advice, more_files, more_unreadable, or_as_before, to_drop, working,
};
use crate::runtime::phase::PhaseName;
use config::ConfigErrors;
use format::FormatError;
use rustix::io::Errno;
use std::io;
use std::path::{Path, PathBuf};

/// Every way in which a verb can fail.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The configuration is wrong.
    #[error("{0}")]
    Config(#[from] ConfigErrors),
    /// The call is wrong, or does not fit the state of the work directory.
    #[error("{0}")]
    Usage(String),
    /// The budget is below what the configuration needs.
    #[error("failed to start: memory in [work] is {given_bytes} bytes, and this configuration needs {needed_bytes} ({why}); set memory = \"{}MiB\" or more", needed_bytes.div_ceil(1 << 20))]
    MemoryMinimum {
        /// `work.memory`.
        given_bytes: u64,
        /// The minimum.
        needed_bytes: u64,
        /// The use that needs so much, in words.
        why: String,
    },
    /// The system does not start the threads.
    #[error(
        "failed to start {threads} threads: {detail}; raise the limits of the process (ulimit -u, ulimit -d, ulimit -v, its cgroup), or lower threads in [work]"
    )]
    Threads {
        /// `work.threads`.
        threads: usize,
        /// The system's answer.
        detail: String,
    },
    /// Memory ran out within the budget.
    #[error("{0}")]
    Budget(#[from] sort::BudgetError),
    /// The input cannot be listed or read.
    #[error("{0}")]
    Input(#[source] input::InputError),
    /// A snapshot is no longer what was added.
    #[error("failed to read snapshot {snapshot}: {file:?} {what}{}; restore the file, or drop {}{}", more_files(*more), to_drop(snapshot, dependents), or_as_before(*is_sketched))]
    SnapshotChanged {
        /// Its name.
        snapshot: String,
        /// The first file that differs.
        file: String,
        /// How, as it is read after the name of the file.
        what: String,
        /// How many more differ.
        more: usize,
        /// If it is dropped, the snapshots that need its files.
        dependents: Vec<String>,
        /// Whether the work directory has what an earlier run read of it.
        is_sketched: bool,
    },
    /// A file of a new snapshot cannot be opened.
    #[error("failed to add snapshot {snapshot}: file {file:?} cannot be read ({detail}){}; no file of the snapshot was added; make the file readable or remove it, then run again", more_unreadable(*more))]
    SnapshotUnreadable {
        /// The name of the snapshot.
        snapshot: String,
        /// The first such file.
        file: String,
        /// The system's answer.
        detail: String,
        /// How many more cannot be opened.
        more: usize,
    },
    /// The input is no longer what the run has read, and the answer needs it.
    #[error("{0}")]
    InputChanged(String),
    /// No document could be used.
    #[error(
        "failed to find a usable document: records rejected: {rejected}, records skipped: {skipped}{why}"
    )]
    NoDocuments {
        /// Records rejected.
        rejected: u64,
        /// Records skipped by type.
        skipped: u64,
        /// The first rejected one and the list of all, or the types of skipped ones, in words.
        why: String,
    },
    /// No document of a source, of a snapshot that is one, or of the data could be read.
    #[error("failed to read {part}: it has no document; records rejected: {rejected}{why}; {mend}")]
    EmptySource {
        /// The part of the input.
        part: String,
        /// Records of its files that were rejected.
        rejected: u64,
        /// The first rejected one, or what there is instead; to be read after the figure.
        why: String,
        /// Advice, as the message ends.
        mend: &'static str,
    },
    /// No file is there for a path of a source.
    #[error(
        "failed to read source {name:?}: no file matches {pattern:?}; mend its paths in [[input.source]], or remove it"
    )]
    SourceWithoutFile {
        /// Its name.
        name: String,
        /// The path or glob as written.
        pattern: String,
    },
    /// No file is there for a path that is of no source.
    #[error(
        "failed to read the data, which is what paths in [input] name beside the sources: no file matches {pattern:?}; mend paths in [input]"
    )]
    DataWithoutFile {
        /// The path or glob as written.
        pattern: String,
    },
    /// A file of references cannot be used.
    #[error("failed to read reference {file}: {why}; {mend}")]
    Reference {
        /// Its name.
        file: String,
        /// Why not.
        why: String,
        /// Advice, as the message ends.
        mend: String,
    },
    /// More was rejected than the configuration or `--strict` allows.
    #[error("failed: {rejected} of {records} records were rejected, more than {allowed}; see {}", see.display())]
    TooManyRejected {
        /// Records rejected.
        rejected: u64,
        /// Documents and rejected records.
        records: u64,
        /// The limit, in words.
        allowed: String,
        /// Where they are listed.
        see: PathBuf,
    },
    /// A work file could not be written or read.
    #[error("{source}{}", advice(*phase, source))]
    Work {
        /// The phase under way.
        phase: Option<PhaseName>,
        /// The error of the file.
        #[source]
        source: FormatError,
    },
    /// A shard of another machine cannot be used.
    #[error("failed to adopt {}: {source}; remove the directory, and make the shard again with `pipeline sketch`", dir.display())]
    Shard {
        /// Its directory.
        dir: PathBuf,
        /// The error of the file that shows it.
        #[source]
        source: FormatError,
    },
    /// The manifest of a work directory cannot be used.
    #[error("{source}; the work directory cannot be used: remove it and run again")]
    Manifest {
        /// The error of the file that shows it.
        #[source]
        source: FormatError,
    },
    /// The index of a publication cannot be used.
    #[error("{source}; {mend}")]
    Index {
        /// The error of the file that shows it.
        #[source]
        source: FormatError,
        /// Advice, as the message ends.
        mend: String,
    },
    /// A table could not be written or read.
    #[error("{0}")]
    Output(#[source] output::OutputError),
    /// Another run holds the lock.
    #[error("failed to start: {}; {} is locked", working(holder.as_ref()), lock.display())]
    Locked {
        /// The process; `None` if it has not written its description yet.
        holder: Option<Holder>,
        /// The lock file.
        lock: PathBuf,
    },
    /// A signal stopped the run.
    #[error("interrupted by signal {signal}; run again to resume")]
    Interrupted {
        /// Its number.
        signal: u8,
    },
    /// A signal stopped a command that cannot be resumed.
    #[error("interrupted by signal {signal}")]
    Stopped {
        /// Its number.
        signal: u8,
    },
    /// The requested thing does not exist.
    #[error("{0}")]
    NotFound(String),
    /// The system refused something else.
    #[error("failed to {action}: {source}")]
    Io {
        /// The action that was tried, with its object.
        action: String,
        /// The system's answer.
        #[source]
        source: std::io::Error,
    },
}

impl From<FormatError> for Error {
    /// Names the phase that makes the file: one in whose directory it lies, or of whose directory
    /// the query index has it. An interrupt stays an interrupt.
    fn from(source: FormatError) -> Error {
        let (FormatError::Damaged { path, .. } | FormatError::Mismatch { path, .. }) = &source
        else {
            return Error::from_format(None, source);
        };
        let directory = path.parent().and_then(Path::file_name);
        let mut phases = PhaseName::ALL.into_iter();
        let phase = phases.find(|phase| directory.is_some_and(|name| name == phase.name()));
        let phase = match phase {
            Some(PhaseName::Index) => Some(PhaseName::maker_of(&path.to_string_lossy())),
            phase => phase,
        };
        Error::from_format(phase, source)
    }
}

fn is_out_of_resources(error: &dyn std::error::Error) -> bool {
    let mut cause = error.source();
    while let Some(error) = cause {
        if error
            .downcast_ref::<io::Error>()
            .is_some_and(out_of_resources)
        {
            return true;
        }
        cause = error.source();
    }
    false
}

/// The C library of zstd takes memory by itself. Where it is refused, it says no more than this.
const ZSTD_WAS_REFUSED: &str = "Allocation error : not enough memory";

/// Advice about an error of this text, if it is one that does not say so itself.
pub fn memory_advice(text: &str) -> Option<&'static str> {
    text.ends_with(ZSTD_WAS_REFUSED)
        .then_some(crate::runtime::allocator::MORE_MEMORY)
}

/// Whether the system says that the disk, open files, memory of this process, or what this user may
/// have of them, are used up.
pub fn out_of_resources(error: &io::Error) -> bool {
    let open_files = matches!(
        Errno::from_io_error(error),
        Some(Errno::MFILE | Errno::NFILE)
    );
    open_files
        || matches!(
            error.kind(),
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge
        )
        || error.to_string().ends_with(ZSTD_WAS_REFUSED)
}

impl Error {
    /// The exit code documented in the README.
    pub fn exit_code(&self) -> u8 {
        match self {
            Error::Config(_) | Error::Usage(_) | Error::MemoryMinimum { .. } => 2,
            Error::NoDocuments { .. }
            | Error::EmptySource { .. }
            | Error::SourceWithoutFile { .. }
            | Error::DataWithoutFile { .. }
            | Error::TooManyRejected { .. }
            | Error::Reference { .. }
            | Error::SnapshotChanged { .. } => 3,
            Error::Budget(_) | Error::Threads { .. } => 4,
            Error::Work { source, .. }
            | Error::Manifest { source }
            | Error::Shard { source, .. } => match source {
                FormatError::NoSpace { .. }
                | FormatError::Refused { .. }
                | FormatError::DiskLimit { .. } => 4,
                FormatError::Damaged { .. } | FormatError::Mismatch { .. } => 5,
                FormatError::Io { source, .. } if out_of_resources(source) => 4,
                _ => 1,
            },
            Error::Index { .. } | Error::Output(output::OutputError::Damaged { .. }) => 5,
            Error::Input(input::InputError::Changed { .. } | input::InputError::Gone { .. })
            | Error::InputChanged(_) => 3,
            Error::Locked { .. } => 75,
            Error::Interrupted { signal } | Error::Stopped { signal } => 128 + signal,
            Error::Input(error) if error.is_stopped() => 128 + first_signal::received(),
            // A file for the user may be written to where only its cause tells of a full disk.
            error if is_out_of_resources(error) => 4,
            _ => 1,
        }
    }

    /// For `map_err` on an operation of the operating system. An error of a work file, which its
    /// writers hand through, stays one: an interrupt is no failure.
    pub fn io(action: impl Into<String>) -> impl FnOnce(std::io::Error) -> Error {
        let action = action.into();
        move |source| match source.downcast::<FormatError>() {
            Ok(source) => Error::from(source),
            Err(source) => Error::Io { action, source },
        }
    }

    /// A fault of the program: one of its threads panicked while it did this.
    pub fn thread_died(action: &str) -> Error {
        let source = io::Error::other("a thread of the program died; please report it");
        Error::io(action)(source)
    }

    /// An error of loading the manifest.
    pub fn manifest(source: FormatError) -> Error {
        match source {
            source @ (FormatError::Damaged { .. } | FormatError::Mismatch { .. }) => {
                Error::Manifest { source }
            }
            source => Error::from_format(None, source),
        }
    }

    /// A work-file error outside the phases.
    pub fn from_format(phase: Option<PhaseName>, source: FormatError) -> Error {
        match source {
            FormatError::Interrupted => Error::Interrupted {
                signal: first_signal::received(),
            },
            source => Error::Work { phase, source },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_that_died_is_a_fault_of_the_program_and_not_of_the_call() {
        let error = Error::thread_died("sketch");
        assert_eq!(error.exit_code(), 1);
        assert_eq!(
            error.to_string(),
            "failed to sketch: a thread of the program died; please report it"
        );
    }

    #[test]
    fn an_interrupt_within_an_error_of_the_system_stays_one() {
        let source = io::Error::other(FormatError::Interrupted);
        let error = Error::io("write an index")(source);
        assert!(matches!(error, Error::Interrupted { .. }), "{error}");
        let error = Error::io("write an index")(io::Error::other("no disk"));
        assert_eq!(error.to_string(), "failed to write an index: no disk");
    }

    #[test]
    fn memory_that_zstd_was_refused_is_exit_4_with_advice() {
        let source = io::Error::other("Allocation error : not enough memory");
        let error = Error::Output(output::OutputError::Write {
            table: "pairs".to_owned(),
            source,
        });
        assert_eq!(error.exit_code(), 4);
        let advice = memory_advice(&error.to_string()).expect("advice");
        assert!(advice.contains("ulimit -d"), "{advice}");
        assert_eq!(memory_advice("failed to write table pairs: no space"), None);
    }

    #[test]
    fn damage_names_the_phase_in_whose_directory_the_file_lies() {
        let at = |path: &str| {
            let damaged = FormatError::Damaged {
                path: PathBuf::from(path),
                offset: 0,
                what: "cut".to_owned(),
            };
            Error::from(damaged).to_string()
        };
        let advice = "; `pipeline run --from pairs --force` rebuilds it";
        assert!(at("work/pairs/counts").ends_with(advice));
        assert!(at("out.d/1/index/common").ends_with(advice));
        assert!(at("pairs/dedup/pairs").ends_with("cut"));
        assert!(at("postings").ends_with("cut"));
    }
}
