//! The identity of a file of the input, without a look into it.

/// The size, times and numbers of a file, as the system says them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FileStat {
    /// Size in bytes.
    pub bytes: u64,
    /// Modification time, nanoseconds since 1970; for an object with a strong ETag a digest of it.
    pub modified_ns: i128,
    /// Time of the last change of content, rights or names, nanoseconds since 1970; for an object
    /// the same as `modified_ns`.
    pub changed_ns: i128,
    /// Inode number; for an object a digest of its URL and its ETag.
    pub inode: u64,
    /// Device of the inode; 0 for an object, and where it is not kept.
    pub device: u64,
}

impl FileStat {
    /// The figures that mean the same after a restart of the machine: not the device.
    #[must_use]
    pub fn without_device(self) -> FileStat {
        FileStat { device: 0, ..self }
    }

    /// Whether times or inode differ: then the bytes of two files with the same name and size have
    /// to be compared.
    pub fn is_touched(&self, other: &FileStat) -> bool {
        let of = |stat: &FileStat| (stat.modified_ns, stat.changed_ns, stat.inode);
        of(self) != of(other)
    }
}
