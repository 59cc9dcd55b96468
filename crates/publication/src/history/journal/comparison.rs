//! Two memberships → the events of their clusters.
//!
//! Documents that stay in the cluster of their id go no further. The others are counted for each
//! old and new cluster. Old clusters come first: an old one may meet any number of new ones, and
//! the row of each depends on all, so the counts are read twice, of which the first reading goes a
//! cluster ahead to sum up. Then come the new clusters. The old ones that meet a new one come in
//! the order of the lowest document that is in both: so the first one is the one that it may
//! continue, and the next one tells whether there are others.

use engine::{Engine, Error, PhaseName, ScratchDir};
use format::{
    ClusterRecord, Disk, FileKind, MemberRecord, PublicIds, RecordReader, ScratchFile, Sealed,
};
use model::{Keyed, Record, WordRecord, keyed, record, word_record};
use sort::{Joined, Lookup, SortedWords, Stream, WordSorter};
use std::path::PathBuf;

/// No document or no cluster: sorted last.
pub(super) const NONE: u32 = u32::MAX;

/// The names of events, by their numbers.
pub(super) const EVENTS: [&str; 7] = [
    "born", "died", "grown", "merged", "renamed", "shrunk", "split",
];
const BORN: u32 = 0;
const DIED: u32 = 1;
const GROWN: u32 = 2;
const MERGED: u32 = 3;
const RENAMED: u32 = 4;
const SHRUNK: u32 = 5;
const SPLIT: u32 = 6;

/// An event, in the order of the rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Change {
    pub(super) old: u32,
    pub(super) new: u32,
    pub(super) event: u32,
    pub(super) documents_before: u32,
    pub(super) documents_after: u32,
    pub(super) documents: u32,
}

word_record! { Change { old, new, event, documents_before, documents_after, documents } }

/// The clusters of a publication, in files of records.
pub(super) struct ClusterFiles {
    pub(super) disk: Disk,
    pub(super) members: (PathBuf, Sealed),
    pub(super) clusters: (PathBuf, Sealed),
    pub(super) ids: PublicIds,
}

/// A member of a cluster by its public ids, and by the numbers of its publication.
#[derive(Clone, Copy)]
struct ClusterMember {
    doc_id: i64,
    cluster_id: i64,
    doc: u32,
    cluster: u32,
}

keyed! { ClusterMember: i64 = |member| member.doc_id }

impl ClusterFiles {
    /// The clusters of this run.
    pub(super) fn of_run(engine: &Engine<'_>) -> Result<ClusterFiles, Error> {
        let dir = engine.dir(PhaseName::Cluster);
        let file = |name| Ok::<_, Error>((dir.clone(), engine.sealed(PhaseName::Cluster, name)?));
        Ok(ClusterFiles {
            disk: engine.disk.clone(),
            members: file("members")?,
            clusters: file("clusters")?,
            ids: engine.public_ids(),
        })
    }

    fn read<R: Record>(
        &self,
        (dir, sealed): &(PathBuf, Sealed),
        kind: FileKind,
    ) -> Result<RecordReader<R>, Error> {
        Ok(RecordReader::open_sealed(&self.disk, dir, sealed, kind)?)
    }

    /// The members of clusters, by their public ids.
    fn members(
        &self,
    ) -> Result<Lookup<impl Stream<Record = ClusterMember, Error = format::FormatError>>, Error>
    {
        let members = self.read::<MemberRecord>(&self.members, FileKind::Members)?;
        let of_ids = |MemberRecord { doc, cluster, .. }| ClusterMember {
            doc_id: self.ids.get(doc),
            cluster_id: self.ids.get(cluster),
            doc,
            cluster,
        };
        Ok(Lookup::over(
            members.filter_map(move |member| Some(of_ids(member))),
        )?)
    }

    fn sizes(&self) -> Result<MemberCounts<'_>, Error> {
        Ok(MemberCounts {
            clusters: Lookup::over(self.read(&self.clusters, FileKind::Clusters)?)?,
            ids: &self.ids,
        })
    }
}

/// How many documents clusters have, looked up in ascending order.
struct MemberCounts<'a> {
    clusters: Lookup<RecordReader<ClusterRecord>>,
    ids: &'a PublicIds,
}

/// A cluster, and how many documents it has.
#[derive(Clone, Copy)]
struct SizedCluster {
    number: u32,
    documents: u32,
}

