//! What a branch takes, from the text of formats.md and goals.md. Main and protected branches are compared only with
//! their own old tip, other branches with their old tip and main's; a new branch is compared with the merge base with main.

use super::counts::{Stand, measured_differs, stand};
use super::goals::CONTRACT;
use super::judge::{Fault, Judge, Kind, Pushed};
use super::seen::{Gate, House, Scenario, Tip, object};
use std::rc::Rc;

impl Judge {
    pub(super) fn taken(&mut self, pushed: &Pushed<'_>) -> Vec<Fault> {
        let bases = self.branch_bases(pushed);
        let mut faults = Vec::new();
        if pushed.gate() > Gate::Off {
            faults.extend(self.claims(pushed, &bases));
        }
        if pushed.gate() == Gate::Protected && pushed.is_protected() {
            faults.extend(self.unreached(pushed, &bases));
        }
        if pushed.configs().any(|config| config.is_main(pushed.branch)) {
            faults.extend(self.unproven(pushed, &bases));
        }
        faults
    }

    /// The states that a branch already has.
    fn branch_bases(&mut self, pushed: &Pushed<'_>) -> Vec<Rc<Tip>> {
        let ids = match (pushed.old, pushed.main_id) {
            (Some(old), _) if pushed.is_protected() => vec![old.clone()],
            (Some(old), main) => [Some(old), main].into_iter().flatten().cloned().collect(),
            (None, Some(main)) => self.merge_bases(pushed.new, main),
            (None, None) => Vec::new(),
        };
        ids.iter().filter_map(|id| self.tip(id)).collect()
    }

    /// An added `complete` must hold at the tip, for the contract of the tip.
    fn claims(&mut self, pushed: &Pushed<'_>, bases: &[Rc<Tip>]) -> Vec<Fault> {
        let tip = &pushed.tip;
        let mut faults = Vec::new();
        for (dir, house) in &tip.houses {
            let is_complete = |line: &&Vec<u8>| object(line).is_some_and(|json| json["decision"] == "complete");
            for line in house.lines.iter().filter(is_complete) {
                let of = |base: &Rc<Tip>, here: bool| {
                    base.lines().any(|(other, own)| own == line && (!here || other == dir))
                };
                if bases.iter().any(|base| of(base, true)) {
                    continue;
                }
                let is_of_tip = house.has_contract && String::from_utf8_lossy(line).contains(CONTRACT);
                let holds = if is_of_tip { self.is_reached(tip, house) } else { Some(false) };
                // a claim that moved in from another node may count as added or as filed
                let has_moved = bases.iter().any(|base| of(base, false));
                // the law names only branches, but a pushed tag takes content too
                let is_arguable = holds.is_none() || has_moved || pushed.branch.is_empty();
                let kind = if is_arguable { Kind::ArguableGoal } else { Kind::GoalUnmet };
                faults.extend((holds != Some(true)).then(|| Fault::of_line(kind, dir, line)));
            }
        }
        faults
    }

    /// Both gates, for the one contract of the attack with its file that always exists. Each scenario without a fresh
    /// reading costs 30 of 100 points, each pass without evidence 20, and 80 points are enough.
    fn is_reached(&mut self, tip: &Tip, house: &House) -> Option<bool> {
        let mut points = 100;
        for scenario in &house.scenarios {
            points -= match stand(self, tip, house, scenario) {
                Stand::Missing | Stand::Stale => 30,
                Stand::Fresh(reading) if reading["verdict"]["status"] == "pass" && reading["blob"].is_null() => 20,
                Stand::Fresh(_) => 0,
                Stand::Arguable => return None,
            };
        }
        Some(points >= 80)
    }

    /// `goals.gate: protected`: a touched node that has or had a contract must be reached; on a new branch every node.
    fn unreached(&mut self, pushed: &Pushed<'_>, bases: &[Rc<Tip>]) -> Vec<Fault> {
        let tip = &pushed.tip;
        let mut faults = Vec::new();
        for (dir, house) in &tip.houses {
            let before = bases.iter().filter_map(|base| base.houses.get(dir));
            let had_one = before.clone().any(|house| house.has_contract);
            let is_untouched = |base: &Rc<Tip>| {
                let is_same = |was: &House| {
                    (&was.lines, &was.scenarios, was.has_contract)
                        == (&house.lines, &house.scenarios, house.has_contract)
                };
                base.houses.get(dir).is_some_and(is_same)
                    && !house
                        .scenarios
                        .iter()
                        .any(|scenario| moved(base, tip, scenario) || measured_differs(base, tip, house, scenario))
            };
            if !(house.has_contract || had_one) || (pushed.old.is_some() && bases.iter().all(is_untouched)) {
                continue;
            }
            let holds = if house.has_contract { self.is_reached(tip, house) } else { Some(false) };
            let is_asked = pushed.old.is_none() && house.has_contract
                || bases.iter().any(|base| house.scenarios.iter().any(|scenario| moved(base, tip, scenario)));
            let kind = if is_asked && holds == Some(false) { Kind::GoalUnmet } else { Kind::ArguableGoal };
            faults.extend((holds != Some(true)).then(|| Fault::new(kind, format!("{dir}: its goal is not reached"))));
        }
        let had_one = bases.iter().flat_map(|base| &base.houses).filter(|(_, house)| house.has_contract);
        let gone = had_one.filter(|(dir, _)| !tip.houses.contains_key(*dir));
        faults.extend(
            gone.map(|(dir, _)| Fault::new(Kind::ArguableGoal, format!("{dir}: it is gone, and so is its goal"))),
        );
        faults
    }

    /// Every scenario that comes into main is unchanged, or passes freshly. Reached goals are another proof, so nothing is
    /// certain in a tip with a contract.
    fn unproven(&mut self, pushed: &Pushed<'_>, bases: &[Rc<Tip>]) -> Vec<Fault> {
        let tip = &pushed.tip;
        if !pushed.configs().any(|config| config.asks_for_proof) {
            return Vec::new();
        }
        let is_asked = pushed.old.is_some() && pushed.main.as_ref().is_some_and(|main| main.config.asks_for_proof);
        let has_goals = tip.houses.values().any(|house| house.has_contract);
        let mut faults = Vec::new();
        for (dir, house) in &tip.houses {
            for scenario in &house.scenarios {
                let stand = stand(self, tip, house, scenario);
                if matches!(&stand, Stand::Fresh(reading) if reading["verdict"]["status"] == "pass") {
                    continue;
                }
                let stood = |base: &Rc<Tip>| base.houses.get(dir).and_then(|was| was.declares(&scenario.name).cloned());
                let is_same = |base: &Rc<Tip>| stood(base).as_ref() == Some(scenario);
                let stands_still = |base: &Rc<Tip>| is_same(base) && !moved(base, tip, scenario);
                if bases.iter().any(|base| stands_still(base) && !measured_differs(base, tip, house, scenario)) {
                    continue;
                }
                // which of the readings spoke for the base is not asked here
                let is_touched = bases.iter().any(is_same) && !bases.iter().any(stands_still);
                let is_plain = is_asked && is_touched && !has_goals && stand != Stand::Arguable;
                let kind = if is_plain { Kind::Unproven } else { Kind::ArguableProof };
                faults.push(Fault::new(kind, format!("{dir} · {}: {stand:?}", scenario.name)));
            }
        }
        faults
    }
}

/// Whether the governed content of a scenario differs.
fn moved(base: &Tip, tip: &Tip, scenario: &Scenario) -> bool {
    scenario.code.iter().any(|path| base.ids.get(path) != tip.ids.get(path))
}
