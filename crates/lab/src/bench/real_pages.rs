//! Real pages in the formats of crawls, repeated until there are enough bytes.
//!
//! *Input.* A directory with HTML files. *Output.* Files of a [`Container`]. *Algorithm.* The pages
//! in byte order of their paths, from the beginning again after the last; for JSONL their text
//! between tags, without scripts and styles. *Memory.* All pages of the directory. *Limits.* Bytes
//! that are no UTF-8 are replaced. Repeated pages cost `sketch` as much as others, but not the
//! phases after it.

use crate::bench::altavista::pages::{Container, ContainerWriter, Page, PageTotals};
use crate::bench::files;
use anyhow::{Context, Result, ensure};
use std::path::Path;

/// Bytes of pages in a file.
const FILE_BYTES: u64 = 64 << 20;

/// The pages of a directory.
#[derive(Clone, Debug)]
pub(crate) struct RealPages {
    /// The last part of the directory's path.
    pub(crate) name: String,
    /// The pages with their markup.
    pub(crate) pages: Vec<String>,
}

impl RealPages {
    /// Reads all pages below a directory.
    pub(crate) fn read(dir: &Path) -> Result<RealPages> {
        let pages = read_below(dir, &|name| name.contains(".htm"))?;
        ensure!(
            !pages.is_empty(),
            "failed to find pages below {}",
            dir.display()
        );
        let name = dir.file_name().unwrap_or_default();
        let name = name.to_string_lossy().into_owned();
        Ok(RealPages { name, pages })
    }

    /// Writes at least so many bytes of them into `dir`, which must be there.
    pub(crate) fn write(&self, container: Container, bytes: u64, dir: &Path) -> Result<PageTotals> {
        let bodies: Vec<String> = match container {
            Container::Jsonl => self.pages.iter().map(|page| text_of(page)).collect(),
            _ => self.pages.clone(),
        };
        ensure!(
            bodies.iter().any(|body| !body.is_empty()),
            "failed to find text in the pages of {}",
            self.name
        );
        let mut sum = PageTotals::default();
        let (mut page, mut numbers) = (Page::default(), 0..);
        let mut bodies = bodies.iter().cycle();
        while sum.bytes < bytes {
            let mut file = ContainerWriter::create(
                container,
                &dir.join(format!("part-{:06}", numbers.start)),
            )?;
            let mut filled = 0;
            while filled < FILE_BYTES.min(bytes - sum.bytes) {
                let (Some(body), Some(number)) = (bodies.next(), numbers.next()) else {
                    break;
                };
                page.url = format!("https://{}.example/{number}", self.name);
                page.body.clone_from(body);
                filled += body.len() as u64;
                file.add(number, &page)?;
            }
            sum += file.finish()?;
        }
        Ok(sum)
    }
}

/// A page without its markup; references stay as they are.
fn text_of(page: &str) -> String {
    let mut text = String::with_capacity(page.len() / 2);
    let mut rest = page;
    while let Some((before, markup)) = rest.split_once('<') {
        text.push_str(before);
        let lower = markup.get(..6).unwrap_or_default().to_ascii_lowercase();
        let end = if lower.starts_with("script") {
            "</script>"
        } else if lower.starts_with("style") {
            "</style>"
        } else if markup.starts_with("!--") {
            "-->"
        } else {
            ">"
        };
        rest = markup.split_once(end).map_or("", |(_, behind)| behind);
    }
    text + rest
}

/// Reads the files below a directory whose names are `wanted`, in byte order of their paths.
pub(crate) fn read_below(dir: &Path, wanted: &dyn Fn(&str) -> bool) -> Result<Vec<String>> {
    let failed = || format!("failed to read {}", dir.display());
    let entries = std::fs::read_dir(dir).with_context(failed)?;
    let mut entries: Vec<_> = entries.collect::<Result<_, _>>().with_context(failed)?;
    entries.sort_by_key(std::fs::DirEntry::file_name);
    let mut pages = Vec::new();
    for entry in entries {
        let path = entry.path();
        if path.is_dir() {
            pages.extend(read_below(&path, wanted)?);
        } else if wanted(&entry.file_name().to_string_lossy()) {
            pages.push(files::read(&path)?);
        }
    }
    Ok(pages)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_repeated_until_there_are_enough_bytes() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(
            dir.path().join("a.html"),
            "<p>one <b>two</b><!-- no > --> three<STYLE>p{}</STYLE></p>",
        )
        .unwrap();
        std::fs::write(
            dir.path().join("b.htm"),
            "four<script>if (a > b) {}</script> five",
        )
        .unwrap();
        let pages = RealPages::read(dir.path()).unwrap();
        let out = tempfile::tempdir().unwrap();
        let written = pages.write(Container::Jsonl, 30, out.path()).unwrap();
        assert_eq!((written.documents, written.bytes), (3, 13 + 9 + 13));
        let lines = std::fs::read_to_string(out.path().join("part-000000.jsonl")).unwrap();
        let texts = lines
            .lines()
            .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap()["text"].clone());
        assert_eq!(
            texts.collect::<Vec<_>>(),
            ["one two three", "four five", "one two three"]
        );
        assert_eq!(
            pages
                .write(Container::Warc, 100, out.path())
                .unwrap()
                .documents,
            3
        );
    }
}
