//! What a run will cost: forecast before it, and held against what it cost.

use crate::harness::{Place, repository};
use serde_json::Value;

const FIGURES: [&str; 5] = [
    "wall_s",
    "cpu_s",
    "peak_memory_bytes",
    "bytes_written",
    "peak_disk_bytes",
];

/// The forecast of the next run.
fn forecast(place: &Place) -> Value {
    place.pipeline(&["run", "--dry-run", "--json"]).json()["forecast"].clone()
}

/// The phases of a forecast.
fn phases(forecast: &Value) -> Vec<&str> {
    let phases = forecast["phases"].as_array().expect("phases").iter();
    phases
        .map(|phase| phase["phase"].as_str().expect("a name"))
        .collect()
}

/// Where the figures of all phases come from.
fn comes_from(forecast: &Value, source: &str) -> bool {
    let mut phases = forecast["phases"].as_array().expect("phases").iter();
    phases.all(|phase| phase["source"] == source)
}

/// Runs; gives the totals of `run.json`.
fn totals(place: &Place) -> Value {
    place.run();
    let text = std::fs::read_to_string(place.path("out/run.json")).expect("run.json");
    let run: Value = serde_json::from_str(&text).expect("JSON");
    run["totals"].clone()
}

/// Bytes of memory that two runs of the same small input differ by: the allocator and other
/// threads.
const MEMORY_NOISE_BYTES: f64 = (8 << 20) as f64;

/// Holds a figure of a forecast against what it became: at most so many times more or less, and for
/// memory what no forecast can know besides.
fn is_near(forecast: &Value, totals: &Value, figure: &str, factor: f64) {
    let expected = forecast["total"][figure].as_f64().expect("a number");
    let actual = totals[figure].as_f64().expect("a number");
    let noise = if figure == "peak_memory_bytes" {
        MEMORY_NOISE_BYTES
    } else {
        0.0
    };
    assert!(
        expected <= actual * factor + noise && actual <= expected * factor + noise,
        "{figure}: {expected} forecast, {actual} came; {forecast}"
    );
}

#[test]
fn a_dry_run_says_what_every_phase_will_cost() {
    let place = Place::new();
    let samples = repository().join("data-samples");
    place.config(&[&format!(
        "input.paths = [\"{}/web/*.warc.gz\"]",
        samples.display()
    )]);
    let plan = place.pipeline(&["run", "--dry-run"]);
    plan.exits(0);
    let text = plan.stdout();
    for line in [
        "Forecast         Time         CPU       Memory      Written         Disk",
        "all",
        "from rates of a recorded machine: rough until a run is done here",
    ] {
        assert!(text.contains(line), "{line:?} is missing in\n{text}");
    }
    let forecast = forecast(&place);
    assert_eq!(
        phases(&forecast),
        [
            "sketch", "distinct", "sort", "pairs", "settle", "cluster", "index"
        ]
    );
    assert!(comes_from(&forecast, "rates"), "{forecast}");
    for figure in FIGURES {
        for cost in [&forecast["phases"][0], &forecast["total"]] {
            let is_positive = cost[figure].as_f64().is_some_and(|n| n > 0.0);
            assert!(is_positive, "{figure} in {forecast}");
        }
    }
    let status = place.pipeline(&["status", "--json"]).json();
    assert_eq!(status["forecast"], forecast);
    assert!(!place.path("work").exists(), "a look changes nothing");
    place.run();
    assert!(
        place.pipeline(&["status", "--json"]).json()["forecast"].is_null(),
        "nothing has to run"
    );
}

#[test]
fn another_threshold_costs_only_what_runs_again() {
    let place = Place::with_corpus(91, 200);
    place.run();
    place.config(&["cluster.resemblance = 0.8"]);
    let cheap = forecast(&place);
    assert_eq!(phases(&cheap), ["settle", "cluster", "index"]);
    assert!(comes_from(&cheap, "last_costs"), "{cheap}");
    let text = place.pipeline(&["status"]).stdout();
    let says = "from the costs of the last run, scaled by bytes of input\n";
    assert!(text.contains(says), "{text}");
    let forced = place
        .pipeline(&["run", "--dry-run", "--force", "--only", "sort", "--json"])
        .json();
    assert_eq!(phases(&forced["forecast"]), ["sort"]);
}

#[test]
fn a_first_run_costs_what_rates_say_within_a_wide_margin() {
    let place = Place::with_corpus(92, 2500);
    let rough = forecast(&place);
    assert!(comes_from(&rough, "rates"), "{rough}");
    let totals = totals(&place);
    is_near(&rough, &totals, "bytes_written", 2.0);
    is_near(&rough, &totals, "peak_disk_bytes", 2.0);
    is_near(&rough, &totals, "peak_memory_bytes", 2.0);
}

