//! The documents and their exact shingle sets.
//!
//! *Input.* Paths and a configuration. *Output.* [`Corpus`]: every document's group, every group's
//! set. *Algorithm.* One pass over the files in input order; each document is sketched at modulus
//! 1, which keeps every shingle. Documents of equal sets are one group: nothing that follows can
//! tell them apart. *Memory.* 8 bytes for each shingle of each document, then of each group.

use anyhow::{Result, ensure};
use input::{Discovery, Document, Piece, Rejection, Sink, SinkError};
use model::Sampling;
use pipeline::config::Config;
use sketch::{SketchParams, Sketcher};
use std::collections::HashMap;

/// The documents of the input, in its order, and their groups.
pub(crate) struct Corpus {
    /// The group of each document; groups are numbered in the order of their first documents.
    pub(crate) group_of: Vec<u32>,
    /// The first document of each group.
    pub(crate) first_of: Vec<u32>,
    /// Tokens of each document, to see that a run read the same documents in the same order.
    pub(crate) words: Vec<u64>,
    /// The set of each group: fingerprints, ascending.
    pub(crate) fingerprints: Vec<Vec<u64>>,
}

/// Reads all documents that `paths` name, relative to the current directory. Fields, limits, tokens
/// and keys are those of `config`.
pub(crate) fn read(paths: &[String], config: &Config) -> Result<Corpus> {
    let discovery = Discovery::of_all(paths.to_vec(), std::env::current_dir()?);
    let listing = input::discover(&discovery)?;
    ensure!(!listing.files.is_empty(), "no file there");
    let mut options = config.input.read_options();
    options.fields.carry.clear();
    let mut collected = Collected {
        sketcher: Sketcher::new(&SketchParams {
            sampling: Sampling::Modulus { modulus: 1 },
            ..config.sketch.params()
        }),
        words: Vec::new(),
        sets: Vec::new(),
    };
    for (index, file) in (0..).zip(&listing.files) {
        let piece = Piece::whole(index, file.stat.bytes);
        input::read_piece(file, &piece, Some(0), &options, &mut collected)?;
    }
    let Collected { words, sets, .. } = collected;
    let (mut numbers, mut group_of, mut first_of) = (HashMap::new(), Vec::new(), Vec::new());
    for (doc, set) in (0_u32..).zip(sets) {
        let next = numbers.len() as u32;
        let group = *numbers.entry(set).or_insert(next);
        if group == next {
            first_of.push(doc);
        }
        group_of.push(group);
    }
    let mut fingerprints = vec![Vec::new(); numbers.len()];
    for (set, group) in numbers {
        fingerprints[group as usize] = set;
    }
    Ok(Corpus {
        group_of,
        first_of,
        words,
        fingerprints,
    })
}

struct Collected {
    sketcher: Sketcher,
    words: Vec<u64>,
    sets: Vec<Vec<u64>>,
}

impl Sink for Collected {
    fn document(&mut self, document: &Document<'_>) -> Result<(), SinkError> {
        let sketched = self.sketcher.sketch(document.content);
        self.words.push(sketched.words);
        self.sets.push(sketched.fingerprints.to_vec());
        Ok(())
    }
    fn rejected(&mut self, _: Rejection) -> Result<(), SinkError> {
        Ok(())
    }
    fn skipped(&mut self, _: &str) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_sets_are_one_group_whatever_the_markup() {
        let dir = tempfile::tempdir().unwrap();
        let text: Vec<String> = (0..30).map(|n| format!("word{n}")).collect();
        let text = text.join(" ");
        let pages = [
            ("a.html", format!("<p>{text}")),
            ("b.html", format!("<b>{text}</b>")),
            ("c.html", format!("<p>{}", "other ".repeat(17))),
        ];
        for (name, page) in pages {
            std::fs::write(dir.path().join(name), page).unwrap();
        }
        let config = pipeline::default_config().unwrap();
        let corpus = read(&[dir.path().to_str().unwrap().to_owned()], &config).unwrap();
        assert_eq!(
            (corpus.group_of.clone(), corpus.first_of.clone()),
            (vec![0, 0, 1], vec![0, 2])
        );
        assert_eq!(
            corpus.fingerprints.iter().map(Vec::len).collect::<Vec<_>>(),
            [21, 1]
        );
        assert_eq!(corpus.words, [30, 30, 17]);
    }
}
