//! The macro that declares a table together with its rows.
//!
//! It takes the fields of a row, each with the meaning of its column. The type of a field gives the
//! type of the column ([`crate::row::RowField`]). So a row cannot have other cells than its table
//! has columns.

/// Declares a table and the struct of its rows.
///
/// Each field is the column of its name: `field: type, storage, "meaning";`, where the storage is a
/// variant of [`crate::Repetition`] and may be left out. A field of several cells lists its columns
/// in braces, in the same form; there the type may be left out as well, if it is that of the field.
macro_rules! table {
    (
        $(#[$table_doc:meta])*
        $table:ident: $name:literal, $row:literal, sorted by [$($sorted:literal),*];
        $(#[$row_doc:meta])*
        $struct:ident $(<$life:lifetime>)? {
            $(
                $field:ident: $type:ty, $($storage:ident,)? $about:literal
                $({ $($column:ident $(: $own:ty)?, $($stored:ident,)? $meaning:literal;)* })?;
            )+
        }
    ) => {
        $(#[$table_doc])*
        pub const $table: crate::Table = crate::Table {
            name: $name,
            row: $row,
            sorted_by: &[$($sorted),*],
            fields: $struct::COLUMNS,
        };

        $(#[$row_doc])*
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub struct $struct $(<$life>)? {
            $(#[doc = $about] pub $field: $type,)+
        }

        impl $(<$life>)? $struct $(<$life>)? {
            const COLUMNS: &'static [&'static [crate::Column]] = &[$(
                crate::declaration::table!(@columns [$type] $field, $($storage,)? $about
                    $({ $($column [$($own)?], $($stored,)? $meaning;)* })?)
            ),+];
        }

        impl $(<$life>)? crate::Row for $struct $(<$life>)? {
            #[inline]
            fn cells(&self, take: &mut impl FnMut(crate::Cell<'_>)) {
                $(crate::row::RowField::cells(&self.$field, take);)+
            }
        }
    };
    (@columns [$type:ty] $field:ident, $($storage:ident,)? $about:literal) => {
        &[crate::declaration::table!(@column [$type] [] $field, $($storage,)? $about)]
    };
    (@columns [$type:ty] $field:ident, $about:literal
        { $($column:ident $own:tt, $($stored:ident,)? $meaning:literal;)* }
    ) => {
        &[$(crate::declaration::table!(@column [$type] $own $column, $($stored,)? $meaning)),*]
    };
    (@column [$type:ty] [] $name:ident, $($storage:ident,)? $about:literal) => {
        crate::Column::of::<$type>(stringify!($name), $about)$(.stored(crate::Repetition::$storage))?
    };
    (@column [$type:ty] [$own:ty] $name:ident, $($storage:ident,)? $about:literal) => {
        crate::Column::of::<$own>(stringify!($name), $about)$(.stored(crate::Repetition::$storage))?
    };
}

pub(crate) use table;
