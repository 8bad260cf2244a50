//! The texts of `explain` for the rules of the core: for each its meaning, its reason and the repair.

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

impl Explanation {
    pub(crate) const fn of(summary: &'static str, why: &'static str, mend: &'static str) -> Self {
        Self { summary, why, mend }
    }
}

/// A configuration may name the rule of a feature that was left out of this program.
pub(super) const OF_NO_RULE: Explanation = Explanation::of(
    "A rule that this program does not have.",
    "A feature was left out of it.",
    "Nothing must be done.",
);

pub(super) const YATSU_SCHEMA: Explanation = Explanation::of(
    "A scenario file is malformed, or names a path that is not there, is not tracked, or leaves the repository, or a unit that \
     its file does not declare.",
    "A scenario that cannot be read is not measured, and a governed path that does not exist never changes: both look like success.",
    "Edit the entry at the line and column named. The keys are name, description, expected, tags, and optionally test, code, related, runs, env. \
     A path that may be absent is written with a leading `?`. When a governed file was deleted or renamed, edit `code:` in the same commit; \
     so too when the unit of a selector `path#symbol` was. `yatsu-hook units PATH` lists the units of a file.",
);
pub(super) const STRAY_BLOB: Explanation = Explanation::of(
    "A staged or pushed file is evidence: the cache or a reading knows its sha256. Or a ref under refs/yatsu/ holds something other \
     than evidence and claims.",
    "Evidence is named by its content and kept in a cache beside the repository. In the tree it bloats every clone for ever.",
    "git rm --cached -- FILE. If the cache does not have the bytes, run `yatsu-hook evidence put FILE` first. A file of less than 32 \
     bytes is never taken for evidence, because two such files are often equal by chance. A text is recognised with LF and with CRLF \
     line ends, because git converts them; the output of another filter or encoding is not recognised. If a file must be both \
     evidence and tracked, for example a picture in the README, add it to yatsu.allowInTree in an earlier change: no change allows \
     its own files. Refs under refs/yatsu/ may hold pieces of evidence under their names, up to the size limit in the git configuration \
     of the server (yatsu.share.maxPiece, 10m), and commits without files. Commits that only such refs reach count as new on every branch.",
);
pub(super) const LEDGER_SCHEMA: Explanation = Explanation::of(
    "A ledger line is not one whole, well-formed event, or an added reading has no verdict, no commit or a false stamp. Or a line is \
     dated more than ten minutes ahead of the clock.",
    "If readers understand a line differently, or not at all, a measurement is lost in silence. A pass that is dated ahead would count \
     above every later fail until then.",
    "Readings are filed by the verb `eval`, never by hand. A torn or glued line: `yatsu-hook repair --dry-run` shows the repair. \
     Conflict markers: resolve by keeping the lines of both sides.",
);
pub(super) const LEDGER_HISTORY: Explanation = Explanation::of(
    "A committed ledger line is gone, edited or out of sight, or did not move with its scenario.",
    "The score is worth as much as its history: a filed line stays filed.",
    "`yatsu-hook repair --restore HEAD` puts lost lines back; then git add the ledger. To withdraw a reading, file a retraction: `yatsu-hook retract NODE/SCENARIO`. \
     Lines move with their scenario (git mv), and leave with a node that is deleted with its ledger. A ledger that yatsu.roots or \
     yatsu.exclude hides is brought back into sight.",
);
pub(super) const NODE_ID: Explanation = Explanation::of(
    "Two nodes end up with the same id.",
    "A reading filed under an ambiguous name could land on the wrong node.",
    "Rename one of the directories. Until then name the node by its directory.",
);
pub(super) const YATSU_DRIFT: Explanation = Explanation::of(
    "The reading that counts is stale: the measured content differs from the content that is here now.",
    "A pass is valid for the content that was measured. A reading is stale on one of four axes: code (a governed path has other content, \
     or a measured one that left the list since), scenario (description or expected was reworded), evaluator (its version or the test \
     changed), anchor (the commit is gone, and no stamp records the content).",
    "Measure again, then file: yatsu-hook eval NODE/SCENARIO --pass (or --fail; with a test: --from-junit FILE). If the edit was taken back, the reading is fresh again by itself.",
);
pub(super) const YATSU_MISSING: Explanation = Explanation::of(
    "A scenario is declared and has no reading, every reading was withdrawn, or there are too few runs of this content.",
    "An unmeasured scenario is not a pass: its result is unknown.",
    "Measure it, then file: yatsu-hook eval NODE/SCENARIO --pass (or --fail; with a test: --from-junit FILE).",
);
pub(super) const YATSU_UNCOVERED: Explanation = Explanation::of(
    "A node governs a source file and has no scenario file.",
    "No scenario says how to measure this code, so a fault in it cannot be found here.",
    "Write a yatsu.md (eval.md where the repository uses the newer names) beside the spec.md with at least one scenario; lint.sourceExtensions says what counts as source.",
);
pub(super) const YATSU_UNOWNED: Explanation = Explanation::of(
    "The change adds a source file below lint.governedRoots that no scenario governs.",
    "A gate that governs nothing passes for ever: an edit of this file makes no reading stale.",
    "Name the file in the `code:` of a scenario, or in lint.sourceExcludeGlobs if it needs none. `ls --unowned` lists all such files.",
);
pub(super) const YATSU_OWNERS: Explanation = Explanation::of(
    "A file is governed by more scenarios than lint.maxOwners.",
    "Every edit of the file makes all of these scenarios stale. Either the file does too much, or the scenarios govern too much.",
    "Split the file, or narrow the scenarios' `code:`.",
);
pub(super) const YATSU_FAILING: Explanation = Explanation::of(
    "The reading that counts is a fail, and it is fresh: the code that failed is the code that is here.",
    "A known failure is still there.",
    "Mend the code, measure again, file the result.",
);
pub(super) const YATSU_UNGOVERNED: Explanation = Explanation::of(
    "A scenario governs no file that exists.",
    "No change of code can make its reading stale, so a pass would stay valid after the code has changed.",
    "List the measured files under `code:`, in the scenario or in the node's spec.md.",
);
pub(super) const GATE_LOWERED: Explanation = Explanation::of(
    "This change weakens the configuration of the gate, or asks a measured scenario for less.",
    "A lower level or a wider exclusion lets changes pass that were stopped before. Readers of the change should see this.",
    "Say in the commit message why, or take the change back.",
);
pub(super) const YATSU_ORPHAN: Explanation = Explanation::of(
    "A ledger holds readings of a scenario that is no longer declared.",
    "After a rename the new name has no readings; the old ones are still there.",
    "Nothing, if the scenario was dropped on purpose. After a rename, measure the scenario under its new name.",
);
pub(super) const EVIDENCE_KIND: Explanation = Explanation::of(
    "A pass lacks the kind of evidence that yatsu.evidenceFor asks for its tag.",
    "The project decided which evidence such a pass must show.",
    "File the reading again with that evidence: --image, --video or --result.",
);
pub(super) const SCENARIO_DROPPED: Explanation = Explanation::of(
    "This change removes or renames a measured scenario, or it rewords or narrows a failing one.",
    "The easiest way to a clean score is to move the goal. A pass that is gone guards its code no more: it is information, and a \
     warning if the same change edits a file that the scenario governs.",
    "Mend the code that the scenario measures, or say in the commit message why the scenario changes.",
);
pub(super) const FAIL_WITHDRAWN: Explanation = Explanation::of(
    "This change retracts or redacts a fail that counted, and no later reading of the same content is there.",
    "Without this fail an older pass would count again.",
    "Measure that content again and file the result. Once a later reading of that content is there, the retraction does no harm.",
);
pub(super) const EVIDENCE_REUSED: Explanation = Explanation::of(
    "A reading filed by hand shows a picture or a video that another scenario's reading at another commit, or an earlier reading of changed code, already shows.",
    "Two measurements seldom give the same picture; one session that shows several scenarios at one commit does. Text is never compared: a green test run prints the same report after every edit.",
    "Measure again and file the picture or video of that measurement.",
);
pub(super) const EVIDENCE_MISSING: Explanation = Explanation::of(
    "An added reading names bytes that this evidence cache does not hold.",
    "The evidence was recorded on another machine; here it shows as `miss original file`. A push or a range of commits is not checked for \
     this if the cache is empty, for example on a server or a CI machine.",
    "yatsu-hook evidence put FILE, with the bytes from the machine that measured.",
);
pub(super) const LEDGER_REDACTED: Explanation = Explanation::of(
    "A ledger line was replaced by its redaction: a secret or a name in it had to go.",
    "The line no longer counts, and the redaction names it by its hash alone. Readers of the score should know that a line was taken out.",
    "Nothing must be done. Older commits still hold the line; only rewriting the history takes it out of them. `yatsu.redact: refuse` forbids redactions.",
);
pub(super) const SPEC_IGNORED: Explanation = Explanation::of(
    "An ignore rule of git hides a root or a file of yatsu-hook; the finding names the file and line of the rule.",
    "No commit contains an ignored file, and every check passes over it: hidden scenarios look like no scenarios. For example `*.spec`, \
     which the usual .gitignore of Python has for PyInstaller, hides the directory .spec.",
    "Narrow the rule, or add a rule below it that takes the files back, for example `!/.spec/`; then git add them. A hook checks this only \
     while git tracks no file of yatsu-hook; scan, check and doctor always check it.",
);
pub(super) const LEDGER_DUPLICATE: Explanation = Explanation::of(
    "The same ledger line stands twice.",
    "A merge kept both copies. The reading counts once.",
    "Nothing must be done; `yatsu-hook repair` removes copies that are not committed yet.",
);
pub(super) const SELECTOR_UNREAD: Explanation = Explanation::of(
    "A selector `path#symbol` names a file with units that cannot be read: its language is not supported, the grammar cannot read the \
     file (newer syntax, or a syntax error), or the file is too large or binary.",
    "The whole file is then compared, so every edit of it makes the reading stale: the selector narrows nothing.",
    "Drop the `#` and the symbol, or mend the syntax error if there is one. `yatsu-hook units PATH` lists the units that are read.",
);

