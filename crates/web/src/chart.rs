//! Small drawings in SVG. They take their colours from the style of the page, so they are right in
//! the dark and in print; the numbers beside them say the same.

use maud::{Markup, html};

/// A part of a bar.
pub(crate) struct Part {
    /// Its class in the style.
    pub(crate) class: &'static str,
    /// What it is.
    pub(crate) name: &'static str,
    /// How many.
    pub(crate) count: u64,
}

/// One bar that is divided among parts.
pub(crate) fn stacked(label: &str, parts: &[Part]) -> Markup {
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

/// Nodes on a circle and the links between them. `kept` is the node that is marked.
pub(crate) fn graph(names: &[String], kept: Option<usize>, links: &[GraphLink]) -> Markup {
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
                circle.kept[kept == Some(node)] cx=(x) cy=(y) r="7" { title { (name) } }
                @if names.len() <= 20 {
                    text x=(x) y=(y - 11.0) text-anchor="middle" { (name) }
                }
            }
        }
    }
}
