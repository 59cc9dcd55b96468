//! The common shingles: their frequency, their words, and the sites that share them.
//!
//! *Input.* The index; the example documents, read again. *Output.* The most frequent ones.
//! *Algorithm.* One pass over the common shingles for the most frequent; of each of these one over
//! its postings, in order of documents, for their hosts. Hosts are counted with a fixed number of
//! counters (Misra and Gries, *Finding repeated elements*, 1982): exactly if there are no more
//! hosts than counters, else from below. *Memory.* What is shown, one document, and 65,536
//! counters.

use super::{Escaped, damaged};
use crate::asked_document::{ChangeSinceRun, InputReader};
use config::Config;
use format::RowCursor;
use query::{Index, host_of};
use runtime::Error;
use serde::Serialize;
use sketch::PlacedText;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};
use std::fmt;

/// Hosts that are counted at a time.
const COUNTERS: usize = 1 << 16;

/// Hosts that are listed of a shingle.
const SITES_MAX: usize = 20;

/// Hosts that are printed of a shingle.
const SITES_PRINTED: usize = 3;

/// Characters of a shingle that are printed.
const WORDS_PRINTED: usize = 300;

/// The most frequent common shingles.
#[derive(Clone, Debug, Serialize)]
pub struct CommonAnswer {
    /// The most frequent first.
    pub shingles: Vec<CommonShingle>,
    /// Common shingles in all.
    pub total: u64,
}

/// A shingle in more representatives than the limit allows.
#[derive(Clone, Debug, Serialize)]
pub struct CommonShingle {
    /// Its fingerprint, 16 hex digits.
    pub shingle: String,
    /// Representatives whose sketches have it.
    pub documents: u32,
    /// Its words as they stand in the example; none if that cannot be read any more, or if it is a
    /// repeated shingle that counts by its number.
    pub words: Option<String>,
    /// Why there are no words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub no_words: Option<String>,
    /// A document that holds it.
    pub example_doc_id: i64,
    /// Hosts of these documents; if `hosts_exact` is false there may be more.
    pub hosts: usize,
    /// Whether all hosts were counted apart.
    pub hosts_exact: bool,
    /// The hosts with most documents.
    pub sites: Vec<Site>,
}

/// A host and how many of the documents it has, or at least has.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Site {
    /// The host, in lower case; empty for documents without.
    pub host: String,
    /// Representatives of this host whose sketches hold the shingle.
    pub documents: u64,
}

/// The `limit` most frequent common shingles.
///
/// # Errors
/// Damage. A document that cannot be read again costs only its words.
pub fn common(index: &Index, config: &Config, limit: usize) -> Result<CommonAnswer, Error> {
    let (mut most, mut total) = (BinaryHeap::new(), 0);
    for record in index.common_shingles().map_err(damaged)? {
        let record = record.map_err(damaged)?;
        total += 1;
        most.push(Reverse((
            record.documents,
            Reverse((record.shingle, record.example)),
        )));
        if most.len() > limit {
            most.pop();
        }
    }
    // The frequency is reversed: the most frequent first, then the lowest fingerprint.
    let most = most.into_sorted_vec().into_iter();
    let shingles = most.map(
        |Reverse((documents, Reverse((shingle, example))))| -> Result<CommonShingle, Error> {
            let (words, no_words) = match words(index, config, shingle, example) {
                Ok(words) => words.map_or((None, Some("a repeated shingle".to_owned())), |words| {
                    (Some(words), None)
                }),
                Err(error @ (Error::NotFound(_) | Error::InputChanged(_) | Error::Input(_))) => {
                    (None, Some(error.to_string()))
                }
                Err(error) => return Err(error),
            };
            let sites = sites(index, shingle)?;
            Ok(CommonShingle {
                shingle: format!("{shingle:016x}"),
                documents,
                words,
                no_words,
                example_doc_id: index.public_id(example),
                hosts: sites.len(),
                hosts_exact: sites.is_exact(),
                sites: sites.most(SITES_MAX),
            })
        },
    );
    Ok(CommonAnswer {
        shingles: shingles.collect::<Result<_, Error>>()?,
        total,
    })
}

