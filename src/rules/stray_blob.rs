//! `stray-blob`: evidence stays in the cache, never in the tree.

use super::wording::file;
use super::{Because, Between, BroughtBy, Change, Ends, Misshapen, RefUpdates, Stray};
use crate::finding::{Finding, RuleId};
use crate::text::escape::echo;
use crate::text::shell;

pub(super) fn check(change: &Change<'_>, found: &mut Vec<Finding>) {
    found.extend(change.strays.iter().map(finding));
}

pub(super) fn between(between: &Between, found: &mut Vec<Finding>) {
    found.extend(between.strays.iter().map(finding));
}

pub(super) fn refs(refs: &RefUpdates, found: &mut Vec<Finding>) {
    found.extend(refs.strays.iter().map(finding));
    found.extend(refs.misshapen.iter().map(misshapen));
}

/// The refs for shared evidence and claims may hold nothing else, because other content there is not judged.
fn misshapen(misshapen: &Misshapen) -> Finding {
    let name = echo(&misshapen.name.to_string()).into_owned();
    let message = format!("{name} is kept for evidence and claims alone: {}", misshapen.what);
    let mut finding = Finding::new(RuleId::StrayBlob, message);
    finding.help = format!("leave {name} out of the push; only this program puts anything there");
    finding.key = misshapen.name.to_string();
    finding
}

fn finding(stray: &Stray) -> Finding {
    let because = because(&stray.because);
    let path = shell::place(&stray.path);
    let (message, help) = match &stray.brings {
        BroughtBy::Change => (format!("evidence in the tree: {because}"), take_out(&stray.because, &path)),
        BroughtBy::Commit(commit) => (
            format!("evidence in the history: commit {commit} adds it; {because}"),
            format!(
                "take it out of that commit, deleting it later is not enough: git rebase -i {0}~1, edit {0}, git rm --cached -- {path}   ({MEANT})",
                first_word(commit)
            ),
        ),
        BroughtBy::Ref(name) => (
            format!("evidence behind a ref: {} leads to it; {because}", echo(&name.to_string())),
            format!("leave {name} out of the push   ({MEANT})"),
        ),
    };
    let mut finding = Finding::new(RuleId::StrayBlob, message);
    finding.location = file(&stray.path);
    finding.help = help;
    finding.key = stray.path.to_string();
    finding.names = hash(stray).into_iter().collect();
    finding
}

fn hash(stray: &Stray) -> Option<String> {
    match &stray.because {
        Because::InCache(hash, _) | Because::Named(hash, _) | Because::LfsPointer(hash) => Some(hash.to_string()),
        Because::NamedByContent(_) => Some(stray.path.name().to_string()),
        Because::InBlobsDirectory => None,
    }
}

const MEANT: &str = "a file that is meant to be both goes into yatsu.allowInTree, in a change before it";

fn first_word(text: &str) -> &str {
    text.split(' ').next().unwrap_or(text)
}

/// The repair for a blob that no commit has yet. Removing it may lose the bytes, unless the cache has them.
fn take_out(because: &Because, path: &str) -> String {
    let remove = format!("git rm --cached -- {path}");
    match because {
        Because::InCache(..) => {
            format!("take it out again: {remove}   (its bytes stay in the evidence cache; {MEANT})")
        }
        Because::Named(..) | Because::NamedByContent(_) => format!(
            "its bytes are not in the evidence cache: yatsu-hook evidence put {path}; then take it out: {remove}   ({MEANT})"
        ),
        Because::InBlobsDirectory | Because::LfsPointer(_) => format!("take it out again: {remove}   ({MEANT})"),
    }
}

fn because(because: &Because) -> String {
    match because {
        Because::InCache(hash, ends) => format!("the evidence cache holds these bytes{} as {hash}", with(*ends)),
        Because::Named(hash, ends) => format!("a reading names these bytes{} as {hash}", with(*ends)),
        Because::InBlobsDirectory => "it lies in a directory called yatsu-blobs".into(),
        Because::NamedByContent(ends) => format!("its name is the sha256 of its content{}", with(*ends)),
        Because::LfsPointer(hash) => format!("it is an LFS pointer to the evidence {hash}"),
    }
}

fn with(ends: Ends) -> &'static str {
    match ends {
        Ends::Own => "",
        Ends::CrLf => " with CRLF line ends",
        Ends::Lf => " with LF line ends",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::tests::case::{Case, hash, told_of};
    use crate::rules::{of_between, of_refs};
    use crate::tree::path::RepoPath;

    fn stray(because: Because, brings: BroughtBy) -> Stray {
        Stray { path: RepoPath::from_git("docs/it's.txt"), because, brings }
    }

    #[test]
    fn evidence_is_named_with_how_it_was_recognised_and_what_brings_it() {
        let known = stray(Because::InCache(hash("a"), Ends::CrLf), BroughtBy::Change);
        insta::assert_snapshot!(Case::new().told_with(RuleId::StrayBlob, |change| change.strays = vec![known]), @r#"
        docs/it's.txt: error[stray-blob]: evidence in the tree: the evidence cache holds these bytes with CRLF line ends as aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa
            help: take it out again: git rm --cached -- "docs/it's.txt"   (its bytes stay in the evidence cache; a file that is meant to be both goes into yatsu.allowInTree, in a change before it)
        "#);
        let by_commit = stray(Because::NamedByContent(Ends::Own), BroughtBy::Commit("1234567 add it".into()));
        let between = Between { strays: vec![by_commit] };
        insta::assert_snapshot!(told_of(RuleId::StrayBlob, of_between(&between)), @r#"
        docs/it's.txt: error[stray-blob]: evidence in the history: commit 1234567 add it adds it; its name is the sha256 of its content
            help: take it out of that commit, deleting it later is not enough: git rebase -i 1234567~1, edit 1234567, git rm --cached -- "docs/it's.txt"   (a file that is meant to be both goes into yatsu.allowInTree, in a change before it)
        "#);
        let by_ref = stray(Because::LfsPointer(hash("b")), BroughtBy::Ref("refs/tags/v1".into()));
        let refs = RefUpdates { strays: vec![by_ref], ..RefUpdates::default() };
        insta::assert_snapshot!(told_of(RuleId::StrayBlob, of_refs(&refs)), @"
        docs/it's.txt: error[stray-blob]: evidence behind a ref: refs/tags/v1 leads to it; it is an LFS pointer to the evidence bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb
            help: leave refs/tags/v1 out of the push   (a file that is meant to be both goes into yatsu.allowInTree, in a change before it)
        ");
    }

    #[test]
    fn what_does_not_belong_beside_the_code_is_named_with_its_ref() {
        let odd = Misshapen { name: "refs/yatsu/evidence/x".into(), what: "commit 1234567 has files".into() };
        let refs = RefUpdates { misshapen: vec![odd], ..RefUpdates::default() };
        insta::assert_snapshot!(told_of(RuleId::StrayBlob, of_refs(&refs)), @"
        error[stray-blob]: refs/yatsu/evidence/x is kept for evidence and claims alone: commit 1234567 has files
            help: leave refs/yatsu/evidence/x out of the push; only this program puts anything there
        ");
    }

    #[test]
    fn a_change_that_brings_none_is_fine() {
        assert_eq!(Case::new().committed().with("docs/notes.txt", "words").told(RuleId::StrayBlob), "");
    }
}
