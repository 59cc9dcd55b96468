//! Files of references, and the search for their items.

use crate::containers::directory;
use config::{DEFAULT_TOML, parse_with};
use dedup::{DecontaminateRequest, decontaminate};
use engine::Reporter;
use model::Content;
use run::RunHooks;
use sketch::{TokenRules, for_each_token};
use std::fs;
use std::path::Path;

/// A reference of any bytes is refused or read, and a document that is one of its questions is
/// found.
pub(crate) fn reference(bytes: &[u8]) {
    let place = directory();
    let request = DecontaminateRequest {
        references: vec![place.join("reference.jsonl")],
        fields: vec!["question".to_owned(), "choices".to_owned()],
        least_words: 4,
        gram_words: 3,
        ..DecontaminateRequest::default()
    };
    fs::write(&request.references[0], bytes).expect("written");
    let question = bytes.split(|byte| *byte == b'\n').find_map(question_of);
    let text = question.clone().unwrap_or_else(|| "no question".to_owned());
    let document = serde_json::json!({ "text": text }).to_string();
    let input = place.join("input.jsonl");
    fs::write(&input, document).expect("written");
    let set = [
        format!("input.paths=[{:?}]", input.display().to_string()),
        "work.threads=1".to_owned(),
    ];
    let config = parse_with(DEFAULT_TOML, Path::new("pipeline.toml"), &set).expect("sound");
    let hooks = RunHooks::of(&Reporter::silent());
    if let Ok(outcome) = decontaminate(&config, &request, &hooks) {
        assert_eq!(outcome.documents, 1);
        assert!(outcome.stretches >= outcome.contaminated);
        assert!(question.is_none() || outcome.contaminated == 1, "{text:?}");
    }
}

/// The question of a line that is read without repair, if it is long enough to be told.
fn question_of(line: &[u8]) -> Option<String> {
    let line = std::str::from_utf8(line).ok()?;
    let row: serde_json::Value = serde_json::from_str(line).ok()?;
    // a field that occurs twice is a rejection, and so is an id of another type
    let is_usual = line.matches("\"question\"").count() == 1 && !line.contains("\\");
    let question = row.as_object()?.get("question")?.as_str()?;
    let is_text = !question.starts_with(['[', '{']) && !question.trim().is_empty();
    let rules = TokenRules::WORDS;
    let mut words = 0;
    for_each_token(rules, Content::Text(question), &mut |_| words += 1);
    (is_usual && is_text && words >= 4 && row.as_object()?.len() == 1).then(|| question.to_owned())
}
