//! The documents of a random history, and the definitions of what becomes of them.

use ask::Index;
use engine::{Engine, PhaseName};
use format::{CommonRecord, FileKind, LinkRecord};
use model::{Class, Equality, Overlap, PublicId, Ratio, SizesByLevel, SnapshotNumber, Threshold};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use testbed::read;
use testkit::{OracleCase, OracleDocument};

/// All there is, by the numbers of the run.
pub(super) struct Corpus<'a> {
    pub(super) case: &'a OracleCase,
    pub(super) snapshots: Vec<CorpusSnapshot<'a>>,
    pub(super) classes: Vec<Class>,
    /// Common shingles.
    common: BTreeSet<u64>,
    /// The common shingles that sketches leave out.
    dropped: BTreeSet<u64>,
    /// The pairs that the run knows.
    known: BTreeSet<(u32, u32)>,
    /// The resemblance at which a page has moved.
    moved: Threshold,
    /// The pairs whose sketches were compared, if they have a fixed size.
    compared: Option<BTreeMap<(u32, u32), LinkRecord>>,
}

pub(super) struct CorpusSnapshot<'a> {
    pub(super) number: u32,
    pub(super) documents: &'a [OracleDocument],
    /// The first document, by its number in the run.
    pub(super) first: u32,
}

/// A document and where it lies.
pub(super) struct PlacedDocument<'a> {
    pub(super) document: &'a OracleDocument,
    /// The number of its snapshot.
    pub(super) snapshot: u32,
    /// Its position in the snapshot.
    pub(super) position: u32,
}

/// The relation of one document to an older one.
pub(super) struct Relation {
    pub(super) equality: Option<Equality>,
    pub(super) overlap: Overlap,
    pub(super) is_link: bool,
    /// Whether it may be where the older one went.
    pub(super) is_alike: bool,
    /// Whether their resemblance is that of a moved page.
    resembles: bool,
    /// Whether they share a shingle that is not common.
    shares_rare: bool,
    /// Whether the older one has a common shingle.
    has_common: bool,
}

