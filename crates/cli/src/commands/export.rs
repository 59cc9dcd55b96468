//! `pipeline export`.
//!
//! A file appears under its name only when it is complete. What is no regular file (a link, a pipe,
//! `/dev/stdout`) is written as it is.

use std::fs::File;
use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::Path;

use clap::ValueEnum;
use output::{ExportFormat, FormulaGuard, LineFormat, OutputError};
use pipeline::config::Config;

use super::call::Call;
use super::whole_file::{WholeFile, end_at_signals, is_written_in_place};
use crate::args::{ExportArgs, TableFormat, TableName};
use crate::exit::Failure;

/// Writes a published table to standard output or a file.
pub(super) fn export(call: &mut Call<'_>, args: &ExportArgs) -> Result<(), Failure> {
    let format = format_of(args)?;
    let to = args.output.as_deref();
    let to = to.filter(|path| *path != Path::new("-"));
    let Some(rows) = format else {
        check_sqlite()?;
        let why = "failed to write SQLite to standard output; name a file with -o";
        let to = to.ok_or_else(|| Failure::Usage(why.to_owned()))?;
        return to_file(&call.load()?, args.table, format, to);
    };
    if args.table == TableName::All {
        check_sqlite()?;
        let why = "only a SQLite file takes all tables; name a table, or a file .sqlite with -o";
        return Err(Failure::Usage(why.to_owned()));
    }
    let (config, is_terminal) = (call.load()?, io::stdout().is_terminal());
    match to {
        Some(path) => to_file(&config, args.table, format, path),
        None if !matches!(rows, ExportFormat::Lines(_)) && is_terminal => {
            let why = "failed to print bytes on a terminal; name a file with -o";
            Err(Failure::Usage(why.to_owned()))
        }
        None => {
            let guarded = ExportFormat::Lines(LineFormat::Csv(FormulaGuard::Guard));
            let rows = match rows == guarded && is_terminal {
                true => ExportFormat::Lines(LineFormat::Csv(FormulaGuard::GuardAndShow)),
                false => rows,
            };
            pipeline::export(&config, &name_of(args.table), rows, call.results)?;
            Ok(())
        }
    }
}

/// The name of a table in a publication.
fn name_of(table: TableName) -> String {
    let value = table.to_possible_value();
    value.map_or_else(String::new, |value| value.get_name().to_owned())
}

/// The format that was asked for, or that of the file's name; none is that of a database.
fn format_of(args: &ExportArgs) -> Result<Option<ExportFormat>, Failure> {
    let extension = args.output.as_deref().and_then(Path::extension);
    let extension = extension.and_then(|extension| extension.to_str());
    let format = match (args.format, extension) {
        (Some(format), _) => format,
        // A format is named as the files of it end.
        (None, Some(ending)) if !args.json => {
            TableFormat::from_str(ending, false).map_err(|_| {
                let endings = match cfg!(feature = "sqlite") {
                    true => ".csv, .arrow or .sqlite",
                    false => ".csv or .arrow",
                };
                Failure::Usage(format!(
                    "failed to choose a format for .{ending}; name a file .parquet, .jsonl, \
                     {endings}, or give --format"
                ))
            })?
        }
        _ => TableFormat::Jsonl,
    };
    let guard = match args.verbatim {
        true => FormulaGuard::Verbatim,
        false => FormulaGuard::Guard,
    };
    Ok(match format {
        TableFormat::Sqlite => None,
        TableFormat::Parquet => Some(ExportFormat::Parquet),
        TableFormat::Jsonl => Some(ExportFormat::Lines(LineFormat::Jsonl)),
        TableFormat::Csv => Some(ExportFormat::Lines(LineFormat::Csv(guard))),
        TableFormat::Arrow => Some(ExportFormat::Arrow),
    })
}

