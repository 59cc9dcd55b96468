//! `pipeline shingles`: the w-shingling of every document of a file, with labels and fingerprints,
//! and which shingles the sketch keeps.
//!
//! *Input.* A file of any format that is read as input. *Output.* A line for each occurrence of a
//! shingle, in the order of the text; JSON lines for programs. *Algorithm.* Broder, *On the
//! resemblance and containment of documents* (1997), "Definitions of resemblance and containment";
//! the fingerprints are those of a run with the same configuration. *Memory.* The tokens of a
//! document, and 24 bytes for each.

use crate::asked_document::each_document;
use crate::query::Escaped;
use config::Config;
use engine::Error;
use model::{Content, Sampling};
use output::counted;
use serde::Serialize;
use sketch::{PlacedText, ShingleKind, SketchParams, Sketcher};
use std::ffi::OsStr;
use std::io::{self, Write};

/// A shingle at one place of a document.
#[derive(Debug, Serialize)]
struct ShingleLine<'a> {
    /// Which document of the file, from 1 on.
    document: u64,
    /// Which token it begins with, from 1 on.
    token: usize,
    /// Which of its occurrences this is, from 1 on.
    label: u64,
    fingerprint: String,
    /// Whether the sketch has it. A repeated shingle of a set is kept once.
    kept: bool,
    shingle: &'a str,
}

/// Writes the shingles of the documents of one file, `-` for standard input: a table a document, or
/// an object a line.
pub fn shingles(
    config: &Config,
    file: &OsStr,
    as_json: bool,
    out: &mut dyn Write,
) -> Result<(), Error> {
    let params = config.sketch.params();
    if let Sampling::MinHash { .. } = params.sampling {
        let why = "the method minhash keeps values of permutations, which are of no one shingle, \
                   so there is nothing to list; choose another method";
        return Err(Error::Usage(why.to_owned()));
    }
    let mut sketcher = Sketcher::new(&params);
    let mut documents = 0;
    each_document(config, file, config.input.format, &mut |document| {
        documents += 1;
        let shingling = Shingling::of(&params, &mut sketcher, document.content);
        Ok(shingling.write(documents, as_json, out)?)
    })
}

/// The w-shingling of one document.
struct Shingling {
    kind: ShingleKind,
    tokens: Vec<String>,
    /// Tokens in a shingle.
    size: usize,
    /// Label and fingerprint of the shingle at each place.
    shingles: Vec<(u64, u64)>,
    /// The sketch, and the modulus of which it has the multiples.
    kept: Vec<u64>,
    modulus: u32,
}

impl Shingling {
    fn of(params: &SketchParams, sketcher: &mut Sketcher, content: Content<'_>) -> Shingling {
        let mut tokens = Vec::new();
        sketch::for_each_token(params.rules(), content, &mut |token| {
            tokens.push(token.to_owned());
        });
        let placed = PlacedText::new(params, content);
        let sketch = sketcher.sketch(content);
        Shingling {
            kind: params.shingles,
            tokens,
            size: placed.shingle_size,
            shingles: placed.labelled(params),
            kept: sketch.fingerprints.to_vec(),
            modulus: params.sampling.modulus_at(usize::from(sketch.level)),
        }
    }

    /// Whether an occurrence with this label is a shingle of its own.
    fn is_different(&self, label: u64) -> bool {
        self.kind == ShingleKind::Labelled || label == 1
    }

    /// Writes the shingles of the document of this number.
    fn write(&self, document: u64, as_json: bool, out: &mut dyn Write) -> io::Result<()> {
        if !as_json {
            self.write_head(document, out)?;
        }
        for (at, &(label, fingerprint)) in self.shingles.iter().enumerate() {
            let end = (at + self.size).min(self.tokens.len());
            let line = ShingleLine {
                document,
                token: at + 1,
                label,
                fingerprint: format!("{fingerprint:016x}"),
                kept: self.is_different(label) && self.kept.binary_search(&fingerprint).is_ok(),
                shingle: &self.tokens[at.min(end)..end].join(" "),
            };
            if as_json {
                serde_json::to_writer(&mut *out, &line)?;
                out.write_all(b"\n")?;
                continue;
            }
            let (token, fingerprint) = (line.token, &line.fingerprint);
            let (kept, shingle) = (if line.kept { "yes" } else { "-" }, Escaped(line.shingle));
            writeln!(
                out,
                "{token:>5}  {label:>5}  {fingerprint}  {kept:<4}  {shingle}"
            )?;
        }
        Ok(())
    }

