//! Pairs each document to remove with the document that is kept in its favour.
//!
//! *Input.* Members and classes, in document order. *Output.* A [`RemovalCandidate`] for each
//! document to remove. *Algorithm.* A sort brings the documents that go for the same one together.
//! *Memory.* Two sorts.

use super::overlaps::DocumentPair;
use super::task::RemovalTask;
use engine::{Error, PhaseName};
use format::{FileKind, MemberRecord};
use model::{Class, word_record};
use sort::SortedWords;

/// A document to remove and the one that is kept in its favour, in the order of pair counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct RemovalCandidate {
    /// The document to remove, and the kept one.
    pub(crate) pair: DocumentPair,
    /// The number of the narrowest class that both are in, or [`SIMILAR`].
    pub(crate) relation: u32,
}

word_record! { RemovalCandidate { pair, relation } }

/// A document to remove, by the kept one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Going {
    /// The document that is kept in its favour.
    pub kept: u32,
    /// 1 if it has no body of its own.
    pub is_bodiless: u8,
    /// The document.
    pub doc: u32,
    /// The lowest document of each class that it is in.
    pub lowest: [u32; 3],
}

word_record! { Going { kept, is_bodiless, doc, lowest } }

impl Going {
    /// A document of this class; whether it has a body does not matter.
    pub fn of(class: &Class, kept: u32) -> Going {
        Going {
            kept,
            is_bodiless: 0,
            doc: class.doc,
            lowest: class.lowest,
        }
    }

    fn class(&self) -> Class {
        Class {
            doc: self.doc,
            lowest: self.lowest,
        }
    }
}

/// The relation of documents that share no class.
pub const SIMILAR: u32 = 3;

/// Stands for a document that does not exist: with `--drop-all` nothing is kept.
pub const NONE: u32 = u32::MAX;

/// The candidate of a document and the one kept in its favour.
fn candidate(document: &Class, kept: &Class) -> RemovalCandidate {
    let both = document
        .lowest
        .iter()
        .zip(kept.lowest)
        .position(|(a, b)| *a != Class::NONE && *a == b);
    let relation = both.map_or(SIMILAR, |class| class as u32);
    let (own, other) = (document.representative(), kept.representative());
    RemovalCandidate {
        pair: DocumentPair {
            lower: own.min(other),
            higher: own.max(other),
            doc: document.doc,
            other: kept.doc,
            is_higher: own > other,
        },
        relation,
    }
}

/// Which members of a cluster go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Members {
    /// All but the kept ones, as `keep` in the table `membership` has it.
    NotKept,
    /// Of these only documents that copies may lose: not a document with a body for which one
    /// without is kept.
    NotKeptAndCopied,
}

/// Pairs members of clusters that go and `may_go` with the documents kept in their favour.
pub fn from_clusters(
    task: &RemovalTask<'_>,
    members: Members,
    may_go: impl Fn(u32) -> bool,
) -> Result<SortedWords<RemovalCandidate>, Error> {
    let engine = task.engine;
    let mut going = task.by_document::<Going>("going");
    let mut classes = engine.classes()?;
    let mut revisited = engine.segments()?.revisited();
    let mut reader =
        engine.reader::<MemberRecord>(PhaseName::Cluster, "members", FileKind::Members)?;
    while let Some(member) = reader.next()? {
        if !member.stays() && may_go(member.doc) {
            going.push(Going {
                is_bodiless: u8::from(revisited.has(member.doc)?),
                ..Going::of(&classes.of(member.doc)?, member.kept)
            })?;
        }
    }
    pair_up(task, members, going.finish()?)
}

/// Makes candidates of documents that go.
pub fn pair_up(
    task: &RemovalTask<'_>,
    members: Members,
    mut going: SortedWords<Going>,
) -> Result<SortedWords<RemovalCandidate>, Error> {
    let mut candidates = task.by_document::<RemovalCandidate>("wants");
    let mut classes = task.engine.classes()?;
    let mut revisited = task.engine.segments()?.revisited();
    while let Some(document) = going.next()? {
        let would_lose_a_body = document.is_bodiless == 0 && revisited.has(document.kept)?;
        if members == Members::NotKept || !would_lose_a_body {
            let kept = classes.of(document.kept)?;
            candidates.push(candidate(&document.class(), &kept))?;
        }
    }
    drop(going);
    candidates.finish().map_err(Error::from)
}
