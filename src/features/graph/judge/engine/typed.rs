//! Ids as people type them. The part before the first `#` is any reference to a node. A text and the nodes in, the id of
//! the derived graph out.

use crate::error::Result;
use crate::features::graph::model::node;
use crate::model::ids::nfc;
use crate::model::ledger::Timestamp;
use crate::model::node::Node;
use crate::model::reference::{resolve_reference, resolve_scenario};
use crate::tree::path::RepoPath;
use foldhash::HashMap;
use std::borrow::Cow;

const TIME: usize = "2026-01-01T00:00:00.000Z".len();

/// The id that `text` means; `text` itself if it means no other.
pub fn canonical(nodes: &[Node], text: &str) -> String {
    let Some((kind, rest)) = text.split_once(':') else { return text.to_owned() };
    let found = match kind {
        "goal" => directory(nodes, rest),
        "decision" => rest.rsplit_once('@').and_then(|(of, at)| Some(format!("{}@{at}", directory(nodes, of)?))),
        "scenario" => subject(nodes, rest),
        "reading" | "failure" => moment_of(nodes, rest).map(|(of, moment)| of + &moment.unwrap_or_default()),
        _ => None,
    };
    found.map_or_else(|| text.to_owned(), |found| format!("{kind}:{found}"))
}

/// The id of the scenario that NODE/SCENARIO names; `None` if it names none.
///
/// # Errors
/// Usage, with the candidates, if it names several.
pub fn scenario(nodes: &[Node], text: &str) -> Result<Option<String>> {
    let found = resolve_scenario(nodes, text, |node, name| Ok(node.scenario(name).is_some()))?;
    Ok(found.map(|(at, name)| format!("scenario:{}#{}", node::directory(&nodes[at].dir), nfc(&name))))
}

/// Shortens ids with the names that nodes have for people.
pub struct Shortener {
    /// The name of a node, by its directory as ids spell it.
    names: HashMap<String, String>,
}

impl Shortener {
    /// A shortener for ids of these nodes. A name that is ambiguous or unusable is left out.
    pub fn of(nodes: &[Node]) -> Self {
        let name = |node: &Node| {
            let (dir, name) = (node::directory(&node.dir), node.argument());
            (directory(nodes, &name)? == dir).then_some((dir, name))
        };
        Self { names: nodes.iter().filter_map(name).collect() }
    }

    /// A shorter spelling of `id`; `id` itself if there is none.
    pub fn short<'i>(&self, id: &'i str) -> Cow<'i, str> {
        let shorter = || {
            let (kind, rest) = id.split_once(':')?;
            let end = match kind {
                "goal" => rest.len(),
                "decision" => rest.rfind('@')?,
                "scenario" | "reading" | "failure" => rest.find('#')?,
                _ => return None,
            };
            Some(format!("{kind}:{}{}", self.names.get(&rest[..end])?, &rest[end..]))
        };
        shorter().map_or(Cow::Borrowed(id), Cow::Owned)
    }
}

/// The scenario in `text` as ids spell it, and the moment behind it: `@TIME` or `@TIME~NUMBER`. `None` if it names no node.
/// A prefix `failure:` or `reading:` is allowed.
pub(super) fn moment_of(nodes: &[Node], text: &str) -> Option<(String, Option<String>)> {
    let text = ["failure:", "reading:"].into_iter().find_map(|kind| text.strip_prefix(kind)).unwrap_or(text);
    let is_moment = |behind: &str| behind.get(..TIME).and_then(Timestamp::parse).is_some();
    match text.rsplit_once('@') {
        Some((of, behind)) if is_moment(behind) => Some((subject(nodes, of)?, Some(format!("@{behind}")))),
        _ => Some((subject(nodes, text)?, None)),
    }
}

fn subject(nodes: &[Node], text: &str) -> Option<String> {
    let (node, name) = text.split_once('#')?;
    Some(format!("{}#{}", directory(nodes, node)?, nfc(name)))
}

/// The directory of the node that `text` names, as ids spell it.
fn directory(nodes: &[Node], text: &str) -> Option<String> {
    let spelled = |dir: &RepoPath| node::directory(dir);
    if let Some(node) = nodes.iter().find(|node| spelled(&node.dir) == text) {
        return Some(spelled(&node.dir));
    }
    resolve_reference(nodes, text).ok().map(|at| spelled(&nodes[at].dir))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_may_be_typed_by_any_reference_to_its_node() {
        let named = |dir: &str, id: &str| Node { dir: RepoPath::from_git(dir), id: id.into(), ..Node::default() };
        let nodes = [named(".spec/a#b", "a#b"), named(".spec/ui/board", "board")];
        let at = "2026-01-01T00:00:00.000Z";
        for (typed, meant) in [
            ("goal:board".to_owned(), "goal:.spec/ui/board".to_owned()),
            ("goal:.spec/ui/board/".into(), "goal:.spec/ui/board".into()),
            ("goal:.spec/a%23b".into(), "goal:.spec/a%23b".into()),
            ("scenario:board#a#b@c".into(), "scenario:.spec/ui/board#a#b@c".into()),
            (format!("reading:board#s@{at}~2"), format!("reading:.spec/ui/board#s@{at}~2")),
            (format!("failure:board#s@t@{at}"), format!("failure:.spec/ui/board#s@t@{at}")),
            (format!("decision:board@{at}"), format!("decision:.spec/ui/board@{at}")),
            ("file:board".into(), "file:board".into()),
            ("goal:nobody".into(), "goal:nobody".into()),
            ("goal_continuity".into(), "goal_continuity".into()),
        ] {
            assert_eq!(canonical(&nodes, &typed), meant, "{typed}");
        }
        assert_eq!(moment_of(&nodes, "failure:board#s"), Some((".spec/ui/board#s".into(), None)));
        assert_eq!(moment_of(&nodes, "nobody#s"), None);
        for (id, typed) in [
            ("failure:.spec/ui/board#s@t", "failure:board#s@t"),
            ("goal:.spec/ui/board", "goal:board"),
            ("goal:.spec/ui/boards", "goal:.spec/ui/boards"),
            ("file:.spec/ui/board", "file:.spec/ui/board"),
        ] {
            assert_eq!(Shortener::of(&nodes).short(id), typed);
        }
    }
}
