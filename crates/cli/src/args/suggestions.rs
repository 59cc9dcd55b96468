//! Advice about an option that a command does not have.
//!
//! clap suggests the option that shares most letters, in however many places: `--set` for `--kept`.
//! An option is suggested here where it is a slip away, or one of both goes on behind the other.
//! Else a key of the configuration is shown with `--set`, and an option of another command with
//! that command; or nothing is.

use std::ffi::OsString;

use clap::builder::StyledStr;
use clap::error::{ContextKind, ContextValue, Error, ErrorKind};
use clap::{Command, CommandFactory};
use pipeline::config;

use super::Cli;

/// An option of more commands than these says nothing.
const COMMANDS_MOST: usize = 2;

/// Options of all commands that have a value.
const WITH_VALUES: [&str; 4] = ["-c", "--config", "--set", "--log-format"];

/// Letters of an option that is known by its beginning.
const BEGINNING: usize = 3;

/// The error with a suggestion that helps or with none. `arguments` begin with the program.
pub(crate) fn improved(mut error: Error, arguments: impl Iterator<Item = OsString>) -> Error {
    let unknown = match error.get(ContextKind::InvalidArg) {
        Some(ContextValue::String(unknown)) if error.kind() == ErrorKind::UnknownArgument => {
            unknown.clone()
        }
        _ => return error,
    };
    let Some(name) = unknown.strip_prefix("--") else {
        return error;
    };
    let mut root = Cli::command();
    root.build();
    let mut command = command_of(&root, arguments, &unknown).clone();
    let longs: Vec<&str> = longs_of(&command).collect();
    let similar = similar(name, &longs).map(|similar| format!("--{similar}"));
    let by_key = config::key_path(name).filter(|_| longs.contains(&"set"));
    let elsewhere = commands_with(&root, name);
    let tip = match by_key {
        _ if similar.is_some() => None,
        Some(key) => Some(format!("a key of the configuration: '--set {key}=VALUE'")),
        None if (1..=COMMANDS_MOST).contains(&elsewhere.len()) => Some(format!(
            "an option of another command: '{unknown}' of '{}'",
            elsewhere.join("' and '")
        )),
        None => None,
    };
    let of_clap = match error.remove(ContextKind::SuggestedArg) {
        Some(ContextValue::String(suggested)) => Some(suggested),
        _ => None,
    };
    if of_clap.is_some() && of_clap != similar {
        // clap shows it as it would be with the option that it suggests
        let usage = ContextValue::StyledStr(command.render_usage());
        error.insert(ContextKind::Usage, usage);
    }
    if tip.is_some() || similar.is_some() {
        error.remove(ContextKind::Suggested);
    }
    if let Some(similar) = similar {
        error.insert(ContextKind::SuggestedArg, ContextValue::String(similar));
    }
    if let Some(tip) = tip {
        let tips = ContextValue::StyledStrs(vec![StyledStr::from(tip)]);
        error.insert(ContextKind::Suggested, tips);
    }
    error
}

/// The command in which the unknown option stands.
fn command_of<'c>(
    root: &'c Command,
    arguments: impl Iterator<Item = OsString>,
    unknown: &str,
) -> &'c Command {
    let (mut command, mut is_value) = (root, false);
    for argument in arguments.skip(1) {
        let argument = argument.to_string_lossy();
        // the value of an option may have the name of a command
        if std::mem::replace(&mut is_value, WITH_VALUES.contains(&&*argument)) {
            continue;
        }
        if argument.split('=').next() == Some(unknown) {
            break;
        }
        command = command.find_subcommand(&*argument).unwrap_or(command);
    }
    command
}

/// The names of the options that the help shows.
fn longs_of(command: &Command) -> impl Iterator<Item = &str> {
    let shown = command.get_arguments().filter(|one| !one.is_hide_set());
    shown.filter_map(|one| one.get_long())
}

/// All commands that have the option, as they are called.
fn commands_with(command: &Command, option: &str) -> Vec<String> {
    let mut found = Vec::new();
    for one in command.get_subcommands() {
        if longs_of(one).any(|long| long == option) {
            found.push(one.get_bin_name().unwrap_or(one.get_name()).to_owned());
        }
        found.extend(commands_with(one, option));
    }
    found
}

/// The option that was meant: a slip away, or the only one that begins so, or the beginning.
fn similar<'a>(name: &str, longs: &[&'a str]) -> Option<&'a str> {
    let mut longer = longs.iter().filter(|long| long.starts_with(name));
    let only = match (longer.next(), longer.next()) {
        (Some(only), None) if name.len() >= BEGINNING => Some(*only),
        _ => None,
    };
    let goes_on = |long: &&&str| {
        let rest = name.strip_prefix(**long);
        rest.is_some_and(|rest| rest.starts_with('-'))
    };
    let shorter = || longs.iter().find(goes_on).copied();
    config::nearest(name, longs).or(only).or_else(shorter)
}
