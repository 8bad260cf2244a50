//! The help pages. `-h` of the program is one screen with the everyday verbs; `--help` lists all verbs. `-h` of a verb
//! shows only its own options.

use super::formats;
use crate::report::Format;
use clap::builder::StyledStr;
use clap::{Arg, ArgAction, Args, Command};
use std::fmt::Write;

/// A heading of the help pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Heading {
    EveryDay,
    SetUp,
    Teams,
    /// The verbs of `help more`.
    More,
    /// The verbs of `help hooks`.
    Hooks,
}

impl Heading {
    pub(super) const ALL: [Self; 5] = [Self::EveryDay, Self::SetUp, Self::Teams, Self::More, Self::Hooks];

    fn title(self) -> &'static str {
        match self {
            Self::EveryDay => "Every day",
            Self::SetUp => "Set up",
            Self::Teams => "Teams",
            Self::More => "More",
            Self::Hooks => "Called by git and by hook frameworks",
        }
    }

    /// The verbs of the core below it, each with its rank. A verb that moves to a feature keeps its rank.
    fn of_core(self) -> &'static [(u16, &'static str)] {
        match self {
            Self::EveryDay => &[(10, "new"), (30, "eval"), (40, "ls"), (50, "show"), (60, "check")],
            Self::SetUp => &[(10, "install"), (20, "uninstall"), (30, "doctor"), (40, "explain")],
            Self::Teams => &[],
            Self::More => &[
                (10, "scan"),
                (20, "validate"),
                (30, "impact"),
                (40, "units"),
                (60, "usage"),
                (80, "begin"),
                (100, "retract"),
                (110, "redact"),
                (120, "repair"),
                (125, "fold"),
                (130, "clean"),
                (140, "evidence"),
                (180, "config"),
                (190, "completions"),
                (200, "man"),
                (210, "help"),
            ],
            Self::Hooks => &[
                (10, "pre-commit"),
                (20, "pre-merge-commit"),
                (30, "pre-push"),
                (40, "pre-receive"),
                (50, "run"),
                (60, "merge-ledger"),
            ],
        }
    }

    /// The names of all its verbs in their order.
    pub(super) fn verbs(self) -> Vec<&'static str> {
        let mut ranked: Vec<(u16, &str)> = self.of_core().iter().copied().chain(super::listed(self)).collect();
        ranked.sort_by_key(|(rank, _)| *rank);
        ranked.into_iter().map(|(_, name)| name).collect()
    }
}

/// The headings of the first help page.
const FIRST: [Heading; 3] = [Heading::EveryDay, Heading::SetUp, Heading::Teams];

const OTHERS: &str = "\
yatsu-hook help more    the other verbs        yatsu-hook help hooks   what git calls
yatsu-hook help VERB    one verb               yatsu-hook --help       everything
Exit codes: 0 clean, 1 an error or a refused write, 2 misuse, 3 could not check: it blocks";

const EVERY_VERB: &str = "Every verb also takes -C DIR, --format, --color, --ascii, -q and -v: see --help.";

/// The command with its help pages.
pub(super) fn with_pages(command: Command) -> Command {
    // without blank lines between the groups the page has 24 lines, one screen
    let name = command.get_name().to_owned();
    let first = listed(&command, &FIRST).replace("\n\n", "\n");
    let first = format!("Keeps a repository honest about what was measured. Usage: {name} VERB …\n\n{first}\n{OTHERS}");
    let about = command.get_about().map(StyledStr::to_string).unwrap_or_default();
    let all = format!(
        "{about}\n\nUsage: {name} [OPTIONS] VERB …\n\n{}{}",
        listed(&command, &Heading::ALL),
        heading("Options")
    );
    // named here, so that the first page leaves them out
    let help = Arg::new("help").short('h').long("help").action(ArgAction::Help).help("Print help; -h is shorter");
    let version = Arg::new("version").short('V').long("version").action(ArgAction::Version).help("Print the version");
    let command = command.disable_help_flag(true).disable_version_flag(true);
    let command = command.arg(help.global(true).hide_short_help(true)).arg(version.hide_short_help(true));
    let command = command.help_template("{before-help}{options}{after-help}").before_help(first).before_long_help(all);
    let names: Vec<String> = command.get_subcommands().map(|verb| verb.get_name().to_owned()).collect();
    names.iter().fold(command, |command, name| command.mut_subcommand(name, |verb| verb_page(verb, &[name.as_str()])))
}

/// The text of `help more` or `help hooks`.
pub(super) fn page(command: &Command, group: Heading) -> String {
    // as plain text, because a pipe must not get colours
    StyledStr::from(listed(command, &[group])).to_string()
}

/// A verb and its subverbs: `-h` leaves out the options of every verb, `--help` lists the formats that the verb has.
fn verb_page(verb: Command, path: &[&str]) -> Command {
    let nested: Vec<String> = verb.get_subcommands().map(|verb| verb.get_name().to_owned()).collect();
    let verb = nested.iter().fold(verb, |verb, name| {
        verb.mut_subcommand(name, |below| verb_page(below, &[path, &[name.as_str()]].concat()))
    });
    let examples = verb.get_after_help().map(ToString::to_string).unwrap_or_default();
    let short = format!("{EVERY_VERB}\n\n{examples}");
    verb.after_help(short.trim_end().to_owned()).after_long_help(examples).arg(format_of(path))
}

/// `--format` of one verb. Every value is parsed, because our refusal names the verb's formats and clap's does not. The
/// help lists only the verb's formats.
fn format_of(path: &[&str]) -> Arg {
    let command = super::GlobalArgs::augment_args(Command::new("yatsu-hook"));
    let known = command.get_arguments().find(|arg| arg.get_id() == "format").cloned();
    let formats: Vec<&str> = formats::of(path).iter().map(|format| format.as_str()).collect();
    let arg = known.unwrap_or_else(|| Arg::new("format"));
    arg.help(format!("How to print: {}", formats.join(", ")))
        .hide_possible_values(true)
        .hide(formats == [Format::Human.as_str()])
}

/// Headings with their verbs, one line each.
fn listed(command: &Command, groups: &[Heading]) -> String {
    let line = |verb: &Command| {
        let about = verb.get_about().map(StyledStr::to_string).unwrap_or_default();
        format!("  {:<17} {about}\n", verb.get_name())
    };
    groups.iter().fold(String::new(), |mut text, group| {
        let verbs = group.verbs();
        let lines: String = verbs.iter().filter_map(|name| command.find_subcommand(name)).map(line).collect();
        // writing to a string cannot fail
        let _ = writeln!(text, "{}{lines}", heading(group.title()));
        text
    })
}

fn heading(name: &str) -> String {
    let styles = clap::builder::Styles::default();
    let style = styles.get_header();
    format!("{style}{name}:{style:#}\n")
}
