//! Judges the signatures that a change adds, each by itself: whether a key made it, and whether it holds for a line here.

use crate::app::judge::Question;
use crate::app::judge::states::States;
use crate::error::Result;
use crate::features::trust::judge::desk::TrustDesk;
use crate::features::trust::judge::facts::WrongSignature;
use crate::features::trust::judge::held::signed_line;
use crate::features::trust::judge::holding::{FiledSignature, lines_by_hash};
use crate::features::trust::judge::testimony::Testimony;
use crate::features::trust::judge::untrusted::BaseLines;
use crate::features::trust::judge::verify::{SignedLine, Verifier};
use crate::model::ledger::{Event, Line, LineHash};
use crate::rules::AddedLine;
use crate::tree::path::RepoPath;
use bstr::BStr;
use std::collections::HashMap;

/// The signatures among `added` that do not hold, each with its place in the list.
///
/// # Errors
/// When a signature cannot be verified: what was not checked must not pass.
pub(crate) fn wrong(
    question: &Question<'_>,
    states: &States,
    desk: &TrustDesk<'_>,
    added: &[AddedLine],
) -> Result<Vec<WrongSignature>> {
    let mut signatures = Vec::new();
    for (at, one) in added.iter().enumerate().filter(|(_, one)| !one.moved) {
        let Event::Signature(signature) = &one.line.event else { continue };
        let node = states.view.workspace.node(&RepoPath::from_git(one.node.dir.clone()));
        if let (Some(node), true) = (node, signature.wrong.is_empty()) {
            signatures.push((at, FiledSignature { node, line: &one.line, signature }));
        }
    }
    if signatures.is_empty() {
        return Ok(Vec::new());
    }
    let verifier = desk.verifier()?;
    let asked: Vec<SignedLine<'_>> = signatures.iter().map(|(_, one)| signed_line(one)).collect();
    let (held, mut lines) = (BaseLines::of(states), LinesByHash::new());
    let mut found = Vec::new();
    for ((at, one), testimony) in signatures.iter().zip(verifier.testimonies_of_added(&asked)?) {
        let wrong = |is_broken, why| WrongSignature { at: *at, is_broken, why };
        match testimony {
            Testimony::Broken(why) => found.push(wrong(true, why)),
            Testimony::Unknown(key, why) => found.push(wrong(false, format!("is by {}, {why}", key.fingerprint()))),
            Testimony::Known(signer) => {
                let late = !held.have(&one.line.bytes)
                    && !verifier.holds_at(signed_line(one), &signer, question.options.now)?;
                let late =
                    late.then(|| format!("is by {}, and the key is not valid any more", signer.key.fingerprint()));
                let why = match late {
                    Some(late) => Some(late),
                    None => misfit(states, verifier, one, &mut lines)?.map(str::to_owned),
                };
                found.extend(why.map(|why| wrong(false, why)));
            }
        }
    }
    Ok(found)
}

/// The lines of each node by their hash. Each node is hashed once, however many signatures are added to it.
type LinesByHash<'n> = HashMap<&'n RepoPath, HashMap<LineHash, Vec<&'n Line>>>;

/// Why a signature does not hold for a line here; lines that stayed behind in another ledger do not matter.
///
/// # Errors
/// As [`Verifier::was_in`].
fn misfit<'n>(
    states: &States,
    verifier: &Verifier<'_>,
    one: &FiledSignature<'n>,
    lines: &mut LinesByHash<'n>,
) -> Result<Option<&'static str>> {
    let lines = lines.entry(&one.node.dir).or_insert_with(|| lines_by_hash(one.node));
    let mut signed: Vec<(LineHash, &Line)> = Vec::new();
    for hash in &one.signature.lines {
        signed.extend(lines.get(hash).into_iter().flatten().map(|line| (*hash, *line)));
    }
    signed.sort_by_key(|(_, line)| line.number);
    if signed.is_empty() {
        return Ok(Some("signs no line of this ledger"));
    }
    if signed.iter().any(|(_, line)| matches!(line.event, Event::Signature(_))) {
        return Ok(Some("signs a signature"));
    }
    let project = verifier.base.settings.project.as_deref();
    for (hash, line) in signed {
        let was_in = |home: &RepoPath| verifier.was_in(home, &hash);
        if let Some(why) = one.misfit(&states.view.workspace, project, line, &was_in)? {
            return Ok(Some(why));
        }
    }
    Ok(None)
}

/// Whether a signature among `added` was made for another ledger.
pub(crate) fn is_foreign(added: &[AddedLine]) -> bool {
    added.iter().any(|one| match &one.line.event {
        Event::Signature(signature) => {
            signature.home.as_ref().is_some_and(|home| home.as_bstr() != BStr::new(&one.node.dir))
        }
        _ => false,
    })
}
