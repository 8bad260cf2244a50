//! The text of `explain`: for each rule its meaning, its reason and the repair.

use crate::finding::RuleId;

/// The explanation of one rule.
#[derive(Debug)]
pub struct Explanation {
    /// The defect that it finds, in one sentence.
    pub summary: &'static str,
    /// The reason why the defect matters.
    pub why: &'static str,
    /// The repair.
    pub mend: &'static str,
}

const fn of(summary: &'static str, why: &'static str, mend: &'static str) -> Explanation {
    Explanation { summary, why, mend }
}

/// The explanation of `rule`.
pub fn explain(rule: RuleId) -> &'static Explanation {
    match rule {
        RuleId::YatsuSchema => &YATSU_SCHEMA,
        RuleId::StrayBlob => &STRAY_BLOB,
        RuleId::LedgerSchema => &LEDGER_SCHEMA,
        RuleId::LedgerHistory => &LEDGER_HISTORY,
        RuleId::NodeId => &NODE_ID,
        RuleId::YatsuDrift => &YATSU_DRIFT,
        RuleId::YatsuMissing => &YATSU_MISSING,
        RuleId::YatsuUncovered => &YATSU_UNCOVERED,
        RuleId::YatsuOwners => &YATSU_OWNERS,
        RuleId::YatsuFailing => &YATSU_FAILING,
        RuleId::YatsuUngoverned => &YATSU_UNGOVERNED,
        RuleId::GateLowered => &GATE_LOWERED,
        RuleId::YatsuOrphan => &YATSU_ORPHAN,
        RuleId::EvidenceKind => &EVIDENCE_KIND,
        RuleId::ScenarioDropped => &SCENARIO_DROPPED,
        RuleId::FailWithdrawn => &FAIL_WITHDRAWN,
        RuleId::EvidenceReused => &EVIDENCE_REUSED,
        RuleId::EvidenceMissing => &EVIDENCE_MISSING,
        RuleId::LedgerDuplicate => &LEDGER_DUPLICATE,
        RuleId::LedgerRedacted => &LEDGER_REDACTED,
        RuleId::ReplaceRef => &REPLACE_REF,
        RuleId::SpecIgnored => &SPEC_IGNORED,
        RuleId::SelectorUnread => &SELECTOR_UNREAD,
        RuleId::KeyConflict => &KEY_CONFLICT,
        RuleId::BudgetExceeded => &BUDGET_EXCEEDED,
        RuleId::RunlogSchema => &RUNLOG_SCHEMA,
        RuleId::RunlogHistory => &RUNLOG_HISTORY,
        RuleId::RunlogArtifacts => &RUNLOG_ARTIFACTS,
        RuleId::RunlogProgress => &RUNLOG_PROGRESS,
        RuleId::GoalGate => &GOAL_GATE,
        RuleId::GoalUnmet => &GOAL_UNMET,
        RuleId::GoalRegressed => &GOAL_REGRESSED,
        RuleId::GraphPartial => &GRAPH_PARTIAL,
        RuleId::GraphDangling => &GRAPH_DANGLING,
        RuleId::PromotedUnproven => &PROMOTED_UNPROVEN,
    }
}

