//! Pages of the model, in the formats of crawls.
//!
//! *Input.* A [`Model`], a [`Container`], a range of documents. *Output.* Files: WARC with a
//! response a record, the same with a gzip member a record, JSONL of text, a tree of pages.
//! *Algorithm.* Document n is written from n alone: its words by [`words`], in the [`markup`] of
//! its style, under an address of its own. A file holds [`FILE_DOCUMENTS`] documents, and files are
//! written by as many threads as there are. *Memory.* A document and a buffer a thread, and the
//! vocabulary.

mod container;
mod markup;
mod vocabulary;
mod words;

use super::plan::Purpose;
use super::{Copy, Document, Model};
use anyhow::Result;
pub(crate) use container::ContainerFile;
pub use container::{Container, Page, Written};
use rayon::prelude::*;
use std::fmt::Write as _;
use std::path::Path;
use testkit::Random;
use testkit::random::mix;
pub use vocabulary::Vocabulary;

/// Documents of a file, or of a directory of a tree.
pub const FILE_DOCUMENTS: u64 = 4096;

/// Makes pages.
pub struct Pages<'a> {
    model: &'a Model,
    vocabulary: Vocabulary,
}

impl<'a> Pages<'a> {
    /// Makes the vocabulary.
    pub fn new(model: &'a Model) -> Pages<'a> {
        Pages {
            model,
            vocabulary: Vocabulary::new(model.seed),
        }
    }

    /// Fills in document `number` as markup.
    pub fn html(&self, number: u64, page: &mut Page) {
        let document = self.begin(number, page);
        let mut style = self.style(&document);
        markup::page(&self.vocabulary, &page.words, &mut style, &mut page.body);
    }

    /// Fills in document `number` as text.
    pub fn text(&self, number: u64, page: &mut Page) {
        let document = self.begin(number, page);
        let mut style = self.style(&document);
        page.body.clear();
        for &word in &page.words {
            page.body.push_str(self.vocabulary.word(word));
            page.body.push_str(match style.bits() & 0x1F {
                0 => ".\n",
                1 => ", ",
                2 => " \"",
                _ => " ",
            });
        }
    }

    fn begin(&self, number: u64, page: &mut Page) -> Document {
        let document = self.model.document(number);
        words::words(self.model, &self.vocabulary, &document, &mut page.words);
        let mut random = self.model.stream(Purpose::Site, number);
        let [host, user, name] =
            [(); 3].map(|()| self.vocabulary.word(self.vocabulary.draw(&mut random)));
        let (top, at) = (
            random.pick(["com", "edu", "org", "net", "ac.uk", "de"]),
            random.below(1000),
        );
        page.url.clear();
        _ = write!(
            page.url,
            "http://www{at}.{host}{user}.{top}/~{user}/documents/{name}/{number}.html"
        );
        // Addresses are ASCII.
        page.url.retain(|letter| letter.is_ascii());
        document
    }

    /// Copies to the byte have one style, all others their own.
    fn style(&self, document: &Document) -> Random {
        let variant = match document.copy {
            None | Some(Copy::Identical) => 0,
            Some(Copy::Lexical(number) | Copy::Shingle(number)) => number + 1,
        };
        self.model.stream(
            Purpose::Style,
            mix(document.source ^ document.distinct << 40) ^ variant,
        )
    }

    /// Writes the documents from 0 to `documents` into `dir`, which must be there.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn write(&self, container: Container, documents: u64, dir: &Path) -> Result<Written> {
        let files = (0..documents.div_ceil(FILE_DOCUMENTS)).into_par_iter();
        let written = files.map(|file| {
            let first = file * FILE_DOCUMENTS;
            let last = (first + FILE_DOCUMENTS).min(documents);
            self.write_file(
                container,
                (first, last),
                &dir.join(format!("part-{file:06}")),
            )
        });
        let add = |mut sum: Written, next: Written| {
            sum += next;
            sum
        };
        written.try_reduce(Written::default, |sum, next| Ok(add(sum, next)))
    }

    fn write_file(
        &self,
        container: Container,
        (first, last): (u64, u64),
        name: &Path,
    ) -> Result<Written> {
        let mut page = Page::default();
        let mut file = ContainerFile::create(container, name)?;
        for number in first..last {
            match container {
                Container::Jsonl => self.text(number, &mut page),
                Container::Tree | Container::Warc | Container::WarcGz => {
                    self.html(number, &mut page);
                }
            }
            file.add(number, &page)?;
        }
        file.finish()
    }
}

#[cfg(test)]
mod tests;
