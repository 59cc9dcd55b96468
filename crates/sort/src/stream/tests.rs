use super::*;
use crate::SortSpec;
use format::Disk;
use model::{keyed, word_record};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Entry {
    key: u32,
    value: u32,
}

word_record! { Entry { key, value } }
keyed! { Entry: u32 = |entry| entry.key }
keyed! { Entry: [u32; 2] = |entry| [entry.key, entry.value] }

fn entries() -> impl Strategy<Value = Vec<Entry>> {
    let entry = (0..20_u32, 0..9_u32).prop_map(|(key, value)| Entry { key, value });
    proptest::collection::vec(entry, 0..40).prop_map(|mut entries| {
        entries.sort_unstable();
        entries
    })
}

fn lookup(entries: &[Entry]) -> Lookup<impl Stream<Record = Entry, Error = Infallible>> {
    Lookup::over(from_slice(entries)).unwrap()
}

proptest! {
    #[test]
    fn ascending_lookups_find_what_a_search_finds(
        entries in entries(), mut keys in proptest::collection::vec(0..22_u32, 0..30),
    ) {
        keys.sort_unstable();
        let (mut first, mut all) = (lookup(&entries), lookup(&entries));
        let (mut group, mut asked) = (Vec::new(), BTreeSet::new());
        for key in keys {
            let expected: Vec<Entry> =
                entries.iter().copied().filter(|entry| entry.key == key).collect();
            prop_assert_eq!(first.of(key).unwrap(), expected.first().copied());
            all.all_of(key, &mut group).unwrap();
            // They were taken by the first that asked.
            let expected = if asked.insert(key) { expected } else { Vec::new() };
            prop_assert_eq!(&group, &expected);
        }
    }

    #[test]
    fn groups_are_all_records_by_key(entries in entries()) {
        let mut expected: BTreeMap<u32, Vec<Entry>> = BTreeMap::new();
        for &entry in &entries {
            expected.entry(entry.key).or_default().push(entry);
        }
        let (mut lookup, mut group, mut found) = (lookup(&entries), Vec::new(), Vec::new());
        while let Some(key) = lookup.next_group::<u32>(&mut group).unwrap() {
            found.push((key, group.clone()));
        }
        prop_assert_eq!(found, expected.into_iter().collect::<Vec<_>>());
    }

    #[test]
    fn a_join_has_each_key_of_either_side_once(left in entries(), right in entries()) {
        let unique = |entries: &[Entry]| -> BTreeMap<u32, Entry> {
            entries.iter().map(|entry| (entry.key, *entry)).collect()
        };
        let (left, right) = (unique(&left), unique(&right));
        let keys: BTreeSet<u32> = left.keys().chain(right.keys()).copied().collect();
        let expected: Vec<_> = keys
            .iter()
            .map(|key| Joined { left: left.get(key).copied(), right: right.get(key).copied() })
            .collect();
        let [a, b] = [&left, &right].map(|side| side.values().copied().collect::<Vec<_>>());
        let (mut a, mut b, mut found) = (lookup(&a), lookup(&b), Vec::new());
        while let Some(both) = a.join::<_, u32>(&mut b).unwrap() {
            found.push(both);
        }
        prop_assert_eq!(found, expected);
    }
}

#[test]
fn a_stream_is_sorted_by_what_is_made_of_its_records() {
    let dir = tempfile::tempdir().unwrap();
    let spec = SortSpec::new(Disk::default(), dir.path().into(), "test".into(), 1 << 20);
    let mut numbers = 0..6_u32;
    let stream = from_fn(|| Ok::<_, FormatError>(numbers.next()));
    let odd = stream.filter_map(|number| (number % 2 == 1).then_some(number));
    let backwards = |number| Entry {
        key: 10 - number,
        value: number,
    };
    let mut sorted = Lookup::over(odd.sort_by(WordSorter::new(spec), backwards).unwrap()).unwrap();
    assert_eq!(sorted.peek(), Some(Entry { key: 5, value: 5 }));
    assert_eq!(sorted.of([7, 3]).unwrap(), Some(Entry { key: 7, value: 3 }));
    assert_eq!(
        sorted.next_of(9_u32).unwrap(),
        Some(Entry { key: 9, value: 1 })
    );
    assert_eq!(sorted.next().unwrap(), None);
    let none: Option<SortedWords<Entry>> = None;
    assert_eq!(Lookup::over(none).unwrap().of(0_u32).unwrap(), None);
}

#[test]
fn an_error_of_the_stream_passes_through() {
    let mut left = 2;
    let stream = from_fn(|| {
        left -= 1;
        if left < 0 {
            Err("damaged")
        } else {
            Ok(Some(Entry { key: 1, value: 0 }))
        }
    });
    let mut lookup = Lookup::over(stream).unwrap();
    assert!(lookup.next().unwrap().is_some());
    assert_eq!(lookup.of(5_u32).unwrap_err(), "damaged");
}
