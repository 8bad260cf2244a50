//! `approval-missing`: a range or a push to the main branch brings content that was not approved.

use crate::features::patches::judge::engine::approval::{Approval, ApprovalStatus, Misfit, UnapprovedFile};
use crate::finding::{Finding, RuleId};
use crate::rules::{Change, Check, Door, Explanation, Rule, plain_rule};
use crate::text::escape::echo;
use crate::text::plural;
use bstr::ByteSlice;

/// How many files a message names.
const NAMED: usize = 3;

pub(crate) const RULE: Rule = plain_rule(
    RuleId::ApprovalMissing,
    &Explanation::of(
        "A checked range, or a push to the main branch, brings content that was not approved: where yatsu.trust has `approvals`, or with \
         `check --require-approval`.",
        "An approval is about content. It outlives a rebase, a squash or a cherry-pick, and ends where a file differs from what was approved.",
        "Have the branch approved by a person who wrote none of it, `yatsu-hook patch approve BRANCH --reason WHY --by WHO`, and commit the \
         decision. `check --from A --to B --format json` lists every file with its reason. Change a rejected branch, or have the giver take \
         the rejection back with `patch approve`: the last word counts. A change that main took back needs a new approval.",
    ),
    &[Door::Commits],
    &[Check::Change(check)],
);

fn check(change: &Change<'_>, found: &mut Vec<Finding>) {
    let missing = change.parts.get::<Approval>().filter(|approval| approval.status != ApprovalStatus::Covered);
    found.extend(missing.map(finding));
}

fn finding(approval: &Approval) -> Finding {
    let by = names(&approval.by);
    let message = match approval.status {
        ApprovalStatus::Rejected => format!("{by} rejected this change"),
        ApprovalStatus::Short if approval.by.is_empty() => {
            let who = "of people who did not write it, signed where yatsu.trust.approvals asks for a grade or a role";
            format!("no approval of this change counts: {} needed, {who}", approval.need)
        }
        ApprovalStatus::Short => format!("{} of {} needed approvals: by {by}", approval.by.len(), approval.need),
        ApprovalStatus::Lost => format!("what {by} approved is not what is here: {}", files(&approval.files)),
        ApprovalStatus::Never | ApprovalStatus::Covered => {
            format!("nothing that this changes was approved: {}", files(&approval.files))
        }
    };
    let mut finding = Finding::new(RuleId::ApprovalMissing, message);
    finding.help = match approval.status {
        ApprovalStatus::Rejected => {
            format!("change what was rejected, or have {by} take it back: yatsu-hook patch approve BRANCH --reason WHY --by WHO")
        }
        _ => "have it approved on its branch, and commit the decision: yatsu-hook patch approve BRANCH --reason WHY --by WHO"
            .into(),
    };
    finding.about = approval.files.iter().map(|file| file.path.to_bstring()).collect();
    finding
}

fn names(by: &[String]) -> String {
    by.iter().map(|name| echo(name).into_owned()).collect::<Vec<_>>().join(", ")
}

/// The first few files with their reasons, for example `greet.sh (changed) and 2 more files`.
fn files(all: &[UnapprovedFile]) -> String {
    let named = |file: &UnapprovedFile| {
        let path = file.path.as_bstr().to_str_lossy();
        let path = echo(&path);
        match file.why {
            Misfit::Spent => format!("{path} (main took it back since)"),
            why => format!("{path} ({})", why.as_str()),
        }
    };
    let first = all.iter().take(NAMED).map(named).collect::<Vec<_>>().join(", ");
    match all.len().saturating_sub(NAMED) {
        0 => first,
        more => format!("{first} and {}", plural(more, "more file")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::tests::case::{Case, SOURCE};
    use crate::tree::path::RepoPath;

    fn told(status: ApprovalStatus, by: &[&str], files: &[(&str, Misfit)]) -> String {
        let file = |(path, why): &(&str, Misfit)| UnapprovedFile { path: RepoPath::from_git(*path), why: *why };
        let by = by.iter().map(|name| (*name).to_owned()).collect();
        let approval = Approval { status, need: 2, by, files: files.iter().map(file).collect() };
        Case::new().committed().with(SOURCE, "fn a() { changed() }\n").told_with(RuleId::ApprovalMissing, |change| {
            change.door = Door::Commits;
            change.parts.put(approval);
        })
    }

    #[test]
    fn each_answer_but_covered_is_a_finding_with_its_reason() {
        use Misfit::{BaseChanged, Changed, Gone, NotApproved, Spent};
        let many = [("a", Changed), ("b`\u{1b}", BaseChanged), ("c", NotApproved), ("d", Gone), ("e", Spent)];
        let all = [
            told(ApprovalStatus::Covered, &["Bob"], &[]),
            told(ApprovalStatus::Rejected, &["Bob", "Cid"], &[]),
            told(ApprovalStatus::Short, &["Bob"], &[]),
            told(ApprovalStatus::Short, &[], &[]),
            told(ApprovalStatus::Lost, &["Bob"], &many),
            told(ApprovalStatus::Lost, &["Bob"], &many[4..]),
            told(ApprovalStatus::Never, &[], &many[2..3]),
        ];
        insta::assert_snapshot!(all.join(""), @r"
        warning[approval-missing]: Bob, Cid rejected this change
            help: change what was rejected, or have Bob, Cid take it back: yatsu-hook patch approve BRANCH --reason WHY --by WHO
        warning[approval-missing]: 1 of 2 needed approvals: by Bob
            help: have it approved on its branch, and commit the decision: yatsu-hook patch approve BRANCH --reason WHY --by WHO
        warning[approval-missing]: no approval of this change counts: 2 needed, of people who did not write it, signed where yatsu.trust.approvals asks for a grade or a role
            help: have it approved on its branch, and commit the decision: yatsu-hook patch approve BRANCH --reason WHY --by WHO
        warning[approval-missing]: what Bob approved is not what is here: a (changed), b`\u{1b} (base changed), c (not approved) and 2 more files
            help: have it approved on its branch, and commit the decision: yatsu-hook patch approve BRANCH --reason WHY --by WHO
        warning[approval-missing]: what Bob approved is not what is here: e (main took it back since)
            help: have it approved on its branch, and commit the decision: yatsu-hook patch approve BRANCH --reason WHY --by WHO
        warning[approval-missing]: nothing that this changes was approved: c (not approved)
            help: have it approved on its branch, and commit the decision: yatsu-hook patch approve BRANCH --reason WHY --by WHO
        ");
    }
}
