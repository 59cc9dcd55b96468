//! Files that were listed before: their record, and the check whether it still holds.
//!
//! *Input.* A [`SourceFile`] as it was listed. *Output.* Its root and name, to be kept; later its
//! times and inode as they are now, and what is different. *Algorithm.* One stat a file; the format
//! is not found out again, so nothing is opened.

use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use crate::error::InputError;
use crate::open::lies_in_the_file;
use crate::open_file::{OpenFile, stat_at};
use crate::options::SourceFile;
use model::FileStat;

impl SourceFile {
    /// Its path in two parts: the root, and the name in bytes as it lies there. Joined they are the
    /// path again.
    pub fn root_and_name(&self) -> (&Path, &[u8]) {
        let path = self.path.as_os_str().as_bytes();
        // Bytes that are no UTF-8 look different in the name, but its separators do not.
        let parts = self.name.matches('/').count() + 1;
        let separators = path
            .iter()
            .enumerate()
            .rev()
            .filter(|(_, byte)| **byte == b'/');
        let start = separators.map(|(at, _)| at + 1).nth(parts - 1).unwrap_or(0);
        let (root, name) = path.split_at(start);
        (Path::new(std::ffi::OsStr::from_bytes(root)), name)
    }

    /// Whether the file can be opened now.
    pub fn can_be_opened(&self) -> Result<bool, InputError> {
        match OpenFile::open_regular(&self.path) {
            Ok(_) => Ok(true),
            Err(error) if lies_in_the_file(&error) => Ok(false),
            Err(error) => Err(InputError::io("open", &self.path)(error)),
        }
    }

    /// Looks at the file again: times and inode become those of now; size and format stay as they
    /// were. Says what is different, to be read after the name of the file; `None` if nothing is.
    pub fn look_again(&mut self) -> Option<String> {
        let stat = match stat_at(&self.path) {
            Ok(stat) => stat,
            Err(error) => {
                return Some(match error.kind() {
                    io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => "is gone".to_owned(),
                    io::ErrorKind::InvalidInput => "is not a regular file any more".to_owned(),
                    _ => format!("cannot be accessed ({error})"),
                });
            }
        };
        let (now, before) = (stat.bytes, self.stat.bytes);
        self.stat = FileStat {
            bytes: before,
            ..stat
        };
        (now != before).then(|| format!("has {now} bytes, but had {before} when it was added"))
    }
}
