//! `work.metrics`: figures of the last run for the textfile collector of Prometheus' node exporter.
//!
//! *Input.* How a run ended, what it cost, what it found; the file as the run before left it.
//! *Output.* One file in the text format of Prometheus, written whole: a temporary name that the
//! exporter does not read, sync, rename. *Algorithm.* Every run rewrites it, also one that failed
//! or found nothing to do; what tells of the last success is then taken over from the file before.
//! A run that met another one's lock, or only said what it would do, is no run. *Disk.* Some 4 KB.
//! *Limits.* A run that is killed writes nothing: watch the age of the last success. A file that
//! cannot be written is a warning and does not change how the run ends.

use crate::outcome::RunOutcome;
use engine::{Error, PhaseName, runtime::cost};
use format::{AtomicFile, Disk};
use input::Listing;
use output::RunRecord;
use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

/// Name, and what it says.
type Metric = (&'static str, &'static str);

/// Of the last run that left everything up to date: other runs take them over.
const OF_SUCCESS: [Metric; 5] = [
    (
        LAST_SUCCESS,
        "When the last successful run ended, in seconds since 1970; 0 if there was none.",
    ),
    ("pipeline_documents", "Documents."),
    (
        "pipeline_duplicates",
        "Documents that deduplication would remove.",
    ),
    ("pipeline_clusters", "Clusters of two or more documents."),
    (
        "pipeline_rejected_records",
        "Records that could not be used.",
    ),
];

const LAST_SUCCESS: &str = "pipeline_last_success_timestamp_seconds";

const PHASE_CPU: Metric = (
    "pipeline_last_run_phase_cpu_seconds",
    "CPU time of a phase in the last run; 0 if it did not run.",
);

/// The metrics of a run from its first moment on, however it ends.
pub(crate) struct RunMetrics {
    started: Instant,
    input: (usize, u64),
    /// The cost of the phases, once there were any.
    pub(crate) cost: Option<RunRecord>,
}

/// Values of [`OF_SUCCESS`] by name, as text.
type MetricValues = BTreeMap<&'static str, String>;

impl RunMetrics {
    pub(crate) fn start() -> RunMetrics {
        RunMetrics {
            started: Instant::now(),
            input: (0, 0),
            cost: None,
        }
    }

    /// The input that there was to read.
    pub(crate) fn input(&mut self, listing: &Listing) {
        self.input = (listing.files.len(), listing.bytes());
    }

    /// Writes the file, unless the run met another one.
    pub(crate) fn write_file(
        &self,
        path: &Path,
        config: &Path,
        result: &Result<RunOutcome, Error>,
    ) {
        if matches!(result, Err(Error::Locked { .. })) {
            return;
        }
        let absolute = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        // Not the disk of the run: a signal or a full `work.disk` is not to keep it from telling.
        let (disk, path) = (Disk::default(), absolute(path));
        let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH);
        let now = since_1970.map_or(0.0, |time| time.as_secs_f64());
        let of_success = match finished(result) {
            Some(outcome) => of_success(outcome, now),
            None => kept(&disk.read_text(&path).ok().flatten().unwrap_or_default()),
        };
        let mut file = MetricsFile::of(&absolute(config).to_string_lossy());
        file.successes(&of_success);
        self.of_run(&mut file, result, now);
        if let Err(error) = AtomicFile::replace(&disk, &path, file.text.as_bytes()) {
            let path = path.display();
            tracing::warn!(
                "failed to write the figures of this run to {path}; the result of the run is not affected: {error}"
            );
        }
    }

    /// Adds the figures of every run.
    fn of_run(&self, file: &mut MetricsFile, result: &Result<RunOutcome, Error>, now: f64) {
        let code = result.as_ref().map_or_else(Error::exit_code, |_| 0);
        let cost = self.cost.as_ref();
        let totals = cost.map(|cost| cost.totals).unwrap_or_default();
        let phases = cost.map_or(&[][..], |cost| &cost.phases);
        let done = phases
            .iter()
            .filter(|phase| phase.state == output::PhaseState::Done);
        for (name, help, value) in [
            (
                "pipeline_last_run_timestamp_seconds",
                "When the last run ended, in seconds since 1970.",
                seconds(now),
            ),
            (
                "pipeline_last_run_exit_code",
                "The exit code of the last run.",
                code.to_string(),
            ),
            (
                "pipeline_last_run_duration_seconds",
                "The duration of the last run.",
                seconds(self.started.elapsed().as_secs_f64()),
            ),
            (
                "pipeline_last_run_cpu_seconds",
                "The CPU time of the last run, user and system.",
                seconds(cost::cpu_ms() as f64 / 1000.0),
            ),
            (
                "pipeline_last_run_phases",
                "Phases that ran; 0 if there was nothing to do.",
                done.count().to_string(),
            ),
            (
                "pipeline_last_run_read_bytes",
                "Bytes that the last run read from its own files.",
                totals.bytes_read.to_string(),
            ),
            (
                "pipeline_last_run_written_bytes",
                "Bytes that the last run wrote.",
                totals.bytes_written.to_string(),
            ),
            (
                "pipeline_last_run_peak_memory_bytes",
                "The largest resident memory of the last run.",
                cost::peak_bytes().to_string(),
            ),
            (
                "pipeline_input_files",
                "Files of the input when the last run began.",
                self.input.0.to_string(),
            ),
            (
                "pipeline_input_bytes",
                "Bytes of these files on disk.",
                self.input.1.to_string(),
            ),
        ] {
            file.head((name, help));
            file.value(name, "", &value);
        }
        file.head(PHASE_CPU);
        for phase in PhaseName::ALL {
            let record = phases.iter().find(|record| record.name == phase.name());
            let label = format!(",phase=\"{phase}\"");
            let cpu_s = record.map_or(0.0, |record| record.cpu_s);
            file.value(PHASE_CPU.0, &label, &seconds(cpu_s));
        }
    }
}

