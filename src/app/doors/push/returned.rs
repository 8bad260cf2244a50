//! Ledger lines that come back as other ones. A ledger may leave with its scenarios, and be out of sight while roots or
//! exclude say so; what returns of it is what was filed (formats.md, "What was filed stays filed").
//!
//! Only the whole history of the bases knows what that was, and reading it costs; so it is looked through only when a
//! line appears that is older than the newest commit of the bases: in a directory that had no ledger in any of them, or of
//! a scenario that its directory declares and declared in none. Every other line stands beside those that were there all
//! the time.

use super::past::{Sought, tell_past};
use crate::engine::redaction::Redactions;
use crate::error::{Error, Result};
use crate::model::config::Config;
use crate::model::ids::nfc;
use crate::model::ledger::{Event, Ledger, Line, parse};
use crate::model::node::Node;
use crate::model::scenario::ScenarioFile;
use crate::model::workspace;
use crate::model::workspace::Workspace;
use crate::names::is_ledger;
use crate::repo::{FETCH_ALL, Repo};
use crate::rules::Returned;
use crate::text::ndjson;
use crate::tree::oid::Oid;
use crate::tree::path::RepoPath;
use std::collections::{HashMap, HashSet};

/// A state that the new one is compared with, as its own gate saw it.
#[derive(Clone, Copy)]
pub(super) struct Before<'w> {
    /// There may be more than the gate looked at.
    workspace: &'w Workspace,
    gate: &'w Config,
}

/// A line that appeared.
#[derive(Clone, Copy)]
pub(super) struct Appeared<'w> {
    ledger: &'w Ledger,
    line: &'w Line,
}

/// What a line testifies about: a reading or a retraction, of which scenario (NFC), at what time.
type Moment = (bool, String, i64);

/// The lines of `new` that appear as against all of `before`.
pub(super) fn appeared<'w>(new: &'w Workspace, before: &[Before<'_>]) -> Vec<Appeared<'w>> {
    // in any ledger of any base: a line that only moved did not come back
    let held: HashSet<&[u8]> = before.iter().flat_map(|base| base.ledgers()).flat_map(lines).collect();
    let mut found = Vec::new();
    for node in &new.nodes {
        let knew = |scenario: &str| before.iter().any(|base| base.knew(node, scenario));
        for ledger in &node.ledgers {
            let new = ledger.lines.iter().filter(|line| !held.contains(&*line.bytes));
            let appears = |line: &&Line| moment(&line.event).is_some_and(|(_, scenario, _)| !knew(&scenario));
            found.extend(new.filter(appears).map(|line| Appeared { ledger, line }));
        }
    }
    found
}

impl<'w> Before<'w> {
    /// The state as `gate` saw it, or its own.
    pub(super) fn of(workspace: &'w Workspace, gate: Option<&'w Config>) -> Self {
        Self { workspace, gate: gate.unwrap_or(&workspace.config) }
    }

    fn ledgers(self) -> impl Iterator<Item = &'w Ledger> {
        self.workspace.nodes.iter().flat_map(move |node| self.ledgers_of(node))
    }

    fn ledgers_of(self, node: &'w Node) -> impl Iterator<Item = &'w Ledger> {
        node.ledgers.iter().filter(move |ledger| workspace::is_ours(&ledger.path, self.gate))
    }

    /// Whether the directory of `now` had a ledger, and declared `scenario` if it does now.
    fn knew(self, now: &Node, scenario: &str) -> bool {
        let Some(node) = self.workspace.node(&now.dir) else { return false };
        let file = node.file.as_ref().filter(|file| workspace::is_ours(&file.path, self.gate));
        let declared = file.is_some_and(|file| declares(file, scenario));
        let is_back = !declared && now.file.as_ref().is_some_and(|file| declares(file, scenario));
        !is_back && self.ledgers_of(node).next().is_some()
    }
}

fn declares(file: &ScenarioFile, scenario: &str) -> bool {
    file.scenarios.iter().any(|declared| nfc(&declared.name) == scenario)
}

fn lines(ledger: &Ledger) -> impl Iterator<Item = &[u8]> {
    ledger.raw.iter().map(|line| &**line)
}

fn moment(event: &Event) -> Option<Moment> {
    match event {
        Event::Reading(reading) => Some((true, nfc(&reading.scenario), reading.ts.millis)),
        Event::Retraction(retraction) => Some((false, nfc(&retraction.scenario), retraction.ts.millis)),
        Event::Redaction(_) | Event::Decision(_) | Event::Other | Event::Unknown(_) => None,
    }
}

/// The history before a push.
pub(super) struct Since<'a> {
    /// The commits that it ends with.
    pub(super) bases: &'a [Oid],
    /// Called before it is looked through.
    pub(super) looking: &'a dyn Fn(),
}

