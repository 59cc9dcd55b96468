//! What a run will count, worked out from the model without making a document.

use super::Model;
use super::plan::{EDIT_GAP_MAX, SHINGLE_WORDS, Templated};

/// Expected counts of a run with a fixed modulus.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub struct Expected {
    /// Documents.
    pub documents: f64,
    /// Documents that reach `sort`: different sketches.
    pub representatives: f64,
    /// Shingles of the representatives that are kept.
    pub postings: f64,
    /// Increments of pair counts.
    pub increments: f64,
    /// Different pairs, those that share only a template included once.
    pub pairs: f64,
    /// Clusters of two or more.
    pub clusters: f64,
    /// Documents in them.
    pub clustered: f64,
}

/// Share of the first document's shingles that an edited near-copy keeps: an edit breaks the ten
/// shingles it is in, unless the next one is nearer.
fn kept_by_edits() -> f64 {
    let gap = |gap: u64| gap.min(SHINGLE_WORDS) as f64;
    let broken: f64 = (1..=EDIT_GAP_MAX).map(gap).sum::<f64>() / EDIT_GAP_MAX as f64;
    1.0 - broken / ((EDIT_GAP_MAX + 1) as f64 / 2.0)
}

/// Shingles of so many words.
fn shingles(words: u64) -> f64 {
    (words + 1).saturating_sub(SHINGLE_WORDS) as f64
}

impl Model {
    /// What a run with this modulus and this limit for common shingles will count.
    pub fn expected(&self, modulus: u32, common_limit: u64) -> Expected {
        let per_modulus = 1.0 / f64::from(modulus);
        // Near-copies: nine of ten edited, the tenth an excerpt of 60 to 90 %.
        let kept = 0.9 * kept_by_edits() + 0.1 * 0.75;
        let length = 0.9 + 0.1 * 0.75;
        let of_cluster = self.mean_over_lengths(2, Templated::No, shingles) * per_modulus;
        let (mut postings, mut increments, mut pairs, mut different) = (0.0, 0.0, 0.0, 0.0);
        for band in self.mixed.iter() {
            let (groups, distinct) = (band.groups as f64, band.shape.distinct as f64);
            different += groups * distinct;
            postings += groups * of_cluster * (1.0 + (distinct - 1.0) * length);
            let others = (distinct - 1.0) * (distinct - 2.0) / 2.0;
            increments += groups * of_cluster * ((distinct - 1.0) * kept + others * kept * kept);
            pairs += groups * distinct * (distinct - 1.0) / 2.0;
        }
        let sources = (self.alone + self.identical.groups()) as f64;
        let in_template = self.templates.items() as f64 / sources.max(1.0);
        for (kind, count) in [(0, self.alone), (1, self.identical.groups())] {
            // The words of a template are part of its pages; the windows across their border are
            // the page's own.
            let within = self.mean_over_lengths(kind, Templated::Yes, shingles);
            let without = self.mean_over_lengths(kind, Templated::No, shingles);
            postings +=
                count as f64 * per_modulus * (in_template * within + (1.0 - in_template) * without);
        }
        let of_template = Model::mean_over_templates(shingles) * per_modulus;
        let seen =
            Model::mean_over_templates(|words| 1.0 - (1.0 - per_modulus).powf(shingles(words)));
        for band in self
            .templates
            .iter()
            .filter(|band| band.shape.items <= common_limit)
        {
            let together =
                band.groups as f64 * (band.shape.items * (band.shape.items - 1)) as f64 / 2.0;
            increments += together * of_template;
            pairs += together * seen;
        }
        Expected {
            documents: self.documents as f64,
            representatives: sources + different,
            postings,
            increments,
            pairs,
            clusters: (self.identical.groups() + self.mixed.groups()) as f64,
            clustered: (self.identical.items() + self.mixed.items()) as f64,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::ALTAVISTA;
    use super::*;

    fn is_near(value: f64, wanted: f64, per_cent: f64) {
        assert!(
            (value / wanted - 1.0).abs() * 100.0 <= per_cent,
            "{value:.0} is not {wanted:.0} ± {per_cent} %"
        );
    }

    #[test]
    fn at_full_size_the_counts_are_those_of_1996() {
        let expected = Model::of_sketches(1, ALTAVISTA.documents).expected(25, 1000);
        is_near(expected.postings, ALTAVISTA.shingles as f64, 2.0);
        is_near(expected.increments, ALTAVISTA.increments as f64, 3.0);
        is_near(expected.pairs, 550e6, 9.1);
        is_near(expected.clusters, 3.6e6, 0.1);
        is_near(expected.clustered, 12.3e6, 0.1);
    }

    #[test]
    fn counts_grow_with_the_documents() {
        let [small, large] =
            [3_000_000, 12_000_000].map(|n| Model::of_sketches(1, n).expected(25, 1000));
        is_near(large.postings, 4.0 * small.postings, 1.0);
        is_near(large.increments, 4.0 * small.increments, 4.0);
        is_near(large.pairs, 4.0 * small.pairs, 4.0);
    }
}