const YATSU_SCHEMA: Explanation = of(
    "A scenario file is malformed, or names a path that is not there, is not tracked, or leaves the repository, or a unit that \
     its file does not declare.",
    "A scenario that cannot be read is not measured, and a governed path that does not exist never changes: both look like success.",
    "Edit the entry at the line and column named. The keys are name, description, expected, tags, and optionally test, code, related. \
     A path that may be absent is written with a leading `?`. When a governed file was deleted or renamed, edit `code:` in the same commit; \
     so too when the unit of a selector `path#symbol` was. `yatsu-hook units PATH` lists the units of a file.",
);
const STRAY_BLOB: Explanation = of(
    "A staged or pushed file is evidence: the cache or a reading knows its sha256. Or a ref under refs/yatsu/, where evidence and claims \
     are shared, holds something else.",
    "Evidence is named by its content and kept in a cache beside the repository. In the tree it bloats every clone for ever.",
    "git rm --cached -- FILE. Bytes that the cache holds stay there; others are kept with `yatsu-hook evidence put FILE` first. A text is evidence \
     with LF and with CRLF line ends alike, because git converts them; what another filter or encoding makes of it is not recognised. A file that is meant to be both, a picture in the README say, goes into yatsu.allowInTree, \
     in a change before the one that brings it: no change allows itself what it brings. Under refs/yatsu/ lie pieces under \
     their names, up to the size in git's configuration of the server (yatsu.share.maxPiece, 10m), and commits without files. What only \
     those refs lead to is new to every branch.",
);
const LEDGER_SCHEMA: Explanation = of(
    "A ledger line is not one whole, well-formed event, or an added reading testifies to nothing.",
    "A line that readers understand differently, or not at all, is a measurement lost in silence.",
    "Readings are filed by the verb `eval`, never by hand. A torn or glued line: `yatsu-hook repair --dry-run` shows the repair. \
     Conflict markers: resolve by keeping the lines of both sides.",
);
const LEDGER_HISTORY: Explanation = of(
    "A committed ledger line is gone, edited or out of sight, or did not move with its scenario.",
    "The score is only worth what its history is worth: what was filed stays filed.",
    "`yatsu-hook repair --restore HEAD` puts lost lines back; then git add the ledger. To withdraw a reading, file a retraction: `yatsu-hook retract NODE/SCENARIO`. \
     Lines move with their scenario (git mv), and leave with a node that is deleted with its ledger. A ledger that yatsu.roots or \
     yatsu.exclude hides is brought back into sight.",
);
const NODE_ID: Explanation = of(
    "Two nodes end up with the same id.",
    "A reading filed under an ambiguous name could land on the wrong node.",
    "Rename one of the directories. Until then name the node by its directory.",
);
const YATSU_DRIFT: Explanation = of(
    "The reading of a scenario that counts is stale: what it measured is not what is here now.",
    "A pass speaks for the content that was measured. Axes: code (a governed path has other content), scenario (description or expected was \
     reworded), evaluator (its version moved), anchor (the commit is gone and no stamp testifies).",
    "Measure again, then file: yatsu-hook eval NODE/SCENARIO --pass (or --fail). If the edit was taken back, the reading is fresh again by itself.",
);
const YATSU_MISSING: Explanation = of(
    "A scenario is declared and has no effective reading.",
    "A scenario nobody measured is not a pass; it is nothing yet.",
    "Measure it, then file: yatsu-hook eval NODE/SCENARIO --pass (or --fail).",
);
const YATSU_UNCOVERED: Explanation = of(
    "A node governs a source file and has no scenario file.",
    "Code that nobody said how to measure cannot be found broken here.",
    "Write a yatsu.md (eval.md where the repository uses the newer names) beside the spec.md with at least one scenario; lint.sourceExtensions says what counts as source.",
);
const YATSU_OWNERS: Explanation = of(
    "A file is governed by more scenarios than lint.maxOwners.",
    "Every edit of it makes all of them stale; it does too much, or they claim too much.",
    "Split the file, or narrow the scenarios' `code:`.",
);
const YATSU_FAILING: Explanation = of(
    "The reading that counts is a fail, and it still speaks for the code.",
    "A known failure that is still there.",
    "Mend the code, measure again, file the result.",
);
const YATSU_UNGOVERNED: Explanation = of(
    "A scenario governs nothing that exists.",
    "No change of code can make its reading stale, so a pass would outlive what it measured.",
    "Name the files it measures under `code:`, in the scenario or in the node's spec.md.",
);
const GATE_LOWERED: Explanation = of(
    "This change weakens the configuration of the gate.",
    "A lower level or a wider exclusion lets through what was stopped yesterday; a reader of the change should see it.",
    "Say in the commit message why, or take it back.",
);
const YATSU_ORPHAN: Explanation = of(
    "Readings whose scenario is no longer declared.",
    "After a rename the new name has no readings; the old ones are still there.",
    "Nothing, when the scenario went on purpose. After a rename, measure the new name.",
);
const EVIDENCE_KIND: Explanation = of(
    "A pass lacks the kind of evidence that yatsu.evidenceFor asks for its tag.",
    "The project decided what a pass of that sort must show.",
    "File the reading again with that evidence: --image, --video or --result.",
);
const SCENARIO_DROPPED: Explanation = of(
    "This change removes, renames, rewords or narrows a scenario whose reading that counts failed.",
    "The easiest way to a clean score is to move the goal.",
    "Mend what it measures, or say in the commit message why the scenario changes.",
);
const FAIL_WITHDRAWN: Explanation = of(
    "This change retracts or redacts a fail that counted, and no later reading of the same content is there.",
    "An older pass would speak again, as if nobody had seen it fail.",
    "Measure that content again and file what you see; a later reading of it makes the retraction harmless.",
);
const EVIDENCE_REUSED: Explanation = of(
    "An added reading carries bytes that another scenario's reading at another commit, or an earlier reading of changed code, already carries.",
    "Two different measurements seldom give the same bytes; one session that shows several scenarios at one commit does.",
    "Measure again and file what this measurement showed.",
);
const EVIDENCE_MISSING: Explanation = of(
    "An added reading names bytes that this evidence cache does not hold.",
    "Its evidence was recorded elsewhere; here it shows as `miss original file`. A push or a range of commits is not asked where the cache is empty, \
     a server's or a CI machine's say.",
    "yatsu-hook evidence put FILE, with the bytes from where they were measured.",
);
const LEDGER_REDACTED: Explanation = of(
    "A ledger line was replaced by its redaction: a secret or a name in it had to go.",
    "The line counts no more, and the redaction names it by its hash alone. Who reads the score should know that something was taken out.",
    "Nothing must be done. Older commits still hold the line; only rewriting them takes it out of there. yatsu.redact: refuse lets nobody redact.",
);
const SPEC_IGNORED: Explanation = of(
    "An ignore rule of git hides a root or a file of ours; its file and line are named.",
    "What git ignores is in no commit, and every check passes over it: scenarios that nobody can see look like none. `*.spec`, \
     which the usual .gitignore of Python has for PyInstaller, hides the directory .spec.",
    "Narrow the rule, or write one that takes the files back, `!/.spec/` say, below it; then git add them. A hook looks only while \
     git has nothing of ours; scan, check and doctor always do.",
);
const LEDGER_DUPLICATE: Explanation = of(
    "The same ledger line stands twice.",
    "A merge kept both copies. It counts once.",
    "Nothing must be done; `yatsu-hook repair` removes copies that are not committed yet.",
);
const SELECTOR_UNREAD: Explanation = of(
    "Nobody can tell the units of a file that a selector `path#symbol` names: its language is none of those that are read, the \
     grammar cannot read it there (valid source of a new kind, or a syntax error), or it is too large or binary.",
    "The whole file is compared then, so that every edit of it makes the reading stale: the selector narrows nothing.",
    "Drop what follows the `#`; where the file has a syntax error, mend it. `yatsu-hook units PATH` says what is known of a file.",
);

