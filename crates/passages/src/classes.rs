//! Documents that have a window; of those of equal tokens one stands for all.

use config::PassagesConfig;
use engine::{Classes, Engine, Error, segments::Marks};

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
