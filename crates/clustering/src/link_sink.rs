//! Takes links as estimates judge them, and makes of them the links of the run.
//!
//! *Input.* Links in order of the pairs; those of an earlier run in the same order; the decisions
//! of exact comparison. *Output.* The file of all links, and the same links to the union-find that
//! joins them. A second file keeps the judged links, by a looser policy and before the decisions:
//! the next night and the sweep of thresholds continue from it.

use crate::decisions::Decisions;
use crate::incremental::add_links;
use crate::link_joiner::LinkJoiner;
use crate::link_policy::link_record;
use engine::{DocumentSet, Error, figures::LinkFigures};
use format::{LinkRecord, RecordReader, RecordWriter};
use model::{LinkPolicy, VecCells};

/// Links handed on at a time where others are put among them.
const BATCH_LINKS: usize = 256;

/// Links of older pairs that did not come yet.
struct OlderLinks {
    links: RecordReader<LinkRecord>,
    next: Option<LinkRecord>,
    /// Links with one of these documents are judged again.
    affected: Option<DocumentSet>,
}

impl OlderLinks {
    fn advance(&mut self) -> Result<(), Error> {
        loop {
            self.next = self.links.next()?;
            let is_again = |link: &LinkRecord| {
                let affected = self.affected.as_ref();
                affected.is_some_and(|affected| affected.has(link.a) || affected.has(link.b))
            };
            if !self.next.as_ref().is_some_and(is_again) {
                return Ok(());
            }
        }
    }
}

/// Takes the judged links.
pub(super) struct LinkSink<'a> {
    final_links: FinalLinks<'a>,
    /// The file of the judged links, if it is asked for.
    judged: Option<&'a mut RecordWriter<LinkRecord>>,
    older: Option<OlderLinks>,
    batch: Vec<LinkRecord>,
}

impl<'a> LinkSink<'a> {
    pub(super) fn new(writer: &'a mut RecordWriter<LinkRecord>) -> LinkSink<'a> {
        LinkSink {
            final_links: FinalLinks {
                writer,
                policy: None,
                linker: None,
                decisions: None,
                batch: Vec::new(),
                counts: LinkFigures::default(),
            },
            judged: None,
            older: None,
            batch: Vec::new(),
        }
    }

    pub(super) fn joined_by(mut self, linker: Option<&'a mut LinkJoiner<VecCells>>) -> Self {
        self.final_links.linker = linker;
        self
    }

    /// Lets decisions change the links; `judged` takes the judged ones.
    pub(super) fn decided_by(
        mut self,
        decisions: Option<Decisions>,
        judged: Option<&'a mut RecordWriter<LinkRecord>>,
    ) -> Self {
        self.final_links.decisions = decisions;
        LinkSink { judged, ..self }
    }

    /// Leaves out judged links that are none by this policy, a stricter one.
    pub(super) fn of_policy(mut self, policy: LinkPolicy) -> Self {
        self.final_links.policy = Some(policy);
        self
    }

    /// Puts new links among older ones, but for those with an affected document.
    pub(super) fn among(
        self,
        links: RecordReader<LinkRecord>,
        affected: Option<DocumentSet>,
    ) -> Result<LinkSink<'a>, Error> {
        let mut older = OlderLinks {
            links,
            next: None,
            affected,
        };
        older.advance()?;
        Ok(LinkSink {
            older: Some(older),
            ..self
        })
    }

    /// The union-find that joins the links.
    pub(super) fn linker(&self) -> Option<&LinkJoiner<VecCells>> {
        self.final_links.linker.as_deref()
    }

    /// The linker, to be changed.
    pub(super) fn linker_mut(&mut self) -> Option<&mut LinkJoiner<VecCells>> {
        self.final_links.linker.as_deref_mut()
    }

    /// The next new ones, behind the older ones before each.
    pub(super) fn put(&mut self, links: &[LinkRecord]) -> Result<(), Error> {
        if self.older.is_none() {
            return self.hand_on(links);
        }
        for link in links {
            self.put_older(|older| (older.a, older.b) < (link.a, link.b))?;
            self.hold_back(*link)?;
        }
        Ok(())
    }

