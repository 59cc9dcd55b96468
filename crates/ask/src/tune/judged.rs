//! Judgements of a person, and how they agree with each threshold.
//!
//! *Input.* JSON lines, one a [`Judgement`]; the pages of `serve` write them, and anybody may.
//! *Output.* For each threshold the judged pairs that it links, and how many of them are
//! duplicates. *Algorithm.* Of several judgements of one pair the last counts. *Memory.* A few
//! dozen bytes a line.

use engine::Error;
use format::PublicIds;
use output::counted;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

/// A person's judgement of two documents.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Judgement {
    /// One document.
    pub a: i64,
    /// The other one.
    pub b: i64,
    /// Whether they are duplicates.
    pub duplicate: bool,
    /// Their resemblance.
    pub resemblance: f64,
    /// URL of `a`.
    pub url_a: Option<String>,
    /// URL of `b`.
    pub url_b: Option<String>,
    /// When it was said, RFC 3339.
    pub judged: Option<String>,
}

/// The last judgement of each pair: whether they are duplicates, and their resemblance.
#[derive(Clone, Debug, Default)]
pub struct Judgements(BTreeMap<(i64, i64), (bool, f64)>);

impl Judgements {
    /// Reads a file.
    pub fn read(path: &Path) -> Result<Judgements, Error> {
        let failed = || Error::io(format!("read {}", path.display()));
        let file = BufReader::new(File::open(path).map_err(failed())?);
        let mut judgements = Judgements::default();
        for (at, line) in file.lines().enumerate() {
            let line = line.map_err(failed())?;
            if line.trim().is_empty() {
                continue;
            }
            let judgement: Judgement = serde_json::from_str(&line).map_err(|error| {
                let (path, line) = (path.display(), at + 1);
                Error::Usage(format!(
                    "failed to read the judgement in line {line} of {path}: {error}; \
                     a line is {{\"a\": 1, \"b\": 2, \"duplicate\": true, \"resemblance\": 0.8}}"
                ))
            })?;
            judgements.add(&judgement);
        }
        Ok(judgements)
    }

    /// Adds one, in place of an older one of the same pair.
    pub fn add(&mut self, judgement: &Judgement) {
        let pair = pair(judgement.a, judgement.b);
        self.0
            .insert(pair, (judgement.duplicate, judgement.resemblance));
    }

    /// Reads a file, without the pairs of which a document has none of these ids. Returns their
    /// number, too.
    pub(super) fn read_known(path: &Path, ids: &PublicIds) -> Result<(Judgements, u64), Error> {
        let mut judgements = Judgements::read(path)?;
        let all = judgements.len();
        let is_known = |id: i64| ids.find(id).is_some();
        judgements
            .0
            .retain(|(a, b), _| is_known(*a) && is_known(*b));
        let unknown = (all - judgements.len()) as u64;
        if unknown > 0 && judgements.is_empty() {
            let pairs = counted(unknown, "pair");
            return Err(Error::Usage(format!(
                "failed to tune: {}, with {pairs}, has no pair of documents of this corpus; name \
                 judgements of this corpus, as another one has other doc_ids",
                path.display()
            )));
        }
        Ok((judgements, unknown))
    }

    /// Whether a pair was judged to be duplicates; `None` if it was not judged.
    pub fn of(&self, a: i64, b: i64) -> Option<bool> {
        self.0.get(&pair(a, b)).map(|(duplicate, _)| *duplicate)
    }

    /// How many pairs are judged.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether no pair is judged.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// How the judgements agree with a threshold.
    pub fn at(&self, resemblance: f64) -> JudgedThreshold {
        let mut judged = JudgedThreshold {
            resemblance,
            ..JudgedThreshold::default()
        };
        for (duplicate, of_pair) in self.0.values() {
            let count = match (*of_pair >= resemblance, duplicate) {
                (true, true) => &mut judged.duplicates,
                (true, false) => &mut judged.others,
                (false, true) => &mut judged.missed,
                (false, false) => continue,
            };
            *count += 1;
        }
        judged
    }
}

fn pair(a: i64, b: i64) -> (i64, i64) {
    (a.min(b), a.max(b))
}

/// How judgements agree with a threshold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct JudgedThreshold {
    /// The threshold.
    pub resemblance: f64,
    /// Judged duplicates of at least this resemblance.
    pub duplicates: u64,
    /// Other judged pairs of at least this resemblance.
    pub others: u64,
    /// Judged duplicates below it.
    pub missed: u64,
}

impl JudgedThreshold {
    /// The share of duplicates among the judged pairs of at least this resemblance; `None` without
    /// such pairs.
    pub fn precision(&self) -> Option<f64> {
        share(self.duplicates, self.others)
    }

    /// The share of judged duplicates that reach the threshold; `None` without duplicates.
    pub fn recall(&self) -> Option<f64> {
        share(self.duplicates, self.missed)
    }
}

