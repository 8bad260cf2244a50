//! The reading verbs: what may be typed, the requests that are made of it, and how they are carried out.

use super::args::Cli;
use super::global::Stream;
use super::judge::Call;
use super::request::{ListRequest, State};
use super::{Exit, stdio};
use crate::app::query::{score, settings};
use crate::error::{Error, Result};
use crate::finding::RuleId;
use crate::report::view::score::ScenarioRow;
use crate::report::{Format, config as report_config, score as report_score};
use crate::rules;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, CommandFactory, Subcommand};
use std::io;
use std::path::PathBuf;

/// `show`.
#[derive(Args, Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct ShowArgs {
    /// The node: its directory, its id or its last name; without it, or as `.`, the one of the current directory, else the
    /// only one that the branch touches
    #[arg(value_name = "NODE")]
    pub(super) node: Option<String>,
}

/// `ls`.
#[derive(Args, Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct ListArgs {
    /// Only scenarios without an effective reading
    #[arg(long, group = "state")]
    unmeasured: bool,
    /// Only scenarios whose latest reading is stale
    #[arg(long, group = "state")]
    stale: bool,
    /// Only scenarios whose latest reading failed
    #[arg(long, group = "state")]
    failing: bool,
    /// Only scenarios with this tag; may be repeated
    #[arg(long = "tag", value_name = "TAG")]
    tags: Vec<String>,
}

/// `impact`.
#[derive(Args, Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct ImpactArgs {
    /// The paths that are going to be edited
    #[arg(value_name = "PATH", required = true)]
    pub(super) paths: Vec<PathBuf>,
}

/// `explain`.
#[derive(Args, Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct ExplainArgs {
    /// The rule; all of them in one line each without it
    #[arg(value_name = "RULE", value_parser = rule_parser())]
    pub(super) rule: Option<RuleId>,
}

/// `config`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Subcommand)]
pub(super) enum ConfigArgs {
    /// Print the configuration that is judged by, defaults filled in, and where each value comes from
    #[command(after_help = "Examples:\n  yatsu-hook config show --format json")]
    Show,
    /// Say what is wrong with spexcode.json (exit 2) and what in it is probably not meant (advice)
    #[command(after_help = "Examples:\n  yatsu-hook config check")]
    Check,
}

/// `completions`.
#[derive(Args, Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct CompletionsArgs {
    /// The shell
    #[arg(value_enum, value_name = "SHELL")]
    pub(super) shell: clap_complete::Shell,
}

impl ListArgs {
    /// The request.
    pub(super) fn request(self) -> ListRequest {
        let state = match (self.unmeasured, self.stale, self.failing) {
            (true, ..) => State::Unmeasured,
            (_, true, _) => State::Stale,
            (.., true) => State::Failing,
            _ => State::Any,
        };
        ListRequest { state, tags: self.tags }
    }
}

/// `ls`.
pub(super) fn ls(call: Call<'_>, request: &ListRequest) -> Result<Exit> {
    let is_machine = is_machine(call);
    let wanted = match request.state {
        State::Any => score::ListFilter::Any,
        State::Unmeasured => score::ListFilter::Unmeasured,
        State::Stale => score::ListFilter::Stale,
        State::Failing => score::ListFilter::Failing,
    };
    print_list(call, is_machine, &score::ls(&call.repo()?, wanted, &request.tags)?)
}

/// `impact`.
pub(super) fn impact(call: Call<'_>, paths: &[PathBuf]) -> Result<Exit> {
    let is_machine = is_machine(call);
    let repo = call.repo()?;
    let paths = paths.iter().map(|path| call.in_repository(&repo, path)).collect::<Result<Vec<_>>>()?;
    print_list(call, is_machine, &score::impact(&repo, &paths)?)
}

fn print_list(call: Call<'_>, is_machine: bool, rows: &[ScenarioRow]) -> Result<Exit> {
    let style = call.global.style(Stream::Out);
    printed(|out| match is_machine {
        true => report_score::write_json(report_score::SCORE, rows, out),
        false => report_score::write_list(rows, &style, out),
    })
}

