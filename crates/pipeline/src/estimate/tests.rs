//! Estimates of generated corpora beside what a run counts.

use super::*;
use crate::RunOptions;
use ::model::Threshold;
use config;
use format::Disk;
use runtime::Reporter;
use std::io::Write;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use testkit::{TextCorpus, TextShape};

/// A corpus in three JSONL files and its configuration.
fn corpus(dir: &Path, seed: u64, shape: TextShape) -> Config {
    let mut bytes = Vec::new();
    TextCorpus::new(seed, shape)
        .write_jsonl(&mut bytes)
        .unwrap();
    let lines: Vec<&[u8]> = bytes.split_inclusive(|&byte| byte == b'\n').collect();
    for (number, part) in lines.chunks(lines.len().div_ceil(3)).enumerate() {
        std::fs::write(dir.join(format!("part-{number}.jsonl")), part.concat()).unwrap();
    }
    configure(dir, "part-*.jsonl", "")
}

fn configure(dir: &Path, paths: &str, more: &str) -> Config {
    let text = format!(
        "version = 1\n[input]\npaths = [\"{paths}\"]\n[work]\nmemory = \"256MiB\"\nthreads = 2\n[sketch]\nseed = \"estimates\"\n{more}"
    );
    config::parse(&text, &dir.join("pipeline.toml")).unwrap()
}

fn guess(config: &Config) -> (Counts, Option<SampleFigures>) {
    let listing = intake::inputs::Inputs::look(config, &Manifest::default())
        .unwrap()
        .listing;
    let estimator = Estimator {
        config,
        listing: &listing,
        fresh: None,
        nothing_new: false,
        is_stopped: &|| false,
    };
    let outlook = estimator
        .look(&Manifest::default(), &PhaseName::ALL)
        .unwrap();
    (outlook.guess, outlook.sample)
}

fn truth(config: &Config) -> Counts {
    crate::run(config, &RunOptions::default(), &Reporter::silent()).unwrap();
    let manifest = Manifest::load(&Disk::default(), &config.work.dir)
        .unwrap()
        .unwrap();
    let listing = intake::inputs::Inputs::look(config, &Manifest::default())
        .unwrap()
        .listing;
    Known::of(config, (&listing, false), &manifest).counts(&manifest, Counts::default())
}

