//! Tables of figures: for people, for Markdown, and as JSON.

use output::thousands;
use serde::Serialize;
use serde_json::{Map, Value};
use std::fmt;

/// A figure.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Cell {
    /// A name.
    Text(String),
    /// A count.
    Whole(u64),
    /// A measured or computed value.
    Number(f64),
    /// Not measured.
    Missing,
}

/// Rows of figures under named columns.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    /// The meaning of the rows.
    pub title: String,
    /// A name for each column.
    pub columns: Vec<&'static str>,
    /// As many cells a row as there are columns.
    pub rows: Vec<Vec<Cell>>,
}

/// How figures become cells.
macro_rules! cells {
    ($($figure:ty => $cell:expr),+ $(,)?) => {
        $(impl From<$figure> for Cell {
            fn from(figure: $figure) -> Cell {
                $cell(figure.into())
            }
        })+
    };
}

cells! {
    &str => Cell::Text,
    String => Cell::Text,
    u32 => Cell::Whole,
    u64 => Cell::Whole,
    f64 => Cell::Number,
}

impl From<usize> for Cell {
    fn from(number: usize) -> Cell {
        Cell::Whole(number as u64)
    }
}

impl<T: Into<Cell>> From<Option<T>> for Cell {
    fn from(figure: Option<T>) -> Cell {
        figure.map_or(Cell::Missing, Into::into)
    }
}

/// The cells of a row under the names of their columns.
pub(crate) type FigureRow = Vec<(&'static str, Cell)>;

/// A row of a table: names of columns and the figures under them.
macro_rules! row {
    ($($column:tt: $figure:expr),+ $(,)?) => { vec![$(($column, $crate::Cell::from($figure))),+] };
}
pub(crate) use row;

/// A value with four digits that say something.
pub(crate) fn figure(value: f64) -> String {
    match value.abs() {
        size if size >= 1e6 || (size > 0.0 && size < 1e-4) => format!("{value:.1e}"),
        size if size >= 1000.0 => format!("{value:.0}"),
        size if size >= 100.0 => format!("{value:.1}"),
        size if size >= 10.0 => format!("{value:.2}"),
        size if size >= 1.0 => format!("{value:.3}"),
        0.0 => "0".to_owned(),
        _ => format!("{value:.4}"),
    }
}

impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Cell::Text(text) => f.write_str(text),
            Cell::Whole(number) => f.write_str(&thousands(*number)),
            Cell::Number(number) => f.write_str(&figure(*number)),
            Cell::Missing => f.write_str("–"),
        }
    }
}

impl Table {
    /// A table of these rows, which all have the same columns.
    pub(crate) fn new(
        title: impl Into<String>,
        rows: impl IntoIterator<Item = FigureRow>,
    ) -> Table {
        let mut table = Table {
            title: title.into(),
            columns: Vec::new(),
            rows: Vec::new(),
        };
        rows.into_iter().for_each(|row| table.push(row));
        table
    }

    /// Adds a row. It names the columns.
    pub(crate) fn push(&mut self, row: FigureRow) {
        let cells;
        (self.columns, cells) = row.into_iter().unzip();
        self.rows.push(cells);
    }

    /// The numbers of a column, without cells that are no number.
    pub(crate) fn column(&self, column: &str) -> Vec<f64> {
        self.numbers(column).flatten().collect()
    }

    /// The numbers of a column in the rows that begin with a name, without cells that are no
    /// number.
    pub(crate) fn column_of(&self, column: &str, name: &str) -> Vec<f64> {
        let rows = self.numbers(column).zip(&self.rows);
        let of_name = rows.filter(|(_, row)| row.first() == Some(&Cell::from(name)));
        of_name.filter_map(|(number, _)| number).collect()
    }

    /// The numbers of a column, row by row; none for what is no number.
    pub(crate) fn numbers(&self, column: &str) -> impl Iterator<Item = Option<f64>> {
        let at = self.columns.iter().position(|name| *name == column);
        self.rows.iter().map(move |row| match row.get(at?)? {
            Cell::Whole(number) => Some(*number as f64),
            Cell::Number(number) => Some(*number),
            Cell::Text(_) | Cell::Missing => None,
        })
    }

