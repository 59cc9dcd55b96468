//! Inputs named on the command line: `pipeline run INPUT…` writes the configuration of the run
//! itself, and `pipeline init INPUT…` writes one for the user.

use std::ffi::OsString;
use std::fs;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use pipeline::config::{
    Config, DEFAULT_TOML, InputFrom, Problem, default_toml, load_with, parse, parse_with,
    read_text, with_text, with_texts,
};
use pipeline::{InputSummary, OnInput};

use super::call::{Call, Loudness};
use super::configuration::nearest;
use super::named_inputs::{LIST_NAME, NamedInputs, absolute, shown};
use crate::args::{CONFIG_NAME, RunArgs, WORK_DEFAULT};
use crate::exit::Failure;
use crate::messages;

/// Where a run without a configuration publishes its results.
const OUTPUT_DEFAULT: &str = "out";

/// The seed in a configuration is a secret, so only the owner may read the file.
pub(super) const MODE: u32 = 0o600;

/// The configuration of `pipeline run INPUT…`, and how it is written.
pub(super) struct Configured {
    /// Where it lies once it is written.
    pub(super) path: PathBuf,
    pub(super) config: Config,
    /// Writes it.
    pub(super) write: OnInput,
}

/// The places that the command line names.
#[derive(Default)]
pub(super) struct NamedPlaces {
    /// Where to work.
    pub(super) work: Option<PathBuf>,
    /// Where to publish; `None`: where a configuration that is there publishes.
    pub(super) output: Option<PathBuf>,
}

impl NamedPlaces {
    /// Those of `pipeline run`.
    pub(super) fn of_run(args: &RunArgs) -> NamedPlaces {
        let output = args.output.clone();
        NamedPlaces {
            work: args.work.clone(),
            output: output.or_else(|| Some(OUTPUT_DEFAULT.into())),
        }
    }
}

/// The configuration of `pipeline dedup INPUT…`, which is written only if there is none.
pub(super) fn beside(call: &Call<'_>, inputs: &[OsString]) -> Result<Configured, Failure> {
    let mut own = configured(call, inputs, NamedPlaces::default())?;
    if own.path.exists() {
        own.write = OnInput::default();
    }
    Ok(own)
}

/// Makes the configuration of `pipeline run INPUT…`, for its work directory, or changes the one
/// that is there: its input and output are what the command line says, and everything else stays.
/// Writes nothing.
pub(super) fn configured(
    call: &Call<'_>,
    inputs: &[OsString],
    places: NamedPlaces,
) -> Result<Configured, Failure> {
    let loudness = call.loudness;
    if let Some(config) = &call.config.config {
        let config = config.display();
        return Err(Failure::Usage(format!(
            "{config} names the input; leave out INPUT, or leave out --config"
        )));
    }
    let dir = places.work.unwrap_or_else(|| WORK_DEFAULT.into());
    let path = dir.join(CONFIG_NAME);
    let output = places.output.as_deref().map(absolute).transpose()?;
    check_place(&dir, &path, output.as_deref(), loudness)?;
    let found = path.symlink_metadata();
    let is_new = found.is_err_and(|error| error.kind() == io::ErrorKind::NotFound);
    let text = if is_new {
        new_text()?
    } else {
        read_text(&path)?
    };
    let inputs = NamedInputs::of(inputs, &dir)?;
    let output = match output {
        None if is_new => Some(absolute(Path::new(OUTPUT_DEFAULT))?),
        output => output,
    };
    let output = output.as_deref().map(shown).transpose()?;
    let edit = |paths: &[String]| {
        let edited = with_texts(&text, "input.paths", paths)
            .and_then(|text| match &output {
                Some(output) => with_text(&text, "work.output", output),
                None => Some(text),
            })
            .and_then(|text| match is_new {
                true => with_text(&text, "work.dir", "work"),
                false => Some(text),
            });
        edited.ok_or_else(|| {
            let path = path.display();
            Failure::Usage(format!(
                "{path} has no paths in [input] or no output in [work]; run it with --config {path}"
            ))
        })
    };
    let config = parse_with(&edit(&inputs.readable)?, &path, &call.config.set)
        .map_err(|errors| errors.map(|problem| placed(problem, is_new)))?;
    let edited = edit(&inputs.paths)?;
    let edited = (edited != text || is_new).then_some(edited);
    let (list, written) = (inputs.list, path.clone());
    let write = move || {
        if let Some(list) = &list {
            replace(&written.with_file_name(LIST_NAME), list)?;
        }
        if let Some(edited) = &edited {
            replace(&written, edited.as_bytes())?;
        }
        if is_new && loudness != Loudness::Quiet {
            let path = written.display();
            messages::say(&format!("wrote {path}, the configuration of this run"));
        }
        Ok(())
    };
    Ok(Configured {
        path,
        config,
        write: OnInput(Some(Arc::new(write))),
    })
}

