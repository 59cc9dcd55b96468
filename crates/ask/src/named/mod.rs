//! Documents by the names people give them: a file, or the doc_id or URL of a document of the
//! publication.
//!
//! *Input.* A name; the query index of the newest publication. *Output.* [`Page`]: the text of the
//! document. *Algorithm.* What the publication has under the name comes first; it is read again
//! from the input. *Memory.* The text, up to `max-document`. *Limits.* A file must hold one
//! document.

mod again;
mod file;
mod spool;

pub use again::{Since, read_again};
pub use file::{NamedFile, is_file, read_file, shown};

use crate::query::{damaged, open};
use config::Config;
use input::{Document, FormatChoice, Rejection, Sink, SinkError};
use model::Content;
use query::Index;
use runtime::Error;
use std::ffi::OsStr;
use std::sync::atomic::AtomicBool;

/// A document with its text.
#[derive(Clone, Debug)]
pub struct Page {
    /// As it was asked for.
    pub name: String,
    /// Its number in the index, if it is of the publication.
    pub doc: Option<u32>,
    /// The URL it has there, or in its file.
    pub url: Option<String>,
    /// Whether it is still what the run has read.
    pub since: Since,
    is_html: bool,
    text: String,
}

impl Page {
    pub fn content(&self) -> Content<'_> {
        if self.is_html {
            Content::Html(&self.text)
        } else {
            Content::Text(&self.text)
        }
    }

    fn of(document: &Document<'_>, name: String) -> Page {
        let (is_html, text) = (
            matches!(document.content, Content::Html(_)),
            document.content.as_str().to_owned(),
        );
        let url = document.url.map(str::to_owned);
        Page {
            name,
            doc: None,
            url,
            since: Since::Same,
            is_html,
            text,
        }
    }
}

/// The publication of a configuration.
pub struct Corpus<'a> {
    pub config: &'a Config,
    pub index: Index,
}

impl<'a> Corpus<'a> {
    /// Opens it; none if nothing was published yet.
    pub(crate) fn open_if_any(config: &'a Config) -> Result<Option<Corpus<'a>>, Error> {
        match Corpus::open(config) {
            Err(Error::NotFound(_)) => Ok(None),
            other => other.map(Some),
        }
    }

    /// Opens it. Its sketches must be those that the configuration makes.
    pub fn open(config: &'a Config) -> Result<Corpus<'a>, Error> {
        let index = open(config)?;
        let now = config.sketch_parameters();
        let made: Vec<&str> = index.parameters().lines().collect();
        if let Some(line) = now.lines().find(|line| !made.contains(line)) {
            return Err(Error::Usage(format!(
                "failed to ask: the publication was made with other parameters (it does not have {line:?}); run `pipeline run` first"
            )));
        }
        Ok(Corpus { config, index })
    }

    /// The document with this id or URL (the newest).
    pub fn find(&self, name: &OsStr) -> Result<Option<u32>, Error> {
        let Some(name) = name.to_str() else {
            return Ok(None);
        };
        if let Some(doc) = name
            .parse::<i64>()
            .ok()
            .and_then(|id| self.index.doc_of(id))
        {
            return Ok(Some(doc));
        }
        let found = self.index.docs_of_url(name, 1).map_err(damaged)?;
        Ok(found.docs.first().copied())
    }

    /// The common shingles that occur in either ascending list, with the representatives that have
    /// them, ascending.
    pub fn common(&self, a: &[u64], b: &[u64]) -> Result<Vec<(u64, u32)>, Error> {
        let mut common = Vec::new();
        for record in self.index.common_shingles().map_err(damaged)?.iter() {
            let record = record.map_err(damaged)?;
            if a.binary_search(&record.shingle).is_ok() || b.binary_search(&record.shingle).is_ok()
            {
                common.push((record.shingle, record.documents));
            }
        }
        Ok(common)
    }

    /// Reads a document again from the input.
    pub fn page(&self, doc: u32, name: &OsStr) -> Result<Page, Error> {
        let url = self.index.url(doc).map_err(damaged)?;
        let name = shown(name);
        let mut page = None;
        read_again(
            (&self.index, self.config),
            doc,
            &name,
            &mut |document, since| {
                page = Some(Page {
                    doc: Some(doc),
                    url: url.clone(),
                    since,
                    ..Page::of(document, name.clone())
                });
            },
        )?;
        page.ok_or_else(|| Error::NotFound(format!("failed to read {name} again")))
    }
}

/// The document with this name: of the publication if it is a doc_id or URL there, else a file.
pub fn page(config: &Config, corpus: Option<&Corpus<'_>>, name: &OsStr) -> Result<Page, Error> {
    if let Some(corpus) = corpus
        && let Some(doc) = corpus.find(name)?
    {
        return corpus.page(doc, name);
    }
    if !is_file(name) {
        return Err(unknown(corpus, name)?);
    }
    file_page(config, name, &AtomicBool::new(false))
}

/// The one document of a file, whatever its format; `[input] format` is about the crawl.
pub(crate) fn file_page(config: &Config, name: &OsStr, stop: &AtomicBool) -> Result<Page, Error> {
    let mut one = One {
        name: shown(name),
        page: None,
        more: 0,
        rejected: None,
    };
    read_file(
        config,
        &NamedFile {
            name,
            format: FormatChoice::Auto,
            stop,
        },
        &mut one,
    )?;
    let One {
        name,
        page,
        more,
        rejected,
    } = one;
    if more > 0 {
        let count = more + 1;
        return Err(Error::Usage(format!(
            "failed to take {name} as a document: it holds {count}, expected one"
        )));
    }
    let why = rejected.unwrap_or_else(|| "it holds none".to_owned());
    page.ok_or_else(|| Error::NotFound(format!("failed to find a document in {name}: {why}")))
}

/// Nothing has this name; says what has almost this one.
pub fn unknown(corpus: Option<&Corpus<'_>>, name: &OsStr) -> Result<Error, Error> {
    let shown = shown(name);
    let Some(corpus) = corpus else {
        return Ok(Error::NotFound(format!(
            "failed to find {shown}: no file, and there is no publication here; doc_ids and URLs need one: run `pipeline run` first"
        )));
    };
    let mut text =
        format!("failed to find {shown}: no file, and no doc_id or URL of the publication");
    let near = name
        .to_str()
        .map(|name| corpus.index.near_urls(name, 5))
        .transpose()
        .map_err(damaged)?;
    for (at, (_, url)) in near.unwrap_or_default().iter().enumerate() {
        text += if at == 0 { "; known are " } else { ", " };
        text += url;
    }
    Ok(Error::NotFound(text))
}

/// Takes the first document, counts the others.
struct One {
    name: String,
    page: Option<Page>,
    more: u64,
    rejected: Option<String>,
}

impl Sink for One {
    fn document(&mut self, document: &Document<'_>) -> Result<(), SinkError> {
        match &self.page {
            Some(_) => self.more += 1,
            None => self.page = Some(Page::of(document, self.name.clone())),
        }
        Ok(())
    }
    fn rejected(&mut self, rejection: Rejection) -> Result<(), SinkError> {
        self.rejected
            .get_or_insert_with(|| format!("{} {}", rejection.reason, rejection.detail));
        Ok(())
    }
    fn skipped(&mut self, _: &str) {}
}
