//! The tables, and the bounds that the default has to keep.

use super::engine::Method;
use super::score::{BINS, Score, Tally};
use crate::report::{Cell, Report};
use anyhow::Result;

/// The head of a table of [`row`]s.
pub(crate) fn heading(report: &mut Report, title: &str) -> Result<()> {
    report.line(&format!("\n{title}"))?;
    report.columns(
        "method | truth | links | precision | recall | wrong | missed | mean error | postings/page \
         | cluster p | r",
    )
}

/// One run.
pub(crate) fn row(report: &mut Report, method: Method, score: &Score) -> Result<()> {
    report.row(&[
        &method.name,
        &score.truth,
        &score.links,
        &share(score.right, score.links),
        &share(score.right, score.truth),
        &score.wrong,
        &score.missed,
        &score.mean_error(),
        &score.postings_per_page,
        &score.agreement.precision(),
        &score.agreement.recall(),
    ])
}

/// How often the intervals hold the exact value, over all runs of the default and bin by bin.
///
/// Pairs are not independent: thousands share the same few shingles, which one seed keeps or drops
/// for all of them. So the error of a share comes from the spread of its values over seeds, not
/// from the number of pairs.
pub(crate) fn intervals(report: &mut Report, scores: &[Score]) -> Result<()> {
    report.line(
        "\ne. exact value inside the 95 % interval, all seeds of d.; error: standard error over seeds",
    )?;
    report.columns("exact value | pairs | inside, % | error, %")?;
    for (kind, name) in ["modulus 1", "modulus > 1"].into_iter().enumerate() {
        let mut from = 1;
        for (bin, &end) in BINS.iter().enumerate() {
            let seeds = scores.iter().map(|score| score.intervals[kind][bin]);
            let (low, high) = (from as f64 / 10.0, end as f64 / 10.0);
            interval(report, &format!("{name}, {low:.1} to {high:.1}"), seeds)?;
            from = end;
        }
        let seeds = scores.iter().map(|score| Tally::sum(score.intervals[kind]));
        interval(report, &format!("{name}, all"), seeds)?;
    }
    let seeds = scores
        .iter()
        .map(|score| Tally::sum(score.intervals.concat()));
    interval(report, "all", seeds)
}

/// One line of intervals: the tallies of every seed.
fn interval(
    report: &mut Report,
    name: &str,
    seeds: impl Iterator<Item = Tally> + Clone,
) -> Result<()> {
    let percent = |share: f64| (!share.is_nan()).then_some(100.0 * share);
    let shares: Vec<f64> = seeds
        .clone()
        .map(|tally| share(tally.inside, tally.pairs))
        .collect();
    let all = Tally::sum(seeds);
    let inside = percent(share(all.inside, all.pairs));
    report.row(&[
        &name,
        &all.pairs,
        &inside,
        &percent(standard_error(&shares)),
    ])
}

/// Tells whether the runs of the default keep all bounds.
pub(crate) fn bounds(report: &mut Report, scores: &[Score]) -> Result<bool> {
    let total = |figure: fn(&Score) -> u64| scores.iter().map(figure).sum::<u64>();
    let error = scores.iter().map(|score| score.error_sum).sum::<f64>();
    let wrong = share(total(|score| score.wrong), total(|score| score.links));
    let missed = share(total(|score| score.missed), total(|score| score.near));
    let sampled = Tally::sum(scores.iter().flat_map(|score| score.intervals[1]));
    let inside = share(sampled.inside, sampled.pairs);
    report.line("\ne. bounds, over all seeds of c.")?;
    report.columns("bound | measured | least | most | ")?;
    let mut all_met = true;
    for (name, value, least, most) in [
        (
            "mean error",
            error / total(|score| score.judged) as f64,
            0.0,
            0.03,
        ),
        ("links with an exact value below 0.4", wrong, 0.0, 0.01),
        ("missed of exact value 0.6 or more", missed, 0.0, 0.01),
        ("inside the interval, modulus > 1", inside, 0.93, 0.98),
    ] {
        let is_met = is_within(value, least, most);
        let verdict = if is_met { "met" } else { "MISSED" };
        let value = format!("{value:.5}");
        let cells: [&dyn Cell; 5] = [&name, &value, &least, &most, &verdict];
        report.row(&cells)?;
        all_met &= is_met;
    }
    Ok(all_met)
}

/// NaN keeps no bound.
fn is_within(value: f64, least: f64, most: f64) -> bool {
    (least..=most).contains(&value)
}

/// Of the mean of some values; NaN for fewer than two.
fn standard_error(values: &[f64]) -> f64 {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let squares = values.iter().map(|value| (value - mean) * (value - mean));
    (squares.sum::<f64>() / (n - 1.0) / n).sqrt()
}

/// 0 of 0 is no share: NaN.
fn share(part: u64, whole: u64) -> f64 {
    part as f64 / whole as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_of_nothing_keeps_no_bound() {
        assert!(is_within(0.0, 0.0, 0.01) && is_within(0.01, 0.0, 0.01));
        assert!(!is_within(0.0101, 0.0, 0.01) && !is_within(share(0, 0), 0.0, 0.01));
    }

    #[test]
    fn standard_error_is_that_of_the_textbook() {
        // mean 2.5, variance 5/3, of four values
        let error = standard_error(&[1.0, 2.0, 3.0, 4.0]);
        assert!((error - (5.0_f64 / 3.0 / 4.0).sqrt()).abs() < 1e-12);
        assert!(standard_error(&[1.0]).is_nan());
    }
}
