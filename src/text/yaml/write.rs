//! Scalars in the spelling of this program: bare if every reader reads the same text, otherwise in double quotes as in
//! JSON, which every YAML reader understands. What a terminal would obey or not show is escaped, for example `\u202e`.

use super::{Resolved, YamlKind, parse};
use crate::text::escape::terminal;
use crate::text::frontmatter::Frontmatter;

/// `text` as a value of a map or an item of a list in brackets.
pub(crate) fn scalar(text: &str) -> String {
    if is_bare(text) { text.to_owned() } else { quoted(text) }
}

pub(crate) fn quoted(text: &str) -> String {
    let json = serde_json::Value::from(text).to_string();
    if terminal(&json) == json {
        return json;
    }
    json.chars().map(escaped).collect()
}

/// `c`, or its escape if a terminal would obey it or not show it.
fn escaped(c: char) -> String {
    let (text, code) = (c.to_string(), u32::from(c));
    match terminal(&text) == text {
        true => text,
        false if code <= 0xffff => format!("\\u{code:04x}"),
        false => format!("\\U{code:08x}"),
    }
}

/// Whether the text has only letters, digits, `_ - . /` and inner blanks, and YAML reads it as exactly this text.
fn is_bare(text: &str) -> bool {
    let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '/' | ' ');
    let has_edge = text.starts_with(' ') || text.ends_with(' ') || text.is_empty();
    !has_edge
        && text.chars().all(is_plain)
        && terminal(text) == text
        && is_text(text, &format!("[{text}]\n"))
        && is_text(text, &format!("- {text}\n"))
}

/// Whether the list `block` holds only the text `wanted`.
fn is_text(wanted: &str, block: &str) -> bool {
    let parsed = parse(&Frontmatter { block: block.as_bytes(), offset: 0, first_line: 1 });
    let Some(YamlKind::Sequence(items)) = parsed.value.map(|value| value.kind) else { return false };
    let [item] = &items[..] else { return false };
    let YamlKind::Scalar(scalar) = &item.kind else { return false };
    parsed.faults.is_empty() && scalar.resolved == Resolved::Text && scalar.text == wanted
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::escape::is_bidi;
    use proptest::prelude::*;

    #[test]
    fn bare_is_what_nobody_can_misread() {
        for text in ["works", "src/a.rs", "a b.rs", "\u{e9}", "yes.rs", "-x.rs", "no", "Say what to do."] {
            assert_eq!(scalar(text), text);
        }
        let others = [
            "", " a", "a ", "a, b.rs", "# x", "true", "null", "1.5", "-", "- x", "*", "a: b", "it's", "a#b", "\"", "\\",
        ];
        for text in others {
            assert_eq!(scalar(text), serde_json::Value::from(text).to_string());
            assert!(is_text(text, &format!("[{}]\n", quoted(text))), "{text}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read_as_itself_and_does_nothing_to_a_terminal(text in "\\PC*|.*|[\u{0}-\u{a0}\u{2028}\u{feff}\u{e0041}]*") {
            let is_refused = |c: char| (c.is_control() && !matches!(c, '\n' | '\t')) || is_bidi(c);
            let text = text.replace(is_refused, "");
            let written = scalar(&text);
            prop_assert_eq!(terminal(&written), written.as_str());
            prop_assert!(is_text(&text, &format!("- {written}\n")), "{}", written);
        }
    }
}
