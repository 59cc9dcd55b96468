//! Revisits that refer to revisits.

use super::*;

fn refers(id: usize, to: usize) -> Entry {
    Entry {
        refers_to: Some(format!("r{to}")),
        ..revisit(&format!("r{id}"), &format!("http://x/{id}"), 3)
    }
}

/// As numbers of a chain: some of them are found by URL, some by the digest of their body.
#[test]
fn a_chain_of_a_thousand_revisits_has_one_text() {
    const LENGTH: usize = 1000;
    let place = place();
    let mut chain = vec![page("r0", "http://x/0", 0, 5, Digest::Hex)];
    chain.extend((1..=LENGTH).map(|at| match at % 100 {
        // Nothing is named: it is found when that of its URL is.
        50 => revisit(&format!("r{at}"), &format!("http://x/{}", at - 1), 4),
        51 => Entry {
            refers_to_page: Some((format!("http://x/{}", at - 2), 4)),
            ..refers(at, at - 1)
        },
        _ => refers(at, at - 1),
    }));
    // The end of the chain comes first, and half of it in another file.
    chain.reverse();
    let half = chain.split_off(LENGTH / 2);
    add(&place, "one", &[chain, half]);
    let began = std::time::Instant::now();
    place.run();
    let took = began.elapsed();
    assert!(took.as_secs() < 60, "{took:?}");
    let texts: Vec<usize> = documents(&place).iter().map(|(_, _, text)| *text).collect();
    assert_eq!(texts, vec![5; LENGTH + 1]);
    assert_eq!(rejected(&place), Vec::<String>::new());
    place.pipeline(&["verify"]).exits(0);
    // A night after it refers to the end of the chain.
    add(
        &place,
        "two",
        &[vec![
            refers(LENGTH + 2, LENGTH + 3),
            refers(LENGTH + 3, LENGTH),
        ]],
    );
    place.run();
    assert_eq!(documents(&place).len(), LENGTH + 3);
    assert_eq!(tables(place.published()), tables(from_scratch(&place)));
}

#[test]
fn revisits_that_refer_to_each_other_are_rejected() {
    let place = place();
    let ring = 40;
    let mut records = vec![page("p", "http://x/p", 0, 2, Digest::Hex)];
    records.extend((0..ring).map(|at| refers(at, (at + 1) % ring)));
    // Into the ring, and to itself.
    records.extend((ring..2 * ring).map(|at| refers(at, at - 1)));
    records.push(refers(2 * ring, 2 * ring));
    add(&place, "one", &[records]);
    place.run();
    assert_eq!(documents(&place).len(), 1);
    let rejected = rejected(&place);
    assert_eq!(rejected.len(), 2 * ring + 1);
    let is_unresolved = |line: &String| line.starts_with("unresolved-revisit ");
    assert!(rejected.iter().all(is_unresolved), "{rejected:?}");
}
