//! Asks a publication which documents resemble a text of one's own:
//! `cargo run -p pipeline --example like -- pipeline.toml FILE`

use pipeline::{LikeRequest, LikeSearch, LikeWanted, config};
use std::error::Error;
use std::path::Path;

/// Ids and estimated resemblances of the documents like a file, the nearest first.
pub(crate) fn like(path: &Path, file: &Path) -> Result<Vec<(i64, f64)>, Box<dyn Error>> {
    let config = config::load(path)?;
    let request = LikeRequest {
        name: file.into(),
        wanted: LikeWanted::Like,
        limit: 10,
        least: Some(0.5),
        count: None,
    };
    let answer = LikeSearch::open(&config, &request)?.one()?;
    let rows = answer.found.into_iter();
    Ok(rows
        .map(|row| (row.document.doc_id, row.figures.resemblance.value))
        .collect())
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let (Some(path), Some(file)) = (args.next(), args.next()) else {
        return Err("expected pipeline.toml and a file".into());
    };
    for (doc_id, resemblance) in like(Path::new(&path), Path::new(&file))? {
        println!("{doc_id} {resemblance:.3}");
    }
    Ok(())
}