    /// The older ones that are left. Gives the counts of all links.
    pub(super) fn finish(mut self) -> Result<LinkFigures, Error> {
        self.put_older(|_| true)?;
        let batch = std::mem::take(&mut self.batch);
        self.hand_on(&batch)?;
        self.final_links.finish()
    }

    fn put_older(&mut self, is_due: impl Fn(&LinkRecord) -> bool) -> Result<(), Error> {
        while let Some(older) = &mut self.older
            && let Some(link) = older.next.filter(|link| is_due(link))
        {
            older.advance()?;
            self.hold_back(link)?;
        }
        Ok(())
    }

    /// Hands on what is held back once it is enough.
    fn hold_back(&mut self, link: LinkRecord) -> Result<(), Error> {
        self.batch.push(link);
        if self.batch.len() >= BATCH_LINKS {
            let mut batch = std::mem::take(&mut self.batch);
            self.hand_on(&batch)?;
            batch.clear();
            self.batch = batch;
        }
        Ok(())
    }

    fn hand_on(&mut self, links: &[LinkRecord]) -> Result<(), Error> {
        if let Some(judged) = &mut self.judged {
            judged.push_all(links)?;
        }
        self.final_links.take(links)
    }
}

/// Takes all judged links in order, and puts the decisions in their places.
struct FinalLinks<'a> {
    writer: &'a mut RecordWriter<LinkRecord>,
    /// If it is stricter than that of the judged links.
    policy: Option<LinkPolicy>,
    linker: Option<&'a mut LinkJoiner<VecCells>>,
    decisions: Option<Decisions>,
    batch: Vec<LinkRecord>,
    counts: LinkFigures,
}

impl FinalLinks<'_> {
    fn take(&mut self, judged: &[LinkRecord]) -> Result<(), Error> {
        let mut decisions = self.decisions.take();
        for link in judged {
            let pair = [link.a, link.b];
            let link = match &self.policy {
                Some(policy) => by_policy(policy, link),
                None => Some(*link),
            };
            let link = match &mut decisions {
                Some(decisions) => {
                    while decisions.next_pair().is_some_and(|next| next < pair) {
                        let decided = decisions.decide()?;
                        self.push(decided)?;
                    }
                    match decisions.next_pair() == Some(pair) {
                        true => decisions.decide()?,
                        false => link.filter(|link| decisions.lets_pass(link)),
                    }
                }
                None => link,
            };
            self.push(link)?;
        }
        self.decisions = decisions;
        Ok(())
    }

    fn finish(mut self) -> Result<LinkFigures, Error> {
        if let Some(mut decisions) = self.decisions.take() {
            while decisions.next_pair().is_some() {
                let decided = decisions.decide()?;
                self.push(decided)?;
            }
        }
        self.write_batch()?;
        Ok(self.counts)
    }

    fn push(&mut self, link: Option<LinkRecord>) -> Result<(), Error> {
        self.batch.extend(link);
        if self.batch.len() >= BATCH_LINKS {
            self.write_batch()?;
        }
        Ok(())
    }

    fn write_batch(&mut self) -> Result<(), Error> {
        let mut batch = std::mem::take(&mut self.batch);
        add_links(&mut self.counts, &batch);
        self.write(&batch)?;
        batch.clear();
        self.batch = batch;
        Ok(())
    }

    fn write(&mut self, links: &[LinkRecord]) -> Result<(), Error> {
        self.writer.push_all(links)?;
        match &mut self.linker {
            Some(linker) => linker.take(links).map_err(Error::from),
            None => Ok(()),
        }
    }
}

/// The link as another policy makes it; `None` if it is none.
fn by_policy(policy: &LinkPolicy, link: &LinkRecord) -> Option<LinkRecord> {
    let overlap = link.overlap();
    let reached = policy.judge(&overlap)?;
    Some(link_record([link.a, link.b], &overlap, reached))
}
