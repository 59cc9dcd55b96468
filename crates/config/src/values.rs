//! Values of known keys, each checked by itself.

use std::ops::Range;

use model::Threshold;

use super::kind::Section;
use super::problem::Problems;

/// A value that passed the check of its key.
#[derive(Clone, Debug)]
pub(super) enum Value {
    Flag(bool),
    Number(u32),
    Bytes(u64),
    Unlimited,
    Share(f64),
    Threshold(Threshold),
    Choice(&'static str),
    Text(String),
    Texts(Vec<Given>),
    Table(Values),
    Tables(Vec<Values>),
}

/// A text of the file, with its place.
#[derive(Clone, Debug)]
pub(super) struct Given {
    /// The text.
    pub(super) text: String,
    /// Its bytes in the file.
    pub(super) at: Range<usize>,
    /// What messages call its key: `keep in [cluster]`.
    pub(super) name: String,
}

impl Given {
    /// A text of a key.
    pub(super) fn new(text: &str, at: Range<usize>, name: &str) -> Given {
        let (text, name) = (text.to_owned(), name.to_owned());
        Given { text, at, name }
    }
}

/// The values of a section: what the file gives, else the defaults.
#[derive(Clone, Debug)]
pub(super) struct Values {
    pub(super) section: &'static Section,
    /// The bytes of the section in the file; `0..0` if it is not there.
    pub(super) at: Range<usize>,
    /// One for each key of the section.
    pub(super) fields: Vec<Field>,
}

/// A key of a section that was read.
#[derive(Clone, Debug)]
pub(super) struct Field {
    /// The value, else the default; `None` if there is neither.
    pub(super) value: Option<Value>,
    /// The bytes of what the file gives, right or wrong.
    pub(super) at: Option<Range<usize>>,
    /// The key is there, or was meant by a misspelt one, but its value cannot be used.
    pub(super) is_wrong: bool,
}

/// A type that values are taken as.
pub(super) trait Taken: Clone {
    /// The value, if it is of this type.
    fn of(value: &Value) -> Option<&Self>;
}

macro_rules! taken {
    ($($kind:ident $type:ty,)+) => {
        $(impl Taken for $type {
            fn of(value: &Value) -> Option<&Self> {
                if let Value::$kind(value) = value { Some(value) } else { None }
            }
        })+
    };
}

taken! {
    Flag bool,
    Number u32,
    Bytes u64,
    Share f64,
    Threshold Threshold,
    Choice &'static str,
    Text String,
    Texts Vec<Given>,
    Table Values,
    Tables Vec<Values>,
}

impl Values {
    /// Tells what is wrong with what the file gives for a key; nothing if it does not give it.
    pub(super) fn tell(&self, key: &str, message: &str, problems: &mut Problems<'_>) {
        if let Some(at) = self.at(key) {
            let name = self.section.full_name(key);
            problems.at(&at, format!("{name}: {message}"));
        }
    }

    /// Tells of a key that is absent but should not be.
    pub(super) fn require(&self, key: &str, advice: &str, problems: &mut Problems<'_>) {
        if self.is_absent(key) {
            let place = match self.section.name {
                "" => String::new(),
                // The one section that may be there many times.
                "input.source" => " in [[input.source]]".to_owned(),
                name => format!(" in [{name}]"),
            };
            problems.at(&self.at, format!("missing key {key:?}{place}; {advice}"));
        }
    }

    fn field(&self, key: &str) -> &Field {
        let position = self.section.keys.iter().position(|row| row.name() == key);
        &self.fields[position.expect("a row of the table of keys")]
    }

    /// The value of a key, or its default, if there is one of this type.
    pub(super) fn find<T: Taken>(&self, key: &str) -> Option<T> {
        T::of(self.field(key).value.as_ref()?).cloned()
    }

    /// The value of a key that has a default.
    pub(super) fn get<T: Taken>(&self, key: &str) -> T {
        self.find(key).expect("a default of this type")
    }

    /// The text of a key, if the file gives one and it is right.
    pub(super) fn given(&self, key: &str) -> Option<Given> {
        let at = self.at(key).filter(|_| !self.is_wrong(key))?;
        let text: String = self.find(key)?;
        Some(Given::new(&text, at, &self.section.full_name(key)))
    }

    /// The place of what the file gives for a key, right or wrong.
    pub(super) fn at(&self, key: &str) -> Option<Range<usize>> {
        self.field(key).at.clone()
    }

    /// Whether what the file gives for a key cannot be used; that was told.
    pub(super) fn is_wrong(&self, key: &str) -> bool {
        self.field(key).is_wrong
    }

    /// Whether the file does not give a key, nor anything that was meant for it.
    pub(super) fn is_absent(&self, key: &str) -> bool {
        self.at(key).is_none() && !self.is_wrong(key)
    }
}
