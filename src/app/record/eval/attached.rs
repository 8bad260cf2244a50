//! The evidence of one reading on its way into the cache: given, then judged under a temporary name, then published.

use super::marked::GivenNumbers;
use super::{FilingRequest, TokenEstimate};
use crate::error::Result;
use crate::model::ledger::{Evidence, EvidenceHash, EvidenceKind, Measures, Reading};
use crate::model::usage::TokenCount;
use crate::store::evidence::{Cache, PendingEvidence, Source};
use crate::store::kind::Expect;
use crate::store::lock::GcShared;

/// Every piece, checked and under a temporary name. Nothing is published before all pieces are known to be good, so that
/// a refused filing leaves nothing behind.
pub(crate) struct StagedEvidence {
    pub(super) named: AttachedEvidence,
    pieces: Vec<PendingEvidence>,
}

/// The evidence as a ledger line names it.
#[derive(Clone)]
pub(crate) struct AttachedEvidence {
    /// The pieces in the order given.
    pub(crate) evidence: Vec<Evidence>,
    timeline: Option<EvidenceHash>,
    estimate: Option<TokenEstimate>,
    measures: Measures,
}

impl FilingRequest {
    /// Names and kinds of the evidence, without storing anything.
    pub(crate) fn examine(self, numbers: &GivenNumbers, cache: &Cache) -> Result<AttachedEvidence> {
        self.attach(numbers, &mut |source, expect| cache.examine(source, expect))
    }

    /// Names and kinds of the evidence, with every piece under a temporary name.
    pub(crate) fn stage(self, numbers: &GivenNumbers, cache: &Cache, right: &GcShared) -> Result<StagedEvidence> {
        let mut pieces = Vec::new();
        let named = self.attach(numbers, &mut |source, expect| {
            let piece = cache.stage(right, source, expect)?;
            let named = (piece.hash, piece.kind);
            pieces.push(piece);
            Ok(named)
        })?;
        Ok(StagedEvidence { named, pieces })
    }

    /// Has `take` read every piece.
    fn attach(
        self,
        numbers: &GivenNumbers,
        take: &mut dyn FnMut(Source, Expect) -> Result<(EvidenceHash, EvidenceKind)>,
    ) -> Result<AttachedEvidence> {
        let (mut evidence, mut artifacts) = (Vec::new(), Vec::new());
        for (expect, source) in self.evidence {
            let (hash, kind) = take(numbers.watch(expect, source), expect)?;
            evidence.push(Evidence { hash, kind });
        }
        for (name, source) in self.artifacts {
            artifacts.push((name, take(source, Expect::Artifact)?.0));
        }
        let timeline = self.timeline.map(|source| take(source, Expect::Timeline)).transpose()?.map(|(hash, _)| hash);
        Ok(AttachedEvidence { evidence, timeline, estimate: self.estimate, measures: numbers.measures(artifacts)? })
    }
}

impl StagedEvidence {
    pub(crate) fn publish(self, cache: &Cache, right: &GcShared) -> Result<AttachedEvidence> {
        for piece in self.pieces {
            cache.publish(right, piece)?;
        }
        Ok(self.named)
    }
}

impl AttachedEvidence {
    /// The reading with its evidence, and with the estimated tokens, which are known once the evidence was read.
    pub(crate) fn attach_to(self, draft: Reading) -> Reading {
        let mut reading =
            Reading { evidence: self.evidence, timeline: self.timeline, measures: self.measures, ..draft };
        if let Some(estimate) = self.estimate {
            let tokens = TokenCount::estimate(estimate.prompt, estimate.transcript.get());
            reading.terms.usage.get_or_insert_default().tokens = Some(tokens);
        }
        reading
    }
}
