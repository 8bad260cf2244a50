//! Finds the scenarios without a pass of the grade that `yatsu.trust` asks for: in a state all of them, in a row of commits
//! the touched ones.

use crate::app::judge::Question;
use crate::app::judge::states::{NotJudged, States};
use crate::app::judge::touched::touched_since_all;
use crate::engine::content::Contents;
use crate::engine::effective::Effective;
use crate::engine::facts::{Score, at_gate};
use crate::engine::freshness::{Judge, governed};
use crate::engine::touched::{Declared, PatchSide};
use crate::error::{ErrorKind, Result};
use crate::features::trust::judge::base::policy;
use crate::features::trust::judge::base_scenarios::{BaseScenarios, commands, same_test};
use crate::features::trust::judge::desk::TrustDesk;
use crate::features::trust::judge::facts::Untrusted;
use crate::features::trust::judge::held::SignedState;
use crate::features::trust::judge::holding::lines_by_hash;
use crate::features::trust::judge::runs::GatedRuns;
use crate::features::trust::model::settings::{ReadingNeed, TrustSettings};
use crate::finding::{Level, RuleId};
use crate::model::ids::composed;
use crate::model::ledger::{Event, Line, LineHash};
use crate::model::node::Node;
use crate::model::scenario::Scenario;
use crate::rules::{Change, Door, speaks};
use crate::tree::Tree;
use crate::tree::path::RepoPath;
use bstr::{BStr, ByteSlice};
use std::borrow::Cow;
use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::rc::Rc;

/// The scenarios without the needed trust, and the scenarios that could not be judged for it.
pub(super) type TrustGaps = (Vec<Untrusted>, Vec<NotJudged>);

/// The scenarios of a state that is judged without a base.
///
/// # Errors
/// When signatures cannot be verified.
pub(super) fn score(question: &Question<'_>, states: &States, desk: &TrustDesk<'_>) -> Result<TrustGaps> {
    let mut found = TrustGaps::default();
    if question.snapshot.door != Door::State || !speaks(RuleId::TrustUnmet, Door::State) {
        return Ok(found);
    }
    let asked = TrustQuestion::new(question, states, desk, &|_| false);
    let own: &TrustSettings = states.view.workspace.config.of();
    let base = &desk.verifier()?.base;
    let nodes = &states.view.workspace.nodes;
    let before = BaseScenarios::load(question.repo, base, &*question.snapshot.view, nodes)?;
    for (node, scenario, score) in states.view.scenarios() {
        let by_own = own.needs(&scenario.tags).into_iter().filter(|need| !need.asks_for_keys());
        let tags = before.tags(Declared { node, scenario }, nodes);
        let needs: Vec<&ReadingNeed> = by_own.chain(tags.flat_map(|tags| base.settings.needs(tags))).collect();
        if !needs.is_empty() {
            let commands = before.commands(&*question.snapshot.view, Declared { node, scenario }, nodes)?;
            asked.look(Declared { node, scenario }, score, &needs, &commands, &mut found)?;
        }
    }
    unknown_base(question, states, desk, &mut found)?;
    Ok(found)
}

/// Without a base no key is known. Then the scenarios that ask for signatures are not judged.
fn unknown_base(question: &Question<'_>, states: &States, desk: &TrustDesk<'_>, found: &mut TrustGaps) -> Result<()> {
    if question.repo.head()?.is_none() || desk.verifier()?.base.commit.is_some() {
        return Ok(());
    }
    for (node, scenario, _) in states.view.scenarios() {
        let needs = states.view.workspace.config.of::<TrustSettings>().needs(&scenario.tags);
        if needs.iter().any(|need| need.asks_for_keys()) {
            let why = "the main branch is not here, and only it says which keys may sign";
            found.1.push(NotJudged::of(node, scenario, why.to_owned()));
        }
    }
    Ok(())
}

