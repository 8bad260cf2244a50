//! The live claims that concern an event. Most repositories have none, and then nothing else is asked.

use super::Visit;
use crate::app::site::real::Real;
use crate::error::Result;
use crate::features::agents::model::reply::{ClaimNote, ClaimedThing, NamedScenario};
use crate::features::claims::{Asker, Claim, ClaimSeries, foreign, live};
use crate::model::node::Node;
use crate::model::scenario::Scenario;
use crate::tree::path::RepoPath;

/// The live claims of this repository, and the agent that asks.
pub(super) struct LiveClaims<'v> {
    visit: &'v Visit<'v>,
    live: Vec<Claim>,
    asker: Asker,
}

impl<'v> LiveClaims<'v> {
    /// # Errors
    /// When the journal cannot be read.
    pub(super) fn of(visit: &'v Visit<'v>) -> Result<Self> {
        let live = live(&visit.repo.common_dir, visit.now)?;
        let asker = match live.is_empty() {
            true => Asker::default(),
            // git says the name, which takes a while
            false => Asker { session: visit.session(), name: visit.repo.author_name()?, token: visit.token },
        };
        Ok(Self { visit, live, asker })
    }

    pub(super) fn is_empty(&self) -> bool {
        self.live.is_empty()
    }

    pub(super) fn all(&self) -> Vec<ClaimNote> {
        self.live.iter().map(note).collect()
    }

    /// The claims of others on these paths or scenarios.
    pub(super) fn of_others(&self, paths: &[RepoPath], scenarios: &[(&Node, &Scenario)]) -> Result<Vec<ClaimNote>> {
        if self.live.is_empty() {
            return Ok(Vec::new());
        }
        let site = Real::new(self.visit.repo, RepoPath::root());
        let common_dir = &self.visit.repo.common_dir;
        let found = foreign(&site, common_dir, &self.asker, self.visit.now, paths, scenarios)?;
        Ok(found.iter().map(note).collect())
    }

    /// The claims of the session or of the token in its environment.
    pub(super) fn own(&self) -> Vec<ClaimNote> {
        self.live.iter().filter(|claim| self.is_own(claim)).map(note).collect()
    }

    /// Whether the session holds the scenario.
    pub(super) fn holds(&self, node: &Node, scenario: &Scenario) -> bool {
        let series = ClaimSeries::new(&node.dir, &scenario.name);
        self.live.iter().any(|claim| self.is_own(claim) && Some(&claim.series) == series.as_ref())
    }

    fn is_own(&self, claim: &Claim) -> bool {
        let by_session = claim.session.is_some() && claim.session == self.asker.session;
        by_session || self.asker.token == Some(claim.token)
    }
}

fn note(claim: &Claim) -> ClaimNote {
    let on = match &claim.series {
        ClaimSeries::Scenario(one) => {
            ClaimedThing::Scenario(NamedScenario { node: one.node().to_bstring(), name: one.name().to_owned() })
        }
        ClaimSeries::Key(key) => ClaimedThing::Key(key.to_string()),
        ClaimSeries::Path(path) => ClaimedThing::Path(path.to_string()),
    };
    ClaimNote { on, owner: claim.owner.clone() }
}
