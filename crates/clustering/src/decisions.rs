//! The results of exact comparison for pairs, in order of the pairs.
//!
//! *Input.* The pairs that phase `settle` compared. *Output.* For each such pair the link that
//! replaces the one that its estimate makes, or none. A pair that the phase chose and could not
//! compare is none: a link is exact, or far above the threshold by an estimate that was asked for
//! (`settle = "off"`).

use crate::link_policy::link_record;
use crate::partition::{PairRule, SettleRule};
use engine::{Engine, Error, PhaseName};
use format::{FileKind, LinkRecord, RecordReader, SettledRecord};
use model::{LinkPolicy, Settle};
use sort::Lookup;

/// Decisions in order of their pairs.
pub(super) struct Decisions {
    /// `None` if no pair was compared.
    settled: Lookup<Option<RecordReader<SettledRecord>>>,
    policy: LinkPolicy,
    /// The rule by which pairs were chosen, if those that were not compared are no links.
    chosen: Option<SettleRule>,
}

impl Decisions {
    /// Opens the file of a finished phase; `None` if the phase compares nothing.
    ///
    /// # Errors
    /// When the file is missing or damaged.
    pub(super) fn open(
        engine: &Engine<'_>,
        policy: &LinkPolicy,
    ) -> Result<Option<Decisions>, Error> {
        let config = &engine.config.cluster;
        if config.settle == Settle::Off {
            return Ok(None);
        }
        let settled = match engine.has_records(PhaseName::Settle, "settled") {
            true => Some(engine.reader(PhaseName::Settle, "settled", FileKind::Settled)?),
            false => None,
        };
        Ok(Some(Decisions {
            settled: Lookup::over(settled)?,
            policy: *policy,
            chosen: Some(SettleRule::new(config.link_policy())),
        }))
    }

    /// Lets pairs that could not be compared be links by their estimates.
    pub(super) fn or_estimates(self) -> Decisions {
        Decisions {
            chosen: None,
            ..self
        }
    }

    /// The next pair that there is a decision for.
    pub(super) fn next_pair(&self) -> Option<[u32; 2]> {
        self.settled.peek().map(|next| [next.a, next.b])
    }

    /// The link of the next pair.
    ///
    /// # Errors
    /// When the file is damaged or cannot be read.
    pub(super) fn decide(&mut self) -> Result<Option<LinkRecord>, Error> {
        let Some(settled) = self.settled.next()? else {
            return Ok(None);
        };
        let overlap = settled.overlap();
        let reached = self.policy.judge(&overlap);
        Ok(reached.map(|reached| link_record([settled.a, settled.b], &overlap, reached)))
    }

    /// Whether the pair of an estimate without a decision is a link: it was not chosen.
    pub(super) fn lets_pass(&self, estimate: &LinkRecord) -> bool {
        let chosen = self.chosen.as_ref();
        chosen.is_none_or(|rule| rule.judge(&estimate.overlap()).is_none())
    }
}
