//! The live claims of others, for the doors of coding agents. Reads the journal without a lock and asks no remote: an edit
//! must not wait for a network.

use super::place::{claimed_as, declares};
use super::{ClaimTerms, state};
use crate::app::site::Site;
use crate::error::Result;
use crate::features::claims::judge::engine::HeldPhase;
use crate::features::claims::model::settings::ClaimLimits;
use crate::features::claims::model::{Claim, ClaimSeries, ClaimToken};
use crate::model::config::FeatureConfig;
use crate::model::ledger::Timestamp;
use crate::model::node::Node;
use crate::model::scenario::Scenario;
use crate::model::session::SessionHash;
use crate::tree::path::RepoPath;
use std::path::Path;

/// The agent at a door, by everything that makes a claim its own.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Asker {
    /// The session of the event.
    pub session: Option<SessionHash>,
    /// The name that git has for the user.
    pub name: Option<String>,
    /// The token in `YATSU_CLAIM`.
    pub token: Option<ClaimToken>,
}

impl Asker {
    /// Whether a claim is of another session; or, if it names no session, of another owner. The claim of the own token is
    /// never foreign.
    pub(crate) fn is_foreign(&self, claim: &Claim) -> bool {
        let is_own = match &claim.session {
            Some(session) => self.session.as_ref() == Some(session),
            None => self.name.as_deref() == Some(claim.owner.as_str()),
        };
        !is_own && self.token != Some(claim.token)
    }
}

/// Every live claim on a scenario, a key or a path that this repository knows, in the order of [`ClaimSeries`].
///
/// # Errors
/// When the journal cannot be read.
pub(crate) fn live(common_dir: &Path, now: Timestamp) -> Result<Vec<Claim>> {
    let terms = terms(now);
    Ok(state(common_dir)?.held().filter(|claim| terms.phase(claim) == HeldPhase::Live).cloned().collect())
}

/// The live claims of others on one of these paths, or on one of these scenarios, which may have been claimed before their
/// node moved; in the order of [`ClaimSeries`], each once.
///
/// # Errors
/// When the journal or the work tree cannot be read.
pub(crate) fn foreign(
    site: &dyn Site,
    common_dir: &Path,
    asker: &Asker,
    now: Timestamp,
    paths: &[RepoPath],
    scenarios: &[(&Node, &Scenario)],
) -> Result<Vec<Claim>> {
    let (claims, terms) = (state(common_dir)?, terms(now));
    let is_foreign = |claim: &&Claim| terms.phase(claim) == HeldPhase::Live && asker.is_foreign(claim);
    let mut wanted = Vec::new();
    for (node, scenario) in scenarios {
        // what the journal cannot spell has no claim
        if ClaimSeries::new(&node.dir, &scenario.name).is_some() {
            wanted.push(claimed_as(&claims, node, scenario, None, &terms, &|of| declares(site, of))?);
        }
    }
    let is_met = |claim: &&Claim| match &claim.series {
        ClaimSeries::Path(claimed) => paths.iter().any(|path| claimed.covers(path)),
        series => wanted.contains(series),
    };
    Ok(claims.held().filter(is_foreign).filter(is_met).cloned().collect())
}

