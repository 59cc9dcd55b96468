//! The overlap of two documents, as objects of Python.

use pyo3::prelude::*;

/// A ratio from 0 to 1, with the 95 % interval of its estimate. Of an exact ratio, both ends of the
/// interval are the ratio.
#[pyclass(frozen, get_all, module = "altavista_dedup")]
#[derive(Clone)]
pub(crate) struct Figure {
    /// The ratio.
    value: f64,
    /// Lower end of the interval.
    low: f64,
    /// Upper end of the interval.
    high: f64,
}

/// The shingles that documents A and B share.
#[pyclass(frozen, get_all, module = "altavista_dedup")]
#[derive(Clone)]
pub(crate) struct Figures {
    /// Shingles in both.
    shared: u32,
    /// Shingles of A; None if `shared` counts equal min-hashes.
    size_a: Option<u32>,
    /// Shingles of B; None if `shared` counts equal min-hashes.
    size_b: Option<u32>,
    /// Shingles of both together, or min-hashes of each.
    union: u32,
    /// One shingle in so many was counted; 1 if all were; None if min-hashes were compared, or the
    /// smallest shingles of both.
    modulus: Option<u32>,
    /// |A ∩ B| / |A ∪ B|.
    resemblance: Figure,
    /// |A ∩ B| / |A|; None if `shared` counts equal min-hashes.
    containment_a_in_b: Option<Figure>,
    /// |A ∩ B| / |B|; None if `shared` counts equal min-hashes.
    containment_b_in_a: Option<Figure>,
}

/// The overlap of two texts: exact, from all shingles, and estimated, from their sketches.
#[pyclass(frozen, get_all, module = "altavista_dedup")]
pub(crate) struct Comparison {
    /// From all shingles.
    pub(crate) exact: Figures,
    /// From the sketches.
    pub(crate) estimated: Figures,
}

impl From<pipeline::Figure> for Figure {
    fn from(figure: pipeline::Figure) -> Figure {
        let pipeline::Figure { value, low, high } = figure;
        Figure { value, low, high }
    }
}

impl From<pipeline::Figures> for Figures {
    fn from(figures: pipeline::Figures) -> Figures {
        Figures {
            shared: figures.shared,
            size_a: figures.size_a,
            size_b: figures.size_b,
            union: figures.union,
            modulus: figures.modulus,
            resemblance: figures.resemblance.into(),
            containment_a_in_b: figures.containment_a_in_b.map(Figure::from),
            containment_b_in_a: figures.containment_b_in_a.map(Figure::from),
        }
    }
}

#[pymethods]
impl Figure {
    fn __repr__(&self) -> String {
        let Figure { value, low, high } = self;
        format!("Figure(value={value:.4}, low={low:.4}, high={high:.4})")
    }

    fn __float__(&self) -> f64 {
        self.value
    }
}

#[pymethods]
impl Figures {
    fn __repr__(&self) -> String {
        let Figures {
            shared,
            union,
            resemblance,
            ..
        } = self;
        let Figure { value, low, high } = resemblance;
        format!(
            "Figures(shared={shared}, union={union}, \
             resemblance={value:.4} [{low:.4}, {high:.4}])"
        )
    }
}

#[pymethods]
impl Comparison {
    fn __repr__(&self) -> String {
        let (exact, estimated) = (self.exact.__repr__(), self.estimated.__repr__());
        format!("Comparison(exact={exact}, estimated={estimated})")
    }
}
