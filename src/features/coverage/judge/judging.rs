//! Finds the scenarios with undeclared files in the judged state and its bases, where `under-declared` is printed.

use crate::app::judge::states::States;
use crate::app::judge::verdict::Reader;
use crate::app::judge::{Judging, Question, Ruling};
use crate::engine::touched::PatchSide;
use crate::error::{Error, Result};
use crate::features::coverage::judge::earlier::{Earlier, EarlierRules, left_behind, redacted_on_the_way};
use crate::features::coverage::judge::undeclared::{self, AllUndeclared, MarkingLine, MarkingLines};
use crate::finding::RuleId;
use crate::model::config::Config;
use crate::rules::{Change, LostLine};
use crate::tree::path::RepoPath;
use crate::tree::{Kind, Tree};
use bstr::ByteSlice;
use std::collections::HashMap;

/// The file in which git reads attributes of paths.
const ATTRIBUTES: &str = ".gitattributes";
/// The attributes that leave a file out of what ran.
const LINGUIST: [&[u8]; 2] = [b"linguist-generated", b"linguist-vendored"];
/// How deep macros are followed. Deeper ones count for anything.
const MOST_NESTED: usize = 32;

pub(crate) const JUDGING: Judging = Judging {
    // then marks in a .gitattributes matter
    names_files: |config| config.raises(RuleId::UnderDeclared),
    concerns_all: may_be_marked,
    states: look,
    change: marked,
    ..Judging::NONE
};

/// Adds them to the facts. A hook has no time to compare every reading, so it looks only where the configuration raises
/// the rule.
///
/// # Errors
/// When a tree cannot be read.
fn look(question: &Question<'_>, states: &mut States, _: &[LostLine]) -> Result<()> {
    let config = states.view.workspace.config.clone();
    let is_printed = states.gates.iter().chain([&config]).any(|gate| gate.raises(RuleId::UnderDeclared));
    if !is_printed && matches!(question.options.reader, Reader::Hook) {
        return Ok(());
    }
    let is_raised = is_raised_before(question, states);
    let mut of_bases = Vec::new();
    let mut before = Earlier::default();
    for (base, facts) in question.snapshot.bases.iter().zip(&states.bases) {
        let side = PatchSide { tree: &*base.tree, nodes: &facts.workspace.nodes };
        let rules = EarlierRules {
            side,
            config: &facts.workspace.config,
            judged: &states.view.workspace.nodes,
            added: &base.added,
        };
        // as info the rule gates nothing: as everywhere, a base is judged by the view's configuration
        of_bases.push(match is_raised {
            true => undeclared::undeclared(&*base.tree, rules.config, facts, &Earlier::alone(rules))?,
            false => undeclared::undeclared(&*base.tree, &config, facts, &Earlier::default())?,
        });
        // a base without nodes had no gate
        before.states.extend((is_raised && !facts.workspace.nodes.is_empty()).then_some(rules));
    }
    if !before.states.is_empty() {
        before.redacted = redacted_on_the_way(question, states)?;
        before.left = left_behind(&states.view.workspace.nodes, &before.states);
    }
    let of_view = undeclared::undeclared(&*question.snapshot.view, &config, &states.view, &before)?;
    states.view.parts.put(AllUndeclared(of_view));
    states.bases.iter_mut().zip(of_bases).for_each(|(facts, found)| facts.parts.put(AllUndeclared(found)));
    Ok(())
}

/// Whether the rule is raised before the change. A change that raises the rule may bring its exceptions along.
fn is_raised_before(question: &Question<'_>, states: &States) -> bool {
    let bases = states.bases.iter().map(|base| &base.workspace.config);
    bases.chain(&question.snapshot.config).any(|config| config.raises(RuleId::UnderDeclared))
}

/// Whether the change touches a file that may mark files as generated, where the rule is raised. Such a file belongs to no node.
fn may_be_marked(question: &Question<'_>, config: &Config) -> Result<bool> {
    let mut changed = question.snapshot.bases.iter().flat_map(|base| &base.changed);
    Ok(config.raises(RuleId::UnderDeclared) && changed.any(|path| path.name() == ATTRIBUTES))
}

/// Adds the lines of each `.gitattributes` by which the change marks files as generated or vendored, where the rule is raised. Such
/// files are left out when a reading is filed, so that no reading of this change names them.
///
/// # Errors
/// When a file cannot be read.
fn marked(question: &Question<'_>, states: &States, change: &mut Change<'_>) -> Result<Option<Ruling>> {
    let Some(base) = question.snapshot.bases.first().filter(|_| is_raised_before(question, states)) else {
        return Ok(None);
    };
    let read = |tree: &dyn Tree, path: &RepoPath| -> Result<Vec<u8>> {
        let is_file = matches!(tree.kind(path)?, Some(Kind::File | Kind::Exec));
        Ok(if is_file { tree.read(path)?.unwrap_or_default() } else { Vec::new() })
    };
    let both = |path: &RepoPath| Ok::<_, Error>([read(&*base.tree, path)?, read(&*question.snapshot.view, path)?]);
    let mut found = Vec::new();
    let mut macros = None;
    for path in base.changed.iter().filter(|path| path.name() == ATTRIBUTES) {
        // git reads macros in the root alone
        let known = match &macros {
            Some(known) => known,
            None => macros.insert(Markers::of(&both(&RepoPath::root().child(ATTRIBUTES.as_bytes()))?)),
        };
        let [then, now] = both(path)?;
        found.extend(known.marks(&then, &now).into_iter().map(|(line, is_added)| MarkingLine {
            file: path.clone(),
            line: String::from_utf8_lossy(line).into_owned(),
            is_added,
        }));
    }
    change.parts.put(MarkingLines(found));
    Ok(None)
}

