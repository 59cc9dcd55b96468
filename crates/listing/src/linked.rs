//! Files that are other names of a file that is read: they are left out, and some are named.

use std::collections::{HashMap, HashSet};
use std::fmt;

use super::found::FoundFile;
use super::name::text_of;

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

/// Leaves out what is met a second time, by device and inode. A path that is met twice is no other
/// name.
pub(super) fn leave_out(found: &mut Vec<FoundFile>) -> LinkedFiles {
    let mut linked = LinkedFiles::default();
    let mut first = HashMap::with_capacity(found.len());
    let mut links = HashSet::new();
    let is_first: Vec<bool> = (0..found.len())
        .map(|at| {
            let file = &found[at];
            let inode = (file.figures.device, file.figures.inode);
            let read = *first.entry(inode).or_insert(at);
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
