//! Random histories of crawls with revisits, beside plain means and runs from scratch.

use super::*;

/// Numbers drawn from a seed.
struct Draw(u64);

impl Draw {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end
    }
}

/// Which text each record of a snapshot stands for, by the plainest means; none for what refers to
/// nothing.
fn resolved(before: &[Vec<(Entry, Option<usize>)>], own: &[Entry]) -> Vec<Option<usize>> {
    let mut texts: Vec<Option<usize>> = own
        .iter()
        .map(|entry| entry.text.filter(|_| !entry.is_revisit))
        .collect();
    loop {
        let mut changed = false;
        let known: Vec<(Entry, Option<usize>)> =
            own.iter().cloned().zip(texts.iter().copied()).collect();
        for (at, entry) in own.iter().enumerate().filter(|(_, entry)| entry.is_revisit) {
            let earlier = before.iter().flatten();
            let candidates = || {
                known
                    .iter()
                    .chain(earlier.clone())
                    .filter(|(_, text)| text.is_some())
            };
            let payload = |entry: &Entry| entry.text.filter(|_| entry.digest != Digest::None);
            let agrees = |other: &Entry| match (payload(entry), payload(other)) {
                (Some(a), Some(b)) => a == b,
                _ => true,
            };
            let by_id = |other: &Entry| {
                entry.refers_to.is_some() && entry.refers_to == other.id && agrees(other)
            };
            let by_page = |other: &Entry| {
                entry
                    .refers_to_page
                    .as_ref()
                    .is_some_and(|(url, day)| (url, *day) == (&other.url, other.date))
                    && agrees(other)
            };
            let by_payload =
                |other: &Entry| payload(entry).is_some() && payload(entry) == payload(other);
            let found =
                candidates().any(|(other, _)| by_id(other) || by_page(other) || by_payload(other));
            if texts[at].is_none() && found {
                // Ids and pages are of one text each in these histories.
                let ranked: [&dyn Fn(&Entry) -> bool; 3] = [&by_id, &by_page, &by_payload];
                texts[at] = ranked.iter().find_map(|is| {
                    candidates()
                        .find(|(other, _)| is(other))
                        .and_then(|(_, text)| *text)
                });
                changed = true;
            }
        }
        if !changed && !resolved_by_url(before, own, &mut texts) {
            return texts;
        }
    }
}

/// Gives revisits that refer to nothing the text of the newest earlier record of their URL.
fn resolved_by_url(
    before: &[Vec<(Entry, Option<usize>)>],
    own: &[Entry],
    texts: &mut [Option<usize>],
) -> bool {
    let known: Vec<(Entry, Option<usize>)> =
        own.iter().cloned().zip(texts.iter().copied()).collect();
    let mut changed = false;
    for (entry, text) in own.iter().zip(texts) {
        let refers_to_nothing = entry.refers_to.is_none()
            && entry.refers_to_page.is_none()
            && (entry.text.is_none() || entry.digest == Digest::None);
        if !entry.is_revisit || !refers_to_nothing || text.is_some() {
            continue;
        }
        let newest = before
            .iter()
            .flatten()
            .chain(&known)
            .filter(|(other, text)| text.is_some() && other.url == entry.url)
            .filter(|(other, _)| other.date <= entry.date)
            .max_by_key(|(other, _)| other.date);
        *text = newest.and_then(|(_, text)| *text);
        changed |= text.is_some();
    }
    changed
}

#[test]
fn random_histories_are_what_plain_means_find_and_what_runs_from_scratch_give() {
    let histories = std::env::var("PIPELINE_REVISITS")
        .ok()
        .and_then(|n| n.parse().ok())
        .unwrap_or(8);
    let (mut taken, mut retained) = (0, 0);
    for seed in 0..histories {
        let mut draw = Draw(seed * 77 + 5);
        let place = place();
        // Of every snapshot: number, name, its records with their texts.
        let mut all: Vec<Vec<(Entry, Option<usize>)>> = Vec::new();
        let mut live: Vec<usize> = Vec::new();
        for night in 0..4_u64 {
            let mut own: Vec<Entry> = Vec::new();
            // A crawl that found nothing unchanged needs no other.
            let has_revisits = draw.below(3) > 0;
            for n in 0..4 + draw.below(12) {
                // The text follows from the URL, and the date from the night, so that all keys say
                // one thing.
                let text = draw.below(8) as usize;
                let (id, url) = (format!("{night}-{n}"), format!("http://x/{text}/{n}"));
                let spelling = [Digest::None, Digest::Hex, Digest::Base32][draw.below(3) as usize];
                let known: Vec<&Entry> = all
                    .iter()
                    .flatten()
                    .map(|(entry, _)| entry)
                    .chain(&own)
                    .collect();
                let same: Vec<&&Entry> = known
                    .iter()
                    .filter(|entry| entry.url.starts_with(&format!("http://x/{text}/")))
                    .collect();
                let other = same.get(draw.below(same.len().max(1) as u64) as usize);
                let mut entry = Entry {
                    is_revisit: has_revisits && n > 0 && draw.below(2) == 0,
                    ..page(&id, &url, night, text, spelling)
                };
                if let Some(other) = other.filter(|_| entry.is_revisit) {
                    if draw.below(2) == 0 {
                        entry.url.clone_from(&other.url);
                    }
                    entry.refers_to = other.id.clone().filter(|_| draw.below(3) == 0);
                    entry.refers_to_page =
                        Some((other.url.clone(), other.date)).filter(|_| draw.below(3) == 0);
                }
                own.push(entry);
            }
            if draw.below(2) == 0 {
                own.reverse();
            }
            let texts = resolved(&all, &own);
            add(
                &place,
                &format!("n{night}"),
                &own.chunks(5).map(<[Entry]>::to_vec).collect::<Vec<_>>(),
            );
            all.push(own.into_iter().zip(texts).collect());
            live.push(night as usize);
            // Some are dropped before the new one is read, which may need them.
            if draw.below(3) > 0 {
                place.run();
            }
            if draw.below(2) == 0 && live.len() > 1 {
                let dropped = live.remove(draw.below(live.len() as u64 - 1) as usize);
                place
                    .pipeline(&["snapshot", "drop", &format!("n{dropped}")])
                    .exits(0);
            }
            place.run();
            place.run().says("nothing new");
            let list = fs::read_to_string(place.path("snapshots.toml")).expect("the list");
            taken += list.matches("revisit-sources = ").count();
            retained += list.matches("dropped = true\nroots").count();
            // What was forgotten cannot be referred to any more.
            for (at, snapshot) in all.iter_mut().enumerate() {
                let table = list.split("[[snapshot]]").nth(at + 1).expect("a snapshot");
                if !table.contains("list = ") {
                    snapshot.clear();
                }
            }
            let mut expected = Vec::new();
            for at in &live {
                let found = all[*at]
                    .iter()
                    .filter_map(|(entry, text)| Some((entry.url.clone(), (*text)?)));
                expected.extend(
                    found
                        .zip((*at as u64 + 1) << 32..)
                        .map(|((url, text), id)| (id, url, text)),
                );
            }
            assert_eq!(documents(&place), expected, "seed {seed}, night {night}");
            let scratch = tables(from_scratch(&place));
            assert_eq!(
                tables(place.published()),
                scratch,
                "seed {seed}, night {night}"
            );
        }
    }
    assert!(
        taken > 0 && retained > 0,
        "no revisit refers to another snapshot: {taken}, {retained}"
    );
}
