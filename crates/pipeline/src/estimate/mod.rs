//! What the phases that have to run will cost: time, memory, disk.
//!
//! *Input.* The configuration, the listed files, the manifest. *Output.* An [`Estimate`].
//! *Algorithm.* Counts of finished phases are in the manifest and need no guess. For the others a
//! [`sample`] of the input is read and sketched, and [`extrapolate`] scales what it met. The
//! [`model`] makes costs of counts: times are those of a recorded machine, corrected by how fast
//! the sample was, or by what the same phase cost in this work directory before. *Memory.* That of
//! the sample. *Disk.* Nothing is written. *Limits.* An estimate decides nothing but a refusal for
//! want of disk, and that only when not even half of it is there.

mod before;
mod clock;
mod counts;
mod extrapolate;
mod fresh;
mod model;
mod rates;
mod sample;
mod sink;
#[cfg(test)]
mod tests;
mod unseen;
mod windows;

pub(crate) use before::of_plans;
pub use counts::Counts;
pub(crate) use counts::Known;
pub(crate) use fresh::{Fresh, nothing_new};
pub(crate) use model::{Cost, Given};
pub(crate) use sample::WHOLE_BYTES;

use cluster::LinkPolicy;
use config::Config;
use extrapolate::{Extrapolation, Limits, extrapolate};
use format::Manifest;
use input::Listing;
use output::CostEstimate;
use runtime::{Error, PhaseName};
use serde::Serialize;
use std::fmt;

/// A phase and what it is expected to cost.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct PhaseEstimate {
    /// The phase.
    pub phase: PhaseName,
    /// Its cost.
    #[serde(flatten)]
    pub cost: CostEstimate,
}

/// How much of the input an estimate looked at.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct SampleFigures {
    /// The share of its bytes.
    pub share: f64,
    /// Whether the share is a guess, because files can be read only from their beginnings.
    pub share_is_guessed: bool,
    /// Documents in it.
    pub documents: u64,
    /// CPU seconds it took.
    pub cpu_s: f64,
    /// CPU nanoseconds of sorting its postings, for each and for a doubling of their number: how
    /// fast this machine is. None if there were too few.
    pub sort_ns: Option<f64>,
}

/// What the phases that have to run will cost.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Estimate {
    /// The sample; none if the counts of finished phases say enough.
    pub sample: Option<SampleFigures>,
    /// What the phases will go through.
    pub counts: Counts,
    /// The phases that have to run.
    pub phases: Vec<PhaseEstimate>,
    /// All of them together, and the sample.
    pub total: CostEstimate,
}

impl Estimate {
    /// In a work directory that has so many bytes: the peak that is measured begins with what is
    /// there.
    pub(crate) fn beside(mut self, used_bytes: u64) -> Estimate {
        self.total.peak_disk_bytes = self.total.peak_disk_bytes.saturating_add(used_bytes);
        self
    }
}

/// How fast this machine is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Speed {
    /// CPU nanoseconds of reading and sketching a byte of a body, from the sample.
    body_ns: Option<f64>,
    /// Times of this machine, divided by those of the recorded one.
    machine: f64,
    /// The same for each phase.
    corrections: [f64; 6],
}

impl Default for Speed {
    fn default() -> Speed {
        Speed {
            body_ns: None,
            machine: 1.0,
            corrections: [1.0; 6],
        }
    }
}

/// What can be said before a run, from which costs follow.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Outlook {
    /// Counts as the sample has them; zero without one.
    guess: Counts,
    sample: Option<SampleFigures>,
    speed: Speed,
}

/// What was learnt from a sample.
struct Seen {
    sums: sink::Sums,
    extrapolated: Extrapolation,
    figures: SampleFigures,
}

/// What an estimate is made from.
pub(crate) struct Estimator<'a> {
    pub(crate) config: &'a Config,
    pub(crate) listing: &'a Listing,
    /// What of them is new, where the rest is known.
    pub(crate) fresh: Option<&'a Fresh>,
    /// Whether it is known that nothing is; see [`nothing_new`].
    pub(crate) nothing_new: bool,
    /// Whether a signal came.
    pub(crate) is_stopped: &'a (dyn Fn() -> bool + Sync),
}

/// A phase has to have taken so long for its cost to say something.
const TELLING_MS: u64 = 200;

