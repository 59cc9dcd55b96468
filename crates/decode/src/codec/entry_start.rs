//! The content that distinguishes an entry from bytes that only look like one.

/// The first bytes of the content of an entry, which distinguish it from bytes that only look like
/// one.
#[derive(Clone, Copy, Debug)]
pub struct EntryStart {
    /// Bytes that [`EntryStart::is_start`] needs, up to [`EntryStart::MOST_BYTES`].
    pub bytes: usize,
    /// Whether these bytes, or a few more, are the beginning of an entry.
    pub is_start: fn(&[u8]) -> bool,
}

impl EntryStart {
    /// The most bytes that are looked at.
    pub const MOST_BYTES: usize = 16;
    /// No bytes.
    pub const NONE: EntryStart = EntryStart {
        bytes: 0,
        is_start: |_| false,
    };
    /// Any bytes, or none.
    pub const ANY: EntryStart = EntryStart {
        bytes: 0,
        is_start: |_| true,
    };
}
