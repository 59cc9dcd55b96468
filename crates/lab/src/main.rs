//! The program `lab`: generated input in the shape of the 1996 collection, and the measurements of
//! the other programs.

fn main() -> anyhow::Result<std::process::ExitCode> {
    lab::run()
}
