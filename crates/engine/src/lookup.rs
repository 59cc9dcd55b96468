//! The results of phases for documents and pairs, looked up in ascending order.

use crate::sketch_sizes::{DocumentSizes, SketchSizes};
use crate::{Engine, FileLookup};
use crate::{Error, PhaseName};
use format::{FileKind, LinkRecord, SettledRecord};
use model::{Class, SizesByLevel};

/// The file of the pairs that phase `pairs` compared sketch by sketch.
pub const COMPARED: &str = "compared";

impl Engine<'_> {
    /// The classes of a finished phase `distinct`.
    pub fn classes(&self) -> Result<Classes, Error> {
        let classes = self.lookup(PhaseName::Distinct, "classes", FileKind::Classes);
        classes.map(Classes)
    }

    /// The sketch sizes of a finished phase `pairs`, to be asked for ascending documents.
    pub fn sizes(&self) -> Result<SizeLookup, Error> {
        Ok(SizeLookup {
            reader: self.sketch_sizes()?,
            current: None,
        })
    }

    /// The pairs that a finished phase `pairs` compared, in order: those of sketches of a fixed
    /// size that reached the floor. `None` where pair counts say how pairs compare.
    pub fn compared_pairs(&self) -> Result<Option<FileLookup<LinkRecord>>, Error> {
        let are_compared = self.config.sketch.sampling.has_fixed_size();
        let open = || self.lookup(PhaseName::Pairs, COMPARED, FileKind::Links);
        are_compared.then(open).transpose()
    }

    /// The exact counts of the pairs that a finished phase `settle` compared, in order.
    pub fn settled_pairs(&self) -> Result<FileLookup<SettledRecord>, Error> {
        self.lookup(PhaseName::Settle, "settled", FileKind::Settled)
    }
}

/// Classes looked up in ascending order of documents.
pub struct Classes(FileLookup<Class>);

impl Classes {
    /// The class of a document; a class of its own if it shares none.
    pub fn of(&mut self, doc: u32) -> Result<Class, Error> {
        Ok(self.0.of(doc)?.unwrap_or(Class::alone(doc)))
    }

    /// Whether another document represents this one.
    #[inline]
    pub fn is_represented(&mut self, doc: u32) -> Result<bool, Error> {
        let class = self.0.of(doc)?;
        Ok(class.is_some_and(|class| class.representative() != doc))
    }
}

/// Sketch sizes, looked up in ascending order of documents.
pub struct SizeLookup {
    reader: SketchSizes,
    current: Option<DocumentSizes>,
}

impl SizeLookup {
    /// The sizes of a document's sketch at all levels.
    pub fn of(&mut self, wanted: u32) -> Result<SizesByLevel, Error> {
        let found = self.find(wanted)?;
        Ok(found.map_or(SizesByLevel::unknown(), |found| found.sizes))
    }

    /// The number of shingles that documents of one shingle class share, and the level of their
    /// sketch.
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