    /// The points that two columns make.
    pub(crate) fn points(&self, columns: [&str; 2]) -> Vec<(f64, f64)> {
        self.points_where(columns, |_| true)
    }

    /// The points that two columns make, of the rows that begin with a cell.
    pub(crate) fn points_of(&self, columns: [&str; 2], first: impl Into<Cell>) -> Vec<(f64, f64)> {
        let first = first.into();
        self.points_where(columns, |row| row.first() == Some(&first))
    }

    /// The points that two columns make, of the rows that `choose` takes.
    pub(crate) fn points_where(
        &self,
        [x, y]: [&str; 2],
        choose: impl Fn(&[Cell]) -> bool,
    ) -> Vec<(f64, f64)> {
        let points = self.numbers(x).zip(self.numbers(y)).zip(&self.rows);
        let chosen = points.filter(|(_, row)| choose(row));
        chosen.filter_map(|((x, y), _)| Some((x?, y?))).collect()
    }

    /// A JSON object for each row.
    pub(crate) fn objects(&self) -> impl Iterator<Item = Value> {
        self.rows.iter().map(|row| {
            let cells = self.columns.iter().zip(row);
            let pairs = cells.map(|(name, cell)| ((*name).to_owned(), serde_json::json!(cell)));
            Value::Object(pairs.collect::<Map<String, Value>>())
        })
    }

    pub(crate) fn markdown(&self) -> String {
        let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
        let mut text = line(self.columns.iter().map(|name| (*name).to_owned()).collect());
        text += &line(vec!["---".to_owned(); self.columns.len()]);
        for row in &self.rows {
            text += &line(row.iter().map(Cell::to_string).collect());
        }
        text
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = self.columns.iter().map(|name| Cell::from(*name)).collect();
        let lines: Vec<Vec<String>> = std::iter::once(&names)
            .chain(&self.rows)
            .map(|row| row.iter().map(Cell::to_string).collect())
            .collect();
        writeln!(f, "{}", self.title)?;
        for line in &lines {
            let mut text = String::new();
            for (at, cell) in line.iter().enumerate() {
                let columns = lines.iter().filter_map(|line| line.get(at));
                let width = columns.map(|cell| cell.chars().count()).max().unwrap_or(0);
                let is_name = matches!(
                    self.rows.first().and_then(|row| row.get(at)),
                    Some(Cell::Text(_))
                );
                text += &if is_name {
                    format!("  {cell:<width$}")
                } else {
                    format!("  {cell:>width$}")
                };
            }
            writeln!(f, "{}", text.trim_end())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Table {
        Table::new(
            "times",
            [
                row! { "method": "sets", "n": 12_000_usize, "s": 0.25 },
                row! { "method": "minima", "n": 7_usize, "s": None::<f64> },
            ],
        )
    }

    #[test]
    fn a_table_has_three_forms() {
        assert_eq!(
            table().to_string(),
            "times\n  method       n       s\n  sets    12,000  0.2500\n  minima       7       –\n"
        );
        assert_eq!(
            table().markdown(),
            "| method | n | s |\n| --- | --- | --- |\n| sets | 12,000 | 0.2500 |\n| minima | 7 | – |\n"
        );
        let lines: Vec<String> = table().objects().map(|row| row.to_string()).collect();
        assert_eq!(
            lines,
            [
                r#"{"method":"sets","n":12000,"s":0.25}"#,
                r#"{"method":"minima","n":7,"s":null}"#
            ]
        );
        assert_eq!(table().points(["n", "s"]), [(12_000.0, 0.25)]);
    }

    #[test]
    fn figures_have_four_digits() {
        let figures = [0.0, 0.333_33, 2.5, 12.345, 234.56, 6789.4, 2.5e7, 1.5e-17].map(figure);
        assert_eq!(
            figures,
            [
                "0", "0.3333", "2.500", "12.35", "234.6", "6789", "2.5e7", "1.5e-17"
            ]
        );
    }
}
