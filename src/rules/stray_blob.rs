//! `stray-blob`: evidence stays in the cache, never in the tree.

use super::wording::file;
use super::{Because, Change, Stray};
use crate::finding::{Finding, RuleId};

pub(super) fn check(change: &Change<'_>, found: &mut Vec<Finding>) {
    found.extend(change.strays.iter().map(finding));
}

fn finding(stray: &Stray) -> Finding {
    let mut finding = Finding::new(RuleId::StrayBlob, format!("evidence in the tree: {}", because(&stray.because)));
    finding.location = file(&stray.path);
    finding.help = format!(
        "take it out again: git rm --cached -- {}   (its bytes stay in the evidence cache; a file that is meant to be both goes into yatsu.allowInTree)",
        super::wording::shell_word(&stray.path.to_string())
    );
    finding.key = stray.path.to_string();
    finding
}

fn because(because: &Because) -> String {
    match because {
        Because::InCache(hash) => format!("the evidence cache holds these bytes as {hash}"),
        Because::Named(hash) => format!("a reading names these bytes as {hash}"),
        Because::InBlobsDirectory => "it lies in a directory called yatsu-blobs".into(),
        Because::NamedByContent => "its name is the sha256 of its content".into(),
        Because::LfsPointer(hash) => format!("it is an LFS pointer to the evidence {hash}"),
    }
}
