//! Forecasts over manifests and listings made up by hand: no file of them exists.

use super::*;
use engine::{intake::inputs::LiveSnapshot, runtime::parameters};
use format::{
    CostScale, MergeLevels, PhaseCost, PhaseRecord, Sealed, SnapshotRecord, TakenSnapshot,
};
use input::{Format, Listing, SourceFile};
use std::path::{Path, PathBuf};

fn configured(more: &str) -> Config {
    let text = format!(
        "version = 1\n[input]\npaths = [\"crawl\"]\n[sketch]\nseed = \"tests\"\n\
         [work]\nmemory = \"256MiB\"\nthreads = 2\n[passages]\nwords = 50\n{more}"
    );
    config::parse(&text, Path::new("/nowhere/pipeline.toml")).unwrap()
}

fn file(name: &str, format: Format, bytes: u64) -> SourceFile {
    SourceFile {
        name: name.to_owned(),
        path: PathBuf::from("/nowhere").join(name),
        format,
        stat: model::FileStat {
            bytes,
            ..model::FileStat::default()
        },
        sources: Vec::new(),
    }
}

/// An input of plain text that is no snapshot.
fn plain(bytes: u64) -> Inputs {
    snapshots(&[(0, bytes)])
}

/// Snapshots of one file of plain text each.
fn snapshots(of: &[(u32, u64)]) -> Inputs {
    let files = of
        .iter()
        .map(|(number, bytes)| file(&format!("{number}.txt"), Format::Text, *bytes));
    let live = of.iter().enumerate().map(|(at, (number, _))| LiveSnapshot {
        number: *number,
        files: at..at + 1,
        ..LiveSnapshot::default()
    });
    Inputs {
        listing: Listing {
            files: files.collect(),
            ..Listing::default()
        },
        snapshots: live.collect(),
        linked: Vec::new(),
    }
}

/// A phase that took 2.04 seconds by the clock for so many bytes of text.
fn record(config: &Config, phase: PhaseName, text_bytes: u64, kept_bytes: u64) -> PhaseRecord {
    let cost = PhaseCost {
        wall_ms: 2_040,
        cpu_ms: 3_000,
        bytes_written: 1_000_000,
        peak_memory_bytes: 35_000_000,
        scale: Some(CostScale {
            text_bytes,
            threads: 2,
        }),
        ..PhaseCost::default()
    };
    let output = Sealed {
        name: "output".to_owned(),
        bytes: kept_bytes,
        ..Sealed::default()
    };
    PhaseRecord {
        parameters: parameters::of(phase, config),
        outputs: [("output".to_owned(), output)].into(),
        cost,
        ..PhaseRecord::default()
    }
}

/// A work directory in which every phase went through so many bytes of text.
fn finished(config: &Config, text_bytes: u64) -> Manifest {
    let phases = PhaseName::ALL.map(|phase| {
        let record = record(config, phase, text_bytes, 400_000);
        (phase.name().to_owned(), record)
    });
    Manifest {
        phases: phases.into(),
        ..Manifest::default()
    }
}

fn basis<'a>(config: &'a Config, inputs: &'a Inputs, manifest: &'a Manifest) -> ForecastBasis<'a> {
    ForecastBasis {
        config,
        inputs,
        manifest,
        force: false,
    }
}

#[test]
fn a_first_run_is_forecast_by_the_bytes_of_text_that_formats_hold() {
    let files = [
        (file("a.warc.gz", Format::Warc, 1000), 1250),
        (file("a.warc.zst", Format::Warc, 1000), 1500),
        (file("a.warc", Format::Warc, 1000), 250),
        (file("a.wet.GZ", Format::Warc, 1000), 5000),
        (file("a.jsonl", Format::Jsonl, 1000), 1000),
        (file("a.jsonl.zst", Format::Jsonl, 1000), 6000),
        (file("a.parquet", Format::Parquet, 1000), 3000),
        (file("a.html", Format::Html, 1000), 250),
        (file("a.txt", Format::Text, 1000), 1000),
    ];
    let config = configured("");
    for (file, text_bytes) in files {
        let mut inputs = plain(0);
        inputs.listing.files = vec![file];
        let forecast = basis(&config, &inputs, &Manifest::default()).phases()[0];
        assert_eq!(forecast.text_bytes, text_bytes, "{:?}", inputs.listing);
        assert_eq!(forecast.source, ForecastSource::Rates);
    }
}

