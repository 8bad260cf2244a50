//! Finds how a change of the configuration weakens the gate.

use super::{Config, budgets, feature_settings, needs, rank};
use crate::finding::{Level, RuleId};
use crate::model::glob::Globs;
use crate::text::escape::echo;
use crate::tree::path::RepoPath;
use std::collections::BTreeMap;

/// How `new` is weaker than `old`, one sentence each; empty if nothing is weaker.
pub fn lowered(old: &Config, new: &Config) -> Vec<String> {
    let mut found = levels(old, new);
    found.extend(needs::lowered(old.needs, new.needs));
    found.extend(widened("yatsu.exclude", &old.exclude, &new.exclude, "judged"));
    found.extend(widened(
        "yatsu.allowInTree",
        &old.allow_in_tree,
        &new.allow_in_tree,
        "guarded against stray evidence",
    ));
    // as info the rule gates nothing
    if old.raises(RuleId::UnderDeclared) {
        let (was, is) = (&old.coverage_ignore, &new.coverage_ignore);
        found.extend(widened("yatsu.coverageIgnore", was, is, "named by under-declared"));
    }
    found.extend(roots(old, new));
    found.extend(protection(old, new));
    found.extend(evidence(old, new));
    found.extend(tags(old, new));
    found.extend(sources(old, new));
    found.extend(governed_roots(old, new));
    found.extend(evaluators(old, new));
    found.extend(budgets::lowered(&old.budgets, &new.budgets));
    if old.stamp_content && !new.stamp_content {
        found.push("yatsu.stampContent is switched off: new readings are lost together with their commit".into());
    }
    if new.redact && !old.redact {
        found.push("yatsu.redact no longer refuses: ledger lines may be replaced by their redactions".into());
    }
    let mut by_key = vec![(rank("agents"), old.agents.lowered(&new.agents))];
    by_key.extend(feature_settings().iter().map(|settings| (settings.rank, (settings.lowered)(old, new))));
    by_key.sort_by_key(|(rank, _)| *rank);
    found.extend(by_key.into_iter().flat_map(|(_, how)| how));
    if new.max_owners > old.max_owners {
        found.push(format!("lint.maxOwners is raised from {} to {}", old.max_owners, new.max_owners));
    }
    found
}

fn levels(old: &Config, new: &Config) -> Vec<String> {
    let name = |level: Option<Level>| level.map_or("off", Level::as_str);
    let lowered = RuleId::ALL.into_iter().filter_map(|rule| {
        let (before, after) = (old.level(rule, rule.default_level()), new.level(rule, rule.default_level()));
        let said = || format!("{} is lowered from {} to {}", rule.as_str(), name(before), name(after));
        (after < before).then(said)
    });
    lowered.collect()
}

fn widened(key: &str, old: &Globs, new: &Globs, purpose: &str) -> Vec<String> {
    missing_from(new.text(), old.text())
        .map(|text| format!("{key} gains \"{}\": matching files are no longer {purpose}", echo(text)))
        .collect()
}

/// An added root puts foreign files under the gate's rules; a removed root hides its nodes from the gate.
fn roots(old: &Config, new: &Config) -> Vec<String> {
    let gained =
        missing_from(&new.roots, &old.roots).map(|root| format!("yatsu.roots gains \"{}\"", echo(&root.to_string())));
    let lost = old.roots.iter().filter(|root| new.root_of(root).is_none());
    let lost = lost.map(|root| {
        format!(
            "yatsu.roots loses \"{}\": spec.md, eval.md and evals.ndjson there are no longer judged",
            echo(&root.to_string())
        )
    });
    gained.chain(lost).collect()
}

