//! The common shingles: their frequency, their words, and the sites that share them.
//!
//! *Input.* The index; the example documents, read again. *Output.* The most frequent ones.
//! *Algorithm.* One pass over the common shingles for the most frequent; of each of these one over
//! its postings, for their hosts: see [`sites`]. *Memory.* What is shown, of which names and words
//! of more than 1 KiB have [`NameRoom`]; one document; 65,536 counters; the keys of 65,536 hosts.

mod sites;

use super::show::write_more;
use super::{Escaped, NameRoom};
use crate::asked_document::text_again;
use crate::index::Index;
use config::Config;
use engine::Error;
use model::Leading;
use serde::Serialize;
use std::cmp::Reverse;
use std::fmt;

use sites::DocumentHosts;
pub use sites::SiteCount;

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
    /// The hosts with most documents; fewer where their names are long.
    pub sites: Vec<SiteCount>,
}

/// The `limit` most frequent common shingles. A document that cannot be read again costs only its
/// words.
pub fn common(index: &Index, config: &Config, limit: usize) -> Result<CommonAnswer, Error> {
    // The most frequent first, then the lowest fingerprint.
    let (mut most, mut total) = (Leading::of(limit), 0);
    for record in index.common_shingles()? {
        let record = record?;
        total += 1;
        most.offer((Reverse(record.documents), record.shingle), || record);
    }
    let (mut hosts, mut room) = (DocumentHosts::default(), NameRoom::default());
    let mut shingles = Vec::new();
    for record in most.sorted() {
        let (shingle, documents, example) = (record.shingle, record.documents, record.example);
        let (words, no_words) = match words(index, config, shingle, example)? {
            Ok(words) => (Some(words), None),
            Err(why) => (None, Some(why)),
        };
        let (words, no_words) = match room.takes([&words, &no_words]) {
            true => (words, no_words),
            false => (None, Some("they are too long to be shown".to_owned())),
        };
        let sites = hosts.sites(index, shingle)?;
        shingles.push(CommonShingle {
            shingle: format!("{shingle:016x}"),
            documents,
            words,
            no_words,
            example_doc_id: index.public_id(example),
            hosts: sites.len(),
            hosts_exact: sites.is_exact(),
            sites: sites.most(index, &mut room)?,
        });
    }
    Ok(CommonAnswer { shingles, total })
}

/// The words of a shingle as they stand in a document that holds it, or why there are none.
fn words(
    index: &Index,
    config: &Config,
    shingle: u64,
    example: u32,
) -> Result<Result<String, String>, Error> {
    Ok(text_again(index, config, example)?.and_then(|text| {
        let at = text.windows.iter().position(|window| *window == shingle);
        let at = at.ok_or("a repeated shingle")?;
        let piece = text.text.get(text.bytes_of(at..at + 1)).unwrap_or_default();
        Ok(piece.split_whitespace().collect::<Vec<&str>>().join(" "))
    }))
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
            let words = shingle.words.as_deref().or(shingle.no_words.as_deref());
            let cut: String = words
                .unwrap_or_default()
                .chars()
                .take(WORDS_PRINTED)
                .collect();
            let more = if shingle.hosts_exact { "" } else { "+" };
            let (documents, hosts) = (shingle.documents, format!("{}{more}", shingle.hosts));
            writeln!(f, "{documents:>9}  {hosts:>6}  {}", Escaped(&cut))?;
            let sites = shingle.sites.iter().take(SITES_PRINTED);
            let sites = sites.map(|site| match site.host.as_str() {
                "" => format!("(no host) {}", site.documents),
                host => format!("{} {}", Escaped(host), site.documents),
            });
            writeln!(f, "{:>17}  {}", "", sites.collect::<Vec<_>>().join(", "))?;
        }
        write_more(f, self.total, self.shingles.len())
    }
}
