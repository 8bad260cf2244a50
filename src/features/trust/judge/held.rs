//! The signatures that hold for lines of a judged state, with their owners and roles.

use crate::error::Result;
use crate::features::trust::judge::holding::{FiledSignature, signatures};
use crate::features::trust::judge::testimony::{Signer, Testimony};
use crate::features::trust::judge::verify::{SignedLine, Verifier};
use crate::features::trust::model::keys::{Person, Persons};
use crate::features::trust::model::settings::Role;
use crate::model::ledger::{Line, LineHash, Timestamp};
use crate::model::node::Node;
use crate::model::workspace::Workspace;
use crate::tree::path::RepoPath;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

/// A signature that holds for a line.
#[derive(Clone, Debug)]
pub(crate) struct HeldSignature {
    pub(crate) signer: Rc<Signer>,
    /// Everything that the base knows the signer as.
    pub(crate) person: Person,
    /// The role that the base's policy gives to the signer.
    pub(crate) role: Option<Role>,
    /// When it was made.
    pub(crate) ts: Timestamp,
}

/// A judged state, and which of its signatures the judged change adds.
#[derive(Clone, Copy)]
pub(crate) struct SignedState<'s> {
    pub(crate) view: &'s Workspace,
    /// Whether the change adds the line with these bytes: then its key must be valid now, too, because an expired key could
    /// backdate.
    pub(crate) adds: &'s dyn Fn(&[u8]) -> bool,
    pub(crate) now: Timestamp,
}

impl Verifier<'_> {
    /// The signatures of `node` that hold for each of `lines`, oldest first.
    ///
    /// # Errors
    /// As [`Verifier::testimonies`].
    pub(crate) fn holding(
        &self,
        state: SignedState<'_>,
        node: &Node,
        lines: &[&Line],
    ) -> Result<Vec<Vec<HeldSignature>>> {
        let hashes: Vec<LineHash> = lines.iter().map(|line| LineHash::of_object(&line.bytes)).collect();
        self.holding_of(state, node, lines, &hashes)
    }

    /// The same for the lines with these hashes. Each of `lines` is the line itself, or its redaction, which keeps its time
    /// and its scenario.
    ///
    /// # Errors
    /// As [`Verifier::testimonies`].
    pub(crate) fn holding_of(
        &self,
        state: SignedState<'_>,
        node: &Node,
        lines: &[&Line],
        hashes: &[LineHash],
    ) -> Result<Vec<Vec<HeldSignature>>> {
        let asked: HashSet<&LineHash> = hashes.iter().collect();
        let names_one = |one: &FiledSignature<'_>| one.signature.lines.iter().any(|line| asked.contains(line));
        let all: Vec<FiledSignature<'_>> = signatures(node).filter(names_one).collect();
        if all.is_empty() {
            return Ok(vec![Vec::new(); lines.len()]);
        }
        let known = self.known(state, &all)?;
        let signed = known.iter().map(|(_, signer)| (&signer.principals[..], &signer.key));
        let of_judges = self.persons.get_or_init(|| Persons::of(&self.base.judges, []));
        // a certificate's own key is in no line of the judges
        let is_known = signed.clone().all(|(names, key)| of_judges.know(names, key));
        let with_signers = (!is_known).then(|| Persons::of(&self.base.judges, signed));
        let persons = with_signers.as_ref().unwrap_or(of_judges);
        // many signatures of many lines: each line looks at its own ones alone
        let mut of_hash: HashMap<&LineHash, Vec<&(FiledSignature<'_>, Rc<Signer>)>> = HashMap::new();
        for filed in &known {
            let named = filed.0.signature.lines.iter().filter(|line| asked.contains(line));
            named.for_each(|line| of_hash.entry(line).or_default().push(filed));
        }
        let of_line = |(line, hash): (&&Line, &LineHash)| -> Result<Vec<HeldSignature>> {
            let project = self.base.settings.project.as_deref();
            let mut held = Vec::new();
            for (one, signer) in of_hash.get(hash).into_iter().flatten().copied() {
                let was_in = |home: &RepoPath| self.was_in(home, hash);
                if one.misfit(state.view, project, line, &was_in)?.is_none() {
                    held.extend(self.held(one, signer, persons));
                }
            }
            held.sort_by(|one, other| (one.ts, &one.signer.principals).cmp(&(other.ts, &other.signer.principals)));
            held.dedup_by(|one, other| one.ts == other.ts && one.signer == other.signer);
            Ok(held)
        };
        lines.iter().zip(hashes).map(of_line).collect()
    }

    /// The signatures that a key of the base made.
    fn known<'w>(
        &self,
        state: SignedState<'_>,
        all: &[FiledSignature<'w>],
    ) -> Result<Vec<(FiledSignature<'w>, Rc<Signer>)>> {
        let asked: Vec<SignedLine<'_>> = all.iter().map(signed_line).collect();
        let mut known = Vec::new();
        for (one, testimony) in all.iter().zip(self.testimonies(&asked)?) {
            let Testimony::Known(signer) = testimony else { continue };
            let is_new = (state.adds)(&one.line.bytes);
            if !is_new || self.holds_at(signed_line(one), &signer, state.now)? {
                known.push((*one, signer));
            }
        }
        Ok(known)
    }

    fn held(&self, one: &FiledSignature<'_>, signer: &Rc<Signer>, persons: &Persons) -> Option<HeldSignature> {
        let person = persons.person(&signer.principals, &signer.key);
        let role = self.base.settings.role(&signer.principals);
        Some(HeldSignature { signer: Rc::clone(signer), person, role, ts: one.signature.ts? })
    }
}

pub(crate) fn signed_line<'w>(one: &FiledSignature<'w>) -> SignedLine<'w> {
    SignedLine { signature: one.signature, line: &one.line.bytes }
}
