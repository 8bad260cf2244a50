//! A small repository in memory, for tests of one rule: the measured state, its bases and the judged state. The findings
//! are compared as the report for people.

use crate::app::judge::losses::{Losses, SeenState};
use crate::app::judge::{added, levels, losses};
use crate::engine::anchors::Anchors;
use crate::engine::facts::{self, Facts};
use crate::engine::history;
use crate::engine::selectors;
use crate::error::Result;
use crate::finding::{Finding, RuleId};
use crate::model::config::Config;
use crate::model::ledger::{EvidenceHash, Timestamp};
use crate::model::parts::Parts;
use crate::model::workspace::{self, Select};
use crate::report::view::{Report, RuleText, Scope, ScopeMode, Style};
use crate::report::{Format, write};
use crate::rules::{Change, Door, EditedLine, HiddenLedger, LostFrom, LostLine, of_change};
use crate::text::shell;
use crate::tree::memory::{self, MemoryTree};
use crate::tree::oid::Oid;
use crate::tree::{Anchor, History, Kind};
use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

pub(crate) const FILE: &str = ".spec/n/yatsu.md";
pub(crate) const LEDGER: &str = ".spec/n/yatsu.evals.ndjson";
pub(crate) const SOURCE: &str = "src/a.rs";
pub(crate) const CONFIG: &str = "spexcode.json";

/// A scenario file with the one scenario `works`.
pub(crate) const WORKS: &str = "---
scenarios:
  - name: works
    description: measure it
    expected: it works
    tags: [cli]
    code: src/a.rs
---
";

/// The commit in the readings: the state of [`Case::new`].
const MEASURED: &str = "1111111111111111111111111111111111111111";

/// A commit with other source code.
pub(crate) const OTHER: &str = "2222222222222222222222222222222222222222";

/// A ledger line: `works`, measured at minute `minute` of 1 January 2026.
pub(crate) fn reading(status: &str, minute: u32) -> String {
    format!(
        "{{\"scenario\":\"works\",\"codeSha\":\"{MEASURED}\",\"evaluator\":\"manual@1\",\
         \"verdict\":{{\"status\":\"{status}\"}},\"ts\":\"2026-01-01T00:{minute:02}:00.000Z\"}}\n"
    )
}

/// The line with one piece of evidence; its hash repeats one digit.
pub(crate) fn with_evidence(line: &str, kind: &str, digit: &str) -> String {
    let pieces = format!("\"evidence\":[{{\"hash\":\"{}\",\"kind\":\"{kind}\"}}]", digit.repeat(64));
    line.replace("\"evaluator\"", &format!("{pieces},\"evaluator\""))
}

/// The hash that [`with_evidence`] names.
pub(crate) fn hash(digit: &str) -> EvidenceHash {
    EvidenceHash::from_hex(digit.repeat(64).as_bytes()).expect("a hash")
}

#[derive(Clone)]
pub(crate) struct Case {
    bases: Vec<MemoryTree>,
    now: MemoryTree,
}

impl Case {
    /// The scenario `works` over a source file, unmeasured and without a base.
    pub(crate) fn new() -> Self {
        Self { bases: Vec::new(), now: MemoryTree::of_files(&[(FILE, WORKS), (SOURCE, "fn a() {}\n")]) }
    }

    /// Adds or replaces a file.
    pub(crate) fn with(mut self, path: &str, content: impl AsRef<str>) -> Self {
        self.now.put(path, Kind::File, content.as_ref().as_bytes());
        self
    }

    pub(crate) fn without(mut self, path: &str) -> Self {
        self.now.remove(path);
        self
    }

    /// Commits the state so far: later changes are compared with it.
    pub(crate) fn committed(mut self) -> Self {
        self.bases = vec![self.now.clone()];
        self
    }

    /// The findings of `rule`.
    pub(crate) fn told(&self, rule: RuleId) -> String {
        self.told_with(rule, |_| {})
    }