fn to_file(
    config: &Config,
    table: TableName,
    format: Option<ExportFormat>,
    path: &Path,
) -> Result<(), Failure> {
    pipeline::check_written(config, path)?;
    match format {
        Some(rows) if is_written_in_place(path) => {
            let file = File::create(path).map_err(Failure::file("write", path))?;
            return fill(config, table, rows, &file, path);
        }
        None if is_written_in_place(path) => {
            let why = "it is a link or no file; name a file";
            let failed = Failure::file("write SQLite to", path);
            return Err(failed(io::Error::new(io::ErrorKind::InvalidInput, why)));
        }
        _ => {}
    }
    end_at_signals(|| ())?;
    let whole = WholeFile::create(path)?;
    match format {
        Some(rows) => fill(config, table, rows, whole.file(), path)?,
        None => database(config, table, whole.partial())?,
    }
    whole.finish()
}

fn fill(
    config: &Config,
    table: TableName,
    format: ExportFormat,
    file: &File,
    path: &Path,
) -> Result<(), Failure> {
    let mut writer = BufWriter::new(file);
    match pipeline::export(config, &name_of(table), format, &mut writer) {
        Err(pipeline::Error::Output(OutputError::Write { source, .. })) => {
            return Err(Failure::file("write", path)(source));
        }
        ended => ended?,
    };
    writer.flush().map_err(Failure::file("write", path))
}

#[cfg(feature = "sqlite")]
fn database(config: &Config, table: TableName, path: &Path) -> Result<(), Failure> {
    // All tables are of one publication, also if a run shows another one meanwhile.
    let held = pipeline::HeldPublication::shown(&config.work.output).ok();
    let mut config = config.clone();
    if let Some(publication) = &held {
        config.work.output = publication.dir().to_owned();
    }
    let tables = match table {
        TableName::All => pipeline::published_tables(&config.work.output)?,
        one => vec![name_of(one)],
    };
    super::sqlite::write(&config, &tables, path)
}

/// Never called: [`check_sqlite`] comes first.
#[cfg(not(feature = "sqlite"))]
fn database(_: &Config, _: TableName, _: &Path) -> Result<(), Failure> {
    check_sqlite()
}

/// Refuses SQLite where the program was built without it.
fn check_sqlite() -> Result<(), Failure> {
    if cfg!(feature = "sqlite") {
        return Ok(());
    }
    let why = "this program was built without SQLite; build it with the feature `sqlite` (cargo \
               build --release -p cli --features sqlite), or export a table as Parquet, JSONL, CSV \
               or Arrow";
    Err(Failure::Usage(why.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::{Cli, Command};
    use clap::Parser;

    fn content(line: &str) -> Option<ExportFormat> {
        match Cli::try_parse_from(line.split(' '))
            .expect("parses")
            .command
        {
            Command::Export(args) => format_of(&args).expect("a format"),
            _ => panic!("not export"),
        }
    }

    fn format(line: &str) -> ExportFormat {
        content(line).expect("no database")
    }

    #[test]
    fn the_format_follows_the_name_unless_given() {
        let csv = ExportFormat::Lines(LineFormat::Csv(FormulaGuard::Guard));
        assert_eq!(
            format("pipeline export pairs"),
            ExportFormat::Lines(LineFormat::Jsonl)
        );
        assert_eq!(format("pipeline export pairs -o a.csv"), csv);
        assert_eq!(
            format("pipeline export pairs -o a.parquet"),
            ExportFormat::Parquet
        );
        assert_eq!(format("pipeline export pairs -o a.parquet -f csv"), csv);
        assert_eq!(
            format("pipeline export pairs -o a.csv --verbatim"),
            ExportFormat::Lines(LineFormat::Csv(FormulaGuard::Verbatim))
        );
        assert_eq!(
            format("pipeline export pairs -o a.csv --json"),
            ExportFormat::Lines(LineFormat::Jsonl)
        );
        assert_eq!(
            format("pipeline export pairs -o table"),
            ExportFormat::Lines(LineFormat::Jsonl)
        );
        assert_eq!(
            format("pipeline export pairs -o a.arrow"),
            ExportFormat::Arrow
        );
        assert_eq!(content("pipeline export all -o a.sqlite"), None);
    }
}
