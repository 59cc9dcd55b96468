//! What is counted of the changes between snapshots, by name for the manifest, and as the report has it.

use super::half_life::{Surviving, half_life};
use super::outcome::{Fate, Successor};
use format::Manifest;
use model::{Equality, Ratio};
use output::{ChangeClasses, ChangeCounts, ChangeShares, ChangesBetween};
use std::collections::BTreeMap;

/// Classes in the order of the report.
const CLASSES: [&str; 8] = ["identical", "lexical", "shingle", "similar", "changed", "gone", "moved", "new"];

/// What is counted of a snapshot and the one after it.
#[derive(Clone, Debug, Default)]
pub(super) struct Statistics {
    classes: BTreeMap<&'static str, u64>,
    deciles: [u64; 10],
    surviving: Surviving,
}

impl Statistics {
    pub(super) fn add_class(&mut self, class: &'static str) {
        *self.classes.entry(class).or_default() += 1;
    }

    pub(super) fn add(&mut self, class: &'static str, fate: &Fate) {
        self.add_class(class);
        if let Fate::Stays(Successor { equality, overlap, .. }) = fate {
            let (ratio, [left, all]) = match equality {
                Some(_) => (Ratio::new(1, 1), [1, 1]),
                None => (overlap.shared_of_union(), [overlap.shared, overlap.size_a]),
            };
            self.surviving.add(u64::from(left), u64::from(all));
            if let Some(tenths) = (10 * ratio.numerator).checked_div(ratio.denominator)
                && let Some(count) = self.deciles.get_mut(tenths.min(9) as usize)
            {
                *count += 1;
            }
        }
    }

    /// By names that begin with the place of the older snapshot.
    pub(super) fn counts(&self, place: usize) -> impl Iterator<Item = (String, u64)> {
        let name = move |name: &str| format!("changes.{place}.{name}");
        let Surviving { pages, sum, squares } = self.surviving;
        let classes = self.classes.iter().map(move |(class, n)| (name(class), *n));
        let deciles =
            self.deciles.iter().enumerate().map(move |(tenth, n)| (name(&format!("resemblance.{tenth}")), *n));
        let surviving = [("pages", pages), ("surviving", sum), ("squares", squares)];
        classes.chain(deciles).chain(surviving.map(|(what, n)| (name(what), n)))
    }
}

/// The word for what became of a document.
pub(super) fn class_of(fate: &Fate, is_link: bool) -> &'static str {
    match fate {
        Fate::Gone => "gone",
        Fate::Moved(..) => "moved",
        Fate::Stays(successor) => match successor.equality {
            Some(equality) => equality.name(),
            None if is_link => "similar",
            None => "changed",
        },
    }
}

/// The word for how what moved is related to what it was.
pub(super) fn relation(equality: Option<Equality>) -> &'static str {
    equality.map_or("similar", Equality::name)
}

/// What the report says, if phase `index` counted any.
pub(in crate::phases::index) fn report(manifest: &Manifest, counts: &BTreeMap<String, u64>) -> Option<ChangeCounts> {
    let names: Vec<&str> = manifest.snapshots.iter().map(|snapshot| snapshot.name.as_str()).collect();
    let (mut between, mut lives) = (Vec::new(), Vec::new());
    for (place, pair) in names.windows(2).enumerate() {
        let get = |name: &str| counts.get(&format!("changes.{place}.{name}")).copied();
        let of = |name: &str| get(name).unwrap_or(0);
        let old_urls = get("old_urls")?;
        let days = get("microseconds").map(|microseconds| microseconds as f64 / 86_400e6);
        let surviving = Surviving { pages: of("pages"), sum: of("surviving"), squares: of("squares") };
        let [identical, lexical, shingle, similar, changed, gone, moved, new] = CLASSES.map(of);
        let share = |n: u64, all: u64| Ratio::new(n, all).to_f64();
        lives.push((surviving, days));
        between.push(ChangesBetween {
            old_snapshot: pair[0].to_owned(),
            new_snapshot: pair[1].to_owned(),
            days,
            documents: u64::from(manifest.snapshots[place + 1].documents),
            old_urls,
            urls: of("urls"),
            classes: ChangeClasses { identical, lexical, shingle, similar, changed, gone, moved, new },
            shares: ChangeShares {
                identical: share(identical, old_urls),
                slightly_changed: share(lexical + shingle + similar, old_urls),
                rewritten: share(changed, old_urls),
                gone: share(gone, old_urls),
                moved: share(moved, old_urls),
                new: share(new, of("urls")),
            },
            resemblance: std::array::from_fn(|tenth| of(&format!("resemblance.{tenth}"))),
            half_life: half_life(&[(surviving, days)]),
        });
    }
    (!between.is_empty()).then(|| ChangeCounts { between, half_life: half_life(&lives) })
}
