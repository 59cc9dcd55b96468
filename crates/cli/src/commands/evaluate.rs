//! `pipeline evaluate`.

use std::fs;
use std::io;
use std::path::Path;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::Duration;

use ::evaluate::EvaluatedDocuments;

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
    remove_directories_on_signals()?;
    let evaluation = match args.preset {
        Some(_) if config.config.is_some() || !config.set.is_empty() => {
            let message = "--config and --set have no meaning for `pipeline evaluate --preset`, \
                           which reads no configuration";
            return Err(Failure::Usage(message.to_owned()));
        }
        Some(preset) => preset.evaluate()?,
        None => {
            let documents = EvaluatedDocuments {
                paths: args.inputs,
                base: Path::new("."),
                one_in: args.sample,
            };
            evaluate::evaluate_documents(documents, &config_or_default(config)?)?
        }
    };
    if let Some(directory) = &args.output {
        fs::create_dir_all(directory).map_err(Failure::file("create directory", directory))?;
        let files = evaluation.files();
        let files =
            files.map_err(|error| Failure::file("write", directory)(io::Error::other(error)))?;
        for (name, content) in files {
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

/// A signal ends the experiment at once, and leaves no temporary directory.
fn remove_directories_on_signals() -> Result<(), Failure> {
    let stop = pipeline::answer_signals()?;
    thread::spawn(move || {
        while !stop.load(Ordering::Relaxed) {
            thread::sleep(Duration::from_millis(20));
        }
        ::evaluate::remove_directories();
        let signal = pipeline::received_signal();
        let failure = Failure::from(pipeline::Error::Stopped { signal });
        failure.report();
        std::process::exit(failure.code().into());
    });
    Ok(())
}
