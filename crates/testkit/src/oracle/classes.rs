//! Classes of identical, lexically equal and shingle-equivalent documents.
//!
//! Input: documents. Output: for each the members of its classes. Algorithm: each document against
//! each other, by the definition of each [`Equality`]. Memory: O(documents²) in the worst case,
//! when all are equal.

use model::Equality;

use super::question::OracleDocument;

/// The classes of every document.
pub(super) struct Classes {
    /// By document, then from narrow to wide: the members of its class, ascending; empty if it
    /// belongs to none.
    members: Vec<[Vec<u32>; 3]>,
}

/// All classes of all documents.
pub(super) fn find(documents: &[OracleDocument], shingle_class_min: usize) -> Classes {
    let like = |one: &OracleDocument, kind: Equality| -> Vec<u32> {
        (0_u32..)
            .zip(documents)
            .filter(|(_, other)| equal(one, other, kind, shingle_class_min))
            .map(|(n, _)| n)
            .collect()
    };
    Classes {
        members: documents
            .iter()
            .map(|document| Equality::ALL.map(|kind| like(document, kind)))
            .collect(),
    }
}

/// Whether two documents are equal in this sense. A document that belongs to no such class is not
/// even equal to itself.
fn equal(
    one: &OracleDocument,
    other: &OracleDocument,
    kind: Equality,
    shingle_class_min: usize,
) -> bool {
    match kind {
        Equality::Identical => one.identity == other.identity,
        // documents without tokens join only the first class
        Equality::Lexical => {
            one.words > 0 && (one.lexical, one.words) == (other.lexical, other.words)
        }
        Equality::Shingle => {
            let enough =
                one.words > 0 && other.words > 0 && one.fingerprints.len() >= shingle_class_min;
            enough && (one.level, &one.fingerprints) == (other.level, &other.fingerprints)
        }
    }
}

impl Classes {
    /// All documents, ascending.
    pub(super) fn documents(&self) -> impl Iterator<Item = u32> + '_ {
        (0_u32..).zip(&self.members).map(|(doc, _)| doc)
    }

    /// The lowest document of the widest class the document belongs to.
    pub(super) fn representative(&self, doc: u32) -> u32 {
        let widest = self.members[doc as usize]
            .iter()
            .rev()
            .find(|class| !class.is_empty());
        widest
            .and_then(|class| class.first().copied())
            .unwrap_or(doc)
    }

    /// All representatives, ascending.
    pub(super) fn representatives(&self) -> Vec<u32> {
        self.documents()
            .filter(|&doc| self.representative(doc) == doc)
            .collect()
    }

    /// The documents that these representatives stand for, ascending.
    pub(super) fn members(&self, representatives: &[u32]) -> Vec<u32> {
        self.documents()
            .filter(|&doc| representatives.contains(&self.representative(doc)))
            .collect()
    }

    /// The strongest class of two or more, and its lowest document.
    pub(super) fn strongest(&self, doc: u32) -> Option<(Equality, u32)> {
        let classes = Equality::ALL.into_iter().zip(&self.members[doc as usize]);
        classes
            .filter(|(_, class)| class.len() >= 2)
            .find_map(|(kind, class)| Some((kind, *class.first()?)))
    }

    /// Whether all these documents are in one class of this kind.
    pub(super) fn in_one(&self, docs: &[u32], kind: Equality) -> bool {
        docs.first().is_some_and(|&first| {
            let class = &self.members[first as usize][kind as usize];
            docs.iter().all(|doc| class.contains(doc))
        })
    }
}
