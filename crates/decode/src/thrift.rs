//! Thrift's compact protocol, read without building anything.
//!
//! *Input.* Bytes of any origin. *Output.* Numbers, and where a value ends; whether values have the
//! shape that they should have. *Memory.* None. *Limits.* Sixteen levels; time grows with the
//! bytes, because every element of a list takes at least one.

/// Thrift's compact protocol, as far as headers and footers need it. `None`: damaged, or longer
/// than the bytes at hand.
pub struct Compact<'a> {
    /// The bytes that are not yet read.
    pub rest: &'a [u8],
}

impl Compact<'_> {
    fn byte(&mut self) -> Option<u8> {
        let (&first, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(first)
    }

    /// A number without a sign.
    pub fn varint(&mut self) -> Option<u64> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(value);
            }
        }
        None
    }

    /// A number with a sign.
    pub fn zigzag(&mut self) -> Option<i64> {
        let value = self.varint()?;
        Some((value >> 1).cast_signed() ^ -((value & 1).cast_signed()))
    }

    /// The type of the next field, whose number goes to `id`; `Some(None)` at the end of the
    /// struct.
    pub fn field(&mut self, id: &mut i64) -> Option<Option<u8>> {
        let byte = self.byte()?;
        if byte == 0 {
            return Some(None);
        }
        let number = match byte >> 4 {
            0 => self.zigzag()?,
            delta => id.checked_add(i64::from(delta))?,
        };
        // Others take the lowest 16 bits of a larger number.
        *id = i16::try_from(number).ok()?.into();
        Some(Some(byte & 0x0f))
    }

    /// How many values of which type follow. A list of booleans is refused: no format read here has
    /// one, and the readers of Parquet take its values for nothing at all, however many there are.
    pub fn list(&mut self) -> Option<(u64, u8)> {
        let byte = self.byte()?;
        let count = match byte >> 4 {
            15 => self.varint()?,
            count => count.into(),
        };
        let is_possible = count == 0 || (byte & 0x0f > 2 && i32::try_from(count).is_ok());
        is_possible.then_some((count, byte & 0x0f))
    }

    /// Passes over a value of this type.
    pub fn skip(&mut self, kind: u8) -> Option<()> {
        self.check(kind, &Shape::Any, &mut 0)
    }

    /// Passes over a value of this type and shape, and adds the bytes of the elements of its lists
    /// to `memory`; `None` if it has another shape.
    pub fn check(&mut self, kind: u8, shape: &Shape, memory: &mut u64) -> Option<()> {
        self.check_to(DEPTH_MAX, kind, shape, memory)
    }

    fn check_to(&mut self, depth: u8, kind: u8, shape: &Shape, memory: &mut u64) -> Option<()> {
        let depth = depth.checked_sub(1)?;
        match (kind, shape) {
            (1 | 2, Shape::Any | Shape::Boolean) => {}
            (3, Shape::Any | Shape::Byte) => drop(self.byte()?),
            (4..=6, Shape::Any | Shape::Number) => drop(self.varint()?),
            (7, Shape::Any | Shape::Double) => self.pass(8)?,
            (8, Shape::Any | Shape::Binary) => {
                let length = self.varint()?;
                self.pass(length)?;
            }
            (9 | 10, Shape::Any | Shape::List(..)) => {
                let (of, bytes) = match *shape {
                    Shape::List(of, bytes) => (of, bytes),
                    _ => (&Shape::Any, 0),
                };
                let (count, kind) = self.list()?;
                for _ in 0..count {
                    *memory += bytes;
                    self.check_to(depth, kind, of, memory)?;
                }
            }
            (11, Shape::Any) => self.pass_map(depth)?,
            (12, Shape::Any | Shape::Fields(_)) => {
                let known = match *shape {
                    Shape::Fields(known) => known,
                    _ => &[],
                };
                let mut id = 0;
                while let Some(kind) = self.field(&mut id)? {
                    let shape = known.iter().find(|(known, _)| *known == id);
                    let shape = shape.map_or(&Shape::Any, |(_, shape)| shape);
                    self.check_to(depth, kind, shape, memory)?;
                }
            }
            (13, Shape::Any) => self.pass(16)?,
            _ => return None,
        }
        Some(())
    }

    fn pass_map(&mut self, depth: u8) -> Option<()> {
        let count = self.varint()?;
        if count == 0 {
            return Some(());
        }
        let kinds = self.byte()?;
        let kinds = [kinds >> 4, kinds & 0x0f];
        if kinds.iter().any(|kind| *kind < 3) {
            return None;
        }
        for _ in 0..count {
            for kind in kinds {
                self.check_to(depth, kind, &Shape::Any, &mut 0)?;
            }
        }
        Some(())
    }

    fn pass(&mut self, bytes: u64) -> Option<()> {
        self.rest = self.rest.get(usize::try_from(bytes).ok()?..)?;
        Some(())
    }
}

/// The required shape of a value. A reader that knows a field may read it in that shape, whatever
/// its type is: only where both agree do all readers find the same values.
#[derive(Clone, Copy, Debug)]
pub enum Shape {
    /// A field that no reader knows: all pass over it.
    Any,
    /// In the type of the field.
    Boolean,
    /// One byte.
    Byte,
    /// Of 16, 32 or 64 bits.
    Number,
    /// Eight bytes.
    Double,
    /// A length and so many bytes.
    Binary,
    /// A struct or union with the shapes of the fields that are known, by number.
    Fields(&'static [(i64, Shape)]),
    /// Elements of one shape; each takes so many bytes in memory.
    List(&'static Shape, u64),
}

/// Levels of values in values.
const DEPTH_MAX: u8 = 16;
