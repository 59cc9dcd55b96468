//! Figures and cost of a phase in the manifest.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The figures of a phase as JSON; each phase has a type of its own for them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct PhaseFigures(Value);

impl PhaseFigures {
    /// Keeps figures.
    pub fn of(figures: &impl Serialize) -> PhaseFigures {
        // Figures are structs of numbers, texts and maps with text keys: all of it is JSON.
        PhaseFigures(serde_json::to_value(figures).unwrap_or_default())
    }

    /// The figures that were kept; those of a phase that kept none are all 0.
    pub fn read<F: DeserializeOwned + Default>(&self) -> F {
        F::deserialize(&self.0).unwrap_or_default()
    }

    /// Fails if something else than figures of this type was kept: [`PhaseFigures::read`] would
    /// take it for nothing.
    pub fn check<F: DeserializeOwned>(&self) -> Result<(), serde_json::Error> {
        match &self.0 {
            Value::Null => Ok(()),
            value => F::deserialize(value).map(drop),
        }
    }

    /// Each number, with the names that lead to it.
    pub fn numbers(&self) -> Vec<(String, u64)> {
        let mut numbers = Vec::new();
        add_numbers("", &self.0, &mut numbers);
        numbers
    }
}

fn add_numbers(name: &str, value: &Value, numbers: &mut Vec<(String, u64)>) {
    match value {
        Value::Object(fields) => {
            for (field, value) in fields {
                let separator = if name.is_empty() { "" } else { "." };
                add_numbers(&format!("{name}{separator}{field}"), value, numbers);
            }
        }
        value => numbers.extend(value.as_u64().map(|number| (name.to_owned(), number))),
    }
}

/// The cost of a phase when it ran.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PhaseCost {
    /// Milliseconds by the clock.
    pub wall_ms: u64,
    /// Milliseconds of the processor, of user and system.
    pub cpu_ms: u64,
    /// Bytes written to files.
    pub bytes_written: u64,
    /// Bytes read from files.
    pub bytes_read: u64,
    /// Most memory at a time.
    pub peak_memory_bytes: u64,
    /// Records in the largest output.
    pub records: u64,
    /// The sizes that the cost grows with; none where other machines had a part of it.
    pub scale: Option<CostScale>,
}

/// The sizes that the cost of a phase grows with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CostScale {
    /// Bytes of text that it went through.
    pub text_bytes: u64,
    /// Threads that it had.
    pub threads: usize,
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    #[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
    struct Example {
        bytes: u64,
        share: f64,
        by_kind: BTreeMap<String, u64>,
    }

    #[test]
    fn figures_are_read_as_they_were_kept() {
        let example = Example {
            bytes: u64::MAX,
            // Without exact reading, the last bit is lost.
            share: 0.498_922_800_718_132_83,
            by_kind: [("a.b".to_owned(), 3)].into(),
        };
        let page = serde_json::to_string(&PhaseFigures::of(&example)).unwrap();
        let figures: PhaseFigures = serde_json::from_str(&page).unwrap();
        assert_eq!(figures.read::<Example>(), example);
        let numbers = [
            ("bytes".to_owned(), u64::MAX),
            ("by_kind.a.b".to_owned(), 3),
        ];
        assert_eq!(figures.numbers(), numbers);
        assert_eq!(
            PhaseFigures::default().read::<Example>(),
            Example::default()
        );
        assert!(
            figures.check::<Example>().is_ok()
                && PhaseFigures::default().check::<Example>().is_ok()
        );
        assert!(
            PhaseFigures::of(&[1])
                .check::<BTreeMap<String, u64>>()
                .is_err()
        );
    }
}
