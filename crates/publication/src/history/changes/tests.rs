//! Changes between random snapshots, within a few KiB, against the definitions.

mod corpus;

use super::changes;
use super::statistics::CLASSES;
use crate::publish::Publication;
use ask::Index;
use ask::query::{DocumentVersion, history, lost};
use corpus::{Corpus, Relation};
use engine::{Engine, PhaseName};
use model::{Equality, Estimate};
use output::{Cell, ChangeClasses, ChangesBetween, ColumnSelection, TableReader};
use sketch::UrlKeys;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use testkit::{OracleCase, OracleDocument};

/// All values of a row, doubles to the bit.
type Shown = Vec<String>;

fn figures(relation: &Relation) -> Vec<String> {
    let overlap = relation.overlap;
    let estimates = [
        Some(overlap.resemblance()),
        overlap.containment_a_in_b(),
        overlap.containment_b_in_a(),
    ];
    let is_known = matches!(
        relation.equality,
        Some(Equality::Identical | Equality::Lexical)
    );
    let shown = |estimate: Option<Estimate>| match estimate {
        _ if is_known => [1.0; 3].map(bits),
        Some(estimate) => estimate.with_ends().map(bits),
        None => [(); 3].map(|()| "-".to_owned()),
    };
    estimates.into_iter().flat_map(shown).collect()
}

fn bits(value: f64) -> String {
    format!("{:x}", value.to_bits())
}