impl MemberCounts<'_> {
    /// The documents of a cluster; 0 if there is no such cluster.
    fn of(&mut self, number: u32) -> Result<u32, Error> {
        let found = self.clusters.of(number)?;
        Ok(found.map_or(0, |cluster| cluster.documents))
    }

    /// The cluster with a public id, if there is one.
    fn of_id(&mut self, id: i64) -> Result<Option<SizedCluster>, Error> {
        let Some(number) = self.ids.find(id) else {
            return Ok(None);
        };
        let documents = self.of(number)?;
        Ok((documents > 0).then_some(SizedCluster { number, documents }))
    }
}

/// A document that was in an old cluster, and is in the new one of the same id no longer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Parted {
    old: u32,
    /// The new cluster, or [`NONE`].
    new: u32,
    doc: u32,
}

word_record! { Parted { old, new, doc } }
keyed! { Parted: [u32; 2] = |parted| [parted.old, parted.new] }

/// The documents that went from an old cluster to a new one, or to [`NONE`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Flow {
    old: u32,
    new: u32,
    lowest: u32,
    documents: u32,
}

record! { Flow { old, new, lowest, documents } }
keyed! { Flow: u32 = |flow| flow.old }

/// An old cluster, seen from a new one that it meets and that has another id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Meeting {
    new: u32,
    /// The lowest document that is in both.
    lowest: u32,
    old: u32,
    /// Documents that are in both.
    documents: u32,
    /// Documents of the old cluster.
    before: u32,
    /// Documents of the old cluster that are in none now; 0 for others than its heir.
    left: u32,
    /// Whether the new cluster has the lowest document of the old one that is in any cluster.
    is_heir: bool,
    /// Whether the old cluster met others, too.
    is_split: bool,
}

word_record! { Meeting { new, lowest, old, documents, before, left, is_heir, is_split } }
keyed! { Meeting: u32 = |meeting| meeting.new }

/// A comparison of two publications.
pub(super) struct PublicationComparison<'a> {
    pub(super) scratch: ScratchDir,
    pub(super) old: &'a ClusterFiles,
    pub(super) new: &'a ClusterFiles,
    /// Memory of one sort; up to four exist at a time.
    pub(super) share_bytes: usize,
}

