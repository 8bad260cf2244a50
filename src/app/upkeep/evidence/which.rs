//! Finds the piece of evidence for a user's word: the first digits of its hash, or a scenario with a counted reading.

use crate::app::judge::counting::{self, CountingView};
use crate::engine::effective::Effective;
use crate::error::{Error, Refusal, Result};
use crate::model::ids::{composed, same_name};
use crate::model::ledger::{EvidenceHash, Reading};
use crate::model::node::Node;
use crate::model::reference::resolve_scenario;
use crate::repo::Repo;
use crate::store::Store;
use crate::text::escape::echo;
use std::collections::BTreeSet;

/// The minimal number of digits for a hash.
const MIN_DIGITS: usize = 4;
/// The number of digits in a whole hash.
const ALL_DIGITS: usize = 64;
/// The maximal number of candidates in a message.
const MAX_CANDIDATES: usize = 20;

/// The piece for `text`, which is the start of a hash or NODE/SCENARIO. `kind` selects among several pieces of a reading.
///
/// # Errors
/// Usage, with the candidates, for an ambiguous text; refused if no piece matches.
pub(crate) fn which(
    repo: &Repo,
    store: &Store,
    nodes: &[Node],
    text: &str,
    kind: Option<&str>,
) -> Result<EvidenceHash> {
    if text.contains('/') {
        return shown(repo, nodes, text, kind);
    }
    if kind.is_some() {
        return Err(Error::usage("a hash is of one piece; --kind chooses among those of NODE/SCENARIO")
            .hint("leave --kind out"));
    }
    by_digits(store, nodes, text)
}

/// The only piece with these first digits, in the cache or in a ledger.
fn by_digits(store: &Store, nodes: &[Node], text: &str) -> Result<EvidenceHash> {
    if let Some(hash) = EvidenceHash::from_hex(text.as_bytes()) {
        return Ok(hash);
    }
    let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    if !(MIN_DIGITS..=ALL_DIGITS).contains(&text.len()) || !text.bytes().all(is_digit) {
        return Err(Error::usage(format!("`{}` is no piece of evidence", echo(text)))
            .hint(format!("a hash has {ALL_DIGITS} lower-case hex digits; its first {MIN_DIGITS} or more are enough"))
            .hint("or name the scenario that it belongs to: NODE/SCENARIO"));
    }
    let readings = nodes.iter().flat_map(|node| &node.ledgers).flat_map(|ledger| ledger.readings());
    let named = readings.flat_map(pieces);
    let here = store.evidence().ls()?.into_iter().map(|blob| blob.hash);
    let all = here.chain(named.into_iter().map(|(_, hash)| hash));
    let found: BTreeSet<String> = all.map(|hash| hash.to_string()).filter(|hash| hash.starts_with(text)).collect();
    let mut found = found.into_iter();
    match (found.next(), found.next()) {
        (Some(only), None) => EvidenceHash::from_hex(only.as_bytes())
            .ok_or_else(|| Error::fault(format!("{only} is no name of evidence"))),
        (None, _) => Err(Error::refused(format!("no piece of evidence begins with {text}"))
            .because(Refusal::Unknown)
            .argv(["evidence", "ls"])
            .hint("`yatsu-hook evidence ls` lists what is here and what readings name")),
        (Some(one), Some(other)) => {
            let all = [one, other].into_iter().chain(found);
            Err(candidates(format!("several pieces of evidence begin with {text}"), all.collect()))
        }
    }
}

fn candidates(message: String, all: Vec<String>) -> Error {
    let count = all.len();
    let error = all.into_iter().take(MAX_CANDIDATES).fold(Error::usage(message), Error::hint);
    match count.saturating_sub(MAX_CANDIDATES) {
        0 => error,
        more => error.hint(format!("and {more} more: yatsu-hook evidence ls")),
    }
}

/// The piece in the counted reading of NODE/SCENARIO; for an undeclared scenario in its latest reading.
fn shown(repo: &Repo, nodes: &[Node], text: &str, kind: Option<&str>) -> Result<EvidenceHash> {
    let found = resolve_scenario(nodes, text, |node, name| Ok(knows(node, name)))
        .map_err(|error| error.hint("or the piece by its hash: `yatsu-hook evidence ls`"))?;
    let meant = found.and_then(|(index, name)| Some((&nodes[index], scenario(&nodes[index], &name)?)));
    let (node, scenario) = meant.ok_or_else(|| {
        Error::usage(format!("`{}` is no scenario of a node", echo(text)))
            .hint("write NODE/SCENARIO; `yatsu-hook ls` lists them")
    })?;
    let place = format!("{}/{scenario}", node.id);
    let (facts, effective) = (counting::facts(repo, CountingView::WorkTree)?, Effective::of(node));
    let reading = facts.counting(&node.dir, &scenario).or_else(|| effective.latest(&scenario));
    let reading = reading.ok_or_else(|| {
        Error::refused(format!("{} has no reading", echo(&place)))
            .because(Refusal::NothingLeft)
            .argv(["show", &node.argument()])
            .hint(format!("`yatsu-hook show {}` lists the readings", node.argument()))
    })?;
    of_reading(&place, reading, kind)
}

/// Whether a node declares the scenario, or has a reading of it.
pub(crate) fn knows(node: &Node, name: &str) -> bool {
    scenario(node, name).is_some()
}

/// The scenario of a node with this name: declared, or with a filed reading.
fn scenario(node: &Node, name: &str) -> Option<String> {
    let declared = node.scenarios().iter().map(|scenario| scenario.name.as_str());
    let filed = node.ledgers.iter().flat_map(|ledger| ledger.readings()).map(|reading| reading.scenario.as_str());
    declared.chain(filed).find(|known| same_name(known, name)).map(|known| composed(known).into_owned())
}

fn of_reading(place: &str, reading: &Reading, kind: Option<&str>) -> Result<EvidenceHash> {
    let all = pieces(reading);
    // by default only evidence counts, not timelines and artifacts
    let is_asked = |of: &str| kind.map_or(!matches!(of, "timeline" | "artifact"), |kind| kind == of);
    let asked: Vec<_> = all.iter().filter(|(of, _)| is_asked(of)).collect();
    match &asked[..] {
        [(_, hash)] => Ok(*hash),
        [] => {
            let message = format!("the reading of {} shows no {}", echo(place), kind.unwrap_or("evidence"));
            let has = all.iter().map(|(of, hash)| format!("it has {of} {hash}"));
            Err(has.fold(Error::refused(message).because(Refusal::Unknown), Error::hint))
        }
        several => {
            let list = several.iter().map(|(of, hash)| format!("{of} {hash}")).collect();
            Err(candidates(format!("the reading of {} shows {} pieces", echo(place), several.len()), list)
                .hint("name one by its hash, or the only one of its kind: --kind"))
        }
    }
}

/// Every piece that a reading names, with its kind.
pub(super) fn pieces(reading: &Reading) -> Vec<(String, EvidenceHash)> {
    let shown = reading.evidence.iter().map(|piece| (piece.kind.as_str().to_owned(), piece.hash));
    let steps = reading.timeline.iter().map(|hash| ("timeline".to_owned(), *hash));
    let artifacts = reading.measures.artifacts.values().map(|hash| ("artifact".to_owned(), *hash));
    shown.chain(steps).chain(artifacts).collect()
}
