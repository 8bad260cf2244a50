//! A graph in the language of Mermaid. Names come from repositories: a label holds letters, digits and a few marks that
//! mean nothing to Mermaid. Every other character is written as its number.

use super::{drawn, legend};
use crate::features::graph::model::answer::{GraphContent, GraphNodeRow, NodeLook};
use crate::text::escape::terminal;
use std::io::{self, Write};

/// Marks that Mermaid does not interpret between quotes.
const PLAIN: &str = " .,:/@_-+()=~";

pub(crate) fn write(content: &dyn GraphContent, out: &mut dyn Write) -> io::Result<()> {
    let head = content.head();
    // Mermaid reads a title only before everything else
    let legend = legend(content)?;
    if !legend.is_empty() {
        writeln!(out, "---\ntitle: \"{legend}\"\n---")?;
    }
    writeln!(out, "%% version {}, digest {}\nflowchart LR", head.version, head.digest)?;
    let out = std::cell::RefCell::new(out);
    drawn(
        content,
        &mut |number, row, name| node(number, row, name, *out.borrow_mut()),
        &mut |number, id| writeln!(out.borrow_mut(), "  n{number}[\"{}\"]:::absent", escaped(id)),
        &mut |[from, to], rel| writeln!(out.borrow_mut(), "  n{from} -- \"{}\" --> n{to}", escaped(rel)),
    )?;
    let out = out.into_inner();
    writeln!(out, "  classDef stale stroke-dasharray: 5 5")?;
    writeln!(out, "  classDef open stroke:#c00,stroke-width:2px")?;
    writeln!(out, "  classDef buried stroke-dasharray: 2 4,color:#888")?;
    writeln!(out, "  classDef absent stroke:none")
}

fn node(number: usize, row: &GraphNodeRow<'_>, name: &str, out: &mut dyn Write) -> io::Result<()> {
    let (open, close) = match row.kind {
        "goal" => ("{{", "}}"),
        "decision" => ("{", "}"),
        "failure" => ("([", "])"),
        _ => ("[", "]"),
    };
    let class = match row.look {
        NodeLook::Plain => "",
        NodeLook::Stale => ":::stale",
        NodeLook::Open => ":::open",
        NodeLook::Buried => ":::buried",
    };
    let about = if row.about.is_empty() { String::new() } else { format!("<br/>{}", escaped(&row.about)) };
    writeln!(out, "  n{number}{open}\"{}{about}\"{close}{class}", escaped(name))
}

/// A text escaped for a quoted label. `#`, `;`, `"`, backticks and brackets all mean something to Mermaid somewhere.
fn escaped(text: &str) -> String {
    let mut label = String::new();
    for c in terminal(text).chars() {
        if c.is_alphanumeric() || PLAIN.contains(c) {
            label.push(c);
        } else {
            label.push_str(&format!("#{};", c as u32));
        }
    }
    label
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_holds_nothing_that_mermaid_reads() {
        assert_eq!(escaped("goal:.spec/a-b"), "goal:.spec/a-b");
        assert_eq!(escaped("\"#`;<b>]}\n%%é"), "#34;#35;#96;#59;#60;b#62;#93;#125;#92;n#37;#37;é");
        assert!(!escaped("\u{202e}\u{0}").contains(['\u{202e}', '\u{0}']));
    }
}
