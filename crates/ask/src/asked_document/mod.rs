//! Documents by the names that people give them: a file, or the doc_id, the URL or the id of a
//! document of the publication.
//!
//! *Input.* A name; the query index of the newest publication. *Output.* [`AskedDocument`]: the
//! document with its text. *Algorithm.* A doc_id, URL or id of the publication comes before a file
//! of that name; its document is read again from the input. *Memory.* The text, up to
//! `max-document`. *Limits.* A file must hold one document.

mod again;
mod file;
mod spool;

use again::other_sketches;
pub(crate) use again::{ChangeSinceRun, InputReader, text_again};
pub(crate) use file::{display_name, each_document, is_file, read_file};

use crate::index::Index;
use crate::query::{find, open};
use config::Config;
use engine::Error;
use input::{Document, FormatChoice};
use model::{Content, Markup};
use std::ffi::OsStr;
use std::sync::Arc;

/// A document that the user named, with its text.
#[derive(Clone, Debug)]
pub(crate) struct AskedDocument {
    /// The name that the user gave.
    pub(crate) name: String,
    /// Its number in the index, if it is of the publication.
    pub(crate) doc: Option<u32>,
    /// The URL it has in the publication, or in its file.
    pub(crate) url: Option<String>,
    /// The id it has there.
    pub(crate) id: Option<String>,
    /// Whether it changed since the run has read it.
    pub(crate) since: ChangeSinceRun,
    markup: Markup,
    text: String,
}

impl AskedDocument {
    pub(crate) fn content(&self) -> Content<'_> {
        Content::new(self.markup, &self.text)
    }

    fn of(document: &Document<'_>, name: String) -> AskedDocument {
        AskedDocument {
            name,
            doc: None,
            url: document.url.map(str::to_owned),
            id: document.id.map(str::to_owned),
            since: ChangeSinceRun::Nothing,
            markup: document.content.markup(),
            text: document.content.as_str().to_owned(),
        }
    }
}

/// The publication of a configuration.
pub(crate) struct Corpus<'a> {
    pub(crate) config: &'a Config,
    pub(crate) index: Arc<Index>,
}

impl<'a> Corpus<'a> {
    /// The one with this index, or the newest; none if nothing was published yet.
    pub(crate) fn of_if_any(
        config: &'a Config,
        index: Option<&Arc<Index>>,
    ) -> Result<Option<Corpus<'a>>, Error> {
        match Corpus::of(config, index) {
            Err(Error::NotFound(_)) => Ok(None),
            other => other.map(Some),
        }
    }

    /// The one with this index, or the newest. Its sketches must be those that the configuration
    /// makes.
    pub(crate) fn of(config: &'a Config, index: Option<&Arc<Index>>) -> Result<Corpus<'a>, Error> {
        let index = match index {
            Some(index) => Arc::clone(index),
            None => Arc::new(open(config)?),
        };
        if let Some(line) = other_sketches(&index, config) {
            return Err(Error::Usage(format!(
                "failed to ask: the publication was made with other parameters (it does not have {line:?}); run `pipeline run` first"
            )));
        }
        Ok(Corpus { config, index })
    }

    /// The document with this doc_id, URL or id of its own (the newest).
    pub(crate) fn find(&self, name: &OsStr) -> Result<Option<u32>, Error> {
        let Some(name) = name.to_str() else {
            return Ok(None);
        };
        find(&self.index, name)
    }

    /// Reads a document again from the input; `name` is the name that the user gave.
    pub(crate) fn read(&self, doc: u32, name: &OsStr) -> Result<AskedDocument, Error> {
        let (id, url) = self.index.names(doc)?;
        let name = display_name(name);
        let mut found = None;
        let reader = InputReader {
            index: &self.index,
            config: self.config,
            name: &name,
        };
        reader.read(doc, &mut |document, since| {
            found = Some(AskedDocument {
                doc: Some(doc),
                url: url.clone(),
                id: id.clone(),
                since,
                ..AskedDocument::of(document, name.clone())
            });
        })?;
        found.ok_or_else(|| {
            Error::NotFound(format!("failed to read {name} again: it was not found"))
        })
    }
}

/// Reads the document with this name: one of the publication if the name is a doc_id or URL there,
/// else a file.
pub(crate) fn read(
    config: &Config,
    corpus: Option<&Corpus<'_>>,
    name: &OsStr,
) -> Result<AskedDocument, Error> {
    if let Some(corpus) = corpus
        && let Some(doc) = corpus.find(name)?
    {
        return corpus.read(doc, name);
    }
    if !is_file(name) {
        return Err(not_found(corpus, name)?);
    }
    read_single(config, name)
}

/// Reads the only document of a file. Its format is detected: `[input] format` is about the crawl.
pub(crate) fn read_single(config: &Config, name: &OsStr) -> Result<AskedDocument, Error> {
    let shown = display_name(name);
    let (mut first, mut count) = (None, 0);
    each_document(config, name, FormatChoice::Auto, &mut |document| {
        count += 1;
        first.get_or_insert_with(|| AskedDocument::of(document, shown.clone()));
        Ok(())
    })?;
    first.filter(|_| count == 1).ok_or_else(|| {
        let text = format!("failed to read {shown} as one document: it has {count}");
        Error::Usage(text)
    })
}

/// The error that nothing has this name, with the nearest known URLs.
pub(crate) fn not_found(corpus: Option<&Corpus<'_>>, name: &OsStr) -> Result<Error, Error> {
    let shown = display_name(name);
    let Some(corpus) = corpus else {
        return Ok(Error::NotFound(format!(
            "failed to find {shown}: there is no such file, and no publication in which to find a doc_id, URL or id; run `pipeline run` first"
        )));
    };
    let text = format!(
        "failed to find {shown}: there is no such file, and no such doc_id, URL or id in the publication; `-` takes a text from standard input"
    );
    not_published(corpus, name, text)
}

/// The error with this text, and the nearest known URLs behind it.
pub(crate) fn not_published(
    corpus: &Corpus<'_>,
    name: &OsStr,
    mut text: String,
) -> Result<Error, Error> {
    let near = name
        .to_str()
        .map(|name| corpus.index.near_urls(name, 5))
        .transpose()?;
    for (at, (_, url)) in near.unwrap_or_default().iter().enumerate() {
        text += if at == 0 { "; similar URLs: " } else { ", " };
        text += url;
    }
    Ok(Error::NotFound(text))
}
