//! The history rule, from the text of formats.md alone. N is a new state. It is compared with its bases, each seen with
//! its own `roots` and `exclude`, and with nothing else.
//!
//! 1. Every ledger line of every base is in N: in its own ledger, or in the ledger of its scenario's heir. A line of N is an
//!    edit of a base's line if it has the same scenario and time, other bytes, and is in no base: always in the same ledger,
//!    and in any ledger if the base's line is gone.
//! 2. An added line is a valid event. A reading without a verdict may only move, or come with a new scenario file.
//! 3. Directory H may not declare a scenario in N. Then its *heir* is a directory that newly declares it with the same text,
//!    or that newly has one of its lines from H's ledger. Lines without a scenario stay, or all go with an heir. A ledger
//!    that stays keeps the lines without an heir. It leaves only if H declares nothing in N, and then the lines without an
//!    heir may go with it.
//! 4. It is an error if a ledger of a base lies in N where N's configuration does not look, in its place or moved.
//! 5. The redaction of a line (the sha256 of its bytes, its scenario, its time) may take its place.

use super::judge::{Fault, Kind};
use super::seen::{House, Tip, event, lines, object, scenario_of, stands_for, word};
use std::collections::BTreeSet;
use std::rc::Rc;

/// A state to compare N with.
pub(super) struct Base {
    pub(super) tip: Rc<Tip>,
    /// Lines that need not be kept, because the main branch removed them.
    pub(super) let_go: BTreeSet<Vec<u8>>,
}

impl Base {
    pub(super) fn of(tip: Rc<Tip>) -> Self {
        Self { tip, let_go: BTreeSet::new() }
    }
}

/// Sentences 1, 3, 4 and 5: the losses of one base. `all` are the bases of N.
pub(super) fn losses(base: &Base, all: &[Base], new: &Tip) -> Vec<Fault> {
    let mut lost = Vec::new();
    for (dir, before) in &base.tip.houses {
        for line in before.lines.iter().filter(|line| !base.let_go.contains(*line) && object(line).is_some()) {
            let kind = match scenario_of(line) {
                Some(scenario) => loss((&base.tip, new), (dir, before), line, &scenario),
                None => loss_of_node((&base.tip, new), (dir, before), line),
            };
            lost.extend(kind.map(|kind| Fault::of_line(kind, dir, line)));
        }
    }
    lost.extend(hidden(base, new));
    lost.extend(edited(base, all, new));
    lost
}

fn loss((base, new): (&Tip, &Tip), (dir, before): (&String, &House), line: &[u8], scenario: &str) -> Option<Kind> {
    let after = new.houses.get(dir);
    let is_here = after.is_some_and(|house| house.holds(line));
    if after.is_some_and(|house| house.declares(scenario).is_some()) {
        let gone = if new.holds(line) { Kind::Swapped } else { Kind::Edited };
        return (!is_here).then_some(gone);
    }
    let heirs = heirs((base, new), (dir, before), scenario);
    if !heirs.is_empty() {
        // "An heir takes all lines of s along": every directory that takes a line, and every one with the text. If another
        // directory gives up the same text, one of them is enough, because each may be the other's heir.
        let text = before.declares(scenario).map(|declared| declared.text());
        let has_text = |house: &House| text.is_some() && house.declares(scenario).map(|one| one.text()) == text;
        let lets_go = |(other, house): (&String, &House)| {
            let after = new.houses.get(other);
            other != dir && has_text(house) && after.is_none_or(|after| after.declares(scenario).is_none())
        };
        let is_shared = base.houses.iter().any(lets_go);
        let of_scenario = || before.lines.iter().filter(|line| scenario_of(line).as_deref() == Some(scenario));
        let bears = |heir: &String| of_scenario().any(|line| new.houses[heir].lines.contains(line));
        let holds = |heir: &String| new.houses[heir].holds(line);
        let by_text: Vec<&String> = heirs.iter().copied().filter(|heir| has_text(&new.houses[*heir])).collect();
        let is_enough = is_shared && by_text.iter().any(|heir| holds(heir));
        let is_whole = heirs.iter().all(|heir| !bears(heir) || holds(heir));
        let is_taken = is_enough || by_text.iter().all(|heir| holds(heir));
        let is_held = heirs.iter().any(|heir| holds(heir));
        return (!is_held || !is_whole || !is_taken).then_some(Kind::MovedWithout);
    }
    left_behind((new, dir), is_here)
}

