//! The benches as one program: generated input in the shape of the 1996 collection, and the
//! measurements of the other programs. The scripts in `scripts/` build and start it.

mod accuracy;
mod agreement;
mod all_pairs;
mod altavista;
mod answers;
mod child;
mod corpus;
mod exact;
mod files;
mod hostile;
mod instructions;
mod kernels;
mod peers;
mod plot;
mod published;
mod real_pages;
mod report;
mod rerun;
mod stages;

use anyhow::Result;
use clap::Parser;
use std::process::ExitCode;

/// Measures the program `pipeline`, which must be built into the same directory.
#[derive(Parser)]
enum Command {
    /// Estimates, links and clusters beside exact sets: scripts/bench-accuracy.
    Accuracy(accuracy::Options),
    /// Published tables beside an exact comparison of all pairs: scripts/bench-answers.
    Answers(answers::Options),
    /// Kernels and stages in one table: scripts/bench.
    Stages(stages::Stages),
    /// The run of 1996 again: scripts/bench-altavista.
    Altavista(rerun::Command),
    /// Writes a load of scripts/bench-hostile.
    Load(hostile::Options),
    /// Counts instructions under valgrind: scripts/instructions.
    Instructions(instructions::Options),
    /// Words and scores for scripts/bench-peers.
    #[command(subcommand)]
    Peers(peers::Command),
}

fn main() -> Result<ExitCode> {
    let passed = match Command::parse() {
        Command::Accuracy(options) => accuracy::run(&options),
        Command::Answers(options) => answers::run(&options),
        Command::Stages(stages) => stages::run(stages).map(|()| true),
        Command::Altavista(command) => rerun::altavista(command).map(|()| true),
        Command::Load(options) => hostile::write(&options).map(|()| true),
        Command::Instructions(options) => instructions::run(&options),
        Command::Peers(command) => peers::run(&command).map(|()| true),
    }?;
    Ok(match passed {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    })
}
