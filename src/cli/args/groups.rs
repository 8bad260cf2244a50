//! The verbs as the help lists them: by what they are for, each once.

use clap::Command;

/// The headings with their verbs, in the order of a first hour.
pub(super) const GROUPS: [(&str, &[&str]); 5] = [
    ("Start", &["new", "next", "install", "uninstall", "doctor", "explain"]),
    (
        "Record",
        &["eval", "claim", "runlog", "goal", "patch", "retract", "redact", "repair", "clean", "evidence", "share"],
    ),
    ("Read", &["show", "ls", "report", "impact", "units", "usage", "graph", "config", "completions", "man"]),
    ("Judge", &["scan", "check", "validate"]),
    ("For git", &["pre-commit", "pre-merge-commit", "pre-push", "pre-receive", "run", "merge-ledger"]),
];

/// The same command with its verbs under these headings. A verb that is in no group stands at the end, so that none is hidden.
pub(super) fn grouped(command: Command) -> Command {
    let template =
        format!("{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{}{{options}}{{after-help}}", listed(&command));
    command.help_template(template)
}

fn listed(command: &Command) -> String {
    let styles = clap::builder::Styles::default();
    let head = styles.get_header();
    let known = |name: &str| GROUPS.iter().any(|(_, verbs)| verbs.contains(&name));
    let others: Vec<&str> = command.get_subcommands().map(Command::get_name).filter(|name| !known(name)).collect();
    let mut text = String::new();
    for (heading, verbs) in GROUPS.iter().copied().chain([("Other", &others[..])]) {
        let lines: String = verbs.iter().filter_map(|name| command.find_subcommand(name)).map(line).collect();
        if !lines.is_empty() {
            text += &format!("{head}{heading}:{head:#}\n{lines}\n");
        }
    }
    text + &format!("{head}Options:{head:#}\n")
}

fn line(verb: &Command) -> String {
    let about = verb.get_about().map(ToString::to_string).unwrap_or_default();
    format!("  {:<17} {about}\n", verb.get_name())
}
