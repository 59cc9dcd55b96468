//! A compressed page of Parquet as a stream.
//!
//! *Input.* Its bytes, and the codec. *Output.* The decompressed bytes. *Algorithm.* Snappy is one
//! block, of which the format allows that a copy reaches back to its beginning. Its encoders work
//! on 64 KiB at a time, so as much is held ([`WINDOW_BYTES`]), and a copy from further back is an
//! error. *Memory.* The window: of zstd up to [`ZSTD_WINDOW_BYTES`].

use std::io::{self, BufRead, Read};

/// Bytes that are held of a block of Snappy, twice.
const WINDOW_BYTES: usize = 64 << 10;

const ZSTD_WINDOW_LOG: u32 = 23;

/// The window that a page of zstd may have.
pub const ZSTD_WINDOW_BYTES: u64 = 1 << ZSTD_WINDOW_LOG;

/// How a page is compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PageCodec {
    /// Not at all.
    Plain,
    /// As one block of Snappy, without frames.
    Snappy,
    /// As members of gzip.
    Gzip,
    /// As frames of zstd.
    Zstd,
}

/// Decompresses a page while it is read.
pub fn page_stream(
    codec: PageCodec,
    page: impl BufRead + Send + 'static,
) -> io::Result<Box<dyn Read + Send>> {
    Ok(match codec {
        PageCodec::Plain => Box::new(page),
        PageCodec::Snappy => Box::new(Snappy::new(page)?),
        PageCodec::Gzip => Box::new(flate2::bufread::MultiGzDecoder::new(page)),
        PageCodec::Zstd => {
            let mut decoder = zstd::stream::read::Decoder::with_buffer(page)?;
            decoder.window_log_max(ZSTD_WINDOW_LOG)?;
            Box::new(decoder)
        }
    })
}

/// A block of Snappy.
struct Snappy<R> {
    input: R,
    /// Bytes that are still to be made.
    left: u64,
    /// Bytes of the literal at hand that are still to be read.
    literal: u64,
    /// The bytes that were made last; the bytes behind `taken` are still to be handed on.
    made: Vec<u8>,
    taken: usize,
}

impl<R: BufRead> Snappy<R> {
    fn new(input: R) -> io::Result<Snappy<R>> {
        let mut snappy = Snappy {
            input,
            left: 0,
            literal: 0,
            made: Vec::with_capacity(3 * WINDOW_BYTES),
            taken: 0,
        };
        for shift in (0..35).step_by(7) {
            let byte = snappy.number(1)?;
            snappy.left |= (byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(snappy);
            }
        }
        Err(damaged("its length has too many bytes"))
    }

    /// Makes more bytes, if there are more.
    fn fill(&mut self) -> io::Result<()> {
        let passed = self.made.len().saturating_sub(WINDOW_BYTES);
        self.made.drain(..passed);
        self.taken = self.made.len();
        while self.left > 0 && self.made.len() < self.taken + WINDOW_BYTES {
            if self.literal == 0 {
                self.element()?;
            } else {
                self.read_literal()?;
            }
        }
        Ok(())
    }

    /// Carries out a copy, or begins a literal.
    fn element(&mut self) -> io::Result<()> {
        let tag = self.number(1)?;
        let (high, kind) = (tag >> 2, tag & 3);
        match kind {
            0 if high < 60 => self.literal = high + 1,
            0 => self.literal = self.number(high - 59)? + 1,
            1 => {
                let offset = (tag >> 5) << 8 | self.number(1)?;
                self.copy(4 + (high & 7), offset)?;
            }
            _ => {
                let offset = self.number(if kind == 2 { 2 } else { 4 })?;
                self.copy(high + 1, offset)?;
            }
        }
        Ok(())
    }

    fn copy(&mut self, length: u64, offset: u64) -> io::Result<()> {
        self.make(length)?;
        let (length, offset) = (length as usize, offset as usize);
        let from = self.made.len().checked_sub(offset).filter(|_| offset > 0);
        let from = from.ok_or_else(|| damaged("a copy reaches back too far"))?;
        if offset >= length {
            self.made.extend_from_within(from..from + length);
        } else {
            // It repeats what it makes.
            (from..from + length).for_each(|at| self.made.push(self.made[at]));
        }
        Ok(())
    }