impl PublicationComparison<'_> {
    /// The events of all clusters, sorted.
    pub(super) fn changes(&self) -> Result<SortedWords<Change>, Error> {
        // `came` has the new clusters of documents that were in none.
        let (mut parted, mut came) = (self.sorter("parted"), self.sorter::<u32>("came"));
        let (mut old, mut new) = (self.old.members()?, self.new.members()?);
        while let Some(Joined { left, right }) = old.join::<_, i64>(&mut new)? {
            match (left, right) {
                (Some(then), Some(now)) if then.cluster_id == now.cluster_id => {}
                (Some(then), now) => parted.push(Parted {
                    old: then.cluster,
                    new: now.map_or(NONE, |now| now.cluster),
                    doc: now.map_or(NONE, |now| now.doc),
                })?,
                (None, Some(now)) => came.push(now.cluster)?,
                (None, None) => {}
            }
        }
        drop((old, new));
        let flows = self.flows(parted.finish()?)?;
        let mut changes = self.sorter("rows");
        let meetings = self.old_clusters(&flows, &mut changes)?;
        drop(flows);
        self.new_clusters(came.finish()?, meetings, &mut changes)?;
        Ok(changes.finish()?)
    }

    fn sorter<R: WordRecord>(&self, name: &str) -> WordSorter<R> {
        self.scratch.sorter(name, self.share_bytes)
    }

    /// Counts the documents of the same two clusters.
    fn flows(&self, parted: SortedWords<Parted>) -> Result<ScratchFile<Flow>, Error> {
        let mut flows = self.scratch.file("journal.run-flows")?;
        let mut parted = Lookup::over(parted)?;
        while let Some(first) = parted.peek() {
            let mut documents = 0;
            while parted.next_of(first.key())?.is_some() {
                documents += 1;
            }
            flows.push(&Flow {
                old: first.old,
                new: first.new,
                lowest: first.doc,
                documents,
            })?;
        }
        Ok(flows.finish()?)
    }

    /// Pushes the rows that follow from the old clusters alone: which died or shrunk. Gives the new
    /// clusters that they meet.
    fn old_clusters(
        &self,
        flows: &ScratchFile<Flow>,
        changes: &mut WordSorter<Change>,
    ) -> Result<SortedWords<Meeting>, Error> {
        let mut meetings = self.sorter("joined");
        let (mut ahead, mut behind) = (Lookup::over(flows.read()?)?, Lookup::over(flows.read()?)?);
        let (mut sizes, mut new_sizes) = (self.old.sizes()?, self.new.sizes()?);
        while let Some(Flow { old, .. }) = ahead.peek() {
            // Documents that are in no cluster; new clusters met besides the one of its id, and the
            // lowest document that is in one of them.
            let (mut left, mut met, mut lowest) = (0, 0, NONE);
            while let Some(flow) = ahead.next_of(old)? {
                if flow.new == NONE {
                    left = flow.documents;
                } else {
                    met += 1;
                    lowest = lowest.min(flow.lowest);
                }
            }
            let before = sizes.of(old)?;
            let same = new_sizes.of_id(self.old.ids.get(old))?;
            match same {
                Some(new) if left > 0 => changes.push(Change {
                    old,
                    new: new.number,
                    event: SHRUNK,
                    documents_before: before,
                    documents_after: new.documents,
                    documents: left,
                })?,
                None if met == 0 => changes.push(Change {
                    old,
                    new: NONE,
                    event: DIED,
                    documents_before: before,
                    documents_after: 0,
                    documents: before,
                })?,
                _ => {}
            }
            let is_split = met + u32::from(same.is_some()) > 1;
            while let Some(flow) = behind.next_of(old)? {
                if flow.new == NONE {
                    continue;
                }
                let is_heir = same.is_none() && flow.lowest == lowest;
                meetings.push(Meeting {
                    new: flow.new,
                    lowest: flow.lowest,
                    old,
                    documents: flow.documents,
                    before,
                    left: if is_heir { left } else { 0 },
                    is_heir,
                    is_split,
                })?;
            }
        }
        Ok(meetings.finish()?)
    }

    /// Pushes all other rows: which new clusters were born, grew, merged, split off or renamed.
    fn new_clusters(
        &self,
        came: SortedWords<u32>,
        meetings: SortedWords<Meeting>,
        changes: &mut WordSorter<Change>,
    ) -> Result<(), Error> {
        let (mut came, mut meetings) = (Lookup::over(came)?, Lookup::over(meetings)?);
        let (mut sizes, mut old_sizes) = (self.new.sizes()?, self.old.sizes()?);
        loop {
            let met = meetings.peek().map(|meeting| meeting.new);
            let Some(new) = [met, came.peek()].into_iter().flatten().min() else {
                return Ok(());
            };
            let after = sizes.of(new)?;
            // A new cluster and the old one of its id continue each other.
            let mut continued = old_sizes.of_id(self.new.ids.get(new))?;
            let mut met = u32::from(continued.is_some());
            while let Some(meeting) = meetings.next_of(new)? {
                let change = Change {
                    old: meeting.old,
                    new,
                    event: MERGED,
                    documents_before: meeting.before,
                    documents_after: after,
                    documents: meeting.documents,
                };
                let has_others = met > 0 || meetings.of(new)?.is_some();
                let continues = met == 0 && meeting.is_heir;
                met += 1;
                if continues {
                    changes.push(Change {
                        event: RENAMED,
                        ..change
                    })?;
                    continued = Some(SizedCluster {
                        number: meeting.old,
                        documents: meeting.before,
                    });
                } else {
                    if has_others {
                        changes.push(change)?;
                    }
                    if meeting.is_split {
                        changes.push(Change {
                            event: SPLIT,
                            ..change
                        })?;
                    }
                }
                if meeting.left > 0 {
                    changes.push(Change {
                        new: if continues { new } else { NONE },
                        event: SHRUNK,
                        documents_after: if continues { after } else { 0 },
                        documents: meeting.left,
                        ..change
                    })?;
                }
            }
            let mut documents = 0;
            while came.next_of(new)?.is_some() {
                documents += 1;
            }
            if documents > 0 {
                changes.push(Change {
                    old: continued.map_or(NONE, |old| old.number),
                    new,
                    event: if met == 0 { BORN } else { GROWN },
                    documents_before: continued.map_or(0, |old| old.documents),
                    documents_after: after,
                    documents,
                })?;
            }
        }
    }
}
