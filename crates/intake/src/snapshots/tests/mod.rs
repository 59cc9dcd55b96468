//! The list as bytes, and what is taken in.

mod bytes;
mod damaged;
mod intake;

use super::{Snapshot, store, write};
use std::path::Path;

/// The list as text.
fn text(snapshots: &[Snapshot]) -> String {
    let mut bytes = Vec::new();
    write::list(snapshots, &mut bytes).expect("a Vec takes everything");
    String::from_utf8(bytes).expect("UTF-8")
}

/// The snapshots of a text, or what is wrong with it.
fn read(text: impl AsRef<[u8]>) -> Result<Vec<Snapshot>, String> {
    store::read(&mut text.as_ref(), Path::new("snapshots.toml")).map_err(|error| {
        assert_eq!(error.exit_code(), 2, "{error}");
        error.to_string()
    })
}
