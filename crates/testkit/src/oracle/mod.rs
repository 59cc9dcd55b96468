//! What the program computes, straight from the definitions, in memory.
//!
//! Input: the fingerprints of each document and the parameters of a run. Output: [`OracleOutcome`],
//! everything the published tables say about classes, common shingles, links and clusters.
//!
//! Algorithm: every definition as it is written (*Syntactic Clustering of the Web*, Broder et al.
//! 1997, for common shingles, estimates and clusters): every document is compared with every other.
//! Nothing is shared with the phases but the exact arithmetic of `model`. Memory and time:
//! O(documents²).
//!
//! Expected of the input: `fingerprints` sorted and distinct, as the sampling leaves them;
//! documents of equal identity equal in `lexical`, `words`, `level` and `fingerprints`; documents
//! equal in (`lexical`, `words`) equal in `level` and `fingerprints`. So classes are nested, as
//! they are for real documents.

mod classes;
mod clusters;
mod links;
#[cfg(test)]
mod properties;
#[cfg(test)]
mod tests;

use model::{Equality, Overlap, Ratio, Sampling, Threshold};

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
}

/// What ranks the members of a cluster. Missing values last; ties go to the lower document.
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

/// The parameters of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OracleParams {
    /// The rule that made the sketches.
    pub sampling: Sampling,
    /// A shingle in more sketches than this is common.
    pub common_limit: u64,
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
    /// Star linkage instead of connected components.
    pub star: bool,
    /// Which member of a cluster is kept.
    pub keep: OracleKeep,
}

/// What the membership table says of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OracleRow {
    /// The lowest document of its strongest class of two or more; may be itself.
    pub same_as: Option<u32>,
    /// That class.
    pub same_kind: Option<Equality>,
    /// The lowest document of its cluster.
    pub cluster: u32,
    /// Whether it is the one kept of its cluster.
    pub keep: bool,
    /// How many fingerprints of its representative's sketch are common.
    pub common_shingles: u32,
}

/// A link between two representatives, a < b. Counts leave common shingles out.
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
    /// The lowest resemblance of its links: of all joining ones (components), of those to the kept
    /// class (star).
    pub weakest: Option<Ratio>,
    /// The document kept.
    pub kept: u32,
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

/// The answer for these documents.
pub fn run(documents: &[OracleDocument], params: &OracleParams) -> OracleOutcome {
    let classes = classes::find(documents, params.shingle_class_min);
    let common = links::common_shingles(documents, &classes, params.common_limit);
    let links = links::find(&links::without_common(documents, &classes, &common), params);
    let groups = if params.star {
        clusters::stars(documents, &classes, &links, params)
    } else {
        clusters::components(&classes, &links, params)
    };
    let mut outcome = OracleOutcome {
        rows: rows(documents, &classes, &common),
        links,
        common,
        clusters: Vec::new(),
    };
    for group in &groups {
        let members = classes.members(&group.classes);
        let kept = clusters::kept(documents, &classes, group, params.keep);
        // a group has at least its representative, so both exist
        let (Some(kept), Some(&cluster)) = (kept, members.first()) else {
            continue;
        };
        for (doc, row) in (0_u32..).zip(&mut outcome.rows) {
            if members.contains(&doc) {
                row.cluster = cluster;
                row.keep = doc == kept;
            }
        }
        if members.len() >= 2 {
            outcome
                .clusters
                .push(clusters::describe(&classes, &members, group, kept));
        }
    }
    outcome.clusters.sort_by_key(|cluster| cluster.cluster);
    outcome
}

/// The rows as far as classes and common shingles decide them; each document alone in its cluster.
fn rows(
    documents: &[OracleDocument],
    classes: &classes::Classes,
    common: &[(u64, u32, u32)],
) -> Vec<OracleRow> {
    let mut rows = Vec::new();
    for doc in classes.documents() {
        let strongest = classes.strongest(doc);
        let sketch = &documents[classes.representative(doc) as usize].fingerprints;
        let lost = common
            .iter()
            .filter(|(shingle, _, _)| sketch.contains(shingle))
            .count();
        rows.push(OracleRow {
            same_as: strongest.map(|(_, lowest)| lowest),
            same_kind: strongest.map(|(kind, _)| kind),
            cluster: doc,
            keep: true,
            common_shingles: lost as u32,
        });
    }
    rows
}
