//! Selects the links that are published: all, but for most of those of a dense cluster.
//!
//! *Input.* The links, members and clusters that the phase wrote. *Output.* The file
//! [`PUBLISHED`] with the selected links, in order; none if all links are published. *Algorithm.*
//! A pass over the links, beside the members, counts those of each cluster, and so finds the dense
//! ones ([`DensityLimits`]). The joining links of these are sorted by cluster and strength and
//! given to a [`LinkChooser`]. The weakest link of a cluster is selected too, and so are the links
//! between a class and the one of the document kept in its favour. A last pass over the links
//! writes those that are selected or of no dense cluster. *Memory.* Five cells a document, two
//! sorts. *Disk.* Those that do not fit; 25 bytes a selected link. *Limits.* Nothing is counted
//! where no cluster is large enough to be dense.

use crate::link_policy::{PHASE, reached, union};
use crate::memory;
use crate::partition::{LinkChooser, weakness};
use engine::{Engine, Error, ScratchDir, cells::SpillableCells};
use format::{
    ClusterRecord, FileKind, FormatError, LinkRecord, MemberRecord, RecordReader, Sealed,
};
use model::{Cells, DensityLimits, LinkPolicy, PublishedLinks};
use model::{Record, keyed, word_record};
use sort::{Lookup, SortedWords, WordSorter};
use std::collections::BTreeMap;

/// The file of the selected links.
const PUBLISHED: &str = "published-links";

/// A link that is published.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct ChosenLink {
    a: u32,
    b: u32,
}

word_record! { ChosenLink { a, b } }
keyed! { ChosenLink: [u32; 2] = |chosen| [chosen.a, chosen.b] }

/// A joining link of a dense cluster, the strongest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct RankedLink {
    cluster: u32,
    weakness: u64,
    a: u32,
    b: u32,
}

word_record! { RankedLink { cluster, weakness, a, b } }

/// The file of all links.
const LINKS: &str = "links";

/// Opens the links that are published, after the phase.
///
/// # Errors
/// When the phase has not run, or the file is missing or damaged.
pub fn published_links(engine: &Engine<'_>) -> Result<RecordReader<LinkRecord>, Error> {
    let is_selected = engine
        .manifest()
        .phases
        .get(PHASE.name())
        .is_some_and(|record| record.outputs.contains_key(PUBLISHED));
    let name = if is_selected { PUBLISHED } else { LINKS };
    engine.reader(PHASE, name, FileKind::Links)
}

/// Selects the links that are published, of the files of the phase. If these are not all, adds
/// their file, and gives the number of those that reach the resemblance.
pub(super) fn select(
    engine: &Engine<'_>,
    policy: &LinkPolicy,
    files: &mut BTreeMap<String, Sealed>,
) -> Result<Option<u64>, Error> {
    let published = match engine.config.cluster.links {
        // `dedup` clusters apart and publishes nothing.
        PublishedLinks::Strongest(limits) if engine.cluster_apart.is_none() => LinkSelection {
            engine,
            scratch: engine.scratch(PHASE)?,
            policy,
            limits,
            files,
        }
        .selected()?,
        _ => None,
    };
    Ok(published.map(|SelectedLinks { sealed, count }| {
        files.insert(sealed.name.clone(), sealed);
        count
    }))
}

/// The file of the selected links, and how many of them reach the resemblance.
struct SelectedLinks {
    sealed: Sealed,
    count: u64,
}

/// The documents of dense clusters: a cell for each, 0 for all others.
struct DenseClusters {
    /// The cluster, plus one.
    clusters: SpillableCells,
    /// The representative of the document kept in its favour, plus one.
    kept: SpillableCells,
}

impl DenseClusters {
    /// The cluster of a link that joins, if it is dense.
    fn of(&mut self, link: &LinkRecord) -> Result<Option<u32>, FormatError> {
        Ok(self.clusters.get(link.a)?.checked_sub(1))
    }

    /// Whether one end is kept in favour of the other.
    fn is_to_kept(&mut self, link: &LinkRecord) -> Result<bool, FormatError> {
        Ok(self.kept.get(link.a)? == link.b + 1 || self.kept.get(link.b)? == link.a + 1)
    }
}

