//! Small drawings in SVG. They take their colours from the style of the page, so they are right in
//! the dark and in print; the numbers beside them say the same.

use maud::{Markup, html};

/// A part of a bar.
pub(crate) struct BarPart {
    /// Its class in the style.
    pub(crate) class: &'static str,
    /// Its name, shown as a tooltip.
    pub(crate) name: &'static str,
    /// How many.
    pub(crate) count: u64,
}

/// One bar that is divided among parts.
pub(crate) fn stacked(label: &str, parts: &[BarPart]) -> Markup {
    let all: u64 = parts.iter().map(|part| part.count).sum();
    let width = |count: u64| 1000.0 * count as f64 / all.max(1) as f64;
    let mut at = 0;
    let places = parts.iter().map(|part| {
        let start = at;
        at += part.count;
        (part, width(start))
    });
    html! {
        svg.stacked viewBox="0 0 1000 40" preserveAspectRatio="none" role="img" aria-label=(label) {
            @for (part, start) in places {
                rect class=(part.class) x=(start) y="0" width=(width(part.count)) height="40" {
                    title { (part.name) ": " (output::thousands(part.count)) }
                }
            }
        }
    }
}

/// A value between 0 and 1 with its interval.
pub(crate) fn interval(value: f64, low: f64, high: f64) -> Markup {
    let at = |value: f64| 100.0 * value.clamp(0.0, 1.0);
    html! {
        svg.interval viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true" {
            rect.track x="0" y="3" width="100" height="4" {}
            rect.value x="0" y="3" width=(at(value)) height="4" {}
            @if high > low {
                rect.range x=(at(low)) y="0" width=(at(high) - at(low)) height="10" {}
            }
        }
    }
}

/// A link of a graph.
pub(crate) struct GraphLink {
    /// Its ends, as positions among the nodes.
    pub(crate) ends: (usize, usize),
    /// Its resemblance.
    pub(crate) resemblance: f64,
    /// Whether its loss would split the graph.
    pub(crate) is_bridge: bool,
}

/// Nodes on a circle and the links between them. Those of `kept` are marked.
pub(crate) fn graph(names: &[String], kept: &[usize], links: &[GraphLink]) -> Markup {
    let place = |node: usize| {
        let turn = std::f64::consts::TAU * node as f64 / names.len().max(1) as f64;
        (200.0 + 160.0 * turn.sin(), 200.0 - 160.0 * turn.cos())
    };
    html! {
        svg.graph viewBox="0 0 400 400" role="img" aria-label={ "Graph of " (links.len()) " links between " (names.len()) " documents" } {
            @for link in links {
                @let (x1, y1) = place(link.ends.0);
                @let (x2, y2) = place(link.ends.1);
                line.bridge[link.is_bridge] x1=(x1) y1=(y1) x2=(x2) y2=(y2) stroke-width=(0.3 + 1.7 * link.resemblance) {
                    title { (names[link.ends.0]) " – " (names[link.ends.1]) ": " (format!("{:.2}", link.resemblance)) }
                }
            }
            @for (node, name) in names.iter().enumerate() {
                @let (x, y) = place(node);
                circle.kept[kept.contains(&node)] cx=(x) cy=(y) r="7" { title { (name) } }
                @if names.len() <= 20 {
                    text x=(x) y=(y - 11.0) text-anchor="middle" { (name) }
                }
            }
        }
    }
}

/// A place on the axis of a chart from 0 to 1.
pub(crate) struct AxisMark {
    /// Its class in the style.
    pub(crate) class: &'static str,
    /// Where.
    pub(crate) at: f64,
    /// Its name, shown as a tooltip.
    pub(crate) name: String,
}

/// Width of charts, and height without the numbers of the axis.
const WIDTH: f64 = 600.0;
const HEIGHT: f64 = 200.0;

