//! The history of a URL over the snapshots, and the place of the content of a lost URL.

use super::lookup::unknown;
use super::show::Escaped;
use super::successor::{Successor, between, moved, standing};
use crate::index::Index;
use engine::Error;
use serde::Serialize;
use std::fmt;

/// A URL through all snapshots.
#[derive(Clone, Debug, Serialize)]
pub struct HistoryAnswer {
    /// The URL.
    pub url: String,
    /// One of each snapshot, oldest first.
    pub history: Vec<HistoryRow>,
}

/// A URL in one snapshot.
#[derive(Clone, Debug, Serialize)]
pub struct HistoryRow {
    /// The snapshot.
    pub snapshot: String,
    /// Its change since the snapshot before, as in `changes.parquet`; null in the first one,
    /// and where it is as absent as before.
    pub class: Option<&'static str>,
    /// Its document; the best match if it moved.
    #[serde(flatten)]
    pub document: Option<DocumentVersion>,
}

/// A version of a document.
#[derive(Clone, Debug, Serialize)]
pub struct DocumentVersion {
    /// Its public id.
    pub doc_id: i64,
    /// Its URL.
    pub url: Option<String>,
    /// Its date, RFC 3339.
    pub date: Option<String>,
    /// Its cluster.
    pub cluster_id: i64,
    /// Resemblance to the version before; null without one.
    pub resemblance: Option<f64>,
    /// Lower end of its 95 % interval.
    pub low: Option<f64>,
    /// Upper end.
    pub high: Option<f64>,
}

/// Where the content of a URL is.
#[derive(Clone, Debug, Serialize)]
pub struct LostAnswer {
    /// The URL.
    pub url: String,
    /// `there` if it is not lost, `moved`, or `gone` if nothing is like it.
    pub class: &'static str,
    /// The last snapshot that had it.
    pub last_snapshot: String,
    /// Its document there.
    pub last: DocumentVersion,
    /// The newest snapshot, which was looked through.
    pub newest_snapshot: String,
    /// The relation of the document that has its content: identical, lexical, shingle, similar, or
    /// changed if they are less alike than linked documents; null if there is none.
    pub relation: Option<&'static str>,
    /// The document that has its content.
    pub now: Option<DocumentVersion>,
    /// The snapshot in which its URL appeared, if the lost URL was there still: the page was copied
    /// first.
    pub copied_in: Option<String>,
    /// How many documents qualify.
    pub candidates: u64,
}

impl DocumentVersion {
    fn of(index: &Index, doc: u32, before: Option<&Successor>) -> Result<DocumentVersion, Error> {
        let (url, date) = index.document(doc, |row| (row.url.map(str::to_owned), row.date))?;
        Ok(DocumentVersion {
            doc_id: index.public_id(doc),
            url,
            date: date.map(output::rfc3339),
            cluster_id: index.public_id(index.member(doc)?.cluster),
            resemblance: before.map(|before| before.resemblance),
            low: before.map(|before| before.interval.low),
            high: before.map(|before| before.interval.high),
        })
    }
}

/// A URL in every snapshot.
pub fn history(index: &Index, url: &str) -> Result<HistoryAnswer, Error> {
    let standing = standing(index, url)?;
    if standing.iter().all(Option::is_none) {
        return Err(unknown(index, url)?);
    }
    let mut history = Vec::with_capacity(standing.len());
    let mut before = None;
    for (at, (snapshot, doc)) in index.snapshots().iter().zip(&standing).enumerate() {
        let version = |doc, by: Option<&Successor>| DocumentVersion::of(index, doc, by).map(Some);
        let (class, document) = match (before, *doc) {
            (Some(old), Some(doc)) => {
                let successor = between(index, old, doc)?;
                (Some(successor.class), version(doc, Some(&successor))?)
            }
            (Some(_), None) => match moved(index, &standing, [at - 1, at])? {
                Some((new, _)) => (Some("moved"), version(new.doc, Some(&new))?),
                None => (Some("gone"), None),
            },
            (None, Some(doc)) => ((at > 0).then_some("new"), version(doc, None)?),
            (None, None) => (None, None),
        };
        before = *doc;
        history.push(HistoryRow {
            snapshot: snapshot.name.clone(),
            class,
            document,
        });
    }
    Ok(HistoryAnswer {
        url: url.to_owned(),
        history,
    })
}

