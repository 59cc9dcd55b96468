//! `pipeline explain`.

use std::io::IsTerminal;

use pipeline::{Columns, CompareRequest, ExplainRequest, ExplainView, Style};

use super::configuration::{config_for, load};
use crate::args::{ConfigArgs, ExplainArgs};
use crate::exit::Failure;
use crate::stdout::{Form, Results};

/// The width where the terminal does not say.
const WIDTH_DEFAULT: usize = 80;

/// Prints why two documents are together, or what holds a cluster together.
pub(super) fn explain(
    config: &ConfigArgs,
    args: ExplainArgs,
    results: &mut Results,
) -> Result<(), Failure> {
    let form = Form::of(args.json);
    if args.a == "cluster" {
        let config = load(config)?;
        return results.print(
            &pipeline::explain_cluster(&config, None, &args.b, args.limit)?,
            form,
        );
    }
    let [config, parameters] = config_for(config, &[&args.a, &args.b])?;
    let request = ExplainRequest {
        pair: CompareRequest {
            config,
            parameters,
            a: args.a,
            b: args.b,
            index: None,
        },
        limit: args.limit,
        view: match args.shared {
            true => ExplainView::Shared,
            false => ExplainView::Differences,
        },
    };
    let explanation = pipeline::explain(&request)?;
    if form == Form::Json || !std::io::stdout().is_terminal() {
        return results.print(&explanation, form);
    }
    let width =
        terminal_size::terminal_size().map_or(WIDTH_DEFAULT, |(width, _)| usize::from(width.0));
    let no_colour = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    let plain = no_colour || std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    let style = if plain { Style::Plain } else { Style::Coloured };
    results.text(pipeline::render(&explanation, Columns::Two { width }, style).trim_end())
}