    /// As much of the literal as is at hand, at most a window.
    fn read_literal(&mut self) -> io::Result<()> {
        let bytes = self.input.fill_buf()?;
        let step = self.literal.min(bytes.len().min(WINDOW_BYTES) as u64);
        if step == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        self.made.extend_from_slice(&bytes[..step as usize]);
        self.input.consume(step as usize);
        self.literal -= step;
        self.make(step)
    }

    /// Counts bytes that are made.
    fn make(&mut self, bytes: u64) -> io::Result<()> {
        let left = self.left.checked_sub(bytes);
        self.left = left.ok_or_else(|| damaged("it is longer than it says"))?;
        Ok(())
    }

    /// A number of so many bytes, little-endian.
    fn number(&mut self, bytes: u64) -> io::Result<u64> {
        let mut number = [0; 8];
        self.input.read_exact(&mut number[..bytes as usize])?;
        Ok(u64::from_le_bytes(number))
    }
}

impl<R: BufRead> Read for Snappy<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if self.taken == self.made.len() {
            self.fill()?;
        }
        let given = out.len().min(self.made.len() - self.taken);
        out[..given].copy_from_slice(&self.made[self.taken..self.taken + given]);
        self.taken += given;
        Ok(given)
    }
}

fn damaged(what: &str) -> io::Error {
    io::Error::new(
        io::ErrorKind::InvalidData,
        format!("a page of Snappy is damaged: {what}"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(bytes: &[u8]) -> io::Result<Vec<u8>> {
        let mut out = Vec::new();
        let page = io::Cursor::new(bytes.to_vec());
        page_stream(PageCodec::Snappy, page)?.read_to_end(&mut out)?;
        Ok(out)
    }

    #[test]
    fn elements_of_snappy_are_read() {
        // "abcd", a copy of 5 from 4 back, a copy of 3 from 1 back by two bytes, by four bytes.
        let block = [
            13,
            3 << 2,
            b'a',
            b'b',
            b'c',
            b'd',
            1 << 2 | 1,
            4,
            1 << 2 | 2,
            1,
            0,
            1 << 2 | 3,
            9,
            0,
            0,
            0,
        ];
        assert_eq!(read(&block).unwrap(), b"abcdabcdaaacd"[..13].to_vec());
        // A literal whose length stands behind its tag.
        let long = [&[200, 1, 60 << 2, 199][..], &[b'x'; 200]].concat();
        assert_eq!(read(&long).unwrap(), [b'x'; 200]);
        assert_eq!(read(&[0]).unwrap(), b"");
        for bad in [
            &[4, 0, b'a'][..],
            &[1, 1 << 2, b'a', b'b'],
            &[9, 0, b'a', 1 << 2 | 1, 2],
            &[9, 0, b'a', 1 << 2 | 1, 0],
            &[0xff; 6],
            &[],
        ] {
            read(bad).unwrap_err();
        }
    }

    proptest! {
        /// The output of an encoder of 64 KiB a block is read; nothing panics.
        #[test]
        fn long_blocks_are_read(seed: u64, length in 0_usize..400_000, bytes in prop::collection::vec(any::<u8>(), 0..40)) {
            let mut state = seed | 1;
            let mut content = Vec::with_capacity(length);
            let mut block = Vec::new();
            let mut left = length as u64;
            while left >= 0x80 {
                block.push(left as u8 | 0x80);
                left >>= 7;
            }
            block.push(left as u8);
            while content.len() < length {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                let (choice, room) = ((state >> 60) as u8, length - content.len());
                let number = (state >> 20) as usize;
                if content.is_empty() || choice < 6 {
                    let size = (1 + number % 300).min(room);
                    block.extend([61 << 2, (size - 1) as u8, ((size - 1) >> 8) as u8]);
                    let literal: Vec<u8> = (0..size).map(|at| (state >> (at % 50)) as u8).collect();
                    block.extend(&literal);
                    content.extend(literal);
                } else {
                    let size = (1 + number % 64).min(room);
                    let offset = 1 + number / 64 % content.len().min(65_535);
                    block.extend([((size - 1) << 2) as u8 | 2, offset as u8, (offset >> 8) as u8]);
                    for _ in 0..size {
                        content.push(content[content.len() - offset]);
                    }
                }
            }
            prop_assert!(read(&block).unwrap() == content);
            let _ = read(&bytes);
        }
    }
}
