//! The recorded counts: a TOML table for each form of the hot loops, a line for each kernel.

use anyhow::{Context, Result};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

const HEAD: &str = "\
# Instructions of every kernel and of one small whole run, by form of the hot loops; `any` is code that has but one.
# scripts/instructions compares with these and fails at +5 %; scripts/instructions --record writes them.
";

/// Form → kernel → instructions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Record(BTreeMap<String, BTreeMap<String, u64>>);

/// Where the record lies.
pub(crate) fn path() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("instructions.toml")
}

impl Record {
    /// Reads it; empty if there is none.
    pub(crate) fn read(path: &Path) -> Result<Record> {
        if !path.exists() {
            return Ok(Record::default());
        }
        let text = std::fs::read_to_string(path)
            .with_context(|| format!("failed to read {}", path.display()))?;
        let forms =
            toml::from_str(&text).with_context(|| format!("failed to parse {}", path.display()))?;
        Ok(Record(forms))
    }

    /// Writes it.
    pub(crate) fn write(&self, path: &Path) -> Result<()> {
        let mut text = HEAD.to_owned();
        for (form, kernels) in &self.0 {
            text += &format!("\n[{form}]\n");
            for (kernel, count) in kernels {
                text += &format!("{kernel} = {count}\n");
            }
        }
        std::fs::write(path, text).with_context(|| format!("failed to write {}", path.display()))
    }

    pub(crate) fn get(&self, form: &str, kernel: &str) -> Option<u64> {
        self.0.get(form)?.get(kernel).copied()
    }

    pub(crate) fn set(&mut self, form: &str, kernel: &str, count: u64) {
        self.0
            .entry(form.to_owned())
            .or_default()
            .insert(kernel.to_owned(), count);
    }
}
