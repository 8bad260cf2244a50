//! Why a command on a claim is refused, and what to do then. No sentence here contains a token.

use crate::error::{Error, Refusal};
use crate::model::claim::{Claim, ClaimSeries, ClaimStep};
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

    /// A scenario as messages name it, e.g. `board/renders`.
    pub(crate) fn series(&self, series: &ClaimSeries) -> String {
        format!("{}/{}", self.node(series.node()), series.scenario())
    }

    /// A node as every verb understands it. A plain dot would mean the node of the current directory.
    fn argument(&self, series: &ClaimSeries) -> String {
        let name = self.node(series.node());
        if name == "." { "./.".to_owned() } else { name }
    }

    /// A scenario as one word of a command line.
    fn target(&self, series: &ClaimSeries) -> String {
        scenario_word(&self.argument(series), series.scenario())
    }

    /// The command that ends the claim on a series without its token.
    pub(crate) fn force(&self, series: &ClaimSeries) -> String {
        format!("yatsu-hook claim release --force {} --reason abandoned", self.target(series))
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
                format!(
                    "{} was attempted {times} without a reading, as often as yatsu.claims.maxAttempts allows",
                    name(series)
                )
            }
            Self::Capped(which) => which.clone(),
            Self::UnknownToken => "no claim of this repository has this token".to_owned(),
            Self::OtherScenario { claimed } => format!("this token's claim is on {}", name(claimed)),
            Self::Lost(series) => {
                format!("the claim on {} is lost: it expired, and the scenario was taken again", name(series))
            }
            Self::Ended { series, step } => format!("the claim on {} has ended: {}", name(series), step.as_str()),
            Self::Expired { series, until } => format!("the claim on {} has expired at {until}", name(series)),
        }
    }

    /// The refusal with its possible next steps. A command in backticks is complete, except for the token, which no sentence
    /// contains, and the verdict.
    pub(crate) fn error(&self, names: &NodeNames) -> Error {
        let log = |series: &ClaimSeries| vec!["claim".to_owned(), "log".to_owned(), names.argument(series)];
        let words = |words: [&str; 2]| words.map(str::to_owned).to_vec();
        let (reason, argv) = match self {
            Self::Held { .. } | Self::InGrace { .. } => (Refusal::Held, words(["claim", "next"])),
            Self::NotHeld(_) => (Refusal::NothingLeft, words(["claim", "ls"])),
            Self::Capped(_) => (Refusal::NotMet, words(["claim", "ls"])),
            Self::Attempts { series, .. } => (Refusal::NotMet, log(series)),
            Self::UnknownToken => (Refusal::Unknown, words(["claim", "next"])),
            Self::OtherScenario { .. } => (Refusal::Invalid, words(["claim", "ls"])),
            Self::Lost(series) | Self::Expired { series, .. } => (Refusal::Stale, log(series)),
            Self::Ended { series, .. } => (Refusal::Already, log(series)),
        };
        let error = Error::refused(self.message(names)).because(reason).argv(argv);
        self.hints(names).into_iter().fold(error, Error::hint)
    }

    fn hints(&self, names: &NodeNames) -> Vec<String> {
        let node = |series: &ClaimSeries| shell::word(&names.argument(series));
        let take = |series: &ClaimSeries| format!("yatsu-hook claim take {}", names.target(series));
        let file = |series: &ClaimSeries| format!("yatsu-hook eval {} --claim TOKEN --pass", names.target(series));
        let another = || "take another scenario: `yatsu-hook claim next`".to_owned();
        let without = || "or file without a claim: leave --claim out, and `unset YATSU_CLAIM`".to_owned();
        match self {
            Self::Held { series, .. } => vec![
                "the holder files with --claim TOKEN, or extends the claim: `yatsu-hook claim renew TOKEN`".to_owned(),
                another(),
                format!("end an abandoned claim: `{}`", names.force(series)),
            ],
            Self::InGrace { series, .. } => vec![format!("wait, then take it: `{}`", take(series)), another()],
            Self::NotHeld(_) => vec!["see what is held: `yatsu-hook claim ls`".to_owned()],
            Self::Capped(_) => {
                vec!["file or release one of them first; see which: `yatsu-hook claim ls`".to_owned()]
            }
            Self::Attempts { series, .. } => vec![
                format!("see what became of them: `yatsu-hook claim log {}`", node(series)),
                format!("try once more: `{} --force`", take(series)),
            ],
            Self::UnknownToken => vec!["take a claim of your own: `yatsu-hook claim next`".to_owned(), without()],
            Self::OtherScenario { claimed } => vec![
                format!("file what the claim is on: `{}`", file(claimed)),
                "give it up: `yatsu-hook claim release TOKEN`".to_owned(),
                without(),
            ],
            Self::Lost(series) => vec![
                format!("see who has it: `yatsu-hook claim log {}`", node(series)),
                format!("take it again when it is free: `{}`", take(series)),
            ],
            Self::Ended { series, .. } => vec![format!("take it again: `{}`", take(series))],
            Self::Expired { series, .. } => {
                let release = "or take it again, once it is released: `yatsu-hook claim release TOKEN`";
                vec![format!("file what you have: `{}`", file(series)), format!("{release}, `{}`", take(series))]
            }
        }
    }
}
