//! What exact comparison and whole sketches say of pairs, in order of the pairs.
//!
//! *Input.* The pairs that phase `settle` compared; the pairs of documents that share much of what
//! is common, which phase `pairs` found. *Output.* For each such pair the link that replaces its
//! judged one, or none. *Algorithm.* A settled pair is judged by its exact counts: first without
//! common shingles, then with them. A pair of a crowd that is not settled is judged by its sketches
//! without common shingles, then by its whole sketches. Where the first does not reach the
//! resemblance and the second does, the link has the counts of the second and keeps what the first
//! says of containment.

use crate::link_policy::link_record;
use cluster::{LinkPolicy, ThresholdsMet};
use engine::{Engine, Output};
use format::{FileKind, LinkRecord, SettledRecord};
use model::Overlap;
use runtime::{Error, PhaseName};

/// Decisions in order of their pairs.
pub(super) struct Decisions {
    settled: Option<Output<SettledRecord>>,
    next_settled: Option<SettledRecord>,
    crowds: Option<Output<LinkRecord>>,
    next_crowd: Option<LinkRecord>,
    policy: LinkPolicy,
    /// Whether common shingles may make a link.
    has_crowds: bool,
    /// Whether the links are for several thresholds, of which `policy` has the lowest.
    is_sweep: bool,
}

impl Decisions {
    /// Opens the files of finished phases; `None` if they say nothing.
    ///
    /// # Errors
    /// When a file is missing or damaged.
    pub(super) fn open(
        engine: &Engine<'_>,
        policy: &LinkPolicy,
    ) -> Result<Option<Decisions>, Error> {
        let has_crowds = engine.config.has_crowds();
        let mut decisions = Decisions {
            settled: None,
            next_settled: None,
            crowds: None,
            next_crowd: None,
            policy: *policy,
            has_crowds,
            is_sweep: false,
        };
        if engine.has_records(PhaseName::Settle, "settled") {
            let kind = FileKind::Settled;
            let settled =
                decisions
                    .settled
                    .insert(engine.reader(PhaseName::Settle, "settled", kind)?);
            decisions.next_settled = settled.next()?;
        }
        if has_crowds && engine.has_records(PhaseName::Pairs, "crowds") {
            let kind = FileKind::Links;
            let crowds =
                decisions
                    .crowds
                    .insert(engine.reader(PhaseName::Pairs, "crowds", kind)?);
            decisions.next_crowd = crowds.next()?;
        }
        Ok(decisions.next_pair().map(|_| decisions))
    }

    /// The same for links that are compared with higher thresholds later: of two links of a pair,
    /// that of the higher resemblance counts.
    pub(super) fn for_sweep(self) -> Decisions {
        Decisions {
            is_sweep: true,
            ..self
        }
    }

    /// The same, but only of pairs that were compared, and without their common shingles.
    pub(super) fn without_crowds(self) -> Decisions {
        Decisions {
            crowds: None,
            next_crowd: None,
            has_crowds: false,
            ..self
        }
    }

    /// The next pair that there is a decision for.
    pub(super) fn next_pair(&self) -> Option<[u32; 2]> {
        let settled = self.next_settled.map(|settled| [settled.a, settled.b]);
        let crowd = self.next_crowd.map(|crowd| [crowd.a, crowd.b]);
        settled.into_iter().chain(crowd).min()
    }

    /// The link of the next pair, given the one that estimates judge.
    ///
    /// # Errors
    /// When a file is damaged or cannot be read.
    pub(super) fn decide(
        &mut self,
        judged: Option<LinkRecord>,
    ) -> Result<Option<LinkRecord>, Error> {
        let Some(pair) = self.next_pair() else {
            return Ok(judged);
        };
        let settled = self.next_settled.filter(|next| [next.a, next.b] == pair);
        if let (Some(_), Some(file)) = (settled, &mut self.settled) {
            self.next_settled = file.next()?;
        }
        let crowd = self.next_crowd.filter(|next| [next.a, next.b] == pair);
        if let (Some(_), Some(file)) = (crowd, &mut self.crowds) {
            self.next_crowd = file.next()?;
        }
        let of_crowd = crowd.and_then(|crowd| self.crowd_link(pair, &crowd.overlap()));
        Ok(match settled {
            Some(settled) => self.settled_link(&settled),
            None => self.choose(judged, of_crowd),
        })
    }

    /// The link of a pair, of that without common shingles and that with them.
    fn choose(&self, content: Option<LinkRecord>, whole: Option<LinkRecord>) -> Option<LinkRecord> {
        let Some((content, whole)) = content.zip(whole) else {
            return content.or(whole);
        };
        let ratio = |link: &LinkRecord| link.overlap().shared_of_union();
        let is_content = if self.is_sweep {
            ratio(&content) >= ratio(&whole)
        } else {
            content.reached & LinkRecord::RESEMBLANCE != 0
        };
        let contained = content.reached & (LinkRecord::A_IN_B | LinkRecord::B_IN_A);
        Some(if is_content {
            content
        } else {
            LinkRecord {
                reached: whole.reached | contained,
                ..whole
            }
        })
    }

    /// The link of a settled pair.
    fn settled_link(&self, settled: &SettledRecord) -> Option<LinkRecord> {
        let pair = [settled.a, settled.b];
        let content = settled.overlap();
        let reached = self.policy.judge(&content);
        let of_content = reached.map(|reached| link_record(pair, &content, reached));
        let whole = Overlap {
            shared: settled.shared.saturating_add(settled.common_shared),
            size_a: settled.size_a.saturating_add(settled.common_a),
            size_b: settled.size_b.saturating_add(settled.common_b),
            modulus: 1,
        };
        self.choose(of_content, self.crowd_link(pair, &whole))
    }

    /// The link that whole sketches or whole sets make.
    fn crowd_link(&self, pair: [u32; 2], whole: &Overlap) -> Option<LinkRecord> {
        let reaches = self.has_crowds
            && whole.shared >= self.policy.min_shared
            && self.policy.resemblance.reached_by(whole.shared_of_union());
        reaches.then(|| {
            let reached = ThresholdsMet {
                resemblance: true,
                a_in_b: false,
                b_in_a: false,
            };
            let link = link_record(pair, whole, reached);
            LinkRecord {
                reached: link.reached | LinkRecord::CROWD,
                ..link
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::Threshold;

    /// Pages with a frame in common; of the rest they share a tenth.
    const FRAMED: SettledRecord = SettledRecord {
        a: 3,
        b: 7,
        shared: 10,
        size_a: 55,
        size_b: 55,
        common_shared: 900,
        common_a: 900,
        common_b: 900,
    };

    fn decisions() -> Decisions {
        Decisions {
            settled: None,
            next_settled: Some(FRAMED),
            crowds: None,
            next_crowd: None,
            policy: LinkPolicy {
                resemblance: Threshold::from_f64(0.5).expect("a threshold"),
                containment: None,
                containment_joins: false,
                min_shared: 2,
                sampled_containment_min: LinkPolicy::SAMPLED_CONTAINMENT_MIN,
            },
            has_crowds: true,
            is_sweep: false,
        }
    }

    #[test]
    fn a_frame_in_common_makes_a_link_of_a_crowd_only() {
        let with = decisions().decide(None).expect("no file is read");
        let with = with.expect("0.91 with common shingles");
        assert_eq!((with.a, with.b, with.shared), (3, 7, 910));
        assert!(with.reached & LinkRecord::CROWD != 0);
        let without = decisions().without_crowds().decide(None);
        assert!(without.expect("no file is read").is_none(), "0.1 without");
    }
}
