//! The answer of an evaluation: claims, tables and plots.

use crate::parquet_file::parquet;
use crate::plot::Plot;
use crate::table::Table;
use parquet::errors::ParquetError;
use serde::{Serialize, Serializer};
use std::fmt::{self, Write};

/// A sentence of a paper beside what came out.
#[derive(Clone, Debug, Serialize)]
pub struct Claim {
    /// Paper and section.
    pub source: &'static str,
    /// The sentence, in our words.
    pub claim: String,
    /// The figures found.
    pub found: String,
    /// Whether they agree.
    pub met: bool,
}

/// Sentences of papers: for each the paper, what it says, whether that is met, and what came out,
/// written as for `format!`.
macro_rules! claims {
    ($($source:expr, $claim:literal: $met:expr, $found:literal $(, $figure:expr)*;)+) => {
        vec![$($crate::evaluation::Claim {
            source: $source,
            claim: $claim.to_owned(),
            found: format!($found $(, $figure)*),
            met: $met,
        }),+]
    };
}
pub(crate) use claims;

/// The answer of an evaluation.
#[derive(Clone, Debug, Serialize)]
pub struct Evaluation {
    /// The name of its files.
    pub name: &'static str,
    /// One line.
    pub title: String,
    /// The input and the method of the measurement.
    pub setting: String,
    /// The sentences that it checks.
    pub claims: Vec<Claim>,
    /// The figures.
    #[serde(serialize_with = "tables_as_objects")]
    pub tables: Vec<Table>,
    /// Plots of them.
    #[serde(skip)]
    pub(crate) plots: Vec<Plot>,
}

fn tables_as_objects<S: Serializer>(tables: &[Table], serializer: S) -> Result<S::Ok, S::Error> {
    let table = |table: &Table| {
        let rows: Vec<_> = table.objects().collect();
        serde_json::json!({ "title": table.title, "rows": rows })
    };
    serializer.collect_seq(tables.iter().map(table))
}

impl Evaluation {
    /// Whether every claim is met.
    pub fn is_met(&self) -> bool {
        self.claims.iter().all(|claim| claim.met)
    }

    /// The plots as SVG.
    pub fn pictures(&self) -> impl Iterator<Item = String> {
        self.plots.iter().map(Plot::svg)
    }

    /// The files of the evaluation, by name: a page in Markdown, the figures as JSON lines and, for
    /// each table, as Parquet; plots.
    pub fn files(&self) -> Result<Vec<(String, Vec<u8>)>, ParquetError> {
        let mut page = format!("# {}\n\n{}\n\n", self.title, self.setting);
        let mut lines = String::new();
        for plot in &self.plots {
            let _ = writeln!(page, "![{}]({}.svg)\n", plot.title, plot.file);
        }
        if !self.claims.is_empty() {
            page += "| paper | claim | found | |\n| --- | --- | --- | --- |\n";
        }
        for Claim {
            source,
            claim,
            found,
            met,
        } in &self.claims
        {
            let _ = writeln!(page, "| {source} | {claim} | {found} | {} |", verdict(*met));
        }
        for table in &self.tables {
            let _ = write!(page, "\n## {}\n\n{}", table.title, table.markdown());
            for row in table.objects() {
                let line = serde_json::json!({ "table": table.title, "row": row });
                let _ = writeln!(lines, "{line}");
            }
        }
        let mut files = vec![
            (format!("{}.md", self.name), page.into_bytes()),
            (format!("{}.jsonl", self.name), lines.into_bytes()),
        ];
        for (number, table) in (1..).zip(&self.tables) {
            let name = match number {
                1 => format!("{}.parquet", self.name),
                _ => format!("{}-{number}.parquet", self.name),
            };
            files.push((name, parquet(table)?));
        }
        let plots = self.plots.iter();
        files.extend(plots.map(|plot| (format!("{}.svg", plot.file), plot.svg().into_bytes())));
        Ok(files)
    }
}

fn verdict(met: bool) -> &'static str {
    if met { "met" } else { "MISSED" }
}

impl fmt::Display for Evaluation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}\n\n{}", self.title, self.setting)?;
        for table in &self.tables {
            write!(f, "\n{table}")?;
        }
        for claim in &self.claims {
            let verdict = verdict(claim.met);
            writeln!(
                f,
                "\n{verdict}: {} ({})\n  {}",
                claim.claim, claim.source, claim.found
            )?;
        }
        Ok(())
    }
}
