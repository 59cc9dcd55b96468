//! `pipeline man`, `pipeline completions`.

use std::fs;
use std::io::Write;
use std::path::Path;

use clap::CommandFactory;
use serde_json::json;

use super::call::Call;
use crate::args::{Cli, CompletionsArgs, ManArgs};
use crate::exit::Failure;

/// Prints the completion script of a shell.
pub(super) fn completions(call: &mut Call<'_>, args: &CompletionsArgs) -> Result<(), Failure> {
    // the generator panics on a writer that fails, so it gets one that cannot
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "pipeline", &mut script);
    if args.json {
        let script = String::from_utf8_lossy(&script);
        let shell = args.shell.to_string();
        return call
            .results
            .json(&json!({ "shell": shell, "script": script }));
    }
    call.results.write_all(&script).map_err(Failure::Stdout)
}

/// Prints the manual page of the program, or writes those of all verbs into a directory.
pub(super) fn man(call: &mut Call<'_>, args: &ManArgs) -> Result<(), Failure> {
    let results = &mut *call.results;
    let Some(dir) = &args.dir else {
        let page = page(Cli::command());
        return match args.json {
            true => results.json(&json!({ "page": String::from_utf8_lossy(&page) })),
            false => results.write_all(&page).map_err(Failure::Stdout),
        };
    };
    let files = write_all(dir)?;
    match args.json {
        true => results.json(&json!({ "files": files })),
        false => Ok(()),
    }
}

/// The manual page of a command; a built one knows the names of the verbs before it.
fn page(command: clap::Command) -> Vec<u8> {
    let mut page = Vec::new();
    // a Vec takes everything
    let _ = clap_mangen::Man::new(command).render(&mut page);
    page
}

/// Returns the names of the files.
fn write_all(dir: &Path) -> Result<Vec<String>, Failure> {
    fs::create_dir_all(dir).map_err(Failure::file("create directory", dir))?;
    let mut program = Cli::command().disable_help_subcommand(true);
    program.build();
    let mut names = Vec::new();
    for command in program.get_subcommands().chain([&program]) {
        let name = clap_mangen::Man::new(command.clone()).get_filename();
        let path = dir.join(&name);
        fs::write(&path, page(command.clone())).map_err(Failure::file("write", &path))?;
        names.push(name);
    }
    Ok(names)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_verb_has_a_page() {
        let dir = tempfile::tempdir().expect("a directory");
        write_all(&dir.path().join("man1")).expect("written");
        let names: Vec<_> = Cli::command()
            .get_subcommands()
            .map(|verb| format!("pipeline-{}.1", verb.get_name()))
            .collect();
        assert_eq!(names.len(), if cfg!(feature = "web") { 23 } else { 21 });
        for name in names.iter().map(String::as_str).chain(["pipeline.1"]) {
            let text = fs::read_to_string(dir.path().join("man1").join(name)).expect("a page");
            assert!(
                text.contains("EXTRA") && text.contains("Examples"),
                "{name}"
            );
        }
    }
}
