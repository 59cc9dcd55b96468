//! `[cluster]`.

use std::collections::HashSet;

use ::cluster::{Keep, Linkage};
use model::Threshold;

use super::{choice, expected, number};
use crate::ClusterConfig;
use crate::nearest::nearest;
use crate::problem::{Problems, quoted};
use crate::raw::RawCluster;
use crate::read::{Given, Scalar};

/// `resemblance` where it is not given.
const RESEMBLANCE: Threshold = Threshold::hundredths(50);

/// What `keep` may be, as messages say it.
const KEEP_FORMS: &str =
    "first, longest, oldest, newest, field:NAME, field:NAME:desc or hosts:[A,B]";

/// Checks `[cluster]`; `carried` are the fields that `keep` may rank by.
pub(super) fn config(
    raw: &RawCluster,
    carried: &[String],
    problems: &mut Problems<'_>,
) -> ClusterConfig {
    let resemblance = raw
        .resemblance
        .given()
        .and_then(|given| threshold(given, problems));
    let containment = raw
        .containment
        .given()
        .and_then(|given| threshold(given, problems));
    let joins = raw.containment_joins.given().filter(|given| given.value);
    if let (true, Some(given)) = (raw.containment.is_absent(), joins) {
        problems.at(
            &given.at,
            "containment-joins in [cluster]: there is no containment; add it, or set this to false",
        );
    }
    ClusterConfig {
        resemblance: resemblance.unwrap_or(RESEMBLANCE),
        containment,
        containment_joins: joins.is_some(),
        min_shared: number(&raw.min_shared, 1..=u32::MAX, 2, problems),
        linkage: choice(
            &raw.linkage,
            &[("components", Linkage::Components), ("star", Linkage::Star)],
            problems,
        ),
        keep: raw
            .keep
            .given()
            .map_or(Keep::First, |given| keep(given, carried, problems)),
    }
}

pub(super) fn threshold(given: &Given<Scalar>, problems: &mut Problems<'_>) -> Option<Threshold> {
    let value = match given.value {
        Scalar::Integer(number) => Some(number as f64),
        Scalar::Float(number) => Some(number),
        Scalar::Text(_) => None,
    };
    let threshold = value.and_then(|value| Threshold::from_f64(value).ok());
    if threshold.is_none() {
        expected(
            "a number from 0 to 1 with at most 18 decimals",
            given,
            problems,
        );
    }
    threshold
}

pub(super) fn keep(given: &Given<String>, carried: &[String], problems: &mut Problems<'_>) -> Keep {
    let simple = [
        ("first", Keep::First),
        ("longest", Keep::Longest),
        ("oldest", Keep::Oldest),
        ("newest", Keep::Newest),
    ];
    if let Some((_, keep)) = simple.iter().find(|(name, _)| *name == given.value) {
        return keep.clone();
    }
    if let Some(field) = given.value.strip_prefix("field:") {
        let (name, descending) = match field.strip_suffix(":desc") {
            Some(name) => (name, true),
            None => (field, false),
        };
        if !carried.iter().any(|carried| carried == name) {
            let hint = nearest(
                name,
                &carried.iter().map(String::as_str).collect::<Vec<_>>(),
            );
            let hint = hint.map_or(String::new(), |near| format!("; did you mean {near:?}?"));
            let name = quoted(name);
            let message = format!(
                "keep in [cluster]: field {name} is not in carry-fields of [input]; add it there{hint}"
            );
            problems.at(&given.at, message);
        }
        return Keep::Field {
            name: name.to_owned(),
            descending,
        };
    }
    if let Some(list) = given.value.strip_prefix("hosts:") {
        return hosts(list, given, problems);
    }
    let names = ["first", "longest", "oldest", "newest"];
    let hint = nearest(&given.value, &names)
        .map_or(String::new(), |near| format!("; did you mean {near:?}?"));
    let got = quoted(&given.value);
    problems.at(
        &given.at,
        format!("{}: expected {KEEP_FORMS}, got {got}{hint}", given.name),
    );
    Keep::First
}

/// `[a.example, b.example]`.
fn hosts(list: &str, given: &Given<String>, problems: &mut Problems<'_>) -> Keep {
    let inner = list
        .trim()
        .strip_prefix('[')
        .and_then(|list| list.strip_suffix(']'));
    let Some(inner) = inner.filter(|inner| !inner.trim().is_empty()) else {
        expected("hosts:[A,B] with at least one host", given, problems);
        return Keep::First;
    };
    let hosts: Vec<String> = inner
        .split(',')
        .map(|host| host.trim().to_lowercase())
        .collect();
    let mut seen = HashSet::new();
    for host in &hosts {
        let shown = quoted(host);
        if !is_host(host) {
            let message = format!(
                "{}: expected host names without scheme, port or path, got {shown}",
                given.name
            );
            problems.at(&given.at, message);
        } else if !seen.insert(host) {
            problems.at(&given.at, format!("{}: {shown} occurs twice", given.name));
        }
    }
    Keep::Hosts(hosts)
}

fn is_host(host: &str) -> bool {
    !host.is_empty()
        && host
            .chars()
            .all(|c| c.is_alphanumeric() || matches!(c, '.' | '-' | '_'))
}
