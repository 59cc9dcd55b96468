//! The first of many things, as they are found.

/// The things of the lowest keys, which all differ. Memory: twice the limit.
#[derive(Clone, Debug)]
pub struct Leading<K, T> {
    limit: usize,
    /// As many as are asked for, and as many again that are not sorted yet.
    found: Vec<(K, T)>,
    /// The last key of those that were sorted: whatever is behind it is not among the first.
    last: Option<K>,
}

impl<K: Ord + Copy, T> Leading<K, T> {
    /// At most so many.
    pub fn of(limit: usize) -> Leading<K, T> {
        Leading {
            limit,
            found: Vec::new(),
            last: None,
        }
    }

    /// Takes a thing that may be among the first; it is made only then.
    pub fn offer(&mut self, key: K, thing: impl FnOnce() -> T) {
        if self.last.is_some_and(|last| key > last) {
            return;
        }
        self.found.push((key, thing()));
        if self.found.len() > self.limit.saturating_mul(2) {
            self.cut();
            self.last = self.found.last().map(|(key, _)| *key);
        }
    }

    fn cut(&mut self) {
        self.found.sort_unstable_by_key(|(key, _)| *key);
        self.found.truncate(self.limit);
    }

    /// The first ones, in order.
    pub fn sorted(mut self) -> Vec<T> {
        self.cut();
        self.found.into_iter().map(|(_, thing)| thing).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_first_are_those_of_a_sort(mut keys in prop::collection::vec(0..50_u32, 0..60), limit in 0_usize..9) {
            let mut leading = Leading::of(limit);
            let keyed = keys.iter().enumerate().map(|(at, key)| (*key, at));
            keyed.for_each(|key| leading.offer(key, || key.0));
            keys.sort_unstable();
            keys.truncate(limit);
            prop_assert_eq!(leading.sorted(), keys);
        }
    }
}
