//! Documents by the names people give them: a file, or the doc_id or URL of a document of the publication.
//!
//! *Input.* A name; the query index of the newest publication. *Output.* [`Page`]: the text of the document. *Algorithm.* A
//! document of the publication is read again from the input by its recorded place; the fingerprint of its body says
//! whether it is still what it was. *Memory.* The text, up to `max-document`. *Limits.* A file must hold one document.

use crate::Error;
use crate::config::Config;
use crate::phases::segment::identity;
use crate::query::{damaged, open};
use crate::tokens::escape_glob;
use input::{
    Discovery, Document, FormatChoice, LargeRecords, Piece, ReadOptions, Rejection, Sink, SinkError, SourceFile,
};
use model::Content;
use query::Index;
use std::path::Path;

/// A document with its text.
#[derive(Clone, Debug)]
pub(crate) struct Page {
    /// As it was asked for.
    pub(crate) name: String,
    /// Its number in the index, if it is of the publication.
    pub(crate) doc: Option<u32>,
    /// The URL it has there, or in its file.
    pub(crate) url: Option<String>,
    /// Whether it is no longer what the run has read.
    pub(crate) changed: bool,
    is_html: bool,
    text: String,
}

impl Page {
    pub(crate) fn content(&self) -> Content<'_> {
        if self.is_html { Content::Html(&self.text) } else { Content::Text(&self.text) }
    }
}

