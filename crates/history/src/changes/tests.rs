//! Changes between random snapshots, within a few KiB, against the definitions.

use super::changes;
use super::statistics::CLASSES;
use ask::query::{DocumentVersion, history, lost};
use engine::Engine;
use format::{CommonRecord, FileKind};
use model::{Class, Equality, Overlap, PublicId, Ratio, SizesByLevel, SnapshotNumber};
use output::{Cell, ChangeClasses, ChangesBetween, Selection, TableReader};
use publication::publish::Publication;
use query::{Index, UrlKeys};
use runtime::PhaseName;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use testbed::read;
use testkit::{OracleCase, OracleDocument};

/// All values of a row, doubles to the bit.
type Shown = Vec<String>;

/// All there is, by the numbers of the run.
struct Corpus<'a> {
    case: &'a OracleCase,
    /// Number, documents, and the first of them.
    snapshots: Vec<(u32, &'a [OracleDocument], u32)>,
    classes: Vec<Class>,
    common: BTreeSet<u64>,
}

/// What one document is to an older one.
struct Relation {
    equality: Option<Equality>,
    overlap: Overlap,
    is_link: bool,
}

impl<'a> Corpus<'a> {
    fn of(
        engine: &Engine<'_>,
        case: &'a OracleCase,
        snapshots: &'a [(u32, Vec<OracleDocument>)],
    ) -> Corpus<'a> {
        let mut first = 0;
        let placed = snapshots.iter().map(|(number, documents)| {
            first += documents.len() as u32;
            (*number, &documents[..], first - documents.len() as u32)
        });
        let snapshots = placed.collect();
        let mut classes: Vec<Class> = (0..first).map(Class::alone).collect();
        for class in read::<Class>(engine, PhaseName::Distinct, "classes", FileKind::Classes) {
            classes[class.doc as usize] = class;
        }
        let common = read::<CommonRecord>(engine, PhaseName::Pairs, "common", FileKind::Common);
        Corpus {
            case,
            snapshots,
            classes,
            common: common.into_iter().map(|common| common.shingle).collect(),
        }
    }

    fn place(&self, doc: u32) -> (u32, &OracleDocument, u32) {
        let snapshot = self
            .snapshots
            .iter()
            .rev()
            .find(|snapshot| snapshot.2 <= doc && !snapshot.1.is_empty());
        let (number, documents, first) = *snapshot.unwrap();
        (number, &documents[(doc - first) as usize], doc - first)
    }

    fn id(&self, doc: u32) -> String {
        let (number, _, position) = self.place(doc);
        let PublicId(id) = SnapshotNumber(number).public(model::DocId(position));
        id.to_string()
    }

    fn url(&self, doc: u32) -> Option<String> {
        let (number, _, position) = self.place(doc);
        testbed::url_of(position, u64::from(number))
    }

    /// The document of each URL of a snapshot.
    fn standing(&self, at: usize) -> BTreeMap<String, u32> {
        let (_, documents, first) = self.snapshots[at];
        let mut standing: BTreeMap<String, u32> = BTreeMap::new();
        for doc in first..first + documents.len() as u32 {
            let Some(url) = self.url(doc) else { continue };
            let best = standing.entry(url).or_insert(doc);
            if (self.place(doc).1.date, doc) > (self.place(*best).1.date, *best) {
                *best = doc;
            }
        }
        standing
    }

    fn kept(&self, doc: u32) -> Vec<u64> {
        let all = &self.place(doc).1.fingerprints;
        all.iter()
            .copied()
            .filter(|shingle| !self.common.contains(shingle))
            .collect()
    }

    fn relation(&self, old: u32, new: u32) -> Relation {
        let (class_old, class_new) = (self.classes[old as usize], self.classes[new as usize]);
        let both = class_old.lowest.into_iter().zip(class_new.lowest);
        let equality = Equality::ALL
            .into_iter()
            .zip(both)
            .find(|(_, (a, b))| a == b && *a != Class::NONE);
        let equality = equality.map(|(equality, _)| equality);
        let (a, b) = (class_old.representative(), class_new.representative());
        let sampling = self.case.params.sampling;
        let level = self.place(a).1.level.max(self.place(b).1.level);
        let at_level = |doc: u32, kept: Vec<u64>| -> BTreeSet<u64> {
            let sizes: SizesByLevel = sampling.sizes_by_level(self.place(doc).1.level, &kept);
            let set: BTreeSet<u64> = kept
                .into_iter()
                .filter(|shingle| sampling.coarsest_level_of(*shingle) >= level)
                .collect();
            assert_eq!(sizes.sizes[level] as usize, set.len());
            set
        };
        let (mut of_a, mut of_b) = (at_level(a, self.kept(a)), at_level(b, self.kept(b)));
        if a == b && of_a.is_empty() {
            of_a = at_level(a, self.place(a).1.fingerprints.clone());
            of_b = of_a.clone();
        }
        let overlap = Overlap {
            shared: of_a.intersection(&of_b).count() as u32,
            size_a: of_a.len() as u32,
            size_b: of_b.len() as u32,
            modulus: sampling.modulus_at(level),
        };
        let params = &self.case.params;
        let is_link = overlap.shared > 0
            && overlap.shared >= params.min_shared
            && params.resemblance.reached_by(overlap.shared_of_union());
        Relation {
            equality,
            overlap,
            is_link,
        }
    }

    /// The best of what is new, and how many qualify.
    fn place_of(&self, gone: u32, new: &[u32]) -> Option<(u32, usize)> {
        let rank = |&doc: &u32| {
            let Relation {
                equality,
                overlap,
                is_link,
            } = self.relation(gone, doc);
            let class = equality.map_or(3, |equality| equality as u32);
            let ratio = if equality.is_some() {
                Ratio::new(1, 1)
            } else {
                overlap.shared_of_union()
            };
            (equality.is_some() || is_link).then_some((class, Reverse(ratio), doc))
        };
        let mut found: Vec<_> = new.iter().filter_map(rank).collect();
        found.sort_unstable();
        found.first().map(|best| (best.2, found.len()))
    }
}

