//! `pipeline compare`, `explain`, `tune`, `tokens`, `shingles`, `inspect`.

use std::ffi::{OsStr, OsString};
use std::io::{IsTerminal, stdout};

use pipeline::{
    CompareOptions, CompareRequest, ExplainRequest, ExplainView, PassageColumns, Style, TreeForm,
    TuneOptions,
};

use super::call::Call;
use crate::args::{CompareArgs, ExplainArgs, InspectArgs, ShinglesArgs, TokensArgs, TuneArgs};
use crate::exit::Failure;

/// The width where the terminal does not say.
const WIDTH_DEFAULT: usize = 80;

/// Prints how two documents resemble and contain each other.
pub(super) fn compare(call: &mut Call<'_>, args: CompareArgs) -> Result<(), Failure> {
    let names = [&args.a, &args.b].into_iter().chain(&args.with);
    let names: Vec<&OsStr> = names.map(OsString::as_os_str).collect();
    let request = CompareRequest {
        basis: call.basis(&names)?,
        a: args.a,
        b: args.b,
    };
    let options = CompareOptions {
        joined: args.with,
        samples: args.sample,
    };
    call.print(&pipeline::compare(&request, &options)?, args.json)
}

/// Prints why two documents are together, or what holds a cluster together.
pub(super) fn explain(call: &mut Call<'_>, args: ExplainArgs) -> Result<(), Failure> {
    if args.a == "cluster" {
        let explained = pipeline::explain_cluster(&call.load()?, None, &args.b, args.limit)?;
        return call.print(&explained, args.json);
    }
    let request = ExplainRequest {
        pair: CompareRequest {
            basis: call.basis(&[&args.a, &args.b])?,
            a: args.a,
            b: args.b,
        },
        limit: args.limit,
        view: match args.shared {
            true => ExplainView::Shared,
            false => ExplainView::Differences,
        },
    };
    let explanation = pipeline::explain(&request)?;
    if args.json || !stdout().is_terminal() {
        return call.print(&explanation, args.json);
    }
    let width =
        terminal_size::terminal_size().map_or(WIDTH_DEFAULT, |(width, _)| usize::from(width.0));
    let no_colour = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    let plain = no_colour || std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    let style = if plain { Style::Plain } else { Style::Coloured };
    let text = pipeline::render(&explanation, PassageColumns::Two { width }, style);
    call.results.text(text.trim_end())
}

/// Prints what other thresholds would do.
pub(super) fn tune(call: &mut Call<'_>, args: TuneArgs) -> Result<(), Failure> {
    let (config, reporter) = (call.load()?, call.reporter());
    if args.tree {
        let form = match (args.newick, args.json) {
            (true, _) => TreeForm::Newick,
            (false, true) => TreeForm::JsonLines,
            (false, false) => TreeForm::Text,
        };
        return Ok(pipeline::tree(&config, form, call.results, &reporter)?);
    }
    let options = TuneOptions {
        sample: args.sample,
        at: args.at,
        judged: args.judged,
    };
    call.print(&pipeline::tune(&config, &options, &reporter)?, args.json)
}

/// Prints the canonical tokens of each document of a file on a line.
pub(super) fn tokens(call: &mut Call<'_>, args: &TokensArgs) -> Result<(), Failure> {
    let (config, file) = (call.load_or_default()?, args.file.as_os_str());
    pipeline::tokens(&config, file, args.frame, args.json, call.results).map_err(Failure::Engine)
}

/// Prints the shingles of each document of a file.
pub(super) fn shingles(call: &mut Call<'_>, args: &ShinglesArgs) -> Result<(), Failure> {
    let (config, file) = (call.load_or_default()?, args.file.as_os_str());
    pipeline::shingles(&config, file, args.json, call.results).map_err(Failure::Engine)
}

/// Prints header, trailer and first records of a work file.
pub(super) fn inspect(call: &mut Call<'_>, args: &InspectArgs) -> Result<(), Failure> {
    call.print(&pipeline::inspect(&args.file)?, args.json)
}
