//! Programs that are not ours, on the same records: GNU sort on text, DuckDB on a Parquet file.

use crate::usage::Usage;
use crate::{Failure, Task, postings};
use std::io::{BufWriter, Write};
use std::path::Path;
use std::process::Command;

/// Lines of 16 hexadecimal digits, a blank and the document, so that bytes sort as records do.
fn write_lines(task: &Task, path: &Path) -> Result<(), Failure> {
    let mut file = BufWriter::with_capacity(1 << 20, std::fs::File::create(path)?);
    for posting in postings(0, task.records) {
        writeln!(file, "{:016x} {:08x}", posting.shingle, posting.doc)?;
    }
    Ok(file.flush()?)
}

/// Runs a command and prints what it used.
fn timed(task: &Task, name: &str, command: &mut Command) -> Result<(), Failure> {
    let begun = Usage::now()?;
    let status = command.status()?;
    let used = Usage::now()?.since(&begun);
    if !status.success() {
        return Err(format!("{name} ended with {status}").into());
    }
    println!(
        "{name:8} {used}  {:5.1} M records/CPU-s",
        task.records as f64 / used.cpu_seconds() / 1e6
    );
    Ok(())
}

/// `sort` in the C locale.
pub(crate) fn gnu_sort(task: &Task) -> Result<(), Failure> {
    let dir = tempfile::tempdir_in(".")?;
    let lines = dir.path().join("lines");
    write_lines(task, &lines)?;
    let mut command = Command::new("sort");
    command
        .env("LC_ALL", "C")
        .arg(format!("-S{}M", task.mib))
        .arg(format!("--parallel={}", task.threads));
    command
        .arg("-T")
        .arg(dir.path())
        .arg("-o")
        .arg(dir.path().join("sorted"))
        .arg(&lines);
    timed(task, "gnu", &mut command)
}

/// ORDER BY to a Parquet file, in the memory given.
pub(crate) fn duckdb(task: &Task) -> Result<(), Failure> {
    let probe = Command::new("python3")
        .args(["-c", "import duckdb"])
        .output();
    if !probe.is_ok_and(|output| output.status.success()) {
        println!("duckdb   the Python module is not installed");
        return Ok(());
    }
    let dir = tempfile::tempdir_in(".")?;
    let table = dir.path().join("table.parquet");
    let set = format!(
        "import duckdb; c = duckdb.connect(config={{'threads': {}, 'memory_limit': '{}MiB', 'temp_directory': '{}'}}); c.sql('set enable_progress_bar = false')",
        task.threads,
        task.mib,
        dir.path().display()
    );
    // The same postings, made by DuckDB's own hash: equally random, and no time for reading text is
    // counted.
    let make = format!(
        "{set}; c.sql(\"copy (select hash(i) as shingle, i::uinteger as doc from range({}) t(i)) to '{}'\")",
        task.records,
        table.display()
    );
    if !Command::new("python3")
        .args(["-c", &make])
        .status()?
        .success()
    {
        return Err("duckdb did not make its table".into());
    }
    let sort = format!(
        "{set}; c.sql(\"copy (select * from '{}' order by shingle, doc) to '{}'\")",
        table.display(),
        dir.path().join("sorted.parquet").display()
    );
    timed(task, "duckdb", Command::new("python3").args(["-c", &sort]))
}
