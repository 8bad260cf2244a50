//! The numbers and names that a reading measured: markers in its transcript, read while the transcript is taken in, and
//! flags such as `--metric`.

use super::FilingRequest;
use crate::error::{Error, Result};
use crate::model::contract::Goal;
use crate::model::ledger::{EvidenceHash, Measures};
use crate::store::evidence::Source;
use crate::store::kind::Expect;
use crate::text::escape::echo;
use crate::text::markers::{MAX_MARKED, MAX_TOLD, Marked, MarkerReader, SaidMetric, Shown};
use crate::tree::path::RepoPath;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::rc::Rc;

/// The metrics of the flags, and the reader of the transcript.
pub(crate) struct GivenNumbers {
    said: Vec<SaidMetric>,
    /// `None` if the node has no contract: then the transcript is not searched.
    reader: Option<Rc<RefCell<MarkerReader>>>,
}

impl GivenNumbers {
    /// For a filing in a node with this goal. An invalid contract counts too, so that readings under it are complete.
    pub(crate) fn of(request: &mut FilingRequest, goal: &Goal) -> Self {
        let said = std::mem::take(&mut request.metrics);
        Self { said, reader: (*goal != Goal::Unset).then(Rc::default) }
    }

    /// The same source; the bytes of a result are also searched for markers.
    pub(super) fn watch(&self, expect: Expect, source: Source) -> Source {
        let Some(reader) = self.reader.clone().filter(|_| expect == Expect::Result) else { return source };
        source.watched(move |part| reader.borrow_mut().take(part))
    }

    /// The markers of the transcript, once it was taken in; `None` if it is not searched.
    pub(crate) fn shown(&self) -> Option<Shown> {
        self.reader.as_ref().map(|reader| reader.borrow().clone().finish())
    }

    /// All measures as a reading holds them.
    ///
    /// # Errors
    /// Usage if the output and the flags contradict each other, or if there is more than a reading holds.
    pub(super) fn measures(&self, artifacts: Vec<(RepoPath, EvidenceHash)>) -> Result<Measures> {
        let shown = self.shown().unwrap_or_default();
        let mut marked = shown.marked;
        for metric in &self.said {
            if shown.absent.contains_key(&metric.name) {
                let name = echo(&metric.name);
                let message = format!("--metric {name}: the last line of the output about it has no number");
                return Err(Error::usage(message).hint(ONCE));
            }
            add(&mut marked, metric)?;
        }
        within("metrics", marked.metrics.len())?;
        within("markers", marked.markers.len())?;
        Ok(Measures { marked, artifacts: named_once(artifacts)?, wrong: Vec::new() })
    }
}

const ONCE: &str = "say it once: correct the output, or leave out the flag";

/// Adds a metric, unless the output has another value for it.
fn add(marked: &mut Marked, said: &SaidMetric) -> Result<()> {
    let SaidMetric { name, value, unit } = said;
    match marked.metrics.get(name) {
        None => {
            marked.metrics.insert(name.clone(), *value);
            marked.units.extend(unit.clone().map(|unit| (name.clone(), unit)));
            Ok(())
        }
        Some(known) if known == value && marked.units.get(name) == unit.as_ref() => Ok(()),
        Some(known) => {
            let known = SaidMetric { name: name.clone(), value: *known, unit: marked.units.get(name).cloned() };
            let (said, known) = (said.text(), known.text());
            Err(Error::usage(format!("--metric {}: {} is said as well", echo(&said), echo(&known))).hint(ONCE))
        }
    }
}

fn within(what: &str, count: usize) -> Result<()> {
    if count <= MAX_MARKED {
        return Ok(());
    }
    let count = if count < MAX_TOLD { count.to_string() } else { format!("{MAX_TOLD} or more") };
    Err(Error::usage(format!("{count} different {what}; a reading holds {MAX_MARKED}"))
        .hint("print only the ones that a decision needs"))
}

/// The artifacts by name. Two files of one name are refused, because readers would take them for one artifact.
fn named_once(artifacts: Vec<(RepoPath, EvidenceHash)>) -> Result<BTreeMap<RepoPath, EvidenceHash>> {
    let mut named = BTreeMap::new();
    for (name, hash) in artifacts {
        match named.entry(name) {
            Entry::Vacant(free) => {
                free.insert(hash);
            }
            Entry::Occupied(known) if *known.get() == hash => {}
            Entry::Occupied(known) => {
                let name = known.key().to_string();
                return Err(Error::usage(format!("two artifacts are called {}", echo(&name)))
                    .hint("rename one: outside of the repository a file goes by its last name"));
            }
        }
    }
    within("artifacts", named.len())?;
    Ok(named)
}

/// Warnings about markers in the output that are not recorded, one line each.
pub(crate) fn marker_advice(shown: &Shown) -> Vec<String> {
    let of = if shown.of_cells { " of its cells' output" } else { "" };
    let listed = shown.malformed.iter().map(|line| format!("line {}{of} is not recorded: {}", line.line, line.message));
    let rest = shown.malformed_lines - shown.malformed.len() as u64;
    let more = (rest > 0).then(|| format!("and {rest} more malformed lines"));
    let silent = shown.absent.iter().filter(|(_, absent)| absent.malformed.is_none());
    let absent = silent
        .map(|(name, at)| format!("line {}{of}: [METRIC:{name}] is no finite number: recorded as absent", at.line));
    listed.chain(more).chain(absent).collect()
}
