#![expect(
    unsafe_code,
    reason = "calls into a C library that has no safe interface giving the bytes used"
)]
//! Raw deflate streams (RFC 1951) that lie whole in memory, inflated by libdeflate; and CRC-32.
//!
//! *Input.* Bytes that begin with a stream, and room for what it holds. *Output.* How many bytes
//! were used and made. *Algorithm.* The library's, which picks instructions at run time; one state
//! serves all streams. *Memory.* The state, 11 KiB. *Limits.* A stream that does not fit the room,
//! or is not whole, gives nothing at all.

use std::ptr::NonNull;

use libdeflate_sys::{
    libdeflate_alloc_decompressor, libdeflate_crc32, libdeflate_decompressor,
    libdeflate_deflate_decompress_ex, libdeflate_free_decompressor,
    libdeflate_result_LIBDEFLATE_INSUFFICIENT_SPACE as INSUFFICIENT_SPACE,
    libdeflate_result_LIBDEFLATE_SUCCESS as SUCCESS,
};

/// The result of inflating a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Inflated {
    /// It is inflated: bytes used, bytes made.
    Whole(usize, usize),
    /// It holds more than there is room for; a damaged one may seem to.
    TooLong,
    /// It is damaged, or its end is not among the bytes.
    Failed,
}

/// A decompressor to be used again and again.
pub(crate) struct Inflater(NonNull<libdeflate_decompressor>);

// SAFETY: the state is memory of its own without ties to the thread that made it.
unsafe impl Send for Inflater {}

impl Inflater {
    /// A new one; `None` if there is no memory for it.
    pub(crate) fn new() -> Option<Self> {
        // SAFETY: takes nothing; the pointer is null or valid until it is freed, once, in `drop`.
        NonNull::new(unsafe { libdeflate_alloc_decompressor() }).map(Inflater)
    }

    /// Inflates the stream at the beginning of `bytes` into the beginning of `out`.
    pub(crate) fn inflate(&mut self, bytes: &[u8], out: &mut [u8]) -> Inflated {
        let (mut used, mut made) = (0, 0);
        // SAFETY: the state is valid and ours alone; both ranges are valid for their lengths, the
        // second for writing, and the library goes beyond neither; the two lengths are valid to be
        // written.
        let result = unsafe {
            libdeflate_deflate_decompress_ex(
                self.0.as_ptr(),
                bytes.as_ptr().cast(),
                bytes.len(),
                out.as_mut_ptr().cast(),
                out.len(),
                &raw mut used,
                &raw mut made,
            )
        };
        match result {
            SUCCESS => Inflated::Whole(used, made),
            INSUFFICIENT_SPACE => Inflated::TooLong,
            _ => Inflated::Failed,
        }
    }
}

impl Drop for Inflater {
    fn drop(&mut self) {
        // SAFETY: allocated by `new`, freed here only.
        unsafe { libdeflate_free_decompressor(self.0.as_ptr()) }
    }
}

/// CRC-32 as gzip has it (RFC 1952, 8). `before` is that of the bytes before these, 0 if there are
/// none.
pub(crate) fn crc32(before: u32, bytes: &[u8]) -> u32 {
    // SAFETY: the range is valid for its length.
    unsafe { libdeflate_crc32(before, bytes.as_ptr().cast(), bytes.len()) }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::DeflateEncoder;
    use proptest::prelude::*;

    use super::*;

    fn deflated(content: &[u8], level: u32) -> Vec<u8> {
        let mut encoder = DeflateEncoder::new(Vec::new(), Compression::new(level));
        encoder.write_all(content).unwrap();
        encoder.finish().unwrap()
    }

    proptest! {
        /// The output of the other library is read back, to the byte, whatever follows it and
        /// however much room there is.
        #[test]
        fn streams_are_read_back(
            words in prop::collection::vec(0u16..300, 0..3000), level in 0u32..10, behind in prop::collection::vec(any::<u8>(), 0..40),
            room in 0usize..3,
        ) {
            let content: Vec<u8> = words.iter().flat_map(|word| word.to_string().into_bytes()).collect();
            let stream = deflated(&content, level);
            let mut inflater = Inflater::new().unwrap();
            let mut out = vec![0; content.len() + room];
            let expected = Inflated::Whole(stream.len(), content.len());
            prop_assert_eq!(inflater.inflate(&[&stream[..], &behind].concat(), &mut out), expected);
            prop_assert_eq!(&out[..content.len()], &content[..]);
            if let Some(less) = content.len().checked_sub(1) {
                prop_assert_eq!(inflater.inflate(&stream, &mut out[..less]), Inflated::TooLong);
            }
            // Which of both, is not said.
            let cut = inflater.inflate(&stream[..stream.len() - 1], &mut out);
            prop_assert!(matches!(cut, Inflated::Failed | Inflated::TooLong));
            let mut crc = flate2::Crc::new();
            crc.update(&content);
            let (first, rest) = content.split_at(content.len() / 3);
            prop_assert_eq!(crc32(crc32(0, first), rest), crc.sum());
        }

        /// Any bytes end in an answer, and what is behind the room stays as it was.
        #[test]
        fn no_bytes_write_beyond_the_room(bytes in prop::collection::vec(any::<u8>(), 0..200), room in 0usize..100) {
            let mut out = [7; 200];
            let _ = Inflater::new().unwrap().inflate(&bytes, &mut out[..room]);
            prop_assert!(out[room..].iter().all(|&byte| byte == 7));
        }
    }
}