fn table(path: &Path) -> Vec<Shown> {
    let mut reader = TableReader::open(path, ColumnSelection::All).unwrap();
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

/// The document of each URL, by snapshot.
fn standing(corpus: &Corpus<'_>) -> Vec<BTreeMap<String, u32>> {
    let snapshots = 0..corpus.snapshots.len();
    snapshots.map(|at| corpus.standing(at)).collect()
}

/// The documents of the snapshot at `to` where a URL may have gone that the one at `from` had.
fn appeared(standing: &[BTreeMap<String, u32>], lost: &str, [from, to]: [usize; 2]) -> Vec<u32> {
    let before = from.checked_sub(1).map(|before| &standing[before]);
    let before = before.filter(|before| before.contains_key(lost));
    let has_appeared = |url: &String| {
        let is_copy = before.is_some_and(|before| !before.contains_key(url));
        !standing[from].contains_key(url) || is_copy
    };
    let now = standing[to].iter();
    now.filter(|(url, _)| has_appeared(url))
        .map(|(_, doc)| *doc)
        .collect()
}

/// The content that both tables should have.
struct ExpectedTables {
    changes: Vec<Shown>,
    moved: Vec<Shown>,
    /// URLs of each class.
    classes: BTreeMap<String, u64>,
}

fn expected(corpus: &Corpus<'_>) -> ExpectedTables {
    let (mut changes, mut moved, mut classes) =
        (Vec::new(), Vec::new(), BTreeMap::<String, u64>::new());
    let standing = standing(corpus);
    for at in 1..corpus.snapshots.len() {
        let names = [at - 1, at].map(|at| format!("s{}", corpus.snapshots[at].number));
        let (then, now) = (&standing[at - 1], &standing[at]);
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
        for (url, &old) in then {
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
            } else if let Some((doc, candidates)) =
                corpus.place_of(old, &appeared(&standing, url, [at - 1, at]), None)
            {
                let relation = corpus.relation(old, doc);
                let row = [
                    url.clone(),
                    corpus.id(old),
                    corpus.id(doc),
                    "moved".to_owned(),
                ];
                push(false, row, old, figures(&relation));
                let other = if relation.is_link {
                    "similar"
                } else {
                    "changed"
                };
                let class = relation.equality.map_or(other, Equality::name).to_owned();
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
                    vec![
                        candidates.to_string(),
                        names[usize::from(!then.contains_key(&corpus.url(doc).unwrap()))].clone(),
                    ],
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
    ExpectedTables {
        changes,
        moved: moved.into_iter().map(|(_, row)| row).collect(),
        classes,
    }
}

/// The changes of a history after they agreed with the definitions.
#[derive(Debug, Default)]
pub struct ComparedChanges {
    /// URLs of each class.
    pub classes: BTreeMap<String, u64>,
    /// Digests of the tables.
    pub tables: Vec<u64>,
    /// Steps from a snapshot to the next.
    pub steps: u64,
    /// Steps whose changes were taken over.
    pub taken_over: u64,
}

/// Makes the tables as phase `index` does and compares every row.
pub fn agrees(
    engine: &Engine<'_>,
    case: &OracleCase,
    snapshots: &[(u32, Vec<OracleDocument>)],
) -> ComparedChanges {
    std::fs::create_dir_all(engine.dir(PhaseName::Index)).unwrap();
    let output = engine.config.work.dir.join("published");
    let publication = Publication::begin(
        &engine.disk,
        &output,
        engine::runtime::parameters::semantic(engine.config),
        || {},
    )
    .unwrap();
    let made = changes(engine, &publication).unwrap();
    let counted = compared(engine, case, snapshots, &publication, made.as_ref());
    let tables = super::earlier_changes::TABLES
        .into_iter()
        .filter_map(|(_, name)| std::fs::read(publication.path(name)).ok());
    let tables = tables
        .map(|bytes| twox_hash::XxHash3_64::oneshot(&bytes))
        .collect();
    let kept = made.map(|made| made.kept);
    let taken_over = kept.as_ref().map_or(0, |kept| kept.figures.read::<u64>());
    // Now and then a run is killed here: then its publication has no name, and the manifest does
    // not know its list.
    if !(snapshots.len() + snapshots[0].1.len()).is_multiple_of(7) {
        publication.into_named().unwrap().show().unwrap();
        match kept {
            Some(kept) => engine.keep_levels(PhaseName::Index, kept),
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
    ComparedChanges {
        classes: counted,
        tables,
        steps: snapshots.len() as u64 - 1,
        taken_over,
    }
}

/// Compares the tables with the definitions. Says how many URLs are of each class.
fn compared(
    engine: &Engine<'_>,
    case: &OracleCase,
    snapshots: &[(u32, Vec<OracleDocument>)],
    publication: &Publication,
    made: Option<&super::Changes>,
) -> BTreeMap<String, u64> {
    if snapshots.len() < 2 {
        assert!(made.is_none());
        return BTreeMap::new();
    }
    let expected = expected(&Corpus::of(engine, case, snapshots));
    assert_eq!(
        table(&publication.path("changes.parquet")),
        expected.changes
    );
    assert_eq!(table(&publication.path("moved.parquet")), expected.moved);
    let hosts = expected_hosts(&expected.changes);
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
    let report = &made.unwrap().report;
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
        let names = [&between.old_snapshot, &between.new_snapshot];
        let between_hosts = expected.moved.iter().filter(|row| {
            let hosts = [&row[2], &row[3]].map(|url| sketch::host_of(url).to_lowercase());
            [&row[0], &row[1]] == names && hosts[0] != hosts[1]
        });
        assert_eq!(between.moved_between_hosts, between_hosts.count() as u64);
    }
    counted.retain(|_, n| *n > 0);
    assert_eq!(counted, expected.classes);
    // One in three: an index has many files.
    if (snapshots.len() + snapshots[0].1.len()).is_multiple_of(3) {
        crate::maps::build(
            engine,
            publication,
            crate::maps::urls(engine, publication).unwrap(),
            &format::Sealed::default(),
            None,
        )
        .unwrap();
        let keys = UrlKeys::of(&engine.config.sketch.keys);
        let index =
            Index::open(&format::Disk::default(), &publication.path("index"), keys).unwrap();
        // Of pairs that were not compared, the tables say that nothing is shared; a question
        // compares their sketches.
        if !case.params.sampling.has_fixed_size() {
            asked(&Corpus::of(engine, case, snapshots), &index);
        }
    }
    expected.classes
}

/// URLs of each host by class, between each two snapshots.
fn expected_hosts(changes: &[Shown]) -> BTreeMap<Shown, Vec<u64>> {
    let mut hosts: BTreeMap<Shown, Vec<u64>> = BTreeMap::new();
    for row in changes {
        let host = sketch::host_of(&row[2]).to_lowercase();
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
    let standing = standing(corpus);
    let urls: BTreeSet<&String> = standing.iter().flat_map(BTreeMap::keys).collect();
    let newest = standing.len() - 1;
    let place = |old, new: &[u32]| corpus.place_of(old, new, Some(index));
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
                (Some(old), None) => match place(old, &appeared(&standing, url, [at - 1, at])) {
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
            .then(|| place(old, &appeared(&standing, url, [last, newest])))
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
