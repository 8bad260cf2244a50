//! A slow judge of run logs: all that a server took, held against what it takes next. By texts alone; of commits it knows
//! no more than what lay in them, and nothing of the program.

use std::collections::{BTreeMap, BTreeSet};

/// The files of a state.
pub(super) type State = BTreeMap<String, Vec<u8>>;

/// A run as the server knows it.
#[derive(Clone, Debug, Default)]
struct KnownRun {
    /// The longest version that was in sight.
    longest: Vec<u8>,
    /// Where it lay when it was seen last.
    places: BTreeSet<String>,
}

/// Everything that was taken.
#[derive(Clone, Debug, Default)]
pub(super) struct Judge {
    runs: BTreeMap<Vec<u8>, KnownRun>,
    /// What was in sight in the last state, by place.
    last: State,
    /// Whether the profile of the project ended runs by an error in the last state.
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

/// Whether a log lies there for all that the configuration of a state says.
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
    /// What is wrong with a state that comes next by way of those `between`, in which a run may have ended before it went.
    pub(super) fn fault(&self, state: &State, between: &[State]) -> Option<String> {
        let now = seen(state);
        for (place, log) in &now {
            let Some(known) = self.runs.get(&first_line(log)) else {
                if let Some(fault) = self.reborn(place, log, &now) {
                    return Some(fault);
                }
                continue;
            };
            let stayed = self.last.get(place).is_some_and(|before| log.starts_with(before));
            if !stayed && !log.starts_with(&known.longest) {
                return Some(format!("{place} is another one than was taken"));
            }
        }
        for known in self.runs.values() {
            let goes_on = now.values().any(|log| log.starts_with(&known.longest));
            let is_hidden = |place: &String| !is_seen(state, place);
            let moved_out = state.iter().any(|(place, log)| is_hidden(place) && log.starts_with(&known.longest));
            let was_hidden = known.places.iter().any(is_hidden) || moved_out;
            let ends = |log: &Vec<u8>| log.starts_with(&known.longest) && has(log, "run_end");
            let ended = ends(&known.longest)
                || between.iter().flat_map(|state| state.values()).any(ends)
                || self.ends_by_error && has(&known.longest, "error");
            if !goes_on && !was_hidden && !ended {
                return Some(format!("the open run of {:?} is gone", known.places));
            }
        }
        None
    }

    /// Another run at a place whose last one is nowhere: it must have begun later than that ended.
    fn reborn(&self, place: &str, log: &[u8], now: &State) -> Option<String> {
        if self.last.contains_key(place) {
            // what lay there in the last state was held against it by its own law
            return None;
        }
        let text = String::from_utf8_lossy(log);
        let began = time_of(text.lines().next().unwrap_or_default());
        let before = self.runs.values().filter(|known| known.places.contains(place));
        for known in before.filter(|known| !now.values().any(|log| log.starts_with(&known.longest))) {
            let last = time_of(String::from_utf8_lossy(&known.longest).lines().last().unwrap_or_default());
            if began <= last {
                return Some(format!("a run from before the one that lay at {place} stands there"));
            }
        }
        None
    }

    /// Takes a state that came by way of those `between`.
    pub(super) fn take(&mut self, state: &State, between: &[State]) {
        let now = seen(state);
        for known in self.runs.values_mut() {
            // what ended and went on the way is known as it ended
            let is_here = now.values().any(|log| log.starts_with(&known.longest));
            let ended = |log: &&Vec<u8>| log.starts_with(&known.longest) && has(log, "run_end");
            if let Some(log) = between.iter().flat_map(|state| state.values()).find(ended).filter(|_| !is_here) {
                known.longest = log.clone();
            }
        }
        for (place, log) in &now {
            let known = self.runs.entry(first_line(log)).or_default();
            if log.len() >= known.longest.len() {
                if log != &known.longest || !known.places.contains(place) {
                    known.places.retain(|place| now.get(place).is_some_and(|other| other == log));
                }
                known.longest.clone_from(log);
                known.places.insert(place.clone());
            }
        }
        self.last = now;
        let profile = state.get("own.json").map(|text| String::from_utf8_lossy(text).into_owned()).unwrap_or_default();
        let parsed: serde_json::Value = serde_json::from_str(&profile).unwrap_or_default();
        self.ends_by_error = parsed["events"]["error"]["position"] == "last";
    }

    /// Whether two states went on with one run in two ways since `base`.
    pub(super) fn parted(base: &State, one: &State, other: &State) -> bool {
        let of = |state: &State| {
            let logs = state.iter().filter(|(path, _)| path.ends_with(".jsonl"));
            logs.map(|(path, log)| (first_line(log), (path.clone(), log.clone()))).collect::<BTreeMap<_, _>>()
        };
        let [base, one, other] = [base, one, other].map(of);
        let differs = |run: &Vec<u8>, state: &BTreeMap<Vec<u8>, (String, Vec<u8>)>| state.get(run) != base.get(run);
        let both = base.keys().any(|run| differs(run, &one) && differs(run, &other));
        // or took one place with two runs
        let new = |state: &BTreeMap<Vec<u8>, (String, Vec<u8>)>| {
            let new = state.iter().filter(|(run, _)| !base.contains_key(*run));
            new.map(|(_, (path, _))| path.clone()).collect::<BTreeSet<_>>()
        };
        both || !new(&one).is_disjoint(&new(&other))
    }
}
