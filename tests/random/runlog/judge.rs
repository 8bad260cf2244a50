//! A slow judge of run logs: compares the server's last state with the next one, by texts alone. It knows nothing of the
//! program.
//!
//! "A log of a base is a prefix of the log at its path in N, or at one new path to which it moved in this change; one that
//! ended (in the base or in a new commit) may be deleted or give way to a run whose `_index` is later."

use std::collections::{BTreeMap, BTreeSet};

/// The files of a state.
pub(super) type State = BTreeMap<String, Vec<u8>>;

/// The last accepted state.
#[derive(Clone, Debug, Default)]
pub(super) struct Judge {
    last: State,
    /// Whether runs of the project's profile ended with an error in that state.
    ends_by_error: bool,
}

fn first_line(log: &[u8]) -> Vec<u8> {
    log.split(|byte| *byte == b'\n').next().unwrap_or_default().to_vec()
}

fn has(log: &[u8], event: &str) -> bool {
    String::from_utf8_lossy(log).contains(&format!("{{\"event\":\"{event}\",\"ts\""))
}

fn time_of(line: &str) -> String {
    line.split("\"ts\":\"").nth(1).and_then(|rest| rest.split('"').next()).unwrap_or_default().to_owned()
}

/// Whether the configuration of a state makes a log at this path visible.
fn is_seen(state: &State, path: &str) -> bool {
    let config = state.get("spexcode.json").map(|text| String::from_utf8_lossy(text).into_owned()).unwrap_or_default();
    let Some((dir, _)) = path.rsplit_once('/') else { return false };
    let is_place = match dir {
        ".yatsu/runs" | "a/quality" | "b/quality" => true,
        "logs" => config.contains("logs/*.jsonl"),
        _ => false,
    };
    is_place && !config.contains(&format!("\"{dir}\""))
}

fn seen(state: &State) -> State {
    state.iter().filter(|(path, _)| is_seen(state, path)).map(|(path, log)| (path.clone(), log.clone())).collect()
}

impl Judge {
    /// The fault of a next state. `between` are the states in between, in which a run may have ended before it was removed.
    pub(super) fn fault(&self, state: &State, between: &[State]) -> Option<String> {
        let now = seen(state);
        for (place, log) in seen(&self.last) {
            let there = now.get(&place);
            let stays = there.is_some_and(|there| there.starts_with(&log));
            let leaves_room = there.is_none_or(|there| first_line(there) != first_line(&log));
            let is_new = |path: &String| !self.last.contains_key(path);
            let moved = leaves_room && now.iter().any(|(path, other)| is_new(path) && other.starts_with(&log));
            let versions = between.iter().flat_map(|state| state.values()).filter(|version| version.starts_with(&log));
            let may_go = [&log].into_iter().chain(versions).any(|version| self.may_go(version, there));
            if !stays && !moved && !may_go {
                return Some(format!("the log at {place} is gone or another one"));
            }
        }
        None
    }

    /// Whether a run has ended and `now`, in its place, began later.
    fn may_go(&self, log: &[u8], now: Option<&Vec<u8>>) -> bool {
        let text = String::from_utf8_lossy(log);
        let last = time_of(text.lines().last().unwrap_or_default());
        let later = |now: &Vec<u8>| time_of(String::from_utf8_lossy(now).lines().next().unwrap_or_default()) > last;
        (has(log, "run_end") || self.ends_by_error && has(log, "error")) && now.is_none_or(later)
    }

    /// Takes a state.
    pub(super) fn take(&mut self, state: &State) {
        self.last = state.clone();
        let profile = state.get("own.json").map(|text| String::from_utf8_lossy(text).into_owned()).unwrap_or_default();
        let parsed: serde_json::Value = serde_json::from_str(&profile).unwrap_or_default();
        self.ends_by_error = parsed["events"]["error"]["position"] == "last";
    }

    /// Whether two states continued one run in two ways since `base`.
    pub(super) fn parted(base: &State, one: &State, other: &State) -> bool {
        let of = |state: &State| {
            let logs = state.iter().filter(|(path, _)| path.ends_with(".jsonl"));
            logs.map(|(path, log)| (first_line(log), (path.clone(), log.clone()))).collect::<BTreeMap<_, _>>()
        };
        let [base, one, other] = [base, one, other].map(of);
        let differs = |run: &Vec<u8>, state: &BTreeMap<Vec<u8>, (String, Vec<u8>)>| state.get(run) != base.get(run);
        let both = base.keys().any(|run| differs(run, &one) && differs(run, &other));
        // or put two runs into one place
        let new = |state: &BTreeMap<Vec<u8>, (String, Vec<u8>)>| {
            let new = state.iter().filter(|(run, _)| !base.contains_key(*run));
            new.map(|(_, (path, _))| path.clone()).collect::<BTreeSet<_>>()
        };
        both || !new(&one).is_disjoint(&new(&other))
    }
}
