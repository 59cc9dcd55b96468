//! `pipeline init`.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use pipeline::config::{default_toml, schema as config_schema};

use crate::args::{CONFIG_DEFAULT, InitArgs};
use crate::exit::Failure;
use crate::messages;
use crate::stdout::Results;

/// The seed is a secret, so only the owner may read the file.
const MODE: u32 = 0o600;

/// Writes the annotated default configuration with a seed of its own.
pub(super) fn init(args: &InitArgs) -> Result<(), Failure> {
    // `.` would only make the messages longer
    let path = if args.dir == Path::new(".") {
        CONFIG_DEFAULT.into()
    } else {
        args.dir.join(CONFIG_DEFAULT)
    };
    let seed = random_seed().map_err(Failure::file("read", "/dev/urandom"))?;
    fs::create_dir_all(&args.dir).map_err(Failure::file("create directory", &args.dir))?;
    write(&path, &default_toml(&seed))?;
    messages::say(&format!(
        "wrote {0}; set paths in [input], then: pipeline run --config {0}",
        path.display()
    ));
    Ok(())
}

/// Prints the JSON schema of configurations.
pub(super) fn schema(results: &mut Results) -> Result<(), Failure> {
    let text = config_schema();
    results.write_all(text.as_bytes()).map_err(Failure::Stdout)
}

fn write(path: &Path, text: &str) -> Result<(), Failure> {
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

/// 128 random bits as hex.
fn random_seed() -> io::Result<String> {
    let mut bytes = [0; 16];
    File::open("/dev/urandom")?.read_exact(&mut bytes)?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use pipeline::config::DEFAULT_TOML;

    #[test]
    fn only_the_seed_differs_from_the_default() {
        let text = default_toml("0123");
        let changed: Vec<_> = text
            .lines()
            .zip(DEFAULT_TOML.lines())
            .filter(|(a, b)| a != b)
            .collect();
        assert_eq!(changed.len(), 1);
        assert!(changed[0].0.starts_with("seed = \"0123\""), "{changed:?}");
        let config = pipeline::config::parse(&text, Path::new(CONFIG_DEFAULT)).expect("right");
        assert!(!config.sketch.seed_is_default);
    }

    #[test]
    fn nothing_is_overwritten() {
        let dir = tempfile::tempdir().expect("a directory");
        let args = InitArgs {
            dir: dir.path().join("a/b"),
            schema: false,
        };
        init(&args).expect("written");
        // `.` would only make the messages longer
        let path = if args.dir == Path::new(".") {
            CONFIG_DEFAULT.into()
        } else {
            args.dir.join(CONFIG_DEFAULT)
        };
        let first = fs::read_to_string(&path).expect("a file");
        assert_eq!(init(&args).expect_err("refused").code(), 2);
        assert_eq!(fs::read_to_string(&path).expect("a file"), first);
        assert_eq!(
            std::os::unix::fs::PermissionsExt::mode(
                &fs::metadata(&path).expect("a file").permissions()
            ) & 0o777,
            0o600
        );
        pipeline::config::load(&path).expect("right");
    }

    #[test]
    fn seeds_differ() {
        let (a, b) = (
            random_seed().expect("random"),
            random_seed().expect("random"),
        );
        assert!(a.len() == 32 && b.len() == 32 && a != b);
    }
}
