//! `pipeline evaluate`.

use std::fs;

use super::configuration::config_or_default;
use crate::args::{ConfigArgs, EvaluateArgs};
use crate::exit::Failure;
use crate::stdout::{Form, Results};

/// Does an experiment, or evaluates the methods on documents; prints the result and writes its
/// files.
pub(super) fn evaluate(
    config: &ConfigArgs,
    args: EvaluateArgs,
    results: &mut Results,
) -> Result<(), Failure> {
    let evaluation = match args.preset {
        Some(_) if config.config.is_some() || !config.set.is_empty() => {
            let message = "--config and --set have no meaning for `pipeline evaluate --preset`, \
                           which reads no configuration";
            return Err(Failure::Usage(message.to_owned()));
        }
        Some(preset) => preset.evaluate()?,
        None => evaluate::evaluate_documents(args.inputs, &config_or_default(config)?)?,
    };
    if let Some(directory) = &args.output {
        fs::create_dir_all(directory).map_err(Failure::file("create directory", directory))?;
        for (name, content) in evaluation.files() {
            let path = directory.join(name);
            fs::write(&path, content).map_err(Failure::file("write", &path))?;
        }
    }
    results.print(&evaluation, Form::of(args.json))?;
    match args.check && !evaluation.is_met() {
        true => Err(Failure::Reported(1)),
        false => Ok(()),
    }
}
