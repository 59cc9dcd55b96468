//! Documents of equal tokens: one stands for all, and one of them is read.

use config::PassagesConfig;
use engine::{Classes, Engine, Error, segments::Marks};
use exact::{Bodies, Workplace};
use model::Class;

/// Which document is read for one.
pub(super) struct EqualDocuments(Option<Bodies>);

impl EqualDocuments {
    /// Looks up which documents have a body of their own. `counts_all` says that each document
    /// counts by itself.
    pub(super) fn find(place: &Workplace<'_>, counts_all: bool) -> Result<EqualDocuments, Error> {
        let lowest = match counts_all {
            true => |class: &Class| class.doc,
            false => Class::lowest_of_equal_tokens,
        };
        Bodies::find(place, lowest).map(|bodies| EqualDocuments(Some(bodies)))
    }

    /// Each document has a body of its own.
    #[cfg(test)]
    pub(super) fn none() -> EqualDocuments {
        EqualDocuments(None)
    }

    /// The document that is read for one.
    pub(super) fn text_of(&mut self, doc: u32) -> Result<u32, Error> {
        match &mut self.0 {
            Some(bodies) => bodies.of(doc),
            None => Ok(doc),
        }
    }
}

/// A document that has a window.
#[derive(Clone, Copy)]
pub(super) struct LongDocument {
    pub(super) doc: u32,
    /// The document that stands for it: itself, or the lowest of those with its tokens.
    pub(super) standing: u32,
}

/// The documents that have a window, in order.
pub(super) struct LongDocuments {
    settings: PassagesConfig,
    marks: Marks,
    classes: Classes,
}

impl LongDocuments {
    pub(super) fn of_run(
        engine: &Engine<'_>,
        settings: PassagesConfig,
    ) -> Result<LongDocuments, Error> {
        Ok(LongDocuments {
            settings,
            marks: engine.segments()?.marks(),
            classes: engine.classes()?,
        })
    }

    /// The next one.
    pub(super) fn next_document(&mut self) -> Result<Option<LongDocument>, Error> {
        let PassagesConfig { words, counts_all } = self.settings;
        while let Some((doc, mark)) = self.marks.next()? {
            if mark.words >= u64::from(words) {
                let standing = match counts_all {
                    true => doc,
                    false => self.classes.of(doc)?.lowest_of_equal_tokens(),
                };
                return Ok(Some(LongDocument { doc, standing }));
            }
        }
        Ok(None)
    }
}
