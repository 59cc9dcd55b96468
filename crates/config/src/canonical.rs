//! The semantic configuration as text, for the engine to digest and to publish.
//!
//! One `key = value` a line, in a fixed order, every value spelled out, defaults too: so a comment,
//! the order of keys or `"1GiB"` for `"1024MiB"` change nothing. What decides no result is left
//! out: `[work]`; `paths`, because the list of files and their digests stand for them;
//! `max-rejected`, which only decides how a run ends. The seed appears as its one-way digest.

use std::fmt::{Display, Write};

use input::{Charset, FieldNames, PAGE_BYTES};
use model::{Keep, Linkage, Settle};
use model::{KeyRule, PermutationFamily, Sampling};
use sketch::{Family, TextOfPages};

use super::keys::{
    COMMON, FAMILIES, FINGERPRINTS, FORMATS, LINKAGES, LINKS, PASSAGE_COUNTS, SETTLE, SHINGLES,
    TOKENS, name_of,
};
use super::kind::UNLIMITED;
use super::rules::AUTO;
use super::{Config, PassagesConfig, UNLIMITED_COMMON_SHINGLES};

impl Config {
    /// The keys of `[input]` that decide the documents of given files.
    pub fn input_parameters(&self) -> String {
        let fields = &self.input.fields;
        let mut lines = KeyLines::default();
        lines.put("format", name_of(&FORMATS, &self.input.format));
        if let Some(charset) = self.input.charset {
            lines.put("charset", charset.name());
        }
        for (key, field) in keys_of(fields) {
            if let Some(field) = field {
                lines.put(key, quoted(field));
            }
        }
        lines.put("carry-fields", list(&fields.carry));
        lines.put("max-document", self.input.max_document_bytes);
        // Tables show it among their parameters only where it was set.
        if self.input.max_page_bytes != PAGE_BYTES {
            lines.put("max-page", self.input.max_page_bytes);
        }
        lines.put("max-expansion", self.input.max_expansion);
        lines.put("max-url", self.input.max_url_bytes);
        lines.put("max-field", self.input.max_field_bytes);
        self.source_parameters(&mut lines);
        lines.0
    }

    /// The keys of sources that are others than those of `[input]`.
    fn source_parameters(&self, lines: &mut KeyLines) {
        let input = &self.input.fields;
        let sources = self.input.sources.iter().map(|one| &one.source);
        for source in sources.filter(|source| source.is_read_otherwise) {
            let name = quoted(&source.name);
            let mut put = |key: &str, value: String| lines.put(&format!("{key} of {name}"), value);
            if source.format != self.input.format {
                put("format", name_of(&FORMATS, &source.format).to_owned());
            }
            if source.charset != self.input.charset {
                put(
                    "charset",
                    source.charset.map_or(AUTO, Charset::name).to_owned(),
                );
            }
            let mut keys: Vec<_> = keys_of(&source.fields)
                .into_iter()
                .zip(keys_of(input))
                .collect();
            // This key came later than the others.
            keys.sort_by_key(|((key, _), _)| *key == "features-field");
            for ((key, own), (_, other)) in keys {
                if let Some(own) = own.filter(|own| other != Some(own)) {
                    put(key, quoted(own));
                }
            }
        }
    }

    /// The parameters that decide the sketch of a document, for one version of the canonical form.
    /// (`shingle-class-min` decides nothing before the phase `distinct`, so it is not here.)
    pub fn sketch_parameters(&self) -> String {
        let sketch = &self.sketch;
        let mut lines = KeyLines::default();
        if let TextOfPages::Main { words_min } = sketch.text_of_pages {
            lines.put("content", "main");
            lines.put("min-words", words_min);
        }
        lines.put("tokens", name_of(&TOKENS, &sketch.tokens));
        lines.put("drop-numbers", sketch.drop_numbers);
        lines.put("shingle-size", sketch.shingle_size);
        lines.put("shingles", name_of(&SHINGLES, &sketch.shingles));
        match sketch.sampling {
            Sampling::Modulus { modulus } => {
                lines.put("method", "modulus");
                lines.put("modulus", modulus);
            }
            Sampling::Adaptive {
                target,
                coarsest_log2,
            } => {
                lines.put("method", "adaptive-modulus");
                lines.put("target", target);
                lines.put("coarsest", 1_u64 << coarsest_log2);
            }
            Sampling::Min { size, modulus } => {
                lines.put("method", "min-of-modulus");
                lines.put("size", size);
                lines.put("modulus", modulus);
            }
            Sampling::MinHash {
                permutations,
                family,
            } => {
                lines.put("method", "minhash");
                lines.put("permutations", permutations);
                match family {
                    PermutationFamily::Numpy { seed, .. } => lines.put("numpy-seed", seed),
                    family => lines.put("family", name_of(&FAMILIES, &family)),
                }
            }
        }
        if sketch.family != Family::Keyed {
            lines.put("fingerprint", name_of(&FINGERPRINTS, &sketch.family));
        }
        lines.put("fingerprint-bits", sketch.bits.count());
        lines.put("seed-digest", hexadecimal(&sketch.keys.digest()));
        lines.0
    }

