//! `pipeline tune --tree`: at which resemblance do clusters join?
//!
//! *Input.* As `tune`. *Output.* A line for each join, from the highest resemblance to the lowest,
//! as [`clustering::joins`] finds them; or the same in the format of Newick, which programs that
//! draw trees read: a line for each cluster at the floor, `(12:0.2,(7:0.1,9:0.1):0.1);`. A leaf
//! is a representative, and the leaves of two branches resemble each other by 1 minus their height.
//! *Memory.* As there; for Newick also 64 bytes a join, reserved in `work.memory`.

use super::over_counts;
use config::Config;
use engine::{Engine, Error, Reporter};
use model::{Ratio, Threshold};
use output::thousands;
use serde::Serialize;
use std::collections::BTreeMap;
use std::io::{self, Write};

/// How [`tree`] writes joins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TreeForm {
    /// For people.
    Text,
    /// A JSON object a line.
    JsonLines,
    /// A tree a line, in the format of Newick.
    Newick,
}

/// A line of the tree.
#[derive(Serialize)]
struct TreeJoin {
    resemblance: f64,
    cluster: i64,
    other: i64,
    documents: u64,
}

/// Writes the tree of all clusters down to the floor of the run.
pub fn tree(
    config: &Config,
    form: TreeForm,
    out: &mut (dyn Write + Send),
    reporter: &Reporter,
) -> Result<(), Error> {
    over_counts(config, &[], reporter, |engine| write(engine, form, out))
}

fn write(engine: &Engine<'_>, form: TreeForm, out: &mut dyn Write) -> Result<(), Error> {
    let failed = |source| {
        let table = "tree".to_owned();
        Error::Output(output::OutputError::Write { table, source })
    };
    let ids = engine.public_ids();
    let (mut forest, mut memory) = (Forest::default(), Vec::new());
    if form == TreeForm::Text {
        writeln!(out, "resemblance      cluster        other    documents").map_err(failed)?;
    }
    let lowest = engine.config.floor().unwrap_or(Threshold::hundredths(0));
    clustering::joins(engine, lowest, &mut |join| {
        let join = TreeJoin {
            resemblance: Ratio::new(u64::from(join.shared), u64::from(join.union)).to_f64(),
            cluster: ids.get(join.cluster),
            other: ids.get(join.other),
            documents: join.documents,
        };
        match form {
            TreeForm::Newick => {
                let bytes = 1000 * NEWICK_JOIN_BYTES;
                if forest.len().is_multiple_of(1000) {
                    memory.push(engine.budget.reserve("the tree of clusters", bytes)?);
                }
                forest.join(&join);
                return Ok(());
            }
            TreeForm::Text => writeln!(
                out,
                "{:>11.4} {:>12} {:>12} {:>12}",
                join.resemblance,
                join.cluster,
                join.other,
                thousands(join.documents)
            ),
            TreeForm::JsonLines => serde_json::to_writer(&mut *out, &join)
                .map_err(Into::into)
                .and_then(|()| out.write_all(b"\n")),
        }
        .map_err(failed)
    })?;
    forest.write(out).map_err(failed)
}

/// Bytes of a join in [`Forest`], and of the names of its two clusters.
const NEWICK_JOIN_BYTES: usize = 64;

/// A branch: a document, or the place of a join.
#[derive(Clone, Copy)]
enum Branch {
    Leaf(i64),
    Join(usize),
}

/// Joins as trees.
#[derive(Default)]
struct Forest {
    /// The branches and the height of each.
    joins: Vec<([Branch; 2], f64)>,
    /// The last join of each cluster that is not a part of another one.
    roots: BTreeMap<i64, usize>,
}

impl Forest {
    fn len(&self) -> usize {
        self.joins.len()
    }

    fn join(&mut self, join: &TreeJoin) {
        let mut branch = |cluster| match self.roots.remove(&cluster) {
            Some(place) => Branch::Join(place),
            None => Branch::Leaf(cluster),
        };
        let branches = [branch(join.cluster), branch(join.other)];
        self.roots.insert(join.cluster, self.joins.len());
        self.joins.push((branches, 1.0 - join.resemblance));
    }

    fn height(&self, branch: Branch) -> f64 {
        match branch {
            Branch::Leaf(_) => 0.0,
            Branch::Join(place) => self.joins[place].1,
        }
    }

    /// Writes a tree a line, without recursion: a chain of joins may be long.
    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        for root in self.roots.values() {
            // Each branch with the height above it, and whether its name comes next.
            let mut open = vec![(Branch::Join(*root), None, true)];
            while let Some((branch, above, is_new)) = open.pop() {
                match branch {
                    Branch::Join(place) if is_new => {
                        let ([left, right], height) = self.joins[place];
                        out.write_all(b"(")?;
                        open.push((branch, above, false));
                        open.push((right, Some(height), true));
                        open.push((left, Some(height), true));
                        continue;
                    }
                    Branch::Join(_) => out.write_all(b")")?,
                    Branch::Leaf(document) => write!(out, "{document}")?,
                }
                if let Some(above) = above {
                    write!(out, ":{:.4}", above - self.height(branch))?;
                    let is_left = open.last().is_some_and(|(_, _, is_new)| *is_new);
                    out.write_all(if is_left { b"," } else { b"" })?;
                }
            }
            out.write_all(b";\n")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn newick(joins: &[(f64, i64, i64)]) -> String {
        let mut forest = Forest::default();
        for &(resemblance, cluster, other) in joins {
            forest.join(&TreeJoin {
                resemblance,
                cluster,
                other,
                documents: 0,
            });
        }
        let mut out = Vec::new();
        forest.write(&mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn a_tree_has_the_heights_of_its_joins() {
        let joins = [
            (0.9, 7, 9),
            (0.875, 1, 2),
            (0.8, 3, 7),
            (0.5, 1, 3),
            (0.5, 20, 21),
        ];
        assert_eq!(
            newick(&joins),
            "((1:0.1250,2:0.1250):0.3750,(3:0.2000,(7:0.1000,9:0.1000):0.1000):0.3000);\n\
             (20:0.5000,21:0.5000);\n"
        );
        assert_eq!(newick(&[]), "");
    }

    #[test]
    fn a_long_chain_is_a_deep_tree() {
        let joins: Vec<(f64, i64, i64)> = (1..100_000).map(|n| (0.9, 0, n)).collect();
        let tree = newick(&joins);
        assert!(tree.starts_with("((((") && tree.ends_with(",99999:0.1000);\n"));
        assert_eq!(tree.matches('(').count(), 99_999);
    }
}
