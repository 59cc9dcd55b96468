//! The errors of the engine as exceptions of Python, one class for each meaning.

use format::FormatError;
use pipeline::{Error, InputError as OfInput, config::ConfigErrors};
use pyo3::create_exception;
use pyo3::exceptions::{PyException, PyTypeError, PyValueError};
use pyo3::prelude::*;
use std::path::Path;

macro_rules! exceptions {
    ($($name:ident($base:ident) $about:literal;)+) => {
        $(create_exception!(altavista_dedup, $name, $base, $about);)+
    };
}

exceptions! {
    EngineError(PyException)
        "An operation failed. `exit_code` is the code with which the program would end.";
    ConfigError(EngineError)
        "The configuration or the call is wrong. `problems` has all problems, a text each.";
    InputError(EngineError)
        "No document could be used, too many records were rejected, or the input changed.";
    NoSpaceError(EngineError)
        "Disk, memory or open files are used up, or a limit of the configuration is reached.";
    DamageError(EngineError)
        "Work files or results are damaged; the message names the command that makes them anew.";
    BusyError(EngineError)
        "Another run holds the work directory. `pid` is its process, or None.";
    NotFoundError(EngineError)
        "The input, the document, the table or the publication that was asked for is not there.";
}

/// The exception of an error of the engine.
pub(crate) fn raised(py: Python<'_>, error: &Error) -> PyErr {
    let text = error.to_string();
    let code = error.exit_code();
    let raised = match error {
        Error::Config(errors) => return refused(py, errors),
        Error::NotFound(_)
        | Error::Input(OfInput::Missing { .. } | OfInput::NothingMatches { .. }) => {
            NotFoundError::new_err(text)
        }
        _ => match code {
            2 => return wrong(py, text),
            3 => InputError::new_err(text),
            4 => NoSpaceError::new_err(text),
            5 => DamageError::new_err(text),
            75 => BusyError::new_err(text),
            _ => EngineError::new_err(text),
        },
    };
    if let Error::Locked { holder, .. } = error {
        let pid = holder
            .as_ref()
            .and_then(|holder| holder.pid.parse::<u32>().ok());
        return with_code(py, with(py, raised, "pid", pid), code);
    }
    with_code(py, raised, code)
}

/// The exception of a configuration that is wrong.
pub(crate) fn refused(py: Python<'_>, errors: &ConfigErrors) -> PyErr {
    let problems = errors.problems().iter().map(|problem| {
        // An option of the command line is an entry of a dict here.
        let text = problem.to_string();
        text.strip_prefix("--set ")
            .map_or(text.clone(), str::to_owned)
    });
    with_problems(py, problems.collect())
}

/// The exception of a call that is wrong.
pub(crate) fn wrong(py: Python<'_>, problem: String) -> PyErr {
    with_problems(py, vec![problem])
}

/// The exception of an error of a run in a temporary directory, which no later run resumes.
pub(crate) fn raised_for_good(py: Python<'_>, error: &Error) -> PyErr {
    let Error::Work { source, .. } = error else {
        return raised(py, error);
    };
    let (path, shortage) = match source {
        FormatError::NoSpace { path, needed, free } => {
            let shortage = format!("{needed} more bytes are needed, and {free} are free");
            (path, format!("no space left: {shortage}; free some space"))
        }
        FormatError::Refused { path, shortage } => (path, (*shortage).to_owned()),
        FormatError::DiskLimit { path, limit, used } => {
            let shortage = format!("disk in [work] is {limit} bytes, and {used} are in use");
            (path, format!("{shortage}; raise disk"))
        }
        _ => return raised(py, error),
    };
    let path = path.display();
    let text = format!("failed to write {path}: {shortage}, or name another place by directory=");
    with_code(py, NoSpaceError::new_err(text), 4)
}

/// The exception of a write to a file of a temporary directory.
pub(crate) fn unwritten(path: &Path, error: std::io::Error) -> PyErr {
    let bytes = 1 << 20;
    match FormatError::io("write", path, bytes, error) {
        FormatError::Io { source, .. } => source.into(),
        full => Python::attach(|py| raised_for_good(py, &full.into())),
    }
}

fn with_problems(py: Python<'_>, problems: Vec<String>) -> PyErr {
    let raised = ConfigError::new_err(problems.join("\n"));
    with_code(py, with(py, raised, "problems", problems), 2)
}

fn with_code(py: Python<'_>, raised: PyErr, code: u8) -> PyErr {
    with(py, raised, "exit_code", code)
}

/// The exception with an attribute.
fn with<'py>(py: Python<'py>, raised: PyErr, name: &str, value: impl IntoPyObject<'py>) -> PyErr {
    match raised.value(py).setattr(name, value) {
        Ok(()) => raised,
        Err(failed) => failed,
    }
}

/// For `map_err`: a value that cannot be used.
pub(crate) fn value(error: impl std::fmt::Display) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// An object of the wrong kind.
pub(crate) fn kind(text: impl Into<String>) -> PyErr {
    PyTypeError::new_err(text.into())
}
