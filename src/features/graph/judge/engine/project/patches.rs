//! A branch in the graph: a patch with its evals, modified files, resolved failures, advanced goals and decisions. All of
//! it is local to a clone, including nodes that only a branch names.

use super::Projector;
use crate::features::graph::judge::engine::digest::LOCAL;
use crate::features::graph::model::op::StateOp;
use crate::features::graph::model::value::Props;
use crate::features::graph::model::{node, shape};
use crate::features::patches::{Patch, PatchDecision, PatchDecisionKind, PatchEval, Touch};
use crate::tree::path::RepoPath;

/// The number of changed files with nodes of their own; the property `files` holds the full count.
const MOST_FILES: usize = 256;

fn local() -> Props {
    Props::new().with(LOCAL, true)
}

impl Projector<'_> {
    pub(super) fn patch(&mut self, patch: &Patch) {
        let facts = &patch.facts;
        let id = node::patch(&facts.branch);
        let props = local()
            .with("branch", &*facts.branch)
            .with("state", patch.state.as_str())
            .with("reason", &*patch.reason)
            .with("tip", facts.tip.to_string())
            .with("main", &*facts.main)
            .with("files", u32::try_from(facts.files.len()).unwrap_or(u32::MAX));
        self.ops.push(StateOp::create(&*id, shape::PATCH, props));
        if let Some(base) = &facts.base {
            let commit = node::commit(base);
            self.once(&commit, shape::COMMIT, local);
            self.ops.push(StateOp::relate(&*id, shape::FORKED_FROM, commit));
        }
        for path in facts.files.iter().take(MOST_FILES) {
            let file = node::file(path);
            self.once(&file, shape::FILE, || local().with("path", path.to_string()));
            self.ops.push(StateOp::relate(&*id, shape::MODIFIES, file));
        }
        facts.touches.iter().for_each(|touch| self.touched(&id, &facts.branch, touch));
        facts.decisions.iter().filter(|decision| decision.is_current).for_each(|decision| self.settled(&id, decision));
    }

    fn touched(&mut self, patch: &str, branch: &str, touch: &Touch) {
        let dir = RepoPath::from_git(touch.node.dir.clone());
        let goal = node::goal(&dir);
        if self.graph.node(&goal).is_some() {
            self.relate_once(patch, shape::ADVANCES, &goal);
        }
        let Some(eval) = &touch.eval else { return };
        let id = node::eval(branch, &dir, &touch.scenario);
        let props = local()
            .with("verdict", if eval.is_pass { "pass" } else { "fail" })
            .with("fresh", eval.is_fresh)
            .with("ts", eval.at.ts.to_string())
            .with_some("by", eval.by.as_deref());
        self.ops.push(StateOp::create(&*id, shape::EVAL, props));
        self.ops.push(StateOp::relate(patch, shape::VALIDATED_BY, &*id));
        let scenario = node::scenario(&dir, &touch.scenario);
        if self.graph.node(&scenario).is_some() {
            self.ops.push(StateOp::relate(&*id, shape::REFERENCES, scenario));
        }
        self.measured_by(patch, &id, touch, eval);
    }

    /// Adds the consequences of the reading behind an eval: its evidence and, if it was filed on the branch, the failures
    /// that it resolves.
    fn measured_by(&mut self, patch: &str, eval_id: &str, touch: &Touch, eval: &PatchEval) {
        let dir = RepoPath::from_git(touch.node.dir.clone());
        let reading = node::reading(&dir, &touch.scenario, eval.at.ts, 1);
        if self.graph.node(&reading).is_some() {
            self.ops.push(StateOp::relate(eval_id, shape::REFERENCES, &*reading));
        }
        if !eval.is_own {
            return;
        }
        for hash in &eval.bytes {
            let artifact = node::artifact(&hash.to_string());
            self.once(&artifact, shape::ARTIFACT, local);
            self.relate_once(patch, shape::REFERENCES, &artifact);
        }
        if eval.is_pass {
            let of = node::subject(&dir, &touch.scenario);
            let open = self.open.get(&of).cloned().unwrap_or_default();
            let resolved = self.resolved.get(&reading).cloned().unwrap_or_default();
            // a failure seen after the branch was measured was not resolved by the branch
            let measured = eval.at.ts.to_string();
            let stood = |failure: &&String| {
                let seen = self.graph.node(failure).and_then(|node| node.props.text("ts"));
                seen.is_some_and(|seen| *seen < *measured)
            };
            let addressed: Vec<&String> = open.iter().filter(stood).chain(&resolved).collect();
            addressed.into_iter().for_each(|failure| self.relate_once(patch, shape::ADDRESSES, failure));
        }
    }

    fn settled(&mut self, patch: &str, decision: &PatchDecision) {
        let id = node::decision(&decision.node, decision.at.ts, 1);
        self.once(&id, shape::DECISION, || {
            local()
                .with("decision", decision.kind.as_str())
                .with("node", node::directory(&decision.node))
                .with("reason", &*decision.reason)
                .with("ts", decision.at.ts.to_string())
        });
        let rel = match decision.kind {
            PatchDecisionKind::Approve => shape::APPROVED_BY,
            PatchDecisionKind::Reject => shape::REJECTED_BY,
        };
        self.relate_once(patch, rel, &id);
    }

    /// Relates two nodes once per event: several scenarios may share a goal or a piece of evidence.
    fn relate_once(&mut self, from: &str, rel: &str, to: &str) {
        let op = StateOp::relate(from, rel, to);
        if !self.ops.contains(&op) {
            self.ops.push(op);
        }
    }
}