fn figures(relation: &Relation) -> Vec<String> {
    let overlap = relation.overlap;
    let estimates = [
        overlap.resemblance(),
        overlap.containment_a_in_b(),
        overlap.containment_b_in_a(),
    ];
    let figures = estimates
        .iter()
        .flat_map(|one| [one.ratio.to_f64(), one.interval.low, one.interval.high]);
    let is_known = matches!(
        relation.equality,
        Some(Equality::Identical | Equality::Lexical)
    );
    figures
        .map(|value| bits(if is_known { 1.0 } else { value }))
        .collect()
}

fn bits(value: f64) -> String {
    format!("{:x}", value.to_bits())
}

fn table(path: &Path) -> Vec<Shown> {
    let mut reader = TableReader::open(path, Selection::All).unwrap();
    let columns = reader.schema().columns().len();
    let mut rows = Vec::new();
    while let Some(batch) = reader.next_batch().unwrap() {
        let shown = |cell: Cell<'_>| match cell {
            Cell::Null => "-".to_owned(),
            Cell::Utf8(text) => text.to_owned(),
            Cell::Double(value) => bits(value),
            Cell::Int64(value) => value.to_string(),
            other => panic!("{other:?}"),
        };
        rows.extend(batch.iter().map(|row| {
            (0..columns)
                .map(|column| shown(row.cell(column)))
                .collect::<Shown>()
        }));
    }
    rows
}

