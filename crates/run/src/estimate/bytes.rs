//! The bytes of text that each phase goes through, from the listing alone.

use super::{ForecastBasis, rates};
use engine::{PhaseName, intake::inputs::LiveSnapshot, runtime::parameters};
use input::{Format, SourceFile};

impl ForecastBasis<'_> {
    /// Bytes of text that a phase goes through.
    ///
    /// `sketch` and `sort` go through new snapshots only. `pairs` reads all postings, but makes
    /// pairs of new documents only: about half of the work each. The others go over everything.
    pub(super) fn text_bytes(&self, phase: PhaseName) -> u64 {
        match phase {
            PhaseName::Sketch => self.bytes_to_sketch(),
            PhaseName::Sort => self.bytes_not_in_levels(phase),
            PhaseName::Pairs => (self.all_text_bytes() + self.bytes_not_in_levels(phase)) / 2,
            PhaseName::Distinct
            | PhaseName::Settle
            | PhaseName::Cluster
            | PhaseName::Passages
            | PhaseName::Index => self.all_text_bytes(),
        }
    }

    /// Bytes of text in all of the input.
    pub(super) fn all_text_bytes(&self) -> u64 {
        self.bytes_of(|_| true)
    }

    /// Bytes of the snapshots that are not sketched, less those of segments that a run sketched
    /// before it was stopped.
    fn bytes_to_sketch(&self) -> u64 {
        let parameters = parameters::of(PhaseName::Sketch, self.config);
        let is_new = |live: &LiveSnapshot| {
            let is_sketched = self.manifest.snapshots.iter().any(|record| {
                record.number == live.number && record.sketched.parameters == parameters
            });
            self.force || live.may_change() || !is_sketched
        };
        let bytes = self.bytes_of(is_new);
        let parts = self.manifest.parts.get(PhaseName::Sketch.name());
        let done = parts
            .into_iter()
            .flat_map(|parts| parts.values())
            .filter(|part| part.parameters == parameters)
            .count();
        if done == 0 || self.force {
            return bytes;
        }
        let segments: usize = self
            .snapshots(is_new)
            .map(|live| live.files(&self.inputs.listing))
            .map(|files| {
                let listed = files.iter().map(|file| file.stat.bytes).sum();
                input::plan(files, input::Sizes::of(listed)).len()
            })
            .sum();
        let left = segments.saturating_sub(done) as f64 / segments.max(1) as f64;
        (bytes as f64 * left) as u64
    }

    /// Bytes of the snapshots that a phase has not taken into its levels.
    fn bytes_not_in_levels(&self, phase: PhaseName) -> u64 {
        let parameters =
            parameters::of(PhaseName::Sketch, self.config) + &parameters::of(phase, self.config);
        let levels = self.manifest.levels.get(phase.name());
        let levels = levels.filter(|levels| levels.parameters == parameters && !self.force);
        self.bytes_of(|live| {
            live.may_change()
                || levels.is_none_or(|levels| {
                    levels
                        .snapshots
                        .iter()
                        .all(|taken| taken.number != live.number)
                })
        })
    }

    fn bytes_of(&self, is_wanted: impl Fn(&LiveSnapshot) -> bool) -> u64 {
        self.snapshots(is_wanted)
            .flat_map(|live| live.files(&self.inputs.listing))
            .map(text_bytes)
            .sum()
    }

    /// The snapshots of which all documents take part.
    fn snapshots(
        &self,
        is_wanted: impl Fn(&LiveSnapshot) -> bool,
    ) -> impl Iterator<Item = &LiveSnapshot> {
        self.inputs
            .snapshots
            .iter()
            .filter(move |live| !live.retained_for_revisits && is_wanted(live))
    }
}

/// The text in a file after decoding, guessed from its size, its format and the end of its name.
fn text_bytes(file: &SourceFile) -> u64 {
    let decoded = if ends_in(&file.name, ".gz") {
        rates::GZIP_RATIO
    } else if ends_in(&file.name, ".zst") {
        rates::ZSTD_RATIO
    } else {
        1.0
    };
    let is_wet = ends_in(&file.name, ".wet") || ends_in(&file.name, ".wet.gz");
    let text = match file.format {
        Format::Parquet => rates::PARQUET_RATIO,
        Format::Html => rates::HTML_TEXT_SHARE,
        Format::Wacz => rates::GZIP_RATIO * rates::HTML_TEXT_SHARE,
        Format::Warc | Format::Arc if !is_wet => decoded * rates::HTML_TEXT_SHARE,
        Format::Warc | Format::Arc | Format::Jsonl => decoded,
        Format::Text => 1.0,
    };
    (file.stat.bytes as f64 * text) as u64
}

/// Without regard to case. Nothing is allocated: there may be a million files.
fn ends_in(name: &str, end: &str) -> bool {
    let from = name.len().checked_sub(end.len());
    from.and_then(|from| name.get(from..))
        .is_some_and(|last| last.eq_ignore_ascii_case(end))
}