pub(super) const KEY_CONFLICT: Explanation = Explanation::of(
    "Two readings of a scenario carry one idempotency key, at one attempt, and say different things.",
    "A key makes filing a reading twice the same as filing it once. Two clones that used one key for different readings cannot both be \
     right, and the ledger does not show which reading was meant.",
    "Retract all of them but one: yatsu-hook retract NODE/SCENARIO --ts TIME. The key stays used up: measure again under another key. Readings \
     with the same content count once and need no change.",
);
pub(super) const BUDGET_EXCEEDED: Explanation = Explanation::of(
    "A reading, or its run with it, cost more than yatsu.budgets allows.",
    "Measuring must not spend without limit. The reading stays as it was filed, and its scenario counts as failed from then on. Filing again \
     or withdrawing the reading does not help: the cost was spent.",
    "Raise the limit in spexcode.json, or let the breach pass with `yatsu-hook claim waive-budget NODE/SCENARIO --reason WHY`; gate-lowered \
     reports either change. `yatsu-hook usage` shows what was spent. Rule, limits and waivers: docs/claims.md.",
);
pub(super) const REPLACE_REF: Explanation = Explanation::of(
    "A push brings a ref under refs/replace/.",
    "Everyone who fetches such a ref sees another object in place of the pushed one, for example a forged ledger under the name of the true \
     one. Replace refs are ignored when a change is judged; other readers should not depend on them either.",
    "Leave the ref out of the push. If the replacement is meant for every clone, lower the rule in yatsu.rules.",
);
