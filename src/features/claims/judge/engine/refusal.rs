//! Why a command on a claim is refused, and what to do then. No sentence here contains a token.

use crate::error::{Error, Refusal};
use crate::features::claims::model::{Claim, ClaimSeries, ClaimStep};
use crate::model::ledger::Timestamp;
use crate::model::node::Node;
use crate::model::reference::scenario_word;
use crate::text::escape::echo;
use crate::text::shell;
use crate::tree::path::RepoPath;
use foldhash::HashMap;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ClaimRefusal {
    /// The claim is held and live.
    Held { series: ClaimSeries, owner: String, until: Timestamp },
    /// The claim expired so recently that its holder may still file.
    InGrace {
        series: ClaimSeries,
        owner: String,
        /// The milliseconds until the series can be taken.
        left: i64,
    },
    /// The series has no holder.
    NotHeld(ClaimSeries),
    /// The allowed number of attempts is used up.
    Attempts {
        series: ClaimSeries,
        /// `yatsu.claims.maxAttempts`.
        most: u32,
    },
    /// One more claim would exceed a limit of `yatsu.claims`: the sentence that says which.
    Capped(String),
    /// No known claim has this token.
    UnknownToken,
    /// The token's claim is on another scenario.
    OtherScenario { claimed: ClaimSeries },
    /// The token's claim expired, and the scenario was taken again, perhaps by the same owner.
    Lost(ClaimSeries),
    /// The token's claim ended in another way.
    Ended { series: ClaimSeries, step: ClaimStep },
    /// The claim has expired and cannot be renewed.
    Expired { series: ClaimSeries, until: Timestamp },
}

/// Names of nodes in messages: the id that every other message uses, or the directory if no node is there now.
#[derive(Clone, Debug, Default)]
pub(crate) struct NodeNames(HashMap<RepoPath, String>);

impl NodeNames {
    /// The names of these nodes. Their files need not be loaded.
    pub(crate) fn of(nodes: &[Node]) -> Self {
        Self(nodes.iter().map(|node| (node.dir.clone(), node.argument())).collect())
    }

    pub(crate) fn node(&self, dir: &RepoPath) -> String {
        let known = self.0.get(dir).filter(|name| !name.is_empty());
        let dir = || if dir.is_root() { ".".to_owned() } else { dir.to_string() };
        known.cloned().unwrap_or_else(dir)
    }

    /// A series as messages name it, e.g. `board/renders`, `key deploy` or `path src/*.rs`.
    pub(crate) fn series(&self, series: &ClaimSeries) -> String {
        match series.scenario() {
            Some(on) => self.scenario(on.node(), on.name()),
            None => series.to_string(),
        }
    }

    /// A scenario as messages name it, e.g. `board/renders`.
    pub(crate) fn scenario(&self, node: &RepoPath, name: &str) -> String {
        format!("{}/{name}", self.node(node))
    }

    /// A node as every verb understands it. A plain dot would mean the node of the current directory.
    fn argument(&self, node: &RepoPath) -> String {
        let name = self.node(node);
        if name == "." { "./.".to_owned() } else { name }
    }

    /// A series as one word of a command line, e.g. `board/renders` or `--key=deploy`.
    fn target(&self, series: &ClaimSeries) -> String {
        match series {
            ClaimSeries::Scenario(on) => scenario_word(&self.argument(on.node()), on.name()),
            ClaimSeries::Key(key) => format!("--key={key}"),
            ClaimSeries::Path(path) => format!("--path={}", shell::place(path)),
        }
    }

    /// The command that ends the claim on a series without its token.
    pub(crate) fn force(&self, series: &ClaimSeries) -> String {
        format!("yatsu-hook claim release --force {} --reason abandoned", self.target(series))
    }

    /// The arguments of the command that prints what happened to a series. A program may be in any directory, so a path is
    /// left out.
    fn log_argv(&self, series: &ClaimSeries) -> Vec<String> {
        let about = match series {
            ClaimSeries::Scenario(on) => Some(self.argument(on.node())),
            ClaimSeries::Key(_) => Some(self.target(series)),
            ClaimSeries::Path(_) => None,
        };
        ["claim", "log"].map(str::to_owned).into_iter().chain(about).collect()
    }

    /// The same as a command line.
    fn log(&self, series: &ClaimSeries) -> String {
        let about = series.scenario().map_or_else(|| self.target(series), |on| shell::word(&self.argument(on.node())));
        format!("yatsu-hook claim log {about}")
    }
}

impl ClaimRefusal {
    pub(super) fn held(claim: &Claim) -> Self {
        Self::Held { series: claim.series.clone(), owner: claim.owner.clone(), until: claim.until }
    }

    pub(super) fn ended(series: &ClaimSeries, step: ClaimStep) -> Self {
        match step {
            ClaimStep::Reclaimed => Self::Lost(series.clone()),
            _ => Self::Ended { series: series.clone(), step },
        }
    }

