//! `pipeline tune --tree`: at which resemblance do clusters join?
//!
//! *Input.* As `tune`. *Output.* A line for each join, from the highest resemblance to the lowest,
//! as [`clustering::joins`] finds them. *Memory.* As there; nothing is held here.

use super::over_counts;
use config::Config;
use engine::Engine;
use model::{Ratio, Threshold};
use output::thousands;
use runtime::{Error, Reporter};
use serde::Serialize;
use std::io::Write;

/// How [`tree`] writes joins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TreeForm {
    /// For people.
    Text,
    /// A JSON object a line.
    JsonLines,
}

/// A line of the tree.
#[derive(Serialize)]
struct TreeJoin {
    resemblance: f64,
    cluster: i64,
    other: i64,
    documents: u64,
}

/// Writes the tree of all clusters down to the floor of the run.
///
/// # Errors
/// As [`tune`](super::tune), and when `out` fails.
pub fn tree(
    config: &Config,
    form: TreeForm,
    out: &mut (dyn Write + Send),
    reporter: &Reporter,
) -> Result<(), Error> {
    over_counts(config, &[], reporter, |engine| write(engine, form, out))
}

fn write(engine: &Engine<'_>, form: TreeForm, out: &mut dyn Write) -> Result<(), Error> {
    let failed = |source| {
        let table = "tree".to_owned();
        Error::Output(output::OutputError::Write { table, source })
    };
    let ids = engine.public_ids();
    if form == TreeForm::Text {
        writeln!(out, "resemblance      cluster        other    documents").map_err(failed)?;
    }
    let lowest = engine.config.floor().unwrap_or(Threshold::hundredths(0));
    clustering::joins(engine, lowest, &mut |join| {
        let join = TreeJoin {
            resemblance: Ratio::new(u64::from(join.shared), u64::from(join.union)).to_f64(),
            cluster: ids.get(join.cluster),
            other: ids.get(join.other),
            documents: join.documents,
        };
        match form {
            TreeForm::Text => writeln!(
                out,
                "{:>11.4} {:>12} {:>12} {:>12}",
                join.resemblance,
                join.cluster,
                join.other,
                thousands(join.documents)
            ),
            TreeForm::JsonLines => serde_json::to_writer(&mut *out, &join)
                .map_err(Into::into)
                .and_then(|()| out.write_all(b"\n")),
        }
        .map_err(failed)
    })
}
