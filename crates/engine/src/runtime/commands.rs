//! The commands that messages advise, with the options that the configuration was named with.
//!
//! *Input.* The options `-c` and `--set` of this call, once; messages. *Output.* The messages, each
//! command between backticks with those options at its end. *Limits.* A seed is not repeated.

use crate::runtime::holder::without_secret;
use output::shell_word;
use std::borrow::Cow;
use std::path::Path;
use std::sync::OnceLock;

/// The text before a command in a message.
const BEGIN: &str = "`pipeline ";
/// Commands that read no configuration, or that of a preset.
const WITHOUT_CONFIG: [&str; 5] = ["init", "inspect", "completions", "man", "evaluate"];

static OPTIONS: OnceLock<String> = OnceLock::new();

/// Sets the options of all commands that are advised from now on; only the first call counts.
pub fn set_config_options(path: Option<&Path>, set: &[String]) {
    let path = path.map(|path| ("-c", path.to_string_lossy().into_owned()));
    let set = set
        .iter()
        .map(|set| ("--set", without_secret(set.to_owned())));
    let options = path.into_iter().chain(set);
    let options = options.map(|(name, value)| format!(" {name} {}", shell_word(&value)));
    let _ = OPTIONS.set(options.collect());
}

/// The options, with a space before each; empty if there are none.
pub fn config_options() -> &'static str {
    OPTIONS.get().map_or("", String::as_str)
}

/// A message whose commands have the options.
pub fn with_config_options(text: &str) -> Cow<'_, str> {
    with_options(text, config_options())
}

fn with_options<'a>(text: &'a str, options: &str) -> Cow<'a, str> {
    if options.is_empty() || !text.contains(BEGIN) {
        return Cow::Borrowed(text);
    }
    let mut parts = text.split(BEGIN);
    let mut told = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let end = part.find('`').unwrap_or(0);
        let (command, rest) = part.split_at(end);
        let verb = command.split(' ').next().unwrap_or_default();
        let has_options = command.ends_with(options) || WITHOUT_CONFIG.contains(&verb);
        let options = if end == 0 || has_options { "" } else { options };
        told.extend([BEGIN, command, options, rest]);
    }
    Cow::Owned(told)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_have_the_options_at_their_end_once() {
        let told = |text: &str| with_options(text, " -c a.toml").into_owned();
        for (text, expected) in [
            (
                "failed; `pipeline run` mends",
                "failed; `pipeline run -c a.toml` mends",
            ),
            (
                "`pipeline snapshot drop 1` and `pipeline run`",
                "`pipeline snapshot drop 1 -c a.toml` and `pipeline run -c a.toml`",
            ),
            ("`pipeline init`, `pipeline ", "`pipeline init`, `pipeline "),
            ("a pipeline run", "a pipeline run"),
        ] {
            assert_eq!(told(text), expected);
            assert_eq!(told(&told(text)), expected);
        }
    }
}
