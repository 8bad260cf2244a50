//! The costs of readings, for people and programs: totals beside limits, with bars for people. Machine form:
//! `yatsu-hook/usage/v1` (schema/usage.v1.schema.json).

use super::view::Style;
use super::view::usage::{AmountRow, UsageReport};
use crate::text::escape::terminal;
use crate::text::plural;
use owo_colors::OwoColorize;
use std::io::{self, Write};

/// How many characters a bar has.
const BAR: u64 = 20;

/// Runs first, then scenarios, each with its amounts.
pub(crate) fn write(report: &UsageReport, style: &Style, bars: bool, out: &mut dyn Write) -> io::Result<()> {
    if report.runs.is_empty() && report.scenarios.is_empty() {
        return writeln!(out, "no reading has a cost");
    }
    for run in &report.runs {
        let over = if run.over_budget { ", over its budget" } else { "" };
        writeln!(out, "run {}  {}{over}", terminal(&run.run), plural(run.readings, "reading"))?;
        run.amounts.iter().try_for_each(|row| write_amount(row, "", style, bars, out))?;
    }
    for scenario in &report.scenarios {
        let since = |ts: &String| format!(", over its budget since {ts}");
        let over = scenario.breached_at.as_ref().map_or(String::new(), since);
        let name = format!("{}/{}", scenario.node.id, scenario.scenario);
        writeln!(out, "{}  {}{over}", terminal(&name), plural(scenario.readings, "reading"))?;
        for row in &scenario.amounts {
            let at_most = if scenario.readings > 1 && row.total.is_some() { " at most" } else { "" };
            write_amount(row, at_most, style, bars, out)?;
        }
    }
    Ok(())
}

/// One amount: the number that counts, its limit, and the total of all readings if that is another number.
fn write_amount(row: &AmountRow, at_most: &str, style: &Style, bars: bool, out: &mut dyn Write) -> io::Result<()> {
    let counted = row.counted().map_or_else(|| "-".to_owned(), |amount| amount.to_string());
    let limit = row.limit.map_or(String::new(), |limit| format!(" of {limit}"));
    let total = row.total.filter(|_| row.total != row.counted()).map_or(String::new(), |all| format!(", {all} in all"));
    let bar = row.limit.filter(|_| bars).map_or(String::new(), |limit| bar(row.counted().unwrap_or(0), limit, style));
    writeln!(out, "  {bar}{:<22} {counted}{limit}{at_most}{total}", row.metric)
}

/// A bar of the spent part of the limit. Over the limit the bar is full, and its colour shows the breach.
fn bar(counted: u64, limit: u64, style: &Style) -> String {
    let parts = match limit {
        0 => u64::from(counted > 0) * BAR,
        // in 128 bits, because the product of two large numbers overflows 64
        _ => u64::try_from(u128::from(counted) * u128::from(BAR) / u128::from(limit)).unwrap_or(BAR).min(BAR),
    };
    let (full, free) = ("#".repeat(parts as usize), "-".repeat((BAR - parts) as usize));
    let full = match (style.color, counted > limit) {
        (false, _) => full,
        (true, true) => full.red().to_string(),
        (true, false) => full.green().to_string(),
    };
    format!("[{full}{free}] ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_is_as_full_as_the_limit_is_spent() {
        let plain = Style {
            color: false,
            verbose: false,
            quiet: false,
            ascii: false,
            width: None,
            describe: |_| unreachable!("no rule is told of"),
        };
        let full = |counted, limit| bar(counted, limit, &plain).matches('#').count();
        assert_eq!([full(0, 100), full(50, 100), full(99, 100), full(100, 100), full(101, 100)], [0, 10, 19, 20, 20]);
        assert_eq!([full(0, 0), full(1, 0), full(u64::MAX, u64::MAX), full(u64::MAX, 1)], [0, 20, 20, 20]);
    }
}
