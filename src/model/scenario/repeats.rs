//! The keys `runs` and `env` of an entry: how often and where a scenario is measured. They are no part of its text, so that
//! setting one makes no reading stale.

use super::fields::{self, named_list};
use crate::model::contract::values::{Fields, whole};
use crate::model::labels::EnvName;
use crate::model::source::Fault;
use crate::text::escape::echo;
use crate::text::yaml::{Value, YamlEntry, YamlKind};

/// The largest window of runs.
const MAX_RUNS: u64 = 1000;
/// How many environments a scenario may have.
const MAX_ENVS: usize = 16;
const RUNS_KEYS: [&str; 2] = ["of", "need"];

/// How many runs must pass, for example 8 of the newest 10. `1 <= need <= of`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunsRule {
    /// The size of the window.
    pub of: u32,
    /// How many runs in it must pass.
    pub need: u32,
}

impl RunsRule {
    /// Whether so many passes of so many runs are at least the required share.
    pub(crate) fn is_met(self, pass: u32, of: u32) -> bool {
        u64::from(pass) * u64::from(self.of) >= u64::from(self.need) * u64::from(of)
    }

    /// Whether it asks for less than `other`: for fewer passes, or for a smaller share.
    pub(crate) fn is_below(self, other: Self) -> bool {
        self.need < other.need
            || u64::from(self.need) * u64::from(other.of) < u64::from(other.need) * u64::from(self.of)
    }
}

impl std::fmt::Display for RunsRule {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "{} of {}", self.need, self.of)
    }
}

/// The value of `runs`: a map of two whole numbers.
pub(super) fn runs(entry: &YamlEntry) -> (Option<RunsRule>, Vec<Fault>) {
    let YamlKind::Mapping(entries) = &entry.value.kind else {
        let message = format!("`runs` needs a map of `of` and `need`, not {}", entry.value.describe());
        let fault = Fault::new(entry.value.at, "type", message, "write for example: runs: {of: 10, need: 8}");
        let is_refused = entry.value.kind == YamlKind::Refused;
        return (None, if is_refused { Vec::new() } else { vec![fault.about("runs")] });
    };
    let mut read = Fields::new(entry.value.at, entries);
    for unknown in entries.iter().filter(|one| !RUNS_KEYS.contains(&&*one.key)) {
        read.fault(Some(fields::unknown_key(unknown, "runs.", &RUNS_KEYS)));
    }
    let of = read.needed("of", "10", |one| whole(one, &(1..=MAX_RUNS)));
    let need = read.needed("need", "8", |one| whole(one, &(1..=MAX_RUNS)));
    let (Some(of), Some(need)) = (of, need) else { return (None, read.faults) };
    if need > of {
        let at = read.entry("need").map_or(read.at, |need| need.value.at);
        let message = format!("{need} of {of} runs can never pass");
        let fault = Fault::new(at, "value", message, "write a `need` of at most `of`").about("runs.need");
        return (None, [read.faults, vec![fault]].concat());
    }
    let number = |number: u64| u32::try_from(number).unwrap_or(u32::MAX);
    (Some(RunsRule { of: number(of), need: number(need) }), read.faults)
}

/// The value of `env`: unlike names.
pub(super) fn env(value: &Value) -> (Vec<EnvName>, Vec<Fault>) {
    let (written, mut faults) = named_list("env", value);
    let mut names: Vec<EnvName> = Vec::new();
    for (text, item) in &written {
        let said = echo(text);
        match EnvName::parse(text) {
            None => {
                let message = format!("`{said}` is no name of an environment: {}", EnvName::FORM);
                faults.push(Fault::new(item.at, "env-name", message, "give it another name").about(text));
            }
            Some(name) if names.contains(&name) => {
                let message = format!("the environment {said} stands here twice");
                faults.push(Fault::new(item.at, "env-twice", message, "leave one of them out").about(text));
            }
            Some(name) => names.push(name),
        }
    }
    if written.is_empty() && faults.is_empty() && value.kind != YamlKind::Refused {
        faults.push(
            Fault::new(value.at, "blank", "`env` names no environment", "name one, or leave `env` out").about("env"),
        );
    }
    if names.len() > MAX_ENVS {
        let message = format!("{} environments; the limit is {MAX_ENVS}", names.len());
        faults.push(Fault::new(value.at, "limit", message, "make a scenario for each group of them").about("env"));
        names.truncate(MAX_ENVS);
    }
    (names, faults)
}
