//! Pages of the model, in the formats of crawls.
//!
//! *Input.* A [`Model`], a [`Container`], a number of documents. *Output.* Files: WARC with a
//! response a record, the same with a gzip member a record, JSONL of text.
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
pub(crate) use container::{Container, ContainerWriter, Page, PageTotals};
use rayon::prelude::*;
use std::fmt::Write as _;
use std::path::Path;
use testkit::Random;
use testkit::random::mix;
pub(crate) use vocabulary::Vocabulary;

/// Documents of a full file.
pub(crate) const FILE_DOCUMENTS: u64 = 4096;

/// Makes pages.
pub(crate) struct Pages<'a> {
    model: &'a Model,
    vocabulary: Vocabulary,
}

impl<'a> Pages<'a> {
    /// Makes the vocabulary.
    pub(crate) fn new(model: &'a Model) -> Pages<'a> {
        Pages {
            model,
            vocabulary: Vocabulary::new(model.seed),
        }
    }

    /// Fills in document `number` as markup.
    pub(crate) fn html(&self, number: u64, page: &mut Page) {
        let document = self.begin(number, page);
        let mut style = self.style(&document);
        markup::page(&self.vocabulary, &page.words, &mut style, &mut page.body);
    }

    /// Fills in document `number` as text.
    pub(crate) fn text(&self, number: u64, page: &mut Page) {
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

    /// Writes the first `documents` documents into `dir`, which must be there.
    pub(crate) fn write(
        &self,
        container: Container,
        documents: u64,
        dir: &Path,
    ) -> Result<PageTotals> {
        let write_file = |file: u64| {
            let path = dir.join(format!("part-{file:06}"));
            let mut out = ContainerWriter::create(container, &path)?;
            let (first, mut page) = (file * FILE_DOCUMENTS, Page::default());
            for number in first..(first + FILE_DOCUMENTS).min(documents) {
                match container {
                    Container::Jsonl => self.text(number, &mut page),
                    Container::Warc | Container::WarcGz => self.html(number, &mut page),
                }
                out.add(number, &page)?;
            }
            out.finish()
        };
        let files = (0..documents.div_ceil(FILE_DOCUMENTS)).into_par_iter();
        let mut sum = PageTotals::default();
        for written in files.map(write_file).collect::<Result<Vec<_>>>()? {
            sum += written;
        }
        Ok(sum)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::altavista::{ALTAVISTA, Change};
    use crate::corpus::ten_words;
    use clap::ValueEnum;
    use engine::Reporter;
    use model::{Content, Sampling};
    use run::RunOptions;
    use sketch::Sketcher;
    use std::collections::BTreeMap;

    #[test]
    fn pages_are_of_the_size_and_shape_of_1996() {
        let model = Model::of_pages(1, 4000);
        let pages = Pages::new(&model);
        let mut page = Page::default();
        let (mut bytes, mut words, mut tags, mut urls) = (0, 0, 0, 0);
        for number in 0..4000 {
            pages.html(number, &mut page);
            assert!(page.body.is_ascii() && page.url.is_ascii());
            bytes += page.body.len();
            words += page.words.len();
            urls += page.url.len();
            tags += page.body.matches('<').count();
        }
        for (what, value, range) in [
            ("bytes a page", bytes / 4000, 4500..5600),
            ("words a page", words / 4000, 460..560),
            ("bytes a tag", bytes / tags, 25..45),
            ("bytes an address", urls / 4000, 50..75),
        ] {
            assert!(range.contains(&value), "{value} {what}");
        }
    }

    /// Lexical fingerprint and all shingles.
    fn sketched(sketcher: &mut Sketcher, content: Content<'_>) -> (u64, Vec<u64>) {
        let sketched = sketcher.sketch(content);
        (sketched.lexical, sketched.fingerprints.to_vec())
    }

    /// Share of the first's shingles that the second has.
    fn shared(of: &[u64], other: &[u64]) -> f64 {
        let is_shared = |shingle: &&u64| other.binary_search(shingle).is_ok();
        of.iter().filter(is_shared).count() as f64 / of.len() as f64
    }

    #[test]
    fn relations_hold_between_real_tokens() {
        let model = Model::of_pages(2, 3000);
        let (pages, mut page) = (Pages::new(&model), Page::default());
        let all = Sampling::Modulus { modulus: 1 };
        let mut sketcher = Sketcher::new(&ten_words(all, "pages"));
        // Originals before copies.
        let mut documents: Vec<(u64, Document)> = (0..3000)
            .map(|number| (number, model.document(number)))
            .collect();
        documents.sort_by_key(|(_, document)| (document.copy.is_some(), document.distinct));
        let mut originals: BTreeMap<(u64, u64), (String, u64, Vec<u64>)> = BTreeMap::new();
        let mut seen = [0; 4];
        for (number, document) in documents {
            pages.text(number, &mut page);
            let words = sketched(&mut sketcher, Content::Text(&page.body)).0;
            pages.html(number, &mut page);
            let (lexical, shingles) = sketched(&mut sketcher, Content::Html(&page.body));
            assert_eq!(lexical, words, "text and markup hold the same words");
            let of = originals.get(&(document.source, document.distinct));
            let kind = match (document.copy, of) {
                (Some(Copy::Identical), Some(of)) => {
                    assert_eq!(page.body, of.0);
                    1
                }
                (Some(Copy::Lexical(_)), Some(of)) => {
                    assert!(page.body != of.0 && lexical == of.1);
                    2
                }
                (Some(Copy::Shingle(_)), Some(of)) => {
                    assert!(lexical != of.1 && shared(&shingles, &of.2) > 0.97);
                    3
                }
                (Some(_), None) => continue,
                (None, _) => {
                    let key = (document.source, document.distinct);
                    originals.insert(key, (page.body.clone(), lexical, shingles.clone()));
                    let share = shared(&shingles, &originals[&(document.source, 0)].2);
                    match document.change {
                        Change::None => assert_eq!(share, 1.0),
                        Change::Edited { .. } => assert!((0.7..0.99).contains(&share), "{share}"),
                        Change::Excerpt { .. } => assert!(share > 0.98, "{share}"),
                    }
                    0
                }
            };
            seen[kind] += 1;
        }
        assert!(seen.iter().all(|count| *count > 20), "{seen:?}");
    }

    #[test]
    fn every_container_is_read_back_by_the_program() {
        let model = Model::of_pages(3, 500);
        let pages = Pages::new(&model);
        for &container in Container::value_variants() {
            let dir = tempfile::tempdir().unwrap();
            let crawl = dir.path().join("pages");
            std::fs::create_dir(&crawl).unwrap();
            let written = pages.write(container, 500, &crawl).unwrap();
            let text = "version = 1\n[input]\npaths = [\"pages\"]\n[work]\nmemory = \"64MiB\"\n\
                        [sketch]\nseed = \"x\"\n";
            let config = config::parse(text, &dir.path().join("pipeline.toml")).unwrap();
            let (options, reporter) = (RunOptions::default(), Reporter::silent());
            let outcome = run::run(&config, &options, &reporter).unwrap();
            let report = outcome.report.unwrap();
            assert_eq!(report.input.documents, 500, "{container:?}");
            assert_eq!(report.input.rejected_total(), 0, "{container:?}");
            assert_eq!(report.input.bytes, written.bytes, "{container:?}");
            let clusters = ALTAVISTA.identical_clusters + ALTAVISTA.mixed_clusters;
            let wanted = clusters * 500 / ALTAVISTA.documents;
            let found = report.clusters.clusters;
            assert!(found.abs_diff(wanted) <= 6, "{found} {wanted}");
        }
    }

    #[test]
    fn pages_are_those_of_the_recorded_runs() {
        let dir = tempfile::tempdir().unwrap();
        let pages = |container: Container| {
            let model = Model::of_pages(1, 5000);
            Pages::new(&model)
                .write(container, 5000, dir.path())
                .unwrap();
            ["part-000000", "part-000001"].map(|name| {
                let path = dir.path().join(name).with_extension(container.name());
                twox_hash::XxHash3_64::oneshot(&std::fs::read(path).unwrap())
            })
        };
        assert_eq!(
            [pages(Container::Warc), pages(Container::Jsonl)],
            [
                [11_647_422_121_912_522_719, 13_560_163_047_628_466_915],
                [9_901_208_249_938_962_204, 17_412_885_943_062_103_338]
            ]
        );
    }
}
