//! Opens a publication and prints the URLs of all copies of a page:
//! `cargo run -p pipeline --example copies -- pipeline.toml URL`

use pipeline::{config, query};
use std::error::Error;
use std::path::Path;

/// URLs of the documents in the cluster of a page; none if it is alone.
pub(crate) fn copies(path: &Path, url: &str) -> Result<Vec<String>, Box<dyn Error>> {
    let config = config::load(path)?;
    let index = query::open(&config)?;
    let answer = query::by_url(&index, url, 1000)?;
    let members = answer.members.into_iter();
    Ok(members.filter_map(|member| member.url).collect())
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let (Some(path), Some(url)) = (args.next(), args.next()) else {
        return Err("expected pipeline.toml and a URL".into());
    };
    for copy in copies(Path::new(&path), &url)? {
        println!("{copy}");
    }
    Ok(())
}
