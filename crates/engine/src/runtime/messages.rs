//! Parts of the messages of errors: what is counted in them, and what helps.

use crate::runtime::holder::Holder;
use crate::runtime::phase::PhaseName;
use format::FormatError;

/// The process that is at work.
pub(crate) fn working(holder: Option<&Holder>) -> String {
    holder.map_or_else(
        || "another process has just started here".to_owned(),
        Holder::to_string,
    )
}

/// Advice about damage of a file of a phase.
pub(crate) fn advice(phase: Option<PhaseName>, source: &FormatError) -> String {
    match (phase, source) {
        (Some(phase), FormatError::Damaged { .. } | FormatError::Mismatch { .. }) => {
            format!("; `pipeline run --from {phase} --force` rebuilds it")
        }
        _ => String::new(),
    }
}

/// The part of a message that counts further files of a snapshot that differ; empty for 0.
pub fn more_files(more: usize) -> String {
    match more {
        0 => String::new(),
        more => format!(", and {more} more of its files differ"),
    }
}

/// The snapshots to drop so that a run does not need files of this one, with the commands.
pub(crate) fn to_drop(snapshot: &str, dependents: &[String]) -> String {
    let command = |name: &str| format!("`pipeline snapshot drop {name}`");
    let commands: Vec<String> = dependents.iter().map(|name| command(name)).collect();
    match commands.is_empty() {
        true => format!("the snapshot with {}", command(snapshot)),
        false => format!(
            "those whose unchanged pages have their text there with {}",
            commands.join(" and ")
        ),
    }
}

/// Advice about a file of a snapshot that another command than a run needs as it was.
pub fn restore_or_drop(snapshot: &str) -> String {
    let drop = to_drop(snapshot, &[]);
    format!("restore the file, or drop {drop} and run `pipeline run`")
}

/// The way out that a snapshot leaves whose sketches are there.
pub(crate) fn or_as_before(is_sketched: bool) -> &'static str {
    if is_sketched {
        "; what was read of it is kept, and a run with the settings of the last one, without \
         --force, needs no file of it"
    } else {
        ""
    }
}

/// The part that counts further files that cannot be read; empty for 0.
pub(crate) fn more_unreadable(more: usize) -> String {
    match more {
        0 => String::new(),
        more => format!(", and {more} more of its files cannot be read"),
    }
}