/// The counts by their names, those of sums of rows aside.
fn named(counts: &Counts) -> [(&'static str, u64); 9] {
    [
        ("documents", counts.documents),
        ("rejected", counts.rejected),
        ("body bytes", counts.body_bytes),
        ("sampled", counts.sampled),
        ("representatives", counts.representatives),
        ("postings", counts.postings),
        ("increments", counts.increments),
        ("pairs", counts.pairs),
        ("links", counts.links),
    ]
}

fn ratio(guess: u64, truth: u64) -> f64 {
    (guess as f64 + 1.0) / (truth as f64 + 1.0)
}

#[test]
fn of_an_input_read_whole_everything_is_known() {
    let dir = tempfile::tempdir().unwrap();
    let config = corpus(
        dir.path(),
        3,
        TextShape {
            pages: 500,
            ..TextShape::default()
        },
    );
    std::fs::write(dir.path().join("part-8.jsonl"), "{\"text\": \"cut o\n").unwrap();
    let (guess, sample) = guess(&config);
    assert_eq!(
        sample.map(|sample| (sample.share, sample.documents)),
        Some((1.0, 500))
    );
    let truth = truth(&config);
    assert_eq!(named(&guess), named(&truth));
    assert!(
        (0.9..1.1).contains(&ratio(guess.row_bytes, truth.row_bytes)),
        "{guess:?} {truth:?}"
    );
}

#[test]
fn a_sample_tells_the_counts_of_a_corpus_with_planted_duplicates() {
    for (seed, derived_per_mille, floor) in [
        (1, 500, 0),
        (2, 100, 0),
        (3, 800, 0),
        (1, 500, 25),
        (3, 800, 25),
    ] {
        let dir = tempfile::tempdir().unwrap();
        let shape = TextShape {
            pages: 12_000,
            derived_per_mille,
            ..TextShape::default()
        };
        let mut config = corpus(dir.path(), seed, shape);
        config.pairs.floor = Threshold::hundredths(floor);
        let (guess, sample) = guess(&config);
        let share = sample.map_or(1.0, |sample| sample.share);
        assert!(share < 0.25, "{share} of the input was read");
        let truth = truth(&config);
        for ((name, guess), (_, truth)) in named(&guess).into_iter().zip(named(&truth)) {
            println!(
                "{derived_per_mille} {name}: {guess} of {truth}, {:.3}",
                ratio(guess, truth)
            );
        }
        for ((name, guess), (_, truth)) in named(&guess).into_iter().zip(named(&truth)) {
            // Which pages are alike depends on which are copied, and that a sample hardly tells.
            let is_of_copies = name == "links" || name == "pairs" && floor > 0;
            let bounds = if is_of_copies { 0.3..3.0 } else { 0.7..1.3 };
            assert!(
                bounds.contains(&ratio(guess, truth)),
                "{derived_per_mille} {name}: {guess} of {truth}"
            );
        }
        assert!(
            (0.7..1.3).contains(&ratio(guess.row_bytes, truth.row_bytes)),
            "{guess:?} {truth:?}"
        );
    }
}

#[test]
fn pages_of_a_tree_and_lines_of_one_stream_are_met_as_well() {
    let dir = tempfile::tempdir().unwrap();
    let lines = |pages| {
        let mut lines = Vec::new();
        TextCorpus::new(
            5,
            TextShape {
                pages,
                ..TextShape::default()
            },
        )
        .write_jsonl(&mut lines)
        .unwrap();
        lines
    };
    std::fs::create_dir(dir.path().join("tree")).unwrap();
    for (number, line) in lines(3000)
        .split_inclusive(|&byte| byte == b'\n')
        .enumerate()
    {
        std::fs::write(dir.path().join(format!("tree/{number:05}.txt")), line).unwrap();
    }
    let (tree, sample) = guess(&configure(dir.path(), "tree", ""));
    assert!(
        sample.is_some_and(|sample| sample.share < 1.0 && !sample.share_is_guessed),
        "{sample:?}"
    );
    assert!(
        (0.7..1.3).contains(&ratio(tree.documents, 3000)),
        "{tree:?}"
    );
    let stream = zstd::encode_all(lines(9000).as_slice(), 3).unwrap();
    std::fs::write(dir.path().join("all.jsonl.zst"), stream).unwrap();
    let (stream, sample) = guess(&configure(dir.path(), "all.jsonl.zst", ""));
    assert!(
        sample.is_some_and(|sample| sample.share < 1.0 && sample.share_is_guessed),
        "{sample:?}"
    );
    // Random words shrink less than pages do.
    assert!(
        (0.5..2.5).contains(&ratio(stream.documents, 9000)),
        "{stream:?} {sample:?}"
    );
}

#[test]
fn a_stream_without_documents_is_left_soon_and_a_signal_ends_a_look() {
    const LINES: u64 = 500_000;
    let dir = tempfile::tempdir().unwrap();
    let mut stream = zstd::Encoder::new(
        std::fs::File::create(dir.path().join("all.jsonl.zst")).unwrap(),
        1,
    )
    .unwrap();
    let mut random = testkit::Random::for_item(11, 0);
    for _ in 0..LINES {
        writeln!(
            stream,
            "{{\"no text\": \"{:016x}\"}}",
            random.below(u64::MAX)
        )
        .unwrap();
    }
    stream.finish().unwrap();
    let config = configure(dir.path(), "all.jsonl.zst", "");
    let listing = intake::inputs::Inputs::look(&config, &Manifest::default())
        .unwrap()
        .listing;
    let records = AtomicU64::new(0);
    let count = || records.fetch_add(1, Ordering::Relaxed) == u64::MAX;
    let estimator = Estimator {
        config: &config,
        listing: &listing,
        fresh: None,
        nothing_new: false,
        is_stopped: &count,
    };
    let outlook = estimator
        .look(&Manifest::default(), &PhaseName::ALL)
        .unwrap();
    assert!(
        outlook.sample.is_none()
            && estimator
                .estimate(&Manifest::default(), &outlook, &PhaseName::ALL)
                .is_none()
    );
    let records = records.into_inner();
    assert!(
        (1000..LINES / 2).contains(&records),
        "{records} records of {LINES} were looked at"
    );
    let estimator = Estimator {
        config: &config,
        listing: &listing,
        fresh: None,
        nothing_new: false,
        is_stopped: &|| true,
    };
    let stopped = estimator.look(&Manifest::default(), &PhaseName::ALL);
    assert!(
        stopped.is_err()
            && estimator
                .before_run(&Manifest::default(), &PhaseName::ALL, &Reporter::silent())
                .is_err()
    );
}

#[test]
fn what_is_made_again_takes_the_place_of_what_is_there() {
    let dir = tempfile::tempdir().unwrap();
    let config = corpus(
        dir.path(),
        7,
        TextShape {
            pages: 300,
            ..TextShape::default()
        },
    );
    let listing = intake::inputs::Inputs::look(&config, &Manifest::default())
        .unwrap()
        .listing;
    let estimator = Estimator {
        config: &config,
        listing: &listing,
        fresh: None,
        nothing_new: false,
        is_stopped: &|| false,
    };
    let first = estimator
        .look(&Manifest::default(), &PhaseName::ALL)
        .unwrap();
    let first = estimator
        .estimate(&Manifest::default(), &first, &PhaseName::ALL)
        .unwrap();
    truth(&config);
    let manifest = Manifest::load(&Disk::default(), &config.work.dir)
        .unwrap()
        .unwrap();
    let forced = estimator.look(&manifest, &PhaseName::ALL).unwrap();
    let forced = estimator
        .estimate(&manifest, &forced, &PhaseName::ALL)
        .unwrap();
    let largest = forced
        .phases
        .iter()
        .map(|of| of.cost.peak_disk_bytes)
        .max()
        .unwrap();
    assert!(
        (largest..2 * largest).contains(&forced.total.peak_disk_bytes),
        "{forced:?}"
    );
    assert!(
        first.total.peak_disk_bytes > forced.total.peak_disk_bytes + largest / 2,
        "{first:?} {forced:?}"
    );
}

#[test]
fn counts_of_finished_phases_are_taken_as_they_are() {
    let dir = tempfile::tempdir().unwrap();
    let config = corpus(
        dir.path(),
        7,
        TextShape {
            pages: 300,
            ..TextShape::default()
        },
    );
    let truth = truth(&config);
    let config = configure(dir.path(), "part-*.jsonl", "[cluster]\nresemblance = 0.7\n");
    let manifest = Manifest::load(&Disk::default(), &config.work.dir)
        .unwrap()
        .unwrap();
    let listing = intake::inputs::Inputs::look(&config, &Manifest::default())
        .unwrap()
        .listing;
    let is_stopped = || panic!("the input is not looked at");
    let estimator = Estimator {
        config: &config,
        listing: &listing,
        fresh: None,
        nothing_new: false,
        is_stopped: &is_stopped,
    };
    let likely = estimator.likely(&manifest, |_| true, false);
    assert_eq!(likely, [PhaseName::Cluster, PhaseName::Index]);
    let outlook = estimator.look(&manifest, &likely).unwrap();
    let estimate = estimator.estimate(&manifest, &outlook, &likely).unwrap();
    assert_eq!((estimate.sample, estimate.counts), (None, truth));
    assert_eq!(
        estimate
            .phases
            .iter()
            .map(|of| of.phase)
            .collect::<Vec<_>>(),
        likely
    );
    let (first, both) = (estimate.phases[0].cost, estimate.total);
    assert!(both.cpu_s > first.cpu_s && both.bytes_written > first.bytes_written);
}

#[test]
fn a_phase_that_was_slow_before_is_expected_to_be_slow() {
    let dir = tempfile::tempdir().unwrap();
    let config = corpus(
        dir.path(),
        7,
        TextShape {
            pages: 100,
            ..TextShape::default()
        },
    );
    truth(&config);
    let mut manifest = Manifest::load(&Disk::default(), &config.work.dir)
        .unwrap()
        .unwrap();
    manifest
        .phases
        .get_mut("pairs")
        .unwrap()
        .cost
        .insert("cpu_ms".to_owned(), 400);
    let listing = intake::inputs::Inputs::look(&config, &Manifest::default())
        .unwrap()
        .listing;
    let estimator = Estimator {
        config: &config,
        listing: &listing,
        fresh: None,
        nothing_new: false,
        is_stopped: &|| false,
    };
    let outlook = estimator.look(&manifest, &[PhaseName::Pairs]).unwrap();
    let costs = estimator.costs(&manifest, &outlook, &[PhaseName::Pairs]);
    let model = model::cpu_ns(
        PhaseName::Pairs,
        &estimator.counts(&manifest, &outlook),
        &estimator.given(&manifest),
    );
    let slower = costs[PhaseName::Pairs as usize].estimate.cpu_s * 1e9 / model;
    // At most ten times: what the machine was doing then is not known.
    assert!(
        (slower - (400e6 / model).min(10.0)).abs() < 1e-6,
        "{slower}"
    );
}