impl Estimator<'_> {
    /// Whether the counts that these phases need are not in the manifest.
    pub(crate) fn needs_sample(&self, manifest: &Manifest, phases: &[PhaseName]) -> bool {
        let known = Known::of(self.config, (self.listing, self.nothing_new), manifest);
        phases.iter().any(|phase| {
            !known.has(match phase {
                PhaseName::Sort => PhaseName::Distinct,
                phase => (*phase).min(PhaseName::Pairs),
            })
        })
    }

    /// Looks at the input if need be.
    ///
    /// # Errors
    /// When a signal came, or the input cannot be read.
    pub(crate) fn look(&self, manifest: &Manifest, phases: &[PhaseName]) -> Result<Outlook, Error> {
        let mut outlook = Outlook {
            speed: self.speed(manifest),
            ..Outlook::default()
        };
        if !self.needs_sample(manifest, phases) {
            return Ok(outlook);
        }
        // In a thread of its own, whose memory the threads of the first phase take over.
        let looked = std::thread::scope(|scope| scope.spawn(|| self.look_at_sample()).join());
        let Some(seen) = looked.unwrap_or_else(|panic| std::panic::resume_unwind(panic))? else {
            return Ok(outlook);
        };
        let Seen {
            sums,
            extrapolated,
            figures,
        } = seen;
        outlook.guess = self.fresh.map_or(extrapolated.counts, |fresh| {
            fresh.known.plus(&extrapolated.counts)
        });
        let reading = sums.read_ns as f64 / sums.read_bytes.max(1) as f64;
        let sketching = sums.sketch_ns as f64 / sums.body_bytes.max(1) as f64;
        outlook.speed.body_ns =
            (sums.read_bytes > 0).then_some((reading + sketching) / rates::SAMPLE_SLOWNESS);
        // A machine twice or half as fast is likely; ten times is a clock that jumped.
        outlook.speed.machine = extrapolated
            .sort_ns
            .map_or(1.0, |ns| (ns / rates::MACHINE_SORT_NS).clamp(0.5, 4.0));
        outlook.speed.corrections[PhaseName::Sketch as usize] = 1.0;
        for phase in PhaseName::ALL.into_iter().skip(1) {
            if correction(phase, manifest, &self.given(manifest)).is_none() {
                outlook.speed.corrections[phase as usize] = outlook.speed.machine;
            }
        }
        outlook.sample = Some(figures);
        Ok(outlook)
    }

    /// The files that are to be read.
    fn to_read(&self) -> &Listing {
        self.fresh.map_or(self.listing, |fresh| &fresh.listing)
    }

    /// Takes a sample and makes counts of it; `None` if there is not one document.
    fn look_at_sample(&self) -> Result<Option<Seen>, Error> {
        let began = clock::thread_cpu_ns();
        let looked = sample::Looked {
            listing: self.to_read(),
            joins: self.fresh.is_some(),
        };
        let Some(sample) = sample::take(self.config, looked, self.is_stopped)? else {
            return Ok(None);
        };
        let (sums, share, share_is_guessed) = (sample.sums, sample.share, sample.is_rough);
        let limits = Limits {
            common: u64::from(self.config.pairs.common_shingle_limit),
            sampling: self.config.sketch.sampling,
            policy: self.policy(),
            floor: self.config.floor(),
        };
        let extrapolated = extrapolate(sample, &limits);
        let cpu_s = clock::thread_cpu_ns().saturating_sub(began) as f64 / 1e9;
        let figures = SampleFigures {
            share,
            share_is_guessed,
            documents: sums.documents,
            cpu_s,
            sort_ns: extrapolated.sort_ns,
        };
        Ok(Some(Seen {
            sums,
            extrapolated,
            figures,
        }))
    }

    /// What each phase costs as things stand; phases done meanwhile have their true counts.
    pub(crate) fn costs(
        &self,
        manifest: &Manifest,
        outlook: &Outlook,
        run: &[PhaseName],
    ) -> [Cost; 6] {
        let sampled = outlook
            .guess
            .sampled
            .saturating_sub(self.fresh.map_or(0, |fresh| fresh.known.sampled));
        let sample_postings = outlook
            .sample
            .map(|sample| (sampled as f64 * sample.share) as u64);
        let given = Given {
            sample_postings,
            ..self.given(manifest)
        };
        model::all(&self.counts(manifest, outlook), &given, &outlook.speed, run)
    }

    /// The estimate for these phases, which run one after the other; `None` if nothing is known of
    /// the input.
    pub(crate) fn estimate(
        &self,
        manifest: &Manifest,
        outlook: &Outlook,
        phases: &[PhaseName],
    ) -> Option<Estimate> {
        let counts = self.counts(manifest, outlook);
        if counts.documents == 0
            || phases.is_empty()
            || (outlook.sample.is_none() && self.needs_sample(manifest, phases))
        {
            return None;
        }
        let costs = self.costs(manifest, outlook, phases);
        let sampling_s = outlook.sample.map_or(0.0, |sample| sample.cpu_s);
        let mut total = CostEstimate {
            wall_s: sampling_s,
            cpu_s: sampling_s,
            ..CostEstimate::default()
        };
        let mut kept_bytes = 0_u64;
        let mut estimates = Vec::new();
        for &phase in phases {
            let cost = costs[phase as usize];
            total = total.then(cost.estimate, kept_bytes);
            // What the phase left before goes when it is done.
            let before = manifest
                .phases
                .get(phase.name())
                .into_iter()
                .flat_map(|record| record.outputs.values());
            let gone: u64 = before.map(|sealed| sealed.bytes).sum();
            kept_bytes = kept_bytes
                .saturating_add(cost.kept_bytes)
                .saturating_sub(gone);
            estimates.push(PhaseEstimate {
                phase,
                cost: cost.estimate,
            });
        }
        Some(Estimate {
            sample: outlook.sample,
            counts,
            phases: estimates,
            total,
        })
    }

    fn counts(&self, manifest: &Manifest, outlook: &Outlook) -> Counts {
        Known::of(self.config, (self.listing, self.nothing_new), manifest)
            .counts(manifest, outlook.guess)
    }

    fn given(&self, manifest: &Manifest) -> Given {
        let input_bytes = self.to_read().bytes();
        let new_share = self.fresh.map_or(1.0, |fresh| fresh.share);
        // About as many as there will be; which files share one makes little difference.
        let segments =
            usize::try_from(input_bytes.div_ceil(input::Sizes::of(input_bytes).segment_bytes))
                .unwrap_or(usize::MAX);
        let segments = segments
            .max(self.to_read().files.len().div_ceil(input::SEGMENT_FILES))
            .max(1);
        let parameters = runtime::parameters::of(PhaseName::Sketch, self.config);
        let parts = manifest
            .parts
            .get(PhaseName::Sketch.name())
            .into_iter()
            .flatten();
        let done = parts
            .filter(|(_, part)| part.parameters == parameters)
            .count()
            .min(segments);
        Given {
            threads: self.config.work.threads,
            memory_bytes: self.config.work.memory_bytes,
            input_bytes,
            segments,
            sketch_left: (1.0 - done as f64 / segments as f64) * new_share,
            new_share,
            levels: self.config.sketch.sampling.levels(),
            has_floor: self.config.floor().is_some(),
            sample_postings: None,
        }
    }

    fn policy(&self) -> LinkPolicy {
        let config = &self.config.cluster;
        LinkPolicy {
            resemblance: config.resemblance,
            containment: config.containment,
            containment_joins: config.containment_joins,
            min_shared: config.min_shared,
        }
    }

    fn speed(&self, manifest: &Manifest) -> Speed {
        let given = self.given(manifest);
        let corrections =
            PhaseName::ALL.map(|phase| correction(phase, manifest, &given).unwrap_or(1.0));
        Speed {
            corrections,
            ..Speed::default()
        }
    }
}

