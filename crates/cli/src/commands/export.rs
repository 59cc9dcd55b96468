//! `pipeline export`.
//!
//! A file appears under its name only when it is complete: it is written beside it, synced and
//! renamed. What is no regular file (a pipe, `/dev/null`) is written as it is.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::{Path, PathBuf};

use output::{ExportFormat, FormulaGuard, LineFormat};
use pipeline::config::Config;

use super::configuration::load;
use crate::args::{ConfigArgs, ExportArgs, Table, TableFormat};
use crate::exit::Failure;
use crate::stdout::with_results;

/// Writes a published table to standard output or a file.
pub(super) fn export(config: &ConfigArgs, args: &ExportArgs) -> Result<(), Failure> {
    let config = load(config)?;
    let table = TableChoice {
        table: args.table,
        format: format_of(args)?,
    };
    match args
        .output
        .as_deref()
        .filter(|path| *path != Path::new("-"))
    {
        Some(path) => to_file(&config, table, path),
        None if !matches!(table.format, ExportFormat::Lines(_)) && io::stdout().is_terminal() => {
            let why = "failed to print bytes on a terminal; name a file with -o";
            Err(Failure::Usage(why.to_owned()))
        }
        None => with_results(|results| table.write(&config, results)),
    }
}

#[derive(Clone, Copy)]
struct TableChoice {
    table: Table,
    format: ExportFormat,
}

impl TableChoice {
    fn write(self, config: &Config, to: &mut (dyn Write + Send)) -> Result<(), Failure> {
        let table = match self.table {
            Table::Documents => "documents",
            Table::Membership => "membership",
            Table::Removed => "removed",
            Table::HostPairs => "host_pairs",
            Table::Clusters => "clusters",
            Table::Pairs => "pairs",
            Table::Common => "common",
            Table::Changes => "changes",
            Table::Moved => "moved",
            Table::HostChanges => "host_changes",
            Table::ClusterChanges => "cluster_changes",
        };
        pipeline::export(config, table, self.format, to)?;
        Ok(())
    }
}

/// The format that was asked for, or that of the file's name.
fn format_of(args: &ExportArgs) -> Result<ExportFormat, Failure> {
    let extension = args
        .output
        .as_deref()
        .and_then(Path::extension)
        .and_then(|extension| extension.to_str());
    let format = match (args.format, extension) {
        (Some(format), _) => format,
        (None, _) if args.json => TableFormat::Jsonl,
        (None, Some("parquet")) => TableFormat::Parquet,
        (None, Some("csv")) => TableFormat::Csv,
        (None, Some("arrow")) => TableFormat::Arrow,
        (None, Some("jsonl") | None) => TableFormat::Jsonl,
        (None, Some(other)) => {
            return Err(Failure::Usage(format!(
                "failed to choose a format for .{other}; name a file .parquet, .jsonl, .csv or \
                 .arrow, or give --format"
            )));
        }
    };
    Ok(match format {
        TableFormat::Parquet => ExportFormat::Parquet,
        TableFormat::Jsonl => ExportFormat::Lines(LineFormat::Jsonl),
        TableFormat::Csv if args.verbatim => {
            ExportFormat::Lines(LineFormat::Csv(FormulaGuard::Verbatim))
        }
        TableFormat::Csv => ExportFormat::Lines(LineFormat::Csv(FormulaGuard::Guard)),
        TableFormat::Arrow => ExportFormat::Arrow,
    })
}

fn to_file(config: &Config, table: TableChoice, path: &Path) -> Result<(), Failure> {
    let special = fs::metadata(path).is_ok_and(|metadata| !metadata.is_file());
    if special {
        let file = OpenOptions::new()
            .write(true)
            .open(path)
            .map_err(Failure::file("write", path))?;
        return fill(config, table, Target { file, path });
    }
    let partial = partial_name(path);
    let file = fs::remove_file(&partial)
        .or_else(|error| match error.kind() {
            io::ErrorKind::NotFound => Ok(()),
            _ => Err(error),
        })
        // a new file, and never the target of a link
        .and_then(|()| File::create_new(&partial));
    let file = file.map_err(Failure::file("write", &partial))?;
    let synced = file.try_clone().map_err(Failure::file("write", &partial))?;
    let filled = fill(config, table, Target { file, path })
        .and_then(|()| synced.sync_all().map_err(Failure::file("write", path)))
        .and_then(|()| fs::rename(&partial, path).map_err(Failure::file("write", path)));
    if filled.is_err() {
        // an unfinished file is of no use
        let _ = fs::remove_file(&partial);
    }
    filled
}

struct Target<'a> {
    file: File,
    path: &'a Path,
}

fn fill(config: &Config, table: TableChoice, target: Target<'_>) -> Result<(), Failure> {
    let mut writer = BufWriter::new(target.file);
    table.write(config, &mut writer)?;
    writer.flush().map_err(Failure::file("write", target.path))
}

/// Beside the file, so that renaming is possible; of this process, so that two exports do not meet.
fn partial_name(path: &Path) -> PathBuf {
    let mut name = OsString::from(".");
    name.push(path.file_name().unwrap_or_default());
    name.push(format!(".{}.partial", std::process::id()));
    path.with_file_name(name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::{Cli, Command};
    use clap::Parser;

    fn format(line: &str) -> ExportFormat {
        match Cli::try_parse_from(line.split(' '))
            .expect("parses")
            .command
        {
            Command::Export(args) => format_of(&args).expect("a format"),
            _ => panic!("not export"),
        }
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
    }

    #[test]
    fn the_partial_file_lies_beside() {
        let name = partial_name(Path::new("/a/b.csv"));
        assert_eq!(name.parent(), Some(Path::new("/a")));
        assert_ne!(name, Path::new("/a/b.csv"));
    }
}