const KEY_CONFLICT: Explanation = of(
    "Two readings of a scenario carry one idempotency key, at one attempt, and say different things.",
    "A key says that filing again is filing once. Two clones that used it for different things cannot both be right, and nobody could tell \
     which one the writer meant.",
    "Retract all of them but one: yatsu-hook retract NODE/SCENARIO --ts TIME. The key stays used up: measure again under another one. Readings that say the same count once \
     and need nothing.",
);
const BUDGET_EXCEEDED: Explanation = of(
    "A reading, or its run with it, cost more than yatsu.budgets allows.",
    "Spending without limit is not measuring. The reading stays as it was filed, and its scenario counts as failed from then on: filing again does \
     not mend it, and withdrawing the reading does not either, because spent is spent.",
    "Raise the limit in spexcode.json, or let the breach pass with `yatsu-hook claim waive-budget NODE/SCENARIO --reason WHY`; both are gate-lowered in the change that brings \
     them. `yatsu-hook usage` shows what was spent. Rule, limits and waivers: docs/claims.md.",
);
const REPLACE_REF: Explanation = of(
    "A push brings a ref under refs/replace/.",
    "Such a ref shows everybody who fetches it another object in the place of one that was pushed: a forged ledger behind the name of the \
     true one. Nothing is judged through them here, and nobody else should have to see through them.",
    "Leave it out of the push. Where replacing is meant for all, yatsu.rules lowers the rule.",
);
const RUNLOG_SCHEMA: Explanation = of(
    "A run log is not what its profile says: a line that is no event, an event out of its place, a phase that starts twice.",
    "Whoever watches a run, or resumes it after a crash, believes its log. Every violation has a code, and a name of its own in \
     the machine formats: torn-line, phase-overlap, run-end-incomplete.",
    "The line and its code say what is wrong; what is not committed yet can be corrected. Lines that the verb `runlog` writes are \
     valid. A torn or glued line: `yatsu-hook repair --dry-run` shows the repair. Advice (bad-field, ts-regression, crlf, blank-line, \
     no-final-newline) never blocks; schema-newer is for a newer version to judge; index-missing \
     is a file that nothing calls a log, and asks for nothing.",
);
const RUNLOG_HISTORY: Explanation = of(
    "A committed line of a run log was edited, removed, moved or put out of sight, or something was put before it; or a protected \
     branch is deleted together with a run log that is open.",
    "A run log has one writer and only grows: what it told is what happened, or nobody could trust it. Two branches that append to one \
     log cannot be merged; each run has a log of its own.",
    "Put the lines back as they were: git show HEAD:LOG shows them; new ones go behind. git mv takes a log to another name. A log whose \
     run ended may be deleted, or give way to a later run.",
);
const RUNLOG_ARTIFACTS: Explanation = of(
    "A phase or a run says that it ended, and what it must leave behind is not there.",
    "Resuming trusts the files more than the events; an end without its files is a claim that nobody can use.",
    "git add what the phase produced, or end the phase when it is there: `yatsu-hook runlog phase end N` looks first. \
     `yatsu-hook runlog check` judges the files on disk.",
);
const RUNLOG_PROGRESS: Explanation = of(
    "The page beside a run log is not what the log renders to.",
    "People read the page, not the log.",
    "`yatsu-hook runlog progress LOG` writes it anew; every verb that appends does.",
);
const GOAL_GATE: Explanation = of(
    "A push claims that a node's goal is reached, and the gates do not hold for what is pushed; or its branch asks for goals that are reached.",
    "Done is a claim like any other. It is worth something where it can be refused, whoever wrote the line.",
    "`yatsu-hook goal check NODE` says which criterion or which evidence is missing, and the command that brings it. A claim that was too early \
     is taken back: yatsu-hook goal rework NODE --reason TEXT. Where goals are asked after stands in yatsu.goals (docs/goals.md).",
);
const GOAL_UNMET: Explanation = of(
    "A node has a goal contract, and its goal is not reached yet.",
    "Work in progress looks like work that is done unless somebody says what would be enough.",
    "Nothing must be done. `yatsu-hook goal check NODE` says what follows: another approach, better evidence, or a decision.",
);
const PROMOTED_UNPROVEN: Explanation = of(
    "A push to the main branch, or a range, brings scenarios that differ from before and for which nothing speaks: no fresh pass, \
     no approval, no reached goal of a node that is touched.",
    "On a branch an unmeasured change is work in progress; in the main branch everybody builds on it.",
    "Measure what is named, or have it approved on its branch before it is merged: yatsu-hook patch approve BRANCH --reason TEXT. \
     As advice it is one line a push, without the scenarios whose drift or missing reading is printed, and only where proofs are \
     asked for: a ledger holds an approval or a rejection, or spexcode.json has `yatsu.patches` or names the rule. As an error \
     (`yatsu.rules`) each scenario is listed.",
);

const GOAL_REGRESSED: Explanation = of(
    "A goal was claimed complete, the claim stands, and the gates do not hold any more.",
    "What was reached is lost again in silence when the code moves on and nobody measures.",
    "Measure again what is stale or failing; `yatsu-hook goal check NODE` names it. Where the goal is open again, say so: \
     yatsu-hook goal rework NODE --reason TEXT.",
);
const GRAPH_PARTIAL: Explanation = of(
    "A place says nothing to the event graph: a line that cannot be read, or an event that is refused.",
    "The rest is shown all the same, so an answer may look whole that is not.",
    "Mend the line: `yatsu-hook validate -- FILE` says what is wrong with one of ours. In the log of another program the event stays \
     refused; append one that corrects it.",
);
const GRAPH_DANGLING: Explanation = of(
    "Relations of the event graph lead to something that is not there, such as a scenario that nobody declares any more.",
    "A reading of something that is gone explains nothing that is here; nobody sees it without being told.",
    "Nothing must be done. Where the scenario only moved, its ledger moves with it; a file that is named and gone is a ghost, \
     which `yatsu-hook scan` tells with the edit to make.",
);