/// A line of the node itself: it stays, or goes with an heir of one of the node's scenarios that takes all of them.
fn loss_of_node((base, new): (&Tip, &Tip), (dir, before): (&String, &House), line: &[u8]) -> Option<Kind> {
    let after = new.houses.get(dir);
    let names: BTreeSet<String> = before.lines.iter().filter_map(|line| scenario_of(line)).collect();
    let declared = before.scenarios.iter().map(|scenario| super::seen::nfc(&scenario.name));
    let is_gone = |name: &String| after.is_none_or(|house| house.declares(name).is_none());
    let scenarios: BTreeSet<String> = names.into_iter().chain(declared).filter(is_gone).collect();
    let heirs: BTreeSet<&String> = scenarios.iter().flat_map(|name| heirs((base, new), (dir, before), name)).collect();
    let is_here = after.is_some_and(|house| house.holds(line));
    let all = || before.lines.iter().filter(|line| object(line).is_some() && scenario_of(line).is_none());
    if is_here || heirs.iter().any(|heir| all().all(|line| new.houses[*heir].holds(line))) {
        return None;
    }
    if heirs.is_empty() { left_behind((new, dir), false) } else { Some(Kind::MovedWithout) }
}

/// A line without an heir: only a ledger that leaves a directory without declarations may take it along.
fn left_behind((new, dir): (&Tip, &String), is_here: bool) -> Option<Kind> {
    // a link or a directory may be in the ledger's place
    let in_place = |path: &String| {
        let name = path.strip_prefix(&format!("{dir}/")).and_then(|rest| rest.split('/').next());
        name.is_some_and(|name| ["yatsu.evals.ndjson", "evals.ndjson"].contains(&name))
    };
    match new.houses.get(dir) {
        _ if is_here => None,
        Some(house) if house.has_ledger => Some(Kind::Dropped),
        Some(house) if !house.scenarios.is_empty() => Some(Kind::LedgerLeft),
        _ => new.ids.keys().any(in_place).then_some(Kind::ArguableHistory),
    }
}

/// The heirs of a scenario that `dir` does not declare in N.
fn heirs<'n>((base, new): (&Tip, &'n Tip), (dir, before): (&String, &House), scenario: &str) -> Vec<&'n String> {
    let text = before.declares(scenario).map(|declared| declared.text());
    let has_text = |house: &House| {
        let declared = house.declares(scenario).map(|declared| declared.text());
        declared.is_some() && declared == text
    };
    let is_heir = |(other, house): &(&String, &House)| {
        let was = base.houses.get(*other);
        let declares = has_text(house) && !was.is_some_and(has_text);
        let own = |line: &&Vec<u8>| scenario_of(line).as_deref() == Some(scenario) && before.lines.contains(line);
        let newly = |line: &Vec<u8>| was.is_none_or(|was| !was.lines.contains(line));
        declares || house.lines.iter().filter(own).any(newly)
    };
    let others = new.houses.iter().filter(|(other, _)| *other != dir);
    others.filter(is_heir).map(|(other, _)| other).collect()
}