/// The terms at this moment. The configured limits do not decide whether a claim is live.
fn terms(now: Timestamp) -> ClaimTerms {
    ClaimTerms { now, limits: ClaimLimits::DEFAULT.clone() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::site::fake::{Fake, path};
    use crate::features::claims::judge::{ClaimTarget, Claimant, Claiming, ScenarioTarget};
    use crate::features::claims::model::ClaimPath;

    const NOW: i64 = 1_790_000_000_000;
    const TTL: i64 = 60_000;

    fn at(millis: i64) -> Timestamp {
        Timestamp { millis }
    }

    fn asker(session: &str, name: &str) -> Asker {
        Asker { session: Some(SessionHash::of(session.as_bytes())), name: Some(name.into()), token: None }
    }

    /// A claim of `owner`, in a session if one is named.
    fn take(site: &Fake, owner: &str, session: Option<&str>, target: &ClaimTarget) -> ClaimToken {
        let number = u8::try_from(state(site.store().common_dir()).unwrap().held().count()).unwrap();
        let token = ClaimToken([number + 1; 16]);
        let session = session.map(|id| SessionHash::of(id.as_bytes()));
        let claimant = Claimant { owner: owner.into(), token, run: None, ttl: TTL, now: at(NOW), session };
        let store = site.store();
        Claiming::new(site, &store, None, at(NOW)).unwrap().take(&claimant, target, false).unwrap();
        token
    }

    fn on_path(text: &str) -> ClaimTarget {
        ClaimTarget::Other(ClaimSeries::Path(ClaimPath::new(path(text)).unwrap()))
    }

    fn on_scenario() -> ClaimTarget {
        ClaimTarget::Scenario(ScenarioTarget { node: Some(".spec/node".into()), scenario: "works".into() })
    }

    /// What a door finds after an edit of `file`, which scenario `works` governs.
    fn found(site: &Fake, asker: &Asker, now: i64, file: &str) -> Vec<String> {
        let nodes = site.nodes().unwrap();
        let scenarios: Vec<_> = nodes
            .iter()
            .flat_map(|node| node.file.iter().flat_map(move |file| file.scenarios.iter().map(move |one| (node, one))))
            .collect();
        let store = site.store();
        let claims = foreign(site, store.common_dir(), asker, at(now), &[path(file)], &scenarios).unwrap();
        claims.iter().map(|claim| format!("{} by {}", claim.series, claim.owner)).collect()
    }

    /// A33.
    #[test]
    fn a_live_claim_of_another_on_the_edited_path_or_its_scenario_is_found_once() {
        let site = Fake::new();
        take(&site, "Bob", Some("b"), &on_path("src/*.rs"));
        take(&site, "Bob", Some("b"), &on_path("docs"));
        take(&site, "Bob", Some("b"), &on_scenario());
        take(
            &site,
            "Bob",
            Some("b"),
            &ClaimTarget::Other(ClaimSeries::Key(crate::features::claims::model::key::ClaimKey::parse("k").unwrap())),
        );
        let both = [".spec/node/works by Bob", "path src/*.rs by Bob"];
        assert_eq!(found(&site, &asker("a", "Ann"), NOW, "src/a.rs"), both);
        assert_eq!(found(&site, &asker("a", "Ann"), NOW, "src/sub/a.rs"), both[..1]);
        // live until its last moment, and the grace is the holder's alone
        assert_eq!(found(&site, &asker("a", "Ann"), NOW + TTL, "src/a.rs"), both);
        assert_eq!(found(&site, &asker("a", "Ann"), NOW + TTL + 1, "src/a.rs"), [""; 0]);
        assert_eq!(live(site.store().common_dir(), at(NOW)).unwrap().len(), 4);
        assert_eq!(live(site.store().common_dir(), at(NOW + TTL + 1)).unwrap(), []);
    }

    /// A34.
    #[test]
    fn a_claim_of_the_own_session_name_or_token_is_not_found() {
        let site = Fake::new();
        let token = take(&site, "Ann", Some("a"), &on_path("src"));
        // a session decides, and the name does not count beside it
        assert_eq!(found(&site, &asker("a", "Bob"), NOW, "src/a.rs"), [""; 0]);
        assert_eq!(found(&site, &asker("b", "Ann"), NOW, "src/a.rs"), ["path src by Ann"]);
        assert_eq!(found(&site, &Asker { session: None, ..asker("", "Ann") }, NOW, "src/a.rs"), ["path src by Ann"]);
        assert_eq!(found(&site, &Asker { token: Some(token), ..Asker::default() }, NOW, "src/a.rs"), [""; 0]);
        // without a session the name decides
        let site = Fake::new();
        take(&site, "Ann", None, &on_scenario());
        assert_eq!(found(&site, &asker("a", "Ann"), NOW, "src/a.rs"), [""; 0]);
        assert_eq!(found(&site, &asker("a", "Bob"), NOW, "src/a.rs"), [".spec/node/works by Ann"]);
        assert_eq!(found(&site, &Asker::default(), NOW, "src/a.rs"), [".spec/node/works by Ann"]);
    }

    #[test]
    fn a_released_claim_is_not_found_and_no_journal_is_no_claim() {
        let site = Fake::new();
        assert_eq!(found(&site, &Asker::default(), NOW, "src/a.rs"), [""; 0]);
        let token = take(&site, "Bob", None, &on_path("src/a.rs"));
        let store = site.store();
        Claiming::new(&site, &store, None, at(NOW)).unwrap().release(token, None).unwrap();
        assert_eq!(found(&site, &Asker::default(), NOW, "src/a.rs"), [""; 0]);
    }
}
