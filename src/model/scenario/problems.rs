//! Turns faults into problems: adds the scenario, and a key that does not depend on line numbers.

use super::identity::{fingerprint, fingerprint_text};
use crate::model::source::{Fault, Position, Problem};
use crate::text::escape::clip;
use crate::text::yaml::Value;
use std::cell::OnceCell;
use std::collections::HashMap;

/// How many problems of one file are listed.
const MAX_PROBLEMS: usize = 500;

/// An entry of the file with its place and name.
#[derive(Clone, Debug)]
pub(super) struct Owner<'v> {
    pub(super) item: &'v Value,
    pub(super) name: Option<String>,
    /// The hash of the entry, computed once, and only if the entry has a fault.
    pub(super) fingerprint: OnceCell<u64>,
}

pub(super) struct Problems<'a> {
    lines: Vec<&'a [u8]>,
    first_line: u32,
    /// Hashes of lines, each computed once, because a line may be as long as the file and have hundreds of faults.
    hashed: HashMap<u32, u64>,
    list: Vec<Problem>,
    unlisted: usize,
}

impl<'a> Problems<'a> {
    /// For a file with the frontmatter `block`, which begins on line `first_line`.
    pub(super) fn new(block: &'a [u8], first_line: u32) -> Self {
        let lines = block.split(|byte| *byte == b'\n').collect();
        Self { lines, first_line, hashed: HashMap::new(), list: Vec::new(), unlisted: 0 }
    }

    pub(super) fn of_entry(&mut self, owner: &Owner<'_>, fault: Fault) {
        self.push(*owner.fingerprint.get_or_init(|| fingerprint(owner.item)), owner.name.clone(), fault);
    }

    /// A fault of the entry among `owners` at its place, otherwise of its own line.
    pub(super) fn of_place(&mut self, owners: &[Owner<'_>], fault: Fault) {
        let next = owners.partition_point(|owner| owner.item.at <= fault.at);
        match owners[..next].last().filter(|owner| fault.at < owner.item.end) {
            Some(owner) => self.of_entry(owner, fault),
            None => {
                let fingerprint = self.line_fingerprint(fault.at.line);
                self.push(fingerprint, None, fault);
            }
        }
    }

    /// A fault of the file as a whole.
    pub(super) fn of_file(&mut self, fault: Fault) {
        self.push(0, None, fault);
    }

    fn line_fingerprint(&mut self, line: u32) -> u64 {
        let Self { lines, hashed, first_line, .. } = self;
        let number = line.saturating_sub(*first_line) as usize;
        let text = || String::from_utf8_lossy(lines.get(number).copied().unwrap_or_default());
        *hashed.entry(line).or_insert_with(|| fingerprint_text(&text()))
    }

    fn push(&mut self, fingerprint: u64, scenario: Option<String>, fault: Fault) {
        if self.list.len() >= MAX_PROBLEMS {
            self.unlisted += 1;
            return;
        }
        let Fault { at, kind, detail, message, help } = fault;
        let key = format!("{kind}:{}|{fingerprint:016x}", clip(&detail, 200));
        self.list.push(Problem { at, scenario, message, help, key, advice: false });
    }

    /// The problems in text order. Equal keys are numbered, so that a second copy of a malformed entry is not taken for the
    /// first.
    pub(super) fn finish(mut self) -> Vec<Problem> {
        self.list.sort_by_key(|problem| problem.at);
        let mut seen: HashMap<String, u32> = HashMap::new();
        for problem in &mut self.list {
            let count = seen.entry(problem.key.clone()).or_default();
            *count += 1;
            if *count > 1 {
                problem.key = format!("{}#{count}", problem.key);
            }
        }
        self.list.extend((self.unlisted > 0).then(|| unlisted(self.unlisted)));
        self.list
    }
}

fn unlisted(count: usize) -> Problem {
    Problem {
        at: Position::START,
        scenario: None,
        message: format!("{count} more problems in this file are not listed"),
        help: "mend the first ones and check again".into(),
        key: format!("unlisted:{count}|"),
        advice: false,
    }
}
