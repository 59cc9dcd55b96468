//! Files that are other names of a file that is read: they are left out, and some are named. A file
//! is of all sources that list one of its names.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::fmt;
use std::sync::Arc;

use super::discovery::Discovery;
use super::found::FoundFile;
use super::name::text_of;
use decode::options::NamedSource;

/// The most files that are named.
const NAMED_MOST: usize = 3;

/// The other names of files that are read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LinkedFiles {
    /// How many names are left out.
    pub count: usize,
    /// The first of them, each with the name under which the file is read.
    pub named: Vec<(String, String)>,
}

impl fmt::Display for LinkedFiles {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let named = self.named.iter();
        let named: Vec<String> = named
            .map(|(name, read)| format!("{name:?} is {read:?}"))
            .collect();
        let more = match self.count - self.named.len() {
            0 => String::new(),
            more => format!(", and {more} more"),
        };
        let links = match self.count {
            1 => "1 link to a file that is read".to_owned(),
            count => format!("{count} links to files that are read"),
        };
        write!(f, "{links}: {}{more}", named.join(", "))
    }
}

/// The key that all names of a file have in common.
fn key(file: &FoundFile) -> (u64, u64) {
    (file.stat.device, file.stat.inode)
}

/// The sources of each file, by device and inode.
pub(super) struct SourcesOfLinks<'a> {
    discovery: &'a Discovery,
    /// The places of sources; files of none are not here.
    of: HashMap<(u64, u64), BTreeSet<usize>>,
}

impl<'a> SourcesOfLinks<'a> {
    pub(super) fn of(discovery: &'a Discovery, found: &[FoundFile]) -> SourcesOfLinks<'a> {
        let mut of: HashMap<(u64, u64), BTreeSet<usize>> = HashMap::new();
        for file in found.iter().filter(|_| !discovery.sources.is_empty()) {
            if let Some(source) = discovery.source_of(file.order).checked_sub(1) {
                of.entry(key(file)).or_default().insert(source);
            }
        }
        SourcesOfLinks { discovery, of }
    }

    /// The sources that list a file, in their order.
    pub(super) fn of_file(&self, file: &FoundFile) -> Vec<Arc<NamedSource>> {
        let places = self.of.get(&key(file)).into_iter().flatten();
        let listed = places.filter_map(|place| self.discovery.sources.get(*place));
        listed.map(|listed| Arc::clone(&listed.source)).collect()
    }
}

/// Leaves out what is met a second time, by device and inode. A path that is met twice is no other
/// name.
pub(super) fn leave_out(found: &mut Vec<FoundFile>) -> LinkedFiles {
    let mut linked = LinkedFiles::default();
    let mut first = HashMap::with_capacity(found.len());
    let mut links = HashSet::new();
    let is_first: Vec<bool> = (0..found.len())
        .map(|at| {
            let file = &found[at];
            let read = *first.entry(key(file)).or_insert(at);
            if read != at && found[read].path != file.path && links.insert(&file.path) {
                linked.count += 1;
                if linked.named.len() < NAMED_MOST {
                    let names = [file.name(), found[read].name()].map(text_of);
                    let [name, read] = names;
                    linked.named.push((name, read));
                }
            }
            read == at
        })
        .collect();
    let mut is_first = is_first.into_iter();
    found.retain(|_| is_first.next().unwrap_or(true));
    linked
}

#[cfg(test)]
mod tests {
    use crate::listing::{Discovery, ListedSource, discover, discover_again};
    use decode::options::{FieldNames, Format, FormatChoice, NamedSource};
    use model::FileStat;
    use std::fs;
    use std::sync::Arc;

    #[test]
    fn a_file_is_of_all_sources_that_list_it_and_read_as_the_last_says() {
        let root = tempfile::tempdir().unwrap();
        let path = |name: &str| root.path().join(name);
        fs::create_dir(path("w")).unwrap();
        for name in ["w/a.jsonl", "w/b.jsonl", "c.jsonl"] {
            fs::write(path(name), "{}\n").unwrap();
        }
        fs::hard_link(path("w/b.jsonl"), path("z.jsonl")).unwrap();
        let source = |name: &str, first_path, format| ListedSource {
            first_path,
            source: Arc::new(NamedSource {
                name: name.to_owned(),
                format,
                fields: FieldNames::default(),
                charset: None,
                is_read_otherwise: false,
            }),
        };
        let paths = [".", "w", "c.jsonl", "z.jsonl"];
        let discovery = Discovery {
            sources: vec![
                source("all", 1, FormatChoice::Auto),
                source("text", 3, FormatChoice::Only(Format::Text)),
            ],
            ..Discovery::of_all(paths.map(str::to_owned).into(), root.path().to_owned())
        };
        let listing = discover(&discovery).unwrap();
        let found: Vec<_> = listing
            .files
            .iter()
            .map(|file| {
                let sources: Vec<&str> = file.sources.iter().map(|one| &*one.name).collect();
                (file.name.as_str(), file.format, sources)
            })
            .collect();
        assert_eq!(
            found,
            [
                ("a.jsonl", Format::Jsonl, vec!["all"]),
                ("b.jsonl", Format::Text, vec!["all", "text"]),
                ("c.jsonl", Format::Jsonl, vec!["all"]),
            ]
        );
        assert!(!listing.has_references());
        let discovery = Discovery {
            sources: vec![source("text", 3, FormatChoice::Auto)],
            ..discovery
        };
        assert!(discover(&discovery).unwrap().has_references());
        // The facts that an earlier listing has of a file are of the format of the input.
        let discovery = Discovery {
            sources: vec![source("text", 0, FormatChoice::Only(Format::Text))],
            ..discovery
        };
        let known = |_: &str, _: &FileStat| Some(Ok(Format::Html));
        let listing = discover_again(&discovery, &known).unwrap();
        let is_text = |file: &decode::options::SourceFile| file.format == Format::Text;
        assert!(listing.files.iter().all(is_text));
    }
}
