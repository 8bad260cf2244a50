//! The evidence of one reading on its way into the cache: given, then judged under a temporary name, then published.

use super::marked::GivenNumbers;
use super::{FilingRequest, TokenEstimate};
use crate::error::Result;
use crate::model::ledger::{Evidence, EvidenceHash, Measures, Reading};
use crate::model::usage::TokenCount;
use crate::store::evidence::{Cache, PendingEvidence, Source};
use crate::store::kind::Expect;
use crate::store::lock::GcShared;
use crate::tree::path::RepoPath;

/// The evidence that the user gave, unread.
pub(super) struct GivenEvidence {
    pieces: Vec<(Expect, Source)>,
    artifacts: Vec<(RepoPath, Source)>,
    timeline: Option<Source>,
    estimate: Option<TokenEstimate>,
    numbers: GivenNumbers,
}

/// Every piece, checked and under a temporary name. Nothing is published before all pieces are known to be good, so that
/// a refused filing leaves nothing behind.
pub(super) struct StagedEvidence {
    pieces: Vec<PendingEvidence>,
    artifacts: Vec<PendingEvidence>,
    timeline: Option<PendingEvidence>,
    estimate: Option<TokenEstimate>,
    measures: Measures,
}

/// The evidence as a ledger line names it.
pub(super) struct AttachedEvidence {
    /// The pieces in the order given.
    pub(super) evidence: Vec<Evidence>,
    timeline: Option<EvidenceHash>,
    estimate: Option<TokenEstimate>,
    measures: Measures,
}

impl GivenEvidence {
    pub(super) fn of(request: FilingRequest, numbers: &GivenNumbers) -> Self {
        let watched = |(expect, source)| (expect, numbers.watch(expect, source));
        Self {
            pieces: request.evidence.into_iter().map(watched).collect(),
            artifacts: request.artifacts,
            timeline: request.timeline,
            estimate: request.estimate,
            numbers: numbers.clone(),
        }
    }

    /// Names and kinds, without storing anything.
    pub(super) fn examine(self, cache: &Cache) -> Result<AttachedEvidence> {
        let examine = |(expect, source)| cache.examine(source, expect).map(|(hash, kind)| Evidence { hash, kind });
        let evidence = self.pieces.into_iter().map(examine).collect::<Result<_>>()?;
        let artifact = |(name, source)| Ok((name, cache.examine(source, Expect::Artifact)?.0));
        let artifacts = self.artifacts.into_iter().map(artifact).collect::<Result<_>>()?;
        let timeline = self.timeline.map(|source| cache.examine(source, Expect::Timeline)).transpose()?;
        let (timeline, measures) = (timeline.map(|(hash, _)| hash), self.numbers.measures(artifacts)?);
        Ok(AttachedEvidence { evidence, timeline, estimate: self.estimate, measures })
    }

    pub(super) fn stage(self, cache: &Cache, right: &GcShared) -> Result<StagedEvidence> {
        let stage = |(expect, source)| cache.stage(right, source, expect);
        let pieces = self.pieces.into_iter().map(stage).collect::<Result<_>>()?;
        let (mut artifacts, mut named) = (Vec::new(), Vec::new());
        for (name, source) in self.artifacts {
            let staged = cache.stage(right, source, Expect::Artifact)?;
            named.push((name, staged.hash));
            artifacts.push(staged);
        }
        let timeline = self.timeline.map(|source| cache.stage(right, source, Expect::Timeline)).transpose()?;
        let measures = self.numbers.measures(named)?;
        Ok(StagedEvidence { pieces, artifacts, timeline, estimate: self.estimate, measures })
    }
}

impl StagedEvidence {
    /// The pieces by hash and kind, before they have their lasting names.
    pub(super) fn named(&self) -> AttachedEvidence {
        AttachedEvidence {
            evidence: self.pieces.iter().map(|one| Evidence { hash: one.hash, kind: one.kind }).collect(),
            timeline: self.timeline.as_ref().map(|one| one.hash),
            estimate: self.estimate.clone(),
            measures: self.measures.clone(),
        }
    }

    /// Gives every piece its lasting name.
    pub(super) fn publish(self, cache: &Cache, right: &GcShared) -> Result<AttachedEvidence> {
        let mut evidence = Vec::new();
        for one in self.pieces {
            let kind = one.kind;
            evidence.push(Evidence { hash: cache.publish(right, one)?, kind });
        }
        for one in self.artifacts {
            cache.publish(right, one)?;
        }
        let timeline = self.timeline.map(|one| cache.publish(right, one)).transpose()?;
        Ok(AttachedEvidence { evidence, timeline, estimate: self.estimate, measures: self.measures })
    }
}

impl AttachedEvidence {
    /// The reading with its evidence, and with the estimated tokens, which are known once the evidence was read.
    pub(super) fn attach_to(self, draft: Reading) -> Reading {
        let mut reading =
            Reading { evidence: self.evidence, timeline: self.timeline, measures: self.measures, ..draft };
        if let Some(estimate) = self.estimate {
            let tokens = TokenCount::estimate(estimate.prompt, estimate.transcript.get());
            reading.terms.usage.get_or_insert_default().tokens = Some(tokens);
        }
        reading
    }
}
