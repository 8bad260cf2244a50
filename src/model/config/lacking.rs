//! What `yatsu.evidenceFor` asks of a pass: the gate says so of one that is filed, `eval` before it is.

use super::Config;
use crate::model::ledger::{Evidence, EvidenceKind};

/// What a tag asks of a pass, and the pass has not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Lack {
    /// The tag of `yatsu.evidenceFor` that asks for it.
    pub tag: String,
    /// The kinds of evidence, one of which is enough.
    pub kinds: Vec<EvidenceKind>,
}

impl Config {
    /// What a pass of a scenario with these tags lacks when this is its evidence.
    pub(crate) fn lacking(&self, tags: &[String], evidence: &[Evidence]) -> Vec<Lack> {
        let asks = tags.iter().filter_map(|tag| self.evidence_for.get_key_value(tag));
        let lack = |(tag, kinds): (&String, &Vec<EvidenceKind>)| Lack { tag: tag.clone(), kinds: kinds.clone() };
        asks.filter(|(_, kinds)| !evidence.iter().any(|piece| kinds.contains(&piece.kind))).map(lack).collect()
    }
}

impl Lack {
    /// What is asked, as one sentence.
    pub(crate) fn sentence(&self) -> String {
        let kinds: Vec<&str> = self.kinds.iter().map(|kind| kind.as_str()).collect();
        format!("a pass under the tag {} needs evidence of kind {}", self.tag, kinds.join(" or "))
    }

    /// The flags of `eval` that bring it.
    pub(crate) fn flags(&self) -> String {
        self.kinds.iter().map(|kind| format!("{} FILE", flag(*kind))).collect::<Vec<_>>().join(" or ")
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
