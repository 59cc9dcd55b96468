//! The answer of the oracle: rows, links and clusters.

use super::question::OracleParams;
use model::{Equality, Overlap, Ratio};

/// A row of the membership table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OracleRow {
    /// The lowest document of its strongest class of two or more; may be itself.
    pub same_as: Option<u32>,
    /// That class.
    pub same_kind: Option<Equality>,
    /// The lowest document of its cluster.
    pub cluster: u32,
    /// The document that stays in its favour; itself if it stays.
    pub kept: u32,
}

/// A link between two representatives, a < b.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OracleLink {
    /// The lower representative.
    pub a: u32,
    /// The higher representative.
    pub b: u32,
    /// Fingerprints in both sketches.
    pub shared: u32,
    /// Size of the sketch of `a` at `modulus`.
    pub size_a: u32,
    /// Size of the sketch of `b` at `modulus`.
    pub size_b: u32,
    /// The coarser of the two moduli.
    pub modulus: u32,
    /// Whether the resemblance reaches its threshold.
    pub resemblance_reached: bool,
    /// Whether the containment of `a` in `b` reaches the containment threshold.
    pub a_in_b: bool,
    /// Whether the containment of `b` in `a` reaches the containment threshold.
    pub b_in_a: bool,
}

/// Two representatives whose sketches, of a fixed size, are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OracleComparedPair {
    /// The lower representative.
    pub a: u32,
    /// The higher representative.
    pub b: u32,
    /// The counts of their sketches.
    pub overlap: Overlap,
}

/// A cluster of two or more documents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OracleCluster {
    /// Its id: its lowest document.
    pub cluster: u32,
    /// Its documents.
    pub documents: u32,
    /// Its representatives.
    pub distinct: u32,
    /// The weakest relation needed: 0 identical, 1 lexical, 2 shingle, 3 similar.
    pub kind: u8,
    /// The lowest resemblance of its joining links.
    pub weakest: Option<Ratio>,
    /// The document kept; the best by `keep` of several.
    pub kept: u32,
    /// How many documents are kept.
    pub keeps: u32,
}

/// Everything the tables say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OracleOutcome {
    /// One row a document.
    pub rows: Vec<OracleRow>,
    /// All links, sorted by (a, b).
    pub links: Vec<OracleLink>,
    /// Common shingles with the number of representatives that have them and the lowest of these,
    /// sorted.
    pub common: Vec<(u64, u32, u32)>,
    /// Compared pairs of sketches of a fixed size, whatever the floor is; sorted by (a, b).
    pub compared: Vec<OracleComparedPair>,
    /// Clusters of two or more documents, sorted by id.
    pub clusters: Vec<OracleCluster>,
}

impl OracleLink {
    /// Its counts, to take estimates and intervals from.
    pub fn overlap(&self) -> Overlap {
        Overlap {
            shared: self.shared,
            size_a: self.size_a,
            size_b: self.size_b,
            modulus: self.modulus,
        }
    }

    /// Whether it joins clusters.
    pub fn joins(&self, params: &OracleParams) -> bool {
        self.resemblance_reached || (params.containment_joins && (self.a_in_b || self.b_in_a))
    }

    /// The other end of it, seen from `from`; `None` if `from` is no end of it.
    pub fn other(&self, from: u32) -> Option<u32> {
        match from {
            from if from == self.a => Some(self.b),
            from if from == self.b => Some(self.a),
            _ => None,
        }
    }

    /// The end that is contained in the other one while the other is not contained in it.
    pub fn contained_one_way(&self) -> Option<u32> {
        match (self.a_in_b, self.b_in_a) {
            (true, false) => Some(self.a),
            (false, true) => Some(self.b),
            _ => None,
        }
    }
}
