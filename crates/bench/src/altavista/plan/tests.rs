//! Shares, lengths and templates are those of the model.

use super::*;
use proptest::prelude::*;
use std::collections::BTreeMap;

#[test]
fn shares_are_those_of_the_paper_at_a_thousandth() {
    let model = Model::of_sketches(7, 30_000);
    let mut clusters: BTreeMap<u64, Vec<Document>> = BTreeMap::new();
    for number in 0..model.documents() {
        let document = model.document(number);
        clusters.entry(document.source).or_default().push(document);
    }
    clusters.retain(|_, documents| documents.len() > 1);
    let is_identical = |documents: &[Document]| {
        documents.iter().all(|d| d.distinct == 0)
            && documents.iter().filter(|d| d.copy.is_none()).count() == 1
    };
    let (identical, mixed): (Vec<_>, Vec<_>) = clusters
        .into_values()
        .partition(|documents| is_identical(documents));
    let documents = |clusters: &[Vec<Document>]| clusters.iter().map(Vec::len).sum::<usize>();
    assert_eq!((identical.len(), documents(&identical)), (2_100, 5_300));
    assert_eq!(
        (mixed.len(), documents(&mixed).abs_diff(7_000) < 30),
        (1_500, true)
    );
    let distinct = mixed
        .iter()
        .flatten()
        .filter(|document| document.copy.is_none())
        .count();
    assert_eq!(distinct, 5_400);
    let copies = |wanted: fn(Copy) -> bool| {
        mixed
            .iter()
            .flatten()
            .filter_map(|d| d.copy)
            .filter(|c| wanted(*c))
            .count()
    };
    assert!(copies(|copy| copy == Copy::Identical).abs_diff(800) < 80);
    assert!(copies(|copy| matches!(copy, Copy::Lexical(_))).abs_diff(480) < 80);
}

#[test]
fn lengths_have_their_mean() {
    let mean = (0..65_536)
        .map(|draw| length(draw, 500, 1) as f64)
        .sum::<f64>()
        / 65_536.0;
    assert!((mean - 500.0).abs() < 2.0, "{mean}");
}

#[test]
fn templates_have_a_heavy_tail() {
    let model = Model::of_sketches(1, ALTAVISTA.documents);
    let pages = |wanted: fn(u64) -> bool| -> u64 {
        model
            .templates
            .iter()
            .filter(|band| wanted(band.shape.items))
            .map(|band| band.shape.items * band.groups)
            .sum()
    };
    let (rare, common) = (pages(|size| size <= 1000), pages(|size| size > 1000));
    assert!(rare > common && common > rare / 3, "{rare} {common}");
    assert!(model.templates.iter().any(|band| band.shape.items > 90_000));
}

proptest! {
    #[test]
    fn a_document_is_what_its_number_says(seed: u64, documents in 1u64..5000, at in 0u64..5000) {
        let model = Model::of_pages(seed, documents);
        let document = model.document(at % documents);
        prop_assert_eq!(document, Model::of_pages(seed, documents).document(at % documents));
        if let Change::Excerpt { from, to } = document.change {
            prop_assert!(from < to && to <= document.words);
        }
        prop_assert!(document.words > document.template.map_or(0, |template| template.words));
    }
}
