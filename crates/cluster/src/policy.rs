//! How links become clusters, and which member of a cluster is kept.
//!
//! Both are values of the configuration's `[cluster]` section, already validated. They hold no data
//! of a run.

/// How links join documents.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Linkage {
    /// A cluster is a connected component of links.
    Components,
    /// In the order of `keep`, each class not yet taken takes all its untaken linked neighbours, so
    /// that nothing is removed that is not itself linked to what is kept.
    Star,
}

/// Which member of a cluster ranks best and is kept. Missing values rank last; ties go to the lower
/// document.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Keep {
    /// The first in input order.
    First,
    /// The one with the most tokens.
    Longest,
    /// The one with the earliest date.
    Oldest,
    /// The one with the latest date.
    Newest,
    /// By a carried field.
    Field {
        /// Name of the field, one of `carry-fields`.
        name: String,
        /// Whether the highest value ranks best instead of the lowest.
        descending: bool,
    },
    /// By the host of its URL: the earlier in this list, the better.
    Hosts(Vec<String>),
}