/// What an attribute does where it is set.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
struct Effect {
    /// It may mark files as generated or vendored.
    marks: bool,
    /// It may keep files from being marked.
    keeps: bool,
}

/// The attributes that mark files: those of GitHub's linguist, and the macros that set or unset one.
struct Markers(HashMap<Vec<u8>, Effect>);

impl Markers {
    /// The macros of these contents of the root's file.
    fn of(contents: &[Vec<u8>]) -> Self {
        let linguist = LINGUIST.map(|name| (name.to_vec(), Effect { marks: true, keeps: false }));
        let mut found = Self(linguist.into());
        let lines = contents.iter().flat_map(|content| content.lines());
        let macros: Vec<_> =
            lines.filter_map(|line| Some((line.fields().next()?.strip_prefix(b"[attr]")?, line))).collect();
        // a macro may set another one
        for _ in 0..MOST_NESTED {
            let before = found.0.clone();
            for (name, line) in &macros {
                let Effect { marks, keeps } = found.effect(line);
                let known = found.0.entry(name.to_vec()).or_default();
                *known = Effect { marks: known.marks || marks, keeps: known.keeps || keeps };
            }
            if before == found.0 {
                return found;
            }
        }
        found.0.extend(macros.iter().map(|(name, _)| (name.to_vec(), Effect { marks: true, keeps: true })));
        found
    }

    /// What a line does, for example `*.pb.go linguist-generated=true`.
    fn effect(&self, line: &[u8]) -> Effect {
        let mut found = Effect::default();
        if line.trim_start().starts_with(b"#") {
            return found;
        }
        for word in line.fields().skip(1) {
            let (name, value) = word.split_once_str("=").unwrap_or((word, b""));
            let plain = name.trim_start_with(|mark| matches!(mark, '-' | '!'));
            let Some(Effect { marks, keeps }) = self.0.get(plain) else { continue };
            let is_off = plain.len() < name.len() || value == b"false";
            found.marks |= if is_off { *keeps } else { *marks };
            found.keeps |= if is_off { *marks } else { *keeps };
        }
        found
    }

    /// The lines of `now` that mark files and the lines of `then` that kept files from it, without the ones before and after the
    /// changed part: a later line wins, so that the order counts. Each with whether it is new.
    fn marks<'l>(&self, then: &'l [u8], now: &'l [u8]) -> Vec<(&'l [u8], bool)> {
        let lines = |content: &'l [u8]| -> Vec<&'l [u8]> {
            content.lines().map(|line| line.trim()).filter(|line| self.effect(line) != Effect::default()).collect()
        };
        let (then, now) = (lines(then), lines(now));
        let before = then.iter().zip(&now).take_while(|(was, is)| was == is).count();
        let (then, now) = (&then[before..], &now[before..]);
        let after = then.iter().rev().zip(now.iter().rev()).take_while(|(was, is)| was == is).count();
        let lost = then[..then.len() - after].iter().filter(|line| self.effect(line).keeps).map(|line| (*line, false));
        now[..now.len() - after]
            .iter()
            .filter(|line| self.effect(line).marks)
            .map(|line| (*line, true))
            .chain(lost)
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::{Effect, Markers};

    #[test]
    fn a_line_that_marks_files_is_told_from_one_that_keeps_them_from_it() {
        let root = b"[attr]outer made\n[attr]made linguist-generated\n[attr]plain text\n[attr]off -made\n".to_vec();
        let markers = Markers::of(&[root]);
        for (line, expected) in [
            ("*.pb.go linguist-generated", (true, false)),
            ("*.pb.go text linguist-vendored=true", (true, false)),
            ("[attr]made linguist-generated", (true, false)),
            ("*.pb.go -linguist-generated", (false, true)),
            ("*.pb.go !linguist-generated", (false, true)),
            ("*.pb.go linguist-generated=false", (false, true)),
            ("*.pb.go made", (true, false)),
            ("*.pb.go outer", (true, false)),
            ("*.pb.go -outer", (false, true)),
            ("*.pb.go off", (false, true)),
            ("*.pb.go plain", (false, false)),
            ("# *.pb.go linguist-generated", (false, false)),
            ("linguist-generated text", (false, false)),
            ("", (false, false)),
        ] {
            let Effect { marks, keeps } = markers.effect(line.as_bytes());
            assert_eq!((marks, keeps), expected, "{line}");
        }
    }
}
