//! Refuses a scenario that still has the placeholder texts of a new file. A reading of it would prove nothing, and
//! filling in the text afterwards would make the reading stale.

use crate::app::site::Site;
use crate::error::{Error, Refusal, Result};
use crate::model::node::Node;
use crate::model::scenario::{Scenario, placeholder};
use crate::tree::path::RepoPath;

/// Refuses a scenario with a placeholder as `description` or `expected`.
///
/// # Errors
/// Refused, with the line; unchecked if its file cannot be read again.
pub(super) fn refuse_placeholder(site: &dyn Site, node: &Node, scenario: &Scenario) -> Result<()> {
    let texts = [
        ("description", placeholder::DESCRIPTION, &scenario.description, "what to do"),
        ("expected", placeholder::EXPECTED, &scenario.expected, "what a perfect result looks like"),
    ];
    let Some(file) = &node.file else { return Ok(()) };
    let mut unsaid = texts.into_iter().filter(|(_, empty, text, _)| text == empty);
    let Some((key, empty, _, what)) = unsaid.next() else { return Ok(()) };
    let place = |empty| Ok::<_, Error>(format!("{}:{}", file.path, line(site, &file.path, scenario, empty)?));
    let error = Error::refused(format!(
        "{}: `{key}` of {} still says what a new file begins with: a reading would testify to nothing",
        place(empty)?,
        scenario.name
    ))
    .because(Refusal::Invalid)
    .hint(format!("say there {what}, then file again"));
    match unsaid.next() {
        None => Err(error),
        Some((key, empty, _, what)) => Err(error.hint(format!("and in {}, `{key}`, {what}", place(empty)?))),
    }
}

/// The line of the entry that holds `text`; if the text is folded, the first line of the entry.
fn line(site: &dyn Site, path: &RepoPath, scenario: &Scenario, text: &str) -> Result<usize> {
    let bytes = site.worktree()?.read(path)?.unwrap_or_default();
    let first = scenario.at.line as usize;
    let all = String::from_utf8_lossy(&bytes);
    let found = all.lines().skip(first.saturating_sub(1)).position(|line| line.contains(text));
    Ok(found.map_or(first, |after| first + after))
}
