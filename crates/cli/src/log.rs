//! The log on standard error: its form, and what `-v` adds to it.

use std::ffi::OsString;
use std::fmt::{self, Debug, Write as _};
use std::io::{self, IsTerminal};

use pipeline::{Level, LogForm, LogLine, log_form};
use tracing::field::{Field, Visit};
use tracing::level_filters::LevelFilter;
use tracing_subscriber::fmt::format::Writer;
use tracing_subscriber::fmt::{FmtContext, FormatEvent, FormatFields};
use tracing_subscriber::registry::LookupSpan;

use crate::args::{Cli, Command, LogFormat};

/// Says how lines look, and which are shown: warnings, or what `-q` and `-v` say.
pub(crate) fn start(cli: &Cli) {
    pipeline::set_log_form(form(cli, io::stderr().is_terminal()));
    let level = match (cli.quiet, cli.verbose) {
        (true, _) => LevelFilter::ERROR,
        (false, 0) => LevelFilter::WARN,
        (false, 1) => LevelFilter::INFO,
        (false, 2) => LevelFilter::DEBUG,
        (false, _) => LevelFilter::TRACE,
    };
    tracing_subscriber::fmt()
        .with_max_level(level)
        .with_writer(|| Stderr)
        .event_format(EventLines)
        .init();
}

/// Standard error, whether it takes something or not: the subscriber would tell an error of writing
/// there, too, and panic.
struct Stderr;

impl io::Write for Stderr {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        _ = io::stderr().write_all(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Commands that run for long write a log, unless standard error is a terminal; others write plain
/// messages.
fn form(cli: &Cli, is_terminal: bool) -> LogForm {
    let has_log = matches!(
        cli.command,
        Command::Run(_)
            | Command::Sketch(_)
            | Command::Dedup(_)
            | Command::Decontaminate(_)
            | Command::Tune(_)
    );
    match cli.log_format {
        LogFormat::Json => LogForm::Json,
        LogFormat::Text if has_log && !is_terminal => LogForm::Timed,
        LogFormat::Text => LogForm::Plain,
    }
}

/// Whether arguments that could not be understood ask for JSON all the same.
pub(crate) fn asks_for_json(arguments: impl Iterator<Item = OsString>) -> bool {
    let arguments: Vec<OsString> = arguments.take_while(|argument| argument != "--").collect();
    arguments
        .iter()
        .any(|argument| argument == "--log-format=json")
        || arguments
            .windows(2)
            .any(|pair| pair[0] == "--log-format" && pair[1] == "json")
}

/// Events as lines like all others.
struct EventLines;

impl<S, N> FormatEvent<S, N> for EventLines
where
    S: tracing::Subscriber + for<'a> LookupSpan<'a>,
    N: for<'a> FormatFields<'a> + 'static,
{
    fn format_event(
        &self,
        _: &FmtContext<'_, S, N>,
        mut to: Writer<'_>,
        event: &tracing::Event<'_>,
    ) -> fmt::Result {
        let level = match *event.metadata().level() {
            tracing::Level::ERROR => Level::Error,
            tracing::Level::WARN => Level::Warn,
            tracing::Level::INFO => Level::Info,
            tracing::Level::DEBUG => Level::Debug,
            tracing::Level::TRACE => Level::Trace,
        };
        let mut event_text = EventText::default();
        event.record(&mut event_text);
        to.write_str(
            &event_text
                .line(level, log_form())
                .rendered(log_form(), &pipeline::now()),
        )
    }
}

/// The parts of an event.
#[derive(Default)]
struct EventText {
    message: String,
    fields: Vec<(&'static str, String)>,
}

impl EventText {
    /// Where there are no fields, the message has them.
    fn line(self, level: Level, form: LogForm) -> LogLine {
        if form == LogForm::Json {
            let line = LogLine::new(level, self.message);
            return self
                .fields
                .into_iter()
                .fold(line, |line, (name, value)| line.with(name, value));
        }
        let name = match level {
            Level::Warn => "warning: ",
            _ => "",
        };
        let mut text = format!("pipeline: {name}{}", self.message);
        for (name, value) in self.fields {
            // Writing to a String cannot fail.
            let _ = write!(text, " {name}={value}");
        }
        LogLine::new(level, text)
    }
}

impl Visit for EventText {
    fn record_str(&mut self, field: &Field, value: &str) {
        match field.name() {
            "message" => value.clone_into(&mut self.message),
            name => self.fields.push((name, value.to_owned())),
        }
    }

    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        match field.name() {
            "message" => self.message = format!("{value:?}"),
            name => self.fields.push((name, format!("{value:?}"))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[test]
    fn only_what_works_for_long_has_a_log() {
        for (arguments, terminal, wanted) in [
            (&["run"][..], true, LogForm::Plain),
            (&["run"], false, LogForm::Timed),
            (&["tune"], false, LogForm::Timed),
            (&["status"], false, LogForm::Plain),
            (&["status", "--log-format", "json"], false, LogForm::Json),
            (&["--log-format=json", "run"], true, LogForm::Json),
            (&["run", "--log-format", "text"], false, LogForm::Timed),
        ] {
            let cli = Cli::try_parse_from(["pipeline"].iter().chain(arguments)).expect("right");
            assert_eq!(form(&cli, terminal), wanted, "{arguments:?}");
        }
    }

    #[test]
    fn json_is_asked_for_before_the_end_of_options() {
        let asks = |line: &str| asks_for_json(line.split(' ').map(OsString::from));
        assert!(asks("run --log-format json --what") && asks("--log-format=json"));
        assert!(
            !asks("run --log-format text")
                && !asks("-- --log-format json")
                && !asks("json --log-format")
        );
    }

    #[test]
    fn fields_are_in_the_message_or_beside_it() {
        let event_text = || EventText {
            message: "begins".to_owned(),
            fields: vec![("phase", "sort".to_owned())],
        };
        let text = event_text()
            .line(Level::Info, LogForm::Timed)
            .rendered(LogForm::Timed, "T");
        assert_eq!(text, "T pipeline: begins phase=sort\n");
        let json = event_text()
            .line(Level::Warn, LogForm::Json)
            .rendered(LogForm::Json, "T");
        assert_eq!(
            json,
            "{\"time\":\"T\",\"level\":\"warn\",\"message\":\"begins\",\"phase\":\"sort\"}\n"
        );
    }
}
