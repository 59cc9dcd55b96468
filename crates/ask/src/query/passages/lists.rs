//! The passages that stand at most places, and the documents of which most stands elsewhere.
//!
//! *Input.* The index; the documents of the rows that are shown, read again for their words.
//! *Output.* [`PassagesAnswer`]; for pages [`PassageLists`]. *Algorithm.* One pass over all
//! passages. *Memory.* Some 60 bytes for each row of a list; the text of one document.

use super::{NameRoom, NamedDocument, PassageView, known, named};
use crate::asked_document::text_again;
use crate::index::Index;
use config::Config;
use engine::Error;
use format::PassageRecord;
use publication::leading_passages::{Covered, LeadingPassages};
use serde::Serialize;
use std::collections::BTreeMap;
use std::ops::Range;

/// The first rows of both lists.
#[derive(Clone, Debug, Serialize)]
pub struct PassagesAnswer {
    /// Passages of all documents.
    pub total: u64,
    /// Words of the shortest passage.
    pub shortest: u32,
    /// The passages that stand at most places, each where it stands first.
    pub most_repeated: Vec<ListedPassage>,
    /// The documents of which the largest share stands elsewhere, too.
    pub most_covered: Vec<ListedDocument>,
}

/// A passage of a list.
#[derive(Clone, Debug, Serialize)]
pub struct ListedPassage {
    /// Its document.
    #[serde(flatten)]
    pub document: NamedDocument,
    /// The passage.
    #[serde(flatten)]
    pub passage: PassageView,
}

/// A document of a list.
#[derive(Clone, Debug, Serialize)]
pub struct ListedDocument {
    /// The document.
    #[serde(flatten)]
    pub document: NamedDocument,
    /// Its words.
    pub words: u64,
    /// Its words in passages.
    pub repeated_words: u64,
}

/// The passages and documents that lead their lists, of which rows are shown page by page.
#[derive(Debug)]
pub struct PassageLists {
    total: u64,
    passages: Vec<PassageRecord>,
    documents: Vec<Covered>,
}

/// The first rows of both lists, at most `limit`.
///
/// # Errors
/// When the run did not look for passages.
pub fn leading_passages(
    index: &Index,
    config: &Config,
    limit: usize,
) -> Result<PassagesAnswer, Error> {
    let lists = PassageLists::read(index, limit)?;
    Ok(PassagesAnswer {
        total: lists.total,
        shortest: known(index)?.shortest(),
        most_covered: lists.documents(index, 0..limit)?,
        most_repeated: lists.passages(index, config, 0..limit)?,
    })
}

impl PassageLists {
    /// Reads all passages; keeps at most `limit` rows of both lists.
    ///
    /// # Errors
    /// When the run did not look for passages.
    pub fn read(index: &Index, limit: usize) -> Result<PassageLists, Error> {
        let mut leading = LeadingPassages::of(limit);
        for passage in known(index)?.all()?.iter() {
            let passage = passage?;
            leading.add(passage, index.mark(passage.doc)?.words);
        }
        let total = leading.total;
        let (passages, documents) = leading.sorted();
        Ok(PassageLists {
            total,
            passages,
            documents,
        })
    }

    /// Rows of both lists.
    pub fn counts(&self) -> [usize; 2] {
        [self.passages.len(), self.documents.len()]
    }

    /// Passages of the list by name, with their text.
    pub fn passages(
        &self,
        index: &Index,
        config: &Config,
        rows: Range<usize>,
    ) -> Result<Vec<ListedPassage>, Error> {
        let (known, mut room) = (known(index)?, NameRoom::default());
        let limit = rows.len();
        let passages = of_rows(&self.passages, rows);
        let listed = passages.iter().map(|passage| {
            Ok(ListedPassage {
                document: named(index, passage.doc, &mut room)?,
                passage: PassageView::of(index, known, passage, limit, &mut room)?,
            })
        });
        let mut listed: Vec<ListedPassage> = listed.collect::<Result<_, Error>>()?;
        let mut by_doc: BTreeMap<u32, Vec<&mut PassageView>> = BTreeMap::new();
        for (passage, listed) in passages.iter().zip(&mut listed) {
            let views = by_doc.entry(passage.doc).or_default();
            views.push(&mut listed.passage);
        }
        for (doc, views) in by_doc {
            if let Ok(text) = text_again(index, config, doc)? {
                views.into_iter().for_each(|passage| passage.read(&text));
            }
        }
        Ok(listed)
    }

    /// Documents of the list by name.
    pub fn documents(
        &self,
        index: &Index,
        rows: Range<usize>,
    ) -> Result<Vec<ListedDocument>, Error> {
        let mut room = NameRoom::default();
        let documents = of_rows(&self.documents, rows).iter();
        let listed = documents.map(|covered| {
            Ok(ListedDocument {
                document: named(index, covered.doc, &mut room)?,
                words: covered.words,
                repeated_words: covered.repeated_words,
            })
        });
        listed.collect()
    }
}

/// The rows of a list, as far as there are such.
fn of_rows<T>(list: &[T], rows: Range<usize>) -> &[T] {
    let end = rows.end.min(list.len());
    &list[rows.start.min(end)..end]
}
