//! The repair that a careful user makes after a merge: no line of either side is lost or doubled.

use super::desk::{Desk, NEW, OLD, State};
use super::seen::{self, Scenario, lines, nfc, scenario_of};
use crate::support::Dice;
use std::collections::{BTreeMap, BTreeSet};

impl Desk<'_> {
    /// Puts every line of `parents` into its right ledger.
    pub(super) fn heal(&mut self, parents: &[State]) {
        for dir in self.nodes() {
            if OLD.iter().zip(NEW).any(|(old, _)| self.state.contains_key(&format!("{dir}/{old}"))) {
                self.join_names(&dir);
            }
        }
        self.drop_redacted();
        for parent in parents {
            let before =
                Desk { state: parent.clone(), dice: Dice(0), head: String::new(), ids: BTreeMap::new(), ..*self };
            for dir in before.ledgers() {
                for line in before.lines(&dir) {
                    self.heal_line(&before, &dir, &line);
                }
            }
        }
    }

    /// Removes lines that one side redacted and the other still had.
    fn drop_redacted(&mut self) {
        let ledgers = self.state.iter().filter(|(path, _)| path.ends_with(".ndjson"));
        let every: Vec<Vec<u8>> = ledgers.flat_map(|(_, bytes)| lines(bytes)).map(<[u8]>::to_vec).collect();
        let redacted = |line: &Vec<u8>| every.iter().any(|other| seen::stands_for(other, line));
        for dir in self.ledgers() {
            let all = self.lines(&dir);
            if all.iter().any(redacted) {
                self.set_lines(&dir, &all.into_iter().filter(|line| !redacted(line)).collect::<Vec<_>>());
            }
        }
    }

    fn heal_line(&mut self, before: &Desk<'_>, dir: &str, line: &Vec<u8>) {
        if self.state.values().any(|bytes| lines(bytes).any(|other| seen::stands_for(other, line))) {
            return;
        }
        let name = scenario_of(line);
        let declared = |desk: &Desk<'_>, dir: &str| -> Option<Scenario> {
            desk.declared(dir).into_iter().find(|one| Some(nfc(&one.name)) == name)
        };
        let heirs: BTreeSet<String> = match &name {
            Some(_) if declared(self, dir).is_some() => BTreeSet::new(),
            Some(name) => self.heirs(before, dir, name),
            None => self.node_heirs(before, dir),
        };
        let stays = !self.declared(dir).is_empty() || self.ledgers().contains(&dir.to_owned());
        let to = heirs.first().cloned().or(stays.then(|| dir.to_owned()));
        let is_held = heirs.iter().any(|heir| self.lines(heir).contains(line));
        if let (Some(to), false) = (to, is_held) {
            self.append(&to, std::slice::from_ref(line));
        }
    }

    /// The directories that took over a scenario that `dir` no longer declares: with its text, or with one of its
    /// lines.
    fn heirs(&self, before: &Desk<'_>, dir: &str, name: &str) -> BTreeSet<String> {
        let text = |desk: &Desk<'_>, dir: &str| {
            let declared = desk.declared(dir).into_iter().find(|one| nfc(&one.name) == name);
            declared.map(|scenario| scenario.text())
        };
        let was = text(before, dir);
        let own: Vec<Vec<u8>> =
            before.lines(dir).into_iter().filter(|line| scenario_of(line).as_deref() == Some(name)).collect();
        let is_heir = |other: &String| {
            let newly = was.is_some() && text(self, other) == was && text(before, other) != was;
            let old = before.lines(other);
            newly || self.lines(other).iter().any(|line| own.contains(line) && !old.contains(line))
        };
        let dirs: BTreeSet<String> = self.nodes().into_iter().chain(self.ledgers()).collect();
        dirs.into_iter().filter(|other| other != dir).filter(is_heir).collect()
    }

    /// The directories that take the lines of the node itself if its ledger does not stay.
    fn node_heirs(&self, before: &Desk<'_>, dir: &str) -> BTreeSet<String> {
        if self.ledgers().contains(&dir.to_owned()) {
            return BTreeSet::new();
        }
        let declared = before.declared(dir).into_iter().map(|scenario| nfc(&scenario.name));
        let names: BTreeSet<String> =
            declared.chain(before.lines(dir).iter().filter_map(|line| scenario_of(line))).collect();
        names.iter().flat_map(|name| self.heirs(before, dir, name)).take(1).collect()
    }

    /// Joins two files of one kind in a directory.
    fn join_names(&mut self, dir: &str) {
        let old = OLD.map(|name| format!("{dir}/{name}"));
        let new = NEW.map(|name| format!("{dir}/{name}"));
        if self.state.contains_key(&old[0]) && self.state.contains_key(&new[0]) {
            self.state.remove(&new[0]);
        }
        let all = self.lines(dir);
        if self.state.contains_key(&old[1]) && self.state.contains_key(&new[1]) {
            self.set_lines(dir, &all);
        }
    }
}
