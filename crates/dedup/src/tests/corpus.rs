//! The definitions, straight from the corpus: every document compared with every other.

use crate::files::Files;
use clustering::reached;
use engine::{Engine, PhaseName};
use format::{CommonRecord, FileKind, LinkRecord, MemberRecord, RecordReader};
use model::{Class, Overlap, PairCount, Ratio, Threshold};
use model::{ContainedDocument, LinkPolicy};
use publication::removals::candidate::{NONE, SIMILAR};
use publication::removals::removal::NOT_COUNTED;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use testbed::read;
use testkit::{OracleCase, OracleKeep, Random};

/// Removals by document.
type RemovalFile = BTreeMap<u32, [u32; 8]>;

pub(super) struct Corpus<'a> {
    pub(super) engine: &'a Engine<'a>,
    case: &'a OracleCase,
    policy: LinkPolicy,
    classes: Vec<Class>,
    /// Cluster, and the document kept in its favour.
    clusters: Vec<(u32, u32)>,
    links: BTreeMap<(u32, u32), LinkRecord>,
    /// Common shingles, if sketches lose them.
    dropped: BTreeSet<u64>,
    /// The pairs that are counted or proposed, whatever the floor is.
    known: BTreeSet<(u32, u32)>,
}

impl<'a> Corpus<'a> {
    pub(super) fn of(engine: &'a Engine<'a>, case: &'a OracleCase) -> Corpus<'a> {
        let n = case.documents.len() as u32;
        let mut classes: Vec<Class> = (0..n).map(Class::alone).collect();
        for class in read::<Class>(engine, PhaseName::Distinct, "classes", FileKind::Classes) {
            classes[class.doc as usize] = class;
        }
        let mut clusters: Vec<(u32, u32)> = (0..n).map(|doc| (doc, doc)).collect();
        for member in read::<MemberRecord>(engine, PhaseName::Cluster, "members", FileKind::Members)
        {
            clusters[member.doc as usize] = (member.cluster, member.kept);
        }
        let links = read::<LinkRecord>(engine, PhaseName::Cluster, "links", FileKind::Links);
        let links = links
            .into_iter()
            .map(|link| ((link.a, link.b), link))
            .collect();
        let common = read::<CommonRecord>(engine, PhaseName::Pairs, "common", FileKind::Common);
        let dropped = match engine.config.drops_common() {
            true => common.into_iter().map(|common| common.shingle).collect(),
            false => BTreeSet::new(),
        };
        Corpus {
            engine,
            case,
            policy: engine.config.cluster.link_policy(),
            classes,
            clusters,
            links,
            dropped,
            known: known_pairs(engine),
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

    /// The overlap of two documents, as the link of their classes says, if there is one; else
    /// as their sketches say.
    fn overlap(&self, a: u32, b: u32) -> Overlap {
        let [x, y] = [a, b].map(|doc| self.class(doc));
        let Some(link) = self.links.get(&(x.min(y), x.max(y))) else {
            return self.estimate(a, b);
        };
        if x < y {
            link.overlap()
        } else {
            link.overlap().reversed()
        }
    }

    /// The overlap of the sketches of two documents, by the sketches of their classes.
    pub(super) fn estimate(&self, a: u32, b: u32) -> Overlap {
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

    /// Level, and shingles that count.
    fn sketch(&self, doc: u32) -> (usize, Vec<u64>) {
        let document = &self.case.documents[self.class(doc) as usize];
        (
            document.level,
            document
                .fingerprints
                .iter()
                .copied()
                .filter(|s| !self.dropped.contains(s))
                .collect(),
        )
    }

    fn removal(&self, doc: u32, kept: u32, links: u32) -> [u32; 8] {
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

    pub(super) fn drop_all(&self) -> RemovalFile {
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

    /// Every member that does not stay goes for the one that is kept in its favour.
    pub(super) fn clusters(&self) -> RemovalFile {
        let kept = self
            .documents()
            .filter(|doc| self.clusters[*doc as usize].1 == *doc);
        let mut removals = RemovalFile::new();
        for kept in kept {
            for doc in self
                .documents()
                .filter(|doc| *doc != kept && self.clusters[*doc as usize].1 == kept)
            {
                // A chain through others is not counted.
                let links = self.joining(doc, kept).map_or(NOT_COUNTED, |_| 1);
                removals.insert(doc, self.removal(doc, kept, links));
            }
        }
        removals
    }

    /// The lowest document of NAME in each class.
    fn owned(&self, files: &Files) -> BTreeMap<u32, u32> {
        let mut lowest = BTreeMap::new();
        for doc in files.against() {
            lowest.entry(self.class(doc)).or_insert(doc);
        }
        lowest
    }

    /// The documents of NAME go.
    pub(super) fn against(&self, files: &Files) -> RemovalFile {
        let owned = self.owned(files);
        let mut removals = RemovalFile::new();
        for doc in files.others() {
            let class = self.class(doc);
            let linked = || {
                let ends = self
                    .all_joining()
                    .filter(|(a, b)| *a == class || *b == class);
                let others = ends.filter_map(|(a, b)| {
                    let link = &self.links[&(a, b)];
                    let (other, part) = if a == class {
                        (b, ContainedDocument::B)
                    } else {
                        (a, ContainedDocument::A)
                    };
                    let kept = owned.get(&other).filter(|_| {
                        reached(link).resemblance
                            || reached(link).contained_document() != Some(part)
                    })?;
                    let union =
                        u64::from(link.size_a) + u64::from(link.size_b) - u64::from(link.shared);
                    Some((Reverse(Ratio::new(u64::from(link.shared), union)), *kept))
                });
                others.min().map(|(_, kept)| kept)
            };
            if let Some(kept) = owned.get(&class).copied().or_else(linked) {
                removals.insert(doc, self.removal(doc, kept, 1));
            }
        }
        removals
    }

    /// All shingles of a document: those of its sketch, common ones too, and a few more that the
    /// sketch left out. Documents of equal bodies have the same. Of some documents there is no
    /// text that fits the memory.
    pub(super) fn text(&self, doc: u32) -> Option<BTreeSet<u64>> {
        let lowest = self.classes[doc as usize].lowest_of_equal_bodies();
        let mut random = Random::for_item(u64::from(lowest), self.case.documents.len() as u64);
        let more = random.within(0, 4);
        let unsampled = (0..more).map(|_| u64::MAX - random.within(0, 3));
        let sketch = &self.case.documents[lowest as usize].fingerprints;
        let all = sketch.iter().copied().chain(unsampled).collect();
        (!random.chance(30)).then_some(all)
    }

    /// The overlap of two texts, if both can be compared.
    fn exact(&self, doc: u32, kept: u32) -> Option<Overlap> {
        let (own, other) = (self.text(doc)?, self.text(kept)?);
        Some(Overlap {
            shared: own.intersection(&other).count() as u32,
            size_a: own.len() as u32,
            size_b: other.len() as u32,
            modulus: 1,
        })
    }

    /// Divides removals into those that are proven, with exact counts, and the kept documents of
    /// the others if they were compared.
    fn proven(
        &self,
        removals: &RemovalFile,
        share: Threshold,
    ) -> (RemovalFile, BTreeMap<u32, Option<u32>>) {
        let reached_by = |overlap: &Overlap| share.reached_by(overlap.share_of(overlap.size_a));
        let (mut stands, mut left) = (RemovalFile::new(), BTreeMap::new());
        for (&doc, &removal) in removals {
            let [_, kept, relation, .., links] = removal;
            if relation == 0 {
                stands.insert(doc, removal);
            } else if relation == SIMILAR && !reached_by(&self.overlap(doc, kept)) {
                left.insert(doc, None);
            } else if let Some(exact) = self
                .exact(doc, kept)
                .filter(|exact| exact.size_a > 0 && exact.size_b > 0 && reached_by(exact))
            {
                let Overlap {
                    shared,
                    size_a,
                    size_b,
                    modulus,
                } = exact;
                let counts = [doc, kept, relation, shared, size_a, size_b, modulus, links];
                stands.insert(doc, counts);
            } else {
                left.insert(doc, Some(kept));
            }
        }
        (stands, left)
    }

    /// The removal of a document that goes for another one than its cluster keeps.
    fn fate_elsewhere(&self, doc: u32, kept: u32) -> [u32; 8] {
        let is_linked = self.joining(doc, kept).is_some();
        self.removal(doc, kept, if is_linked { 1 } else { NOT_COUNTED })
    }

    /// Of what is to go, what is contained in something that stays.
    pub(super) fn lossless(
        &self,
        removals: &RemovalFile,
        share: Threshold,
        against: Option<&Files>,
    ) -> RemovalFile {
        if share.is_all() {
            return self.equal_texts(removals, against);
        }
        let (mut stands, left) = self.proven(removals, share);
        let held = self.held(removals, &left, share, against);
        let (more, left) = self.proven(&held, share);
        stands.extend(more);
        if against.is_some() {
            return stands;
        }
        let lowest = |doc: u32| self.classes[doc as usize].lowest_of_equal_bodies();
        for doc in left.keys().copied() {
            let equal = left
                .keys()
                .copied()
                .filter(|other| lowest(*other) == lowest(doc));
            let best = equal.min_by_key(|doc| self.rank(*doc)).unwrap();
            if best != doc {
                stands.insert(doc, self.fate_elsewhere(doc, best));
            }
        }
        stands
    }

    /// Of what is to go, what has the text of something that stays. Asked are all documents of the
    /// classes in question.
    fn equal_texts(&self, removals: &RemovalFile, against: Option<&Files>) -> RemovalFile {
        let (mut stands, chosen): (RemovalFile, RemovalFile) = removals
            .iter()
            .partition(|(_, [_, _, relation, ..])| *relation == 0);
        let asked: BTreeSet<u32> = chosen
            .iter()
            .flat_map(|(doc, [_, kept, ..])| [self.class(*doc), self.class(*kept)])
            .collect();
        let may_be_kept = |doc: &u32| match against {
            Some(files) => files.against().any(|other| other == *doc),
            None => !stands.contains_key(doc),
        };
        let asked: Vec<u32> = self
            .documents()
            .filter(|doc| asked.contains(&self.class(*doc)) && may_be_kept(doc))
            .collect();
        let mut going = RemovalFile::new();
        for doc in chosen.keys().copied() {
            let Some(text) = self.text(doc) else { continue };
            let equal = asked.iter().copied();
            let equal = equal.filter(|other| self.text(*other).as_ref() == Some(&text));
            let best = equal.min_by_key(|other| (chosen.contains_key(other), self.rank(*other)));
            if let Some(best) = best.filter(|best| *best != doc) {
                let [_, _, relation, .., links] = self.fate_elsewhere(doc, best);
                going.insert(doc, [doc, best, relation, 1, 1, 1, 1, links]);
            }
        }
        stands.extend(going);
        stands
    }

    /// A class that is left over goes for a document that stays, by estimate.
    fn held(
        &self,
        removals: &RemovalFile,
        left: &BTreeMap<u32, Option<u32>>,
        share: Threshold,
        against: Option<&Files>,
    ) -> RemovalFile {
        let reached_by = |overlap: &Overlap| share.reached_by(overlap.share_of(overlap.size_a));
        let of_class = |class: u32| {
            left.iter()
                .filter(move |(doc, _)| self.class(**doc) == class)
        };
        let best = |class: u32| {
            let all = of_class(class).map(|(doc, _)| *doc);
            all.min_by_key(|doc| self.rank(*doc))
        };
        let refuted = |class: u32| of_class(class).find_map(|(_, kept)| *kept);
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
        // The documents of each class that stay. One that is left over counts once it is decided.
        let mut stays: BTreeMap<u32, u32> = match against {
            Some(files) => self.owned(files),
            None => self
                .documents()
                .filter(|doc| !removals.contains_key(doc))
                .map(|doc| (self.class(doc), doc))
                .collect(),
        };
        let owned = stays.clone();
        stays.retain(|class, _| !open.contains(class));
        let holds = |class: u32, (other, kept): (&u32, &u32)| {
            let overlap = self.estimate(class, *other);
            refuted(class) != Some(*kept)
                && (class == *other || self.known.contains(&(class.min(*other), class.max(*other))))
                && overlap.shared >= self.policy.min_shared.max(1)
                && reached_by(&overlap)
        };
        let mut goes = Vec::new();
        for class in open {
            if stays.iter().any(|held| holds(class, held)) {
                goes.push(class);
            } else if let Some(best) = best(class).filter(|_| against.is_none()) {
                stays.insert(class, best);
            }
        }
        let mut removals = RemovalFile::new();
        for doc in left.keys() {
            let class = self.class(*doc);
            let holding = stays
                .iter()
                .filter(|held| goes.contains(&class) && holds(class, *held));
            let most = holding.min_by_key(|(other, kept)| {
                let overlap = self.estimate(class, **other);
                (Reverse(overlap.share_of(overlap.size_a)), **kept)
            });
            let own = if against.is_some() { &owned } else { &stays };
            let kept = most
                .map(|(_, kept)| *kept)
                .or_else(|| own.get(&class).copied());
            if let Some(kept) = kept.filter(|kept| kept != doc) {
                removals.insert(*doc, self.fate_elsewhere(*doc, kept));
            }
        }
        removals
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

    /// The rank of `keep` without the number.
    fn rank_of(&self, doc: Option<u32>) -> Option<(bool, i128)> {
        doc.map(|doc| self.rank(doc))
            .map(|(missing, value, _)| (missing, value))
    }
}

/// All pairs that are counted or proposed.
fn known_pairs(engine: &Engine<'_>) -> BTreeSet<(u32, u32)> {
    if engine.config.sketch.sampling.has_fixed_size() {
        return BTreeSet::new();
    }
    let path = engine.config.work.dir.join("known-pairs");
    phases::pairs::write_all(engine, path.clone()).unwrap();
    let reader = RecordReader::<PairCount>::open(&engine.disk, &path, FileKind::Pairs);
    let (mut reader, mut pairs) = (reader.unwrap(), BTreeSet::new());
    while let Some(pair) = reader.next().unwrap() {
        pairs.insert((pair.a, pair.b));
    }
    engine.disk.remove(&path).unwrap();
    pairs
}