fn protection(old: &Config, new: &Config) -> Vec<String> {
    let mut found: Vec<String> = missing_from(old.protect.text(), new.protect.text())
        .map(|text| format!("yatsu.protect loses \"{}\": force pushes there may drop readings", echo(text)))
        .collect();
    match (&old.main_branch, &new.main_branch) {
        (Some(was), now) if Some(was) != now.as_ref() => {
            found.push(format!("mainBranch is no longer \"{}\": force pushes there may drop readings", echo(was)));
        }
        // while no branch is named, main, master and the default branch are protected
        (None, Some(now)) if now != "main" => found.push(format!(
            "mainBranch is now \"{}\": force pushes to main, master and the default branch may drop readings",
            echo(now)
        )),
        _ => {}
    }
    found
}

fn evidence(old: &Config, new: &Config) -> Vec<String> {
    let mut found = Vec::new();
    for (tag, kinds) in &old.evidence_for {
        match new.evidence_for.get(tag) {
            None => found.push(format!("yatsu.evidenceFor loses \"{}\": a pass needs no evidence there", echo(tag))),
            Some(now) => found.extend(
                missing_from(now, kinds)
                    .map(|kind| format!("yatsu.evidenceFor.{} accepts {} too", echo(tag), kind.as_str())),
            ),
        }
    }
    found
}

fn tags(old: &Config, new: &Config) -> Option<String> {
    let emptied = new.scenario_tags.is_empty() && !old.scenario_tags.is_empty();
    emptied.then(|| "lint.scenarioTags is emptied: any tag passes".into())
}

fn sources(old: &Config, new: &Config) -> Vec<String> {
    let (old, new) = (old.source_extensions(), new.source_extensions());
    let lost: Vec<_> = missing_from(&old, &new).map(|extension| echo(extension)).collect();
    if lost.is_empty() {
        return Vec::new();
    }
    vec![format!("lint.sourceExtensions loses {}: such files may stay without scenarios", lost.join(", "))]
}

/// Files that had to be governed, and need not be any more.
fn governed_roots(old: &Config, new: &Config) -> Vec<String> {
    let mut found = Vec::new();
    let is_asked = |root: &RepoPath| new.governed_roots.iter().any(|now| root.is_within(now));
    let lost: Vec<String> =
        old.governed_roots.iter().filter(|root| !is_asked(root)).map(|root| root.to_string()).collect();
    if !lost.is_empty() {
        found.push(format!("lint.governedRoots loses {}: no source file there has to be governed", lost.join(", ")));
    }
    if old.governed_roots.is_empty() {
        return found;
    }
    let names = |globs: Vec<&String>| globs.iter().map(|glob| echo(glob)).collect::<Vec<_>>().join(", ");
    let gained: Vec<&String> = missing_from(new.source_exclude.text(), old.source_exclude.text()).collect();
    if !gained.is_empty() {
        let gained = names(gained);
        found.push(format!("lint.sourceExcludeGlobs gains {gained}: such files may stay without scenarios"));
    }
    let lost: Vec<&String> = missing_from(old.source_globs.text(), new.source_globs.text()).collect();
    let replaces = old.source_globs.text().is_empty() && !new.source_globs.text().is_empty();
    if replaces || !lost.is_empty() && !new.source_globs.text().is_empty() {
        let which =
            if replaces { "takes the place of the extensions".to_owned() } else { format!("loses {}", names(lost)) };
        found.push(format!("lint.sourceIncludeGlobs {which}: other source files may stay without scenarios"));
    }
    found
}

fn evaluators(old: &Config, new: &Config) -> Vec<String> {
    let gone = |versions: &BTreeMap<String, String>, name: &String| !versions.contains_key(name);
    old.evaluators
        .keys()
        .filter(|name| gone(&new.evaluators, name))
        .map(|name| format!("yatsu.evaluators loses \"{}\": its readings never go stale on this axis", echo(name)))
        .collect()
}

fn missing_from<'l, T: PartialEq>(list: &'l [T], other: &'l [T]) -> impl Iterator<Item = &'l T> {
    list.iter().filter(|item| !other.contains(item))
}
