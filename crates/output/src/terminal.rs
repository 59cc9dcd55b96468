//! Foreign texts on a terminal: without the characters that it would obey, in so many columns.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Controls, and the marks of bidirectional text and of invisible lines.
pub fn is_harmful(c: char) -> bool {
    c.is_control()
        || matches!(
            c,
            '\u{61C}' | '\u{200E}' | '\u{200F}' | '\u{2028}'..='\u{202E}' | '\u{2066}'..='\u{206F}' | '\u{FEFF}'
                | '\u{FFF9}'..='\u{FFFB}'
        )
}

/// The text as a word of a shell's command line.
pub fn shell_word(text: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "/._-+:@%,=".contains(c);
    if !text.is_empty() && text.chars().all(is_plain) {
        text.to_owned()
    } else {
        format!("'{}'", text.replace('\'', "'\\''"))
    }
}

/// The text in so many columns: if it is longer, its middle is left out. URLs and paths differ at
/// their ends.
pub fn shortened(text: &str, width: usize) -> String {
    let text = cut(text, usize::MAX);
    if text.width() <= width {
        return text;
    }
    let start = cut(&text, width / 2);
    let mut left = width.saturating_sub(start.width() + 3);
    let fits = |c: &char| {
        let columns = c.width().unwrap_or(0);
        let fits = columns <= left;
        left = if fits { left - columns } else { 0 };
        fits
    };
    let end: Vec<char> = text.chars().rev().take_while(fits).collect();
    start + "..." + &end.into_iter().rev().collect::<String>()
}

/// The text in so many columns: if it is longer, its end is left out.
pub fn beginning(text: &str, width: usize) -> String {
    let text = cut(text, usize::MAX);
    if text.width() <= width {
        return text;
    }
    cut(&text, width.saturating_sub(3)).trim_end().to_owned() + "..."
}

/// The text up to this column, with harmless characters only.
pub(crate) fn cut(text: &str, width: usize) -> String {
    let mut columns = 0;
    text.chars()
        .map(|c| if is_harmful(c) { '?' } else { c })
        .take_while(|c| {
            columns += c.width().unwrap_or(0);
            columns <= width
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shell_takes_a_word_as_it_is() {
        assert_eq!(shell_word("http://a.test/b,c"), "http://a.test/b,c");
        assert_eq!(
            shell_word("http://a.test/?a=1&b=2"),
            "'http://a.test/?a=1&b=2'"
        );
        assert_eq!(shell_word("it's"), "'it'\\''s'");
        assert_eq!(shell_word(""), "''");
    }

    #[test]
    fn a_long_text_loses_its_middle_or_its_end() {
        assert_eq!(shortened("日本語日本語", 9), "日本...語");
        assert_eq!(shortened("日本語日本語", 12), "日本語日本語");
        assert_eq!(beginning("日本語日本語", 12), "日本語日本語");
        assert_eq!(beginning("日本語日本語", 11), "日本語日...");
        assert_eq!(beginning("a title that is longer", 11), "a title...");
    }
}
