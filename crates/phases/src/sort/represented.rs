//! The documents that another one represents, read beside the sketches.

use engine::{Engine, Output};
use format::FileKind;
use model::Class;
use runtime::{Error, PhaseName};

/// Tells, in ascending order, which documents are represented by another one.
pub(super) struct RepresentedLookup {
    classes: Output<Class>,
    /// The next class, at or behind the document.
    class: Option<Class>,
    /// Whether another document represents the one that [`RepresentedLookup::go_to`] went to.
    pub(super) here: bool,
}

impl RepresentedLookup {
    pub(super) fn open(engine: &Engine<'_>) -> Result<RepresentedLookup, Error> {
        let mut classes =
            engine.reader::<Class>(PhaseName::Distinct, "classes", FileKind::Classes)?;
        Ok(RepresentedLookup {
            class: classes.next()?,
            classes,
            here: false,
        })
    }

    pub(super) fn go_to(&mut self, doc: u32) -> Result<(), Error> {
        while self.class.is_some_and(|class| class.doc < doc) {
            self.class = self.classes.next()?;
        }
        self.here = self
            .class
            .is_some_and(|class| class.doc == doc && class.representative() != doc);
        Ok(())
    }
}