    fn write_head(&self, document: u64, out: &mut dyn Write) -> io::Result<()> {
        let labels = self.shingles.iter().map(|(label, _)| *label);
        let different = labels.filter(|label| self.is_different(*label)).count();
        writeln!(
            out,
            "document {document}: {}, {} of {}, {different} different; {} in the sketch (modulus {})",
            counted(self.tokens.len() as u64, "token"),
            counted(self.shingles.len() as u64, "shingle"),
            counted(self.size as u64, "token"),
            self.kept.len(),
            self.modulus
        )?;
        writeln!(out, "token  label  fingerprint       kept  shingle")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROSE: &str = "a rose is a rose is a rose";

    fn listed(settings: &str, text: &str, as_json: bool) -> String {
        let toml = format!(
            "version = 1\n[input]\npaths = [\"x\"]\n[work]\ndir = \"w\"\noutput = \"o\"\n[sketch]\n{settings}"
        );
        let config = config::parse(&toml, std::path::Path::new("pipeline.toml")).expect("valid");
        let dir = tempfile::tempdir().expect("a directory");
        let file = dir.path().join("rose.txt");
        std::fs::write(&file, text).expect("written");
        let mut out = Vec::new();
        shingles(&config, file.as_os_str(), as_json, &mut out).expect("a document");
        String::from_utf8(out).expect("UTF-8")
    }

    /// ⟨shingle, label, kept⟩ of each line.
    fn lines(settings: &str, text: &str) -> Vec<(String, u64, bool)> {
        let listed = listed(settings, text, true);
        let values = listed.lines().map(|line| {
            let value: serde_json::Value = serde_json::from_str(line).expect("JSON");
            let shingle = value["shingle"].as_str().expect("a shingle").to_owned();
            let label = value["label"].as_u64().expect("a label");
            (shingle, label, value["kept"] == true)
        });
        values.collect()
    }

    /// The 4-shingling of the rose, as in the definitions of the paper of 1997.
    #[test]
    fn the_rose_has_five_labelled_shingles_and_three_different_ones() {
        let whole = "shingle-size = 4\nmethod = { kind = \"modulus\", modulus = 1 }\n";
        let wanted = [
            ("a rose is a", 1),
            ("rose is a rose", 1),
            ("is a rose is", 1),
            ("a rose is a", 2),
            ("rose is a rose", 2),
        ];
        for (kind, repeats_kept) in [("set", false), ("labelled", true)] {
            let settings = format!("{whole}shingles = {kind:?}\n");
            let wanted = wanted
                .map(|(shingle, label)| (shingle.to_owned(), label, label == 1 || repeats_kept));
            assert_eq!(lines(&settings, ROSE), wanted, "{kind}");
        }
        let table = listed(whole, ROSE, false);
        assert!(
            table.starts_with(
                "document 1: 8 tokens, 5 shingles of 4 tokens, 3 different; 3 in the sketch \
                 (modulus 1)\n"
            ),
            "{table}"
        );
    }

    #[test]
    fn the_sketch_has_what_is_kept() {
        let text = (0..200)
            .map(|n| format!("w{} ", n % 150))
            .collect::<String>();
        for kind in ["set", "labelled"] {
            let settings = format!(
                "shingle-size = 3\nshingles = {kind:?}\nmethod = {{ kind = \"modulus\", modulus = 4 }}\n"
            );
            let kept = lines(&settings, &text).iter().filter(|line| line.2).count();
            let table = listed(&settings, &text, false);
            assert!(
                table.contains(&format!("; {kept} in the sketch (modulus 4)")),
                "{table}"
            );
            assert!((20..80).contains(&kept), "{kept}");
        }
    }

    #[test]
    fn a_text_shorter_than_a_shingle_has_one() {
        assert_eq!(lines("", "only three words").len(), 1);
        assert_eq!(lines("", "only three words")[0].0, "only three words");
    }
}
