//! Classes and sketch sizes, looked up in ascending order of documents.

use super::sketch_sizes::{DocumentSizes, SketchSizes};
use engine::{Engine, Output};
use format::FileKind;
use model::{Class, SizesByLevel};
use runtime::{Error, PhaseName};

/// Classes looked up in ascending order of documents.
pub struct Classes {
    reader: Output<Class>,
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

/// Sketch sizes, common shingles left out, looked up in ascending order of documents.
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
        Ok(self.find(wanted)?.sizes)
    }

    /// The number of shingles that documents of one shingle class share, and the level of their
    /// sketch. Common shingles are left out, unless the sketch has no others.
    ///
    /// # Errors
    /// When a file is missing, damaged, or cannot be read.
    pub fn of_class(&mut self, representative: u32) -> Result<(u32, usize), Error> {
        let DocumentSizes { sizes, lost, .. } = self.find(representative)?;
        let (level, size) = sizes.own_size();
        Ok((if size == 0 { lost } else { size }, level))
    }

    /// The sizes of a document; unknown if it has none.
    fn find(&mut self, wanted: u32) -> Result<DocumentSizes, Error> {
        if self.current.is_none_or(|current| current.doc < wanted) {
            self.reader.skip_segments(wanted);
        }
        while self.current.is_none_or(|current| current.doc < wanted) {
            let Some(next) = self.reader.next()? else {
                break;
            };
            self.current = Some(next);
        }
        let found = self.current.filter(|current| current.doc == wanted);
        Ok(found.unwrap_or(DocumentSizes {
            doc: wanted,
            sizes: SizesByLevel::unknown(),
            lost: 0,
        }))
    }
}
