//! Plots of lines as SVG, of a few kilobytes each.

use crate::table::figure;
use std::fmt::Write;

/// An axis and its name.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Axis {
    /// From 0 or the least value on.
    Linear(&'static str),
    /// In powers of ten.
    Logarithmic(&'static str),
}

impl Axis {
    fn name(self) -> &'static str {
        let (Axis::Linear(name) | Axis::Logarithmic(name)) = self;
        name
    }
}

/// The points of a named line.
#[derive(Clone, Debug)]
pub(crate) struct Line {
    name: String,
    points: Vec<(f64, f64)>,
}

impl Line {
    /// A line through these points ⟨x, y⟩.
    pub(crate) fn new(name: impl Into<String>, points: impl Into<Vec<(f64, f64)>>) -> Line {
        Line {
            name: name.into(),
            points: points.into(),
        }
    }
}

/// Lines over two axes.
#[derive(Clone, Debug)]
pub(crate) struct Plot {
    /// The name of its file, without the ending.
    pub(crate) file: &'static str,
    pub(crate) title: String,
    x: Axis,
    y: Axis,
    lines: Vec<Line>,
}

/// The picture and the rectangle of the axes in it: left, top, right, bottom.
const SIZE: (f64, f64) = (640.0, 360.0);
const FRAME: [f64; 4] = [70.0, 48.0, 450.0, 310.0];

const COLOURS: [&str; 8] = [
    "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#999999",
];

/// An axis over the values it shows.
struct Scale {
    is_log: bool,
    low: f64,
    high: f64,
}

impl Scale {
    /// The scale of some values; values that a logarithm does not have are left out.
    fn new(axis: Axis, values: impl Iterator<Item = f64>) -> Scale {
        let is_log = matches!(axis, Axis::Logarithmic(_));
        let values: Vec<f64> = values.filter(|value| !is_log || *value > 0.0).collect();
        let least = values.iter().copied().fold(f64::INFINITY, f64::min);
        let most = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let [low, high] = match (is_log, values.is_empty()) {
            (_, true) => [1.0, 10.0],
            (true, _) => [least.log10(), most.log10()].map(|end| 10.0_f64.powf(end)),
            (false, _) => [least.min(0.0), most],
        };
        let high = if high > low { high } else { low + 1.0 };
        Scale { is_log, low, high }
    }

    /// The place of a value, from 0 to 1.
    fn place(&self, value: f64) -> Option<f64> {
        if !self.is_log {
            return Some((value - self.low) / (self.high - self.low));
        }
        let (low, high) = (self.low.log10(), self.high.log10());
        (value > 0.0).then(|| (value.log10() - low) / (high - low))
    }

    /// The values that get a number: powers of ten, or about five round steps.
    fn round_values(&self) -> Vec<f64> {
        if self.is_log {
            let (low, high) = (self.low.log10().ceil(), self.high.log10().floor());
            let (low, high) = (low as i32, high as i32);
            let powers = (low..=high).step_by(((high - low) / 6 + 1) as usize);
            return powers.map(|power| 10.0_f64.powi(power)).collect();
        }
        let rough = (self.high - self.low) / 5.0;
        let unit = 10.0_f64.powf(rough.log10().floor());
        let factors = [1.0, 2.0, 5.0, 10.0].into_iter();
        let factors = factors.filter(|factor| factor * unit >= rough);
        let step = unit * factors.fold(10.0, f64::min);
        let first = (self.low / step).ceil() as i64;
        let last = (self.high / step + 1e-9).floor() as i64;
        (first..=last).map(|number| number as f64 * step).collect()
    }

    /// The values that get a number, with their places.
    fn ticks(&self) -> impl Iterator<Item = (f64, f64)> {
        let values = self.round_values().into_iter();
        values.filter_map(|value| Some((value, self.place(value)?)))
    }
}

/// A text as it stands in XML.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

impl Plot {
    /// Lines over a horizontal and a vertical axis.
    pub(crate) fn new(
        file: &'static str,
        title: impl Into<String>,
        [x, y]: [Axis; 2],
        lines: impl IntoIterator<Item = Line>,
    ) -> Plot {
        Plot {
            file,
            title: title.into(),
            x,
            y,
            lines: lines.into_iter().collect(),
        }
    }

