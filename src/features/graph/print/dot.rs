//! A graph in the DOT language of Graphviz. Names come from repositories, so each stands between quotes, and the characters
//! that Graphviz would interpret are escaped.

use super::{drawn, legend};
use crate::features::graph::model::answer::{GraphContent, GraphNodeRow, NodeLook};
use crate::text::escape::terminal;
use std::io::{self, Write};

pub(crate) fn write(content: &dyn GraphContent, out: &mut dyn Write) -> io::Result<()> {
    let head = content.head();
    writeln!(out, "// version {}, digest {}", head.version, head.digest)?;
    writeln!(out, "digraph yatsu {{\n  rankdir=LR;\n  node [shape=box];")?;
    let legend = legend(content)?;
    if !legend.is_empty() {
        writeln!(out, "  labelloc=t;\n  label={};", quoted(&[&legend]))?;
    }
    let out = std::cell::RefCell::new(out);
    drawn(
        content,
        &mut |number, row, name| node(number, row, name, *out.borrow_mut()),
        &mut |number, id| writeln!(out.borrow_mut(), "  n{number} [label={}, shape=plaintext];", quoted(&[id])),
        &mut |[from, to], rel| writeln!(out.borrow_mut(), "  n{from} -> n{to} [label={}];", quoted(&[rel])),
    )?;
    writeln!(out.into_inner(), "}}")
}

fn node(number: usize, row: &GraphNodeRow<'_>, name: &str, out: &mut dyn Write) -> io::Result<()> {
    let look = match row.look {
        NodeLook::Plain => "",
        NodeLook::Stale => ", style=dashed",
        NodeLook::Open => ", color=red",
        NodeLook::Buried => ", style=dotted, fontcolor=gray",
    };
    let shape = match row.kind {
        "goal" => ", shape=hexagon",
        "decision" => ", shape=diamond",
        "failure" => ", shape=octagon",
        _ => "",
    };
    let label = if row.about.is_empty() { quoted(&[name]) } else { quoted(&[name, &row.about]) };
    writeln!(out, "  n{number} [label={label}, tooltip={}{shape}{look}];", quoted(&[row.id]))
}

/// The lines as one quoted label. `\` would begin an escape that Graphviz replaces by names of its own, and `&` an entity.
fn quoted(lines: &[&str]) -> String {
    let mut label = String::from("\"");
    for (at, line) in lines.iter().enumerate() {
        if at > 0 {
            label.push_str("\\n");
        }
        for c in terminal(line).chars() {
            match c {
                '\\' => label.push_str("\\\\"),
                '"' => label.push_str("\\\""),
                '&' => label.push_str("&amp;"),
                '<' => label.push_str("&lt;"),
                '>' => label.push_str("&gt;"),
                c => label.push(c),
            }
        }
    }
    label.push('"');
    label
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_ends_a_label_before_its_end() {
        assert_eq!(
            quoted(&["a\"b\\N&lt;<b>\n\u{1b}[31m\u{202e}é", "x"]),
            "\"a\\\"b\\\\N&amp;lt;&lt;b&gt;\\\\n\\\\u{1b}[31m\\\\u{202e}é\\nx\""
        );
    }
}