#[test]
fn twice_the_input_costs_twice_the_last_run() {
    let config = configured("");
    let manifest = finished(&config, 1_000_000);
    let inputs = plain(2_000_000);
    for forecast in basis(&config, &inputs, &manifest).phases() {
        assert_eq!(forecast.source, ForecastSource::LastCosts);
        let cost = forecast.cost;
        assert!((cost.wall_s - 4.04).abs() < 1e-9, "{cost:?}");
        assert!((cost.cpu_s - 6.0).abs() < 1e-9, "{cost:?}");
        assert_eq!(cost.bytes_written, 2_000_000);
        assert_eq!(forecast.kept_bytes, 800_000);
        // The first 25 MB do not grow.
        assert_eq!(cost.peak_memory_bytes, 45_000_000);
    }
}

#[test]
fn a_run_of_the_same_costs_the_same_again() {
    let config = configured("");
    let manifest = finished(&config, 1_000_000);
    let inputs = plain(1_000_000);
    let forecast = basis(&config, &inputs, &manifest).phases()[2];
    assert!((forecast.cost.wall_s - 2.04).abs() < 1e-9);
    assert_eq!(forecast.cost.peak_memory_bytes, 35_000_000);
}

#[test]
fn memory_stays_within_the_limit_and_threads_share_the_work() {
    let manifest = finished(&configured(""), 1_000_000);
    let inputs = plain(50_000_000);
    let config = configured("");
    let two = basis(&config, &inputs, &manifest).phases();
    let limit = (256 << 20) + 25_000_000;
    assert_eq!(two[0].cost.peak_memory_bytes, limit);
    let mut config = config;
    config.work.threads = 4;
    let four = basis(&config, &inputs, &manifest).phases();
    let wall = |of: &[PhaseForecast; PHASES], phase: PhaseName| of[phase as usize].cost.wall_s;
    for (phase, factor) in [(PhaseName::Sketch, 2.0), (PhaseName::Index, 1.0)] {
        assert!((wall(&two, phase) / wall(&four, phase) - factor).abs() < 1e-9);
    }
}

#[test]
fn costs_of_a_far_smaller_run_or_without_bytes_are_not_scaled() {
    let config = configured("");
    let source = |manifest: &Manifest, bytes| {
        let inputs = plain(bytes);
        basis(&config, &inputs, manifest).phases()[0].source
    };
    let manifest = finished(&config, 1_000_000);
    assert_eq!(source(&manifest, 99_000_000), ForecastSource::LastCosts);
    assert_eq!(source(&manifest, 100_000_000), ForecastSource::Rates);
    assert_eq!(source(&finished(&config, 0), 1000), ForecastSource::Rates);
    let mut adopted = finished(&config, 1_000_000);
    for record in adopted.phases.values_mut() {
        record.cost.scale = None;
    }
    assert_eq!(source(&adopted, 1_000_000), ForecastSource::Rates);
}

#[test]
fn a_new_snapshot_is_sketched_and_sorted_alone() {
    let config = configured("");
    let mut manifest = finished(&config, 1_000_000);
    let sketched = record(&config, PhaseName::Sketch, 1_000_000, 0);
    manifest.snapshots = vec![SnapshotRecord {
        number: 1,
        sketched,
        ..SnapshotRecord::default()
    }];
    for phase in [PhaseName::Sort, PhaseName::Pairs] {
        let levels = MergeLevels {
            parameters: parameters::of(PhaseName::Sketch, &config)
                + &parameters::of(phase, &config),
            snapshots: vec![TakenSnapshot {
                number: 1,
                documents: 1,
                content: String::new(),
            }],
            ..MergeLevels::default()
        };
        manifest.levels.insert(phase.name().to_owned(), levels);
    }
    let inputs = snapshots(&[(1, 1_000_000), (2, 100_000)]);
    let basis = basis(&config, &inputs, &manifest);
    let bytes = |basis: &ForecastBasis<'_>| basis.phases().map(|forecast| forecast.text_bytes);
    assert_eq!(
        bytes(&basis),
        [
            100_000, 1_100_000, 100_000, 600_000, 1_100_000, 1_100_000, 1_100_000, 1_100_000
        ]
    );
    let forced = ForecastBasis {
        force: true,
        ..basis
    };
    assert_eq!(bytes(&forced), [1_100_000; PHASES]);
    // The files beside it are not replaced.
    let replaced = |basis: &ForecastBasis<'_>| basis.phases().map(|phase| phase.replaced_bytes);
    assert_eq!(
        replaced(&basis),
        [0, 400_000, 0, 0, 400_000, 400_000, 400_000, 400_000]
    );
    assert_eq!(replaced(&forced), [400_000; PHASES]);
    // A dropped snapshot that revisits still refer to is not gone through.
    let mut inputs = snapshots(&[(1, 1_000_000), (2, 100_000)]);
    inputs.snapshots[0].retained_for_revisits = true;
    let dropped = ForecastBasis {
        inputs: &inputs,
        ..basis
    };
    assert_eq!(bytes(&dropped), [100_000; PHASES]);
}

