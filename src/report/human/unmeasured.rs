//! Unmeasured scenarios for people: one line for all of them, with the command that measures them one after the other,
//! because each of them needs the same work. Errors keep their own lines, because each of them blocks.

use super::listing::Listing;
use super::tag;
use crate::finding::{Finding, Level, Origin, RuleId};
use crate::report::about;
use crate::report::view::Style;
use crate::text::{escape, plural};
use std::collections::BTreeMap;
use std::io::{self, Write};

/// How many scenarios one line names by default.
const NAMED: usize = 10;

/// The command that lists them all.
const ALL: &str = "yatsu-hook ls --unmeasured";

/// Splits off the findings that share a line: one list per level and reason. The others keep their order. A single finding
/// stays with the others, because its own line says more.
pub(super) fn apart<'f>(findings: Vec<&'f Finding>, style: &Style) -> (Vec<Vec<&'f Finding>>, Vec<&'f Finding>) {
    let key = |finding: &'f Finding| {
        let is_advice = finding.level != Level::Error && finding.origin != Some(Origin::Fixed);
        let is_one = finding.rule == RuleId::YatsuMissing && is_advice && finding.renamed_from.is_none();
        (is_one && !style.verbose).then_some((finding.level, finding.message.as_str()))
    };
    let mut together: BTreeMap<(Level, &str), Vec<&Finding>> = BTreeMap::new();
    for finding in &findings {
        if let Some(key) = key(finding) {
            together.entry(key).or_default().push(finding);
        }
    }
    together.retain(|_, same| same.len() > 1);
    let is_alone = |finding: &&'f Finding| key(finding).is_none_or(|key| !together.contains_key(&key));
    let others = findings.iter().copied().filter(is_alone).collect();
    (together.into_values().collect(), others)
}

/// Writes one such list. Uncut findings are all named.
pub(super) fn write(together: &[&Finding], listing: Listing, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let uncut = together.iter().filter(|finding| listing.is_uncut(finding)).count();
    let most = if listing.singles == usize::MAX { together.len() } else { listing.singles.min(NAMED).max(uncut) };
    let names: Vec<String> = together.iter().take(most).filter_map(|finding| about(finding)).collect();
    let more = together.len().saturating_sub(most);
    let more = if more == 0 { String::new() } else { format!(" and {more} more: {ALL}") };
    let (count, message) = (plural(together.len(), "scenario"), escape::terminal(&together[0].message));
    writeln!(out, "{} {count} {message}: {}{more}", tag(together[0], style), escape::terminal(&names.join(", ")))?;
    writeln!(out, "    help: what to measure now: yatsu-hook next")
}