    pub(crate) fn message(&self, names: &NodeNames) -> String {
        let name = |series: &ClaimSeries| names.series(series);
        match self {
            Self::Held { series, owner, until } => {
                format!("{} is held by {} until {until}", name(series), echo(owner))
            }
            Self::InGrace { series, owner, left } => {
                let (seconds, series) = (left.saturating_add(999) / 1000, name(series));
                format!("the claim of {} on {series} has expired; it can be taken over in {seconds} s", echo(owner))
            }
            Self::NotHeld(series) => format!("{} is not claimed", name(series)),
            Self::Attempts { series, most } => {
                let times = if *most == 1 { "once".to_owned() } else { format!("{most} times") };
                let what = match series.scenario() {
                    Some(_) => format!("was attempted {times} without a reading"),
                    None => format!("lapsed {times} without a release"),
                };
                format!("{} {what}, as often as yatsu.claims.maxAttempts allows", name(series))
            }
            Self::Capped(which) => which.clone(),
            Self::UnknownToken => "no claim of this repository has this token".to_owned(),
            Self::OtherScenario { claimed } => format!("this token's claim is on {}", name(claimed)),
            Self::Lost(series) => {
                let what = if series.scenario().is_some() { "the scenario" } else { "it" };
                format!("the claim on {} is lost: it expired, and {what} was taken again", name(series))
            }
            Self::Ended { series, step } => format!("the claim on {} has ended: {}", name(series), step.as_str()),
            Self::Expired { series, until } => format!("the claim on {} has expired at {until}", name(series)),
        }
    }

    /// The refusal with its possible next steps. A command in backticks is complete, except for the token, which no sentence
    /// contains, and the verdict.
    pub(crate) fn error(&self, names: &NodeNames) -> Error {
        let words = |words: [&str; 2]| words.map(str::to_owned).to_vec();
        let (reason, argv) = match self {
            Self::Held { series, .. } | Self::InGrace { series, .. } => {
                (Refusal::Held, words(["claim", if series.scenario().is_some() { "next" } else { "ls" }]))
            }
            Self::NotHeld(_) => (Refusal::NothingLeft, words(["claim", "ls"])),
            Self::Capped(_) => (Refusal::NotMet, words(["claim", "ls"])),
            Self::Attempts { series, .. } => (Refusal::NotMet, names.log_argv(series)),
            Self::UnknownToken => (Refusal::Unknown, words(["claim", "next"])),
            Self::OtherScenario { .. } => (Refusal::Invalid, words(["claim", "ls"])),
            Self::Lost(series) | Self::Expired { series, .. } => (Refusal::Stale, names.log_argv(series)),
            Self::Ended { series, .. } => (Refusal::Already, names.log_argv(series)),
        };
        let error = Error::refused(self.message(names)).because(reason).argv(argv);
        self.hints(names).into_iter().fold(error, Error::hint)
    }

    fn hints(&self, names: &NodeNames) -> Vec<String> {
        let is_measured = |series: &ClaimSeries| series.scenario().is_some();
        let take = |series: &ClaimSeries| format!("yatsu-hook claim take {}", names.target(series));
        let file = |series: &ClaimSeries| format!("yatsu-hook eval {} --claim TOKEN --pass", names.target(series));
        let another = || "take another scenario: `yatsu-hook claim next`".to_owned();
        let without = || "or file without a claim: leave --claim out, and `unset YATSU_CLAIM`".to_owned();
        let release = "once it is released: `yatsu-hook claim release TOKEN`";
        match self {
            Self::Held { series, .. } => {
                let renew = "extends the claim: `yatsu-hook claim renew TOKEN`";
                let force = format!("end an abandoned claim: `{}`", names.force(series));
                match is_measured(series) {
                    true => vec![format!("the holder files with --claim TOKEN, or {renew}"), another(), force],
                    false => vec![format!("the holder {renew}"), force],
                }
            }
            Self::InGrace { series, .. } if is_measured(series) => {
                vec![format!("wait, then take it: `{}`", take(series)), another()]
            }
            Self::InGrace { .. } => vec!["wait, then run the same command again".to_owned()],
            Self::NotHeld(_) => vec!["see what is held: `yatsu-hook claim ls`".to_owned()],
            Self::Capped(_) => {
                vec!["file or release one of them first; see which: `yatsu-hook claim ls`".to_owned()]
            }
            Self::Attempts { series, .. } => vec![
                format!("see what became of them: `{}`", names.log(series)),
                format!("try once more: `{} --force`", take(series)),
            ],
            Self::UnknownToken => vec!["take a claim of your own: `yatsu-hook claim next`".to_owned(), without()],
            Self::OtherScenario { claimed } => {
                let file = is_measured(claimed).then(|| format!("file what the claim is on: `{}`", file(claimed)));
                let rest = ["give it up: `yatsu-hook claim release TOKEN`".to_owned(), without()];
                file.into_iter().chain(rest).collect()
            }
            Self::Lost(series) => vec![
                format!("see who has it: `{}`", names.log(series)),
                format!("take it again when it is free: `{}`", take(series)),
            ],
            Self::Ended { series, .. } => vec![format!("take it again: `{}`", take(series))],
            Self::Expired { series, .. } if is_measured(series) => vec![
                format!("file what you have: `{}`", file(series)),
                format!("or take it again, {release}, `{}`", take(series)),
            ],
            Self::Expired { series, .. } => vec![format!("take it again, {release}, `{}`", take(series))],
        }
    }
}
