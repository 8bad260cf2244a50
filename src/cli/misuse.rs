//! The end of a run with arguments that clap refused.

use super::args::command;
use super::emit::{nothing_filed, tell};
use super::global::Global;
use super::{Exit, echo as shortened, stdio};
use crate::error::Error;
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
        return tell(&error, &global);
    }
    let text = shortened::brief_text(&text).replacen("error: ", "yatsu-hook: ", 1);
    let lines: String = text.lines().map(|line| format!("{}\n", escape::terminal(line))).collect();
    stdio::tell(lines.as_bytes());
    if was_to_file(args) {
        nothing_filed();
    }
    Exit::USAGE
}

/// The answer to an unknown verb. `status` and `verify` are verbs that people know from other programs.
fn unknown_verb(error: &clap::Error, args: &[OsString]) -> Option<Error> {
    // clap gives the word also for a missing verb, where it is the command's own name
    let typed = match (error.kind(), error.get(ContextKind::InvalidSubcommand)) {
        (ErrorKind::InvalidSubcommand, Some(ContextValue::String(typed))) => typed,
        _ => return None,
    };
    let command = command();
    let families = families(&command, args, typed);
    let family = families.first().copied();
    let within: String = families.iter().map(|family| format!("{} ", family.get_name())).collect();
    let error = Error::usage(format!("there is no verb `{within}{}`", echo(typed)));
    if !matches!(typed.as_str(), "status" | "verify") {
        let known = families.last().copied().unwrap_or(&command).get_subcommands().map(clap::Command::get_name);
        let meant = nearest(typed, known).map(|meant| format!("did you mean {meant}?"));
        return Some(meant.into_iter().fold(error, Error::hint).hint(format!("all verbs: yatsu-hook {within}--help")));
    }
    let hints = match family {
        None => &["the score of the repository: yatsu-hook scan", "what the gate says: yatsu-hook check"][..],
        Some(family) => FAMILY_STATUS.iter().find(|(name, _)| *name == family.get_name())?.1,
    };
    Some(hints.iter().fold(error, |error, hint| error.hint(*hint)))
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
