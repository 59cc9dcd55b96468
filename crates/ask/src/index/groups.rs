//! Classes and clusters: the documents that belong with one, and how closely; the passages of one.

use super::{Index, IndexedPassages};
use format::{ClusterRecord, FormatError, GroupRecord, LinkRecord, PassageRecord, RecordRange};
use model::{Class, Equality, Interval, Overlap};

/// The row of a document in the membership table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Membership {
    /// The strongest class it shares, and the lowest document of it.
    pub same_as: Option<(Equality, u32)>,
    /// The document that stands for it in postings and links; itself if none does.
    pub representative: u32,
    /// Its cluster; itself if it is alone.
    pub cluster: u32,
    /// The document that stays in its favour; itself if it stays.
    pub kept: u32,
}

/// How two documents of a cluster belong together.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Relation {
    /// The narrowest class that both are in; none if they are in no class together.
    pub equality: Option<Equality>,
    /// Whether a link joins their representatives, or these are the same.
    pub linked: bool,
    /// The overlap of their sketches.
    pub overlap: Overlap,
}

impl Relation {
    /// The word for the weakest relation needed: identical, lexical, shingle or similar.
    pub fn name(&self) -> &'static str {
        self.equality.map_or("similar", Equality::name)
    }

    /// The estimate of their resemblance: exactly 1 for equal tokens, whatever was sampled of them.
    pub fn resemblance(&self) -> (f64, Interval) {
        if matches!(self.equality, Some(Equality::Identical | Equality::Lexical)) {
            let (low, high) = (1.0, 1.0);
            return (1.0, Interval { low, high });
        }
        let estimate = self.overlap.resemblance();
        (estimate.ratio.to_f64(), estimate.interval)
    }
}

impl Index {
    /// The classes of a document.
    pub fn class(&self, doc: u32) -> Result<Class, FormatError> {
        Ok(self.classes.of(doc)?.first()?.unwrap_or(Class::alone(doc)))
    }

    /// Class, cluster, and what is kept.
    pub fn member(&self, doc: u32) -> Result<Membership, FormatError> {
        let class = self.class(doc)?;
        let member = self.members.of(doc)?.first()?;
        Ok(Membership {
            same_as: class.same_as(),
            representative: class.representative(),
            cluster: member.map_or(doc, |member| member.cluster),
            kept: member.map_or(doc, |member| member.kept),
        })
    }

    /// A cluster of two or more, by its lowest document.
    pub fn cluster(&self, cluster: u32) -> Result<Option<ClusterRecord>, FormatError> {
        self.clusters.of(cluster)?.first()
    }

    /// The documents of a cluster of two or more, in order; none if there is no such cluster.
    pub fn cluster_documents(
        &self,
        cluster: u32,
    ) -> Result<RecordRange<'_, GroupRecord>, FormatError> {
        self.cluster_documents.of(cluster)
    }

    /// The documents that a representative stands for, in order, without itself.
    pub fn class_documents(
        &self,
        representative: u32,
    ) -> Result<RecordRange<'_, GroupRecord>, FormatError> {
        self.class_documents.of(representative)
    }

    /// The link between two representatives, whichever is the lower.
    pub fn link(&self, a: u32, b: u32) -> Result<Option<LinkRecord>, FormatError> {
        self.links
            .equal(u64::from(a.min(b)) << 32 | u64::from(a.max(b)))?
            .first()
    }

    /// The exact counts of two representatives; `None` if the run did not compare them.
    pub fn settled(&self, a: u32, b: u32) -> Result<Option<Overlap>, FormatError> {
        let pair = self
            .settled
            .equal(u64::from(a.min(b)) << 32 | u64::from(a.max(b)))?;
        Ok(pair.first()?.map(|settled| {
            let overlap = settled.overlap();
            if a < b { overlap } else { overlap.reversed() }
        }))
    }

    /// The links of which a representative is the lower document, in the order of the higher one.
    pub fn links_from(&self, a: u32) -> Result<RecordRange<'_, LinkRecord>, FormatError> {
        self.links.of(a)
    }

    /// How two documents belong together: by their classes, by the link of their representatives,
    /// else by their sketches.
    pub fn relation(&self, a: u32, b: u32) -> Result<Relation, FormatError> {
        let (class_a, class_b) = (self.class(a)?, self.class(b)?);
        let lowest = class_a.lowest.into_iter().zip(class_b.lowest);
        let mut classes = Equality::ALL.into_iter().zip(lowest);
        let equality = match a == b {
            // A document is all that it is itself.
            true => Some(Equality::Identical),
            false => classes.find_map(|(equality, (a, b))| {
                let shared = a == b && a != Class::NONE;
                shared.then_some(equality)
            }),
        };
        let (first, second) = (class_a.representative(), class_b.representative());
        let (linked, overlap) = if first == second {
            (true, self.overlap_of_class(first)?)
        } else if let Some(link) = self.link(first, second)? {
            (self.joins(&link), overlap_of_link(&link, first))
        } else {
            (false, self.overlap(first, second)?)
        };
        Ok(Relation {
            equality,
            linked,
            overlap,
        })
    }

    /// Whether a link joins its documents into one cluster. One by containment alone does so with
    /// `containment-joins` only.
    fn joins(&self, link: &LinkRecord) -> bool {
        let mut parameters = self.parameters().lines();
        link.reached & LinkRecord::RESEMBLANCE != 0
            || parameters.any(|line| line == "containment-joins = true")
    }

    /// The passages, if the run looked for them.
    pub fn passages(&self) -> Option<&IndexedPassages> {
        self.passages.as_ref()
    }

    /// The document that has the passages of this one: the lowest of those with its tokens, unless
    /// each has its own.
    pub fn doc_with_passages(&self, doc: u32) -> Result<u32, FormatError> {
        match &self.passages {
            Some(passages) if !passages.counts_all => Ok(self.class(doc)?.lowest_of_equal_tokens()),
            _ => Ok(doc),
        }
    }

    /// The passages of a document, in order; `None` if the run did not look for them, or could not
    /// read the document.
    pub fn passages_of(&self, doc: u32) -> Result<Option<Vec<PassageRecord>>, FormatError> {
        let Some(passages) = &self.passages else {
            return Ok(None);
        };
        let records = passages.passages.of(self.doc_with_passages(doc)?)?;
        let records = records.iter().collect::<Result<Vec<PassageRecord>, _>>()?;
        Ok(Some(records).filter(|records| !records.iter().any(PassageRecord::is_of_unread)))
    }
}

/// The overlap that a link rests on, seen from the document `first`.
fn overlap_of_link(link: &LinkRecord, first: u32) -> Overlap {
    if first == link.a {
        link.overlap()
    } else {
        link.overlap().reversed()
    }
}
