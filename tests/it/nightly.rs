//! Nights in operation: the systemd units, and a restored backup.

use crate::harness::{Place, is_installed, repository};
use std::fs;
use std::path::PathBuf;
use std::process::Command;

/// Where systemd is installed, it is asked. It wants the program where the unit says, so a copy of
/// the unit names this one.
#[test]
fn systemd_accepts_the_units() {
    if !is_installed("systemd-analyze") {
        return;
    }
    let place = Place::new();
    let mut units: Vec<PathBuf> = Vec::new();
    for name in ["pipeline.service", "pipeline.timer"] {
        let text = fs::read_to_string(repository().join("docs/systemd").join(name)).expect(name);
        assert!(
            name.ends_with("timer") || text.contains("ExecStart=/usr/local/bin/pipeline run "),
            "{text}"
        );
        place.write(
            name,
            text.replace("/usr/local/bin/pipeline", env!("CARGO_BIN_EXE_pipeline")),
        );
        units.push(place.path(name));
    }
    let checked = Command::new("systemd-analyze")
        .args(["verify", "--man=no"])
        .args(&units)
        .output()
        .expect("runs");
    let said = String::from_utf8_lossy(&checked.stderr).into_owned();
    let ours: Vec<&str> = said
        .lines()
        .filter(|line| line.contains("pipeline."))
        .collect();
    assert!(checked.status.success() && ours.is_empty(), "{said}");
}

#[test]
fn the_unit_leaves_room_above_the_budget_and_time_to_stop() {
    let unit =
        fs::read_to_string(repository().join("docs/systemd/pipeline.service")).expect("the unit");
    // `memory` of pipeline.toml is 1 GiB, and a run may take 64 MiB more.
    for line in [
        "MemoryMax=1536M",
        "TimeoutStopSec=90",
        "KillSignal=SIGTERM",
        "SuccessExitStatus=75",
    ] {
        assert!(unit.lines().any(|found| found == line), "{line}");
    }
    let toml = fs::read_to_string(repository().join("pipeline.toml")).expect("pipeline.toml");
    assert!(toml.contains("memory = \"1GiB\""));
}

/// What the page says of backups: a copy by `cp -a`, with the work directory or without it.
#[test]
fn a_backup_is_restored() {
    let place = Place::with_corpus(98, 60);
    place.run();
    let published = place.published();
    for (without, says) in [("", "nothing new"), ("work", "done: sketch")] {
        let restored = Place::new();
        let copied = Command::new("cp")
            .args(["-a", "."])
            .arg(restored.path(""))
            .current_dir(place.path(""))
            .status();
        assert!(copied.expect("cp").success());
        if !without.is_empty() {
            fs::remove_dir_all(restored.path(without)).expect("removed");
        }
        restored.pipeline(&["query", "doc", "3"]).exits(0);
        restored.run().says(says);
        assert!(
            published == restored.published(),
            "other bytes without {without:?}"
        );
        restored.pipeline(&["verify"]).exits(0);
    }
}