/// Where the content of a URL is in the newest snapshot.
pub fn lost(index: &Index, url: &str) -> Result<LostAnswer, Error> {
    let standing = standing(index, url)?;
    let mut seen = standing.iter().enumerate().rev();
    let Some((at, doc)) = seen.find_map(|(at, doc)| doc.map(|doc| (at, doc))) else {
        return Err(unknown(index, url)?);
    };
    let name = |at: usize| {
        let snapshot = index.snapshots().get(at);
        snapshot.map_or_else(String::new, |snapshot| snapshot.name.clone())
    };
    let newest = standing.len().saturating_sub(1);
    let found = match at == newest {
        true => None,
        false => moved(index, &standing, [at, newest])?,
    };
    let now = found
        .map(|(now, _)| DocumentVersion::of(index, now.doc, Some(&now)))
        .transpose()?;
    let class = match &now {
        _ if at == newest => "there",
        Some(_) => "moved",
        None => "gone",
    };
    Ok(LostAnswer {
        url: url.to_owned(),
        class,
        last_snapshot: name(at),
        last: DocumentVersion::of(index, doc, None)?,
        newest_snapshot: name(newest),
        relation: found.map(|(now, _)| now.class),
        copied_in: found.filter(|(now, _)| now.is_copy).map(|_| name(at)),
        now,
        candidates: found.map_or(0, |(_, candidates)| candidates),
    })
}

impl fmt::Display for HistoryAnswer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = self
            .history
            .iter()
            .map(|row| Escaped(&row.snapshot).to_string());
        let names: Vec<String> = names.collect();
        let width = names.iter().map(|name| name.chars().count()).max();
        let width = width.unwrap_or(0).max(8);
        writeln!(f, "{}\n", Escaped(&self.url))?;
        let line = |[snapshot, date, class, resemblance, interval, doc, cluster]: [&str; 7]| {
            format!(
                "{snapshot:<width$}  {date:<10}  {class:<9}  {resemblance:>11}  {interval:<16}  \
                 {doc:>13}  {cluster:>13}"
            )
        };
        const HEAD: [&str; 7] = [
            "snapshot",
            "date",
            "class",
            "resemblance",
            "95 % interval",
            "doc_id",
            "cluster",
        ];
        writeln!(f, "{}", line(HEAD))?;
        for (row, name) in self.history.iter().zip(names) {
            let class = row.class.unwrap_or("-");
            let Some(document) = &row.document else {
                writeln!(f, "{}", line([&name, "-", class, "-", "-", "-", "-"]))?;
                continue;
            };
            let date = document.date.as_deref().and_then(|date| date.get(..10));
            let figures = (document.resemblance, document.low, document.high);
            let (resemblance, interval) = match figures {
                (Some(resemblance), Some(low), Some(high)) => (
                    format!("{resemblance:.4}"),
                    format!("{low:.4} to {high:.4}"),
                ),
                _ => ("-".to_owned(), "-".to_owned()),
            };
            let [doc, cluster] = [document.doc_id, document.cluster_id].map(|id| id.to_string());
            let date = date.unwrap_or("-");
            write!(
                f,
                "{}",
                line([&name, date, class, &resemblance, &interval, &doc, &cluster])
            )?;
            match &document.url {
                Some(url) if class == "moved" => writeln!(f, "  {}", Escaped(url))?,
                _ => writeln!(f)?,
            }
        }
        Ok(())
    }
}

impl fmt::Display for LostAnswer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (last, newest) = (Escaped(&self.last_snapshot), Escaped(&self.newest_snapshot));
        writeln!(f, "url        {}", Escaped(&self.url))?;
        let seen = self.last.doc_id;
        if self.class == "there" {
            return writeln!(f, "there      as {seen} in {newest}, the newest snapshot");
        }
        writeln!(f, "last seen  as {seen} in {last}")?;
        let Some(now) = &self.now else {
            return writeln!(f, "gone       no new document in {newest} resembles it");
        };
        let url = now.url.as_deref().unwrap_or("-");
        writeln!(f, "now        {}, {} in {newest}", Escaped(url), now.doc_id)?;
        let figures = [now.resemblance, now.low, now.high].map(Option::unwrap_or_default);
        let ([resemblance, low, high], relation) = (figures, self.relation.unwrap_or("-"));
        writeln!(
            f,
            "relation   {relation}, resemblance {resemblance:.4} ({low:.4} to {high:.4})"
        )?;
        if let Some(snapshot) = &self.copied_in {
            let snapshot = Escaped(snapshot);
            writeln!(f, "copied     in {snapshot}, while the lost page was there")?;
        }
        writeln!(f, "candidates {}", self.candidates)
    }
}
