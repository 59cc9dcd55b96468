//! Checks a single value of the file by the kind of its key.

use std::ops::RangeInclusive;
use std::rc::Rc;

use model::Threshold;
use toml::de::DeValue;

use super::kind::{Choices, KeyKind, LIMIT_MAX, UNLIMITED, Value};
use super::nearest::did_you_mean;
use super::problem::quoted;
use super::size::parse_units;

/// A number or a text.
enum Scalar<'a> {
    Integer(i128),
    Float(f64),
    Text(&'a str),
}

impl Scalar<'_> {
    /// The message for a value of another type than expected.
    fn is_not(&self, expected: &str) -> String {
        match self {
            Scalar::Integer(number) => format!("expected {expected}, got {number}"),
            Scalar::Float(number) => format!("expected {expected}, got {number}"),
            Scalar::Text(text) => format!("expected {expected}, got {}", quoted(text)),
        }
    }

    fn number(&self) -> Option<f64> {
        match self {
            Scalar::Integer(number) => Some(*number as f64),
            Scalar::Float(number) => Some(*number),
            Scalar::Text(_) => None,
        }
    }
}

/// A value that is neither a table nor a list.
pub(super) fn single(kind: &KeyKind, value: &DeValue<'_>) -> Result<Value, String> {
    match kind {
        KeyKind::Table(_) => Err(wrong_type("a table", value)),
        KeyKind::Tables(_) => Err(wrong_type("tables in double brackets", value)),
        KeyKind::Texts(_) => Err(wrong_type("a list of texts", value)),
        KeyKind::Flag => match value {
            DeValue::Boolean(flag) => Ok(Rc::new(*flag)),
            _ => Err(wrong_type("true or false", value)),
        },
        KeyKind::Number(min, max) => {
            let expected = format!("a whole number from {min} to {max}");
            whole(value, &expected, |number| (*min..=*max).contains(&number))
        }
        KeyKind::Among(numbers, names) => whole(value, names, |number| numbers.contains(&number)),
        KeyKind::PowerOfTwo(max) => {
            let expected = format!("a power of two from 1 to {max}");
            whole(value, &expected, |number| {
                number.is_power_of_two() && number <= *max
            })
        }
        KeyKind::Limit => limit(&scalar(value)?),
        KeyKind::Size {
            least,
            most,
            unlimited,
        } => size(&scalar(value)?, *least..=*most, *unlimited),
        KeyKind::Threshold => threshold(&scalar(value)?),
        KeyKind::Share => share(&scalar(value)?),
        KeyKind::Choice(choices) => choice(*choices, text(value)?),
        KeyKind::Forms(_) => Ok(Rc::new(text(value)?.to_owned())),
        KeyKind::Text(rule) => {
            let text = text(value)?.to_owned();
            rule(&text).map(|()| Rc::new(text) as Value)
        }
    }
}

pub(super) fn wrong_type(expected: &str, value: &DeValue<'_>) -> String {
    let got = match value {
        DeValue::String(text) => format!("the text {}", quoted(text)),
        DeValue::Integer(number) => format!("the number {number}"),
        DeValue::Float(number) => format!("the number {number}"),
        DeValue::Boolean(value) => value.to_string(),
        DeValue::Datetime(_) => "a date".to_owned(),
        DeValue::Array(_) => "a list".to_owned(),
        DeValue::Table(_) => "a table".to_owned(),
    };
    format!("expected {expected}, got {got}")
}

/// The number, unless it has more than 38 digits.
fn integer(value: &DeValue<'_>) -> Option<i128> {
    let number = value.as_integer()?;
    i128::from_str_radix(number.as_str(), number.radix()).ok()
}

pub(super) fn text<'a>(value: &'a DeValue<'_>) -> Result<&'a str, String> {
    value
        .as_str()
        .ok_or_else(|| wrong_type("a text in quotes", value))
}

fn scalar<'a>(value: &'a DeValue<'_>) -> Result<Scalar<'a>, String> {
    let float = || value.as_float()?.as_str().parse().ok();
    let text = || value.as_str().map(Scalar::Text);
    let number = integer(value).map(Scalar::Integer);
    number
        .or_else(|| float().map(Scalar::Float))
        .or_else(text)
        .ok_or_else(|| wrong_type("a number or a text", value))
}

fn whole(
    value: &DeValue<'_>,
    expected: &str,
    is_right: impl Fn(u32) -> bool,
) -> Result<Value, String> {
    let number = integer(value).ok_or_else(|| wrong_type("a whole number", value))?;
    match u32::try_from(number) {
        Ok(number) if is_right(number) => Ok(Rc::new(number)),
        _ => Err(Scalar::Integer(number).is_not(expected)),
    }
}

fn limit(written: &Scalar<'_>) -> Result<Value, String> {
    match written {
        Scalar::Text(UNLIMITED) => Ok(Rc::new(())),
        Scalar::Integer(number @ 1..=LIMIT_MAX) => Ok(Rc::new(*number as u32)),
        _ => {
            let expected = format!("a whole number from 1 to {LIMIT_MAX}, or {UNLIMITED:?}");
            Err(written.is_not(&expected))
        }
    }
}

fn size(
    written: &Scalar<'_>,
    allowed: RangeInclusive<u64>,
    unlimited: bool,
) -> Result<Value, String> {
    let size = match written {
        Scalar::Text(UNLIMITED) if unlimited => return Ok(Rc::new(())),
        Scalar::Text(text) if unlimited && !text.starts_with(|c: char| c.is_ascii_digit()) => {
            Err("a size such as \"100GiB\", or \"unlimited\"")
        }
        Scalar::Text(text) => parse_units(text),
        Scalar::Integer(bytes @ 0..) => parse_units(&bytes.to_string()),
        _ => Err("a whole number of bytes, or a text such as \"512MiB\""),
    };
    match size {
        Ok(bytes) if bytes < *allowed.start() => {
            Err(written.is_not(&format!("at least {} byte", allowed.start())))
        }
        Ok(bytes) if bytes > *allowed.end() => {
            Err(written.is_not(&format!("at most {} bytes", allowed.end())))
        }
        Ok(bytes) => Ok(Rc::new(bytes)),
        Err(expected) => Err(written.is_not(expected)),
    }
}

fn threshold(written: &Scalar<'_>) -> Result<Value, String> {
    let threshold = written.number().map(Threshold::from_f64);
    match threshold {
        Some(Ok(threshold)) => Ok(Rc::new(threshold)),
        _ => Err(written.is_not("a number from 0 to 1 with at most 18 decimals")),
    }
}

fn share(written: &Scalar<'_>) -> Result<Value, String> {
    let share = match written {
        Scalar::Text(text) => text.strip_suffix('%').and_then(percentage),
        _ => written.number(),
    };
    match share {
        // A NaN is in no range.
        Some(share) if (0.0..=1.0).contains(&share) => Ok(Rc::new(share)),
        _ => Err(written.is_not("a percentage such as \"5%\", or a share from 0 to 1")),
    }
}

fn percentage(text: &str) -> Option<f64> {
    let plain = text.trim();
    let is_plain = plain.bytes().all(|b| b.is_ascii_digit() || b == b'.');
    let percent: f64 = plain.parse().ok().filter(|_| is_plain)?;
    Some(percent / 100.0)
}

fn choice(choices: &dyn Choices, text: &str) -> Result<Value, String> {
    choices.meaning(text).ok_or_else(|| {
        let names = choices.names();
        let (known, hint) = (names.join(", "), did_you_mean(text, &names));
        format!("expected one of {known}, got {}{hint}", quoted(text))
    })
}
