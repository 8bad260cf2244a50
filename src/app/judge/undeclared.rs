//! Finds the scenarios with undeclared files in the judged state and its bases, where `under-declared` is printed.

use super::Question;
use super::states::States;
use super::verdict::Reader;
use crate::engine::undeclared;
use crate::error::Result;
use crate::finding::RuleId;

/// Adds them to the facts. A hook has no time to compare every reading, so it looks only where the configuration raises
/// the rule.
///
/// # Errors
/// When a tree cannot be read.
pub(super) fn look(question: &Question<'_>, states: &mut States) -> Result<()> {
    let config = &states.view.workspace.config;
    let mut gates = states.gates.iter().chain([config]);
    let is_printed = match question.options.reader {
        Reader::Hook => gates.any(|gate| gate.raises(RuleId::UnderDeclared)),
        Reader::Person | Reader::Range(_) => true,
    };
    if !is_printed {
        return Ok(());
    }
    // as everywhere, a base is judged by the view's configuration
    let config = config.clone();
    states.view.undeclared = undeclared::undeclared(&*question.snapshot.view, &config, &states.view)?;
    for (base, facts) in question.snapshot.bases.iter().zip(&mut states.bases) {
        facts.undeclared = undeclared::undeclared(&*base.tree, &config, facts)?;
    }
    Ok(())
}
