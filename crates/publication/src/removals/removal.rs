//! The record of a removed document, and the file of all of them.
//!
//! The file is in document order. Every later step reads it.

use super::candidate::NONE;
use super::overlaps::DocumentPair;
use engine::{Error, ScratchDir};
use format::ScratchFile;
use model::{Equality, Overlap, keyed, record, word_record};

/// A removed document, by the document first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct RemovalRecord {
    /// The removed document.
    pub doc: u32,
    /// The kept document; [`NONE`] if none is kept.
    pub kept: u32,
    /// The number of the narrowest class that both are in, or
    /// [`SIMILAR`](super::candidate::SIMILAR).
    pub relation: u32,
    /// Shared shingles.
    pub shared: u32,
    /// Shingles of the removed document.
    pub size: u32,
    /// Shingles of the kept one.
    pub kept_size: u32,
    /// The modulus of these counts.
    pub modulus: u32,
    /// Links from one to the other; [`NOT_COUNTED`] if that is not known.
    pub links: u32,
}

record! {
    RemovalRecord { doc, kept, relation, shared, size, kept_size, modulus, links },
    |removal| u64::from(removal.doc) << 32
}

word_record! { RemovalRecord { doc, kept, relation, shared, size, kept_size, modulus, links } }
keyed! { RemovalRecord: u32 = |removal| removal.doc }

/// Stands for a number of links that was not counted.
pub const NOT_COUNTED: u32 = u32::MAX;

impl RemovalRecord {
    /// The removal of the first document of a pair in favour of the other one.
    pub(crate) fn new(
        pair: &DocumentPair,
        relation: u32,
        overlap: Overlap,
        links: u32,
    ) -> RemovalRecord {
        RemovalRecord {
            doc: pair.doc,
            kept: pair.other,
            relation,
            shared: overlap.shared,
            size: overlap.size_a,
            kept_size: overlap.size_b,
            modulus: overlap.modulus,
            links,
        }
    }

    /// The overlap of the two documents.
    pub fn overlap(&self) -> Overlap {
        Overlap {
            shared: self.shared,
            size_a: self.size,
            size_b: self.kept_size,
            modulus: self.modulus,
        }
    }

    /// Whether both documents have equal bodies.
    pub fn has_equal_body(&self) -> bool {
        self.relation == Equality::Identical as u32
    }

    /// Whether both documents have equal tokens.
    pub fn has_equal_tokens(&self) -> bool {
        self.relation <= Equality::Lexical as u32
    }

    /// Whether the overlap is known and need not be estimated: both documents have equal tokens.
    /// Where whole pages were compared, they may differ beside their main part all the same.
    pub fn is_equal(&self) -> bool {
        self.has_equal_tokens() && self.shared == self.size && self.shared == self.kept_size
    }

    /// The kept document; none with `--drop-all`.
    pub fn kept_document(&self) -> Option<u32> {
        Some(self.kept).filter(|&kept| kept != NONE)
    }

    /// The resemblance to the kept document; none if neither has a shingle that counts.
    pub fn resemblance(&self) -> Option<f64> {
        self.kept_document()?;
        if self.is_equal() {
            return Some(1.0);
        }
        let ratio = self.overlap().shared_of_union();
        (ratio.denominator > 0).then(|| ratio.to_f64())
    }
}

/// All removals, in document order.
pub type RemovalFile = ScratchFile<RemovalRecord>;

/// The name of that file.
pub const REMOVALS: &str = "removals.run-file";

/// The removals but those of documents that stay; `stays` is asked in ascending order.
pub fn without(
    scratch: &ScratchDir,
    removals: &RemovalFile,
    mut stays: impl FnMut(u32) -> Result<bool, Error>,
) -> Result<RemovalFile, Error> {
    let (mut reader, mut left) = (removals.read()?, scratch.file("removals-left.run-file")?);
    while let Some(removal) = reader.next()? {
        if !stays(removal.doc)? {
            left.push(&removal)?;
        }
    }
    Ok(left.finish()?)
}
