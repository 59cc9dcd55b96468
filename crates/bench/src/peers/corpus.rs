//! The file that all tools get.
//!
//! *Input.* JSONL with `text` or `html`. *Output.* JSONL with `id`, the number of the line, and
//! `text`: the canonical words of the document, parted by single spaces, so that every tool sees
//! the same words. Documents without words are left out. *Memory.* One document.

use crate::files;
use anyhow::{Context, Result};
use model::Content;
use serde::{Deserialize, Serialize};
use sketch::{TokenRules, TokenUnit, for_each_token};
use std::borrow::Cow;
use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::Path;

#[derive(Deserialize)]
struct Source<'a> {
    #[serde(borrow)]
    text: Option<Cow<'a, str>>,
    #[serde(borrow)]
    html: Option<Cow<'a, str>>,
}

/// A line of a corpus.
#[derive(Deserialize, Serialize)]
pub struct Line<'a> {
    /// Number of the line, in decimal.
    #[serde(borrow)]
    pub id: Cow<'a, str>,
    /// Words parted by single spaces.
    #[serde(borrow)]
    pub text: Cow<'a, str>,
}

/// Turns a file into plain words.
///
/// # Errors
/// When a line is no JSON object, or a file cannot be read or written.
pub fn plain_words(source: &Path, path: &Path) -> Result<()> {
    let rules = TokenRules {
        unit: TokenUnit::Words,
        drop_numbers: false,
    };
    let file = files::create(path)?;
    let (mut out, mut documents) = (BufWriter::with_capacity(1 << 20, file), 0_u32);
    let mut words = String::new();
    for_each_line(source, |line| {
        let record: Source = serde_json::from_str(line).context("failed to parse a line")?;
        let content = match (&record.text, &record.html) {
            (Some(text), _) => Content::Text(text),
            (None, Some(page)) => Content::Html(page),
            (None, None) => return Ok(()),
        };
        words.clear();
        for_each_token(rules, content, &mut |word| {
            words.push_str(word);
            words.push(' ');
        });
        let text = words.trim_end();
        if text.is_empty() {
            return Ok(());
        }
        let line = Line {
            id: documents.to_string().into(),
            text: text.into(),
        };
        documents += 1;
        serde_json::to_writer(&mut out, &line).context("failed to write a line")?;
        out.write_all(b"\n").context("failed to write a line")
    })?;
    out.flush()
        .with_context(|| format!("failed to write {}", path.display()))
}

/// Calls `f` with each line of a file.
///
/// # Errors
/// Those of `f`, with the line's number, and when the file cannot be read.
pub fn for_each_line(path: &Path, mut f: impl FnMut(&str) -> Result<()>) -> Result<()> {
    let file = File::open(path).with_context(|| format!("failed to open {}", path.display()))?;
    let (mut reader, mut line) = (BufReader::with_capacity(1 << 20, file), String::new());
    for number in 1.. {
        line.clear();
        if reader
            .read_line(&mut line)
            .with_context(|| format!("failed to read {}", path.display()))?
            == 0
        {
            break;
        }
        f(&line).with_context(|| format!("{}, line {number}", path.display()))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_canonical() {
        let dir = tempfile::tempdir().unwrap();
        let [source, out] = ["source.jsonl", "small.jsonl"].map(|name| dir.path().join(name));
        let lines = concat!(
            "{\"url\":\"u\",\"text\":\"One, TWO\\u0020three!\"}\n",
            "{\"text\":\" ... \"}\n",
            "{\"html\":\"<p>Zwei&nbsp;<b>dr</b>ei\"}\n",
        );
        std::fs::write(&source, lines).unwrap();
        plain_words(&source, &out).unwrap();
        assert_eq!(
            std::fs::read_to_string(&out).unwrap(),
            "{\"id\":\"0\",\"text\":\"one two three\"}\n{\"id\":\"1\",\"text\":\"zwei drei\"}\n"
        );
    }
}