    /// The parameters that decide the keys of a sketch; nothing if they are its elements.
    pub fn sort_parameters(&self) -> String {
        let mut lines = KeyLines::default();
        match self.sketch.sort_keys {
            KeyRule::Elements => {}
            KeyRule::Bands { rows, shared } => {
                lines.put("band", rows);
                if shared > 1 {
                    lines.put("shared-bands", shared);
                }
            }
            KeyRule::SuperShingles { length, shared } => {
                lines.put("super-shingle", length);
                lines.put("shared-super-shingles", shared);
            }
        }
        lines.0
    }

    /// The keys that decide which shingles make pairs.
    pub fn pairs_parameters(&self) -> String {
        let mut lines = KeyLines::default();
        match self.pairs.common_shingle_limit {
            UNLIMITED_COMMON_SHINGLES => lines.put("common-shingle-limit", UNLIMITED),
            limit => lines.put("common-shingle-limit", limit),
        }
        lines.put("floor", self.floor().map_or(0.0, |floor| floor.to_f64()));
        lines.put("common", name_of(&COMMON, &self.pairs.common));
        lines.0
    }

    /// The parameters that decide which pairs are compared by all their shingles.
    pub fn settle_parameters(&self) -> String {
        let cluster = &self.cluster;
        let mut lines = KeyLines::default();
        lines.put("settle", name_of(&SETTLE, &cluster.settle));
        if cluster.settle != Settle::Off {
            self.put_thresholds(&mut lines);
        }
        lines.0
    }

    fn put_thresholds(&self, lines: &mut KeyLines) {
        let cluster = &self.cluster;
        lines.put("resemblance", cluster.resemblance.to_f64());
        match cluster.containment {
            Some(containment) => lines.put("containment", containment.to_f64()),
            None => lines.put("containment", "none"),
        }
    }

    /// The parameters that decide links, clusters, kept documents and the links that are published.
    pub fn cluster_parameters(&self) -> String {
        let cluster = &self.cluster;
        let mut lines = KeyLines::default();
        self.put_thresholds(&mut lines);
        lines.put("containment-joins", cluster.containment_joins);
        lines.put("min-shared", cluster.min_shared);
        lines.put("settle", name_of(&SETTLE, &cluster.settle));
        lines.put("linkage", name_of(&LINKAGES, &cluster.linkage));
        lines.put("links", name_of(&LINKS, &cluster.links));
        lines.put("keep", keep(&cluster.keep));
        if cluster.containment.is_some() && cluster.linkage != Linkage::Components {
            lines.put("contained-documents", "after all others");
        }
        lines.0
    }

    /// The parameters that decide the passages; nothing if they are not looked for.
    pub fn passages_parameters(&self) -> String {
        let mut lines = KeyLines::default();
        if let Some(passages) = &self.passages {
            lines.put("passage-words", passages.words);
            lines.put(
                "passage-count",
                name_of(&PASSAGE_COUNTS, &passages.counts_all),
            );
            lines.put("keep", keep(&self.cluster.keep));
        }
        lines.0
    }

    /// The rule that decides where a page moved.
    pub fn changes_parameters(&self) -> String {
        let mut lines = KeyLines::default();
        lines.put("moved", self.moved().to_f64());
        lines.0
    }
}

impl PassagesConfig {
    /// The settings in [`Config::passages_parameters`]; nothing if there are none.
    pub fn of_parameters(parameters: &str) -> Option<PassagesConfig> {
        let value = |key: &str| {
            let mut values = parameters.lines().filter_map(|line| line.split_once(" = "));
            values.find_map(|(name, value)| (name == key).then_some(value))
        };
        let count = value("passage-count")?;
        let mut counts = PASSAGE_COUNTS.iter();
        let (_, counts_all) = counts.find(|(name, _)| *name == count)?;
        Some(PassagesConfig {
            words: value("passage-words")?.parse().ok()?,
            counts_all: *counts_all,
        })
    }
}

/// The keys of fields with their names, in the order of the lines.
fn keys_of(fields: &FieldNames) -> [(&'static str, Option<&String>); 6] {
    [
        ("id-field", Some(&fields.id)),
        ("text-field", Some(&fields.text)),
        ("html-field", Some(&fields.html)),
        ("features-field", fields.features.as_ref()),
        ("url-field", Some(&fields.url)),
        ("date-field", Some(&fields.date)),
    ]
}

/// `key = value` lines.
#[derive(Default)]
struct KeyLines(String);

impl KeyLines {
    fn put(&mut self, key: &str, value: impl Display) {
        // writing to a String cannot fail
        let _ = writeln!(self.0, "{key} = {value}");
    }
}

fn keep(keep: &Keep) -> String {
    match keep {
        Keep::First => "first".to_owned(),
        Keep::Longest => "longest".to_owned(),
        Keep::Oldest => "oldest".to_owned(),
        Keep::Newest => "newest".to_owned(),
        Keep::Field {
            name,
            descending: false,
        } => format!("field:{}", quoted(name)),
        Keep::Field {
            name,
            descending: true,
        } => format!("field:{}:desc", quoted(name)),
        Keep::Hosts(hosts) => format!("hosts:{}", list(hosts)),
    }
}

/// A text on one line that no other text gives: JSON's form, which does not change with the version
/// of anything.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

fn list(texts: &[String]) -> String {
    serde_json::Value::from(texts).to_string()
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        // writing to a String cannot fail
        let _ = write!(text, "{byte:02x}");
        text
    })
}
