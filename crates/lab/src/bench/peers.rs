//! The parts of `scripts/bench-peers` that need our words or are slow in Python.
//!
//! `words` turns JSONL with `text` or `html` into the file that all tools get: `id`, the number of
//! the line, and `text`, the canonical words of the document with single spaces between them.
//! Documents without words are left out. `score` holds the clusters of each tool against the exact
//! answer. A shingle is the 64-bit XXH3 of ten words with their spaces; a document of fewer words
//! is one shingle. Recall: pairs with one label, of those whose exact resemblance reaches 0.5.
//! Precision: of all pairs with one label, those whose documents are in one component of exact
//! pairs; chains are clusters to every tool here, so the pairs along a chain are no error.

use crate::bench::files;
use crate::exact::{Agreement, Components, Pair, common, pairs};
use crate::set::set_of;
use anyhow::{Context, Result};
use model::{Content, Ratio};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sketch::{TokenRules, for_each_token};
use std::borrow::Cow;
use std::collections::HashSet;
use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};
use twox_hash::XxHash3_64;

/// Words in a shingle.
const SHINGLE_WORDS: usize = 10;

/// Shingles of more different documents than this are common: the default of ours. Other tools have
/// no such rule, so all are scored both ways, with all shingles and without these.
const COMMON_LIMIT: usize = 1000;

/// The commands below `peers`.
#[derive(Clone, Debug, clap::Subcommand)]
pub(crate) enum Command {
    /// Turn a file into plain words with single spaces between them.
    Words {
        /// JSONL with `text` or `html`.
        source: PathBuf,
        /// JSONL with `id`, the number of the line, and `text`.
        out: PathBuf,
    },
    /// Score clusters against the exact answer; prints two JSON objects, for all shingles and for
    /// those that are not common.
    Score {
        /// The file that `words` wrote.
        corpus: PathBuf,
        /// JSON lines, one for each tool: the label of each document or null.
        labels: PathBuf,
    },
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
struct Line<'a> {
    #[serde(borrow)]
    id: Cow<'a, str>,
    #[serde(borrow)]
    text: Cow<'a, str>,
}

/// Runs a command.
pub(crate) fn run(command: &Command) -> Result<()> {
    match command {
        Command::Words { source, out } => plain_words(source, out),
        Command::Score { corpus, labels } => score(corpus, labels),
    }
}

fn plain_words(source: &Path, path: &Path) -> Result<()> {
    let rules = TokenRules::WORDS;
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

fn score(corpus: &Path, labels: &Path) -> Result<()> {
    let mut tools: Vec<Vec<Option<u64>>> = Vec::new();
    for_each_line(labels, |line| {
        tools.push(serde_json::from_str(line).context("failed to parse labels")?);
        Ok(())
    })?;
    let mut sets = Vec::new();
    for_each_line(corpus, |line| {
        let line: Line = serde_json::from_str(line).context("failed to parse a line")?;
        sets.push(shingles(&line.text, SHINGLE_WORDS));
        Ok(())
    })?;
    for common_limit in [usize::MAX, COMMON_LIMIT] {
        let different: HashSet<&Vec<u64>> = sets.iter().collect();
        let common = common(different.into_iter(), common_limit);
        sets.iter_mut()
            .for_each(|set| set.retain(|shingle| !common.contains(shingle)));
        let (pairs, clusters) = exact(&sets);
        let redundant = (0..).zip(&clusters).filter(|(at, of)| at != *of);
        let scores = tools
            .iter()
            .map(|labels| score_of(&pairs, &clusters, labels));
        let answer = json!({
            "pairs": pairs.len(),
            "common": common.len(),
            "redundant": redundant.count(),
            "scores": scores.collect::<Vec<Value>>(),
        });
        println!("{answer}");
    }
    Ok(())
}

/// Pairs of documents at resemblance 0.5 or more, and the cluster of each document that they make.
fn exact(sets: &[Vec<u64>]) -> (Vec<Pair>, Vec<u32>) {
    let pairs = pairs(sets, |pair| pair.resemblance(sets) >= Ratio::new(1, 2));
    let clusters = Components::of(sets.len(), pairs.iter().map(|pair| (pair.a, pair.b)));
    (pairs, clusters)
}

/// Holds labels against the exact answer. Documents without a label are alone.
fn score_of(pairs: &[Pair], clusters: &[u32], labels: &[Option<u64>]) -> Value {
    let label = |document: u32| labels.get(document as usize).copied().flatten();
    let is_found = |pair: &&Pair| label(pair.a).is_some() && label(pair.a) == label(pair.b);
    let found = pairs.iter().filter(is_found).count();
    let documents = (0..).zip(clusters);
    let labelled = documents.filter_map(|(document, of)| Some((label(document)?, *of)));
    let agreement = Agreement::of(labelled.clone());
    let different: HashSet<u64> = labelled.clone().map(|(label, _)| label).collect();
    json!({
        "counts": {
            "exact": pairs.len(),
            "found": found,
            "together": agreement.run,
            "right": agreement.both,
            "removed": labelled.count() - different.len(),
        },
        "recall": found as f64 / pairs.len().max(1) as f64,
        "precision": agreement.both as f64 / agreement.run.max(1) as f64,
    })
}

/// The sorted set of shingles of a text of words with single spaces between them.
fn shingles(text: &str, size: usize) -> Vec<u64> {
    let words: Vec<&str> = text.split(' ').collect();
    let shingle = |words: &[&str]| XxHash3_64::oneshot(words.join(" ").as_bytes());
    match words.len() < size {
        true => vec![shingle(&words)],
        false => set_of(words.windows(size).map(shingle)),
    }
}

/// Calls `f` with each line of a file.
fn for_each_line(path: &Path, mut f: impl FnMut(&str) -> Result<()>) -> Result<()> {
    let file = File::open(path).with_context(|| format!("failed to open {}", path.display()))?;
    for (number, line) in (1..).zip(BufReader::with_capacity(1 << 20, file).lines()) {
        let done = line.map_err(anyhow::Error::from).and_then(|line| f(&line));
        done.with_context(|| format!("{}, line {number}", path.display()))?;
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

    #[test]
    fn shingles_are_runs_of_words_and_short_texts_are_one() {
        let one = |text: &str| XxHash3_64::oneshot(text.as_bytes());
        assert_eq!(shingles("a b", 3), [one("a b")]);
        assert_eq!(shingles("a b c", 3), [one("a b c")]);
        let mut expected = [one("a b c"), one("b c dd")];
        expected.sort_unstable();
        assert_eq!(shingles("a b c dd", 3), expected);
        assert_eq!(shingles("a a a a a", 2).len(), 1);
    }

    #[test]
    fn labels_are_held_against_pairs_and_components() {
        // 0, 1 and 2 are a chain: 0 and 2 resemble each other by 1/3 only. 3 and 4 are equal.
        let sets = [vec![0, 1], vec![0, 1, 2, 3], vec![2, 3], vec![9], vec![9]];
        let (pairs, clusters) = exact(&sets);
        let labels = [Some(7), Some(7), Some(7), Some(7), None];
        let score = score_of(&pairs, &clusters, &labels);
        let counts = json!({"exact": 3, "found": 2, "together": 6, "right": 3, "removed": 3});
        assert_eq!(score["counts"], counts);
        assert_eq!(score["precision"], 0.5);
    }
}
