//! `pipeline evaluate`.

use std::fs;
use std::io;
use std::path::Path;

use lab::{EvaluatedDocuments, Evaluation};

use super::call::Call;
use super::whole_file::{WholeFile, end_at_signals};
use crate::args::EvaluateArgs;
use crate::exit::Failure;

/// Does an experiment, or evaluates the methods on documents; prints the result and writes its
/// files.
pub(super) fn evaluate(call: &mut Call<'_>, args: EvaluateArgs) -> Result<(), Failure> {
    end_at_signals(lab::remove_directories)?;
    let evaluation = match args.preset {
        Some(_) if call.config.config.is_some() || !call.config.set.is_empty() => {
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
            let config = call.load_or_default()?;
            lab::evaluate_documents(documents, &config, &call.reporter())?
        }
    };
    if let Some(directory) = &args.output {
        write_files(&evaluation, directory)?;
    }
    call.print(&evaluation, args.json)?;
    match args.check && !evaluation.is_met() {
        true => Err(Failure::Reported(1)),
        false => Ok(()),
    }
}

/// All files, or none of them.
fn write_files(evaluation: &Evaluation, directory: &Path) -> Result<(), Failure> {
    fs::create_dir_all(directory).map_err(Failure::file("create directory", directory))?;
    let files = evaluation.files();
    let files =
        files.map_err(|error| Failure::file("write", directory)(io::Error::other(error)))?;
    let mut written = Vec::new();
    for (name, content) in files {
        let whole = WholeFile::create(&directory.join(name))?;
        whole.write(&content)?;
        written.push(whole);
    }
    written.into_iter().try_for_each(WholeFile::finish)
}