/// The outcome of a run that went to the end of the line.
fn finished(result: &Result<RunOutcome, Error>) -> Option<&RunOutcome> {
    let outcome = result.as_ref().ok()?;
    let last = outcome.phases.last()?;
    (last.phase == PhaseName::Index).then_some(outcome)
}

fn of_success(outcome: &RunOutcome, now: f64) -> MetricValues {
    let mut values = MetricValues::from([(LAST_SUCCESS, seconds(now))]);
    if let Some(report) = &outcome.report {
        let counts = [
            report.input.documents,
            report.clusters.removed_if_deduplicated,
            report.clusters.clusters,
            report.input.rejected_total(),
        ];
        let names = OF_SUCCESS[1..].iter().map(|(name, _)| *name);
        values.extend(names.zip(counts.map(|count| count.to_string())));
    }
    values
}

/// The last success, as an earlier file has it.
fn kept(text: &str) -> MetricValues {
    let mut values = MetricValues::from([(LAST_SUCCESS, "0".to_owned())]);
    for line in text.lines() {
        let Some((sample, value)) = line.rsplit_once(' ') else {
            continue;
        };
        let name = sample.split('{').next().unwrap_or_default();
        if let Some((name, _)) = OF_SUCCESS.iter().find(|(known, _)| *known == name)
            && value.parse().is_ok_and(f64::is_finite)
        {
            values.insert(name, value.to_owned());
        }
    }
    values
}

/// The file: every metric with its help and type, and the configuration as a label, so that several
/// can be collected.
struct MetricsFile {
    config: String,
    text: String,
}

impl MetricsFile {
    fn of(config: &str) -> MetricsFile {
        let config = config.replace('\\', "\\\\").replace('"', "\\\"");
        MetricsFile {
            config: config.replace('\n', "\\n"),
            text: String::new(),
        }
    }

    /// Adds what was known of the last success.
    fn successes(&mut self, values: &MetricValues) {
        for metric in OF_SUCCESS {
            if let Some(value) = values.get(metric.0) {
                self.head(metric);
                self.value(metric.0, "", value);
            }
        }
    }

    fn head(&mut self, (name, help): Metric) {
        self.text += &format!("# HELP {name} {help}\n# TYPE {name} gauge\n");
    }

    fn value(&mut self, name: &str, label: &str, value: &str) {
        self.text += &format!("{name}{{config=\"{}\"{label}}} {value}\n", self.config);
    }
}

fn seconds(seconds: f64) -> String {
    format!("{seconds:.3}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_tells_of_a_success_is_taken_over() {
        let success = MetricValues::from([
            (LAST_SUCCESS, "1764000000.250".to_owned()),
            ("pipeline_documents", "7".to_owned()),
        ]);
        let mut file = MetricsFile::of("/a \"b\"\\c\n{}");
        file.successes(&success);
        let text = file.text;
        assert_eq!(kept(&text), success);
        assert!(
            text.contains("pipeline_documents{config=\"/a \\\"b\\\"\\\\c\\n{}\"} 7\n"),
            "{text}"
        );
    }

    #[test]
    fn of_a_file_of_something_else_nothing_is_taken_over() {
        let none = MetricValues::from([(LAST_SUCCESS, "0".to_owned())]);
        for text in [
            "",
            "\n\n",
            "pipeline_documents",
            "pipeline_documents x",
            "pipeline_documents{a=\"b\"} NaN",
            "x 5",
        ] {
            assert_eq!(kept(text), none, "{text:?}");
        }
        // The exit code of the run before is not taken over.
        assert_eq!(kept("pipeline_last_run_exit_code{config=\"/c\"} 3\n"), none);
    }
}
