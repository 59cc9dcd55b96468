//! The documents that another one represents, read beside the sketches.

use crate::Engine;
use format::{FileKind, RecordReader};
use model::Class;
use runtime::{Error, PhaseName};

/// Tells, in ascending order, which documents are represented by another one.
pub struct RepresentedLookup {
    classes: RecordReader<Class>,
    /// The next class, at or behind the document.
    class: Option<Class>,
    /// Whether another document represents the one that [`RepresentedLookup::go_to`] went to.
    pub here: bool,
}

impl RepresentedLookup {
    /// Opens the classes of a finished phase `distinct`.
    ///
    /// # Errors
    /// When they are missing or damaged.
    pub fn open(engine: &Engine<'_>) -> Result<RepresentedLookup, Error> {
        let mut classes =
            engine.reader::<Class>(PhaseName::Distinct, "classes", FileKind::Classes)?;
        Ok(RepresentedLookup {
            class: classes.next()?,
            classes,
            here: false,
        })
    }

    /// Moves on to a document.
    ///
    /// # Errors
    /// When the classes are damaged or cannot be read.
    pub fn go_to(&mut self, doc: u32) -> Result<(), Error> {
        while self.class.is_some_and(|class| class.doc < doc) {
            self.class = self.classes.next()?;
        }
        self.here = self
            .class
            .is_some_and(|class| class.doc == doc && class.representative() != doc);
        Ok(())
    }
}
