//! How the program ends: every failure with its message and its exit code.

use std::io;
use std::path::PathBuf;
use std::process::ExitCode;

use pipeline::{LogForm, log_form};

use crate::messages;

/// Why a verb did not do what it was asked for.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The engine says so.
    Engine(pipeline::Error),
    /// Standard output does not take the result.
    Stdout(io::Error),
    /// A file outside the work directory could not be made.
    File {
        /// The action that was tried.
        action: &'static str,
        /// On which file.
        path: PathBuf,
        /// The system's answer.
        source: io::Error,
    },
    /// The call makes no sense.
    Usage(String),
    /// The printed result already reports the failure; the program ends with this code.
    Reported(u8),
}

impl From<pipeline::Error> for Failure {
    fn from(error: pipeline::Error) -> Failure {
        Failure::Engine(error)
    }
}

impl From<pipeline::config::ConfigErrors> for Failure {
    fn from(errors: pipeline::config::ConfigErrors) -> Failure {
        Failure::Engine(pipeline::Error::from(errors))
    }
}

impl Failure {
    /// For `map_err` on an operation on a file.
    pub(crate) fn file(
        action: &'static str,
        path: impl Into<PathBuf>,
    ) -> impl FnOnce(io::Error) -> Failure {
        let path = path.into();
        move |source| Failure::File {
            action,
            path,
            source,
        }
    }

    /// The code, as the long help lists them.
    pub(crate) fn code(&self) -> u8 {
        match self {
            Failure::Engine(error) => error.exit_code(),
            Failure::Stdout(source) | Failure::File { source, .. }
                if pipeline::out_of_resources(source)
                    || source.kind() == io::ErrorKind::OutOfMemory =>
            {
                4
            }
            // what the call names is not there
            Failure::File {
                action: "find",
                source,
                ..
            } if source.kind() == io::ErrorKind::NotFound => 2,
            Failure::Stdout(_) | Failure::File { .. } => 1,
            Failure::Usage(_) => 2,
            Failure::Reported(code) => *code,
        }
    }

    /// Says what happened.
    pub(crate) fn report(&self) {
        let text = match self {
            Failure::Engine(pipeline::Error::Config(errors)) => {
                let text = "the configuration has problems; nothing was done";
                let problems = errors.problems().iter().map(ToString::to_string);
                let problems: Vec<String> = problems.collect();
                let line = messages::failure(text, self.code());
                line.with("problems", problems).write();
                if log_form() != LogForm::Json {
                    // each line as FILE:LINE:COLUMN, for editors
                    messages::places(&errors.to_string());
                }
                return;
            }
            Failure::Engine(
                error @ pipeline::Error::Locked {
                    holder: Some(holder),
                    ..
                },
            ) => {
                let line = messages::failure(&messages::chain(error), self.code());
                let line = line
                    .with("pid", holder.pid.clone())
                    .with("since", holder.since.clone());
                let line = line.with("host", holder.host.clone());
                line.with("command", holder.command.clone()).write();
                return;
            }
            Failure::Engine(error) => messages::chain(error),
            Failure::Stdout(error) => {
                let advice = space_advice(error);
                format!("failed to write to standard output: {error}{advice}")
            }
            Failure::File {
                action,
                path,
                source,
            } => {
                let (path, advice) = (path.display(), space_advice(source));
                format!("failed to {action} {path}: {source}{advice}")
            }
            Failure::Usage(text) => text.clone(),
            Failure::Reported(_) => return,
        };
        let advice = pipeline::memory_advice(&text);
        let advice = advice.map_or_else(String::new, |advice| format!("; {advice}"));
        messages::failure(&format!("{text}{advice}"), self.code()).write();
    }
}

/// Advice about a full disk, behind the message of an error.
fn space_advice(error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            "; free some space and try again"
        }
        _ => "",
    }
}

/// The exit code of the whole, after telling what went wrong.
pub(crate) fn finish(result: Result<(), Failure>) -> ExitCode {
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            failure.report();
            ExitCode::from(failure.code())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_those_of_the_help() {
        let config =
            pipeline::config::parse("", std::path::Path::new("p.toml")).expect_err("refused");
        assert_eq!(Failure::from(config).code(), 2);
        assert_eq!(
            Failure::from(pipeline::Error::NotFound("x".to_owned())).code(),
            1
        );
        assert_eq!(
            Failure::Stdout(io::Error::from(io::ErrorKind::StorageFull)).code(),
            4
        );
        assert_eq!(
            Failure::Stdout(io::Error::from(io::ErrorKind::PermissionDenied)).code(),
            1
        );
        let full = io::Error::from(io::ErrorKind::StorageFull);
        let engine = pipeline::Error::Io {
            action: "export".to_owned(),
            source: full,
        };
        assert_eq!(Failure::from(engine).code(), 4);
        let file = |kind: io::ErrorKind| Failure::file("write", "x")(io::Error::from(kind)).code();
        assert_eq!(
            (
                file(io::ErrorKind::StorageFull),
                file(io::ErrorKind::PermissionDenied)
            ),
            (4, 1)
        );
        assert_eq!(
            (
                Failure::Usage(String::new()).code(),
                Failure::Reported(5).code()
            ),
            (2, 5)
        );
    }
}
