//! The page *Every night* of the guide, and the files it shows.

use crate::harness::{Place, Ran, repository};
use std::fs;
use std::path::PathBuf;
use std::process::Command;

/// Files that the guide shows whole.
const SHOWN: [&str; 4] = [
    "docs/systemd/pipeline.service",
    "docs/systemd/pipeline.timer",
    "docs/prometheus/pipeline.rules.yml",
    "docs/logrotate/pipeline",
];

fn page() -> String {
    let guide = fs::read_to_string(repository().join("docs/GUIDE.md")).expect("the guide");
    let page = guide
        .split("\n## ")
        .find(|page| page.starts_with("Every night"))
        .expect("the page");
    page.to_owned()
}

#[test]
fn the_guide_shows_the_files_as_they_are() {
    let page = page();
    for name in SHOWN {
        let text = fs::read_to_string(repository().join(name)).expect(name);
        let indented: Vec<String> = text
            .lines()
            .map(|line| {
                if line.is_empty() {
                    String::new()
                } else {
                    format!("    {line}")
                }
            })
            .collect();
        assert!(
            page.contains(&indented.join("\n")),
            "the guide shows {name} otherwise"
        );
        assert!(
            page.contains(&format!("`{name}`")),
            "the guide does not name {name}"
        );
    }
}

/// Where systemd is installed, it is asked. It wants the program where the unit says, so a copy of
/// the unit names this one.
#[test]
fn systemd_accepts_the_units() {
    if Command::new("systemd-analyze")
        .arg("--version")
        .output()
        .is_err()
    {
        eprintln!("systemd-analyze is not installed");
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

/// The blocks of the page, each a command and what it prints; `…` stands for whatever differs.
#[test]
fn the_transcript_is_what_happens() {
    let page = page();
    let place = Place::with_corpus(97, 3000);
    let mut blocks = 0;
    let mut lines = page.lines().peekable();
    while let Some(line) = lines.next() {
        let Some(command) = line.strip_prefix("    $ ") else {
            continue;
        };
        let mut shown = Vec::new();
        while let Some(line) =
            lines.next_if(|line| !line.starts_with("    $ ") && line.starts_with("    "))
        {
            shown.push(&line[4..]);
        }
        let mut shell = Command::new("bash");
        let program = PathBuf::from(env!("CARGO_BIN_EXE_pipeline"));
        let path = format!(
            "{}:{}",
            program.parent().expect("a directory").display(),
            std::env::var("PATH").expect("a path")
        );
        shell
            .args(["-c", &format!("{{ {command}\n}} 2>&1")])
            .current_dir(place.path(""))
            .env("PATH", path);
        let ran = Ran(shell.output().expect("bash"));
        let printed = ran.stdout();
        let printed: Vec<&str> = printed.lines().collect();
        assert_eq!(printed.len(), shown.len(), "{command}: {printed:?}");
        for (shown, printed) in shown.iter().zip(&printed) {
            assert!(
                matches(shown, printed),
                "{command}: {printed:?} is not {shown:?}"
            );
        }
        blocks += 1;
    }
    assert!(blocks >= 5, "{blocks} commands");
}

/// Whether a line is one with `…` for anything.
fn matches(shown: &str, printed: &str) -> bool {
    let mut parts = shown.split('…');
    let Some(mut rest) = parts.next().and_then(|first| printed.strip_prefix(first)) else {
        return false;
    };
    let mut open = false;
    for part in parts {
        open = part.is_empty();
        let Some(at) = rest.find(part) else {
            return false;
        };
        rest = &rest[at + part.len()..];
    }
    rest.is_empty() || open
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
