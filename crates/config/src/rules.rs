//! Rules for texts. Each gives the message for a text that breaks it, without the key's name.

use super::problem::quoted;
use input::Charset;

/// Accepts a text, or returns a message.
pub(super) type Rule = fn(&str) -> Result<(), String>;

/// The placeholder for the name of a snapshot.
pub(super) const NAME: &str = "{name}";

/// The value that leaves the choice to the program.
pub(super) const AUTO: &str = "auto";

fn expected(is_right: bool, what: &str, text: &str) -> Result<(), String> {
    if is_right {
        Ok(())
    } else {
        Err(format!("expected {what}, got {}", quoted(text)))
    }
}

/// A path that can work; what only a shell would expand is refused.
pub(super) fn path(text: &str) -> Result<(), String> {
    path_of(text, text)
}

/// A path, or an `@list` of paths.
pub(super) fn listed_path(text: &str) -> Result<(), String> {
    path_of(text.strip_prefix('@').unwrap_or(text), text)
}

fn path_of(path: &str, text: &str) -> Result<(), String> {
    expected(!path.is_empty(), "a path", text)?;
    if path.contains('\0') {
        let text = quoted(text);
        return Err(format!(
            "expected a path, got {text}, which holds a NUL character"
        ));
    }
    if path == "~" || path.starts_with("~/") || path.contains("${") {
        let text = quoted(text);
        return Err(format!(
            "{text} is not expanded as in a shell; write the whole path"
        ));
    }
    Ok(())
}

/// A label of an encoding, or `auto`.
pub(super) fn charset(text: &str) -> Result<(), String> {
    let is_known = text == AUTO || Charset::named(text).is_some();
    expected(
        is_known,
        "auto or a label of an encoding, such as windows-1251",
        text,
    )
}

/// The path of figures for the node exporter.
pub(super) fn prom(text: &str) -> Result<(), String> {
    path(text)?;
    let name = text.rsplit('/').next().unwrap_or(text);
    expected(
        name.len() > ".prom".len() && name.ends_with(".prom"),
        "a file whose name ends in .prom (the node exporter reads no other)",
        text,
    )
}

/// The path of snapshots, with one [`NAME`] in it.
pub(super) fn snapshot_path(text: &str) -> Result<(), String> {
    path(text)?;
    expected(
        text.matches(NAME).count() == 1,
        "a directory that contains {name} exactly once, such as \"crawls/{name}/\"",
        text,
    )?;
    expected(!text.starts_with('@'), "a directory", text)
}

/// The name of a file in the directory of a snapshot.
pub(super) fn file_name(text: &str) -> Result<(), String> {
    expected(
        !(text.contains(['/', '\0']) || ["", ".", ".."].contains(&text)),
        "the name of a file in the directory of a snapshot",
        text,
    )
}

/// The name of a field.
pub(super) fn field(text: &str) -> Result<(), String> {
    expected(!text.is_empty(), "the name of a field", text)
}

/// The name of a field that becomes a column of the document table.
pub(super) fn column(text: &str) -> Result<(), String> {
    field(text)?;
    let mut columns = output::DOCUMENTS.columns().into_iter();
    match columns.find(|column| column.name == text.to_lowercase()) {
        Some(column) => Err(format!(
            "the document table already has a column {}; remove the field from the list",
            quoted(&column.name)
        )),
        None => Ok(()),
    }
}

/// The name of a source.
pub(super) fn source(text: &str) -> Result<(), String> {
    expected(!text.trim().is_empty(), "the name of a source", text)
}

pub(super) fn seed(text: &str) -> Result<(), String> {
    expected(!text.is_empty(), "a text of at least one character", text)
}
