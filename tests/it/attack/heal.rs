//! What a careful hand does after a merge: nothing of either side is lost, and nothing is there twice.

use super::deeds::{Desk, NEW, OLD, State, scenario_of};
use super::seen::{self, lines, nfc};
use crate::support::Dice;
use std::collections::{BTreeMap, BTreeSet};

impl Desk<'_> {
    /// What a careful hand does after a merge: every line of `parents` is put where it belongs.
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
            let mut dirs: BTreeSet<String> = before.nodes().into_iter().collect();
            dirs.extend(
                parent.keys().filter_map(|path| Some(path.strip_suffix("s.ndjson")?.rsplit_once('/')?.0.to_owned())),
            );
            for dir in dirs {
                for line in before.lines(&dir) {
                    self.heal_line(&before, &dir, &line);
                }
            }
        }
    }

    /// What one side redacted and the other still had goes.
    fn drop_redacted(&mut self) {
        let ledgers = self.state.iter().filter(|(path, _)| path.ends_with(".ndjson"));
        let every: Vec<Vec<u8>> = ledgers.flat_map(|(_, bytes)| lines(bytes)).map(<[u8]>::to_vec).collect();
        let redacted = |line: &Vec<u8>| every.iter().any(|other| seen::stands_for(other, line));
        for dir in self.nodes() {
            let all = self.lines(&dir);
            if all.iter().any(redacted) {
                self.set_lines(&dir, &all.into_iter().filter(|line| !redacted(line)).collect::<Vec<_>>());
            }
        }
    }

    fn heal_line(&mut self, before: &Desk<'_>, dir: &str, line: &Vec<u8>) {
        let name = scenario_of(line);
        let of = |desk: &Desk<'_>, dir: &str| desk.declared(dir).into_iter().find(|one| nfc(&one.name) == name);
        if self.state.values().any(|bytes| lines(bytes).any(|other| seen::stands_for(other, line))) {
            return;
        }
        let here = self.lines(dir).contains(line);
        if of(self, dir).is_some() {
            return self.append(dir, std::slice::from_ref(line));
        }
        let others: Vec<String> = self.nodes().into_iter().filter(|to| of(self, to).is_some()).collect();
        let Some(was) = of(before, dir) else {
            let is_there = others.iter().any(|to| self.lines(to).contains(line));
            if !here && !is_there {
                self.append(dir, std::slice::from_ref(line));
            }
            return;
        };
        let newly = |to: &&String| of(before, to).is_none();
        let same = |to: &&String| of(self, to).is_some_and(|now| now.text() == was.text());
        let moved: Vec<&String> = others.iter().filter(newly).filter(same).collect();
        let mut homes: Vec<&String> =
            if moved.is_empty() { others.iter().filter(newly).collect() } else { moved.clone() };
        if homes.is_empty() {
            homes = others.iter().filter(same).collect();
        }
        let is_held = homes.iter().any(|to| self.lines(to).contains(line)) || (here && moved.is_empty());
        if let (Some(to), false) = (homes.first().map(|to| (*to).clone()), is_held) {
            self.append(&to, std::slice::from_ref(line));
        }
    }

    /// Two files of one kind in one directory become one.
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
