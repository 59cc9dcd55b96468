//! Plots of results as SVG, drawn by the library `plotters`.

use anyhow::Result;
use plotters::prelude::*;
use std::path::Path;

/// The points of a line: x, y.
pub(crate) type Series = Vec<(f64, f64)>;

const SIZE: (u32, u32) = (720, 400);

/// Draws named lines over a horizontal axis in powers of two; the vertical axis begins at 0.
pub(crate) fn lines(
    path: &Path,
    title: &str,
    [x, y]: [&str; 2],
    lines: &[(&str, Series)],
) -> Result<()> {
    let points = || lines.iter().flat_map(|(_, points)| points);
    let [right, top] = [
        points().map(|point| point.0).fold(1.0, f64::max),
        points().map(|point| point.1).fold(1e-9, f64::max),
    ];
    let left = points().map(|point| point.0).fold(right, f64::min);
    let root = SVGBackend::new(path, SIZE).into_drawing_area();
    root.fill(&WHITE)?;
    let mut chart = ChartBuilder::on(&root)
        .caption(title, ("sans-serif", 18))
        .margin(10)
        .x_label_area_size(40)
        .y_label_area_size(60)
        .build_cartesian_2d((left..right).log_scale().base(2.0), 0.0..top * 1.1)?;
    chart.configure_mesh().x_desc(x).y_desc(y).draw()?;
    for (number, (name, points)) in lines.iter().enumerate() {
        let colour = Palette99::pick(number).to_rgba();
        chart
            .draw_series(LineSeries::new(
                points.iter().copied(),
                colour.stroke_width(2),
            ))?
            .label(*name)
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 15, y)], colour));
    }
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::UpperRight)
        .background_style(WHITE)
        .draw()?;
    Ok(root.present()?)
}

/// Draws horizontal bars, each with its value.
pub(crate) fn bars(path: &Path, title: &str, x: &str, bars: &[(String, f64)]) -> Result<()> {
    let most = bars.iter().map(|bar| bar.1).fold(1e-9, f64::max);
    let root = SVGBackend::new(path, SIZE).into_drawing_area();
    root.fill(&WHITE)?;
    let mut chart = ChartBuilder::on(&root)
        .caption(title, ("sans-serif", 18))
        .margin(10)
        .x_label_area_size(40)
        .build_cartesian_2d(0.0..most * 1.1, 0.0..bars.len() as f64)?;
    chart
        .configure_mesh()
        .disable_y_mesh()
        .disable_y_axis()
        .x_desc(x)
        .draw()?;
    for (row, (label, value)) in bars.iter().rev().enumerate() {
        let (bottom, colour) = (row as f64, Palette99::pick(row).mix(0.5));
        let text = format!("{label}: {value:.1}");
        let bar = Rectangle::new(
            [(0.0, bottom + 0.1), (*value, bottom + 0.9)],
            colour.filled(),
        );
        chart.draw_series([bar])?;
        let style = ("sans-serif", 14).into_font();
        chart.draw_series([Text::new(text, (most * 0.01, bottom + 0.6), style)])?;
    }
    Ok(root.present()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plots_name_what_they_show() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("plot.svg");
        let points = vec![(1.0, 0.5), (2.0, 1.0), (16.0, 0.25)];
        lines(&path, "A < B", ["times", "us"], &[("sort", points)]).unwrap();
        let svg = std::fs::read_to_string(&path).unwrap();
        for part in ["A &lt; B", "sort", "times", "us", "<polyline", "</svg>"] {
            assert!(svg.contains(part), "{part}: {svg}");
        }
        bars(&path, "by phase", "seconds", &[("pairs".to_owned(), 2.0)]).unwrap();
        let svg = std::fs::read_to_string(&path).unwrap();
        for part in ["by phase", "pairs: 2.0", "seconds", "<rect", "</svg>"] {
            assert!(svg.contains(part), "{part}: {svg}");
        }
        lines(&path, "nothing", ["", ""], &[]).unwrap();
        bars(&path, "nothing", "", &[]).unwrap();
    }
}