/// Names the argument instead of a place in a configuration that is not written.
fn placed(problem: Problem, is_new: bool) -> Problem {
    let arguments = [
        ("paths in [input]: ", "INPUT", true),
        ("output in [work]: ", "--output", true),
        ("dir in [work]: ", "--work", is_new),
    ];
    let of = arguments.iter().find_map(|(key, argument, is_given)| {
        let message = problem.message.strip_prefix(key).filter(|_| *is_given)?;
        Some((argument, message.to_owned()))
    });
    match of {
        Some((argument, message)) if problem.position.is_some() => Problem {
            file: PathBuf::from(argument),
            position: None,
            message,
        },
        _ => problem,
    }
}

/// Refuses a directory that holds something else. Says so where another configuration publishes to
/// the same output: the verbs find it instead of this one.
fn check_place(
    dir: &Path,
    path: &Path,
    output: Option<&Path>,
    loudness: Loudness,
) -> Result<(), Failure> {
    let own = [
        LIST_NAME,
        "pipeline.partial",
        "inputs.partial",
        "work",
        "work.shards",
        "work.dedup",
    ];
    if !path.exists()
        && let Ok(entries) = fs::read_dir(dir)
        && let Some(other) = entries
            .filter_map(Result::ok)
            .map(|entry| entry.file_name())
            .find(|name| !own.iter().any(|own| name == own))
    {
        return Err(Failure::Usage(format!(
            "failed to work in {}: it holds {}, which is not of a run; name a new or empty directory \
             with --work",
            dir.display(),
            other.to_string_lossy()
        )));
    }
    let other =
        nearest().filter(|other| other != path && absolute(other).ok() != absolute(path).ok());
    let other = other.filter(|_| loudness != Loudness::Quiet);
    let (Some(other), Some(output)) = (other, output) else {
        return Ok(());
    };
    let publishes = load_with(&other, InputFrom::Paths, &[]).map(|config| config.work.output);
    if publishes.is_ok_and(|theirs| absolute(&theirs).is_ok_and(|theirs| theirs == output)) {
        messages::note(&format!(
            "{other} publishes to {output}, too, and its results give way to those of this run; \
             without -c, other commands take {other}",
            other = other.display(),
            output = output.display()
        ));
    }
    Ok(())
}

/// The default configuration with a seed of its own.
fn new_text() -> Result<String, Failure> {
    let mut bytes = [0; 16];
    fs::File::open("/dev/urandom")
        .and_then(|mut random| random.read_exact(&mut bytes))
        .map_err(Failure::file("read", "/dev/urandom"))?;
    let seed: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    Ok(default_toml(&seed))
}

