//! The items of the references: rows of benchmarks, books, documents of an earlier set.
//!
//! *Input.* Items one by one. *Output.* Any item by its number. *Memory.* The texts, in chunks;
//! about 20 bytes an item and 9 a field. All of it is reserved in the budget before it is
//! allocated. *Limits.* 2^32 items; a text of 4 GiB.

use sort::{BudgetError, MemoryBudget, Reservation};

/// Bytes of a chunk of texts, if no item is longer.
const CHUNK_BYTES: usize = 1 << 20;

/// The items of all references.
pub(super) struct Items {
    budget: MemoryBudget,
    reserved: Vec<Reservation>,
    /// Of each item: the length of its id, the number of fields, for each of these its number, its
    /// words and the length of its text; then id and texts.
    chunks: Vec<Vec<u8>>,
    /// The chunk of each item, and the byte at which it begins there.
    places: Vec<(u32, u32)>,
    /// Words of all items.
    pub(super) words: u64,
}

/// A row of a reference.
pub(super) struct Item<'a> {
    /// Its own id, or the number of its row.
    pub(super) id: &'a str,
    pub(super) fields: Vec<ItemField<'a>>,
}

/// A text of a field of an item: the entries of a list are several.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ItemField<'a> {
    /// Its number among the names that were asked for.
    pub(super) name: u8,
    pub(super) words: u32,
    pub(super) text: &'a str,
}

impl Items {
    /// None yet; they take their memory from this budget.
    pub(super) fn new(budget: &MemoryBudget) -> Items {
        Items {
            budget: budget.clone(),
            reserved: Vec::new(),
            chunks: Vec::new(),
            places: Vec::new(),
            words: 0,
        }
    }

    pub(super) fn count(&self) -> u32 {
        self.places.len() as u32
    }

    /// Adds an item.
    pub(super) fn push(&mut self, id: &str, fields: &[ItemField<'_>]) -> Result<(), BudgetError> {
        let texts: usize = fields.iter().map(|field| field.text.len()).sum();
        let bytes = 8 + 9 * fields.len() + id.len() + texts;
        if self.places.len() == self.places.capacity() {
            let more = self.places.capacity().max(1 << 10);
            self.reserve(16 * more)?;
            self.places.reserve_exact(more);
        }
        let has_room =
            |chunk: &Vec<u8>| chunk.capacity() - chunk.len() >= bytes && chunk.len() < 1 << 31;
        if !self.chunks.last().is_some_and(has_room) {
            let capacity = bytes.max(CHUNK_BYTES);
            self.reserve(capacity)?;
            self.chunks.push(Vec::with_capacity(capacity));
        }
        let at = self.chunks.len() - 1;
        let chunk = &mut self.chunks[at];
        self.places.push((at as u32, chunk.len() as u32));
        chunk.extend((id.len() as u32).to_le_bytes());
        chunk.extend((fields.len() as u32).to_le_bytes());
        for field in fields {
            chunk.push(field.name);
            chunk.extend(field.words.to_le_bytes());
            chunk.extend((field.text.len() as u32).to_le_bytes());
            self.words += u64::from(field.words);
        }
        chunk.extend(id.as_bytes());
        fields
            .iter()
            .for_each(|field| chunk.extend(field.text.as_bytes()));
        Ok(())
    }

    /// Reserves memory that is held as long as the items.
    pub(super) fn reserve(&mut self, bytes: usize) -> Result<(), BudgetError> {
        const WHAT: &str = "the references, which may also be searched for one after another";
        self.reserved.push(self.budget.reserve(WHAT, bytes)?);
        Ok(())
    }

    /// The item of this number, below [`Items::count`].
    pub(super) fn item(&self, number: u32) -> Item<'_> {
        let (chunk, begin) = self.places[number as usize];
        let mut rest = &self.chunks[chunk as usize][begin as usize..];
        let id_bytes = number_at(&mut rest);
        let count = number_at(&mut rest);
        let heads = (0..count).map(|_| {
            let name = take(&mut rest, 1)[0];
            (name, number_at(&mut rest), number_at(&mut rest))
        });
        let heads: Vec<(u8, u32, u32)> = heads.collect();
        let mut text =
            |bytes: u32| std::str::from_utf8(take(&mut rest, bytes as usize)).unwrap_or_default();
        let id = text(id_bytes);
        let fields = heads.into_iter().map(|(name, words, bytes)| ItemField {
            name,
            words,
            text: text(bytes),
        });
        Item {
            id,
            fields: fields.collect(),
        }
    }
}

/// The first bytes of what is left.
fn take<'a>(rest: &mut &'a [u8], bytes: usize) -> &'a [u8] {
    let (first, behind) = rest.split_at(bytes);
    *rest = behind;
    first
}

fn number_at(rest: &mut &[u8]) -> u32 {
    u32::from_le_bytes(take(rest, 4).try_into().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_come_back_as_they_were_added() {
        let budget = MemoryBudget::new(64 << 20);
        let mut items = Items::new(&budget);
        let long = "ö".repeat(2 << 20);
        let field = |name, text| ItemField {
            name,
            words: 2,
            text,
        };
        let texts = |number: usize| match number {
            7 => vec![field(0, &*long), field(9, "b")],
            number if number.is_multiple_of(3) => vec![field(1, "what?"), field(2, "")],
            _ => vec![field(255, "x")],
        };
        for number in 0..3000 {
            items
                .push(&format!("id{number}"), &texts(number))
                .expect("room");
        }
        assert_eq!((items.count(), items.words), (3000, 8002));
        for number in 0..3000 {
            let item = items.item(number);
            assert_eq!(item.id, format!("id{number}"));
            assert_eq!(item.fields, texts(number as usize));
        }
        let held: usize = items.chunks.iter().map(Vec::capacity).sum::<usize>();
        let used = budget.total_bytes() - budget.free_bytes();
        assert!(used >= held + 8 * items.places.capacity());
        drop(items);
        assert_eq!(budget.free_bytes(), budget.total_bytes());
    }

    #[test]
    fn references_that_do_not_fit_are_an_error_with_advice() {
        let mut items = Items::new(&MemoryBudget::new(3 << 20));
        let text = "word ".repeat(200_000);
        let field = ItemField {
            name: 0,
            words: 200_000,
            text: &text,
        };
        let mut pushed = (0..9).map(|_| items.push("a", &[field]));
        let error = pushed.find_map(Result::err).expect("too much");
        let error = error.to_string();
        assert!(error.contains("one after another"), "{error}");
    }
}
