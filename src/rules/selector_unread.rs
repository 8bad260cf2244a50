//! `selector-unread`: a file that cannot be split into units, so that its selectors narrow nothing.

use super::wording::file;
use crate::engine::facts::Facts;
use crate::engine::selectors::UnmetSelector;
use crate::engine::units::SymbolFound;
use crate::finding::{Finding, Location, RuleId};
use crate::text::escape::echo;
use crate::text::units::UnreadUnits;
use crate::tree::path::RepoPath;
use std::collections::BTreeMap;

/// The number of selectors of a file that a finding names.
const MAX_TOLD: usize = 3;

pub(super) fn check(facts: &Facts, found: &mut Vec<Finding>) {
    let mut files: BTreeMap<&RepoPath, Vec<(&UnmetSelector, &UnreadUnits)>> = BTreeMap::new();
    for unmet in &facts.selectors.unmet {
        if let SymbolFound::Unread(why) = &unmet.found {
            files.entry(&unmet.file).or_default().push((unmet, why));
        }
    }
    for (path, unread) in files {
        let why = unread[0].1;
        let line = match why {
            UnreadUnits::Syntax(line) => u32::try_from(*line).ok(),
            _ => None,
        };
        let mut finding = Finding::new(RuleId::SelectorUnread, format!("the whole file is compared: {why}"));
        finding.location = file(path).map(|place| Location { line, ..place });
        finding.help = format!("not narrowed by {}: {}", selectors(&unread), remedy(why));
        finding.key = path.to_string();
        found.push(finding);
    }
}

fn selectors(unread: &[(&UnmetSelector, &UnreadUnits)]) -> String {
    let mut told: Vec<String> = Vec::new();
    for (unmet, _) in unread {
        let symbol = format!("#{}", echo(unmet.entry.symbol().unwrap_or_default()));
        if !told.contains(&symbol) {
            told.push(symbol);
        }
    }
    let more = told.len().saturating_sub(MAX_TOLD);
    told.truncate(MAX_TOLD);
    if more > 0 {
        told.push(format!("{more} more"));
    }
    told.join(", ")
}

fn remedy(why: &UnreadUnits) -> &'static str {
    match why {
        UnreadUnits::Syntax(_) => "drop what follows the `#`; where that line is no valid source, mend it",
        UnreadUnits::Large => "split the file, or drop what follows the `#`",
        UnreadUnits::NotBuilt => "use a program that is built with the feature `units`",
        UnreadUnits::Language(_) | UnreadUnits::Binary | UnreadUnits::Costly => "drop what follows the `#`",
    }
}

#[cfg(all(test, feature = "units"))]
mod tests {
    use crate::finding::RuleId;
    use crate::rules::tests::case::{Case, FILE, SOURCE, WORKS};

    #[test]
    fn a_file_of_which_nobody_can_tell_the_units_is_named_once() {
        let list = "[src/a.zig#f, src/a.zig#g, src/b.rs#f]";
        let unread = Case::new()
            .with(FILE, WORKS.replace(SOURCE, list))
            .with("src/a.zig", "fn f() {}\n")
            .with("src/b.rs", "fn f() {}\n)))\n");
        insta::assert_snapshot!(unread.told(RuleId::SelectorUnread), @"
        src/a.zig: warning[selector-unread]: the whole file is compared: no units known for .zig
            help: not narrowed by #f, #g: drop what follows the `#`
        src/b.rs:2: warning[selector-unread]: the whole file is compared: the grammar cannot read it at line 2
            help: not narrowed by #f: drop what follows the `#`; where that line is no valid source, mend it
        ");
        assert_eq!(unread.told(RuleId::YatsuSchema), "", "it is the reader's fault");
    }
}
