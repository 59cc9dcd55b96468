//! Classes and sketch sizes, looked up in ascending order of documents.

use crate::Engine;
use crate::sketch_sizes::{DocumentSizes, SketchSizes};
use format::{FileKind, RecordReader};
use model::{Class, SizesByLevel};
use runtime::{Error, PhaseName};

/// Classes looked up in ascending order of documents.
pub struct Classes {
    reader: RecordReader<Class>,
    next: Option<Class>,
}

impl Classes {
    /// Opens the classes of a finished phase `distinct`.
    ///
    /// # Errors
    /// When a file is missing, damaged, or cannot be read.
    pub fn open(engine: &Engine<'_>) -> Result<Classes, Error> {
        let mut reader =
            engine.reader::<Class>(PhaseName::Distinct, "classes", FileKind::Classes)?;
        Ok(Classes {
            next: reader.next()?,
            reader,
        })
    }

    /// The class of a document; a class of its own if it shares none.
    ///
    /// # Errors
    /// When a file is missing, damaged, or cannot be read.
    pub fn of(&mut self, doc: u32) -> Result<Class, Error> {
        while self.next.is_some_and(|class| class.doc < doc) {
            self.next = self.reader.next()?;
        }
        Ok(self
            .next
            .filter(|class| class.doc == doc)
            .unwrap_or(Class::alone(doc)))
    }
}

/// Sketch sizes, looked up in ascending order of documents.
pub struct SizeLookup {
    reader: SketchSizes,
    current: Option<DocumentSizes>,
}

impl SizeLookup {
    /// Opens the sizes of a finished phase `pairs`.
    ///
    /// # Errors
    /// When a file is missing, damaged, or cannot be read.
    pub fn open(engine: &Engine<'_>) -> Result<SizeLookup, Error> {
        Ok(SizeLookup {
            reader: SketchSizes::open(engine)?,
            current: None,
        })
    }

    /// The sizes of a document's sketch at all levels.
    ///
    /// # Errors
    /// When a file is missing, damaged, or cannot be read.
    pub fn of(&mut self, wanted: u32) -> Result<SizesByLevel, Error> {
        let found = self.find(wanted)?;
        Ok(found.map_or(SizesByLevel::unknown(), |found| found.sizes))
    }

    /// The number of shingles that documents of one shingle class share, and the level of their
    /// sketch.
    ///
    /// # Errors
    /// When a file is missing, damaged, or cannot be read.
    pub fn of_class(&mut self, representative: u32) -> Result<(u32, usize), Error> {
        let found = self.find(representative)?;
        let Some(DocumentSizes { sizes, dropped, .. }) = found else {
            return Ok((0, 0));
        };
        let (level, size) = sizes.own_size();
        Ok((if size == 0 { *dropped } else { size }, level))
    }

    /// The sizes of a document that has a sketch.
    ///
    /// # Errors
    /// When it has none, or a file is damaged or cannot be read.
    pub fn required(&mut self, wanted: u32) -> Result<&[u32], Error> {
        let missing = || {
            Error::Usage(format!(
                "failed to judge pairs: document {wanted} has no sketch"
            ))
        };
        let found = self.find(wanted)?.ok_or_else(missing)?;
        Ok(&found.sizes.sizes)
    }

    /// The sizes of a document; `None` if there are none.
    fn find(&mut self, wanted: u32) -> Result<Option<&DocumentSizes>, Error> {
        let is_before = |current: &DocumentSizes| current.doc < wanted;
        if self.current.as_ref().is_none_or(is_before) {
            self.reader.skip_segments(wanted);
        }
        while self.current.as_ref().is_none_or(is_before) {
            let Some(next) = self.reader.next()? else {
                return Ok(None);
            };
            self.current = Some(next);
        }
        Ok(self
            .current
            .as_ref()
            .filter(|current| current.doc == wanted))
    }
}
