//! Standard output, where results go.
//!
//! A reader that goes away (`| head`) ends the program quietly; a full disk behind it is an error.
//! The first failure is remembered here, because those who write may wrap it in errors of their
//! own.

use std::fmt::{self, Display};
use std::io::{self, BufWriter, Stdout, Write};

use crate::exit::Failure;

const BUFFER_BYTES: usize = 64 << 10;

/// Standard output for the time of one command.
pub(crate) struct Results<W: Write = Stdout> {
    inner: BufWriter<W>,
    failed: Option<io::Error>,
}

/// Runs a command that prints to standard output.
/// A closed pipe at standard output is no failure.
pub(crate) fn with_results(
    command: impl FnOnce(&mut Results) -> Result<(), Failure>,
) -> Result<(), Failure> {
    to(io::stdout(), command)
}

fn to<W: Write>(
    writer: W,
    command: impl FnOnce(&mut Results<W>) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let mut results = Results {
        inner: BufWriter::with_capacity(BUFFER_BYTES, writer),
        failed: None,
    };
    let mut outcome = command(&mut results);
    // The output before a failure belongs to the user, too.
    if results.failed.is_none()
        && let Err(error) = results.flush()
    {
        outcome = outcome.and(Err(Failure::Stdout(error)));
    }
    match results.failed.take() {
        None => outcome,
        Some(error) if error.kind() == io::ErrorKind::BrokenPipe => match outcome {
            // The result was bad news, whoever read it.
            Err(failure @ Failure::Reported(_)) => Err(failure),
            _ => Ok(()),
        },
        Some(error) => Err(Failure::Stdout(error)),
    }
}

impl<W: Write> Results<W> {
    /// Prints a result: as JSON if asked for, else as people read it.
    pub(crate) fn print<T: Display + serde::Serialize>(
        &mut self,
        result: &T,
        as_json: bool,
    ) -> Result<(), Failure> {
        match as_json {
            false => {
                let mut trimmed = Trimmed {
                    results: &mut *self,
                    blanks: String::new(),
                };
                let written = fmt::Write::write_fmt(&mut trimmed, format_args!("{result}"));
                written.map_err(|error| Failure::Stdout(io::Error::other(error)))?;
            }
            true => serde_json::to_writer_pretty(SafeJson(&mut *self), result)
                .map_err(|error| Failure::Stdout(error.into()))?,
        }
        self.text("")
    }

    /// Prints a result that has no other form as JSON.
    pub(crate) fn json(&mut self, result: &serde_json::Value) -> Result<(), Failure> {
        self.text(&format!("{result:#}"))
    }

    /// Prints one of many results as a line of JSON.
    pub(crate) fn json_line<T: serde::Serialize>(&mut self, result: &T) -> Result<(), Failure> {
        serde_json::to_writer(SafeJson(&mut *self), result)
            .map_err(|error| Failure::Stdout(error.into()))?;
        self.text("")
    }

    /// Prints a text and a line break.
    pub(crate) fn text(&mut self, text: &str) -> Result<(), Failure> {
        writeln!(self, "{text}").map_err(Failure::Stdout)
    }

    fn remember(&mut self, error: &io::Error) {
        // io::Error is no Clone; of an error of the system the number is all there is.
        let copy = error.raw_os_error().map_or_else(
            || io::Error::from(error.kind()),
            io::Error::from_raw_os_error,
        );
        self.failed.get_or_insert(copy);
    }
}

impl<W: Write> Write for Results<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.inner.write(bytes);
        written.inspect_err(|error| self.remember(error))
    }

    fn flush(&mut self) -> io::Result<()> {
        let flushed = self.inner.flush();
        flushed.inspect_err(|error| self.remember(error))
    }
}

/// Writes a text as it is made, but the blanks at its end.
struct Trimmed<'a, W: Write> {
    results: &'a mut Results<W>,
    /// Blanks that have come last.
    blanks: String,
}

impl<W: Write> fmt::Write for Trimmed<'_, W> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let kept = text.trim_end();
        if !kept.is_empty() {
            for piece in [self.blanks.as_str(), kept] {
                let written = self.results.write_all(piece.as_bytes());
                written.map_err(|_| fmt::Error)?;
            }
            self.blanks.clear();
        }
        self.blanks.push_str(&text[kept.len()..]);
        Ok(())
    }
}

/// Writes JSON as it is made, with the characters escaped that a terminal takes as commands.
struct SafeJson<'a, W: Write>(&'a mut Results<W>);

impl<W: Write> Write for SafeJson<'_, W> {
    /// Takes whole characters, as `serde_json` writes them.
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let is_plain = |byte: &u8| matches!(byte, b' '..=b'~' | b'\n');
        if bytes.iter().all(is_plain) {
            self.0.write_all(bytes)?;
        } else {
            let text = std::str::from_utf8(bytes).map_err(io::Error::other)?;
            self.0.write_all(pipeline::json_escaped(text).as_bytes())?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Takes so many bytes, then fails.
    struct Failing {
        room: usize,
        kind: io::ErrorKind,
    }

    impl Write for Failing {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let taken = bytes.len().min(self.room);
            self.room -= taken;
            if taken == 0 && !bytes.is_empty() {
                Err(self.kind.into())
            } else {
                Ok(taken)
            }
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn printed(kind: io::ErrorKind, bytes: usize) -> Result<(), Failure> {
        to(Failing { room: 100, kind }, |results| {
            results.text(&"x".repeat(bytes))
        })
    }

    #[test]
    fn a_reader_that_went_away_is_no_failure() {
        for bytes in [10, 1000, 1_000_000] {
            assert!(printed(io::ErrorKind::BrokenPipe, bytes).is_ok(), "{bytes}");
        }
        let bad_news = to(
            Failing {
                room: 0,
                kind: io::ErrorKind::BrokenPipe,
            },
            |results| {
                results.text("damaged")?;
                Err(Failure::Reported(5))
            },
        );
        assert!(matches!(bad_news, Err(Failure::Reported(5))));
    }

    #[test]
    fn a_full_disk_is_a_failure_also_at_the_end() {
        assert!(printed(io::ErrorKind::StorageFull, 10).is_ok());
        for bytes in [1000, 1_000_000] {
            assert!(
                matches!(
                    printed(io::ErrorKind::StorageFull, bytes),
                    Err(Failure::Stdout(_))
                ),
                "{bytes}"
            );
        }
    }

    #[test]
    fn json_holds_no_command_to_a_terminal() {
        let mut printed = Results {
            inner: BufWriter::new(Vec::new()),
            failed: None,
        };
        printed
            .print(&Vec1("a\u{9b}31m\u{202e}b"), true)
            .expect("printed");
        let printed = printed.inner.into_inner().expect("flushed");
        assert_eq!(printed, b"[\n  \"a\\u009b31m\\u202eb\"\n]\n");
    }

    /// A list of one text.
    struct Vec1(&'static str);

    impl Display for Vec1 {
        fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str(self.0)
        }
    }

    impl serde::Serialize for Vec1 {
        fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
            [self.0].serialize(to)
        }
    }

    #[test]
    fn a_wrapped_failure_is_still_that_of_the_output() {
        let wrapped = to(
            Failing {
                room: 0,
                kind: io::ErrorKind::BrokenPipe,
            },
            |results| {
                let failed = results.write_all(&[0; 1 << 20]).is_err();
                assert!(failed);
                Err(Failure::Usage("failed to export".to_owned()))
            },
        );
        assert!(wrapped.is_ok());
    }
}