/// Sentence 4, and the end of 3: a base's ledger that lies in N where its configuration does not look.
fn hidden(base: &Base, new: &Tip) -> Vec<Fault> {
    let mut found = Vec::new();
    let out_of_sight = || new.ledgers().filter(|(path, _)| !new.config.sees(path));
    for (path, bytes) in base.tip.ledgers().filter(|(path, _)| base.tip.config.sees(path)) {
        let filed = || lines(bytes).filter(|line| object(line).is_some());
        let asked = || filed().filter(|line| !base.let_go.contains(*line));
        for (place, now) in out_of_sight() {
            let was = base.tip.ours.get(place).map(Vec::as_slice).unwrap_or_default();
            let moved_to = |line: &&[u8]| lines(now).any(|own| own == *line) && !lines(was).any(|own| own == *line);
            let here = place == path;
            if let Some(line) = asked().find(|line| (here || moved_to(line)) && !new.holds(line)) {
                found.push(Fault::of_line(Kind::Hidden, place, line));
            } else if let (true, Some(line)) = (here, asked().next()) {
                // the ledger lies there, and its lines are also visible elsewhere
                found.push(Fault::of_line(Kind::ArguableHistory, place, line));
            } else if let Some(line) = filed().find(|line| here || moved_to(line)) {
                // only lines that main let go lie out of sight: law 1 does not ask for them, law 4 may
                found.push(Fault::of_line(Kind::ArguableHistory, place, line));
            }
        }
    }
    found
}

/// The second half of sentence 1: an added line with another content for a scenario and a time of the base.
fn edited(base: &Base, all: &[Base], new: &Tip) -> Vec<Fault> {
    let key = |line: &[u8]| event(line).map(|event| (scenario_of(line), word(&event, "ts").to_owned()));
    let filed: Vec<(_, &Vec<u8>)> = base.tip.lines().filter_map(|(_, line)| Some((key(line)?, line))).collect();
    let mut found = Vec::new();
    for (dir, line) in new.lines().filter(|(_, line)| is_added(line, all)) {
        let Some(own) = key(line) else { continue };
        // a redaction says nothing of its own: that a line is gone for it is asked by sentence 1 and 5
        if event(line).is_some_and(|event| event.get("redacts").is_some()) {
            continue;
        }
        let mut others = filed.iter().filter(|(key, other)| *key == own && *other != line).map(|(_, other)| *other);
        if others.clone().any(|other| stands_for(line, other)) {
            continue;
        }
        // two nodes may file at the same time for scenarios of one name: then each line is in its own ledger
        if let Some(other) = others.find(|other| !stands_elsewhere(other, dir, new)) {
            // a line that was never visible is taken as it is when it becomes visible; a redacted line neither stands nor is
            // gone
            let is_redacted = new.holds(other) && !new.houses[dir].holds(other);
            let is_arguable = was_out_of_sight(line, all) || is_redacted;
            let kind = if is_arguable { Kind::ArguableHistory } else { Kind::Edited };
            found.push(Fault::of_line(kind, dir, line));
        }
    }
    found
}

/// Whether N has the line in another directory.
fn stands_elsewhere(line: &Vec<u8>, dir: &String, new: &Tip) -> bool {
    let homes: Vec<&String> = new.lines().filter(|(_, own)| *own == line).map(|(home, _)| home).collect();
    !homes.is_empty() && !homes.contains(&dir)
}

fn is_added(line: &Vec<u8>, all: &[Base]) -> bool {
    all.iter().all(|base| base.tip.lines().all(|(_, own)| own != line))
}

fn was_out_of_sight(line: &[u8], all: &[Base]) -> bool {
    all.iter().any(|base| base.tip.ledgers().any(|(_, bytes)| lines(bytes).any(|own| own == line)))
}

/// Sentence 2.
pub(super) fn invalid(all: &[Base], new: &Tip) -> Vec<Fault> {
    let mut found = Vec::new();
    for (dir, line) in new.lines().filter(|(_, line)| is_added(line, all) && !was_out_of_sight(line, all)) {
        let is_valid = object(line).is_some_and(|json| {
            let is_reading = json["codeSha"].is_string() || json["evaluator"].is_string();
            let is_new = all.iter().all(|base| base.tip.houses.get(dir).is_none_or(|house| house.scenarios.is_empty()));
            let has_verdict = json["verdict"]["status"].is_string() || is_new;
            !is_reading || json["retracts"].is_string() || (json["scenario"].is_string() && has_verdict)
        });
        if !is_valid {
            found.push(Fault::of_line(Kind::NotAnEvent, dir, line));
        }
    }
    found
}
