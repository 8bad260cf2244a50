//! `yatsu-owners`: a file that too many scenarios govern.

use super::wording::file;
use crate::engine::facts::Facts;
use crate::finding::{Finding, RuleId};
use crate::text::escape::echo;
use crate::text::plural;

pub(super) fn check(facts: &Facts, found: &mut Vec<Finding>) {
    let limit = facts.workspace.config.max_owners;
    let mut over: Vec<_> = facts.owners.iter().flatten().filter(|(_, owners)| owners.len() > limit).collect();
    over.sort_by_key(|(path, owners)| (std::cmp::Reverse(owners.len()), path));
    for (path, owners) in over {
        let message = format!("governed by {}, more than {limit}", plural(owners.len(), "scenario"));
        let mut finding = Finding::new(RuleId::YatsuOwners, message);
        finding.location = file(path);
        finding.help = format!("split the file, or narrow the `code:` of {}", names(facts, owners));
        finding.key = path.to_string();
        found.push(finding);
    }
}

fn names(facts: &Facts, owners: &[(usize, usize)]) -> String {
    let nodes = &facts.workspace.nodes;
    let name = |&(node, scenario): &(usize, usize)| {
        let declared = nodes[node].file.as_ref().map(|file| file.scenarios[scenario].name.as_str());
        format!("{}/{}", echo(&nodes[node].id), echo(declared.unwrap_or_default()))
    };
    owners.iter().map(name).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use crate::finding::RuleId;
    use crate::rules::tests::case::{Case, WORKS};

    /// The source file, governed by the scenarios of this many nodes.
    fn governed_by(owners: usize) -> Case {
        (1..owners).fold(Case::new(), |case, node| case.with(&format!(".spec/n{node}/yatsu.md"), WORKS))
    }

    #[test]
    fn a_file_with_too_many_owners_is_named_with_them() {
        insta::assert_snapshot!(governed_by(4).told(RuleId::YatsuOwners), @"
        src/a.rs: warning[yatsu-owners]: governed by 4 scenarios, more than 3
            help: split the file, or narrow the `code:` of n/works, n1/works, n2/works, n3/works
        ");
    }

    #[test]
    fn so_many_as_are_allowed_are_fine() {
        assert_eq!(governed_by(3).told(RuleId::YatsuOwners), "");
    }

    /// The rule judges the whole repository and does not run at a commit.
    #[test]
    fn where_states_are_compared_it_does_not_speak() {
        assert_eq!(governed_by(4).committed().told(RuleId::YatsuOwners), "");
    }
}
