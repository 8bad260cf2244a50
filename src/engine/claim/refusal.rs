//! Why a command on a claim is refused, and what to do then. No sentence here contains a token.

use crate::error::Refusal;
use crate::model::claim::{Claim, ClaimSeries, ClaimStep};
use crate::model::labels::RunId;
use crate::model::ledger::Timestamp;
use crate::model::reference::scenario_word;
use crate::text::escape::echo;
use crate::text::shell;
use crate::tree::path::RepoPath;
use std::fmt;

/// A limit of `yatsu.claims` that a claim would exceed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ClaimCap {
    /// `maxPerOwner`.
    Owner(String, usize),
    /// `maxPerRun`.
    Run(RunId, usize),
    /// `perTag`.
    Tag(String, usize),
}

impl fmt::Display for ClaimCap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Owner(owner, most) => {
                write!(f, "{} holds {most} claims, as many as yatsu.claims.maxPerOwner allows", echo(owner))
            }
            Self::Run(run, most) => {
                write!(f, "run {run} holds {most} claims, as many as yatsu.claims.maxPerRun allows")
            }
            Self::Tag(tag, most) => {
                write!(f, "{most} scenarios tagged {tag} are claimed, as many as yatsu.claims.perTag allows")
            }
        }
    }
}

/// Why a command is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ClaimRefusal {
    /// The claim is held and live.
    Held {
        /// The requested series.
        series: ClaimSeries,
        owner: String,
        /// The last moment of the claim.
        until: Timestamp,
    },
    /// The claim expired so recently that its holder may still file.
    InGrace {
        /// The requested series.
        series: ClaimSeries,
        /// The last owner.
        owner: String,
        /// The milliseconds until the series can be taken.
        left: i64,
    },
    /// The series has no holder.
    NotHeld(ClaimSeries),
    /// The allowed number of attempts is used up.
    Attempts {
        /// The requested series.
        series: ClaimSeries,
        /// `yatsu.claims.maxAttempts`.
        most: u32,
    },
    /// A limit is reached.
    Capped(ClaimCap),
    /// No known claim has this token.
    UnknownToken,
    /// The token's claim is on another scenario.
    OtherScenario {
        /// The series of the claim.
        claimed: ClaimSeries,
    },
    /// Another owner reclaimed the token's claim.
    Lost(ClaimSeries),
    /// The token's claim ended in another way.
    Ended {
        /// The series of the claim.
        series: ClaimSeries,
        step: ClaimStep,
    },
    /// The claim has expired and cannot be renewed.
    Expired {
        /// The series of the token's claim.
        series: ClaimSeries,
        /// The last moment of the claim.
        until: Timestamp,
    },
}

/// The name of the node in a directory, as messages print it: its id, or the directory if there is no node now.
pub(crate) type NodeCalled<'n> = dyn Fn(&RepoPath) -> String + 'n;