    /// The findings of `rule`; `know` adds facts that only a repository can supply.
    pub(crate) fn told_with(&self, rule: RuleId, know: impl FnOnce(&mut Change<'_>)) -> String {
        self.told_of(rule, |_, _| {}, know)
    }

    /// The findings of `rule`; `add` adds facts to each state, `know` to the change.
    pub(crate) fn told_of(
        &self,
        rule: RuleId,
        add: impl Fn(&MemoryTree, &mut Facts),
        know: impl FnOnce(&mut Change<'_>),
    ) -> String {
        let anchors = Anchors::new(Rc::new(Past));
        let of = |tree: &MemoryTree| {
            let mut facts = facts_of(tree, &anchors).expect("a readable state");
            add(tree, &mut facts);
            facts
        };
        let view = of(&self.now);
        let bases: Vec<Facts> = self.bases.iter().map(of).collect();
        let before: Vec<_> = bases.iter().map(|base| &base.workspace).collect();
        let door = if bases.is_empty() { Door::State } else { Door::Commit };
        let mut change = Change { door, bases: &bases, ..alone(&view) };
        if !bases.is_empty() {
            change.added = added::lines(&anchors, &view.workspace, &before).expect("readable lines");
        }
        self.add_losses(&mut change);
        know(&mut change);
        let gates: Vec<Config> = before.iter().map(|base| base.config.clone()).collect();
        told(rule, levels::apply_since(of_change(&change), &view.workspace.config, &gates, false))
    }

    fn add_losses(&self, change: &mut Change<'_>) {
        let from = || LostFrom { revision: "HEAD".into(), rewritten: false };
        let known: Vec<_> = change.bases.iter().map(|base| &base.workspace).collect();
        for (tree, facts) in self.bases.iter().zip(change.bases) {
            let base = SeenState { tree, workspace: &facts.workspace };
            let new = SeenState { tree: &self.now, workspace: &change.view.workspace };
            let Losses { lost, hidden } = losses::of(new, base).expect("readable states");
            change.lost.extend(lost.into_iter().map(|line| LostLine { line, from: from() }));
            for (ledger, path) in hidden {
                let excluded = change.own.exclude.covers(&path);
                change.hidden.push(HiddenLedger { ledger, path, excluded, from: from() });
            }
            let lines = change.added.iter().map(|added| (&added.ledger, &added.line));
            let edited = history::edited(&change.view.workspace, lines, &known, &facts.workspace);
            change.edited.extend(edited.into_iter().map(|edited| EditedLine { edited, from: from() }));
        }
    }
}

/// The state `view` without a base, judged by its own configuration; nothing is known of its blobs.
fn alone(view: &Facts) -> Change<'_> {
    Change {
        door: Door::State,
        view,
        own: &view.workspace.config,
        bases: &[],
        added: Vec::new(),
        redact: view.workspace.config.redact,
        lost: Vec::new(),
        hidden: Vec::new(),
        edited: Vec::new(),
        strays: Vec::new(),
        absent_evidence: BTreeSet::new(),
        no_evidence: false,
        lowered: Vec::new(),
        parts: Parts::default(),
        unowned: Vec::new(),
        renamed: BTreeMap::new(),
        edited_and_gone: BTreeSet::new(),
        successors: OnceCell::new(),
        redacted: OnceCell::new(),
    }
}

/// The findings of `rule` among `findings`, which have no level yet.
pub(crate) fn told_of(rule: RuleId, findings: Vec<Finding>) -> String {
    told(rule, levels::apply(findings, &Config::default(), false))
}

fn told(rule: RuleId, mut findings: Vec<Finding>) -> String {
    findings.retain(|finding| finding.rule == rule);
    for finding in &mut findings {
        finding.help = shell::typed(&finding.help, || &shell::AT_TOP).into_owned();
    }
    let report = Report { findings, ..Report::clean(Scope::unread(ScopeMode::All)) };
    let describe = |_| RuleText { summary: "", why: "", mend: "" };
    let mut out = Vec::new();
    write(
        &report,
        Format::Human,
        &Style { color: false, verbose: false, quiet: false, ascii: false, width: None, describe },
        &mut out,
    )
    .expect("memory");
    String::from_utf8(out).expect("text")
}

fn facts_of(tree: &MemoryTree, anchors: &Anchors) -> Result<Facts> {
    let workspace = workspace::load(tree, workspace::read_config(tree)?, &Select::All)?;
    let facts = facts::collect(tree, anchors, workspace)?;
    let selectors = selectors::ask(tree, anchors.units(), &facts.workspace.nodes, &|_, _| true);
    Ok(Facts { selectors, now: Some(now()), ..facts })
}

fn now() -> Timestamp {
    Timestamp::parse("2026-01-02T00:00:00.000Z").expect("a time")
}

/// The commits that readings name.
pub(crate) struct Past;

impl History for Past {
    fn anchor(&self, commit: &Oid) -> Result<Anchor> {
        let measured = Case::new();
        Ok(match commit.to_string().as_str() {
            MEASURED => Anchor::Tree(Rc::new(measured.now)),
            OTHER => Anchor::Tree(Rc::new(measured.with(SOURCE, "fn b() {}\n").now)),
            _ => Anchor::NotACommit,
        })
    }

    fn content_id(&self, content: &[u8]) -> Result<Oid> {
        Ok(memory::id_of(content))
    }
}