impl<'a> Corpus<'a> {
    pub(super) fn of(
        engine: &Engine<'_>,
        case: &'a OracleCase,
        snapshots: &'a [(u32, Vec<OracleDocument>)],
    ) -> Corpus<'a> {
        let mut first = 0;
        let placed = snapshots.iter().map(|(number, documents)| {
            first += documents.len() as u32;
            CorpusSnapshot {
                number: *number,
                documents,
                first: first - documents.len() as u32,
            }
        });
        let snapshots = placed.collect();
        let mut classes: Vec<Class> = (0..first).map(Class::alone).collect();
        for class in read::<Class>(engine, PhaseName::Distinct, "classes", FileKind::Classes) {
            classes[class.doc as usize] = class;
        }
        let common = read::<CommonRecord>(engine, PhaseName::Pairs, "common", FileKind::Common);
        let common: BTreeSet<u64> = common.into_iter().map(|common| common.shingle).collect();
        Corpus {
            case,
            snapshots,
            classes,
            dropped: match engine.config.drops_common() {
                true => common.clone(),
                false => BTreeSet::new(),
            },
            common,
            known: known_pairs(engine),
            moved: engine.config.moved(),
            compared: case.params.sampling.has_fixed_size().then(|| {
                let pairs =
                    read::<LinkRecord>(engine, PhaseName::Pairs, "compared", FileKind::Links);
                let pairs = pairs.into_iter();
                pairs.map(|pair| ((pair.a, pair.b), pair)).collect()
            }),
        }
    }

    pub(super) fn place(&self, doc: u32) -> PlacedDocument<'_> {
        let snapshot = self
            .snapshots
            .iter()
            .rev()
            .find(|snapshot| snapshot.first <= doc && !snapshot.documents.is_empty())
            .unwrap();
        let position = doc - snapshot.first;
        PlacedDocument {
            document: &snapshot.documents[position as usize],
            snapshot: snapshot.number,
            position,
        }
    }

    pub(super) fn id(&self, doc: u32) -> String {
        let placed = self.place(doc);
        let PublicId(id) = SnapshotNumber(placed.snapshot).public(model::DocId(placed.position));
        id.to_string()
    }

    pub(super) fn url(&self, doc: u32) -> Option<String> {
        let placed = self.place(doc);
        testbed::url_of(placed.position, u64::from(placed.snapshot))
    }

    /// The document of each URL of a snapshot.
    pub(super) fn standing(&self, at: usize) -> BTreeMap<String, u32> {
        let CorpusSnapshot {
            documents, first, ..
        } = self.snapshots[at];
        let mut standing: BTreeMap<String, u32> = BTreeMap::new();
        for doc in first..first + documents.len() as u32 {
            let Some(url) = self.url(doc) else { continue };
            let best = standing.entry(url).or_insert(doc);
            if (self.place(doc).document.date, doc) > (self.place(*best).document.date, *best) {
                *best = doc;
            }
        }
        standing
    }

    pub(super) fn kept(&self, doc: u32) -> Vec<u64> {
        let all = &self.place(doc).document.fingerprints;
        all.iter()
            .copied()
            .filter(|shingle| !self.dropped.contains(shingle))
            .collect()
    }

    pub(super) fn relation(&self, old: u32, new: u32) -> Relation {
        let (class_old, class_new) = (self.classes[old as usize], self.classes[new as usize]);
        let both = class_old.lowest.into_iter().zip(class_new.lowest);
        let equality = Equality::ALL
            .into_iter()
            .zip(both)
            .find(|(_, (a, b))| a == b && *a != Class::NONE);
        let equality = equality.map(|(equality, _)| equality);
        let (a, b) = (class_old.representative(), class_new.representative());
        let sampling = self.case.params.sampling;
        let level = self
            .place(a)
            .document
            .level
            .max(self.place(b).document.level);
        let at_level = |doc: u32, kept: Vec<u64>| -> BTreeSet<u64> {
            let sizes: SizesByLevel =
                sampling.sizes_by_level(self.place(doc).document.level, &kept);
            let set: BTreeSet<u64> = kept
                .into_iter()
                .filter(|shingle| sampling.coarsest_level_of(*shingle) >= level)
                .collect();
            assert_eq!(sizes.sizes[level] as usize, set.len());
            set
        };
        let (mut of_a, mut of_b) = (at_level(a, self.kept(a)), at_level(b, self.kept(b)));
        if a == b && of_a.is_empty() {
            of_a = at_level(a, self.place(a).document.fingerprints.clone());
            of_b = of_a.clone();
        }
        let mut overlap = Overlap {
            shared: of_a.intersection(&of_b).count() as u32,
            size_a: of_a.len() as u32,
            size_b: of_b.len() as u32,
            modulus: sampling.modulus_at(level),
        };
        if let Some(compared) = self.compared.as_ref().filter(|_| a != b) {
            match compared.get(&(a.min(b), a.max(b))) {
                None => overlap.shared = 0,
                Some(pair) => {
                    let mut sizes = [pair.size_a, pair.size_b];
                    if a > b {
                        sizes.reverse();
                    }
                    overlap = Overlap {
                        shared: pair.shared,
                        size_a: sizes[0],
                        size_b: sizes[1],
                        modulus: pair.modulus,
                    };
                }
            }
        }
        let params = &self.case.params;
        let is_known = self.compared.is_some() || self.known.contains(&(a.min(b), a.max(b)));
        let reaches = |threshold: Threshold| {
            overlap.shared >= params.min_shared.max(1)
                && threshold.reached_by(overlap.shared_of_union())
        };
        Relation {
            equality,
            overlap,
            is_link: reaches(params.resemblance),
            is_alike: is_known && reaches(self.moved),
            resembles: reaches(self.moved),
            shares_rare: of_a
                .intersection(&of_b)
                .any(|shared| !self.common.contains(shared)),
            has_common: self.kept(a).iter().any(|kept| self.common.contains(kept)),
        }
    }

    /// The best of what is new, and how many qualify; as the `asked` index says, if one is.
    pub(super) fn place_of(
        &self,
        gone: u32,
        new: &[u32],
        asked: Option<&Index>,
    ) -> Option<(u32, usize)> {
        let cluster_of = |index: &Index, doc| index.member(doc).unwrap().cluster;
        let rank = |&doc: &u32| {
            let relation = self.relation(gone, doc);
            let Relation {
                equality, overlap, ..
            } = relation;
            let is_alike = match asked.filter(|_| self.compared.is_none()) {
                None => relation.is_alike,
                Some(index) => {
                    let together = cluster_of(index, gone) == cluster_of(index, doc);
                    let is_found = relation.shares_rare || relation.has_common && together;
                    relation.resembles && is_found
                }
            };
            let class = equality.map_or(3, |equality| equality as u32);
            let ratio = if equality.is_some() {
                Ratio::new(1, 1)
            } else {
                overlap.shared_of_union()
            };
            (equality.is_some() || is_alike).then_some((class, Reverse(ratio), doc))
        };
        let mut found: Vec<_> = new.iter().filter_map(rank).collect();
        found.sort_unstable();
        found.first().map(|best| (best.2, found.len()))
    }
}

/// The pairs that are counted or proposed.
fn known_pairs(engine: &Engine<'_>) -> BTreeSet<(u32, u32)> {
    let mut counts = engine.pair_counts().unwrap();
    let mut pairs = BTreeSet::new();
    while let Some(slice) = counts.next_slice().unwrap() {
        pairs.extend(slice.iter().map(|pair| (pair.a, pair.b)));
    }
    pairs
}
