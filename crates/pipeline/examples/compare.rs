//! Compares two files: `cargo run -p pipeline --example compare -- FILE FILE`

use pipeline::{Basis, CompareRequest};
use std::error::Error;
use std::path::Path;

/// The exact resemblance of two files, and its estimate from their sketches.
pub(crate) fn resemblance(a: &Path, b: &Path) -> Result<(f64, f64), Box<dyn Error>> {
    let request = CompareRequest {
        a: a.into(),
        b: b.into(),
        basis: Basis::Parameters(pipeline::default_config()?),
    };
    let comparison = pipeline::compare(&request, &Default::default())?;
    let exact = comparison.figures.exact.resemblance.value;
    Ok((exact, comparison.figures.estimated.resemblance.value))
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let (Some(a), Some(b)) = (args.next(), args.next()) else {
        return Err("expected two files".into());
    };
    let (exact, estimated) = resemblance(Path::new(&a), Path::new(&b))?;
    println!("exact {exact:.4}, estimated {estimated:.4}");
    Ok(())
}
