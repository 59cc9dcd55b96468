//! How links become clusters, which member of a cluster is kept, and which links are published.
//!
//! All are validated values of the section `[cluster]` of the configuration.

/// Which documents of a cluster stay. A cluster is always a connected component of links.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Linkage {
    /// One; all others go for it.
    Components,
    /// In the order of `keep`, each class that is still free stays and takes all of its free linked
    /// neighbours. So every removed document is linked to the one that stays in its favour.
    Star,
    /// In the order of `keep`, each class goes for the class that stays and that it resembles most
    /// of those linked to it, or stays.
    Leader,
}

impl Linkage {
    /// Whether every removed document is linked to the one that stays in its favour.
    pub fn is_direct(self) -> bool {
        self != Linkage::Components
    }
}

/// Which pairs are compared by all their shingles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Settle {
    /// All that may be links.
    Links,
    /// None: estimates decide.
    Off,
}

/// Which member of a cluster is kept. Missing values rank last; of equal ranks the lower document
/// wins.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Keep {
    /// The first document in input order.
    First,
    /// The document with the most tokens.
    Longest,
    /// The document with the earliest date.
    Oldest,
    /// The document with the latest date.
    Newest,
    /// By a carried field.
    Field {
        /// Name of the field, one of `carry-fields`.
        name: String,
        /// Whether the highest value ranks best, instead of the lowest.
        descending: bool,
    },
    /// By the host of the URL: the earlier in this list, the better.
    Hosts(Vec<String>),
}

/// The links that the table of pairs lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PublishedLinks {
    /// Of a dense cluster the strongest links of each document, and the links that hold the cluster
    /// together. All links of other clusters.
    Strongest(DensityLimits),
    /// Every link.
    All,
}

/// When a cluster is dense, and how many of its links are published.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DensityLimits {
    /// A cluster with more links for each of its representatives is dense.
    pub links_per_representative: u32,
    /// The strongest links of each representative that are published.
    pub strongest: u32,
}

impl DensityLimits {
    /// The limits of every run; only tests use others.
    pub const DEFAULT: DensityLimits = DensityLimits {
        links_per_representative: 16,
        strongest: 8,
    };

    /// The fewest representatives of a dense cluster: n of them have at most n (n − 1) / 2 links.
    pub fn fewest_representatives(&self) -> u64 {
        2 * u64::from(self.links_per_representative) + 2
    }

    /// The fewest links of a dense cluster.
    pub fn fewest_links(&self) -> u64 {
        u64::from(self.links_per_representative) * self.fewest_representatives() + 1
    }

    /// Whether a cluster of so many links and representatives is dense.
    pub fn is_dense(&self, links: u64, representatives: u32) -> bool {
        let representatives = u64::from(representatives);
        representatives >= self.fewest_representatives()
            && links > u64::from(self.links_per_representative) * representatives
    }
}
