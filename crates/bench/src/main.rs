//! The benches as one program. The scripts in `scripts/` build and start it; see there.

use anyhow::Result;
use bench::{hostile, instructions, peers, rerun, stages};
use clap::Parser;
use std::process::ExitCode;

/// Measures the program `pipeline`, which must be built into the same directory.
#[derive(Parser)]
enum Command {
    /// Kernels and stages in one table: scripts/bench.
    Stages(stages::Stages),
    /// The run of 1996 again: scripts/bench-altavista.
    Altavista(rerun::Command),
    /// Hostile loads at the smallest budget: scripts/bench-hostile.
    Hostile(hostile::Options),
    /// Counts instructions under valgrind: scripts/instructions.
    Instructions(instructions::Options),
    /// Words and scores for scripts/bench-peers.
    #[command(subcommand)]
    Peers(peers::Command),
}

fn main() -> Result<ExitCode> {
    let passed = match Command::parse() {
        Command::Stages(stages) => stages::run(stages).map(|()| true),
        Command::Altavista(command) => rerun::altavista(command).map(|()| true),
        Command::Hostile(options) => hostile::run(&options),
        Command::Instructions(options) => instructions::run(&options),
        Command::Peers(command) => peers::run(&command).map(|()| true),
    }?;
    Ok(match passed {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    })
}
