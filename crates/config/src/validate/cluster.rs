//! `[cluster]`.

use std::collections::HashSet;

use model::Keep;
use model::Sampling;

use crate::ClusterConfig;
use crate::nearest::did_you_mean;
use crate::problem::{Problems, quoted};
use crate::values::{SectionValues, TextInFile};

/// Why sketches of a fixed size make no links by containment.
const NO_CONTAINMENT: &str = "the method in [sketch] keeps sketches of a fixed size, which estimate \
     no containment; remove this key, or use the method modulus or adaptive-modulus";

/// The forms of `keep` that have no parameter.
const KEEP_PLAIN: [(&str, Keep); 4] = [
    ("first", Keep::First),
    ("longest", Keep::Longest),
    ("oldest", Keep::Oldest),
    ("newest", Keep::Newest),
];

/// Checks `[cluster]`; `carried` are the fields that `keep` may rank by.
pub(super) fn config(
    raw: &SectionValues,
    sampling: Sampling,
    carried: &[String],
    problems: &mut Problems<'_>,
) -> ClusterConfig {
    let containment_joins = raw.get("containment-joins");
    if containment_joins && raw.is_absent("containment") {
        let message = "containment is not set; set it, or set this to false";
        raw.tell("containment-joins", message, problems);
    }
    if sampling.has_fixed_size() {
        raw.tell("containment", NO_CONTAINMENT, problems);
    }
    ClusterConfig {
        resemblance: raw.get("resemblance"),
        containment: raw.find("containment"),
        containment_joins,
        min_shared: raw.get("min-shared"),
        settle: raw.get("settle"),
        linkage: raw.get("linkage"),
        links: raw.get("links"),
        keep: raw
            .given("keep")
            .map_or(Keep::First, |given| keep(&given, carried, problems)),
    }
}

/// Reads a value of `keep`.
pub(crate) fn keep(given: &TextInFile, carried: &[String], problems: &mut Problems<'_>) -> Keep {
    let text = given.text.as_str();
    if let Some((_, keep)) = KEEP_PLAIN.iter().find(|(name, _)| *name == text) {
        return keep.clone();
    }
    if let Some(field) = text.strip_prefix("field:") {
        let name = field.strip_suffix(":desc").unwrap_or(field);
        if !carried.iter().any(|carried| carried == name) {
            let hint = did_you_mean(name, carried);
            let message = format!(
                "keep in [cluster]: field {} is not in carry-fields of [input]; add it there{hint}",
                quoted(name)
            );
            problems.at(&given.at, message);
        }
        return Keep::Field {
            name: name.to_owned(),
            descending: field.ends_with(":desc"),
        };
    }
    if let Some(list) = text.strip_prefix("hosts:") {
        return Keep::Hosts(hosts(list, given, problems));
    }
    let message = format!(
        "{}: expected first, longest, oldest, newest, field:NAME, field:NAME:desc or hosts:[A,B], \
         got {}{}",
        given.name,
        quoted(text),
        did_you_mean(text, &KEEP_PLAIN.each_ref().map(|(name, _)| *name))
    );
    problems.at(&given.at, message);
    Keep::First
}

/// `[a.example, b.example]`.
fn hosts(list: &str, given: &TextInFile, problems: &mut Problems<'_>) -> Vec<String> {
    let name = &given.name;
    let inner = list.trim().strip_prefix('[');
    let inner = inner.and_then(|list| list.strip_suffix(']')?.trim().into());
    let Some(inner) = inner.filter(|inner| !inner.is_empty()) else {
        let got = quoted(&given.text);
        let message = format!("{name}: expected hosts:[A,B] with at least one host, got {got}");
        problems.at(&given.at, message);
        return Vec::new();
    };
    let hosts: Vec<String> = inner
        .split(',')
        .map(|host| host.trim().to_lowercase())
        .collect();
    let mut seen = HashSet::new();
    for host in &hosts {
        let shown = quoted(host);
        if !is_host(host) {
            let message =
                format!("{name}: expected host names without scheme, port or path, got {shown}");
            problems.at(&given.at, message);
        } else if !seen.insert(host) {
            problems.at(&given.at, format!("{name}: {shown} occurs twice"));
        }
    }
    hosts
}

fn is_host(host: &str) -> bool {
    let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '.' | '-' | '_');
    !host.is_empty() && host.chars().all(is_plain)
}
