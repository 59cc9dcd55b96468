//! The benches as one program: generated input in the shape of the 1996 collection, and the
//! measurements of the other programs. `scripts/lab` builds and starts it.

mod altavista;
mod answers;
mod child;
mod costs;
mod files;
mod hostile;
mod instructions;
mod kernels;
mod peers;
mod real_pages;
mod report;

use anyhow::Result;
use clap::Parser;
use std::process::ExitCode;

/// Measures the program `pipeline`, which must be built into the same directory.
#[derive(Parser)]
enum Command {
    /// Published tables beside an exact comparison of all pairs.
    Answers(answers::Options),
    /// Kernels and stages in one table.
    Stages(costs::stages::Stages),
    /// The run of 1996 again.
    Altavista(costs::rerun::Command),
    /// Writes a load of scripts/bench-hostile.
    Load(hostile::Options),
    /// Counts instructions under valgrind: scripts/instructions.
    Instructions(instructions::Options),
    /// Words and scores for scripts/bench-peers.
    #[command(subcommand)]
    Peers(peers::Command),
}

/// Reads the command line of the program `lab` and does what it says.
///
/// # Errors
/// When a corpus or a file cannot be read or written, or a program to measure fails.
pub fn run() -> Result<ExitCode> {
    let passed = match Command::parse() {
        Command::Answers(options) => answers::run(&options),
        Command::Stages(stages) => costs::stages::run(stages).map(|()| true),
        Command::Altavista(command) => costs::rerun::altavista(command).map(|()| true),
        Command::Load(options) => hostile::write(&options).map(|()| true),
        Command::Instructions(options) => instructions::run(&options),
        Command::Peers(command) => peers::run(&command).map(|()| true),
    }?;
    Ok(match passed {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    })
}