/// What both tables should be, and how many URLs are of each class.
fn expected(corpus: &Corpus<'_>) -> (Vec<Shown>, Vec<Shown>, BTreeMap<String, u64>) {
    let (mut changes, mut moved, mut classes) =
        (Vec::new(), Vec::new(), BTreeMap::<String, u64>::new());
    for at in 1..corpus.snapshots.len() {
        let names = [at - 1, at].map(|at| format!("s{}", corpus.snapshots[at].0));
        let (then, now) = (corpus.standing(at - 1), corpus.standing(at));
        let new: Vec<u32> = now
            .iter()
            .filter(|(url, _)| !then.contains_key(*url))
            .map(|(_, doc)| *doc)
            .collect();
        let mut rows: Vec<(bool, u32, Shown)> = Vec::new();
        let mut push = |is_new: bool,
                        [url, old, other, class]: [String; 4],
                        doc: u32,
                        figures: Vec<String>| {
            *classes.entry(class.clone()).or_default() += 1;
            let row = [names.to_vec(), vec![url, old, other, class], figures].concat();
            rows.push((is_new, doc, row));
        };
        let (none, nothing) = ("-".to_owned(), vec!["-".to_owned(); 9]);
        for (url, &old) in &then {
            if let Some(&doc) = now.get(url) {
                let relation = corpus.relation(old, doc);
                let other = if relation.is_link {
                    "similar"
                } else {
                    "changed"
                };
                let class = relation.equality.map_or(other, Equality::name).to_owned();
                push(
                    false,
                    [url.clone(), corpus.id(old), corpus.id(doc), class],
                    old,
                    figures(&relation),
                );
            } else if let Some((doc, candidates)) = corpus.place_of(old, &new) {
                let relation = corpus.relation(old, doc);
                let row = [
                    url.clone(),
                    corpus.id(old),
                    corpus.id(doc),
                    "moved".to_owned(),
                ];
                push(false, row, old, figures(&relation));
                let class = relation
                    .equality
                    .map_or("similar", Equality::name)
                    .to_owned();
                let row = [
                    url.clone(),
                    corpus.url(doc).unwrap(),
                    corpus.id(old),
                    corpus.id(doc),
                    class,
                ];
                let row = [
                    names.to_vec(),
                    row.to_vec(),
                    figures(&relation),
                    vec![candidates.to_string()],
                ]
                .concat();
                moved.push((old, row));
            } else {
                push(
                    false,
                    [url.clone(), corpus.id(old), none.clone(), "gone".to_owned()],
                    old,
                    nothing.clone(),
                );
            }
        }
        for &doc in &new {
            let row = [
                corpus.url(doc).unwrap(),
                none.clone(),
                corpus.id(doc),
                "new".to_owned(),
            ];
            push(true, row, doc, nothing.clone());
        }
        rows.sort_by_key(|(is_new, doc, _)| (*is_new, *doc));
        changes.extend(rows.into_iter().map(|(_, _, row)| row));
    }
    moved.sort_by_key(|(old, _)| *old);
    (
        changes,
        moved.into_iter().map(|(_, row)| row).collect(),
        classes,
    )
}

/// What was made of a history, for who compares histories.
#[derive(Debug, Default)]
pub struct Made {
    /// URLs of each class.
    pub classes: BTreeMap<String, u64>,
    /// Digests of the tables.
    pub tables: Vec<u64>,
    /// Pairs of snapshots of which nothing was looked at, and all.
    pub taken_over: [u64; 2],
}

/// Makes the tables as phase `index` does and compares every row.
pub fn agrees(
    engine: &Engine<'_>,
    case: &OracleCase,
    snapshots: &[(u32, Vec<OracleDocument>)],
) -> Made {
    std::fs::create_dir_all(engine.dir(PhaseName::Index)).unwrap();
    let output = engine.config.work.dir.join("published");
    let publication = Publication::begin(&engine.disk, &output).unwrap();
    let made = changes(engine, &publication).unwrap();
    let counted = compared(engine, (case, snapshots), (&publication, made.as_ref()));
    let tables = super::earlier_changes::TABLES
        .into_iter()
        .filter_map(|(_, name)| std::fs::read(publication.path(name)).ok());
    let tables = tables
        .map(|bytes| twox_hash::XxHash3_64::oneshot(&bytes))
        .collect();
    let kept = made.map(|made| made.kept);
    let taken_over = kept.as_ref().map_or(0, |kept| kept.counts["taken_over"]);
    // Now and then a run is killed here: then its publication has no name, and the manifest does
    // not know its list.
    if !(snapshots.len() + snapshots[0].1.len()).is_multiple_of(7) {
        publication.finish().unwrap();
        match kept {
            Some(kept) => engine::merge_levels::keep(engine, PhaseName::Index, kept),
            None => drop(engine.manifest().levels.remove(PhaseName::Index.name())),
        }
    }
    engine::work_dir::clear_phase(engine, PhaseName::Index).unwrap();
    let left = std::fs::read_dir(engine.dir(PhaseName::Index))
        .unwrap()
        .count();
    let known = engine
        .manifest()
        .levels
        .contains_key(PhaseName::Index.name());
    assert_eq!(left, usize::from(known), "something is left behind");
    Made {
        classes: counted,
        tables,
        taken_over: [taken_over, snapshots.len() as u64 - 1],
    }
}

