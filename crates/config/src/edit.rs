//! A value of a configuration replaced in its text; all else stays as it is written.

use toml::Value;
use toml::de::{DeTable, DeValue};

/// The text with another text as the value of `key`, such as `work.dir`; `None` if it is no TOML or
/// has no such key.
pub fn with_text(text: &str, key: &str, value: &str) -> Option<String> {
    with_value(text, key, &Value::from(value))
}

/// The text with a list of texts as the value of `key`, such as `input.paths`; `None` as for
/// [`with_text`].
pub fn with_texts(text: &str, key: &str, values: &[String]) -> Option<String> {
    with_value(text, key, &Value::from(values.to_vec()))
}

fn with_value(text: &str, key: &str, value: &Value) -> Option<String> {
    let document = DeTable::parse(text).ok()?;
    let mut names = key.split('.');
    let last = names.next_back()?;
    let mut table = document.get_ref();
    for name in names {
        let DeValue::Table(below) = table.get(name)?.get_ref() else {
            return None;
        };
        table = below;
    }
    let mut edited = text.to_owned();
    edited.replace_range(table.get(last)?.span(), &value.to_string());
    Some(edited)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_value_is_replaced() {
        let text = "version = 1 # first\n[input]\npaths = [\"a\", # one\n \"b\"]   # all\n[work]\ndir = 'w'\n";
        let paths = Value::from(vec!["c \"d\"".to_owned()]);
        assert_eq!(
            with_value(text, "input.paths", &paths).unwrap(),
            "version = 1 # first\n[input]\npaths = ['c \"d\"']   # all\n[work]\ndir = 'w'\n"
        );
        assert_eq!(
            with_value(text, "work.dir", &Value::from("x\ny")).unwrap(),
            text.replace("'w'", "\"\"\"\nx\ny\"\"\"")
        );
        assert_eq!(with_value(text, "work.output", &paths), None);
        assert_eq!(with_value(text, "version.output", &paths), None);
        assert_eq!(with_value("a = ", "a", &paths), None);
    }
}
