//! The list as text.
//!
//! *Output.* TOML: a comment that says what it is, the highest number, then a table a snapshot, a
//! line a file. The same list has the same bytes. What is empty or false is left out.

use super::{Snapshot, SnapshotFile};
use input::Rejection;
use std::fmt;
use std::io::{self, Write};

const HEAD: &str = "\
# The snapshots, oldest first, and the files of each as they were when it was taken in. Written by `pipeline snapshot` and
# by `pipeline run`. It belongs to the input: numbers and names in it are never used again, so keep it in your backups, and
# change it with `pipeline snapshot` only.

version = 1
";

/// Writes all of it.
pub(super) fn list(snapshots: &[Snapshot], to: &mut impl Write) -> io::Result<()> {
    writeln!(
        to,
        "{HEAD}last-number = {}",
        snapshots.last().map_or(0, |last| last.number)
    )?;
    snapshots.iter().try_for_each(|one| snapshot(one, to))
}

fn snapshot(snapshot: &Snapshot, to: &mut impl Write) -> io::Result<()> {
    writeln!(
        to,
        "\n[[snapshot]]\nnumber = {}\nname = {}",
        snapshot.number,
        Quoted(&snapshot.name)
    )?;
    if let Some(date) = snapshot.date {
        writeln!(to, "date = {}", output::rfc3339(date))?;
    }
    writeln!(to, "paths = {}", List(&snapshot.paths))?;
    if let Some(documents) = snapshot.documents {
        writeln!(to, "documents = {documents}")?;
    }
    if !snapshot.took.is_empty() {
        let took: Vec<String> = snapshot.took.iter().map(u32::to_string).collect();
        writeln!(to, "took = \"{}\"", took.join(" "))?;
    }
    if snapshot.dropped {
        writeln!(to, "dropped = true")?;
    }
    if snapshot.dropped && !snapshot.lends() {
        return Ok(());
    }
    writeln!(to, "roots = {}", List(&snapshot.roots))?;
    if !snapshot.rejected.is_empty() {
        writeln!(to, "unreadable = {}", snapshot.rejected.len())?;
    }
    writeln!(to, "files = [")?;
    snapshot.files.iter().try_for_each(|one| file(one, to))?;
    writeln!(to, "]")?;
    if !snapshot.rejected.is_empty() {
        writeln!(to, "rejected = [")?;
        for (name, Rejection { reason, detail, .. }) in &snapshot.rejected {
            write!(
                to,
                "    {{ name = {}, reason = {}",
                Quoted(name),
                Quoted(reason)
            )?;
            if !detail.is_empty() {
                write!(to, ", detail = {}", Quoted(detail))?;
            }
            writeln!(to, " }},")?;
        }
        writeln!(to, "]")?;
    }
    Ok(())
}

fn file(file: &SnapshotFile, to: &mut impl Write) -> io::Result<()> {
    write!(to, "    {{ name = {}", Quoted(&file.name))?;
    if let Some(raw) = &file.raw {
        let hex: String = raw.iter().map(|byte| format!("{byte:02x}")).collect();
        write!(to, ", name-bytes = \"{hex}\"")?;
    }
    if file.root > 0 {
        write!(to, ", root = {}", file.root)?;
    }
    write!(
        to,
        ", format = \"{}\", bytes = {}",
        file.format.name(),
        file.bytes
    )?;
    if !file.digest.is_empty() {
        write!(to, ", digest = {}", Quoted(&file.digest))?;
    }
    writeln!(to, " }},")
}

struct List<'a>(&'a [String]);

impl fmt::Display for List<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[")?;
        for (at, text) in self.0.iter().enumerate() {
            let separator = if at == 0 { "" } else { ", " };
            write!(f, "{separator}{}", Quoted(text))?;
        }
        f.write_str("]")
    }
}

/// A basic string of TOML; what an editor would not show as it is, is escaped.
struct Quoted<'a>(&'a str);

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("\"")?;
        for c in self.0.chars() {
            match c {
                '"' | '\\' => write!(f, "\\{c}")?,
                '\u{0}'..='\u{1F}'
                | '\u{7F}'..='\u{9F}'
                | '\u{200E}'..='\u{200F}'
                | '\u{2028}'..='\u{202E}'
                | '\u{2066}'..='\u{206F}'
                | '\u{61C}'
                | '\u{FEFF}' => write!(f, "\\u{:04X}", u32::from(c))?,
                c => write!(f, "{c}")?,
            }
        }
        f.write_str("\"")
    }
}