/// What a phase cost in this work directory before, divided by what the model says of its counts
/// then.
fn correction(phase: PhaseName, manifest: &Manifest, given: &Given) -> Option<f64> {
    let cpu_ms = manifest
        .phases
        .get(phase.name())?
        .cost
        .get("cpu_ms")
        .copied()?;
    // Of several snapshots an earlier run may have done any part.
    if cpu_ms < TELLING_MS || manifest.snapshots.len() > 1 {
        return None;
    }
    let mut counts = Counts::default();
    for phase in PhaseName::ALL {
        if let Some(record) = manifest.phases.get(phase.name()) {
            counts.take(phase, record);
        }
    }
    let given = Given {
        sketch_left: 1.0,
        new_share: 1.0,
        ..*given
    };
    Some((cpu_ms as f64 * 1e6 / model::cpu_ns(phase, &counts, &given)).clamp(0.1, 10.0))
}

impl fmt::Display for Estimate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let phases = self
            .phases
            .iter()
            .map(|estimate| (estimate.phase.name(), estimate.cost));
        f.write_str(&output::estimate_table(phases.chain([("all", self.total)])))?;
        match self.sample {
            None => writeln!(f, "from the counts of finished phases"),
            Some(sample) => {
                let about = if sample.share_is_guessed {
                    "perhaps "
                } else {
                    ""
                };
                let share = 100.0 * sample.share;
                let (documents, seconds) = (sample.documents, sample.cpu_s);
                writeln!(
                    f,
                    "from {documents} documents, {about}{share:.2} % of the input, looked at in {seconds:.2} s"
                )
            }
        }
    }
}
