//! A page of Parquet that is too large to be held, as parts of its values.
//!
//! *Input.* The bytes of a page whose values lie one behind the other, as a stream. *Output.* Parts
//! of some [`PART_BYTES`], written as pages of version 1. *Algorithm.* The page is decompressed
//! while it is read. *Memory.* A part, with a value of up to `value_bytes` beyond its size; the
//! levels of the page; the window of its codec. *Limits.* Byte arrays that are not nested: a level
//! has one bit.

use std::io::{self, BufRead, Read};

use crate::page_stream::{PageCodec, page_stream};
use crate::parquet_shapes::PAGE_ADVICE;
use crate::thrift::Compact;

/// Bytes of the values of a part, and values.
pub const PART_BYTES: usize = 1 << 20;
const PART_VALUES: usize = 1 << 13;
/// The levels of a part, which come before its values.
const LEVELS_OF_PART: usize = PART_VALUES / 8 + 16;

/// Levels of a page that are held: a bit for each of its values, at most.
pub const LEVELS_BYTES: u64 = 1 << 20;

/// The header of a page.
#[derive(Clone, Copy, Debug)]
pub struct LargePageShape {
    /// How its values are compressed.
    pub codec: PageCodec,
    /// Whether values may be missing.
    pub is_optional: bool,
    /// Levels that are not compressed, before all (version 2).
    pub levels_bytes: Option<u64>,
    /// Values, those that are missing among them.
    pub values: u64,
    /// Bytes once it is decompressed.
    pub bytes: u64,
    /// Bytes that a value may have.
    pub value_bytes: u64,
}

/// Some values of a page.
#[derive(Debug)]
pub struct PagePart {
    /// Levels, if values may be missing, and values.
    pub bytes: Vec<u8>,
    /// The number of values, those that are missing among them.
    pub values: u32,
}

/// A large page, as far as it was read.
pub struct LargePage {
    values: Box<dyn Read + Send>,
    /// Whether each value is there; `None` if all are.
    levels: Option<Levels>,
    /// Values and bytes that are still to be read.
    values_left: u64,
    bytes_left: u64,
    value_bytes: u64,
    /// Why the value behind the last part cannot be read.
    refusal: Option<io::Error>,
}

impl LargePage {
    /// Begins a page.
    pub fn open(
        mut page: impl BufRead + Send + 'static,
        shape: LargePageShape,
    ) -> io::Result<LargePage> {
        let mut bytes_left = shape.bytes;
        let mut levels = match shape.levels_bytes {
            Some(bytes) => read(&mut page, bytes, &mut bytes_left)?,
            None => Vec::new(),
        };
        let mut values = page_stream(shape.codec, page)?;
        if shape.is_optional && shape.levels_bytes.is_none() {
            let length = read(&mut values, 4, &mut bytes_left)?;
            let length = length.first_chunk().copied().map_or(0, u32::from_le_bytes);
            levels = read(&mut values, length.into(), &mut bytes_left)?;
        }
        Ok(LargePage {
            values,
            levels: shape.is_optional.then_some(Levels {
                bytes: levels,
                at: 0,
                run: PageRun::Same(false, 0),
            }),
            values_left: shape.values,
            bytes_left,
            value_bytes: shape.value_bytes,
            refusal: None,
        })
    }

    /// The next values, at least one; `None` behind the last one.
    pub fn part(&mut self) -> io::Result<Option<PagePart>> {
        if let Some(refusal) = self.refusal.take() {
            return Err(refusal);
        }
        let mut present = Vec::new();
        let mut data = Vec::with_capacity(PART_BYTES + LEVELS_OF_PART);
        while self.values_left > 0 && data.len() < PART_BYTES && present.len() < PART_VALUES {
            let whole = data.len();
            match self.value(&mut data) {
                Ok(is_there) => present.push(is_there),
                Err(error) if present.is_empty() => return Err(error),
                // The values before it come first.
                Err(error) => {
                    data.truncate(whole);
                    self.refusal = Some(error);
                    break;
                }
            }
            self.values_left -= 1;
        }
        if present.is_empty() {
            return Ok(None);
        }
        let mut buffer = Vec::new();
        if self.levels.is_some() {
            // One run of bits.
            let groups = present.len().div_ceil(8);
            let mut run = Vec::new();
            put_varint(&mut run, groups << 1 | 1);
            run.extend(present.chunks(8).map(|bits| {
                let bits = bits.iter().rev();
                bits.fold(0, |byte, bit| byte << 1 | u8::from(*bit))
            }));
            buffer.extend((run.len() as u32).to_le_bytes());
            buffer.extend(run);
        }
        // A large value is not held twice.
        data.splice(0..0, buffer);
        Ok(Some(PagePart {
            bytes: data,
            values: present.len() as u32,
        }))
    }

