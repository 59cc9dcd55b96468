//! The input of the oracle: documents, and the parameters of a run.

use model::{KeyRule, Sampling, Threshold};

/// A document as the phases after sketching see it. Its number is its position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OracleDocument {
    /// Fingerprint of body, media type and charset: equal for identical documents.
    pub identity: u128,
    /// Fingerprint of the canonical tokens.
    pub lexical: u64,
    /// Canonical tokens.
    pub words: u64,
    /// Bytes of the body.
    pub bytes: u64,
    /// Microseconds since 1970.
    pub date: Option<i64>,
    /// Level of the sketch: the modulus is [`Sampling::modulus_at`] of it.
    pub level: usize,
    /// The sketch: sorted, distinct, all divisible by the modulus.
    pub fingerprints: Vec<u64>,
    /// All fingerprints: sorted, distinct. Only an exact comparison looks at them.
    pub all: Vec<u64>,
}

/// The rule that ranks the members of a cluster. Missing values last; ties go to the lower
/// document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OracleKeep {
    /// The lowest document.
    First,
    /// The most tokens.
    Longest,
    /// The latest date.
    Newest,
    /// The earliest date.
    Oldest,
}

/// The documents of a cluster that stay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OracleLinkage {
    /// One document.
    Components,
    /// Each class that stays takes its free neighbours.
    Star,
    /// Each class goes for the class that stays and that it resembles most.
    Leader,
}

/// The parameters of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OracleParams {
    /// The rule that made the sketches.
    pub sampling: Sampling,
    /// The keys by which pairs of sketches of a fixed size are found.
    pub keys: KeyRule,
    /// A shingle in more representatives than this is common.
    pub common_limit: u64,
    /// Whether common shingles are left out, or propose no pair of sketches of a fixed size.
    pub drops_common: bool,
    /// Fingerprints from which on equal sketches make a class.
    pub shingle_class_min: usize,
    /// Resemblance that makes a link.
    pub resemblance: Threshold,
    /// Containment that makes a directed link; none are made without it.
    pub containment: Option<Threshold>,
    /// Whether directed links join clusters.
    pub containment_joins: bool,
    /// Shingles that a link must share. A pair that shares none is never a link.
    pub min_shared: u32,
    /// The documents of a cluster that stay.
    pub linkage: OracleLinkage,
    /// Which documents are better kept.
    pub keep: OracleKeep,
}
