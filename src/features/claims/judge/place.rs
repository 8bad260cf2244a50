//! Finds the node of a claim, and the directory of the claim if the node has moved since.

use crate::app::site::{self, Site};
use crate::error::{Error, Refusal, Result};
use crate::features::claims::judge::engine::{ClaimTerms, Claims, HeldPhase};
use crate::features::claims::model::{Claim, ClaimSeries, ClaimToken, ClaimedScenario};
use crate::model::node::Node;
use crate::model::scenario::Scenario;
use crate::tree::path::RepoPath;

/// The series of a scenario of `node`.
pub(crate) fn series(node: &Node, scenario: &str) -> Result<ClaimSeries> {
    ClaimSeries::new(&node.dir, scenario).ok_or_else(|| {
        Error::refused(format!("{} has no spelling in the journal of claims", node.dir))
            .because(Refusal::Invalid)
            .hint("give the directory a name in UTF-8, and the scenario one that is not blank")
    })
}

/// The series under which a scenario is claimed: its own, or the series from before its node moved. A claim moves along
/// if the work tree no longer declares its scenario in the old place, and this scenario has the same name and text. With
/// the token of the claim the text may differ, and a lapsed claim moves along too.
pub(crate) fn claimed_as(
    claims: &Claims,
    node: &Node,
    scenario: &Scenario,
    token: Option<ClaimToken>,
    terms: &ClaimTerms,
    is_declared: &dyn Fn(&ClaimSeries) -> Result<bool>,
) -> Result<ClaimSeries> {
    let own = series(node, &scenario.name)?;
    if claims.holder(&own).is_some() {
        return Ok(own);
    }
    let is_shown = |claim: &Claim| token == Some(claim.token);
    let is_same = |claim: &Claim| claim.text == Some(scenario.text_hash) && terms.phase(claim) != HeldPhase::Lapsed;
    let name = own.scenario().map(ClaimedScenario::name);
    let named =
        claims.held().filter(|claim| name.is_some() && claim.series.scenario().map(ClaimedScenario::name) == name);
    for claim in named.filter(|claim| is_shown(claim) || is_same(claim)) {
        if !is_declared(&claim.series)? {
            return Ok(claim.series.clone());
        }
    }
    Ok(own)
}

/// Whether the work tree of `site` declares the scenario of a series at its node.
pub(crate) fn declares(site: &dyn Site, of: &ClaimSeries) -> Result<bool> {
    let Some(on) = of.scenario() else { return Ok(false) };
    Ok(site.node(on.node())?.is_some_and(|node| node.scenario(on.name()).is_some()))
}

/// The scenario of a series among loaded nodes, with its node.
pub(crate) fn declared<'n>(nodes: &'n [Node], of: &ClaimSeries) -> Option<(&'n Node, &'n Scenario)> {
    let on = of.scenario()?;
    let node = nodes.iter().find(|node| node.dir == *on.node())?;
    Some((node, node.scenario(on.name())?))
}

/// The node that the user means. No other node is read, because a repository may have thousands. A reference by directory
/// also needs no search, unless `all` nodes are wanted. Beside it all nodes by name only if they were wanted or had to be
/// searched; else only the node itself.
pub(crate) fn meant(site: &dyn Site, reference: Option<&str>, all: bool) -> Result<(Node, Vec<Node>)> {
    let dir = reference.and_then(|text| RepoPath::parse(text.as_bytes()).ok()).filter(|dir| !dir.is_root());
    let alone = dir.filter(|_| !all).map_or(Ok(None), |dir| site.node_alone(&dir))?;
    if let Some(node) = alone {
        let named =
            Node { dir: node.dir.clone(), id: node.id.clone(), same_id: node.same_id.clone(), ..Node::default() };
        return Ok((node, vec![named]));
    }
    let around = site.outline()?;
    let dir = &site::find_node(site, &around, reference)?.dir;
    let node = site.node(dir)?.ok_or_else(|| site::gone(dir))?;
    Ok((node, around))
}

/// The named scenario of a node that was loaded alone.
pub(crate) fn find_declared<'n>(site: &dyn Site, node: &'n Node, name: &str) -> Result<&'n Scenario> {
    site::find_scenario(std::slice::from_ref(node), node, Some(name)).or_else(|_| {
        // only the refusal needs every other node, to say where a first scenario belongs
        site::find_scenario(&site.nodes()?, node, Some(name))
    })
}
