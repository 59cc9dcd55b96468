//! The answer of `query within --count`.

use ::query::like::Containing;
use model::Threshold;
use serde::Serialize;

/// How many documents contain a text, equal ones included.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct ContainingDocuments {
    /// The share of the text that they contain, at least.
    pub share: f64,
    /// By the estimates.
    pub documents: u64,
    /// By the lower ends of their 95 % intervals.
    pub low: u64,
    /// By the upper ends.
    pub high: u64,
    /// Of documents sketched with this modulus or a coarser one none is counted: the text has no
    /// shingle that their sketches keep.
    pub unseen_modulus: Option<u32>,
}

impl ContainingDocuments {
    pub(super) fn of(share: Threshold, count: &Containing) -> ContainingDocuments {
        ContainingDocuments {
            share: share.to_f64(),
            documents: count.documents,
            low: count.low,
            high: count.high,
            unseen_modulus: count.unseen_modulus,
        }
    }
}