/// `show`.
pub(super) fn show(call: Call<'_>, node: Option<&str>) -> Result<Exit> {
    let is_machine = is_machine(call);
    let repo = call.repo()?;
    let (node, rows) = score::show(&repo, node, &call.standing(&repo))?;
    let style = call.global.style(Stream::Out);
    printed(|out| match is_machine {
        true => report_score::write_json(report_score::TIMELINE, &rows, out),
        false => report_score::write_timeline(&node, &rows, &style, out),
    })
}

/// `config`.
pub(super) fn config(call: Call<'_>, what: ConfigArgs) -> Result<Exit> {
    let is_machine = is_machine(call);
    let settings = settings::settings(&call.repo()?)?;
    let style = call.global.style(Stream::Out);
    printed(|out| match what {
        _ if is_machine => report_config::write_json(&settings, out),
        ConfigArgs::Show => report_config::write_settings(&settings, out),
        ConfigArgs::Check => report_config::write_warnings(&settings, &style, out),
    })
}

fn is_machine(call: Call<'_>) -> bool {
    call.global.format == Format::Json
}

fn printed(write: impl FnOnce(&mut dyn io::Write) -> io::Result<()>) -> Result<Exit> {
    let mut text = Vec::new();
    write(&mut text).map_err(|error| Error::unchecked(format!("cannot make the output: {error}")))?;
    stdio::print(&text).map(|()| Exit::CLEAN)
}

fn rule_parser() -> impl TypedValueParser<Value = RuleId> {
    let names = PossibleValuesParser::new(RuleId::ALL.map(RuleId::as_str));
    names.try_map(|name| RuleId::parse(&name).ok_or("no such rule"))
}

/// Prints what a rule means, why it is there and how to mend a finding; without one, every rule's summary.
pub(super) fn explain(rule: Option<RuleId>) -> Result<()> {
    let text = match rule {
        Some(rule) => {
            let text = rules::explain(rule);
            format!("{}: {}\n\nWhy: {}\n\nTo mend: {}\n", rule.as_str(), text.summary, text.why, text.mend)
        }
        None => RuleId::ALL.map(|rule| format!("{:<18} {}\n", rule.as_str(), rules::explain(rule).summary)).concat(),
    };
    stdio::print(text.as_bytes())
}

/// Prints a completion script.
pub(super) fn completions(shell: clap_complete::Shell) -> Result<()> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "yatsu-hook", &mut script);
    stdio::print(&script)
}

/// Prints the manual page: one page for all verbs.
pub(super) fn man() -> Result<()> {
    let page = manual().map_err(|error| Error::unchecked(format!("cannot make the manual page: {error}")))?;
    stdio::print(page.as_bytes())
}

fn manual() -> io::Result<String> {
    let mut command = Cli::command();
    command.build();
    let mut page = Vec::new();
    let top = clap_mangen::Man::new(command.clone());
    top.render_title(&mut page)?;
    top.render_name_section(&mut page)?;
    top.render_synopsis_section(&mut page)?;
    top.render_description_section(&mut page)?;
    top.render_options_section(&mut page)?;
    top.render_extra_section(&mut page)?;
    let mut page = String::from_utf8_lossy(&page).into_owned();
    for verb in command.get_subcommands() {
        page += &verb_section(verb, "yatsu-hook")?;
    }
    Ok(page)
}

/// A verb as one section, its own sections one level down, followed by the verbs below it.
fn verb_section(verb: &clap::Command, parent: &str) -> io::Result<String> {
    if verb.get_name() == "help" {
        return Ok(String::new());
    }
    let name = format!("{parent} {}", verb.get_name());
    // The options of every verb stand at the top of the page.
    let own = verb.clone().mut_args(|arg| if arg.is_global_set() { arg.hide(true) } else { arg });
    let man = clap_mangen::Man::new(own);
    let mut section = Vec::new();
    man.render_synopsis_section(&mut section)?;
    man.render_description_section(&mut section)?;
    man.render_options_section(&mut section)?;
    man.render_extra_section(&mut section)?;
    let section = String::from_utf8_lossy(&section).replace(".SH ", ".SS ");
    let mut text = format!(".SH \"{}\"\n{section}", name.to_uppercase());
    for verb in verb.get_subcommands() {
        text += &verb_section(verb, &name)?;
    }
    Ok(text)
}