/// The work files of the phase, and the rules by which links are selected.
struct LinkSelection<'a> {
    engine: &'a Engine<'a>,
    scratch: ScratchDir,
    policy: &'a LinkPolicy,
    limits: DensityLimits,
    files: &'a BTreeMap<String, Sealed>,
}

impl LinkSelection<'_> {
    /// The selected links; `None` if all are published.
    fn selected(&self) -> Result<Option<SelectedLinks>, Error> {
        if !self.may_have_dense_clusters()? {
            return Ok(None);
        }
        let Some(mut dense) = self.dense_clusters()? else {
            return Ok(None);
        };
        let memory = self.scratch.budget.take(memory::CHOSEN_LINKS);
        let share = memory.part_bytes();
        let mut chosen = self.scratch.by_document("chosen", share);
        let links = self.dense_links(&mut dense, share, &mut chosen)?;
        self.choose(links, &mut chosen)?;
        let chosen = chosen.finish()?;
        self.write(&mut dense, chosen).map(Some)
    }

    /// Whether there are enough links, and a cluster of enough representatives.
    fn may_have_dense_clusters(&self) -> Result<bool, Error> {
        if self.file(LINKS)?.records < self.limits.fewest_links() {
            return Ok(false);
        }
        let mut clusters = self.clusters()?;
        while let Some(cluster) = clusters.next()? {
            if u64::from(cluster.distinct) >= self.limits.fewest_representatives() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Counts the links of each cluster, and finds the representatives of the dense ones; `None` if
    /// there are none.
    fn dense_clusters(&self) -> Result<Option<DenseClusters>, Error> {
        let mut counts = self.scratch.cells("dense")?;
        self.count_links(&mut counts)?;
        let mut are_any_dense = false;
        let mut clusters = self.clusters()?;
        while let Some(ClusterRecord {
            cluster, distinct, ..
        }) = clusters.next()?
        {
            let links = counts.get(cluster)?;
            let is_dense = self.limits.is_dense(u64::from(links), distinct);
            are_any_dense |= is_dense;
            if links > 0 {
                let cell = if is_dense { cluster + 1 } else { 0 };
                counts.set(cluster, cell)?;
            }
        }
        if !are_any_dense {
            return Ok(None);
        }
        let mut dense = DenseClusters {
            clusters: counts,
            kept: self.scratch.cells("dense-kept")?,
        };
        self.note_members(&mut dense)?;
        Ok(Some(dense))
    }

    /// Notes the cluster of each document of a dense one, and the representative kept in its
    /// favour.
    fn note_members(&self, dense: &mut DenseClusters) -> Result<(), Error> {
        let mut classes = self.engine.classes()?;
        self.each_member(|member| {
            // The lowest document of a cluster, whose cell is read here, is its first member.
            let cluster = dense.clusters.get(member.cluster)?;
            if cluster > 0 {
                dense.clusters.set(member.doc, cluster)?;
                if member.stays() {
                    let kept = classes.of(member.doc)?.representative();
                    dense.kept.set(member.doc, kept + 1)?;
                }
            }
            Ok(())
        })?;
        self.each_member(|member| {
            let kept = dense.kept.get(member.kept)?;
            if kept > 0 {
                dense.kept.set(member.doc, kept)?;
            }
            Ok(())
        })
    }

    /// Adds up, in the cell of each cluster, the joining links of which it has the lower document.
    fn count_links(&self, counts: &mut SpillableCells) -> Result<(), Error> {
        let mut members = Lookup::over(self.members()?)?;
        let mut links = self.links()?;
        while let Some(slice) = links.next_slice()? {
            for row in slice.chunk_by(|one, next| one.a == next.a) {
                let joining = row.iter().filter(|link| self.joins(link)).count();
                let Some(member) = members.of(row[0].a)? else {
                    continue;
                };
                let before = counts.get(member.cluster)?;
                let count = before.saturating_add(u32::try_from(joining).unwrap_or(u32::MAX));
                counts.set(member.cluster, count)?;
            }
        }
        Ok(())
    }

    /// Ranks the joining links of dense clusters. Those that lead to a kept document are chosen.
    fn dense_links(
        &self,
        dense: &mut DenseClusters,
        share: usize,
        chosen: &mut WordSorter<ChosenLink>,
    ) -> Result<SortedWords<RankedLink>, Error> {
        let mut ranked = self.scratch.by_document("ranked", share);
        self.each_link(|link| {
            let Some(cluster) = self.dense(dense, link)? else {
                return Ok(());
            };
            let (a, b) = (link.a, link.b);
            if dense.is_to_kept(link)? {
                chosen.push(ChosenLink { a, b })?;
            }
            ranked.push(RankedLink {
                cluster,
                weakness: weakness(link.shared, union(link)),
                a,
                b,
            })?;
            Ok(())
        })?;
        Ok(ranked.finish()?)
    }

    /// Chooses among the links of each dense cluster, which come strongest first.
    fn choose(
        &self,
        links: SortedWords<RankedLink>,
        chosen: &mut WordSorter<ChosenLink>,
    ) -> Result<(), Error> {
        let found = [
            self.scratch.cells("met")?,
            self.scratch.cells("forest-1")?,
            self.scratch.cells("forest-2")?,
        ];
        let mut chooser = LinkChooser::new(self.limits, found);
        let mut links = Lookup::over(links)?;
        while let Some(RankedLink { cluster, a, b, .. }) = links.next()? {
            let is_weakest = links.peek().is_none_or(|next| next.cluster != cluster);
            if chooser.chooses(a, b)? || is_weakest {
                chosen.push(ChosenLink { a, b })?;
            }
        }
        Ok(())
    }

    /// Writes the chosen links and those of no dense cluster.
    fn write(
        &self,
        dense: &mut DenseClusters,
        chosen: SortedWords<ChosenLink>,
    ) -> Result<SelectedLinks, Error> {
        let mut writer = self
            .engine
            .writer::<LinkRecord>(PHASE, PUBLISHED, FileKind::Links)?;
        let mut count = 0;
        let mut chosen = Lookup::over(chosen)?;
        self.each_link(|link| {
            let is_chosen = chosen.of([link.a, link.b])?.is_some();
            if is_chosen || self.dense(dense, link)?.is_none() {
                writer.push(link)?;
                count += u64::from(reached(link).resemblance);
            }
            Ok(())
        })?;
        Ok(SelectedLinks {
            sealed: writer.finish()?,
            count,
        })
    }

    fn joins(&self, link: &LinkRecord) -> bool {
        self.policy.joins(reached(link))
    }

    /// The cluster of a link, if it joins and the cluster is dense.
    fn dense(&self, dense: &mut DenseClusters, link: &LinkRecord) -> Result<Option<u32>, Error> {
        if self.joins(link) {
            dense.of(link).map_err(Error::from)
        } else {
            Ok(None)
        }
    }

    fn links(&self) -> Result<RecordReader<LinkRecord>, Error> {
        self.open(LINKS, FileKind::Links)
    }

    fn members(&self) -> Result<RecordReader<MemberRecord>, Error> {
        self.open("members", FileKind::Members)
    }

    fn clusters(&self) -> Result<RecordReader<ClusterRecord>, Error> {
        self.open("clusters", FileKind::Clusters)
    }

    fn each_link(
        &self,
        mut take: impl FnMut(&LinkRecord) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let mut links = self.links()?;
        while let Some(slice) = links.next_slice()? {
            slice.iter().try_for_each(&mut take)?;
        }
        Ok(())
    }

    fn each_member(
        &self,
        mut take: impl FnMut(&MemberRecord) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let mut members = self.members()?;
        while let Some(member) = members.next()? {
            take(&member)?;
        }
        Ok(())
    }

    /// A file just written.
    fn file(&self, name: &str) -> Result<&Sealed, Error> {
        self.files.get(name).ok_or_else(|| {
            Error::Usage(format!(
                "failed to find {PHASE}/{name}; run `pipeline run --from {PHASE}` first"
            ))
        })
    }

    fn open<R: Record>(&self, name: &str, kind: FileKind) -> Result<RecordReader<R>, Error> {
        let sealed = self.file(name)?;
        self.engine.open(PHASE, sealed, kind)
    }
}
