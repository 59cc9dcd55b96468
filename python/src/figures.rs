//! What two documents share, as objects of Python.

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

/// What documents A and B share.
#[pyclass(frozen, get_all, module = "altavista_dedup")]
#[derive(Clone)]
pub(crate) struct Figures {
    /// Shingles in both.
    shared: u32,
    /// Shingles of A.
    size_a: u32,
    /// Shingles of B.
    size_b: u32,
    /// One shingle in so many was counted; 1 if all were.
    modulus: u32,
    /// |A ∩ B| / |A ∪ B|.
    resemblance: Figure,
    /// |A ∩ B| / |A|.
    containment_a_in_b: Figure,
    /// |A ∩ B| / |B|.
    containment_b_in_a: Figure,
}

/// What two texts share: exact, from all shingles, and estimated, from their sketches.
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

impl Figures {
    pub(crate) fn of(overlap: &model::Overlap) -> Figures {
        let figures = pipeline::Figures::of(overlap);
        Figures {
            shared: figures.shared,
            size_a: figures.size_a,
            size_b: figures.size_b,
            modulus: figures.modulus,
            resemblance: figures.resemblance.into(),
            containment_a_in_b: figures.containment_a_in_b.into(),
            containment_b_in_a: figures.containment_b_in_a.into(),
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
            size_a,
            size_b,
            modulus,
            resemblance,
            ..
        } = self;
        let Figure { value, low, high } = resemblance;
        format!(
            "Figures(shared={shared}, size_a={size_a}, size_b={size_b}, modulus={modulus}, \
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
