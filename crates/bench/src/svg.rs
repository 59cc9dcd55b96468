//! Plots as SVG: bars and lines, readable on light and on dark pages.
//!
//! *Input.* Labels and values. *Output.* One self-contained SVG. Colours follow the reader's scheme
//! by a media query; the ground is clear. *Limits.* Six series; text is not measured, so labels
//! should be short.

use std::fmt::Write as _;

const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 400.0;
const LEFT: f64 = 80.0;
const BOTTOM: f64 = 50.0;
const TOP: f64 = 40.0;
const RIGHT: f64 = 130.0;

const STYLE: &str = "<style>text{font:13px sans-serif;fill:#222}.t{font-size:15px;font-weight:bold}.g{stroke:#8884}\
.a{stroke:#888}.e{text-anchor:end}.m{text-anchor:middle}\
@media(prefers-color-scheme:dark){text{fill:#ddd}}</style>";

/// Colours that stand out from white and from black.
const COLOURS: [&str; 6] = [
    "#3b82f6", "#ea7317", "#16a34a", "#c026d3", "#b8860b", "#64748b",
];

/// A line of a plot.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// Its name, beside its end.
    pub name: String,
    /// Its points.
    pub points: Vec<(f64, f64)>,
}

/// What is written round a plot.
#[derive(Clone, Copy, Debug)]
pub struct Labels<'a> {
    /// Above it.
    pub title: &'a str,
    /// Below it.
    pub x: &'a str,
    /// Beside it.
    pub y: &'a str,
}

/// Horizontal bars, each with its value.
pub fn bars(labels: Labels<'_>, bars: &[(String, f64)]) -> String {
    let height = TOP + 30.0 * bars.len() as f64 + BOTTOM;
    let (left, most) = (170.0, largest(bars.iter().map(|(_, value)| *value)));
    let mut svg = begin(labels.title, height);
    for (row, (label, value)) in (0_u32..).zip(bars) {
        let y = TOP + 30.0 * f64::from(row);
        let width = (WIDTH - left - RIGHT) * value.max(0.0) / most;
        let colour = COLOURS[row as usize % COLOURS.len()];
        _ = write!(
            svg,
            "<text class=\"e\" x=\"{:.1}\" y=\"{:.1}\">{}</text>",
            left - 8.0,
            y + 15.0,
            escaped(label)
        );
        _ = write!(
            svg,
            "<rect x=\"{left}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"20\" fill=\"{colour}\"/>"
        );
        _ = write!(
            svg,
            "<text x=\"{:.1}\" y=\"{:.1}\">{}</text>",
            left + width + 6.0,
            y + 15.0,
            number(*value)
        );
    }
    let (x, y) = (left + (WIDTH - left - RIGHT) / 2.0, height - 15.0);
    _ = write!(
        svg,
        "<text class=\"m\" x=\"{x:.1}\" y=\"{y:.1}\">{}</text></svg>",
        escaped(labels.x)
    );
    svg
}

