//! From the tree of a TOML text to values of known keys.
//!
//! The tree is walked by the table of keys instead of by derived deserialization, which stops at
//! the first wrong value: here every unknown key and every wrong value is told at once.

use std::ops::Range;
use std::path::Path;

use model::Threshold;
use toml::de::{DeTable, DeValue};

use super::check;
use super::keys::FILE;
use super::kind::{Key, Kind, Role, Section};
use super::nearest::nearest;
use super::problem::{Problems, quoted};

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
    section: &'static Section,
    /// The bytes of the section in the file; `0..0` if it is not there.
    pub(super) at: Range<usize>,
    /// One for each key of the section.
    fields: Vec<Field>,
}

/// A key of a section that was read.
#[derive(Clone, Debug)]
struct Field {
    /// The value, else the default; `None` if there is neither.
    value: Option<Value>,
    /// The bytes of what the file gives, right or wrong.
    at: Option<Range<usize>>,
    /// The key is there, or was meant by a misspelt one, but its value cannot be used.
    is_wrong: bool,
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
    /// Reads a table of the file: tells of unknown keys and wrong values.
    pub(super) fn read(
        section: &'static Section,
        entries: &DeTable<'_>,
        at: Range<usize>,
        problems: &mut Problems<'_>,
    ) -> Values {
        let names = section.names();
        let mut meant = Vec::new();
        for key in entries.keys() {
            if !names.contains(&key.get_ref().as_ref()) {
                problems.at(&key.span(), unknown_key(key.get_ref(), section, &names));
                meant.extend(nearest(key.get_ref(), &names));
            }
        }
        let mut fields = Vec::new();
        for key in section.keys {
            let given = entries.get(key.name());
            let name = section.full_name(key.name());
            let read = given.and_then(|value| check::read(key, value, &name, problems));
            fields.push(Field {
                is_wrong: read.is_none() && (given.is_some() || meant.contains(&key.name())),
                at: given.map(|value| value.span()),
                value: read.or_else(|| default(key)),
            });
        }
        Values {
            section,
            at,
            fields,
        }
    }

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

/// What holds where the file does not give the key.
fn default(key: &Key) -> Option<Value> {
    let mut problems = Problems::new(Path::new(""), "");
    if key.role != Role::Default {
        return None;
    }
    match (key.value(), &key.kind) {
        (Some(value), _) => {
            let value = DeValue::parse(value).ok()?;
            check::read(key, &value, "", &mut problems)
        }
        (None, Kind::Table(section)) => {
            let table = Values::read(section, &DeTable::new(), 0..0, &mut problems);
            Some(Value::Table(table))
        }
        _ => None,
    }
}

fn unknown_key(key: &str, section: &Section, known: &[&str]) -> String {
    let place = match section.name {
        "" => "at the top level".to_owned(),
        name => format!("in [{name}]"),
    };
    let all = FILE.all().into_iter();
    let elsewhere = all
        .filter(|other| other.name != section.name && other.names().contains(&key))
        .map(|other| other.name)
        .next();
    let hint = match (nearest(key, known), elsewhere) {
        // `path` and `paths` are keys of different sections.
        (Some(near), Some(_)) if near.starts_with(key) || key.starts_with(near) => {
            format!("did you mean {near:?}?")
        }
        (_, Some("")) => "it belongs at the top of the file, before the first table".to_owned(),
        (_, Some(other)) => format!("it belongs in [{other}]"),
        (Some(near), None) => format!("did you mean {near:?}?"),
        (None, None) => format!("known keys: {}", known.join(", ")),
    };
    format!("unknown key {} {place}; {hint}", quoted(key))
}