#[test]
fn segments_that_a_stopped_run_sketched_are_done() {
    let config = configured("");
    let mut inputs = plain(0);
    let files = (0..4).map(|n| file(&format!("{n}.txt"), Format::Text, 8 << 20));
    inputs.listing.files = files.collect();
    inputs.snapshots[0].files = 0..4;
    let mut manifest = Manifest::default();
    let parts = manifest.parts.entry("sketch".to_owned()).or_default();
    parts.insert("0".to_owned(), record(&config, PhaseName::Sketch, 0, 0));
    let other = PhaseRecord::default();
    parts.insert("1".to_owned(), other);
    let left = basis(&config, &inputs, &manifest).phases()[0].text_bytes;
    assert_eq!(left, 3 * (8 << 20));
}

#[test]
fn the_total_holds_what_phases_keep_and_lets_go_what_they_replace() {
    let config = configured("");
    let inputs = plain(1_000_000);
    let manifest = finished(&config, 1_000_000);
    let is_wanted = |phase| matches!(phase, PhaseName::Cluster | PhaseName::Index);
    let phases = basis(&config, &inputs, &manifest).phases();
    let again = CostForecast::of(&phases, is_wanted).unwrap();
    // Each phase keeps 400,000 bytes and replaces as many.
    assert_eq!(again.total.peak_disk_bytes, 1_000_000);
    assert_eq!(again.total.bytes_written, 2_000_000);
    let mut first = phases;
    first.iter_mut().for_each(|phase| phase.replaced_bytes = 0);
    let first = CostForecast::of(&first, is_wanted).unwrap();
    assert_eq!(first.total.peak_disk_bytes, 1_400_000);
    assert!(CostForecast::of(&phases, |_| false).is_none());
}

#[test]
fn only_last_costs_with_the_same_parameters_refuse_half_of_the_forecast() {
    let inputs = plain(1_000_000);
    let config = configured("");
    let disk = |config: &Config, manifest: &Manifest| {
        let forecast = basis(config, &inputs, manifest).phases()[PhaseName::Sketch as usize];
        (forecast.cost.peak_disk_bytes, forecast.certain_disk_bytes)
    };
    let manifest = finished(&config, 1_000_000);
    assert_eq!(disk(&config, &manifest), (1_000_000, 500_000));
    let (rates, certain) = disk(&config, &Manifest::default());
    assert_eq!(certain, rates / 32);
    // The sketches of another method say little about this one.
    let mut coarse = configured("");
    coarse.sketch.sampling = ::model::Sampling::Modulus { modulus: 1000 };
    assert_eq!(disk(&coarse, &manifest), (1_000_000, certain));
}

/// The last of many nights merged the postings of all: a hundred bytes for a byte of news.
#[test]
fn bytes_that_a_night_merged_refuse_no_run() {
    let config = configured("");
    let mut manifest = finished(&config, 1_000_000);
    for record in manifest.phases.values_mut() {
        record.cost.bytes_written = 100_000_000;
    }
    let inputs = plain(50_000_000);
    let forced = ForecastBasis {
        force: true,
        ..basis(&config, &inputs, &manifest)
    };
    for phase in [PhaseName::Sort, PhaseName::Pairs] {
        let forecast = forced.phases()[phase as usize];
        assert_eq!(forecast.source, ForecastSource::LastCosts);
        assert_eq!(forecast.cost.peak_disk_bytes, 5_000_000_000);
        let by_rates = rates::cost(phase, 50_000_000, &config.work);
        let certain = rates::certain_disk_bytes(&by_rates);
        assert_eq!(forecast.certain_disk_bytes, certain, "{phase}");
    }
}

#[test]
fn only_phases_with_other_parameters_or_inputs_are_outdated() {
    let config = configured("");
    let inputs = plain(1_000_000);
    let mut manifest = finished(&config, 1_000_000);
    *manifest.inputs = inputs
        .listing
        .files
        .iter()
        .map(engine::intake::manifest::input_file)
        .collect();
    for phase in PhaseName::ALL {
        let inputs = parameters::inputs_of(phase, &manifest);
        manifest.phases.get_mut(phase.name()).unwrap().inputs = inputs;
    }
    let outdated = |config: &Config, inputs: &Inputs, force| {
        outdated_phases(&ForecastBasis {
            force,
            ..basis(config, inputs, &manifest)
        })
    };
    assert_eq!(outdated(&config, &inputs, false), []);
    assert_eq!(outdated(&config, &inputs, true), PhaseName::ALL);
    assert_eq!(outdated(&config, &plain(1_000_001), false), PhaseName::ALL);
    let stricter = configured("[cluster]\nresemblance = 0.8\n");
    assert_eq!(
        outdated(&stricter, &inputs, false),
        [PhaseName::Settle, PhaseName::Cluster, PhaseName::Index]
    );
}
