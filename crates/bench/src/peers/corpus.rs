//! The file all tools get, and a larger one of the same shape.
//!
//! *Input.* JSONL with `text` or `html`. *Output.* JSONL with `id`, the number of the line, and
//! `text`: the canonical words of the document, parted by single spaces, so that every tool sees
//! the same words. Documents without words are left out. [`respelt`] repeats such a file; in copy k
//! every letter a to z is moved on by k, so that copies share no words (numbers and other scripts
//! aside) while lengths and what is near what stay. *Memory.* One document.

use anyhow::{Context, Result, ensure};
use model::Content;
use serde::{Deserialize, Serialize};
use sketch::{TokenRules, TokenUnit, for_each_token};
use std::borrow::Cow;
use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};

/// A file of JSONL.
#[derive(Clone, Debug)]
pub struct Corpus {
    /// Where it lies; absolute.
    pub path: PathBuf,
    /// Lines.
    pub documents: u32,
    /// Its size.
    pub bytes: u64,
}

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
pub fn plain_words(source: &Path, path: &Path) -> Result<Corpus> {
    let rules = TokenRules {
        unit: TokenUnit::Words,
        drop_numbers: false,
    };
    let mut out = Out::create(path)?;
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
        match words.trim_end() {
            "" => Ok(()),
            text => out.push(text),
        }
    })?;
    out.finish()
}

/// Repeats a file in other spellings.
///
/// # Errors
/// When there would be more than 26 copies, or a file cannot be read or written.
pub fn respelt(corpus: &Corpus, path: &Path, copies: u8) -> Result<Corpus> {
    ensure!(
        (1..=26).contains(&copies),
        "there are 26 spellings; {copies} copies are asked for"
    );
    let mut out = Out::create(path)?;
    for copy in 0..copies {
        let moved = |letter: char| match letter {
            'a'..='z' => char::from(b'a' + (letter as u8 - b'a' + copy) % 26),
            other => other,
        };
        for_each_line(&corpus.path, |line| {
            let line: Line = serde_json::from_str(line).context("failed to parse a line")?;
            out.push(&line.text.chars().map(moved).collect::<String>())
        })?;
    }
    out.finish()
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

/// A corpus being written.
struct Out {
    path: PathBuf,
    file: BufWriter<File>,
    documents: u32,
}

impl Out {
    fn create(path: &Path) -> Result<Out> {
        let file =
            File::create(path).with_context(|| format!("failed to make {}", path.display()))?;
        let path = path
            .canonicalize()
            .with_context(|| format!("failed to find {}", path.display()))?;
        Ok(Out {
            path,
            file: BufWriter::with_capacity(1 << 20, file),
            documents: 0,
        })
    }

    fn push(&mut self, text: &str) -> Result<()> {
        let line = Line {
            id: self.documents.to_string().into(),
            text: text.into(),
        };
        self.documents += 1;
        serde_json::to_writer(&mut self.file, &line).context("failed to write a line")?;
        self.file.write_all(b"\n").context("failed to write a line")
    }

    fn finish(mut self) -> Result<Corpus> {
        self.file
            .flush()
            .with_context(|| format!("failed to write {}", self.path.display()))?;
        let bytes = std::fs::metadata(&self.path)
            .with_context(|| format!("failed to read {}", self.path.display()))?;
        Ok(Corpus {
            path: self.path,
            documents: self.documents,
            bytes: bytes.len(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_canonical_and_copies_share_none() {
        let dir = tempfile::tempdir().unwrap();
        let source = dir.path().join("source.jsonl");
        let lines = concat!(
            "{\"url\":\"u\",\"text\":\"One, TWO\\u0020three!\"}\n",
            "{\"text\":\" ... \"}\n",
            "{\"html\":\"<p>Zwei&nbsp;<b>dr</b>ei\"}\n",
        );
        std::fs::write(&source, lines).unwrap();
        let small = plain_words(&source, &dir.path().join("small.jsonl")).unwrap();
        let written = std::fs::read_to_string(&small.path).unwrap();
        assert_eq!(
            written,
            "{\"id\":\"0\",\"text\":\"one two three\"}\n{\"id\":\"1\",\"text\":\"zwei drei\"}\n"
        );
        assert_eq!((small.documents, small.bytes), (2, written.len() as u64));
        let large = respelt(&small, &dir.path().join("large.jsonl"), 2).unwrap();
        let copy =
            "{\"id\":\"2\",\"text\":\"pof uxp uisff\"}\n{\"id\":\"3\",\"text\":\"axfj esfj\"}\n";
        assert_eq!(
            std::fs::read_to_string(&large.path).unwrap(),
            written + copy
        );
        assert!(respelt(&small, &dir.path().join("too-large.jsonl"), 27).is_err());
    }
}
