//! The links of an earlier run, and the pairs that it has not judged.
//!
//! *Input.* The links of then; pairs of the documents that came since, with each other and with the
//! older ones. *Output.* Links in the order of the pairs. *Algorithm.* A pair is judged by what it
//! shares and by two sizes. Where no document is gone and no shingle of older documents became
//! common or ceased to be, which phase `pairs` knows, all this is for older pairs what it was: so
//! are their links, and those of the others are put among them. *Limits.* Where it is not, or a run
//! of `cluster` was left out, all pairs are judged.

use crate::link_joiner::LinkJoiner;
use crate::link_policy::PHASE;
use cluster::VecCells;
use engine::merge_levels::{self, NEW_PAIRS, PairCounts};
use engine::{Engine, Output};
use format::{FileKind, FormatError, LinkRecord, MergeLevels, RecordReader, RecordWriter, Sealed};
use runtime::{Error, PhaseName};
use std::collections::BTreeMap;

/// The file of links, by its name among those of the phase.
const LINKS: &str = "links";

/// Named counts for the manifest.
pub(super) type NamedCounts<const N: usize> = [(&'static str, u64); N];

/// What judging pairs counted.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct LinkCounts {
    pub(super) links: u64,
    pub(super) resemblance: u64,
    pub(super) directed: u64,
    pub(super) pairs: u64,
}

impl LinkCounts {
    pub(super) fn named(&self) -> NamedCounts<4> {
        let LinkCounts {
            links,
            resemblance,
            directed,
            pairs,
        } = *self;
        [
            ("links", links),
            ("resemblance_links", resemblance),
            ("directed_links", directed),
            ("pairs", pairs),
        ]
    }

    fn of(counts: &BTreeMap<String, u64>) -> Option<LinkCounts> {
        let get = |name: &str| counts.get(name).copied();
        let [links, resemblance] = [get("links")?, get("resemblance_links")?];
        Some(LinkCounts {
            links,
            resemblance,
            directed: get("directed_links")?,
            pairs: get("pairs")?,
        })
    }

    pub(super) fn plus(self, other: &LinkCounts) -> LinkCounts {
        LinkCounts {
            links: self.links + other.links,
            resemblance: self.resemblance + other.resemblance,
            directed: self.directed + other.directed,
            pairs: self.pairs + other.pairs,
        }
    }
}

/// What an earlier run judged, and what it did not.
pub(super) struct EarlierLinks {
    pub(super) links: Output<LinkRecord>,
    pub(super) new_pairs: PairCounts,
    pub(super) counts: LinkCounts,
}

impl EarlierLinks {
    /// Opens them; `None` if all pairs have to be judged.
    ///
    /// # Errors
    /// An interrupt, or when the new pairs cannot be read; earlier links that cannot be read are
    /// not used.
    pub(super) fn open(engine: &Engine<'_>) -> Result<Option<EarlierLinks>, Error> {
        if engine.cluster_apart.is_some() {
            return Ok(None);
        }
        let manifest = engine.manifest();
        let known = manifest.levels.get(PHASE.name()).cloned();
        let pairs = manifest.levels.get(PhaseName::Pairs.name()).cloned();
        drop(manifest);
        let Some((known, pairs)) = known.zip(pairs) else {
            return Ok(None);
        };
        let follows = known.base == pairs.base && known.source_step + 1 == pairs.step;
        if !follows || known.parameters != merge_levels::parameters_of(engine, PHASE) {
            return Ok(None);
        }
        let files = (
            known.others.get(LINKS),
            pairs.others.get(NEW_PAIRS),
            LinkCounts::of(&known.counts),
        );
        let (Some(links), Some(new_pairs), Some(counts)) = files else {
            return Ok(None);
        };
        let links = match RecordReader::open_sealed(
            &engine.disk,
            &engine.dir(PHASE),
            links,
            FileKind::Links,
        ) {
            Ok(links) => Output::of(links, PHASE),
            Err(source @ FormatError::Interrupted) => {
                return Err(Error::from_format(Some(PHASE), source));
            }
            Err(_) => return Ok(None),
        };
        let dir = engine.dir(PhaseName::Pairs);
        let new_pairs = RecordReader::open_sealed(&engine.disk, &dir, new_pairs, FileKind::Pairs);
        let new_pairs = Output::of(
            new_pairs.map_err(Error::work(PhaseName::Pairs))?,
            PhaseName::Pairs,
        );
        Ok(Some(EarlierLinks {
            links,
            new_pairs: PairCounts::of_file(new_pairs),
            counts,
        }))
    }
}

/// Puts down the links of this run for the next one.
pub(super) fn keep(engine: &Engine<'_>, links: &Sealed, counts: &LinkCounts) {
    if engine.cluster_apart.is_some() {
        return;
    }
    let pairs = engine
        .manifest()
        .levels
        .get(PhaseName::Pairs.name())
        .map(|pairs| (pairs.base.clone(), pairs.step));
    let Some((base, source_step)) = pairs else {
        return;
    };
    let kept = MergeLevels {
        parameters: merge_levels::parameters_of(engine, PHASE),
        base,
        source_step,
        others: [(LINKS.to_owned(), links.clone())].into(),
        counts: counts
            .named()
            .into_iter()
            .map(|(name, n)| (name.to_owned(), n))
            .collect(),
        ..MergeLevels::default()
    };
    merge_levels::keep(engine, PHASE, kept);
}

/// Where links go, in order: those of older pairs and new ones into one file, and to who joins
/// them.
pub(super) struct LinkSink<'a> {
    writer: &'a mut RecordWriter<LinkRecord>,
    pub(super) linker: Option<&'a mut LinkJoiner<VecCells>>,
    /// Links of older pairs that did not come yet, the next one first.
    older: Option<(Output<LinkRecord>, Option<LinkRecord>)>,
    batch: Vec<LinkRecord>,
}

/// Links handed on at a time where older ones are put among them.
const BATCH_LINKS: usize = 256;

impl<'a> LinkSink<'a> {
    pub(super) fn new(writer: &'a mut RecordWriter<LinkRecord>) -> LinkSink<'a> {
        LinkSink {
            writer,
            linker: None,
            older: None,
            batch: Vec::new(),
        }
    }

    pub(super) fn joined_by(self, linker: Option<&'a mut LinkJoiner<VecCells>>) -> LinkSink<'a> {
        LinkSink { linker, ..self }
    }

    /// Puts new links among older ones.
    pub(super) fn among(self, mut links: Output<LinkRecord>) -> Result<LinkSink<'a>, Error> {
        let next = links.next()?;
        Ok(LinkSink {
            older: Some((links, next)),
            ..self
        })
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

    /// The older ones that are left.
    pub(super) fn finish(mut self) -> Result<(), Error> {
        self.put_older(|_| true)?;
        let batch = std::mem::take(&mut self.batch);
        self.hand_on(&batch)
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
        self.writer.push_all(links).map_err(Error::work(PHASE))?;
        match &mut self.linker {
            Some(linker) => linker.take(links).map_err(Error::work(PHASE)),
            None => Ok(()),
        }
    }
}
