//! The table of keys, and what is made of it.

use std::collections::HashSet;
use std::path::Path;

use super::super::keys::FILE;
use super::super::kind::LineRole;
use super::super::problem::Problems;
use super::super::{DEFAULT_SEED, DEFAULT_TOML, default_toml, guide_list, parse, read, schema};

#[test]
fn every_line_passes_the_check_of_its_own_key() {
    let mut names = HashSet::new();
    for section in FILE.all() {
        for key in section.keys {
            assert!(names.insert((section.name, key.name())), "{}", key.line);
            let Some(value) = key.value() else { continue };
            let value = toml::de::DeValue::parse(value).expect("TOML");
            let mut problems = Problems::new(Path::new("line"), key.line);
            let read = read::value(key, &value, key.name(), &mut problems);
            assert!(read.is_some(), "{}: {:?}", key.line, problems.none_or(()));
        }
    }
    assert_eq!(names.len(), 84);
}

#[test]
fn the_file_of_the_repository_is_that_of_init() {
    assert_eq!(default_toml(DEFAULT_SEED), DEFAULT_TOML);
}

#[test]
fn readers_without_a_configuration_use_the_default_names_of_fields() {
    let fields = parse(DEFAULT_TOML, Path::new("pipeline.toml"))
        .unwrap()
        .input
        .fields;
    assert_eq!(fields, input::FieldNames::default());
}

#[test]
fn the_guide_and_the_schema_have_every_key() {
    let (guide, schema) = (guide_list(), schema());
    let schema: serde_json::Value = serde_json::from_str(&schema).expect("JSON");
    for section in FILE.all() {
        // `input.source` is a list of tables.
        let path = match section.name {
            "" => String::new(),
            name => format!("/properties/{}", name.replace('.', "/properties/")),
        };
        let table = schema.pointer(&path).expect("a section");
        let table = table.get("items").unwrap_or(table);
        assert_eq!(table["additionalProperties"], false, "{}", section.name);
        for key in section.keys {
            let described = &table["properties"][key.name()];
            assert_eq!(described["description"], key.help, "{}", key.line);
            let has_default = key.role == LineRole::Default && key.value().is_some();
            assert_eq!(
                described.get("default").is_some(),
                has_default,
                "{}",
                key.line
            );
            let item = format!("- `{}`", key.name());
            assert!(
                key.value().is_none() || guide.contains(&item),
                "{}",
                key.line
            );
        }
    }
}
