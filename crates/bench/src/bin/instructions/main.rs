//! Counts instructions, so that noise cannot hide that something became slower: `instructions
//! [--record] [NAME…]`.
//!
//! *Input.* The pages of `data-samples`, and numbers made from a fixed seed. *Output.* A table of
//! every kernel and of one small whole run, on every form of the hot loops that this processor has,
//! beside the counts recorded in `crates/bench/instructions.toml`; exit code 1 if one is more than
//! 5 % over its record, and which. `--record` writes the counts instead. *Algorithm.* Each kernel
//! runs once under valgrind's callgrind, which counts only inside the function
//! [`kernels::measured`]; so neither start nor preparation count. *Limits.* Where valgrind is
//! missing, or a form was never recorded, it says so and passes. Counts say nothing about caches
//! and waiting: that is what `scripts/bench` is for.
//!
//! This is a driver of its own and not one of the crates for it, because those keep the counts to
//! compare with in the target directory and need a runner installed in the same version; here they
//! are a reviewed file.

mod driver;
mod kernels;
mod record;

use anyhow::{Result, bail};
use std::process::ExitCode;

fn main() -> Result<ExitCode> {
    let (mut record, mut names) = (driver::Mode::Check, Vec::new());
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--record" => record = driver::Mode::Record,
            "--kernel" => {
                return kernels::run(&arguments.next().unwrap_or_default())
                    .map(|()| ExitCode::SUCCESS);
            }
            option if option.starts_with('-') => bail!("failed to understand {option}"),
            _ => names.push(argument),
        }
    }
    driver::run(record, &names)
}
