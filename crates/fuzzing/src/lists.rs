//! Lists of documents, as `dedup --remove` reads them.

use crate::containers::directory;
use dedup::{NamedDocument, read_list};
use std::fs;

/// A list of any bytes is refused or read, always alike; each line of a plain one is an entry.
pub(crate) fn id_list(bytes: &[u8]) {
    let path = directory().join("list");
    fs::write(&path, bytes).expect("written");
    let read = || {
        let mut entries = Vec::new();
        let read = read_list(&path, &mut |named| {
            entries.push(match named {
                NamedDocument::Line(text) => text.to_owned(),
                NamedDocument::Columns { doc_id, id } => {
                    assert!(doc_id.is_some() || id.is_some());
                    format!("{doc_id:?} {id:?}")
                }
            });
            Ok(())
        });
        read.map(|()| entries).map_err(|error| error.to_string())
    };
    let found = read();
    assert_eq!(found, read());
    let is_plain = !bytes.starts_with(b"PAR1") && !bytes.iter().any(|byte| b"{\"".contains(byte));
    let Some(text) = std::str::from_utf8(bytes).ok().filter(|_| is_plain) else {
        return;
    };
    let lines = text
        .lines()
        .map(|line| line.trim().trim_start_matches('\u{feff}'));
    let lines: Vec<&str> = lines.filter(|line| !line.is_empty()).collect();
    let head = lines.first().copied().unwrap_or_default();
    if head
        .split(',')
        .all(|field| field != "id" && field != "doc_id")
    {
        assert_eq!(found, Ok(lines.into_iter().map(str::to_owned).collect()));
    }
}
