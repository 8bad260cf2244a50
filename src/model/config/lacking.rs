//! The evidence that `yatsu.evidenceFor` requires of a pass. The gate checks filed passes, `eval` checks before filing.

use super::Config;
use crate::model::ledger::{Evidence, EvidenceKind};

/// Evidence that a tag requires and a pass lacks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Lack {
    /// The tag in `yatsu.evidenceFor`.
    pub tag: String,
    /// The accepted kinds of evidence; one is enough.
    pub kinds: Vec<EvidenceKind>,
}

impl Config {
    /// The missing evidence of a pass of a scenario with these tags and this evidence.
    pub(crate) fn lacking(&self, tags: &[String], evidence: &[Evidence]) -> Vec<Lack> {
        let asks = tags.iter().filter_map(|tag| self.evidence_for.get_key_value(tag));
        let lack = |(tag, kinds): (&String, &Vec<EvidenceKind>)| Lack { tag: tag.clone(), kinds: kinds.clone() };
        asks.filter(|(_, kinds)| !evidence.iter().any(|piece| kinds.contains(&piece.kind))).map(lack).collect()
    }
}

impl Lack {
    pub(crate) fn sentence(&self) -> String {
        let kinds: Vec<&str> = self.kinds.iter().map(|kind| kind.as_str()).collect();
        format!("a pass under the tag {} needs evidence of kind {}", self.tag, kinds.join(" or "))
    }

    /// The flags of `eval` that add it.
    pub(crate) fn flags(&self) -> String {
        // two kinds may share a flag
        let mut flags: Vec<&str> = Vec::new();
        for flag in self.kinds.iter().map(|kind| flag(*kind)) {
            if !flags.contains(&flag) {
                flags.push(flag);
            }
        }
        flags.into_iter().map(|flag| format!("{flag} FILE")).collect::<Vec<_>>().join(" or ")
    }
}

/// The flag of `eval` that files evidence of this kind.
pub(crate) fn flag(kind: EvidenceKind) -> &'static str {
    match kind {
        EvidenceKind::Image => "--image",
        EvidenceKind::Video => "--video",
        EvidenceKind::Transcript | EvidenceKind::Data => "--result",
    }
}