/// Lines over a horizontal axis in powers of two; the vertical one begins at zero.
pub fn lines(labels: Labels<'_>, series: &[Series]) -> String {
    let points = || series.iter().flat_map(|series| &series.points);
    let most = largest(points().map(|(_, y)| *y)) * 1.1;
    let (low, high) = points().fold((f64::INFINITY, 1.0_f64), |(low, high), (x, _)| {
        (low.min(*x), high.max(*x))
    });
    let low = if low.is_finite() && low > 0.0 {
        low
    } else {
        1.0
    };
    let span = (high / low).log2().max(1e-9);
    let x_of = |x: f64| LEFT + (WIDTH - LEFT - RIGHT) * (x / low).log2() / span;
    let y_of = |y: f64| HEIGHT - BOTTOM - (HEIGHT - BOTTOM - TOP) * y / most;
    let mut svg = begin(labels.title, HEIGHT);
    for step in 0_u32..=4 {
        let value = most * f64::from(step) / 4.0;
        let (y, right) = (y_of(value), WIDTH - RIGHT);
        _ = write!(
            svg,
            "<line class=\"g\" x1=\"{LEFT}\" x2=\"{right}\" y1=\"{y:.1}\" y2=\"{y:.1}\"/>"
        );
        _ = write!(
            svg,
            "<text class=\"e\" x=\"{:.1}\" y=\"{:.1}\">{}</text>",
            LEFT - 6.0,
            y + 4.0,
            number(value)
        );
    }
    let mut ticks: Vec<f64> = points().map(|(x, _)| *x).collect();
    ticks.sort_by(f64::total_cmp);
    ticks.dedup();
    for x in ticks {
        let (at, below) = (x_of(x), HEIGHT - BOTTOM + 18.0);
        _ = write!(
            svg,
            "<text class=\"m\" x=\"{at:.1}\" y=\"{below:.1}\">{}</text>",
            number(x)
        );
    }
    for (line, colour) in series.iter().zip(COLOURS.iter().cycle()) {
        let path: Vec<String> = line
            .points
            .iter()
            .map(|(x, y)| format!("{:.1},{:.1}", x_of(*x), y_of(*y)))
            .collect();
        _ = write!(
            svg,
            "<polyline fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\" points=\"{}\"/>",
            path.join(" ")
        );
        for (x, y) in &line.points {
            _ = write!(
                svg,
                "<circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"3\" fill=\"{colour}\"/>",
                x_of(*x),
                y_of(*y)
            );
        }
        if let Some((x, y)) = line.points.last() {
            let (x, y) = (x_of(*x) + 8.0, y_of(*y) + 4.0);
            _ = write!(
                svg,
                "<text x=\"{x:.1}\" y=\"{y:.1}\">{}</text>",
                escaped(&line.name)
            );
        }
    }
    let middle = LEFT + (WIDTH - LEFT - RIGHT) / 2.0;
    _ = write!(
        svg,
        "<text class=\"m\" x=\"{middle}\" y=\"{}\">{}</text>",
        HEIGHT - 10.0,
        escaped(labels.x)
    );
    _ = write!(
        svg,
        "<text x=\"{}\" y=\"{}\">{}</text></svg>",
        6.0,
        TOP - 8.0,
        escaped(labels.y)
    );
    svg
}

fn begin(title: &str, height: f64) -> String {
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" role=\"img\" aria-label=\"{0}\">\
         {STYLE}<text class=\"t\" x=\"6\" y=\"18\">{0}</text>",
        escaped(title)
    )
}

fn largest(values: impl Iterator<Item = f64>) -> f64 {
    values
        .filter(|value| value.is_finite())
        .fold(1e-9, f64::max)
}

/// Three digits that matter.
fn number(value: f64) -> String {
    match value.abs() {
        0.0 => "0".to_owned(),
        size if size >= 100.0 => format!("{value:.0}"),
        size if size >= 10.0 => format!("{value:.1}"),
        _ => format!("{value:.2}"),
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    const LABELS: Labels<'_> = Labels {
        title: "A < B",
        x: "x & y",
        y: "s",
    };

    #[test]
    fn bars_are_as_long_as_their_values() {
        let svg = bars(LABELS, &[("one".to_owned(), 2.0), ("two".to_owned(), 1.0)]);
        assert!(
            svg.contains("width=\"420.0\"") && svg.contains("width=\"210.0\""),
            "{svg}"
        );
        assert!(svg.contains("A &lt; B") && svg.contains("x &amp; y") && svg.ends_with("</svg>"));
    }

    #[test]
    fn lines_go_through_their_points() {
        let series = Series {
            name: "all".to_owned(),
            points: vec![(1.0, 0.0), (2.0, 1.0), (4.0, 0.0)],
        };
        let svg = lines(LABELS, &[series]);
        // The middle of a doubling axis, and the ground.
        assert!(
            svg.contains("80.0,350.0") && svg.contains("335.0,") && svg.contains("590.0,350.0"),
            "{svg}"
        );
    }

    #[test]
    fn nothing_to_draw_is_drawn() {
        assert!(lines(LABELS, &[]).ends_with("</svg>") && bars(LABELS, &[]).ends_with("</svg>"));
    }
}
