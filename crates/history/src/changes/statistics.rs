//! What is counted of the changes between snapshots, by name for the manifest, and as the report
//! has it.

use super::half_life::{SurvivalSums, half_life};
use super::outcome::{Fate, Successor};
use format::Manifest;
use model::{Equality, Ratio};
use output::{ChangeClasses, ChangeCounts, ChangeShares, ChangesBetween, HostChanges};
use std::collections::BTreeMap;

/// The name of the number of pages that moved to another host.
pub(super) const MOVED_BETWEEN_HOSTS: &str = "moved_between_hosts";

/// Classes in the order of the report.
pub(super) const CLASSES: [&str; 8] = [
    "identical",
    "lexical",
    "shingle",
    "similar",
    "changed",
    "gone",
    "moved",
    "new",
];

/// URLs by what became of them, and what survived of their content.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Tally {
    /// In the order of [`CLASSES`].
    pub(super) classes: [u64; 8],
    pub(super) surviving: SurvivalSums,
}

impl Tally {
    pub(super) fn add(&mut self, class: &'static str, fate: Option<&Fate>) {
        if let Some(at) = CLASSES.iter().position(|known| *known == class) {
            self.classes[at] += 1;
        }
        if let Some(Fate::Stays(Successor {
            equality, overlap, ..
        })) = fate
        {
            let [left, all] = if equality.is_some() {
                [1, 1]
            } else {
                [overlap.shared, overlap.size_a]
            };
            self.surviving.add(u64::from(left), u64::from(all));
        }
    }

    pub(super) fn add_all(&mut self, other: &Tally) {
        self.classes
            .iter_mut()
            .zip(other.classes)
            .for_each(|(all, n)| *all += n);
        self.surviving.pages += other.surviving.pages;
        self.surviving.sum += other.surviving.sum;
        self.surviving.squares += other.surviving.squares;
    }

    /// URLs of the older snapshot, and of the newer one.
    pub(super) fn urls(&self) -> [u64; 2] {
        let ChangeClasses {
            identical,
            lexical,
            shingle,
            similar,
            changed,
            gone,
            moved,
            new,
        } = self.by_class();
        let both = identical + lexical + shingle + similar + changed;
        [both + gone + moved, both + new]
    }

    fn by_class(&self) -> ChangeClasses {
        let [
            identical,
            lexical,
            shingle,
            similar,
            changed,
            gone,
            moved,
            new,
        ] = self.classes;
        ChangeClasses {
            identical,
            lexical,
            shingle,
            similar,
            changed,
            gone,
            moved,
            new,
        }
    }

    /// By their names in the manifest.
    pub(super) fn named(&self) -> impl Iterator<Item = (&'static str, u64)> {
        let SurvivalSums {
            pages,
            sum,
            squares,
        } = self.surviving;
        let surviving = [("pages", pages), ("surviving", sum), ("squares", squares)];
        CLASSES.into_iter().zip(self.classes).chain(surviving)
    }

    /// From counts by their names.
    fn of(count: impl Fn(&str) -> u64) -> Tally {
        let surviving = SurvivalSums {
            pages: count("pages"),
            sum: count("surviving"),
            squares: count("squares"),
        };
        Tally {
            classes: CLASSES.map(&count),
            surviving,
        }
    }
}

/// What is counted of a snapshot and the one after it.
#[derive(Clone, Debug, Default)]
pub(super) struct Statistics {
    tally: Tally,
    deciles: [u64; 10],
}

impl Statistics {
    pub(super) fn add(&mut self, class: &'static str, fate: Option<&Fate>) {
        self.tally.add(class, fate);
        if let Some(Fate::Stays(Successor {
            equality, overlap, ..
        })) = fate
        {
            let ratio = if equality.is_some() {
                Ratio::new(1, 1)
            } else {
                overlap.shared_of_union()
            };
            if let Some(tenths) = (10 * ratio.numerator).checked_div(ratio.denominator)
                && let Some(count) = self.deciles.get_mut(tenths.min(9) as usize)
            {
                *count += 1;
            }
        }
    }

    /// By their names.
    pub(super) fn counts(&self) -> impl Iterator<Item = (String, u64)> {
        let deciles = self
            .deciles
            .iter()
            .enumerate()
            .map(|(tenth, n)| (format!("resemblance.{tenth}"), *n));
        self.tally
            .named()
            .map(|(what, n)| (what.to_owned(), n))
            .chain(deciles)
    }
}

