//! What exact comparison says of pairs, in order of the pairs.
//!
//! *Input.* The pairs that phase `settle` compared. *Output.* For each such pair the link that
//! replaces the one that its estimate makes, or none.

use crate::link_policy::link_record;
use cluster::LinkPolicy;
use engine::{Engine, Output};
use format::{FileKind, LinkRecord, SettledRecord};
use runtime::{Error, PhaseName};

/// Decisions in order of their pairs.
pub(super) struct Decisions {
    settled: Output<SettledRecord>,
    next: Option<SettledRecord>,
    policy: LinkPolicy,
}

impl Decisions {
    /// Opens the file of a finished phase; `None` if it says nothing.
    ///
    /// # Errors
    /// When the file is missing or damaged.
    pub(super) fn open(
        engine: &Engine<'_>,
        policy: &LinkPolicy,
    ) -> Result<Option<Decisions>, Error> {
        if !engine.has_records(PhaseName::Settle, "settled") {
            return Ok(None);
        }
        let mut settled = engine.reader(PhaseName::Settle, "settled", FileKind::Settled)?;
        Ok(Some(Decisions {
            next: settled.next()?,
            settled,
            policy: *policy,
        }))
    }

    /// The next pair that there is a decision for.
    pub(super) fn next_pair(&self) -> Option<[u32; 2]> {
        self.next.map(|settled| [settled.a, settled.b])
    }

    /// The link of the next pair.
    ///
    /// # Errors
    /// When the file is damaged or cannot be read.
    pub(super) fn decide(&mut self) -> Result<Option<LinkRecord>, Error> {
        let Some(settled) = self.next else {
            return Ok(None);
        };
        self.next = self.settled.next()?;
        let overlap = settled.overlap();
        let reached = self.policy.judge(&overlap);
        Ok(reached.map(|reached| link_record([settled.a, settled.b], &overlap, reached)))
    }
}