#[test]
fn a_run_of_another_size_costs_what_the_last_one_says() {
    let place = Place::with_corpus(93, 2500);
    place.run();
    for pages in [6000, 3500] {
        place.corpus(93, pages);
        let forecast = forecast(&place);
        assert_eq!(phases(&forecast).len(), 7);
        assert!(comes_from(&forecast, "last_costs"), "{forecast}");
        let totals = totals(&place);
        is_near(&forecast, &totals, "bytes_written", 1.3);
        is_near(&forecast, &totals, "peak_memory_bytes", 1.3);
        is_near(&forecast, &totals, "cpu_s", 2.0);
    }
}

#[test]
fn a_new_snapshot_costs_what_the_last_new_one_says() {
    let place = Place::new();
    place.write(
        "pipeline.toml",
        "version = 1\n[snapshots]\npath = \"crawls/{name}/\"\nready = \"_SUCCESS\"\n\
         [sketch]\nseed = \"tests\"\n\
         [work]\nmemory = \"64MiB\"\n",
    );
    let night = |name: &str, seed, pages| {
        place.corpus(seed, pages);
        std::fs::create_dir_all(place.path("crawls")).expect("a directory");
        let to = place.path(&format!("crawls/{name}"));
        std::fs::rename(place.path("crawl"), to).expect("moved");
        place.write(&format!("crawls/{name}/_SUCCESS"), "");
    };
    for (name, seed, pages) in [("1", 1, 2000), ("2", 2, 300)] {
        night(name, seed, pages);
        place.run();
    }
    night("3", 3, 600);
    let forecast = forecast(&place);
    assert!(comes_from(&forecast, "last_costs"), "{forecast}");
    place.run();
    let text = std::fs::read_to_string(place.path("out/run.json")).expect("run.json");
    let run: Value = serde_json::from_str(&text).expect("JSON");
    for phase in [0, 2] {
        let written = |phases: &Value| phases[phase]["bytes_written"].as_f64().expect("bytes");
        let (expected, actual) = (written(&forecast["phases"]), written(&run["phases"]));
        let ratio = expected / actual;
        assert!(
            (0.77..1.3).contains(&ratio),
            "phase {phase}: {expected} forecast, {actual} came"
        );
    }
}

#[test]
fn a_run_tells_its_forecast_in_a_line_and_publishes_none_of_it() {
    let place = Place::with_corpus(94, 50);
    let ran = place.run();
    let told = ran.stderr().matches("forecast: ").count();
    assert_eq!(told, 1, "{}", ran.stderr());
    let again = place.run();
    assert!(!again.stderr().contains("forecast"), "{}", again.stderr());
    for name in ["run.json", "report.json"] {
        let text = std::fs::read_to_string(place.path("out").join(name)).expect(name);
        for word in ["expected", "estimate", "forecast"] {
            assert!(!text.contains(word), "{word} in {name}: {text}");
            assert!(!ran.stdout().contains(word), "{}", ran.stdout());
        }
    }
}

#[test]
fn a_disk_too_small_for_the_sketches_is_refused_before_anything_is_read() {
    let place = Place::with_corpus(94, 2500);
    place.config(&["work.disk = \"64KiB\""]);
    let ran = place.pipeline(&["run"]);
    ran.exits(4);
    assert!(
        !place.path("work/sketch").exists(),
        "the phase began: {}",
        ran.stderr()
    );
}

#[test]
fn half_of_what_the_last_run_wrote_is_too_little_disk() {
    let place = Place::with_corpus(95, 1000);
    place.run();
    let kept = |name: &str| -> u64 {
        let files = std::fs::read_dir(place.path(name)).expect("a directory");
        files
            .map(|file| file.expect("an entry").metadata().expect("metadata").len())
            .sum()
    };
    let sketches = kept("work/sketch");
    place.corpus(96, 1000);
    let used = ["sketch", "distinct", "sort", "pairs", "cluster"];
    let used: u64 = used
        .iter()
        .map(|phase| kept(&format!("work/{phase}")))
        .sum();
    place.config(&[&format!("work.disk = \"{}B\"", used + sketches / 3)]);
    let ran = place.pipeline(&["run"]);
    ran.exits(4);
    // The phase did not begin: what it made is still there.
    let status = place.pipeline(&["status"]).stdout();
    assert!(status.contains("part-0.jsonl changed"), "{status}");
}