/// The word for what became of a document.
pub(super) fn class_of(fate: &Fate, is_link: bool) -> &'static str {
    match fate {
        Fate::Gone => "gone",
        Fate::Moved(..) => "moved",
        Fate::Stays(successor) => relation(successor.equality, is_link),
    }
}

/// The word for how a document is related to the one that it succeeds.
pub(super) fn relation(equality: Option<Equality>, is_link: bool) -> &'static str {
    match equality {
        Some(equality) => equality.name(),
        None if is_link => "similar",
        None => "changed",
    }
}

/// Days from microseconds.
pub(super) fn days(microseconds: u64) -> f64 {
    microseconds as f64 / 86_400e6
}

/// What the report says, if phase `index` counted any.
pub fn report(manifest: &Manifest, counts: &BTreeMap<String, u64>) -> Option<ChangeCounts> {
    let names: Vec<&str> = manifest
        .snapshots
        .iter()
        .map(|snapshot| snapshot.name.as_str())
        .collect();
    let (mut between, mut lives) = (Vec::new(), Vec::new());
    for (place, pair) in names.windows(2).enumerate() {
        let get = |name: &str| counts.get(&name_of(place, name)).copied();
        let of = |name: &str| get(name).unwrap_or(0);
        let old_urls = get("old_urls")?;
        let days = get("microseconds").map(days);
        let tally = Tally::of(of);
        let urls = of("urls");
        lives.push((tally.surviving, days));
        between.push(ChangesBetween {
            old_snapshot: pair[0].to_owned(),
            new_snapshot: pair[1].to_owned(),
            days,
            documents: u64::from(manifest.snapshots[place + 1].documents),
            old_urls,
            urls,
            classes: tally.by_class(),
            moved_between_hosts: of(MOVED_BETWEEN_HOSTS),
            shares: shares(&tally.by_class(), [old_urls, urls]),
            resemblance: std::array::from_fn(|tenth| of(&format!("resemblance.{tenth}"))),
            half_life: half_life(&[(tally.surviving, days)]),
            hosts: hosts(counts, place, days),
        });
    }
    (!between.is_empty()).then(|| ChangeCounts {
        between,
        half_life: half_life(&lives),
    })
}

fn shares(classes: &ChangeClasses, [old_urls, urls]: [u64; 2]) -> ChangeShares {
    let share = |n: u64| Ratio::new(n, old_urls).to_f64();
    ChangeShares {
        identical: share(classes.identical),
        slightly_changed: share(classes.slightly_changed()),
        rewritten: share(classes.changed),
        gone: share(classes.gone),
        moved: share(classes.moved),
        new: Ratio::new(classes.new, urls).to_f64(),
    }
}

/// What is counted between a snapshot and the next one, by its name in the manifest.
pub(super) fn name_of(place: usize, name: &str) -> String {
    format!("changes.{place}.{name}")
}

/// Counts of a host have names of its rank among the largest, what is counted, and the host.
pub(super) fn host_counts(rank: usize, host: &str, tally: &Tally) -> Vec<(String, u64)> {
    tally
        .named()
        .map(|(what, n)| (format!("host.{rank:02}.{what} {host}"), n))
        .collect()
}

fn hosts(counts: &BTreeMap<String, u64>, place: usize, days: Option<f64>) -> Vec<HostChanges> {
    let prefix = name_of(place, "host.");
    let of_hosts = counts
        .range(prefix.clone()..)
        .take_while(|(name, _)| name.starts_with(&prefix));
    let mut by_rank: BTreeMap<(&str, &str), BTreeMap<&str, u64>> = BTreeMap::new();
    for (name, n) in of_hosts {
        let Some((rank, rest)) = name[prefix.len()..].split_once('.') else {
            continue;
        };
        let Some((what, host)) = rest.split_once(' ') else {
            continue;
        };
        by_rank.entry((rank, host)).or_default().insert(what, *n);
    }
    let row = |((_, host), counts): ((&str, &str), BTreeMap<&str, u64>)| {
        let tally = Tally::of(|what| counts.get(what).copied().unwrap_or(0));
        let [old_urls, urls] = tally.urls();
        let (classes, half_life) = (tally.by_class(), half_life(&[(tally.surviving, days)]));
        let shares = shares(&classes, [old_urls, urls]);
        HostChanges {
            host: host.to_owned(),
            old_urls,
            urls,
            classes,
            shares,
            half_life,
        }
    };
    by_rank.into_iter().map(row).collect()
}
