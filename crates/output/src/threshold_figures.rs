//! The part of `report.json` about other thresholds of resemblance.

use model::Ratio;
use serde::{Deserialize, Serialize};

/// Bins of [`ThresholdFigures::highest`].
pub const RESEMBLANCE_BINS: usize = 100;

/// The results of other thresholds, and the distribution of resemblances.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ThresholdFigures {
    /// `resemblance` of the run.
    pub configured: f64,
    /// Representatives by their highest resemblance to another one: from 0 to 0.01 on, the last
    /// from 0.99 to 1. Those without a pair that reaches the lowest of `at` are not in it.
    pub highest: Vec<u64>,
    /// By threshold, ascending.
    pub at: Vec<FiguresAtThreshold>,
    /// The pairs nearest below the configured threshold, the nearest first; ten at most.
    pub below: Vec<ComparedPair>,
    /// The pairs nearest above it, the nearest first; ten at most.
    pub above: Vec<ComparedPair>,
}

/// The counts of a run with this threshold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FiguresAtThreshold {
    /// `resemblance`.
    pub resemblance: f64,
    /// Links of at least this resemblance.
    pub links: u64,
    /// Clusters of two or more documents.
    pub clusters: u64,
    /// Documents that would go if one of each cluster stayed.
    pub removed: u64,
    /// Bytes of the bodies of these documents.
    pub bytes: u64,
    /// Documents of the largest cluster.
    pub largest: u64,
}

/// Two documents and their resemblance.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ComparedPair {
    /// The lower document.
    pub a: i64,
    /// The higher document.
    pub b: i64,
    /// Estimate, or exact where all shingles were compared.
    pub resemblance: f64,
}

impl ThresholdFigures {
    /// The bin of a resemblance.
    pub fn bin(resemblance: Ratio) -> usize {
        // In integers: 0.57 times 100 is less than 57 in floating point.
        let parts = u128::from(resemblance.numerator) * RESEMBLANCE_BINS as u128;
        let bin = parts.checked_div(u128::from(resemblance.denominator));
        bin.map_or(0, |bin| (bin as usize).min(RESEMBLANCE_BINS - 1))
    }

    /// The threshold in the deepest valley between two hills of `highest`, if there is a valley:
    /// few documents change sides if the threshold there is a little higher or lower. Counts are
    /// averaged over five bins first. A valley is at most half as high as the lower of the two
    /// hills beside it, and each side has five documents or more.
    pub fn valley(&self) -> Option<f64> {
        let smooth = |at: usize| {
            let near = &self.highest[at.saturating_sub(2)..self.highest.len().min(at + 3)];
            near.iter().sum::<u64>() as f64 / near.len() as f64
        };
        let heights: Vec<f64> = (0..self.highest.len()).map(smooth).collect();
        let depth = |at: usize| {
            let top = |part: &[f64]| part.iter().copied().fold(0.0, f64::max);
            let lower = top(&heights[..at]).min(top(&heights[at..]));
            let (left, right) = self.highest.split_at(at);
            let has_sides = [left, right].map(|side| side.iter().sum::<u64>() >= 5) == [true; 2];
            (has_sides && 2.0 * heights[at] <= lower).then_some(lower - heights[at])
        };
        let valleys = (0..heights.len()).filter_map(|at| Some((depth(at)?, at)));
        let (deepest, first) =
            valleys.reduce(|best, next| if next.0 > best.0 { next } else { best })?;
        // the middle of a flat ground
        let last = (first..heights.len())
            .take_while(|&at| depth(at) == Some(deepest))
            .last()?;
        Some((first + last) as f64 / 2.0 / RESEMBLANCE_BINS as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hills(hills: &[(usize, u64)]) -> ThresholdFigures {
        let mut highest = vec![0; RESEMBLANCE_BINS];
        for &(at, height) in hills {
            let slope = at.saturating_sub(3)..(at + 4).min(RESEMBLANCE_BINS);
            highest[slope].iter_mut().for_each(|bin| *bin += height);
        }
        ThresholdFigures {
            highest,
            ..ThresholdFigures::default()
        }
    }

    #[test]
    fn the_valley_lies_between_the_hills() {
        let valley = hills(&[(30, 100), (90, 40)]).valley().expect("a valley");
        assert!((0.55..0.65).contains(&valley), "{valley}");
        assert_eq!(hills(&[(30, 100)]).valley(), None);
        let mut few = hills(&[(90, 3)]);
        few.highest[30] = 4;
        assert_eq!(few.valley(), None);
        few.highest[31] = 1;
        assert!(few.valley().is_some());
        assert_eq!(ThresholdFigures::default().valley(), None);
        let flat = ThresholdFigures {
            highest: vec![9; RESEMBLANCE_BINS],
            ..ThresholdFigures::default()
        };
        assert_eq!(flat.valley(), None);
    }

    #[test]
    fn every_resemblance_has_a_bin() {
        let bin = |[numerator, denominator]: [u64; 2]| {
            ThresholdFigures::bin(Ratio::new(numerator, denominator))
        };
        let ratios = [[0, 0], [0, 7], [1, 2], [57, 100], [999, 1000], [7, 7]];
        assert_eq!(ratios.map(bin), [0, 0, 50, 57, 99, 99]);
        let largest = [u64::MAX, u64::MAX];
        assert_eq!(bin(largest), 99);
    }
}
