//! The definitions, straight from the corpus: every document compared with every other.

use crate::choose::{NONE, SIMILAR};
use crate::evidence::NOT_COUNTED;
use crate::files::Files;
use cluster::{LinkPolicy, Part};
use engine::Engine;
use format::{CommonRecord, FileKind, LinkRecord, MemberRecord};
use model::{Class, Overlap, Ratio, Threshold};
use phases::cluster::{policy, reached};
use runtime::PhaseName;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use testbed::read;
use testkit::{OracleCase, OracleKeep};

/// Fates by document.
type Fates = BTreeMap<u32, [u32; 8]>;

pub(super) struct Corpus<'a> {
    pub(super) engine: &'a Engine<'a>,
    case: &'a OracleCase,
    policy: LinkPolicy,
    classes: Vec<Class>,
    /// Cluster, and whether it is kept.
    clusters: Vec<(u32, bool)>,
    links: BTreeMap<(u32, u32), LinkRecord>,
    common: BTreeSet<u64>,
}

impl<'a> Corpus<'a> {
    pub(super) fn of(engine: &'a Engine<'a>, case: &'a OracleCase) -> Corpus<'a> {
        let n = case.documents.len() as u32;
        let mut classes: Vec<Class> = (0..n).map(Class::alone).collect();
        for class in read::<Class>(engine, PhaseName::Distinct, "classes", FileKind::Classes) {
            classes[class.doc as usize] = class;
        }
        let mut clusters: Vec<(u32, bool)> = (0..n).map(|doc| (doc, true)).collect();
        for member in read::<MemberRecord>(engine, PhaseName::Cluster, "members", FileKind::Members)
        {
            clusters[member.doc as usize] = (member.cluster, member.keep == 1);
        }
        let links = read::<LinkRecord>(engine, PhaseName::Cluster, "links", FileKind::Links);
        let links = links
            .into_iter()
            .map(|link| ((link.a, link.b), link))
            .collect();
        let common = read::<CommonRecord>(engine, PhaseName::Pairs, "common", FileKind::Common);
        let common = common.into_iter().map(|common| common.shingle).collect();
        Corpus {
            engine,
            case,
            policy: policy(engine),
            classes,
            clusters,
            links,
            common,
        }
    }

    pub(super) fn documents(&self) -> std::ops::Range<u32> {
        0..self.classes.len() as u32
    }

    /// Its representative.
    pub(super) fn class(&self, doc: u32) -> u32 {
        self.classes[doc as usize].representative()
    }

    pub(super) fn members(&self, class: u32) -> Vec<u32> {
        self.documents()
            .filter(|doc| self.class(*doc) == class)
            .collect()
    }

    /// The joining link between the classes of two documents.
    pub(super) fn joining(&self, x: u32, y: u32) -> Option<&LinkRecord> {
        let (x, y) = (self.class(x), self.class(y));
        self.links
            .get(&(x.min(y), x.max(y)))
            .filter(|link| self.policy.joins(reached(link)))
    }

    pub(super) fn all_joining(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        self.links
            .iter()
            .filter(|(_, link)| self.policy.joins(reached(link)))
            .map(|(ends, _)| *ends)
    }

    /// What the sketches of two documents have in common, by those of their classes.
    pub(super) fn overlap(&self, a: u32, b: u32) -> Overlap {
        let (a, b) = (self.sketch(a), self.sketch(b));
        let sampling = self.case.params.sampling;
        let modulus = sampling.modulus_at(a.0.max(b.0));
        let (a, b): (BTreeSet<u64>, BTreeSet<u64>) = [a, b]
            .map(|(_, list)| {
                list.into_iter()
                    .filter(|s| s.is_multiple_of(u64::from(modulus)))
                    .collect()
            })
            .into();
        let shared = a.intersection(&b).count() as u32;
        Overlap {
            shared,
            size_a: a.len() as u32,
            size_b: b.len() as u32,
            modulus,
        }
    }

    /// Level, and shingles that are not common.
    fn sketch(&self, doc: u32) -> (usize, Vec<u64>) {
        let document = &self.case.documents[self.class(doc) as usize];
        (
            document.level,
            document
                .fingerprints
                .iter()
                .copied()
                .filter(|s| !self.common.contains(s))
                .collect(),
        )
    }

    fn fate(&self, doc: u32, kept: u32, links: u32) -> [u32; 8] {
        let (own, other) = (self.classes[doc as usize], self.classes[kept as usize]);
        let both = own
            .lowest
            .iter()
            .zip(other.lowest)
            .position(|(a, b)| *a != Class::NONE && *a == b);
        let relation = both.map_or(SIMILAR, |class| class as u32);
        let Overlap {
            shared,
            size_a,
            size_b,
            modulus,
        } = self.overlap(doc, kept);
        [
            doc,
            kept,
            relation,
            shared,
            size_a,
            size_b,
            modulus,
            if relation < SIMILAR { 0 } else { links },
        ]
    }

    pub(super) fn drop_all(&self) -> Fates {
        let in_clusters = self.documents().filter(|doc| {
            let (cluster, _) = self.clusters[*doc as usize];
            self.clusters
                .iter()
                .filter(|(other, _)| *other == cluster)
                .count()
                > 1
        });
        in_clusters
            .map(|doc| (doc, [doc, NONE, SIMILAR, 0, 0, 0, 1, 0]))
            .collect()
    }

    /// Every member goes for the one its cluster keeps.
    pub(super) fn clusters(&self) -> Fates {
        let kept = self
            .documents()
            .filter(|doc| self.clusters[*doc as usize].1);
        let mut fates = Fates::new();
        for kept in kept {
            let distance = self.distances(self.class(kept));
            let cluster = self.clusters[kept as usize].0;
            for doc in self
                .documents()
                .filter(|doc| self.clusters[*doc as usize] == (cluster, false))
            {
                fates.insert(
                    doc,
                    self.fate(
                        doc,
                        kept,
                        distance.get(&self.class(doc)).copied().unwrap_or(0),
                    ),
                );
            }
        }
        fates
    }

    /// Joining links from one class to all others.
    fn distances(&self, from: u32) -> BTreeMap<u32, u32> {
        let mut found = BTreeMap::from([(from, 0)]);
        let mut queue = VecDeque::from([from]);
        while let Some(next) = queue.pop_front() {
            for (a, b) in self.all_joining().filter(|(a, b)| *a == next || *b == next) {
                let other = a + b - next;
                if !found.contains_key(&other) {
                    found.insert(other, found[&next] + 1);
                    queue.push_back(other);
                }
            }
        }
        found
    }

    /// The lowest document of NAME in each class.
    fn owned(&self, files: &Files) -> BTreeMap<u32, u32> {
        let mut lowest = BTreeMap::new();
        for doc in files.against() {
            lowest.entry(self.class(doc)).or_insert(doc);
        }
        lowest
    }

    /// What NAME has goes.
    pub(super) fn against(&self, files: &Files) -> Fates {
        let owned = self.owned(files);
        let mut fates = Fates::new();
        for doc in files.others() {
            let class = self.class(doc);
            let linked = || {
                let ends = self
                    .all_joining()
                    .filter(|(a, b)| *a == class || *b == class);
                let others = ends.filter_map(|(a, b)| {
                    let link = &self.links[&(a, b)];
                    let (other, part) = if a == class {
                        (b, Part::B)
                    } else {
                        (a, Part::A)
                    };
                    let kept = owned
                        .get(&other)
                        .filter(|_| reached(link).one_way() != Some(part))?;
                    let union =
                        u64::from(link.size_a) + u64::from(link.size_b) - u64::from(link.shared);
                    Some((Reverse(Ratio::new(u64::from(link.shared), union)), *kept))
                });
                others.min().map(|(_, kept)| kept)
            };
            if let Some(kept) = owned.get(&class).copied().or_else(linked) {
                fates.insert(doc, self.fate(doc, kept, 1));
            }
        }
        fates
    }

    /// Of what is to go, what is contained in something that stays.
    pub(super) fn lossless(
        &self,
        fates: &Fates,
        share: Threshold,
        against: Option<&Files>,
    ) -> Fates {
        let reached_by = |overlap: &Overlap| share.reached_by(overlap.share_of(overlap.size_a));
        let (mut stands, left): (Fates, Fates) = fates.iter().partition(|(doc, fate)| {
            fate[2] < SIMILAR || reached_by(&self.overlap(**doc, fate[1]))
        });
        let best = |class: u32| {
            left.keys()
                .copied()
                .filter(|doc| self.class(*doc) == class)
                .min_by_key(|doc| self.rank(*doc))
        };
        let mut open: Vec<u32> = left
            .keys()
            .map(|doc| self.class(*doc))
            .collect::<BTreeSet<_>>()
            .into_iter()
            .collect();
        let length = |class: u32| {
            let (level, sketch) = self.sketch(class);
            sketch.len() as u64 * u64::from(self.case.params.sampling.modulus_at(level))
        };
        open.sort_by_key(|class| (Reverse(length(*class)), self.rank_of(best(*class)), *class));
        // What stays of each class.
        let mut stays: BTreeMap<u32, u32> = match against {
            Some(files) => self.owned(files),
            None => self
                .documents()
                .filter(|doc| !fates.contains_key(doc))
                .map(|doc| (self.class(doc), doc))
                .collect(),
        };
        let holds = |class: u32, other: u32| {
            let overlap = self.overlap(class, other);
            overlap.shared >= self.policy.min_shared.max(1) && reached_by(&overlap)
        };
        let mut goes = Vec::new();
        for class in open {
            if stays.keys().any(|other| holds(class, *other)) {
                goes.push(class);
            } else if let Some(best) = best(class).filter(|_| against.is_none()) {
                stays.insert(class, best);
            }
        }
        for doc in left.keys() {
            let class = self.class(*doc);
            let holding = stays
                .iter()
                .filter(|(other, _)| goes.contains(&class) && holds(class, **other));
            let most = holding.min_by_key(|(other, kept)| {
                let overlap = self.overlap(class, **other);
                (Reverse(overlap.share_of(overlap.size_a)), **kept)
            });
            let kept = most
                .or_else(|| stays.get_key_value(&class))
                .map(|(_, kept)| *kept);
            if let Some(kept) = kept.filter(|kept| kept != doc) {
                let links = if self.joining(*doc, kept).is_some() {
                    1
                } else {
                    NOT_COUNTED
                };
                stands.insert(*doc, self.fate(*doc, kept, links));
            }
        }
        stands
    }

    /// Place of a document in the order of `keep`: missing values last, then the value, then the
    /// number.
    fn rank(&self, doc: u32) -> (bool, i128, u32) {
        let document = &self.case.documents[doc as usize];
        let value = match self.case.params.keep {
            OracleKeep::First => Some(0),
            OracleKeep::Longest => Some(-i128::from(document.words)),
            OracleKeep::Newest => document.date.map(|date| -i128::from(date)),
            OracleKeep::Oldest => document.date.map(i128::from),
        };
        (value.is_none(), value.unwrap_or(0), doc)
    }

    /// The same without the number.
    fn rank_of(&self, doc: Option<u32>) -> Option<(bool, i128)> {
        doc.map(|doc| self.rank(doc))
            .map(|(missing, value, _)| (missing, value))
    }
}
