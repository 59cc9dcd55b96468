//! `pipeline init`.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use pipeline::config::schema as config_schema;
use serde_json::{Map, Value, json};

use super::call::{Call, Loudness};
use super::inputs::{MODE, text_for, text_for_snapshots};
use crate::args::{CONFIG_NAME, InitArgs};
use crate::exit::Failure;
use crate::messages;

/// Writes the annotated default configuration with a seed of its own, for the inputs that are
/// named; or prints the JSON schema of configurations.
pub(super) fn init(call: &mut Call<'_>, args: &InitArgs) -> Result<(), Failure> {
    if args.schema {
        let schema = config_schema();
        return call
            .results
            .write_all(schema.as_bytes())
            .map_err(Failure::Stdout);
    }
    let path = call
        .config
        .config
        .clone()
        .unwrap_or_else(|| CONFIG_NAME.into());
    if let Some(pattern) = &args.snapshots {
        return init_snapshots(call, &path, pattern, args.json);
    }
    let (text, summary) = text_for(&path, &args.inputs)?;
    write(&path, &text)?;
    let shown = path.display();
    if call.loudness == Loudness::Normal {
        messages::say(&format!("input: {summary}"));
        let notes = summary.text_advice.as_deref().into_iter();
        for note in notes.chain(summary.note()) {
            messages::note(note);
        }
        messages::say(&match path == Path::new(CONFIG_NAME) {
            true => format!("wrote {shown}; look at it, then: pipeline run"),
            false => format!("wrote {shown}; look at it, then: pipeline run --config {shown}"),
        });
    }
    if !args.json {
        return Ok(());
    }
    let formats = summary.formats.iter();
    let formats: Map<String, Value> = formats
        .map(|(format, files)| (format.name().to_owned(), Value::from(*files)))
        .collect();
    call.results.json(&json!({
        "config": path.to_string_lossy(),
        "files": formats,
        "bytes": summary.bytes,
        "left_out": summary.left_out,
        "text_field": summary.text_field(),
    }))
}

/// Writes the configuration of one crawl after another.
fn init_snapshots(
    call: &mut Call<'_>,
    path: &Path,
    pattern: &str,
    as_json: bool,
) -> Result<(), Failure> {
    write(path, &text_for_snapshots(path, pattern)?)?;
    let shown = path.display();
    if call.loudness == Loudness::Normal {
        let option = match path == Path::new(CONFIG_NAME) {
            true => String::new(),
            false => format!(" --config {shown}"),
        };
        let next = match pattern.is_empty() {
            true => "snapshot add NAME PATH",
            false => "run",
        };
        messages::say(&format!(
            "wrote {shown}; look at it, then: pipeline {next}{option}"
        ));
    }
    match as_json {
        true => call
            .results
            .json(&json!({ "config": path.to_string_lossy() })),
        false => Ok(()),
    }
}

fn write(path: &Path, text: &str) -> Result<(), Failure> {
    if let Some(dir) = path.parent() {
        fs::create_dir_all(dir).map_err(Failure::file("create directory", dir))?;
    }
    let mut file = match OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(MODE)
        .open(path)
    {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            let shown = path.display();
            return Err(Failure::Usage(format!(
                "failed to write {shown}: it already exists; move it first"
            )));
        }
        opened => opened.map_err(Failure::file("write", path))?,
    };
    let written = file
        .write_all(text.as_bytes())
        .and_then(|()| file.sync_all());
    written.map_err(|error| {
        // half a configuration is worse than none
        let _ = fs::remove_file(path);
        Failure::file("write", path)(error)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::ConfigArgs;
    use crate::stdout::with_results;
    use pipeline::config::DEFAULT_TOML;

    fn written(path: &Path, args: &InitArgs) -> Result<(), Failure> {
        let config = &ConfigArgs {
            config: Some(path.to_owned()),
            set: Vec::new(),
        };
        with_results(|results| {
            let mut call = Call {
                config,
                loudness: Loudness::Quiet,
                results,
            };
            init(&mut call, args)
        })
    }

    #[test]
    fn seeds_differ() {
        let dir = tempfile::tempdir().expect("a directory");
        fs::write(dir.path().join("a.txt"), "words").expect("written");
        let args = InitArgs {
            inputs: vec![dir.path().join("a.txt").into()],
            snapshots: None,
            schema: false,
            json: false,
        };
        let [a, b] = ["a.toml", "b.toml"].map(|name| {
            let path = dir.path().join(name);
            written(&path, &args).expect("written");
            let text = fs::read_to_string(&path).expect("a file");
            let line = text.lines().find(|line| line.starts_with("seed = "));
            let seed = line.and_then(|line| line.split('"').nth(1));
            seed.expect("a seed").to_owned()
        });
        assert_eq!(a.len(), 32);
        assert_ne!(a, b);
    }

    #[test]
    fn only_the_seed_and_the_paths_differ_from_the_default() {
        let dir = tempfile::tempdir().expect("a directory");
        let (path, input) = (dir.path().join("a/b/c.toml"), dir.path().join("crawl"));
        fs::create_dir(&input).expect("created");
        fs::write(input.join("a.jsonl"), "{\"content\":\"words\"}\n").expect("written");
        let args = InitArgs {
            inputs: vec![input.clone().into()],
            snapshots: None,
            schema: false,
            json: false,
        };
        written(&path, &args).expect("written");
        let text = fs::read_to_string(&path).expect("a file");
        let changed: Vec<_> = text
            .lines()
            .zip(DEFAULT_TOML.lines())
            .filter(|(a, b)| a != b)
            .map(|(a, _)| a)
            .collect();
        // A format or a field of these files would reject those of a source that is added later.
        let keys = ["paths = ", "seed = "];
        assert_eq!(changed.len(), keys.len(), "{changed:?}");
        let mut both = changed.iter().zip(keys);
        assert!(both.all(|(line, key)| line.starts_with(key)), "{changed:?}");
        let loaded = pipeline::config::load(&path).expect("right");
        assert_eq!(loaded.input.paths, [input.to_str().expect("text")]);
        assert!(!loaded.sketch.seed_is_default);
    }

    #[test]
    fn nothing_is_overwritten_and_the_seed_is_secret() {
        let dir = tempfile::tempdir().expect("a directory");
        let path = dir.path().join("c.toml");
        fs::write(dir.path().join("a.txt"), "words").expect("written");
        let args = InitArgs {
            inputs: vec![dir.path().into()],
            snapshots: None,
            schema: false,
            json: false,
        };
        written(&path, &args).expect("written");
        let first = fs::read_to_string(&path).expect("a file");
        assert_eq!(written(&path, &args).expect_err("refused").code(), 2);
        assert_eq!(fs::read_to_string(&path).expect("a file"), first);
        let permissions = fs::metadata(&path).expect("a file").permissions();
        let mode = std::os::unix::fs::PermissionsExt::mode(&permissions);
        assert_eq!(mode & 0o777, 0o600);
    }
}