    /// The picture.
    pub(crate) fn svg(&self) -> String {
        let [left, top, right, bottom] = FRAME;
        let points = || self.lines.iter().flat_map(|line| &line.points);
        let x = Scale::new(self.x, points().map(|point| point.0));
        let y = Scale::new(self.y, points().map(|point| point.1));
        let across = |place: f64| left + place * (right - left);
        let up = |place: f64| bottom - place * (bottom - top);
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {} {}\" font-family=\"sans-serif\" font-size=\"12\">\n\
             <rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n",
            SIZE.0, SIZE.1
        );
        let text = |x: f64, y: f64, anchor: &str, text: &str| {
            let text = escaped(text);
            format!("<text x=\"{x:.0}\" y=\"{y:.0}\" text-anchor=\"{anchor}\">{text}</text>\n")
        };
        svg += &text(left, 16.0, "start", &self.title);
        svg += &text((left + right) / 2.0, bottom + 38.0, "middle", self.x.name());
        svg += &text(4.0, top - 14.0, "start", self.y.name());
        let mut grid = String::new();
        for (tick, at) in x.ticks() {
            let at = across(at);
            let _ = write!(grid, "M{at:.1} {top}V{bottom}");
            svg += &text(at, bottom + 18.0, "middle", &short(tick));
        }
        for (tick, at) in y.ticks() {
            let at = up(at);
            let _ = write!(grid, "M{left} {at:.1}H{right}");
            svg += &text(left - 6.0, at + 4.0, "end", &short(tick));
        }
        let _ = writeln!(svg, "<path d=\"{grid}\" stroke=\"#ddd\"/>");
        let colours = COLOURS.iter().cycle();
        for (number, (line, colour)) in self.lines.iter().zip(colours).enumerate() {
            let places = line.points.iter().filter_map(|point| {
                let (x, y) = (across(x.place(point.0)?), up(y.place(point.1)?));
                Some(format!("{x:.1},{y:.1}"))
            });
            let places: Vec<String> = places.collect();
            let _ = writeln!(
                svg,
                "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"/>",
                places.join(" ")
            );
            let row = top + 10.0 + 18.0 * number as f64;
            let from = right + 12.0;
            let _ = writeln!(
                svg,
                "<path d=\"M{from} {row}h18\" stroke=\"{colour}\" stroke-width=\"2\"/>"
            );
            svg += &text(from + 24.0, row + 4.0, "start", &line.name);
        }
        svg + "</svg>\n"
    }
}

/// A number at an axis.
fn short(value: f64) -> String {
    let text = figure(value);
    match text.contains('.') && !text.contains('e') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text.replace(".0e", "e"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plot_names_its_lines_and_axes() {
        let [k, seconds] = [Axis::Linear("k"), Axis::Logarithmic("seconds")];
        let points = [(0.0, 0.1), (10.0, 100.0), (5.0, 0.0)];
        let lines = [Line::new("sets & minima", points)];
        let svg = Plot::new("plot", "a < b", [k, seconds], lines).svg();
        for part in [
            "a &lt; b",
            "sets &amp; minima",
            "seconds",
            ">k<",
            ">10<",
            ">100<",
            "</svg>",
        ] {
            assert!(svg.contains(part), "{part}: {svg}");
        }
        // The lower left corner and the upper right one; a value of 0 has no logarithm.
        assert!(svg.contains("points=\"70.0,310.0 450.0,48.0\""), "{svg}");
        let empty = Plot::new("plot", "", [seconds, k], []).svg();
        assert!(empty.ends_with("</svg>\n"));
    }

    #[test]
    fn ticks_are_round() {
        let ticks = |is_log, low, high| Scale { is_log, low, high }.round_values();
        let expected = [0.0, 0.2, 0.4, 0.6000000000000001, 0.8];
        assert_eq!(ticks(false, 0.0, 0.9), expected);
        assert_eq!(ticks(false, 2.0, 20.0), [5.0, 10.0, 15.0, 20.0]);
        assert_eq!(ticks(true, 0.05, 200.0), [0.1, 1.0, 10.0, 100.0]);
        assert_eq!(short(0.6000000000000001), "0.6");
    }
}
