//! Valid text that a grammar takes for an error. It is replaced by other text of the same length and the same meaning
//! before parsing; names and bytes of units come from the source itself.

use std::borrow::Cow;
use tree_sitter::Tree;

/// Names that the Rust grammar takes for types before it looks for a macro.
const PRIMITIVE_TYPES: [&str; 17] = [
    "u8", "i8", "u16", "i16", "u32", "i32", "u64", "i64", "u128", "i128", "isize", "usize", "f32", "f64", "bool",
    "str", "char",
];

/// `source` with macros named like a primitive type renamed: `str![…]` becomes `_tr![…]`. In a string or a comment the
/// change is harmless, because no letter ends either of them.
pub(super) fn without_primitive_macros(source: &[u8]) -> Cow<'_, [u8]> {
    let mut plain = Cow::Borrowed(source);
    for (at, _) in source.iter().enumerate().filter(|(_, byte)| **byte == b'!') {
        let calls = source[at + 1..].trim_ascii_start().first().is_some_and(|next| b"([{".contains(next));
        let before = if calls { source[..at].trim_ascii_end() } else { b"" };
        let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_' || *byte >= 0x80;
        let longest = PRIMITIVE_TYPES.iter().map(|name| name.len()).max().unwrap_or_default();
        let length = before.iter().rev().take(longest + 1).take_while(|byte| is_word(byte)).count();
        let start = before.len() - length;
        if PRIMITIVE_TYPES.iter().any(|name| name.as_bytes() == &before[start..]) {
            plain.to_mut()[start] = b'_';
        }
    }
    plain
}

/// `source` with a name in place of every `import('…')` in `tree`, which has an error: the TypeScript grammar does not
/// accept such a call in many places of a type. `None` if there is none.
pub(super) fn without_imported_types(tree: &Tree, source: &[u8]) -> Option<Vec<u8>> {
    let mut plain = None;
    let mut cursor = tree.walk();
    loop {
        let node = cursor.node();
        let called = node.child_by_field_name("function").filter(|_| node.kind() == "call_expression");
        if let Some(import) = called.filter(|called| called.kind() == "import") {
            let plain: &mut Vec<u8> = plain.get_or_insert_with(|| source.to_vec());
            plain[import.byte_range()].fill(b'_');
            // line ends stay, because the end of a statement can depend on them
            let arguments = plain[import.end_byte()..node.end_byte()].iter_mut();
            arguments.filter(|byte| **byte != b'\n').for_each(|byte| *byte = b' ');
        }
        if cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return plain;
            }
        }
    }
}
