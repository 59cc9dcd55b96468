//! Joins the groups of the three relations into one [`Class`] for each document.

use crate::Lowest;
use model::Class;

/// Merges the members of the groups of three relations, each sorted by document.
#[derive(Debug)]
pub struct Join {
    heads: [Option<Lowest>; 3],
}

impl Join {
    /// Starts with the first record of each relation, from narrow to wide.
    pub fn new(heads: [Option<Lowest>; 3]) -> Join {
        Join { heads }
    }

    /// The class of the next document in order. `pull(i)` must return the next record of relation
    /// `i`.
    ///
    /// # Errors
    /// Those of `pull`.
    pub fn next<E>(
        &mut self,
        mut pull: impl FnMut(usize) -> Result<Option<Lowest>, E>,
    ) -> Result<Option<Class>, E> {
        let Some(doc) = self.heads.iter().flatten().map(|head| head.doc).min() else {
            return Ok(None);
        };
        let mut class = Class::alone(doc);
        for (relation, slot) in class.lowest.iter_mut().enumerate() {
            if let Some(head) = self.heads[relation].filter(|head| head.doc == doc) {
                *slot = head.lowest;
                self.heads[relation] = pull(relation)?;
            }
        }
        Ok(Some(class))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_document_comes_once_with_all_its_classes() {
        let lists = [
            vec![(2, 2), (5, 2)],
            vec![(2, 2), (3, 2), (5, 2)],
            vec![(7, 7), (8, 7)],
        ];
        let mut iterators =
            lists.map(|list| list.into_iter().map(|(doc, lowest)| Lowest { doc, lowest }));
        let mut join = Join::new([0, 1, 2].map(|i| iterators[i].next()));
        let mut classes = Vec::new();
        while let Some(class) = join
            .next(|i| Ok::<_, ()>(iterators[i].next()))
            .expect("no errors")
        {
            classes.push((class.doc, class.lowest));
        }
        let none = Class::NONE;
        assert_eq!(
            classes,
            [
                (2, [2, 2, none]),
                (3, [none, 2, none]),
                (5, [2, 2, none]),
                (7, [none, none, 7]),
                (8, [none, none, 7])
            ]
        );
    }
}
