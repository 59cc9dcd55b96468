//! The parameters of each phase as text, one a line. The manifest stores them, the next run
//! compares them, and a difference is shown.

use crate::runtime::phase::PhaseName;
use config::Config;
use format::{Fingerprint, Manifest};
use std::fmt::Write;

/// The semantic parameters a phase depends on. No paths but the publication's, no `[work]`, and of
/// the seed only a digest.
pub fn of(phase: PhaseName, config: &Config) -> String {
    let versions = format!(
        "format-version = {}\ncanonical-version = {}\n",
        format::FORMAT_VERSION,
        sketch::CANONICAL_VERSION
    );
    match phase {
        PhaseName::Sketch => {
            let digest = match config.sketch.sampling.levels() {
                1 => "",
                _ => "sketch-digest = all shingles\n",
            };
            let readers = format!("readers-version = {}\n", input::READERS_VERSION);
            versions
                + "document-rows = with titles\ncounts = with URLs\n"
                + &readers
                + &config.input_parameters()
                + &config.sketch_parameters()
                + digest
        }
        PhaseName::Distinct => format!("shingle-class-min = {}\n", config.sketch.shingle_class_min),
        PhaseName::Sort => config.sort_parameters(),
        PhaseName::Pairs => config.pairs_parameters(),
        PhaseName::Settle => config.settle_parameters(),
        PhaseName::Cluster => config.cluster_parameters(),
        PhaseName::Passages => config.passages_parameters(),
        PhaseName::Index => {
            let output = config.work.output.display();
            let version = format::INDEX_VERSION;
            let tables = output::TABLES_VERSION;
            config.changes_parameters()
                + &format!(
                    "index-version = {version}\ntables-version = {tables}\noutput = {output}\n"
                )
        }
    }
}

/// All semantic parameters, for the metadata of tables.
pub fn semantic(config: &Config) -> String {
    let phases = [
        PhaseName::Sketch,
        PhaseName::Distinct,
        PhaseName::Sort,
        PhaseName::Pairs,
        PhaseName::Cluster,
    ];
    phases.map(|phase| of(phase, config)).concat()
        + &config.changes_parameters()
        + &config.passages_parameters()
}

/// A fingerprint of a text: sixteen bytes of its BLAKE3 hash.
pub fn fingerprint(text: &str) -> Fingerprint {
    shortened(&blake3::hash(text.as_bytes()))
}

fn shortened(hash: &blake3::Hash) -> Fingerprint {
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&hash.as_bytes()[..16]);
    bytes
}

/// A fingerprint in hex.
pub fn hex(fingerprint: Fingerprint) -> String {
    fingerprint
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

/// A fingerprint of the input of a phase, in hex: the outputs of the phases it reads, or the
/// listing for `sketch`.
pub fn inputs_of(phase: PhaseName, manifest: &Manifest) -> String {
    // There may be thousands of files, and this is called often.
    let mut text = Hashed {
        hasher: blake3::Hasher::new(),
        text: String::new(),
    };
    if phase == PhaseName::Sketch {
        for file in manifest.inputs.iter() {
            let _ = writeln!(text, "{} {} {}", file.name, file.format, file.stat.bytes);
        }
    }
    if lists_references(phase, manifest) {
        let files = manifest.inputs.iter().enumerate();
        for (at, _) in files.filter(|(_, file)| file.is_of_source) {
            let _ = writeln!(text, "reference {at}");
        }
    }
    for before in phase.reads() {
        let Some(record) = manifest.phases.get(before.name()) else {
            continue;
        };
        for (name, sealed) in &record.outputs {
            let _ = writeln!(
                text,
                "{before}/{name} {} {}",
                sealed.records, sealed.checksum
            );
        }
    }
    hex(shortened(&text.finish()))
}

/// Whether a phase does something else with references: `cluster` keeps their documents, `passages`
/// their passages, and `index` does not list them as removed.
pub fn lists_references(phase: PhaseName, manifest: &Manifest) -> bool {
    phase >= PhaseName::Cluster && has_references(manifest)
}

/// Whether some of the files are of sources and others are not: then the sources are references.
pub fn has_references(manifest: &Manifest) -> bool {
    let files = &manifest.inputs;
    files.iter().any(|file| file.is_of_source) && !files.iter().all(|file| file.is_of_source)
}

/// Hashes a text that is written in pieces.
struct Hashed {
    hasher: blake3::Hasher,
    /// The pieces that are not hashed yet; most are short.
    text: String,
}

impl Hashed {
    fn finish(mut self) -> blake3::Hash {
        self.hasher.update(self.text.as_bytes());
        self.hasher.finalize()
    }
}

impl std::fmt::Write for Hashed {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        self.text.push_str(text);
        if self.text.len() > 16 << 10 {
            self.hasher.update(self.text.as_bytes());
            self.text.clear();
        }
        Ok(())
    }
}

/// Describes the first parameter that differs between two texts; `None` if they are equal.
pub fn difference(before: &str, now: &str) -> Option<String> {
    let key = |line: &str| line.split(" = ").next().unwrap_or_default().to_owned();
    let value = |text: &str, wanted: &str| {
        text.lines()
            .find(|line| key(line) == wanted)
            .map(|line| line[wanted.len()..].trim_start_matches(" = ").to_owned())
    };
    now.lines().chain(before.lines()).map(key).find_map(|name| {
        let (old, new) = (value(before, &name), value(now, &name));
        let word = |value: Option<String>| value.unwrap_or_else(|| "not set".to_owned());
        (old != new).then(|| format!("{name} was {}, is {}", word(old), word(new)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_difference_is_named() {
        assert_eq!(
            difference("a = 1\nb = 2\n", "a = 1\nb = 3\n").as_deref(),
            Some("b was 2, is 3")
        );
        assert_eq!(
            difference("a = 1\n", "a = 1\nc = 3\n").as_deref(),
            Some("c was not set, is 3")
        );
        assert_eq!(difference("a = 1\n", "a = 1\n"), None);
    }
}