/// Those of `appeared` instead of which the history of `bases` holds another line: where the appeared one was never in
/// sight, or came after the other one, which `new` does not hold. (Whoever edits a line out of sight leaves the first one in
/// the history; and two nodes may have scenarios of one name that were measured at one time.) `looking` is called before
/// anything that may take long.
///
/// # Errors
/// When that history cannot be read, or is not all here and does not answer.
pub(super) fn altered(
    repo: &Repo,
    new: &Workspace,
    appeared: Vec<Appeared<'_>>,
    since: &Since<'_>,
) -> Result<Vec<Returned>> {
    let Since { bases, looking } = *since;
    if appeared.is_empty() || bases.is_empty() {
        return Ok(Vec::new());
    }
    let newest = repo.newest(bases)?;
    let old = appeared.into_iter().filter_map(|line| Some((moment(&line.line.event)?, line)));
    // In whole seconds, as commits have them, and `<=`: a line of the second of the newest commit may be older than
    // that.
    let old: Vec<_> = old.filter(|((_, _, millis), _)| millis.div_euclid(1000) <= newest).collect();
    if old.is_empty() {
        return Ok(Vec::new());
    }
    looking();
    let held: HashSet<&[u8]> = new.nodes.iter().flat_map(|node| &node.ledgers).flat_map(lines).collect();
    let Told { lines: filed, redactions } = filed(repo, bases, &old.iter().map(|(moment, _)| moment).collect())?;
    let redactions = Redactions::among(&redactions);
    let mut found = Vec::new();
    for (moment, Appeared { ledger, line }) in &old {
        let versions = filed.get(moment).map_or(&[][..], Vec::as_slice);
        let first = versions.iter().position(|filed| **filed == *line.bytes);
        // what stands for a line is that line, as far as it may be read; and what was taken out stays out
        let replaced = |filed: &&[u8]| (first.is_none() || !held.contains(filed)) && !line.event.stands_for(filed);
        let before = versions[..first.unwrap_or(versions.len())].iter().map(Vec::as_slice);
        let taken_out = redactions.in_place_of(&line.bytes).into_iter().filter(|redaction| !held.contains(redaction));
        if let Some(filed) = before.filter(replaced).chain(taken_out).next() {
            let (ledger, line, filed) = (ledger.path.clone(), Line::clone(line), filed.to_vec());
            found.push(Returned { ledger, line, scenario: moment.1.clone(), filed });
        } else if repo.shallow {
            // Only where nothing was found: what this history shows is enough to refuse, whatever an older part holds.
            let what = format!("{} has lines older than this clone's history, which alone tells", ledger.path);
            return Err(Error::unchecked(format!("{what} whether they were filed so")).hint(FETCH_ALL));
        }
    }
    Ok(found)
}

/// What the history of `bases` shows of these moments, each line once, in the order in which they came.
fn filed(repo: &Repo, bases: &[Oid], wanted: &HashSet<&Moment>) -> Result<Told> {
    let mut filed = Filed { wanted, seen: HashSet::new(), ledgers: HashSet::new(), told: Told::default() };
    // Parents first: which of two lines of one moment was filed first is told by their order here alone.
    tell_past(repo, bases, &Sought { is_named: &is_ledger, sees: &workspace::is_ours }, &mut |file| {
        let id = file.id;
        if filed.ledgers.insert(id) && !repo.objects.look(&id, &mut |_, bytes| filed.add(bytes))? {
            return Err(Error::unchecked(format!("ledger {id} of the history is not here")).hint(FETCH_ALL));
        }
        Ok(())
    })?;
    Ok(filed.told)
}

/// What history tells.
#[derive(Default)]
struct Told {
    /// The lines of each moment that is asked for.
    lines: HashMap<Moment, Vec<Vec<u8>>>,
    /// Every redaction in those versions, whatever line it stands for.
    redactions: Vec<Line>,
}

/// What is known of the moments that are asked for.
struct Filed<'m> {
    wanted: &'m HashSet<&'m Moment>,
    ledgers: HashSet<Oid>,
    seen: HashSet<Vec<u8>>,
    told: Told,
}

impl Filed<'_> {
    /// Adds what a version of a ledger says; most repeat the one before.
    fn add(&mut self, bytes: &[u8]) {
        let new = ndjson::filled(bytes).filter(|line| self.seen.insert(line.to_vec()));
        let new: Vec<u8> = new.flat_map(|line| [line, b"\n"].concat()).collect();
        for line in parse(&RepoPath::root(), &new).lines {
            if let Some(at) = moment(&line.event).filter(|at| self.wanted.contains(at)) {
                self.told.lines.entry(at).or_default().push(line.bytes.to_vec());
            }
            if line.event.redacted().is_some() {
                self.told.redactions.push(line);
            }
        }
    }
}
