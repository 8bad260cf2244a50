//! Selectors that name no unit of a readable file, or more than one.

use super::RULE;
use crate::engine::facts::Facts;
use crate::engine::selectors::UnmetSelector;
use crate::engine::units::SymbolFound;
use crate::finding::{Finding, Grounds};
use crate::rules::wording::{of_node, of_scenario, place};
use crate::text::escape::echo;
use crate::text::shell;
use crate::tree::path::RepoPath;

/// The number of unit names in one message.
const MAX_NAMES: usize = 5;

pub(super) fn check(facts: &Facts, found: &mut Vec<Finding>) {
    found.extend(facts.selectors.unmet.iter().filter_map(|unmet| told(facts, unmet)));
}

fn told(facts: &Facts, unmet: &UnmetSelector) -> Option<Finding> {
    let units = format!("yatsu-hook units {}", shell::place(&unmet.file));
    let (what, help) = match &unmet.found {
        SymbolFound::Dead if unmet.near.is_empty() => {
            ("names no unit in that file".into(), format!("see its units: {units}"))
        }
        SymbolFound::Dead => {
            ("names no unit in that file".into(), format!("did you mean {}? see {units}", names(&unmet.near)))
        }
        SymbolFound::Ambiguous(units) => {
            (format!("is ambiguous: {}", names(units)), "write the whole name of one of them".into())
        }
        SymbolFound::Unit(_) | SymbolFound::Unread(_) => return None,
    };
    let shown = unmet.entry.shown();
    let message = format!("`code` selector `{}` {what}", echo(&shown));
    let node = &facts.workspace.nodes[unmet.node];
    let scenario =
        unmet.scenario.and_then(|number| Some((node.file.as_ref()?, node.file.as_ref()?.scenarios.get(number)?)));
    let (finding, path, key) = match scenario {
        Some((file, scenario)) => (of_scenario(RULE, node, scenario, message), Some(&file.path), "code"),
        None => (of_node(RULE, node, message), node.spec.as_ref().map(|spec| &spec.path), "spec"),
    };
    Some(Finding {
        location: path.and_then(|path| place(path, unmet.entry.at)),
        help,
        about: unmet.entry.path.iter().chain([&unmet.file]).map(RepoPath::to_bstring).collect(),
        grounds: Grounds::Path,
        key: format!("{key}:{shown}|unmet"),
        ..finding
    })
}

fn names(names: &[String]) -> String {
    let mut told: Vec<_> = names.iter().take(MAX_NAMES).map(|name| echo(name).into_owned()).collect();
    if names.len() > MAX_NAMES {
        told.push(format!("{} more", names.len() - MAX_NAMES));
    }
    told.join(", ")
}

#[cfg(feature = "units")]
#[cfg(test)]
mod tests {
    use crate::finding::RuleId;
    use crate::rules::tests::case::{Case, FILE, SOURCE, WORKS};

    #[test]
    fn a_selector_that_names_no_unit_or_several_is_named_with_what_it_may_mean() {
        let list = "[src/b.rs#runn, src/b.rs#stop, src/b.rs#A.run]";
        let source = "struct A;\nimpl A { fn run() {} fn stop() {} }\nstruct B;\nimpl B { fn stop() {} }\n";
        let unmet = Case::new().with("src/b.rs", source).with(FILE, WORKS.replace(SOURCE, list));
        insta::assert_snapshot!(unmet.told(RuleId::YatsuSchema), @"
        .spec/n/yatsu.md:7:12: error[yatsu-schema] n/works: `code` selector `src/b.rs#runn` names no unit in that file
            tags: cli
            help: did you mean A.run? see yatsu-hook units src/b.rs
        .spec/n/yatsu.md:7:27: error[yatsu-schema] n/works: `code` selector `src/b.rs#stop` is ambiguous: A.stop, B.stop
            tags: cli
            help: write the whole name of one of them
        ");
    }
}
