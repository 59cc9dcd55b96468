//! The description of a key: its section, its line in the file, its kind, its help.

use std::any::Any;
use std::rc::Rc;

use super::rules::Rule;

/// A table of the file.
pub(super) struct Section {
    /// `sketch`, `sketch.method`; empty for the top level.
    pub(super) name: &'static str,
    /// Its keys, in the order of the file.
    pub(super) keys: &'static [Key],
}

/// A key of a section.
pub(super) struct Key {
    /// Its line in the file: `shingle-size = 10`. A section with a heading has no value.
    pub(super) line: &'static str,
    /// Whether the value of the line is a default, required or an example.
    pub(super) role: LineRole,
    /// The values that the key may hold.
    pub(super) kind: KeyKind,
    /// Its purpose, in a line.
    pub(super) help: &'static str,
}

/// Whether the value in the line of a key is a default, required or an example.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LineRole {
    /// It holds if the key is absent.
    Default,
    /// The key must be there.
    Required,
    /// An example of a key that most configurations need.
    Usual,
    /// An example of a key that few configurations need, so the file shows it as a comment.
    Example,
}

/// The values that a key may hold.
pub(super) enum KeyKind {
    Table(&'static Section),
    /// Any number of tables.
    Tables(&'static Section),
    Flag,
    /// A whole number, from the first to the second.
    Number(u32, u32),
    /// One of these numbers, and the words of messages for them.
    Among(&'static [u32], &'static str),
    /// A power of two up to this one.
    PowerOfTwo(u32),
    /// A whole number from 1 to [`LIMIT_MAX`], or `"unlimited"`.
    Limit,
    /// A number of bytes.
    Size {
        least: u64,
        most: u64,
        /// Whether `"unlimited"` is one, too.
        unlimited: bool,
    },
    /// A number from 0 to 1.
    Threshold,
    /// A number from 0 to 1, or a percentage.
    Share,
    /// One of these names.
    Choice(&'static dyn Choices),
    /// A text of one of these forms; checked with other keys.
    Forms(&'static [&'static str]),
    /// A text that obeys a rule.
    Text(Rule),
    /// A list of texts that obey a rule.
    Texts(Rule),
}

/// A value that passed the check of its key: of the type by which `validate` asks for it. Without a
/// limit, it is a `()`, which nobody asks for.
pub(super) type Value = Rc<dyn Any>;

/// Names and what they mean.
pub(super) trait Choices: Sync {
    fn names(&self) -> Vec<&'static str>;
    /// The meaning of a name, if it is one of them.
    fn meaning(&self, name: &str) -> Option<Value>;
}

impl<T: Copy + Sync + 'static, const N: usize> Choices for [(&'static str, T); N] {
    fn names(&self) -> Vec<&'static str> {
        self.iter().map(|(name, _)| *name).collect()
    }

    fn meaning(&self, name: &str) -> Option<Value> {
        let found = self.iter().find(|(other, _)| *other == name)?;
        Some(Rc::new(found.1))
    }
}

/// The largest limit that is a number.
pub(super) const LIMIT_MAX: i128 = u32::MAX as i128 - 1;

/// The one value of keys without a limit.
pub(super) const UNLIMITED: &str = "unlimited";

impl Key {
    pub(super) fn name(&self) -> &'static str {
        self.line
            .split_once(" = ")
            .map_or(self.line, |(name, _)| name)
    }

    /// The value of its line.
    pub(super) fn value(&self) -> Option<&'static str> {
        self.line.split_once(" = ").map(|(_, value)| value)
    }

    /// The section of a key that is a table, and its heading in a file.
    pub(super) fn section(&self) -> Option<(&'static Section, String)> {
        match self.kind {
            KeyKind::Table(section) => Some((section, format!("[{}]", section.name))),
            KeyKind::Tables(section) => Some((section, format!("[[{}]]", section.name))),
            _ => None,
        }
    }
}

impl Section {
    /// This section and all below it, in the order of the file.
    pub(super) fn all(&'static self) -> Vec<&'static Section> {
        let mut sections = vec![self];
        for key in self.keys {
            if let Some((section, _)) = key.section() {
                sections.extend(section.all());
            }
        }
        sections
    }

    /// The names of its keys.
    pub(super) fn names(&self) -> Vec<&'static str> {
        self.keys.iter().map(Key::name).collect()
    }

    /// The name in messages for a key: `shingle-size in [sketch]`.
    pub(super) fn full_name(&self, key: &str) -> String {
        if self.name.is_empty() {
            key.to_owned()
        } else {
            format!("{key} in [{}]", self.name)
        }
    }
}

impl KeyKind {
    /// The values of a key that has few.
    pub(super) fn forms(&self) -> Vec<String> {
        match self {
            KeyKind::Choice(choices) => choices.names().iter().map(ToString::to_string).collect(),
            KeyKind::Forms(forms) => forms.iter().map(ToString::to_string).collect(),
            KeyKind::Among(numbers @ [_, _, ..], _) => numbers.iter().map(u32::to_string).collect(),
            _ => Vec::new(),
        }
    }

    /// The bounds of a number, for people.
    pub(super) fn bounds(&self) -> Option<String> {
        match self {
            KeyKind::Number(min, max) if *max < u32::MAX => Some(format!("{min} to {max}")),
            KeyKind::PowerOfTwo(max) => Some(format!("a power of two up to {max}")),
            KeyKind::Threshold => Some("0 to 1".to_owned()),
            _ => None,
        }
    }
}
