//! The end of a run with arguments that clap refused.

use super::args::command;
use super::emit::{nothing_filed, tell};
use super::global::Global;
use super::{Exit, echo as shortened, stdio};
use crate::error::Error;
use crate::text::escape::{self, echo};
use crate::text::nearest::nearest;
use clap::error::{ContextKind, ContextValue};
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
    let Some(ContextValue::String(typed)) = error.get(ContextKind::InvalidSubcommand) else { return None };
    let command = command();
    let mut before = args.iter().take_while(|arg| *arg != typed.as_str());
    let family = before.find_map(|arg| command.find_subcommand(arg));
    let within = family.map(|family| format!("{} ", family.get_name())).unwrap_or_default();
    let error = Error::usage(format!("there is no verb `{within}{}`", echo(typed)));
    if !matches!(typed.as_str(), "status" | "verify") {
        let known = family.unwrap_or(&command).get_subcommands().map(clap::Command::get_name);
        let meant = nearest(typed, known).map(|meant| format!("did you mean {meant}?"));
        return Some(meant.into_iter().fold(error, Error::hint).hint(format!("all verbs: yatsu-hook {within}--help")));
    }
    let hints = match family {
        None => &["the score of the repository: yatsu-hook scan", "what the gate says: yatsu-hook check"][..],
        Some(family) => FAMILY_STATUS.iter().find(|(name, _)| *name == family.get_name())?.1,
    };
    Some(hints.iter().fold(error, |error, hint| error.hint(*hint)))
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
    verb.is_some_and(|verb| matches!(verb.get_name(), "eval" | "retract" | "redact"))
}
