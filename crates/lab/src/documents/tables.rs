//! The tables and plots of the methods on documents.

use super::method::{BANDS, MIN_HASH, Method, SUPER_SHINGLES};
use super::score::{BINS, Found, Score, THRESHOLDS};
use crate::evaluation::Evaluation;
use crate::exact::Agreement;
use crate::plot::{Axis, Line, Plot};
use crate::probability::band_probability;
use crate::set::ratio;
use crate::table::{Cell, Table, row};

/// The scores of all methods.
pub(super) struct Scores {
    pub(super) methods: Vec<Method>,
    pub(super) exact: Score,
    pub(super) scores: Vec<Score>,
    pub(super) documents: usize,
    pub(super) threshold: f64,
}

/// A quotient; nothing if there is no divisor.
fn share(part: usize, whole: usize) -> Option<f64> {
    (whole > 0).then(|| ratio(part, whole))
}

impl Scores {
    /// By method and size, at the threshold.
    fn by_method(&mut self) -> Table {
        let title = format!("Links at {}, by method and size", self.threshold);
        let mut table = Table::new(title, []);
        let documents = self.documents;
        for (method, score) in self.methods.iter().zip(&mut self.scores) {
            let Agreement { both, run, exact } = score.together(&mut self.exact, documents);
            let [both, run, exact] = [both, run, exact].map(|pairs| pairs as usize);
            table.push(row! {
                "method": method.name,
                "size": method.size,
                "links": score.links.all,
                "precision": share(score.links.right, score.links.all),
                "recall": share(score.links.right, self.exact.links.all),
                "cluster precision": share(both, run),
                "cluster recall": share(both, exact),
                "mean error": (score.judged > 0).then(|| score.errors / score.judged as f64),
                "worst": (score.judged > 0).then_some(score.worst),
                "coverage": share(score.covered, score.judged),
                "records": share(score.records, documents),
                "bytes": share(score.bytes, documents),
                "CPU s": score.seconds,
            });
        }
        table
    }

    /// By method, size and threshold.
    fn by_threshold(&self) -> Table {
        let mut table = Table::new("Precision and recall of links by threshold", []);
        for (method, score) in self.methods.iter().zip(&self.scores) {
            let found = score.by_threshold.iter().zip(&self.exact.by_threshold);
            for ((found, exact), threshold) in found.zip(THRESHOLDS) {
                table.push(row! {
                    "method": method.name,
                    "size": method.size,
                    "threshold": threshold,
                    "precision": share(found.right, found.all),
                    "recall": share(found.right, exact.all),
                });
            }
        }
        table
    }

    /// The share of pairs that bands compare, by resemblance.
    fn s_curve(&self) -> Table {
        let mut methods = self.methods.iter().zip(&self.scores);
        let bands = methods.find(|(method, _)| method.name == BANDS);
        let bins = bands
            .into_iter()
            .flat_map(|(_, score)| (0..).zip(&score.compared));
        let row = |(bin, found): (u32, &Found)| {
            let middle = (f64::from(bin) + 0.5) / BINS as f64;
            row! {
                "resemblance": middle,
                "pairs": found.all,
                "compared": share(found.right, found.all),
                "1 − (1 − s^r)^b": band_probability(middle, 20, 10),
            }
        };
        Table::new(
            "Pairs that 20 bands of 10 min-hashes compare",
            bins.map(row),
        )
    }

    /// All of it.
    pub(super) fn evaluation(mut self, setting: String) -> Evaluation {
        let tables = vec![self.by_method(), self.by_threshold(), self.s_curve()];
        let [methods, thresholds, curve] = [&tables[0], &tables[1], &tables[2]];
        let by_size = |column| {
            ["modulus", "adaptive-modulus", "min", MIN_HASH]
                .map(|name| Line::new(name, methods.points_of(["bytes", column], name)))
        };
        let by_threshold = |column| {
            let sized = [
                ("modulus", 25_usize),
                ("adaptive-modulus", 128),
                ("min", 200),
                (MIN_HASH, 200),
                (BANDS, 200),
                (SUPER_SHINGLES, 6),
            ];
            sized.map(|(name, size)| {
                let of_size = |row: &[Cell]| row.starts_with(&[name.into(), size.into()]);
                let points = thresholds.points_where(["threshold", column], of_size);
                Line::new(name, points)
            })
        };
        let predicted = "1 − (1 − s^r)^b";
        let curves = [("measured", "compared"), ("predicted", predicted)]
            .map(|(name, column)| Line::new(name, curve.points(["resemblance", column])));
        let bytes = Axis::Logarithmic("bytes a document");
        let plots = vec![
            Plot::new(
                "documents",
                "Mean error of the resemblance by the size of a sketch",
                [bytes, Axis::Logarithmic("mean error")],
                by_size("mean error"),
            ),
            Plot::new(
                "documents-precision",
                "Precision of links by threshold",
                ["threshold", "precision"].map(Axis::Linear),
                by_threshold("precision"),
            ),
            Plot::new(
                "documents-recall",
                "Recall of links by threshold",
                ["threshold", "recall"].map(Axis::Linear),
                by_threshold("recall"),
            ),
            Plot::new(
                "documents-cost",
                "CPU time of the sketches by their size",
                [bytes, Axis::Logarithmic("CPU s")],
                by_size("CPU s"),
            ),
            Plot::new(
                "documents-s-curve",
                "Pairs that 20 bands of 10 min-hashes compare, by resemblance",
                ["resemblance", "share"].map(Axis::Linear),
                curves,
            ),
        ];
        Evaluation {
            name: "documents",
            title: "The methods on these documents, beside exact sets".to_owned(),
            setting,
            claims: Vec::new(),
            plots,
            tables,
        }
    }
}