/// The publication of a configuration.
pub(crate) struct Corpus<'a> {
    pub(crate) config: &'a Config,
    pub(crate) index: Index,
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
    pub(crate) fn open(config: &'a Config) -> Result<Corpus<'a>, Error> {
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
    pub(crate) fn find(&self, name: &str) -> Result<Option<u32>, Error> {
        if let Some(doc) = name.parse::<i64>().ok().and_then(|id| self.index.doc_of(id)) {
            return Ok(Some(doc));
        }
        let found = self.index.docs_of_url(name, 1).map_err(damaged)?;
        Ok(found.docs.first().copied())
    }

    /// The common shingles that occur in either ascending list, with the representatives that have them, ascending.
    pub(crate) fn common(&self, a: &[u64], b: &[u64]) -> Result<Vec<(u64, u32)>, Error> {
        let mut common = Vec::new();
        for record in self.index.common_shingles().map_err(damaged)?.iter() {
            let record = record.map_err(damaged)?;
            if a.binary_search(&record.shingle).is_ok() || b.binary_search(&record.shingle).is_ok() {
                common.push((record.shingle, record.documents));
            }
        }
        Ok(common)
    }

    /// Reads a document again from the input.
    pub(crate) fn page(&self, doc: u32, name: &str) -> Result<Page, Error> {
        let row = self.index.document(doc).map_err(damaged)?;
        let source = self.index.source(row.file).map_err(damaged)?;
        let known = source.file(&self.config.base).ok_or_else(|| {
            Error::NotFound(format!("failed to read {name} again: {} is of a format no longer known", source.name))
        })?;
        let file = as_it_is_now(&known)
            .map_err(|why| Error::NotFound(format!("failed to read {name} again: {} {why}", known.path.display())))?;
        let wanted = self.index.mark(doc).map_err(damaged)?.identity;
        let seed = self.config.sketch.keys.content_seed();
        let mut page = None;
        let read = input::read_document_at(&file, &row.place, &options(self.config), &mut |document| {
            let found = Page::of(document, name);
            let changed = identity(document, seed) != wanted;
            page = Some(Page { doc: Some(doc), url: row.url.clone(), changed, ..found });
        });
        read.map_err(Error::Input)?;
        page.ok_or_else(|| {
            Error::NotFound(format!(
                "failed to read {name} again: {} changed since the run, and no document begins at its place; run again",
                known.path.display()
            ))
        })
    }
}

impl Page {
    fn of(document: &Document<'_>, name: &str) -> Page {
        let (is_html, text) = (matches!(document.content, Content::Html(_)), document.content.as_str().to_owned());
        let url = document.url.map(str::to_owned);
        Page { name: name.to_owned(), doc: None, url, changed: false, is_html, text }
    }
}

/// The file that lies now where one was read.
fn as_it_is_now(known: &SourceFile) -> Result<SourceFile, String> {
    let found = discover(&known.path, FormatChoice::Only(known.format)).map_err(|error| error.to_string())?;
    found.ok_or_else(|| "can no longer be read".to_owned())
}

fn discover(path: &Path, format: FormatChoice) -> Result<Option<SourceFile>, Error> {
    let base = std::env::current_dir().map_err(Error::io("find the current directory"))?;
    let listing = input::discover(&Discovery { paths: vec![escape_glob(path)], base, format })?;
    if let Some((name, rejection)) = listing.rejected.first() {
        return Err(Error::NotFound(format!("failed to read {name}: {} {}", rejection.reason, rejection.detail)));
    }
    Ok(listing.files.into_iter().next())
}

fn options(config: &Config) -> ReadOptions {
    ReadOptions {
        fields: config.input.fields.clone(),
        max_document_bytes: config.input.max_document_bytes,
        large: LargeRecords::default(),
    }
}

/// Hands all documents of a file, of whatever format its content shows, to a sink; its name is not looked at by
/// `[input] format`, which is about the crawl.
pub(crate) fn read_file(config: &Config, path: &Path, sink: &mut dyn Sink) -> Result<(), Error> {
    if path.is_dir() {
        return Err(Error::Usage(format!("failed to read {}: it is a directory", path.display())));
    }
    let file = discover(path, FormatChoice::Auto)?;
    let Some(file) = file else { return Err(Error::NotFound(format!("failed to read {}", path.display()))) };
    let piece = Piece { file: 0, start: 0, end: file.bytes };
    input::read_piece(&file, &piece, Some(0), &options(config), sink)?;
    Ok(())
}

/// The document with this name: of the publication if it is a doc_id or URL there, else a file.
pub(crate) fn page(config: &Config, corpus: Option<&Corpus<'_>>, name: &str) -> Result<Page, Error> {
    if let Some(corpus) = corpus
        && let Some(doc) = corpus.find(name)?
    {
        return corpus.page(doc, name);
    }
    if !Path::new(name).exists() {
        return Err(unknown(corpus, name)?);
    }
    file_page(config, Path::new(name), name)
}

/// The one document of a file.
pub(crate) fn file_page(config: &Config, path: &Path, name: &str) -> Result<Page, Error> {
    let mut one = One { name, page: None, more: 0, rejected: None };
    read_file(config, path, &mut one)?;
    if one.more > 0 {
        let count = one.more + 1;
        return Err(Error::Usage(format!("failed to take {name} as a document: it holds {count}, expected one")));
    }
    let why = one.rejected.unwrap_or_else(|| "it holds none".to_owned());
    one.page.ok_or_else(|| Error::NotFound(format!("failed to find a document in {name}: {why}")))
}

/// Nothing has this name; says what has almost this one.
pub(crate) fn unknown(corpus: Option<&Corpus<'_>>, name: &str) -> Result<Error, Error> {
    let mut text = format!("failed to find {name}: no file, and no doc_id or URL of a publication here");
    if let Some(corpus) = corpus {
        let near = corpus.index.near_urls(name, 5).map_err(damaged)?;
        for (at, (_, url)) in near.iter().enumerate() {
            text += if at == 0 { "; known are " } else { ", " };
            text += url;
        }
    }
    Ok(Error::NotFound(text))
}

/// Takes the first document, counts the others.
struct One<'a> {
    name: &'a str,
    page: Option<Page>,
    more: u64,
    rejected: Option<String>,
}

impl Sink for One<'_> {
    fn document(&mut self, document: &Document<'_>) -> Result<(), SinkError> {
        match &self.page {
            Some(_) => self.more += 1,
            None => self.page = Some(Page::of(document, self.name)),
        }
        Ok(())
    }
    fn rejected(&mut self, rejection: Rejection) -> Result<(), SinkError> {
        self.rejected.get_or_insert_with(|| format!("{} {}", rejection.reason, rejection.detail));
        Ok(())
    }
    fn skipped(&mut self, _: &str) {}
}
