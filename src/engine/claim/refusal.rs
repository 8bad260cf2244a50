//! Why a command on a claim is refused, and what to do then. No sentence here spells a token.

use crate::model::claim::{Claim, ClaimSeries, ClaimStep};
use crate::model::labels::RunId;
use crate::model::ledger::Timestamp;
use crate::text::escape::echo;
use std::fmt;

/// A limit of `yatsu.claims` that would be passed.
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
    /// Somebody holds it live.
    Held {
        /// What was asked for.
        series: ClaimSeries,
        /// Who holds it now.
        owner: String,
        /// The last moment at which it is live.
        until: Timestamp,
    },
    /// Its claim expired so recently that its holder may still file.
    InGrace {
        /// What was asked for.
        series: ClaimSeries,
        /// Who held it.
        owner: String,
        /// How many milliseconds are left before it can be taken.
        left: i64,
    },
    /// Nobody holds it.
    NotHeld(ClaimSeries),
    /// It was tried as often as is allowed.
    Attempts {
        /// What was asked for.
        series: ClaimSeries,
        /// `yatsu.claims.maxAttempts`.
        most: u32,
    },
    /// A limit is reached.
    Capped(ClaimCap),
    /// No claim that is known has this token.
    UnknownToken,
    /// The token's claim is on something else.
    OtherScenario {
        /// What the claim is on.
        claimed: ClaimSeries,
    },
    /// The token's claim was reclaimed by another.
    Lost(ClaimSeries),
    /// The token's claim ended otherwise.
    Ended {
        /// What it was on.
        series: ClaimSeries,
        /// How it ended.
        step: ClaimStep,
    },
    /// It is too late to renew.
    Expired {
        /// What the token's claim was on.
        series: ClaimSeries,
        /// The last moment at which it was live.
        until: Timestamp,
    },
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

    /// What to do about it.
    pub(crate) fn hint(&self) -> &'static str {
        match self {
            Self::Held { .. } => {
                "whoever holds it renews with `yatsu-hook claim renew TOKEN`; anybody else takes another scenario with \
                 `yatsu-hook claim next`, or ends an abandoned claim with `yatsu-hook claim release --force`"
            }
            Self::InGrace { .. } => "wait, or take another scenario with `yatsu-hook claim next`",
            Self::NotHeld(_) => "`yatsu-hook claim ls` shows what is held",
            Self::Attempts { .. } => {
                "find out why it fails to be filed; `yatsu-hook claim take --force` tries once more"
            }
            Self::Capped(_) => "file or release one of them first; `yatsu-hook claim ls` shows them",
            Self::UnknownToken => "take a claim of your own with `yatsu-hook claim take` or `claim next`",
            Self::OtherScenario { .. } => "name the scenario that the claim is on, or leave the claim out",
            Self::Lost(_) => "take it again with `yatsu-hook claim take` when it is free; `claim log` shows who has it",
            Self::Ended { .. } => "take it again with `yatsu-hook claim take`",
            Self::Expired { .. } => "file what you have with `yatsu-hook eval --claim`, or take it again",
        }
    }
}

impl fmt::Display for ClaimRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Held { series, owner, until } => write!(f, "{series} is held by {} until {until}", echo(owner)),
            Self::InGrace { series, owner, left } => {
                let seconds = left.saturating_add(999) / 1000;
                write!(f, "the claim of {} on {series} has expired; it can be taken over in {seconds} s", echo(owner))
            }
            Self::NotHeld(series) => write!(f, "nobody holds {series}"),
            Self::Attempts { series, most } => {
                write!(
                    f,
                    "{series} was attempted {most} times without a reading, as often as yatsu.claims.maxAttempts allows"
                )
            }
            Self::Capped(cap) => write!(f, "{cap}"),
            Self::UnknownToken => f.write_str("no claim of this repository has this token"),
            Self::OtherScenario { claimed } => write!(f, "this token's claim is on {claimed}"),
            Self::Lost(series) => write!(f, "the claim on {series} is lost: it expired and somebody else took it over"),
            Self::Ended { series, step } => write!(f, "the claim on {series} has ended: {}", step.as_str()),
            Self::Expired { series, until } => write!(f, "the claim on {series} has expired at {until}"),
        }
    }
}
