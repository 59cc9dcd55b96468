//! Pair counts and sketch sizes → links: of all pairs, or of those that an earlier run has not
//! judged ([`incremental`]). [`Decisions`] replace the judged links of some pairs.
//!
//! *Input.* Pairs in order. *Output.* Links in order, to a [`LinkSink`]. *Algorithm.* Each function
//! says which pairs are judged, by which rule, and where the links go; [`judge()`] judges them.

use crate::decisions::Decisions;
use crate::incremental::{self, EarlierLinks, judged_links};
use crate::judge::judge;
use crate::link_joiner::LinkJoiner;
use crate::link_policy::{PHASE, loosest};
use crate::link_sink::LinkSink;
use crate::partition::{LinkRule, PairRule};
use engine::{Engine, Error, PhaseName, figures::LinkFigures, merge_levels::PairCounts};
use format::{FileKind, LinkRecord, RecordWriter, Sealed};
use model::{LinkPolicy, VecCells};

/// Judges the pairs that no run has judged yet; gives the file of all links and the counts. All
/// links go to `linker`, too.
pub(super) fn links(
    engine: &Engine<'_>,
    policy: &LinkPolicy,
    linker: Option<&mut LinkJoiner<VecCells>>,
) -> Result<(Sealed, LinkFigures), Error> {
    let new_writer = |name| engine.writer::<LinkRecord>(PHASE, name, FileKind::Links);
    let (mut writer, mut judged) = (new_writer("links")?, new_writer("judged-links")?);
    let sink = LinkSink::new(&mut writer)
        .of_policy(*policy)
        .joined_by(linker)
        .decided_by(Decisions::open(engine, policy)?, Some(&mut judged));
    let rule = LinkRule::new(loosest(engine.config), engine.config.floor());
    let counts = match EarlierLinks::open(engine)? {
        None => judge(engine, PHASE, &rule, engine.pair_counts()?, sink)?,
        Some(EarlierLinks {
            links,
            affected,
            new_pairs,
            other_pairs,
        }) => {
            let sink = sink.among(links, Some(affected))?;
            let counts = judge(engine, PHASE, &rule, new_pairs, sink)?;
            LinkFigures {
                pairs: other_pairs + counts.pairs,
                ..counts
            }
        }
    };
    let links = writer.finish()?;
    incremental::keep(engine, &judged.finish()?, counts.pairs);
    Ok((links, counts))
}

/// Writes the links of a policy, in order of the pairs.
pub(super) fn write_links(
    engine: &Engine<'_>,
    policy: &LinkPolicy,
    writer: &mut RecordWriter<LinkRecord>,
) -> Result<(), Error> {
    let sink = LinkSink::new(writer)
        .of_policy(*policy)
        .decided_by(Decisions::open(engine, policy)?, None);
    if let Some(judged) = judged_links(engine, policy)? {
        return sink.among(judged, None)?.finish().map(drop);
    }
    let rule = LinkRule::new(*policy, engine.config.floor());
    judge(engine, PHASE, &rule, engine.pair_counts()?, sink).map(drop)
}

/// Writes the pairs that a rule chooses by their estimates, in order. The scratch files are in the
/// directory of `phase`.
///
/// # Errors
/// When the counts cannot be read or the pairs cannot be written.
pub fn write_chosen(
    engine: &Engine<'_>,
    phase: PhaseName,
    rule: &impl PairRule,
    pairs: PairCounts,
    writer: &mut RecordWriter<LinkRecord>,
) -> Result<(), Error> {
    judge(engine, phase, rule, pairs, LinkSink::new(writer)).map(drop)
}

/// Writes the links of a policy among pairs, in order; and those of all pairs that phase `settle`
/// compared, by their exact counts.
///
/// # Errors
/// When the counts cannot be read or the links cannot be written.
pub fn write_links_among(
    engine: &Engine<'_>,
    policy: &LinkPolicy,
    pairs: PairCounts,
    writer: &mut RecordWriter<LinkRecord>,
) -> Result<(), Error> {
    let decisions = Decisions::open(engine, policy)?.map(Decisions::or_estimates);
    let sink = LinkSink::new(writer).decided_by(decisions, None);
    let rule = LinkRule::new(*policy, None);
    judge(engine, PHASE, &rule, pairs, sink).map(drop)
}
