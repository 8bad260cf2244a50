//! Scalars in the spelling of this program: bare if every reader reads the same text, otherwise in double quotes as in
//! JSON, which every YAML reader understands.

use super::{Resolved, YamlKind, parse};
use crate::text::frontmatter::Frontmatter;

/// `text` as a value of a map or an item of a list in brackets.
pub(crate) fn scalar(text: &str) -> String {
    if is_bare(text) { text.to_owned() } else { quoted(text) }
}

pub(crate) fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// Whether the text has only letters, digits, `_ - . /` and inner blanks, and YAML reads it as exactly this text.
fn is_bare(text: &str) -> bool {
    let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '/' | ' ');
    let has_edge = text.starts_with(' ') || text.ends_with(' ') || text.is_empty();
    !has_edge
        && text.chars().all(is_plain)
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
}
