//! The table of keys as a JSON schema, by which editors complete and check a configuration.

use serde_json::{Map, Value, json};

use super::keys::FILE;
use super::kind::{Key, Kind, LIMIT_MAX, Role, Section, UNLIMITED};

/// The schema (draft 7), for editors that use taplo.
pub fn schema() -> String {
    let mut root = json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "pipeline.toml",
    });
    merge(&mut root, of_section(&FILE));
    format!("{root:#}\n")
}

fn merge(into: &mut Value, from: Value) {
    if let (Value::Object(into), Value::Object(from)) = (into, from) {
        into.extend(from);
    }
}

fn of_section(section: &Section) -> Value {
    let mut properties = Map::new();
    let mut required = Vec::new();
    for key in section.keys {
        properties.insert(key.name().to_owned(), of_key(key));
        if key.role == Role::Required {
            required.push(key.name());
        }
    }
    let mut schema = json!({
        "type": "object",
        "additionalProperties": false,
        "properties": properties,
    });
    if !required.is_empty() {
        merge(&mut schema, json!({ "required": required }));
    }
    schema
}

fn of_key(key: &Key) -> Value {
    let mut schema = json!({ "description": key.help });
    // Every line is TOML; a test reads all of them.
    let line = toml::from_str::<Map<String, Value>>(key.line);
    if let (Role::Default, Some(Ok(mut line))) = (key.role, key.value().map(|_| line)) {
        merge(&mut schema, json!({ "default": line.remove(key.name()) }));
    }
    merge(&mut schema, of_kind(&key.kind));
    schema
}

fn of_kind(kind: &Kind) -> Value {
    match kind {
        Kind::Table(section) => of_section(section),
        Kind::Tables(section) => json!({ "type": "array", "items": of_section(section) }),
        Kind::Flag => json!({ "type": "boolean" }),
        Kind::Number(min, max) => json!({ "type": "integer", "minimum": min, "maximum": max }),
        Kind::Among(numbers, _) => json!({ "enum": numbers }),
        Kind::PowerOfTwo(max) => {
            let powers: Vec<u32> = (0..u32::BITS)
                .map(|log2| 1 << log2)
                .take_while(|power| power <= max)
                .collect();
            json!({ "enum": powers })
        }
        Kind::Limit => json!({
            "type": ["integer", "string"],
            "minimum": 1,
            "maximum": LIMIT_MAX,
            "pattern": format!("^{UNLIMITED}$"),
        }),
        Kind::Size { least, unlimited } => {
            let unlimited = if *unlimited {
                format!("^{UNLIMITED}$|")
            } else {
                String::new()
            };
            json!({
                "type": ["integer", "string"],
                "minimum": least,
                "pattern": format!("{unlimited}^ *[0-9]+ *([kKmMgGtTpP]?[bB]|[kKmMgGtTpP][iI][bB])? *$"),
            })
        }
        Kind::Threshold => json!({ "type": "number", "minimum": 0, "maximum": 1 }),
        Kind::Share => json!({
            "type": ["number", "string"],
            "minimum": 0,
            "maximum": 1,
            "pattern": "^ *[0-9.]+ *%$",
        }),
        Kind::Choice(names) => json!({ "enum": names }),
        Kind::Forms(forms) => of_forms(forms),
        Kind::Text(_) => json!({ "type": "string", "minLength": 1 }),
        Kind::Texts(_) => {
            json!({ "type": "array", "items": { "type": "string", "minLength": 1 } })
        }
    }
}

/// Forms are names, or prefixes that end with a colon and go on with what the user chooses.
fn of_forms(forms: &[&str]) -> Value {
    let names: Vec<&&str> = forms.iter().filter(|form| !form.contains(':')).collect();
    let prefixes = forms
        .iter()
        .filter_map(|form| Some(form.split_once(':')?.0));
    let prefixes: Vec<&str> = prefixes.collect();
    if prefixes.is_empty() {
        return json!({ "enum": names });
    }
    let pattern = format!("^({}):.", prefixes.join("|"));
    json!({ "anyOf": [{ "enum": names }, { "type": "string", "pattern": pattern }] })
}
