//! Fixed-width records: their bytes on disk, and the properties a sort uses.
//!
//! A record is a plain struct; [`record!`](crate::record!) lists its fields in the order of their
//! bytes. The order of the fields in the struct is the order of the sort (derived `Ord`), so the
//! two may differ. Bytes are little-endian and packed, without padding.

/// A value of fixed width inside a record: a number, an array of values, another record.
pub trait Field: Copy {
    /// Width in bytes.
    const WIDTH: usize;
    /// Writes the value into `bytes`, which are [`Field::WIDTH`] long.
    fn write(&self, bytes: &mut [u8]);
    /// Reads a value back from [`Field::WIDTH`] bytes.
    fn read(bytes: &[u8]) -> Self;

    /// Writes the value at `at` and moves `at` behind it.
    #[inline]
    fn put(&self, bytes: &mut [u8], at: &mut usize) {
        let end = *at + Self::WIDTH;
        self.write(&mut bytes[*at..end]);
        *at = end;
    }

    /// Reads the value at `at` and moves `at` behind it.
    #[inline]
    fn take(bytes: &[u8], at: &mut usize) -> Self {
        let end = *at + Self::WIDTH;
        let value = Self::read(&bytes[*at..end]);
        *at = end;
        value
    }
}

/// Width of a field, given a function that selects it: [`record!`](crate::record!) knows the names
/// of fields and not their types.
pub const fn width_of<S, F: Field>(_select: fn(&S) -> &F) -> usize {
    F::WIDTH
}

macro_rules! number_fields {
    ($($number:ty),+) => {$(
        impl Field for $number {
            const WIDTH: usize = size_of::<$number>();
            #[inline]
            fn write(&self, bytes: &mut [u8]) {
                bytes.copy_from_slice(&self.to_le_bytes());
            }
            #[inline]
            fn read(bytes: &[u8]) -> Self {
                let mut number = [0; Self::WIDTH];
                number.copy_from_slice(bytes);
                <$number>::from_le_bytes(number)
            }
        }
    )+};
}

number_fields!(u8, u32, u64, u128, i64);

/// 0 or 1.
impl Field for bool {
    const WIDTH: usize = 1;
    #[inline]
    fn write(&self, bytes: &mut [u8]) {
        bytes[0] = u8::from(*self);
    }
    #[inline]
    fn read(bytes: &[u8]) -> Self {
        bytes[0] != 0
    }
}

impl<F: Field, const N: usize> Field for [F; N] {
    const WIDTH: usize = F::WIDTH * N;
    #[inline]
    fn write(&self, bytes: &mut [u8]) {
        for (value, slot) in self.iter().zip(bytes.chunks_exact_mut(F::WIDTH)) {
            value.write(slot);
        }
    }
    #[inline]
    fn read(bytes: &[u8]) -> Self {
        std::array::from_fn(|at| F::read(&bytes[at * F::WIDTH..(at + 1) * F::WIDTH]))
    }
}

/// A fixed-width value that can be sorted on disk. [`record!`](crate::record!) implements it.
///
/// `Ord` is the order of the sort; encodings need not be order-preserving.
pub trait Record: Field + Ord + Send + Sync + 'static {
    /// Encoded width in bytes.
    const SIZE: usize = Self::WIDTH;
    /// Writes the record into `bytes`, which are [`Record::SIZE`] long.
    #[inline]
    fn encode(&self, bytes: &mut [u8]) {
        self.write(&mut bytes[..Self::SIZE]);
    }
    /// Reads a record back from [`Record::SIZE`] bytes.
    #[inline]
    fn decode(bytes: &[u8]) -> Self {
        Self::read(&bytes[..Self::SIZE])
    }
    /// The first bits of the key as a number that keeps the order: `a <= b` gives `a.prefix() <=
    /// b.prefix()`.
    ///
    /// Sorting partitions records by their prefixes before it compares them, so the prefix should
    /// tell most records apart. Records that a sort joins into one must have equal prefixes.
    #[inline]
    fn prefix(&self) -> u64 {
        0
    }
    /// Whether the prefix and a number determine the record: [`Record::number`] and
    /// [`Record::numbered`].
    const NUMBERED: bool = false;
    /// The part of the record that its prefix leaves out, if the record is numbered.
    #[inline]
    fn number(&self) -> u32 {
        0
    }
    /// The record with this prefix and number; `None` if the record is not numbered.
    #[inline]
    fn numbered(_prefix: u64, _number: u32) -> Option<Self> {
        None
    }
    /// Whether sorted records have a shorter form: [`Record::pack`].
    const PACKED: bool = false;
    /// Appends the short form of some records.
    fn pack(_records: &[Self], _bytes: &mut Vec<u8>) {}
    /// Appends the `count` records that `bytes` pack; `None` if the bytes are damaged.
    fn unpack(_bytes: &[u8], _count: usize, _records: &mut Vec<Self>) -> Option<()> {
        None
    }
}

/// Implements [`Record`] and [`Field`] for a struct from the list of its fields in the order of
/// their bytes. Each field must be a [`Field`]; a field left out does not compile.
///
/// The prefix follows as a closure, or further items of the implementation in braces. Constant
/// parameters of the struct stand before its name.
///
/// ```
/// use model::{Record, record};
///
/// /// Sorted by key, then rank; 13 bytes on disk.
/// #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
/// struct Wanted {
///     key: u64,
///     rank: u8,
///     doc: u32,
/// }
///
/// record! { Wanted { key, doc, rank }, |wanted| wanted.key }
///
/// let wanted = Wanted { key: 7, rank: 1, doc: 0x0203 };
/// let mut bytes = [0; Wanted::SIZE];
/// wanted.encode(&mut bytes);
/// assert_eq!(bytes, [7, 0, 0, 0, 0, 0, 0, 0, 3, 2, 0, 0, 1]);
/// assert_eq!(Wanted::decode(&bytes), wanted);
/// ```
#[macro_export]
macro_rules! record {
    ($([$($generic:tt)+])? $record:ident $(<$argument:ident>)? { $($field:tt),+ $(,)? }) => {
        $crate::record!($([$($generic)+])? $record $(<$argument>)? { $($field),+ }, {});
    };
    ($([$($generic:tt)+])? $record:ident $(<$argument:ident>)? { $($field:tt),+ $(,)? },
     |$this:ident| $prefix:expr $(,)?) => {
        $crate::record!($([$($generic)+])? $record $(<$argument>)? { $($field),+ }, {
            #[inline]
            fn prefix(&self) -> u64 {
                let $this = self;
                $prefix
            }
        });
    };
    ($([$($generic:tt)+])? $record:ident $(<$argument:ident>)? { $($field:tt),+ $(,)? },
     { $($items:tt)* }) => {
        impl $(<$($generic)+>)? $crate::Field for $record $(<$argument>)? {
            const WIDTH: usize = 0 $(+ $crate::width_of(|record: &Self| &record.$field))+;
            #[inline]
            fn write(&self, bytes: &mut [u8]) {
                let mut at = 0;
                $($crate::Field::put(&self.$field, bytes, &mut at);)+
                debug_assert_eq!(at, bytes.len());
            }
            #[inline]
            fn read(bytes: &[u8]) -> Self {
                let mut at = 0;
                $record { $($field: $crate::Field::take(bytes, &mut at)),+ }
            }
        }

        impl $(<$($generic)+>)? $crate::Record for $record $(<$argument>)? {
            $($items)*
        }
    };
}

/// A number by itself. 4 bytes.
impl Record for u32 {
    #[inline]
    fn prefix(&self) -> u64 {
        u64::from(*self) << 32
    }
}