/// Compares the tables with the definitions. Says how many URLs are of each class.
fn compared(
    engine: &Engine<'_>,
    (case, snapshots): (&OracleCase, &[(u32, Vec<OracleDocument>)]),
    (publication, made): (&Publication, Option<&super::Changes>),
) -> BTreeMap<String, u64> {
    if snapshots.len() < 2 {
        assert!(made.is_none());
        return BTreeMap::new();
    }
    let (expected_changes, expected_moved, classes) =
        expected(&Corpus::of(engine, case, snapshots));
    assert_eq!(
        table(&publication.path("changes.parquet")),
        expected_changes
    );
    assert_eq!(table(&publication.path("moved.parquet")), expected_moved);
    let hosts = expected_hosts(&expected_changes);
    let shown = table(&publication.path("host_changes.parquet"));
    let counts = |row: &Shown| {
        (
            row[..3].to_vec(),
            row[5..13].iter().map(|n| n.parse().unwrap()).collect(),
        )
    };
    assert_eq!(
        shown
            .iter()
            .map(counts)
            .collect::<BTreeMap<Shown, Vec<u64>>>(),
        hosts
    );
    let report = super::report(&engine.manifest(), &made.unwrap().counts).unwrap();
    let mut counted: BTreeMap<String, u64> = BTreeMap::new();
    for between in &report.between {
        let ChangeClasses {
            identical,
            lexical,
            shingle,
            similar,
            changed,
            gone,
            moved,
            new,
        } = between.classes;
        let all = [
            identical, lexical, shingle, similar, changed, gone, moved, new,
        ];
        let names = [
            "identical",
            "lexical",
            "shingle",
            "similar",
            "changed",
            "gone",
            "moved",
            "new",
        ];
        names
            .into_iter()
            .zip(all)
            .for_each(|(name, n)| *counted.entry(name.to_owned()).or_default() += n);
        let both = identical + lexical + shingle + similar + changed;
        assert_eq!(
            (between.old_urls, between.urls),
            (both + gone + moved, both + new)
        );
        assert!(between.resemblance.iter().sum::<u64>() <= both && between.half_life.pages <= both);
        largest_hosts(between, &hosts);
    }
    counted.retain(|_, n| *n > 0);
    assert_eq!(counted, classes);
    // One in three: an index has many files.
    if (snapshots.len() + snapshots[0].1.len()).is_multiple_of(3) {
        publication::maps::build(engine, publication, &format::Sealed::default(), None).unwrap();
        let keys = UrlKeys::of(&engine.config.sketch.keys);
        let index =
            Index::open(&format::Disk::default(), &publication.path("index"), keys).unwrap();
        asked(&Corpus::of(engine, case, snapshots), &index);
    }
    classes
}

/// URLs of each host by class, between each two snapshots.
fn expected_hosts(changes: &[Shown]) -> BTreeMap<Shown, Vec<u64>> {
    let mut hosts: BTreeMap<Shown, Vec<u64>> = BTreeMap::new();
    for row in changes {
        let host = query::host_of(&row[2]).to_lowercase();
        let counts = hosts
            .entry(vec![row[0].clone(), row[1].clone(), host])
            .or_insert_with(|| vec![0; 8]);
        counts[CLASSES.iter().position(|class| *class == row[5]).unwrap()] += 1;
    }
    hosts
}

