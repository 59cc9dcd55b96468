//! Computes the results of the program straight from the definitions, in memory.
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
mod compared;
mod links;
mod outcome;
#[cfg(test)]
mod properties;
mod proposals;
mod question;
#[cfg(test)]
mod tests;

pub use outcome::{OracleCluster, OracleComparedPair, OracleLink, OracleOutcome, OracleRow};
pub use question::{OracleDocument, OracleKeep, OracleLinkage, OracleParams};

/// The answer for these documents.
pub fn run(documents: &[OracleDocument], params: &OracleParams) -> OracleOutcome {
    let classes = classes::find(documents, params.shingle_class_min);
    let mut common = links::common_shingles(documents, &classes, params);
    let (links, compared) = if params.sampling.has_fixed_size() {
        // Sketches are compared whole: no shingle is common.
        common.clear();
        let compared = compared::find(documents, &classes, params);
        (compared::links(&compared, params), compared)
    } else {
        let links = links::find(documents, &classes, &common, params);
        (links, Vec::new())
    };
    let stars = clusters::all_stars(documents, &classes, &links, params);
    let groups = clusters::components(&classes, &links, params);
    let mut outcome = OracleOutcome {
        rows: rows(&classes),
        links,
        common,
        compared,
        clusters: Vec::new(),
    };
    for group in &groups {
        let members = classes.members(&group.classes);
        let mut all_kept = Vec::new();
        for star in clusters::stars_of(group, &stars, params.linkage) {
            // a star has at least a representative
            let kept = clusters::kept(documents, &classes, &star, params.keep);
            for doc in classes.members(&star.classes) {
                let row = &mut outcome.rows[doc as usize];
                (row.cluster, row.kept) = (members[0], kept.unwrap_or(doc));
            }
            all_kept.extend(kept);
        }
        let keeps = all_kept.len() as u32;
        let best = clusters::best(documents, all_kept, params.keep);
        if let Some(kept) = best.filter(|_| members.len() >= 2) {
            let cluster = clusters::describe(&classes, &members, group, [kept, keeps]);
            outcome.clusters.push(cluster);
        }
    }
    outcome.clusters.sort_by_key(|cluster| cluster.cluster);
    outcome
}

/// The rows as far as classes decide them; each document alone in its cluster.
fn rows(classes: &classes::Classes) -> Vec<OracleRow> {
    let row = |doc: u32| {
        let strongest = classes.strongest(doc);
        OracleRow {
            same_as: strongest.map(|(_, lowest)| lowest),
            same_kind: strongest.map(|(kind, _)| kind),
            cluster: doc,
            kept: doc,
        }
    };
    classes.documents().map(row).collect()
}
