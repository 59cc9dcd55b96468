//! Takes links as estimates judge them, and makes of them the links of the run.
//!
//! *Input.* Links in order of the pairs; those of an earlier run in the same order; the decisions
//! of exact comparison. *Output.* The file of all links, and the same links to the union-find that
//! joins them. If there are decisions, a second file keeps the links before them: the next night
//! continues from it.

use crate::decisions::Decisions;
use crate::incremental::LinkCounts;
use crate::link_joiner::LinkJoiner;
use crate::link_policy::PHASE;
use cluster::VecCells;
use engine::Output;
use format::{LinkRecord, RecordWriter};
use runtime::Error;

/// Links handed on at a time where others are put among them.
const BATCH_LINKS: usize = 256;

/// Takes the judged links.
pub(super) struct LinkSink<'a> {
    final_links: FinalLinks<'a>,
    /// The file of links before the decisions, if there are decisions.
    judged: Option<&'a mut RecordWriter<LinkRecord>>,
    /// Links of older pairs that did not come yet, the next one first.
    older: Option<(Output<LinkRecord>, Option<LinkRecord>)>,
    batch: Vec<LinkRecord>,
}

impl<'a> LinkSink<'a> {
    pub(super) fn new(writer: &'a mut RecordWriter<LinkRecord>) -> LinkSink<'a> {
        LinkSink {
            final_links: FinalLinks {
                writer,
                linker: None,
                decisions: None,
                batch: Vec::new(),
                counts: LinkCounts::default(),
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

    /// Lets decisions change the links; `judged` takes the links before them.
    pub(super) fn decided_by(
        mut self,
        decisions: Option<Decisions>,
        judged: Option<&'a mut RecordWriter<LinkRecord>>,
    ) -> Self {
        self.final_links.decisions = decisions;
        LinkSink { judged, ..self }
    }

    /// Puts new links among older ones.
    pub(super) fn among(self, mut links: Output<LinkRecord>) -> Result<LinkSink<'a>, Error> {
        let next = links.next()?;
        Ok(LinkSink {
            older: Some((links, next)),
            ..self
        })
    }

    /// The union-find that joins the links.
    pub(super) fn linker(&self) -> Option<&LinkJoiner<VecCells>> {
        self.final_links.linker.as_deref()
    }

    /// The same, to be changed.
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

    /// The older ones that are left. Gives the counts of all links if decisions changed them.
    pub(super) fn finish(mut self) -> Result<Option<LinkCounts>, Error> {
        self.put_older(|_| true)?;
        let batch = std::mem::take(&mut self.batch);
        self.hand_on(&batch)?;
        self.final_links.finish()
    }

    fn put_older(&mut self, is_due: impl Fn(&LinkRecord) -> bool) -> Result<(), Error> {
        while let Some((links, next)) = &mut self.older
            && let Some(older) = next.filter(|older| is_due(older))
        {
            *next = links.next()?;
            self.hold_back(older)?;
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
            judged.push_all(links).map_err(Error::work(PHASE))?;
        }
        self.final_links.take(links)
    }
}

/// Takes all judged links in order, and puts the decisions in their places.
struct FinalLinks<'a> {
    writer: &'a mut RecordWriter<LinkRecord>,
    linker: Option<&'a mut LinkJoiner<VecCells>>,
    decisions: Option<Decisions>,
    batch: Vec<LinkRecord>,
    counts: LinkCounts,
}

impl FinalLinks<'_> {
    fn take(&mut self, judged: &[LinkRecord]) -> Result<(), Error> {
        let Some(mut decisions) = self.decisions.take() else {
            return self.write(judged);
        };
        for link in judged {
            let pair = [link.a, link.b];
            while decisions.next_pair().is_some_and(|next| next < pair) {
                let decided = decisions.decide(None)?;
                self.push(decided)?;
            }
            let is_decided = decisions.next_pair() == Some(pair);
            let link = if is_decided {
                decisions.decide(Some(*link))?
            } else {
                Some(*link)
            };
            self.push(link)?;
        }
        self.decisions = Some(decisions);
        Ok(())
    }

    fn finish(mut self) -> Result<Option<LinkCounts>, Error> {
        let Some(mut decisions) = self.decisions.take() else {
            return Ok(None);
        };
        while decisions.next_pair().is_some() {
            let decided = decisions.decide(None)?;
            self.push(decided)?;
        }
        self.write_batch()?;
        Ok(Some(self.counts))
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
        self.counts.add_links(&batch);
        self.write(&batch)?;
        batch.clear();
        self.batch = batch;
        Ok(())
    }

    fn write(&mut self, links: &[LinkRecord]) -> Result<(), Error> {
        self.writer.push_all(links).map_err(Error::work(PHASE))?;
        match &mut self.linker {
            Some(linker) => linker.take(links).map_err(Error::work(PHASE)),
            None => Ok(()),
        }
    }
}
