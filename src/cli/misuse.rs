//! The end of a run with arguments that clap refused.

use super::args::command;
use super::emit::{document, nothing_filed, tell};
use super::global::Global;
use super::{Exit, echo as shortened, stdio};
use crate::error::Error;
use crate::report::Format;
use crate::text::escape::{self, echo};
use crate::text::nearest::nearest;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use std::ffi::OsString;

/// Ends a run with arguments that clap refused. The texts of `--help` and `--version` go to standard output, misuse
/// goes to standard error with exit code 2.
pub(crate) fn refuse(error: &clap::Error, args: &[OsString]) -> Exit {
    let global = Global::default();
    let text = error.render().to_string();
    if !error.use_stderr() {
        let printed = stdio::print(text.as_bytes());
        return printed.map_or_else(|error| tell(&error, &global), |()| Exit::CLEAN);
    }
    if let Some(error) = unknown_verb(error, args) {
        return document(&error, tell(&error, &global), format(args));
    }
    let text = shortened::brief_text(&text);
    let lines: Vec<String> = text.lines().map(|line| escape::terminal(line).into_owned()).collect();
    stdio::tell((lines.join("\n").replacen("error: ", "yatsu-hook: ", 1) + "\n").as_bytes());
    if was_to_file(args) {
        nothing_filed();
    }
    document(&misused(&lines), Exit::USAGE, format(args))
}

/// clap's text as an error: its first line, and the lines that offer something as hints.
fn misused(lines: &[String]) -> Error {
    let message = lines.first().map(|line| line.trim_start_matches("error: ")).unwrap_or_default();
    let tips = lines.iter().filter_map(|line| line.trim_start().strip_prefix("tip: "));
    tips.fold(Error::usage(message), Error::hint)
}

/// The format that was asked for in arguments that cannot be parsed.
fn format(args: &[OsString]) -> Format {
    let mut words = args.iter().filter_map(|arg| arg.to_str());
    let named = words.find_map(|word| word.strip_prefix("--format")).map(|rest| rest.strip_prefix('='));
    let name = named.and_then(|name| name.or_else(|| words.next()));
    name.and_then(Format::parse).unwrap_or_default()
}

/// The error for words that name no verb, for example of `help evidence gt`.
pub(super) fn no_verb(words: &[String]) -> Error {
    let command = command();
    let mut families: Vec<&clap::Command> = Vec::new();
    for word in words {
        match families.last().copied().unwrap_or(&command).find_subcommand(word) {
            Some(family) => families.push(family),
            None => return unknown_in(&command, &families, word),
        }
    }
    Error::usage("no verb is named").hint("all verbs: yatsu-hook --help")
}

/// The answer to an unknown verb. `status` and `verify` are verbs that people know from other programs.
fn unknown_verb(error: &clap::Error, args: &[OsString]) -> Option<Error> {
    // clap gives the word also for a missing verb, where it is the command's own name
    let typed = match (error.kind(), error.get(ContextKind::InvalidSubcommand)) {
        (ErrorKind::InvalidSubcommand, Some(ContextValue::String(typed))) => typed,
        _ => return None,
    };
    let command = command();
    Some(unknown_in(&command, &families(&command, args, typed), typed))
}

/// The error for `typed`, which is no verb of the last of `families`, with the verb that was probably meant.
fn unknown_in(command: &clap::Command, families: &[&clap::Command], typed: &str) -> Error {
    let within: String = families.iter().map(|family| format!("{} ", family.get_name())).collect();
    let error = Error::usage(format!("there is no verb `{within}{}`", echo(typed)));
    if let Some(hints) = status_hints(families).filter(|_| matches!(typed, "status" | "verify")) {
        return hints.iter().fold(error, |error, hint| error.hint(*hint));
    }
    let known = || families.last().copied().unwrap_or(command).get_subcommands().map(clap::Command::get_name);
    let elsewhere = ELSEWHERE.iter().find(|(word, verb)| *word == typed && known().any(|known| known == *verb));
    let meant = elsewhere.map(|(_, verb)| *verb).or_else(|| nearest(typed, known()));
    let meant = meant.map(|meant| format!("did you mean {meant}?"));
    meant.into_iter().fold(error, Error::hint).hint(format!("all verbs: yatsu-hook {within}--help"))
}

/// The names that other programs have for our verbs.
const ELSEWHERE: [(&str, &str); 4] = [("list", "ls"), ("lint", "check"), ("test", "check"), ("measure", "eval")];

/// The hints for `status` and `verify`, of the program or of a family of verbs.
fn status_hints(families: &[&clap::Command]) -> Option<&'static [&'static str]> {
    match families.first() {
        None => Some(&["the score of the repository: yatsu-hook scan", "what the gate says: yatsu-hook check"]),
        Some(family) => FAMILY_STATUS.iter().find(|(name, _)| *name == family.get_name()).map(|(_, hints)| *hints),
    }
}

/// The verbs above the unknown verb `typed`, for example `runlog` and `phase` in `runlog phase strat`.
fn families<'c>(command: &'c clap::Command, args: &[OsString], typed: &str) -> Vec<&'c clap::Command> {
    let (mut families, mut words) = (Vec::new(), args.iter());
    while let Some(word) = words.next() {
        if matches!(word.to_str(), Some("-C" | "--format" | "--color")) {
            words.next();
            continue;
        }
        match families.last().copied().unwrap_or(command).find_subcommand(word) {
            Some(family) => families.push(family),
            None if *word == typed => break,
            None => {}
        }
    }
    families
}

/// The verbs that families have in place of `status` and `verify`.
const FAMILY_STATUS: [(&str, &[&str]); 7] = [
    ("share", &["how sharing stands: yatsu-hook share", "what the remote lacks: yatsu-hook share check"]),
    ("claim", &["who holds what: yatsu-hook claim ls"]),
    ("goal", &["which goals are reached: yatsu-hook goal check"]),
    ("runlog", &["all runs: yatsu-hook runlog ls", "whether a log is sound: yatsu-hook runlog check"]),
    ("patch", &["how far each branch has come: yatsu-hook patch ls"]),
    ("evidence", &["whether the bytes are what their names say: yatsu-hook evidence check"]),
    ("config", &["whether the configuration is sound: yatsu-hook config check"]),
];

/// Whether the first verb in the arguments files something.
fn was_to_file(args: &[OsString]) -> bool {
    let command = command();
    let verb = args.iter().find_map(|arg| command.find_subcommand(arg));
    verb.is_some_and(|verb| matches!(verb.get_name(), "eval" | "sign" | "retract" | "redact"))
}
