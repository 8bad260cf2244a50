//! The event graph in lines for people. All text from a repository is escaped here.

use crate::features::graph::model::answer::{DiffRow, GraphDetail, GraphHead, GraphLine, GraphSummary, GraphTree};
use crate::report::view::Style;
use crate::text::escape::{clip, terminal};
use crate::text::plural;
use owo_colors::OwoColorize;
use std::io::{self, Write};

/// The longest value of a prop in characters; longer ones are clipped. `--format json` has the whole value.
const MOST_VALUE: usize = 200;

/// Writes only the digest, for scripts that compare it.
pub(crate) fn write_digest(head: &GraphHead, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{}", head.digest)
}

/// The end of every answer: the digest, and whether the graph is incomplete.
fn write_head(head: &GraphHead, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let said = format!("version {}, digest {}", head.version, head.digest);
    writeln!(out, "{}", if style.color { said.dimmed().to_string() } else { said })?;
    let Some(first) = head.partial.first() else { return Ok(()) };
    let more = head.unlisted.saturating_add(head.partial.len() as u64);
    let place = format!("{}:{}: {}", first.path, first.line, first.message);
    let places = plural(usize::try_from(more).unwrap_or(usize::MAX), "place");
    let (place, check) = (terminal(&place), terminal(&head.check));
    writeln!(out, "partial: {places} not in the graph, the first {place}: {check}")
}

/// A summary of a graph in a few lines.
pub(crate) fn write_summary(
    summary: &GraphSummary,
    head: &GraphHead,
    style: &Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    for (kind, count) in &summary.kinds {
        writeln!(out, "{count:>8}  {}", terminal(kind))?;
    }
    writeln!(out, "{:>8}  relations", summary.relations)?;
    match summary.open.len() {
        0 => writeln!(out, "no open failure")?,
        open => writeln!(out, "{}:", plural(open, "open failure"))?,
    }
    summary.open.iter().try_for_each(|open| write_line(open, style, out))?;
    write_head(head, style, out)
}

/// Nodes, one per line.
pub(crate) fn write_lines(lines: &[GraphLine], head: &GraphHead, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    lines.iter().try_for_each(|line| write_line(line, style, out))?;
    write_head(head, style, out)
}

/// Everything about one node.
pub(crate) fn write_detail(
    detail: &GraphDetail,
    head: &GraphHead,
    style: &Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    write_line(&detail.node, style, out)?;
    writeln!(out, "  kind: {}", terminal(&detail.kind))?;
    for (key, value) in &detail.props {
        writeln!(out, "  {}: {}", terminal(key), terminal(&*clip(value, MOST_VALUE)))?;
    }
    for (arrow, lines) in [("->", &detail.out), ("<-", &detail.into)] {
        for line in lines {
            let rel = line.rel.as_deref().unwrap_or_default();
            writeln!(out, "  {arrow} {} {}{}", terminal(rel), terminal(&line.id), said(&line.about))?;
        }
    }
    write_head(head, style, out)
}

/// Trees. The first line of a tree has no relation.
pub(crate) fn write_trees(trees: &[GraphTree], head: &GraphHead, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    for tree in trees {
        if let Some(title) = tree.title {
            let said = format!("{title}:");
            writeln!(out, "{}", if style.color { said.bold().to_string() } else { said })?;
        }
        tree.lines.iter().try_for_each(|line| write_line(line, style, out))?;
    }
    write_head(head, style, out)
}

/// The nodes and relations that were added, removed or changed.
pub(crate) fn write_diff(rows: &[DiffRow], digests: [&str; 2], style: &Style, out: &mut dyn Write) -> io::Result<()> {
    for row in rows {
        let text = format!("{} {}", row.mark, terminal(&row.text));
        let colored = match row.mark {
            _ if !style.color => text,
            '+' => text.green().to_string(),
            '-' => text.red().to_string(),
            _ => text.yellow().to_string(),
        };
        writeln!(out, "{colored}")?;
    }
    writeln!(out, "digest {} -> {}", digests[0], digests[1])
}

fn write_line(line: &GraphLine, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let rel = line.rel.as_deref().map(|rel| format!("{} ", terminal(rel))).unwrap_or_default();
    let rel = if style.color { rel.dimmed().to_string() } else { rel };
    writeln!(out, "{:indent$}{rel}{}{}", "", terminal(&line.id), said(&line.about), indent = line.depth * 2)
}

fn said(about: &str) -> String {
    if about.is_empty() { String::new() } else { format!("  ({})", terminal(about)) }
}
