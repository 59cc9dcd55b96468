//! Keys by which records are looked up, joined and grouped.

/// A record with a key of type `K`, by which a stream of such records ascends. A record may have
/// several: a pair is found by its two documents, and by the lower one. [`keyed!`] implements it.
///
/// [`keyed!`]: macro@crate::keyed
pub trait Keyed<K> {
    /// The key.
    fn key(&self) -> K;
}

/// A number by itself, such as that of a document.
impl Keyed<u32> for u32 {
    #[inline]
    fn key(&self) -> u32 {
        *self
    }
}

/// Implements [`Keyed`] for records: the type of the key, and how it follows from the record.
///
/// ```
/// use model::{Keyed, keyed};
///
/// struct Wanted {
///     doc: u32,
///     rank: u8,
/// }
///
/// keyed! { Wanted: u32 = |wanted| wanted.doc }
/// keyed! { Wanted: (u32, u8) = |wanted| (wanted.doc, wanted.rank) }
///
/// let wanted = Wanted { doc: 7, rank: 1 };
/// let (doc, both): (u32, (u32, u8)) = (wanted.key(), wanted.key());
/// assert_eq!((doc, both), (7, (7, 1)));
/// ```
#[macro_export]
macro_rules! keyed {
    ($record:ty : $key:ty = |$this:ident| $of:expr) => {
        impl $crate::Keyed<$key> for $record {
            #[inline]
            fn key(&self) -> $key {
                let $this = self;
                $of
            }
        }
    };
}
