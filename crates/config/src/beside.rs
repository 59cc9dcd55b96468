//! The configuration of a run that a call makes itself, beside that of the user's configuration.
//!
//! *Input.* The configuration; files that are no part of its input: references. *Output.* A
//! configuration that reads both, each reference as a source of its own, and works in a directory
//! of its own.

use crate::{Config, SourceConfig};
use input::{FieldNames, FormatChoice, NamedSource};
use std::sync::Arc;

/// A file, directory or glob that is a reference for one call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reference {
    /// Its name in messages and results.
    pub name: String,
    /// As [`InputConfig::paths`](crate::InputConfig::paths).
    pub path: String,
}

impl Config {
    /// This configuration with references that are read by the default keys, whatever `[input]`
    /// says of its own files. It works in [`WorkConfig::dedup_dir`](crate::WorkConfig::dedup_dir).
    pub fn beside(&self, references: &[Reference]) -> Config {
        let mut config = self.clone();
        config.work.beside = Some(self.work.dir.clone());
        config.work.dir = self.work.dedup_dir();
        config.work.metrics = None;
        let fields = FieldNames {
            carry: self.input.fields.carry.clone(),
            ..FieldNames::default()
        };
        for Reference { name, path } in references {
            let own = NamedSource {
                name: name.clone(),
                format: FormatChoice::Auto,
                fields: fields.clone(),
                charset: None,
                is_read_otherwise: (FormatChoice::Auto, &fields, None)
                    != (self.input.format, &self.input.fields, self.input.charset),
            };
            config.input.paths.push(path.clone());
            config.input.sources.push(SourceConfig {
                paths: vec![path.clone()],
                source: Arc::new(own),
            });
        }
        config
    }
}