/// The report names the ten with most URLs.
fn largest_hosts(between: &ChangesBetween, hosts: &BTreeMap<Shown, Vec<u64>>) {
    let urls = |counts: &[u64]| 2 * counts.iter().sum::<u64>() - counts[5..].iter().sum::<u64>();
    let of_pair = hosts
        .iter()
        .filter(|(key, _)| key[..2] == [&between.old_snapshot[..], &between.new_snapshot]);
    let mut expected: Vec<_> = of_pair
        .map(|(key, counts)| (Reverse(urls(counts)), key[2].clone()))
        .collect();
    expected.sort();
    expected.truncate(10);
    let found = between
        .hosts
        .iter()
        .map(|host| (Reverse(host.old_urls + host.urls), host.host.clone()));
    assert_eq!(found.collect::<Vec<_>>(), expected);
}

/// A document and how it resembles the one before.
type Version = (String, Option<[String; 3]>);

fn version(place: &DocumentVersion) -> Version {
    let figures = place.resemblance.zip(place.low).zip(place.high);
    (
        place.doc_id.to_string(),
        figures.map(|((value, low), high)| [value, low, high].map(bits)),
    )
}

/// `query history` and `query lost` of every URL against the definitions.
fn asked(corpus: &Corpus<'_>, index: &Index) {
    let standing: Vec<BTreeMap<String, u32>> = (0..corpus.snapshots.len())
        .map(|at| corpus.standing(at))
        .collect();
    let urls: BTreeSet<&String> = standing.iter().flat_map(BTreeMap::keys).collect();
    let newest = standing.len() - 1;
    let new_in = |at: usize, since: usize| -> Vec<u32> {
        standing[at]
            .iter()
            .filter(|(url, _)| !standing[since].contains_key(*url))
            .map(|(_, doc)| *doc)
            .collect()
    };
    let next = |old: u32, doc: u32| -> Version {
        let figures = figures(&corpus.relation(old, doc));
        (
            corpus.id(doc),
            Some([figures[0].clone(), figures[1].clone(), figures[2].clone()]),
        )
    };
    for url in urls {
        let history = history(index, url).unwrap().history;
        assert_eq!(history.len(), standing.len());
        for (at, row) in history.iter().enumerate() {
            let doc = standing[at].get(url).copied();
            let before = at
                .checked_sub(1)
                .and_then(|before| standing[before].get(url).copied());
            let (class, expected) = match (before, doc) {
                (Some(old), Some(doc)) => {
                    let relation = corpus.relation(old, doc);
                    let other = if relation.is_link {
                        "similar"
                    } else {
                        "changed"
                    };
                    (
                        Some(relation.equality.map_or(other, Equality::name)),
                        Some(next(old, doc)),
                    )
                }
                (Some(old), None) => match corpus.place_of(old, &new_in(at, at - 1)) {
                    Some((doc, _)) => (Some("moved"), Some(next(old, doc))),
                    None => (Some("gone"), None),
                },
                (None, Some(doc)) => ((at > 0).then_some("new"), Some((corpus.id(doc), None))),
                (None, None) => (None, None),
            };
            assert_eq!(
                (row.class, row.document.as_ref().map(version)),
                (class, expected),
                "{url} in snapshot {at}"
            );
        }
        let answer = lost(index, url).unwrap();
        let last = standing
            .iter()
            .rposition(|standing| standing.contains_key(url))
            .unwrap();
        let old = standing[last][url];
        assert_eq!(answer.last.doc_id.to_string(), corpus.id(old));
        let found = (last < newest)
            .then(|| corpus.place_of(old, &new_in(newest, last)))
            .flatten();
        let class = if last == newest {
            "there"
        } else {
            found.map_or("gone", |_| "moved")
        };
        assert_eq!(answer.class, class, "{url}");
        assert_eq!(
            answer.candidates,
            found.map_or(0, |found| found.1 as u64),
            "{url}"
        );
        assert_eq!(
            answer.now.as_ref().map(version),
            found.map(|(doc, _)| next(old, doc)),
            "{url}"
        );
    }
}
