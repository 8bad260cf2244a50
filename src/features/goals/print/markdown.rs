//! Goals as Markdown, for a comment on a pull request or the summary of a CI step.

use crate::features::goals::model::rows::GoalRow;
use crate::finding::Verdict;
use crate::report::markdown::{AFTER, MOST, cell, head};
use std::io::{self, Write};

/// `goal check`: one row per goal.
pub(crate) fn write_goals(rows: &[GoalRow], out: &mut dyn Write) -> io::Result<()> {
    let verdict = if rows.iter().all(|row| row.is_fine) { Verdict::Pass } else { Verdict::Fail };
    let mut text = head(verdict);
    text += "\n### Goals\n\n| node | status | goal | trust | next |\n|---|---|---|---|---|\n";
    for (at, row) in rows.iter().enumerate() {
        let gates = row.gates.as_ref();
        let goal = gates.map(|gates| gates.goal).unwrap_or_default();
        let trust = gates.map(|gates| format!("{} of 100 ({} is enough)", gates.trust.score, gates.trust.threshold));
        let next: Vec<String> = row.next.iter().map(|next| cell(&next.sentence())).collect();
        let (node, trust) = (cell(&row.node.id), trust.unwrap_or_default());
        let line = format!("| {node} | {} | {goal} | {trust} | {} |\n", row.status, next.join("<br>"));
        if text.len() + line.len() > MOST - AFTER {
            text += &format!("\nand {} more\n", rows.len() - at);
            break;
        }
        text += &line;
    }
    out.write_all(text.as_bytes())
}