/// A scenario of a node as messages name it.
pub(crate) fn series_called(series: &ClaimSeries, called: &NodeCalled<'_>) -> String {
    format!("{}/{}", called(series.node()), series.scenario())
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

    /// The refusal as a sentence.
    pub(crate) fn message(&self, called: &NodeCalled<'_>) -> String {
        let name = |series: &ClaimSeries| series_called(series, called);
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
            Self::Capped(cap) => cap.to_string(),
            Self::UnknownToken => "no claim of this repository has this token".to_owned(),
            Self::OtherScenario { claimed } => format!("this token's claim is on {}", name(claimed)),
            Self::Lost(series) => {
                format!("the claim on {} is lost: it expired and another owner took it over", name(series))
            }
            Self::Ended { series, step } => format!("the claim on {} has ended: {}", name(series), step.as_str()),
            Self::Expired { series, until } => format!("the claim on {} has expired at {until}", name(series)),
        }
    }

    /// The reason for programs.
    pub(crate) fn reason(&self) -> Refusal {
        match self {
            Self::Held { .. } | Self::InGrace { .. } => Refusal::Held,
            Self::NotHeld(_) => Refusal::NothingLeft,
            Self::Attempts { .. } | Self::Capped(_) => Refusal::NotMet,
            Self::UnknownToken => Refusal::Unknown,
            Self::OtherScenario { .. } => Refusal::Invalid,
            Self::Lost(_) | Self::Expired { .. } => Refusal::Stale,
            Self::Ended { .. } => Refusal::Already,
        }
    }

    /// The arguments of the most helpful command that needs no token, without the program's name.
    pub(crate) fn argv(&self, called: &NodeCalled<'_>) -> Vec<String> {
        let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
        match self {
            Self::Held { .. } | Self::InGrace { .. } | Self::UnknownToken => words(&["claim", "next"]),
            Self::NotHeld(_) | Self::Capped(_) | Self::OtherScenario { .. } => words(&["claim", "ls"]),
            Self::Attempts { series, .. }
            | Self::Lost(series)
            | Self::Ended { series, .. }
            | Self::Expired { series, .. } => words(&["claim", "log", &named(series, called)]),
        }
    }

    /// The command that force-ends the claim on the series of a `NotHeld`; for other refusals the list of claims.
    pub(crate) fn force(&self, called: &NodeCalled<'_>) -> String {
        match self {
            Self::NotHeld(series) => force(&scenario_word(&named(series, called), series.scenario())),
            _ => "yatsu-hook claim ls".to_owned(),
        }
    }

    /// The possible next steps. A command in backticks is complete, except for the token, which no sentence contains, and
    /// the verdict.
    pub(crate) fn hints(&self, called: &NodeCalled<'_>) -> Vec<String> {
        let node = |series: &ClaimSeries| argument(series, called);
        let target = |series: &ClaimSeries| scenario_word(&named(series, called), series.scenario());
        let another = || "take another scenario: `yatsu-hook claim next`".to_owned();
        match self {
            Self::Held { series, .. } => vec![
                "the holder files with --claim TOKEN, or extends the claim: `yatsu-hook claim renew TOKEN`".to_owned(),
                another(),
                format!("end an abandoned claim: `{}`", force(&target(series))),
            ],
            Self::InGrace { series, .. } => vec![format!("wait, then take it: `{}`", take(&target(series))), another()],
            Self::NotHeld(_) => vec!["see what is held: `yatsu-hook claim ls`".to_owned()],
            Self::Capped(_) => vec!["file or release one of them first; see which: `yatsu-hook claim ls`".to_owned()],
            Self::Attempts { series, .. } => vec![
                format!("see what became of them: `yatsu-hook claim log {}`", node(series)),
                format!("try once more: `{} --force`", take(&target(series))),
            ],
            Self::UnknownToken => vec!["take a claim of your own: `yatsu-hook claim next`".to_owned(), without()],
            Self::OtherScenario { claimed } => vec![
                format!("file what the claim is on: `{}`", file(&target(claimed))),
                "give it up: `yatsu-hook claim release TOKEN`".to_owned(),
                without(),
            ],
            Self::Lost(series) => vec![
                format!("see who has it: `yatsu-hook claim log {}`", node(series)),
                format!("take it again when it is free: `{}`", take(&target(series))),
            ],
            Self::Ended { series, .. } => vec![format!("take it again: `{}`", take(&target(series)))],
            Self::Expired { series, .. } => vec![
                format!("file what you have: `{}`", file(&target(series))),
                format!(
                    "or take it again, once it is released: `yatsu-hook claim release TOKEN`, `{}`",
                    take(&target(series))
                ),
            ],
        }
    }
}

fn without() -> String {
    "or file without a claim: leave --claim out, and `unset YATSU_CLAIM`".to_owned()
}

/// A node as every verb understands it. A plain dot would mean the node of the current directory.
fn argument(series: &ClaimSeries, called: &NodeCalled<'_>) -> String {
    shell::word(&named(series, called))
}

fn named(series: &ClaimSeries, called: &NodeCalled<'_>) -> String {
    let called = called(series.node());
    if called == "." { "./.".to_owned() } else { called }
}

fn take(target: &str) -> String {
    format!("yatsu-hook claim take {target}")
}

fn force(target: &str) -> String {
    format!("yatsu-hook claim release --force {target} --reason abandoned")
}

fn file(target: &str) -> String {
    format!("yatsu-hook eval {target} --claim TOKEN --pass")
}