fn share(part: u64, rest: u64) -> Option<f64> {
    (part + rest > 0).then(|| part as f64 / (part + rest) as f64)
}

/// A threshold in two digits, or in as many as it takes.
pub(super) fn threshold(value: f64) -> String {
    let short = format!("{value:.2}");
    if (value - short.parse::<f64>().unwrap_or(value)).abs() < 1e-9 {
        short
    } else {
        value.to_string()
    }
}

/// Writes the table for people.
pub(super) fn write_judged(
    f: &mut fmt::Formatter<'_>,
    judged: &[JudgedThreshold],
    unknown: Option<u64>,
) -> fmt::Result {
    writeln!(
        f,
        "\njudged pairs from each threshold on\n\
         resemblance {:>14} {:>12} {:>12} {:>12} {:>12}",
        "duplicates", "others", "missed", "precision", "recall"
    )?;
    for row in judged {
        let percent = |share: Option<f64>| match share {
            Some(share) => format!("{:.1} %", 100.0 * share),
            None => "–".to_owned(),
        };
        let (precision, recall) = (percent(row.precision()), percent(row.recall()));
        let (duplicates, others, missed) = (row.duplicates, row.others, row.missed);
        let resemblance = threshold(row.resemblance);
        writeln!(
            f,
            "{resemblance:>9}   {duplicates:>14} {others:>12} {missed:>12} {precision:>12} {recall:>12}"
        )?;
    }
    match unknown.filter(|unknown| *unknown > 0) {
        None => Ok(()),
        Some(unknown) => writeln!(
            f,
            "without {} of documents that are not in the corpus",
            counted(unknown, "judged pair")
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn judgement(a: i64, b: i64, duplicate: bool, resemblance: f64) -> Judgement {
        Judgement {
            a,
            b,
            duplicate,
            resemblance,
            url_a: None,
            url_b: None,
            judged: None,
        }
    }

    #[test]
    fn thresholds_are_told_apart() {
        assert_eq!(
            [0.5, 0.1 + 0.2, 0.502, 1.0].map(threshold),
            ["0.50", "0.30", "0.502", "1.00"]
        );
    }

    #[test]
    fn the_last_judgement_of_a_pair_counts() {
        let mut judgements = Judgements::default();
        for one in [
            judgement(1, 2, true, 0.8),
            judgement(2, 1, false, 0.8),
            judgement(3, 4, true, 0.6),
        ] {
            judgements.add(&one);
        }
        assert_eq!(judgements.of(1, 2), Some(false));
        assert_eq!((judgements.of(1, 3), judgements.len()), (None, 2));
        let at = judgements.at(0.7);
        assert_eq!((at.duplicates, at.others, at.missed), (0, 1, 1));
        assert_eq!((at.precision(), at.recall()), (Some(0.0), Some(0.0)));
        assert_eq!(judgements.at(0.9).precision(), None);
    }

    #[test]
    fn files_are_read_and_bad_lines_are_named() {
        let file = std::env::temp_dir().join(format!("judged-{}.jsonl", std::process::id()));
        let good = "{\"a\":1,\"b\":2,\"duplicate\":true,\"resemblance\":0.5,\"note\":\"x\"}\n\n";
        std::fs::write(&file, good).unwrap();
        assert_eq!(Judgements::read(&file).unwrap().of(2, 1), Some(true));
        std::fs::write(&file, format!("{good}{{\"a\":1}}\n")).unwrap();
        let error = Judgements::read(&file).unwrap_err().to_string();
        assert!(
            error.contains("line 3") && error.contains("resemblance"),
            "{error}"
        );
        std::fs::remove_file(&file).unwrap();
    }

    proptest! {
        #[test]
        fn counts_are_those_of_a_plain_count(
            pairs in proptest::collection::vec((0i64..5, 5i64..9, any::<bool>(), 0u32..=20), 0..40),
            step in 0u32..=20,
        ) {
            let mut judgements = Judgements::default();
            for (a, b, duplicate, resemblance) in &pairs {
                judgements.add(&judgement(*b, *a, *duplicate, f64::from(*resemblance) / 20.0));
            }
            let last = |at: &usize| !pairs[at + 1..].iter().any(|p| (p.0, p.1) == (pairs[*at].0, pairs[*at].1));
            let kept: Vec<_> = (0..pairs.len()).filter(last).map(|at| pairs[at]).collect();
            let count = |duplicate: bool, linked: bool| {
                kept.iter().filter(|p| p.2 == duplicate && (p.3 >= step) == linked).count() as u64
            };
            let at = judgements.at(f64::from(step) / 20.0);
            prop_assert_eq!(at.duplicates, count(true, true));
            prop_assert_eq!(at.others, count(false, true));
            prop_assert_eq!(at.missed, count(true, false));
        }
    }
}