fn axis() -> Markup {
    html! {
        line.axis x1="0" y1=(HEIGHT) x2=(WIDTH) y2=(HEIGHT) {}
        @for (tenth, anchor) in [(0, "start"), (2, "middle"), (4, "middle"), (6, "middle"), (8, "middle"), (10, "end")] {
            text x=(WIDTH * f64::from(tenth) / 10.0) y=(HEIGHT + 20.0) text-anchor=(anchor) { (format!("{:.1}", f64::from(tenth) / 10.0)) }
        }
    }
}

fn marks(marks: &[AxisMark]) -> Markup {
    html! {
        @for mark in marks {
            line class=(mark.class) x1=(WIDTH * mark.at) y1="0" x2=(WIDTH * mark.at) y2=(HEIGHT) { title { (mark.name) } }
        }
    }
}

/// A bar for each of equal parts of the axis from 0 to 1.
pub(crate) fn histogram(label: &str, counts: &[u64], places: &[AxisMark]) -> Markup {
    let most = counts.iter().copied().max().unwrap_or(0).max(1) as f64;
    let width = WIDTH / counts.len().max(1) as f64;
    html! {
        svg.chart viewBox="0 0 600 226" role="img" aria-label=(label) {
            @for (at, count) in counts.iter().enumerate().filter(|(_, count)| **count > 0) {
                @let height = (HEIGHT * *count as f64 / most).max(1.0);
                rect x=(width * at as f64) y=(HEIGHT - height) width=(width * 0.85) height=(height) {
                    title { (format!("from {:.2}", at as f64 / counts.len() as f64)) ": " (output::thousands(*count)) }
                }
            }
            (axis())
            (marks(places))
        }
    }
}

/// Lines over the axis from 0 to 1, each as high as its own highest value. A line is its class in
/// the style, and points.
pub(crate) fn curves(
    label: &str,
    lines: &[(&'static str, Vec<(f64, u64)>)],
    places: &[AxisMark],
) -> Markup {
    let path = |points: &[(f64, u64)]| {
        let most = points.iter().map(|point| point.1).max().unwrap_or(0).max(1) as f64;
        let place = |(at, value): &(f64, u64)| {
            format!(
                "{:.1},{:.1}",
                WIDTH * at,
                HEIGHT - (HEIGHT - 8.0) * *value as f64 / most
            )
        };
        points.iter().map(place).collect::<Vec<_>>().join(" ")
    };
    html! {
        svg.chart viewBox="0 0 600 226" role="img" aria-label=(label) {
            (axis())
            (marks(places))
            @for (class, points) in lines {
                polyline class=(class) points=(path(points)) {}
            }
        }
    }
}

/// A square for each two of some names: the darker, the more. `counts` has a row for each name.
pub(crate) fn heat_map(label: &str, names: &[String], counts: &[Vec<u64>]) -> Markup {
    let most = counts.iter().flatten().copied().max().unwrap_or(0).max(1) as f64;
    let shade = |count: u64| 0.15 + 0.85 * (count as f64).ln_1p() / most.ln_1p();
    let (left, top, side) = (30, 30, 24);
    let size = left + side * names.len();
    html! {
        svg.heat viewBox={ "0 0 " (size) " " (size) } width=(size + size / 10) role="img" aria-label=(label) {
            @for at in 0..names.len() {
                @let middle = 16 + side * at;
                text x=(left - 6) y=(top + middle) text-anchor="end" { (at + 1) title { (names[at]) } }
                text x=(left + 12 + side * at) y=(top - 8) text-anchor="middle" { (at + 1) title { (names[at]) } }
            }
            @for (row, counts) in counts.iter().enumerate() {
                @for (column, count) in counts.iter().enumerate() {
                    rect class=[(*count == 0).then_some("empty")] x=(left + side * column) y=(top + side * row) width=(side - 2) height=(side - 2)
                        fill-opacity=[(*count > 0).then(|| format!("{:.2}", shade(*count)))] {
                        @if *count > 0 {
                            title { (names[row]) " has " (output::thousands(*count)) " copies of pages of " (names[column]) }
                        }
                    }
                }
            }
        }
    }
}