/// The default configuration with a seed of its own, for these inputs, and what they were taken
/// for. They stay as they are written if the configuration lies in this directory.
pub(super) fn text_for(
    path: &Path,
    inputs: &[OsString],
) -> Result<(String, InputSummary), Failure> {
    let text = new_text()?;
    let here = [OsString::from(".")];
    let inputs = if inputs.is_empty() { &here } else { inputs };
    let dir = path.parent().unwrap_or(path);
    let NamedInputs {
        mut paths, list, ..
    } = NamedInputs::of(inputs, dir)?;
    if dir == Path::new("") {
        let written = inputs.iter().map(|input| match input == "-" {
            true => Ok(format!("@{LIST_NAME}")),
            false => shown(Path::new(input)),
        });
        paths = written.collect::<Result<Vec<String>, Failure>>()?;
    }
    if let Some(list) = &list {
        replace(&dir.join(LIST_NAME), list)?;
    }
    // Nothing else of the input is written: `auto` and the usual fields read what is there, and
    // also what sources and later files add.
    let text = with_texts(&text, "input.paths", &paths).unwrap_or(text);
    let summary = InputSummary::of_input(&parse(&text, path)?)?;
    Ok((text, summary))
}

/// The default configuration of one crawl after another: of the directories of a pattern, or of
/// those that are added by hand if it is empty.
pub(super) fn text_for_snapshots(path: &Path, pattern: &str) -> Result<String, Failure> {
    let text = new_text()?;
    let lines = text.lines().filter(|line| !line.starts_with("paths = "));
    if pattern.is_empty() {
        return Ok(lines.collect::<Vec<_>>().join("\n") + "\n");
    }
    let is_given = |line: &&str| line.starts_with("[snapshots]") || line.starts_with("path = ");
    let lines = lines.map(|line| line.strip_prefix("# ").filter(is_given).unwrap_or(line));
    let text = lines.collect::<Vec<_>>().join("\n") + "\n";
    let pattern = match path.parent().is_none_or(|dir| dir == Path::new("")) {
        true => pattern.to_owned(),
        false => shown(&absolute(Path::new(pattern))?)?,
    };
    let text = with_text(&text, "snapshots.path", &pattern).unwrap_or(text);
    parse(&text, path)?;
    Ok(text)
}

/// The default configuration for these inputs, of a verb that reads them and no run. Nothing is
/// written.
pub(super) fn config_of(call: &Call<'_>, inputs: &[OsString]) -> Result<Config, Failure> {
    let work = Path::new(WORK_DEFAULT);
    let NamedInputs { readable, .. } = NamedInputs::of(inputs, work)?;
    let text = with_texts(DEFAULT_TOML, "input.paths", &readable)
        .and_then(|text| with_text(&text, "work.dir", &shown(&work.join("work")).ok()?))
        .and_then(|text| with_text(&text, "work.output", &shown(&work.join("out")).ok()?));
    let text = text.unwrap_or_default();
    Ok(parse_with(&text, Path::new(CONFIG_NAME), &call.config.set)?)
}

/// Says what to do where the user may not write.
fn with_advice(error: io::Error) -> io::Error {
    use io::ErrorKind::{PermissionDenied, ReadOnlyFilesystem};
    match error.kind() {
        kind @ (PermissionDenied | ReadOnlyFilesystem) => {
            let advice = "name directories that you may write with --work and --output";
            io::Error::new(kind, format!("{error}; {advice}"))
        }
        _ => error,
    }
}

/// Puts a file in the place of an older one, all at once. It holds the seed, so only the owner may
/// read it.
fn replace(path: &Path, bytes: &[u8]) -> Result<(), pipeline::Error> {
    use std::os::unix::fs::OpenOptionsExt;
    let dir = path.parent().unwrap_or(Path::new(""));
    let shown = dir.display();
    fs::create_dir_all(dir)
        .map_err(with_advice)
        .map_err(pipeline::Error::io(format!("create directory {shown}")))?;
    let partial = path.with_extension("partial");
    let _ = fs::remove_file(&partial);
    // A new file, and never the target of a link.
    let written = fs::OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(MODE)
        .open(&partial)
        .and_then(|mut file| {
            file.write_all(bytes)?;
            file.sync_all()
        })
        .and_then(|()| fs::rename(&partial, path))
        // The seed in it is that of the results.
        .and_then(|()| fs::File::open(dir.join("."))?.sync_all());
    written.map_err(pipeline::Error::io(format!("write {}", path.display())))
}
