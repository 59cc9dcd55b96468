//! The tables on standard output, and the bounds that the default has to keep.

use crate::engine::Method;
use crate::score::{BINS, Score, Tally};

/// What was asked for, and what came out.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bound {
    what: &'static str,
    value: f64,
    least: f64,
    most: f64,
}

impl Bound {
    /// Whether the value is within.
    pub(crate) fn is_met(&self) -> bool {
        (self.least..=self.most).contains(&self.value)
    }
}

/// The head of a table of [`row`]s.
pub(crate) fn heading(title: &str) {
    println!("\n{title}");
    println!(
        "{:<16}{:>7}{:>7}{:>11}{:>8}{:>8}{:>8}{:>12}{:>15}{:>11}{:>9}",
        "",
        "truth",
        "links",
        "precision",
        "recall",
        "wrong",
        "missed",
        "mean error",
        "postings/page",
        "cluster p",
        "r",
    );
}

/// One run.
pub(crate) fn row(method: Method, score: &Score) {
    println!(
        "{method:<16}{:>7}{:>7}{:>11.4}{:>8.4}{:>8}{:>8}{:>12.4}{:>15.1}{:>11.4}{:>9.4}",
        score.truth,
        score.links,
        score.right as f64 / score.links as f64,
        score.right as f64 / score.truth as f64,
        score.wrong,
        score.missed,
        score.mean_error(),
        score.postings_per_page,
        score.agreement.precision(),
        score.agreement.recall(),
    );
}

/// All runs of the default taken together, bin by bin, and the bounds.
///
/// Pairs are not independent: thousands share the same few shingles, which one seed keeps or drops
/// for all of them. So the error of a share comes from the spread of its values over seeds, not
/// from the number of pairs.
pub(crate) fn over_seeds(scores: &[Score]) -> Vec<Bound> {
    println!(
        "\nd. exact value inside the 95 % interval, by exact value, all seeds of c.; error: standard error over seeds"
    );
    println!(
        "{:<26}{:>10}{:>10}{:>9}{:>10}{:>10}{:>10}{:>16}",
        "", "pairs", "inside", "error", "below", "above", "unlisted", "declared equal",
    );
    for (name, tallies) in [("modulus > 1", sampled as TalliesOf), ("modulus 1", whole)] {
        let mut from = 1;
        for (bin, &end) in BINS.iter().enumerate() {
            let name = format!(
                "{name}, {:.1} to {:.1}",
                from as f64 / 10.0,
                end as f64 / 10.0
            );
            line(&name, scores.iter().map(|score| tallies(score)[bin]));
            from = end;
        }
        line(
            &format!("{name}, all"),
            scores.iter().map(|score| sum(tallies(score).iter())),
        );
    }
    line(
        "all",
        scores
            .iter()
            .map(|score| sum(score.sampled.iter().chain(&score.whole))),
    );
    let each: Vec<Tally> = scores
        .iter()
        .map(|score| sum(score.sampled.iter()))
        .collect();
    let shown: Vec<String> = each
        .iter()
        .map(|tally| format!("{:.1}", 100.0 * share(tally.inside(), tally.pairs)))
        .collect();
    println!(
        "inside, single seeds, modulus > 1, in %: {}",
        shown.join(" ")
    );
    let (least, most) = range(scores.iter().map(Score::mean_error));
    println!("mean error of single seeds: {least:.4} to {most:.4}");
    bounds(scores, &sum(each.iter()))
}

/// The tallies of one kind of pairs.
type TalliesOf = fn(&Score) -> &[Tally; BINS.len()];

fn sampled(score: &Score) -> &[Tally; BINS.len()] {
    &score.sampled
}

fn whole(score: &Score) -> &[Tally; BINS.len()] {
    &score.whole
}

fn sum<'a>(tallies: impl Iterator<Item = &'a Tally>) -> Tally {
    let mut sum = Tally::default();
    tallies.for_each(|tally| sum.add(tally));
    sum
}

fn bounds(scores: &[Score], intervals: &Tally) -> Vec<Bound> {
    let total = |figure: fn(&Score) -> u64| scores.iter().map(figure).sum::<u64>();
    let error = scores.iter().map(|score| score.error_sum).sum::<f64>()
        / total(|score| score.judged) as f64;
    let at_most = |what, value, most| Bound {
        what,
        value,
        least: 0.0,
        most,
    };
    let inside = share(intervals.inside(), intervals.pairs);
    let bounds = vec![
        at_most("mean error", error, 0.03),
        at_most(
            "links with an exact value below 0.4",
            share(total(|score| score.wrong), total(|score| score.links)),
            0.01,
        ),
        at_most(
            "missed of exact value 0.6 or more",
            share(total(|score| score.missed), total(|score| score.near)),
            0.01,
        ),
        Bound {
            what: "inside the 95 % interval, modulus > 1",
            value: inside,
            least: 0.93,
            most: 0.98,
        },
    ];
    println!("\ne. bounds, over all seeds of c.");
    println!("{:<40}{:>10}{:>8}{:>8}", "", "measured", "least", "most");
    for bound in &bounds {
        let verdict = if bound.is_met() { "met" } else { "MISSED" };
        println!(
            "{:<40}{:>10.5}{:>8.2}{:>8.2}  {verdict}",
            bound.what, bound.value, bound.least, bound.most
        );
    }
    bounds
}

/// One line of intervals: the tallies of every seed.
fn line(name: &str, seeds: impl Iterator<Item = Tally>) {
    let seeds: Vec<Tally> = seeds.collect();
    let tally = sum(seeds.iter());
    let error = standard_error(
        &seeds
            .iter()
            .map(|tally| share(tally.inside(), tally.pairs))
            .collect::<Vec<_>>(),
    );
    let percent = |share: f64| {
        if share.is_nan() {
            "-".to_owned()
        } else {
            format!("{:.2} %", 100.0 * share)
        }
    };
    println!(
        "{name:<26}{:>10}{:>10}{:>9}{:>10}{:>10}{:>10}{:>16}",
        tally.pairs,
        percent(share(tally.inside(), tally.pairs)),
        percent(error),
        percent(share(tally.below, tally.pairs)),
        percent(share(tally.above, tally.pairs)),
        tally.unlisted,
        tally.declared_equal,
    );
}

/// Of the mean of some values; NaN for fewer than two.
fn standard_error(values: &[f64]) -> f64 {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let squares: f64 = values
        .iter()
        .map(|value| (value - mean) * (value - mean))
        .sum();
    (squares / (n - 1.0) / n).sqrt()
}

/// 0 of 0 is no share: NaN, which keeps no bound.
fn share(part: u64, whole: u64) -> f64 {
    part as f64 / whole as f64
}

fn range(values: impl Iterator<Item = f64>) -> (f64, f64) {
    values.fold(
        (f64::INFINITY, f64::NEG_INFINITY),
        |(least, most), value| (least.min(value), most.max(value)),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_of_nothing_keeps_no_bound() {
        let bound = |value| Bound {
            what: "",
            value,
            least: 0.0,
            most: 0.01,
        };
        assert!(bound(0.0).is_met() && bound(0.01).is_met());
        assert!(!bound(0.0101).is_met() && !bound(share(0, 0)).is_met());
    }

    #[test]
    fn standard_error_is_that_of_the_textbook() {
        // mean 2.5, variance 5/3, of four values
        assert!(
            (standard_error(&[1.0, 2.0, 3.0, 4.0]) - (5.0_f64 / 3.0 / 4.0).sqrt()).abs() < 1e-12
        );
        assert!(standard_error(&[1.0]).is_nan());
    }
}
