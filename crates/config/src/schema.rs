//! The table of keys as a JSON schema, by which editors complete and check a configuration.

use serde_json::{Map, Value, json};

use super::keys::FILE;
use super::kind::{Key, KeyKind, LineRole, Section};

/// Texts that are sizes.
const SIZE: &str = "^ *[0-9]+ *([kKmMgGtTpP]?[bB]|[kKmMgGtTpP][iI][bB])? *$";

/// The schema (draft 7), for editors that use taplo.
pub fn schema() -> String {
    let mut root = of_section(&FILE);
    root["$schema"] = json!("http://json-schema.org/draft-07/schema#");
    root["title"] = json!("pipeline.toml");
    format!("{root:#}\n")
}

fn of_section(section: &Section) -> Value {
    let keys = section.keys.iter();
    let properties: Map<String, Value> = keys
        .clone()
        .map(|key| (key.name().to_owned(), of_key(key)))
        .collect();
    let required = keys.filter(|key| key.role == LineRole::Required);
    json!({
        "type": "object",
        "additionalProperties": false,
        "required": required.map(Key::name).collect::<Vec<_>>(),
        "properties": properties,
    })
}

fn of_key(key: &Key) -> Value {
    let mut schema = of_kind(&key.kind);
    schema["description"] = json!(key.help);
    // Every line is TOML; a test reads all of them.
    let line: Option<Map<String, Value>> = toml::from_str(key.line).ok();
    let value = line.and_then(|mut line| line.remove(key.name()));
    if let (LineRole::Default, Some(value)) = (key.role, value) {
        schema["default"] = value;
    }
    schema
}

fn of_kind(kind: &KeyKind) -> Value {
    match kind {
        KeyKind::Table(section) => of_section(section),
        KeyKind::Tables(section) => json!({ "type": "array", "items": of_section(section) }),
        KeyKind::Flag => json!({ "type": "boolean" }),
        KeyKind::Number(min, max) => json!({ "type": "integer", "minimum": min, "maximum": max }),
        KeyKind::Among(numbers, _) => json!({ "enum": numbers }),
        KeyKind::PowerOfTwo(max) => {
            let powers: Vec<u32> = (0..=max.ilog2()).map(|log2| 1 << log2).collect();
            json!({ "enum": powers })
        }
        KeyKind::Limit => json!({
            "type": ["integer", "string"],
            "minimum": 1,
            "maximum": u32::MAX - 1,
            "pattern": "^unlimited$",
        }),
        KeyKind::Size {
            least,
            most,
            unlimited,
        } => json!({
            "type": ["integer", "string"],
            "minimum": least,
            "maximum": most,
            "pattern": SIZE.to_owned() + if *unlimited { "|^unlimited$" } else { "" },
        }),
        KeyKind::Threshold => json!({ "type": "number", "minimum": 0, "maximum": 1 }),
        KeyKind::Share => json!({
            "type": ["number", "string"],
            "minimum": 0,
            "maximum": 1,
            "pattern": "^ *[0-9.]+ *%$",
        }),
        KeyKind::Choice(choices) => json!({ "enum": choices.names() }),
        KeyKind::Forms(forms) => of_forms(forms),
        KeyKind::Text(_) => json!({ "type": "string", "minLength": 1 }),
        KeyKind::Texts(_) => {
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
