//! Finds the scenarios with undeclared files in the judged state and its bases, where `under-declared` is printed.

use super::Question;
use super::states::States;
use super::verdict::Reader;
use crate::engine::patch::touched::PatchSide;
use crate::engine::undeclared::{self, EarlierRules};
use crate::error::Result;
use crate::finding::RuleId;
use crate::model::config::Config;
use crate::tree::path::RepoPath;
use crate::tree::{Kind, Tree};
use bstr::ByteSlice;
use std::collections::HashSet;

/// The file in which git reads attributes of paths.
const ATTRIBUTES: &str = ".gitattributes";

/// Adds them to the facts. A hook has no time to compare every reading, so it looks only where the configuration raises
/// the rule.
///
/// # Errors
/// When a tree cannot be read.
pub(super) fn look(question: &Question<'_>, states: &mut States) -> Result<()> {
    let config = states.view.workspace.config.clone();
    let is_printed = states.gates.iter().chain([&config]).any(|gate| gate.raises(RuleId::UnderDeclared));
    if !is_printed && matches!(question.options.reader, Reader::Hook) {
        return Ok(());
    }
    let is_raised = is_raised_before(question, states);
    let mut of_bases = Vec::new();
    let mut before = Vec::new();
    for (base, facts) in question.snapshot.bases.iter().zip(&states.bases) {
        let side = PatchSide { tree: &*base.tree, nodes: &facts.workspace.nodes };
        let rules = EarlierRules { side, config: &facts.workspace.config, judged: &states.view.workspace.nodes };
        // as info the rule gates nothing: as everywhere, a base is judged by the view's configuration
        of_bases.push(match is_raised {
            true => undeclared::undeclared(&*base.tree, rules.config, facts, &[rules])?,
            false => undeclared::undeclared(&*base.tree, &config, facts, &[])?,
        });
        // a base without nodes had no gate
        before.extend((is_raised && !facts.workspace.nodes.is_empty()).then_some(rules));
    }
    let of_view = undeclared::undeclared(&*question.snapshot.view, &config, &states.view, &before)?;
    states.view.undeclared = of_view;
    states.bases.iter_mut().zip(of_bases).for_each(|(facts, found)| facts.undeclared = found);
    Ok(())
}

/// Whether the rule is raised before the change. A change that raises the rule may bring its exceptions along.
fn is_raised_before(question: &Question<'_>, states: &States) -> bool {
    let bases = states.bases.iter().map(|base| &base.workspace.config);
    bases.chain(&question.snapshot.config).any(|config| config.raises(RuleId::UnderDeclared))
}

/// Whether the change touches a file that may mark files as generated, where the rule is raised. Such a file belongs to no node.
pub(super) fn may_be_marked(question: &Question<'_>, config: &Config) -> bool {
    let mut changed = question.snapshot.bases.iter().flat_map(|base| &base.changed);
    config.raises(RuleId::UnderDeclared) && changed.any(|path| path.name() == ATTRIBUTES)
}

/// The lines that mark files as generated or vendored and that the change adds to a `.gitattributes`, where the rule is raised.
/// Such files are left out when a reading is filed, so that no reading of this change names them.
///
/// # Errors
/// When a file cannot be read.
pub(super) fn marked(question: &Question<'_>, states: &States) -> Result<Vec<(RepoPath, String)>> {
    let Some(base) = question.snapshot.bases.first().filter(|_| is_raised_before(question, states)) else {
        return Ok(Vec::new());
    };
    let mut found = Vec::new();
    for path in base.changed.iter().filter(|path| path.name() == ATTRIBUTES) {
        let read = |tree: &dyn Tree| -> Result<Vec<u8>> {
            let is_file = matches!(tree.kind(path)?, Some(Kind::File | Kind::Exec));
            Ok(if is_file { tree.read(path)?.unwrap_or_default() } else { Vec::new() })
        };
        let (then, now) = (read(&*base.tree)?, read(&*question.snapshot.view)?);
        let then: HashSet<&[u8]> = then.lines().collect();
        let new = now.lines().filter(|line| is_mark(line) && !then.contains(line));
        found.extend(new.map(|line| (path.clone(), String::from_utf8_lossy(line.trim()).into_owned())));
    }
    Ok(found)
}

/// Whether a line of a `.gitattributes` marks files, for example `*.pb.go linguist-generated=true`.
fn is_mark(line: &[u8]) -> bool {
    let mut words = line.fields().skip(1).map(|word| word.split_str("=").collect::<Vec<_>>());
    let is_on = |word: &[&[u8]]| {
        word.first().is_some_and(|name| [&b"linguist-generated"[..], b"linguist-vendored"].contains(name))
            && word.get(1).is_none_or(|value| *value != b"false")
    };
    !line.trim_start().starts_with(b"#") && words.any(|word| is_on(&word))
}

#[cfg(test)]
mod tests {
    use super::is_mark;

    #[test]
    fn a_line_that_marks_files_is_told_from_one_that_does_not() {
        for (line, expected) in [
            ("*.pb.go linguist-generated", true),
            ("*.pb.go text linguist-vendored=true", true),
            ("[attr]made linguist-generated", true),
            ("*.pb.go -linguist-generated", false),
            ("*.pb.go !linguist-generated", false),
            ("*.pb.go linguist-generated=false", false),
            ("# *.pb.go linguist-generated", false),
            ("linguist-generated text", false),
            ("", false),
        ] {
            assert_eq!(is_mark(line.as_bytes()), expected, "{line}");
        }
    }
}
