//! The counts of the changes between snapshots, for the next run and for the report.

use super::half_life::{SurvivalSums, half_life};
use super::outcome::Fate;
use format::SnapshotSpan;
use model::{Equality, Ratio, record, word_record};
use output::{ChangeClasses, ChangeCounts, ChangeShares, ChangesBetween, HostChanges};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

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
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(super) struct StepTally {
    /// In the order of [`CLASSES`].
    pub(super) classes: [u64; 8],
    pub(super) surviving: SurvivalSums,
}

record! { StepTally { classes, surviving } }
word_record! { StepTally { classes, surviving } }

impl StepTally {
    pub(super) fn add(&mut self, class: &'static str, fate: Option<&Fate>) {
        if let Some(at) = CLASSES.iter().position(|known| *known == class) {
            self.classes[at] += 1;
        }
        if let Some(Fate::Stays(successor)) = fate {
            let overlap = successor.counted();
            let [left, all] = [overlap.shared, overlap.size_a].map(u64::from);
            self.surviving.add(left, all);
        }
    }

    pub(super) fn add_all(&mut self, other: &StepTally) {
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
        let [both @ .., gone, moved, new] = self.classes;
        let both = both.iter().sum::<u64>();
        [both + gone + moved, both + new]
    }

    fn by_class(&self) -> ChangeClasses {
        let [both @ .., gone, moved, new] = self.classes;
        let [identical, lexical, shingle, similar, changed] = both;
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
}

/// The counts of a snapshot and the one after it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct StepFigures {
    tally: StepTally,
    /// Pages by tenths of their resemblance.
    deciles: [u64; 10],
    /// URLs of the older snapshot.
    pub(super) old_urls: u64,
    /// URLs of the newer one.
    pub(super) urls: u64,
    pub(super) moved_between_hosts: u64,
    /// The largest hosts, most URLs first.
    pub(super) hosts: Vec<HostFigures>,
}

/// The counts of a host.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct HostFigures {
    pub(super) host: String,
    pub(super) tally: StepTally,
}

impl HostFigures {
    fn shown(&self, days: Option<f64>) -> HostChanges {
        let [old_urls, urls] = self.tally.urls();
        let classes = self.tally.by_class();
        HostChanges {
            host: self.host.clone(),
            old_urls,
            urls,
            shares: shares(&classes, [old_urls, urls]),
            classes,
            half_life: half_life(&[(self.tally.surviving, days)]),
        }
    }
}

/// Microseconds between a snapshot and the next one, by the place of the older one; none where a
/// date is missing.
pub type Intervals = BTreeMap<usize, u64>;

impl StepFigures {
    pub(super) fn add(&mut self, class: &'static str, fate: Option<&Fate>) {
        self.tally.add(class, fate);
        if let Some(Fate::Stays(successor)) = fate {
            let ratio = successor.counted().shared_of_union();
            if let Some(tenths) = (10 * ratio.numerator).checked_div(ratio.denominator)
                && let Some(count) = self.deciles.get_mut(tenths.min(9) as usize)
            {
                *count += 1;
            }
        }
    }
}

/// The word for what became of a document.
pub(super) fn class_of(fate: &Fate, is_link: bool) -> &'static str {
    match fate {
        Fate::Gone => "gone",
        Fate::Moved(_) => "moved",
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

pub(super) fn days(microseconds: u64) -> f64 {
    microseconds as f64 / 86_400e6
}

/// The content of the report. `steps` are the figures of each step, `intervals` the microseconds
/// that it took.
pub(super) fn report(
    snapshots: &[SnapshotSpan],
    steps: &[StepFigures],
    intervals: &Intervals,
) -> ChangeCounts {
    let (mut between, mut lives) = (Vec::new(), Vec::new());
    for (place, (pair, step)) in snapshots.windows(2).zip(steps).enumerate() {
        let days = intervals.get(&place).copied().map(days);
        let (old_urls, urls) = (step.old_urls, step.urls);
        lives.push((step.tally.surviving, days));
        between.push(ChangesBetween {
            old_snapshot: pair[0].name.clone(),
            new_snapshot: pair[1].name.clone(),
            days,
            documents: u64::from(pair[1].documents),
            old_urls,
            urls,
            classes: step.tally.by_class(),
            moved_between_hosts: step.moved_between_hosts,
            shares: shares(&step.tally.by_class(), [old_urls, urls]),
            resemblance: step.deciles,
            half_life: half_life(&[(step.tally.surviving, days)]),
            hosts: step.hosts.iter().map(|host| host.shown(days)).collect(),
        });
    }
    ChangeCounts {
        between,
        half_life: half_life(&lives),
    }
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
