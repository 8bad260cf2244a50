//! The machine forms of the event graph: `yatsu-hook/graph/v1`, one JSON object for every verb; and the ops, one per
//! line.

use crate::features::graph::model::answer::{DiffRow, EachNode, EachRelation, GraphContent, GraphHead};
use crate::report::inert_json;
use std::io::{self, Write};

/// The name of the format.
const SCHEMA: &str = "yatsu-hook/graph/v1";

/// Writes a graph, or a part of one.
pub(crate) fn write(content: &dyn GraphContent, out: &mut dyn Write) -> io::Result<()> {
    begin(content.head(), out)?;
    let out = std::cell::RefCell::new(out);
    write!(out.borrow_mut(), ",\"nodes\":[")?;
    let mut at = 0;
    let each: EachNode<'_> = &mut |row| item(&mut at, &row.json, *out.borrow_mut());
    content.nodes(each)?;
    write!(out.borrow_mut(), "],\"relations\":[")?;
    at = 0;
    let each: EachRelation<'_> = &mut |row| item(&mut at, &row.json, *out.borrow_mut());
    content.relations(each)?;
    writeln!(out.into_inner(), "]}}")
}

/// Writes the digest alone.
pub(crate) fn write_digest(head: &GraphHead, out: &mut dyn Write) -> io::Result<()> {
    begin(head, out)?;
    writeln!(out, "}}")
}

/// Writes the difference between two graphs, with the head of the later one.
pub(crate) fn write_diff(
    rows: &[DiffRow],
    before: &GraphHead,
    after: &GraphHead,
    out: &mut dyn Write,
) -> io::Result<()> {
    begin(after, out)?;
    write!(out, ",\"before\":{{\"version\":{},\"digest\":\"{}\"}}", before.version, before.digest)?;
    for (key, mark) in [("added", '+'), ("removed", '-'), ("changed", '~')] {
        write!(out, ",\"{key}\":{{\"nodes\":[")?;
        listed(rows, mark, false, out)?;
        write!(out, "],\"relations\":[")?;
        listed(rows, mark, true, out)?;
        write!(out, "]}}")?;
    }
    writeln!(out, "}}")
}

/// Writes ops, one per line. `lines` holds only complete lines.
pub(crate) fn write_ops(lines: &[u8], out: &mut dyn Write) -> io::Result<()> {
    let text = String::from_utf8_lossy(lines);
    text.split_inclusive('\n').try_for_each(|line| out.write_all(inert_json(line.to_owned()).as_bytes()))
}

fn listed(rows: &[DiffRow], mark: char, relations: bool, out: &mut dyn Write) -> io::Result<()> {
    let mut at = 0;
    for row in rows.iter().filter(|row| row.mark == mark && row.is_relation == relations) {
        match &row.before {
            None => item(&mut at, &row.json, out)?,
            Some(before) => item(&mut at, &format!("{{\"after\":{},\"before\":{before}}}", row.json), out)?,
        }
    }
    Ok(())
}

fn begin(head: &GraphHead, out: &mut dyn Write) -> io::Result<()> {
    write!(out, "{{\"schema\":\"{SCHEMA}\",\"version\":{},\"digest\":\"{}\"", head.version, head.digest)?;
    write!(out, ",\"partial\":[")?;
    let mut at = 0;
    for row in &head.partial {
        item(&mut at, &serde_json::to_string(row)?, out)?;
    }
    write!(out, "]")?;
    match head.unlisted {
        0 => Ok(()),
        unlisted => write!(out, ",\"unlisted\":{unlisted}"),
    }
}

fn item(at: &mut usize, json: &str, out: &mut dyn Write) -> io::Result<()> {
    if *at > 0 {
        out.write_all(b",")?;
    }
    *at += 1;
    out.write_all(inert_json(json.to_owned()).as_bytes())
}
