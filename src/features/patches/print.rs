//! Patches for people and programs. Machine form: `yatsu-hook/patches/v1` (schema/patches.v1.schema.json), one JSON object
//! for every verb. People read one line per branch, or one branch as a block.

use crate::features::patches::model::answer::{EvalRow, PatchDecisionRow, PatchRow, TouchRow};
use crate::report::Style;
use crate::report::shown;
use crate::text::escape::terminal;
use crate::text::{plural, shell};
use owo_colors::OwoColorize;
use serde::Serialize;
use std::io::{self, Write};

/// The version of the format, for programs that read only a number.
const VERSION: u32 = 1;
/// How many characters of a commit id people see.
const SHORT: usize = 12;
/// How many paths in conflict people see.
const SHOWN: usize = 10;

#[derive(Serialize)]
#[serde(tag = "schema", rename = "yatsu-hook/patches/v1")]
struct PatchesJson<'a> {
    version: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    decision: Option<&'a PatchDecisionRow>,
    patches: &'a [PatchRow],
}

/// The machine form of patches, and of the decision that was just made about one.
pub(crate) fn write_json(
    patches: &[PatchRow],
    decision: Option<&PatchDecisionRow>,
    out: &mut dyn Write,
) -> io::Result<()> {
    crate::report::write_json(&PatchesJson { version: VERSION, decision, patches }, out)
}

/// The decision that was made, in one line.
pub(crate) fn write_decision(row: &PatchDecisionRow, out: &mut dyn Write) -> io::Result<()> {
    let (decision, branch) = (row.decision, shown(&row.branch));
    let what = format!("{decision} of {branch} @ {} at {}", short(&row.commit), row.ts);
    match row.is_new {
        true => {
            let ledgers: Vec<String> = row.ledgers.iter().map(shell::place).collect();
            writeln!(out, "recorded {what}; git add {}", ledgers.join(" "))
        }
        false => writeln!(out, "already recorded {what}; nothing was written"),
    }
}

/// Patches, one line each; a sentence if there are none.
pub(crate) fn write_list(rows: &[PatchRow], main: &str, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    if rows.is_empty() {
        return writeln!(out, "no branch has a commit that {} lacks or lacked", shown(main));
    }
    let width = |text: &str| shown(text).chars().count();
    let branches = rows.iter().map(|row| width(&row.branch)).max().unwrap_or_default();
    let states = rows.iter().map(|row| width(row.state)).max().unwrap_or_default();
    for row in rows {
        let branch = shown(&row.branch);
        let branch = format!("{branch}{}", " ".repeat(branches.saturating_sub(branch.chars().count())));
        let state = painted(&format!("{:states$}", row.state), row.state, style);
        writeln!(out, "{branch}  {state}  {}", terminal(&row.reason))?;
    }
    Ok(())
}

/// One patch as a block.
pub(crate) fn write_one(row: &PatchRow, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let (branch, state) = (shown(&row.branch), painted(row.state, row.state, style));
    let since = row.base.as_deref().map(|base| format!(" since {}", short(base))).unwrap_or_default();
    writeln!(out, "{branch}   {state}   {}{since}, {}", short(&row.tip), plural(row.files, "file"))?;
    writeln!(out, "  {}", terminal(&row.reason))?;
    for touch in &row.touches {
        writeln!(out, "  touches    {}/{}: {}", shown(&touch.node.id), shown(&touch.scenario), reading(touch))?;
        for path in &touch.moved {
            writeln!(out, "             moved in {}: {}", shown(&row.main), shown(path))?;
        }
    }
    for path in row.conflicts.iter().take(SHOWN) {
        writeln!(out, "  conflict   {}", shown(path))?;
    }
    if let Some(more) = row.conflicts.len().checked_sub(SHOWN).filter(|more| *more > 0) {
        writeln!(out, "             and {more} more")?;
    }
    for one in &row.decisions {
        let about = if one.is_current { "" } else { ", about other content" };
        let (by, reason) = (shown(&one.by), shown(&one.reason));
        writeln!(out, "  decision   {} by {by} at {}{about} ({reason})", one.decision, one.ts)?;
    }
    if let Some(proof) = row.proof {
        writeln!(out, "  proof      {proof}")?;
    }
    match row.next.as_slice() {
        [] => Ok(()),
        next => writeln!(out, "  next       {}", next.join(", ")),
    }
}

/// The reading of a touched scenario in words.
fn reading(touch: &TouchRow) -> String {
    let Some(EvalRow { ts, by, is_fresh, is_own, is_pass, .. }) = &touch.eval else { return "no reading".to_owned() };
    let verdict = if *is_pass { "pass" } else { "fail" };
    let freshness = if *is_fresh { "fresh" } else { "stale" };
    let place = if *is_own { "filed on it" } else { "filed before it" };
    let by = by.as_ref().map(|by| format!(" by {}", shown(by))).unwrap_or_default();
    format!("{freshness} {verdict}, {place}{by} at {ts}")
}

fn short(id: &str) -> &str {
    id.get(..SHORT).unwrap_or(id)
}

fn painted(text: &str, state: &str, style: &Style) -> String {
    match state {
        _ if !style.color => text.to_owned(),
        "Approved" | "Promoted" => text.green().bold().to_string(),
        "Rejected" | "Conflicted" => text.red().bold().to_string(),
        "Stale" => text.yellow().bold().to_string(),
        _ => text.bold().to_string(),
    }
}
