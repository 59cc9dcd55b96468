//! The table of keys as the file of `init` and as a list of the guide.

use super::DEFAULT_SEED;
use super::keys::FILE;
use super::kind::{Key, LineRole, Section};

/// Comments begin in this column.
const COMMENT_COLUMN: usize = 41;

/// A comment that would end behind this column stands on the line before.
const LINE_CHARS_MAX: usize = 120;

const HEADER: &str = "\
# Configuration of pipeline: every key with its default.
#
# Paths are relative to this file. Sizes take B, kB, MB, GB, TB (powers of 1000) or KiB, MiB, GiB, TiB (powers of 1024).

";

/// The annotated default configuration with this seed, as `pipeline init` writes it.
pub fn default_toml(seed: &str) -> String {
    let mut text = HEADER.to_owned();
    put_keys(&mut text, &FILE, "");
    text.replacen(
        &format!("\nseed = {DEFAULT_SEED:?}"),
        &format!("\nseed = {seed:?}"),
        1,
    )
}

/// Writes the keys of a section, then the sections below it. `prefix` turns them into comments.
fn put_keys(text: &mut String, section: &'static Section, prefix: &str) {
    for key in section.keys.iter().filter(|key| key.value().is_some()) {
        let prefix = match key.role {
            LineRole::Example => "# ",
            _ => prefix,
        };
        put_line(text, &format!("{prefix}{}", key.line), &comment(key));
    }
    for key in section.keys {
        let (None, Some((below, heading))) = (key.value(), key.section()) else {
            continue;
        };
        let prefix = match key.role {
            LineRole::Example => "# ",
            _ => prefix,
        };
        *text += "\n";
        put_line(text, &format!("{prefix}{heading}"), &comment(key));
        put_keys(text, below, prefix);
    }
}

fn put_line(text: &mut String, line: &str, comment: &str) {
    let gap = COMMENT_COLUMN.saturating_sub(line.len()).max(3);
    if line.len() + gap + comment.len() > LINE_CHARS_MAX {
        *text += &format!("# {comment}\n{line}\n");
    } else {
        *text += &format!("{line}{:gap$}# {comment}\n", "");
    }
}

fn comment(key: &Key) -> String {
    meaning(key, &key.kind.forms().join(" | "))
}

/// The values that a key may hold, and its purpose.
fn meaning(key: &Key, forms: &str) -> String {
    let bounds = key.kind.bounds().unwrap_or_default();
    let mut parts = vec![forms, key.help, &bounds];
    parts.retain(|part| !part.is_empty());
    parts.join("; ")
}

/// The guide's list of keys, in Markdown.
pub fn guide_list() -> String {
    let mut text = String::new();
    put_items(&mut text, &FILE);
    text
}

fn put_items(text: &mut String, section: &'static Section) {
    for key in section.keys.iter().filter(|key| key.value().is_some()) {
        let default = match (key.role, key.value()) {
            (LineRole::Default, Some(value)) => format!(" (`{value}`)"),
            (LineRole::Required, _) => " (required)".to_owned(),
            _ => String::new(),
        };
        let forms = key.kind.forms();
        let forms: Vec<String> = forms.iter().map(|form| format!("`{form}`")).collect();
        let meaning = meaning(key, &forms.join(", "));
        *text += &format!("- `{}`{default}: {meaning}\n", key.name());
    }
    for key in section.keys {
        if let Some((below, heading)) = key.section() {
            *text += &format!("\n**`{heading}`**: {}\n\n", key.help);
            put_items(text, below);
        }
    }
}
