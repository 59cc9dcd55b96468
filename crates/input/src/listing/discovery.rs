//! The parameters of a listing.

use super::passed_over::PassedOver;
use decode::options::{FormatChoice, NamedSource};
use std::path::PathBuf;
use std::sync::Arc;

/// The parameters of a listing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Discovery {
    /// `paths` of the configuration: files, directories, globs, `@lists`.
    pub paths: Vec<String>,
    /// The directory that relative paths are relative to: that of the configuration.
    pub base: PathBuf,
    /// The sources among them; the paths of one come after those of the one before.
    pub sources: Vec<ListedSource>,
    /// The format, or that it is to be found out for each file that is of no source.
    pub format: FormatChoice,
    /// The files and directories that directories and globs leave out.
    pub passed_over: PassedOver,
}

/// A source whose paths are among those of a [`Discovery`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedSource {
    /// The place of its first path. Its last one is before the first of the next source.
    pub first_path: usize,
    /// The source.
    pub source: Arc<NamedSource>,
}

impl Discovery {
    /// The number of the source of a path, from 1; 0 if it is of none.
    pub(super) fn source_of(&self, order: u32) -> usize {
        let is_before = |listed: &ListedSource| listed.first_path <= order as usize;
        self.sources.partition_point(is_before)
    }

    /// All files of `paths`, of any format.
    pub fn of_all(paths: Vec<String>, base: PathBuf) -> Discovery {
        Discovery {
            paths,
            base,
            sources: Vec::new(),
            format: FormatChoice::Auto,
            passed_over: PassedOver::default(),
        }
    }
}