    /// A value with its length before it, if it is there.
    fn value(&mut self, data: &mut Vec<u8>) -> io::Result<bool> {
        if !self.levels.as_mut().map_or(Ok(true), Levels::next)? {
            return Ok(false);
        }
        let mut length = [0; 4];
        self.values.read_exact(&mut length)?;
        let bytes = u64::from(u32::from_le_bytes(length));
        self.bytes_left = left(self.bytes_left, bytes + 4)?;
        if bytes > self.value_bytes {
            return Err(damaged(format!(
                "a value has {bytes} bytes, at most {} are read of so large a page; {PAGE_ADVICE}",
                self.value_bytes
            )));
        }
        let from = data.len() + length.len();
        data.reserve_exact(length.len() + bytes as usize + LEVELS_OF_PART);
        data.extend(length);
        data.resize(from + bytes as usize, 0);
        self.values.read_exact(&mut data[from..])?;
        Ok(true)
    }
}

/// Some bytes of a page of which so many are left.
fn read(from: &mut dyn Read, bytes: u64, bytes_left: &mut u64) -> io::Result<Vec<u8>> {
    *bytes_left = left(*bytes_left, bytes)?;
    if bytes > LEVELS_BYTES {
        return Err(damaged(format!("a page has {bytes} bytes of levels")));
    }
    let mut out = vec![0; bytes as usize];
    from.read_exact(&mut out)?;
    Ok(out)
}

fn left(bytes: u64, taken: u64) -> io::Result<u64> {
    let left = bytes.checked_sub(taken);
    left.ok_or_else(|| damaged("the page has more values than bytes".to_owned()))
}

fn damaged(what: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what)
}

fn put_varint(out: &mut Vec<u8>, mut number: usize) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Levels of one bit: runs of equal ones, and runs of bits.
struct Levels {
    bytes: Vec<u8>,
    at: usize,
    run: PageRun,
}

enum PageRun {
    /// So many of a value.
    Same(bool, u64),
    /// So many bits from the first bit of the byte at hand on.
    Bits(u64),
}

impl Levels {
    fn next(&mut self) -> io::Result<bool> {
        loop {
            match &mut self.run {
                PageRun::Same(value, count) if *count > 0 => {
                    *count -= 1;
                    return Ok(*value);
                }
                PageRun::Bits(count) if *count > 0 => {
                    let bit = (8 - *count % 8) % 8;
                    let byte = *self.bytes.get(self.at).ok_or_else(too_few)?;
                    *count -= 1;
                    self.at += usize::from(bit == 7);
                    return Ok(byte >> bit & 1 == 1);
                }
                _ => self.begin()?,
            }
        }
    }

    /// The next run.
    fn begin(&mut self) -> io::Result<()> {
        let mut head = Compact {
            rest: self.bytes.get(self.at..).unwrap_or_default(),
        };
        let header = head.varint().ok_or_else(too_few)?;
        self.at = self.bytes.len() - head.rest.len();
        self.run = if header & 1 == 1 {
            PageRun::Bits((header >> 1).saturating_mul(8))
        } else {
            let value = *self.bytes.get(self.at).ok_or_else(too_few)?;
            self.at += 1;
            PageRun::Same(value == 1, header >> 1)
        };
        Ok(())
    }
}

fn too_few() -> io::Error {
    damaged("a page has fewer levels than values".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn levels_are_read_and_no_bytes_panic(
            runs in prop::collection::vec((any::<bool>(), 1_u8..60, any::<[u8; 3]>()), 0..9), noise in prop::collection::vec(any::<u8>(), 0..20),
        ) {
            let (mut bytes, mut expected) = (Vec::new(), Vec::new());
            for (is_same, count, bits) in runs {
                if is_same {
                    bytes.extend([count << 1, bits[0] & 1]);
                    expected.extend(vec![bits[0] & 1 == 1; count.into()]);
                } else {
                    bytes.push(3 << 1 | 1);
                    bytes.extend(bits);
                    expected.extend((0..24).map(|bit| bits[bit / 8] >> (bit % 8) & 1 == 1));
                }
            }
            let levels = |bytes: Vec<u8>| Levels { bytes, at: 0, run: PageRun::Same(false, 0) };
            let mut read = levels(bytes);
            for level in expected {
                prop_assert_eq!(read.next().unwrap(), level);
            }
            prop_assert!(read.next().is_err());
            let mut read = levels(noise);
            for _ in 0..200 {
                let _ = read.next();
            }
        }
    }
}