/// The scenarios that a row of commits touches: their content, text, tags, command or ledger lines. All entries count that
/// the configurations before and after ask for, by the tags before and after, so that no change excuses itself. An entry
/// that asks for signatures counts only in the base, which alone says which keys may sign.
///
/// # Errors
/// When content that must be compared cannot be read, or signatures cannot be verified.
pub(super) fn touched(
    question: &Question<'_>,
    states: &States,
    desk: &TrustDesk<'_>,
    change: &Change<'_>,
) -> Result<TrustGaps> {
    let mut found = TrustGaps::default();
    if question.snapshot.door != Door::Commits {
        return Ok(found);
    }
    let configs = states.gates.iter().chain([&states.view.workspace.config, &states.own]);
    let policies: Vec<&TrustSettings> = configs.map(|config| config.of()).collect();
    let base = policy(question, &states.own)?;
    if policies.iter().all(|policy| policy.readings.is_empty()) && base.readings.is_empty() {
        return Ok(found);
    }
    let taken = states.earlier(question.snapshot);
    let sides: Vec<PatchSide<'_>> =
        taken.iter().map(|from| PatchSide { tree: &*from.base.tree, nodes: &from.workspace.nodes }).collect();
    let contents = Contents::new(&*question.snapshot.view);
    let touched = touched_since_all(states, &contents, &taken)?;
    let held = BaseLines::of(states);
    let adds = |line: &[u8]| !held.have(line);
    let fresh = newly_filed(change);
    let asked = TrustQuestion::new(question, states, desk, &adds);
    for (node, scenario, score) in states.view.scenarios() {
        let nodes = &states.view.workspace.nodes;
        let mut known: Vec<(&dyn Tree, Declared<'_>)> = Vec::new();
        for side in &sides {
            let then = side.predecessors(Declared { node, scenario }, nodes);
            known.extend(then.into_iter().map(|then| (side.tree, then)));
        }
        let before = || known.iter().map(|(_, then)| *then);
        let tags = || before().map(|then| &then.scenario.tags).chain([&scenario.tags]);
        let by_all = policies.iter().flat_map(|policy| tags().flat_map(|tags| policy.needs(tags)));
        let by_base = tags().flat_map(|tags| base.needs(tags));
        let mut needs: Vec<_> = by_all.filter(|need| !need.asks_for_keys()).chain(by_base).collect();
        needs.sort();
        needs.dedup();
        let is_touched = || {
            touched.iter().any(|one| std::ptr::eq(one.scenario, scenario))
                || before().any(|then| then.scenario.tags != scenario.tags)
                || before().any(|then| !same_test(then.scenario, scenario))
                || before().any(|then| tested(then.scenario) != tested(scenario))
                || before().any(|then| !same_list(then, Declared { node, scenario }))
                || fresh.contains(&(node.dir.as_bstr(), composed(&scenario.name)))
        };
        if !needs.is_empty() && is_touched() {
            let before: Vec<_> = known.iter().map(|(tree, then)| (*tree, then.scenario)).collect();
            let commands = commands(&*question.snapshot.view, &before, scenario)?;
            asked.look(Declared { node, scenario }, score, &needs, &commands, &mut found)?;
        }
    }
    Ok(found)
}

/// One judged state, and how to ask about its scenarios.
struct TrustQuestion<'a, 'r> {
    question: &'a Question<'a>,
    states: &'a States,
    desk: &'a TrustDesk<'r>,
    adds: &'a dyn Fn(&[u8]) -> bool,
    /// One for all scenarios: it keeps the texts of old trees.
    judge: Judge<'a>,
    /// The view of the node that was asked about last: the scenarios of one node come together.
    last: RefCell<Option<(&'a Node, Rc<Effective<'a>>)>>,
}

impl<'a, 'r> TrustQuestion<'a, 'r> {
    fn new(
        question: &'a Question<'a>,
        states: &'a States,
        desk: &'a TrustDesk<'r>,
        adds: &'a dyn Fn(&[u8]) -> bool,
    ) -> Self {
        let evaluators = &states.view.workspace.config.evaluators;
        let judge = Judge::new(&*question.snapshot.view, question.anchors, evaluators);
        Self { question, states, desk, adds, judge, last: RefCell::default() }
    }

    fn effective(&self, node: &'a Node) -> Rc<Effective<'a>> {
        let mut last = self.last.borrow_mut();
        if let Some((of, effective)) = &*last
            && std::ptr::eq(*of, node)
        {
            return Rc::clone(effective);
        }
        let effective = Rc::new(Effective::of(node));
        *last = Some((node, Rc::clone(&effective)));
        effective
    }

    /// Adds the scenario if it lacks one of `needs`. An observed reading counts for one of `commands`.
    fn look(
        &self,
        one: Declared<'a>,
        score: &Score,
        needs: &[&ReadingNeed],
        commands: &BTreeSet<String>,
        found: &mut TrustGaps,
    ) -> Result<()> {
        let state = SignedState { view: &self.states.view.workspace, adds: self.adds, now: self.question.options.now };
        let effective = self.effective(one.node);
        let lacks = match one.scenario.is_repeated() {
            false => at_gate(&self.judge, one.node, one.scenario, score)
                .and_then(|score| self.desk.lacks(state, one, &effective, &score, needs, commands)),
            true => {
                let budgets = &self.states.view.budgets;
                let runs = GatedRuns { judge: &self.judge, budgets, asked: one, effective: &effective };
                self.desk.runs_lack(state, &runs, needs, commands)
            }
        };
        match lacks {
            Ok(None) => {}
            Ok(Some((need, why))) => {
                let (dir, name) = (one.node.dir.clone(), one.scenario.name.clone());
                found.0.push(Untrusted { dir, name, by_keys: need.asks_for_keys(), need: need.words(), why });
            }
            // advice that cannot be made is counted; a gate that cannot be checked blocks
            Err(error) if error.kind == ErrorKind::Unchecked && !self.is_gate() => {
                found.1.push(NotJudged::of(one.node, one.scenario, error.message));
            }
            Err(error) => return Err(error),
        }
        Ok(())
    }

    /// Whether missing trust is an error here.
    fn is_gate(&self) -> bool {
        let configs = self.states.gates.iter().chain([&self.states.view.workspace.config]);
        let levels = configs.map(|config| config.level(RuleId::TrustUnmet, RuleId::TrustUnmet.default_level()));
        let highest = levels.max().flatten();
        highest == Some(Level::Error) || highest == Some(Level::Warning) && self.question.options.strict
    }
}

/// The ledger lines of all bases.
pub(crate) struct BaseLines<'s> {
    states: &'s States,
    lines: OnceCell<HashSet<&'s [u8]>>,
}

impl<'s> BaseLines<'s> {
    /// The lines in the bases of `states`. They are gathered at the first question.
    pub(crate) fn of(states: &'s States) -> Self {
        Self { states, lines: OnceCell::new() }
    }

    /// Whether a ledger of a base holds the line with these bytes.
    pub(crate) fn have(&self, line: &[u8]) -> bool {
        let ledgers = || self.states.bases.iter().flat_map(|base| &base.workspace.nodes).flat_map(|node| &node.ledgers);
        self.lines.get_or_init(|| ledgers().flat_map(|ledger| &ledger.raw).map(|raw| &**raw).collect()).contains(line)
    }
}

/// The file of the scenario's test, as declared. A reading of another test does not count.
fn tested(scenario: &Scenario) -> Option<&str> {
    scenario.test.as_ref().map(|test| &*test.text)
}

/// Whether both govern by the same list. Another list may name content that no signed pass measured.
fn same_list(then: Declared<'_>, now: Declared<'_>) -> bool {
    let texts = |one: Declared<'_>| -> Vec<String> {
        governed(one.node, one.scenario).iter().map(|entry| entry.text.clone()).collect()
    };
    texts(then) == texts(now)
}

/// The scenarios, by directory and name in NFC, for which the change adds a ledger line, takes one away, or adds the signature
/// of one.
fn newly_filed<'c>(change: &'c Change<'_>) -> HashSet<(&'c BStr, Cow<'c, str>)> {
    let mut found = HashSet::new();
    let mut by_hash: HashMap<&BStr, HashMap<LineHash, Vec<&Line>>> = HashMap::new();
    for added in &change.added {
        let dir = added.node.dir.as_bstr();
        if !added.moved {
            found.extend(added.line.event.scenario().map(|name| (dir, composed(name))));
        }
        let Event::Signature(signature) = &added.line.event else { continue };
        let node = change.view.workspace.node(&RepoPath::from_git(added.node.dir.clone()));
        let lines = by_hash.entry(dir).or_insert_with(|| node.map(lines_by_hash).unwrap_or_default());
        let signed = signature.lines.iter().filter_map(|hash| lines.get(hash)).flatten();
        found.extend(signed.filter_map(|line| line.event.scenario()).map(|name| (dir, composed(name))));
    }
    let lost = change.lost.iter().map(|lost| &lost.line);
    found.extend(lost.filter_map(|lost| Some((lost.dir.as_bstr(), composed(lost.scenario.as_deref()?)))));
    found
}