/// The words of a shingle as they stand in a document that holds it.
fn words(
    index: &Index,
    config: &Config,
    shingle: u64,
    example: u32,
) -> Result<Option<String>, Error> {
    let params = config.sketch.params();
    let name = format!("document {}", index.public_id(example));
    let (mut words, mut state) = (None, ChangeSinceRun::Nothing);
    let reader = InputReader {
        index,
        config,
        name: &name,
    };
    reader.read(example, &mut |document, since| {
        let text = PlacedText::new(&params, document.content);
        let at = text.windows.iter().position(|window| *window == shingle);
        state = since;
        words = at.map(|at| {
            let piece = text.text.get(text.bytes_of(at..at + 1)).unwrap_or_default();
            piece.split_whitespace().collect::<Vec<&str>>().join(" ")
        });
    })?;
    if words.is_none() && state == ChangeSinceRun::Document {
        return Err(Error::InputChanged(format!(
            "failed to read the words of a shingle: {name} changed since the run; run again"
        )));
    }
    Ok(words)
}

/// Hosts and how often they were met.
#[derive(Debug, Default)]
struct Sites {
    counts: HashMap<String, u64>,
    /// How often all counters were lowered.
    lowered: u64,
}

impl Sites {
    fn add(&mut self, host: &str, counters: usize) {
        if let Some(count) = self.counts.get_mut(host) {
            *count += 1;
        } else if self.counts.len() < counters {
            self.counts.insert(host.to_owned(), 1);
        } else {
            self.lowered += 1;
            self.counts.retain(|_, count| {
                *count -= 1;
                *count > 0
            });
        }
    }

    fn len(&self) -> usize {
        self.counts.len()
    }

    fn is_exact(&self) -> bool {
        self.lowered == 0
    }

    fn most(self, limit: usize) -> Vec<Site> {
        let sites = self
            .counts
            .into_iter()
            .map(|(host, documents)| Site { host, documents });
        let mut sites: Vec<Site> = sites.collect();
        sites.sort_unstable_by(|a, b| {
            b.documents
                .cmp(&a.documents)
                .then_with(|| a.host.cmp(&b.host))
        });
        sites.truncate(limit);
        sites
    }
}

fn sites(index: &Index, shingle: u64) -> Result<Sites, Error> {
    let mut sites = Sites::default();
    let mut cursor = RowCursor::default();
    for posting in index.postings(shingle).map_err(damaged)?.iter() {
        let doc = posting.map_err(damaged)?.doc;
        index
            .with_document(&mut cursor, doc, |row| {
                sites.add(
                    &row.url
                        .map(host_of)
                        .unwrap_or_default()
                        .to_ascii_lowercase(),
                    COUNTERS,
                );
            })
            .map_err(damaged)?;
    }
    Ok(sites)
}

impl fmt::Display for CommonAnswer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.shingles.is_empty() {
            return writeln!(f, "no shingle is common");
        }
        writeln!(
            f,
            "documents   hosts  words, and the hosts with most documents"
        )?;
        for shingle in &self.shingles {
            let words = shingle
                .words
                .as_deref()
                .or(shingle.no_words.as_deref())
                .unwrap_or_default();
            let cut: String = words.chars().take(WORDS_PRINTED).collect();
            let hosts = match shingle.hosts_exact {
                true => shingle.hosts.to_string(),
                false => format!("{}+", shingle.hosts),
            };
            let documents = shingle.documents;
            writeln!(f, "{documents:>9}  {hosts:>6}  {}", Escaped(&cut))?;
            let sites = shingle.sites.iter().take(SITES_PRINTED);
            let sites: Vec<String> = sites
                .map(|site| {
                    let host = if site.host.is_empty() {
                        "(no host)"
                    } else {
                        &site.host
                    };
                    format!("{} {}", Escaped(host), site.documents)
                })
                .collect();
            writeln!(f, "{:>17}  {}", "", sites.join(", "))?;
        }
        match self.total.saturating_sub(self.shingles.len() as u64) {
            0 => Ok(()),
            more => writeln!(f, "… and {more} more; --limit shows them"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_hosts_are_counted_exactly_and_many_from_below() {
        let list: Vec<String> = (0..1000_u32)
            .map(|n| format!("{}.test", [0, 0, 0, n % 97, n % 7][n as usize % 5]))
            .collect();
        let counted = |counters| {
            let mut sites = Sites::default();
            list.iter().for_each(|host| sites.add(host, counters));
            sites
        };
        let exact = counted(1000);
        assert!(exact.is_exact());
        let most = exact.most(1)[0].clone();
        assert_eq!(
            most.documents,
            list.iter().filter(|host| **host == most.host).count() as u64
        );
        let few = counted(4);
        assert!(!few.is_exact() && few.len() <= 4);
        let (lowered, found) = (few.lowered, few.most(1)[0].clone());
        // At most so many are missing: Misra and Gries.
        assert_eq!(found.host, most.host);
        assert!(found.documents <= most.documents && found.documents + lowered >= most.documents);
        assert!(lowered <= 1000 / 5);
    }
}
