//! The types of a language's table.

use tree_sitter::Node as SyntaxNode;
use tree_sitter_language::LanguageFn;

/// A node in its file, with the nodes around it.
pub(super) struct NodePlace<'a, 't> {
    pub(super) node: SyntaxNode<'t>,
    /// The nodes around it, the innermost last.
    pub(super) above: &'a [SyntaxNode<'t>],
    pub(super) source: &'t [u8],
}

impl<'t> NodePlace<'_, 't> {
    /// The text of a node; empty if it is not UTF-8, because such a name could not be typed.
    pub(super) fn text(&self, node: SyntaxNode<'t>) -> &'t str {
        node.utf8_text(self.source).unwrap_or_default()
    }

    /// The ancestor `steps` levels above the parent; 0 is the parent.
    pub(super) fn above(&self, steps: usize) -> Option<SyntaxNode<'t>> {
        self.above.iter().rev().nth(steps).copied()
    }

    /// Whether only blanks precede the node on its line.
    pub(super) fn is_at_line_start(&self) -> bool {
        let before = &self.source[..self.node.start_byte()];
        before.iter().rev().take_while(|byte| **byte != b'\n').all(u8::is_ascii_whitespace)
    }
}

/// A kind of node and one of its meanings.
pub(super) type NodeRow = (&'static str, NodeMeaning);

/// A language: its grammar, and the meaning of its nodes.
pub(super) struct Grammar {
    pub(super) parser: LanguageFn,
    /// The meaning of its nodes. A node without a row is only walked through.
    pub(super) rows: &'static [NodeRow],
    /// The normalised spelling of a name: `type` for `r#type`.
    pub(super) spelled: fn(&str) -> String,
}

impl Grammar {
    /// All meanings of this kind of node. The rows of a kind are adjacent.
    pub(super) fn node(&self, kind: &str) -> &'static [NodeRow] {
        self.rows.chunk_by(|one, other| one.0 == other.0).find(|rows| rows[0].0 == kind).unwrap_or_default()
    }
}

/// The meaning of a node in a syntax tree.
pub(super) enum NodeMeaning {
    /// A declaration with the names that the function returns; none if it declares nothing with a name.
    Unit(&'static str, UnitRole, fn(&NodePlace<'_, '_>) -> Vec<String>),
    /// A statement: its bytes belong to the declarations directly in it, if the function says so: `export`, decorators,
    /// `const a = 1, b = 2`.
    Statement(fn(&NodePlace<'_, '_>) -> bool),
    /// A further piece of existing units: it binds, extends or deletes the named things. Without a unit of the name it
    /// creates none, for example `X.append(1)` with an imported `X`.
    Extends(NameReach, fn(&NodePlace<'_, '_>) -> Vec<String>),
    /// The same for the text before the body alone: the head of an `impl`.
    HeadExtends(fn(&NodePlace<'_, '_>) -> Vec<String>),
    /// From here to the end of the function or class these names mean the names of the file: `global`.
    Global(fn(&NodePlace<'_, '_>) -> Vec<String>),
    /// Code: variables in it are no units.
    Body,
    /// Code that runs in place: variables in it are no units, and its assignments extend the units around it.
    Initializer,
    /// No unit itself, but a prefix for the names in it: `impl`.
    Scope(fn(&NodePlace<'_, '_>) -> Vec<String>),
    /// Possibly part of the following declaration, for example an attribute or a directive. The function says whether it
    /// is, and which text would separate the two.
    Leading(fn(&NodePlace<'_, '_>) -> Option<Parting>),
    /// The start of a text that follows on the lines below, outside of the surrounding node: a heredoc.
    Below,
    /// The text itself. Several texts follow in the order of their starts.
    Text,
}

/// Where an extended name is looked up.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum NameReach {
    /// Only here: an import binds a new name, even if an outer scope has the same name.
    Here,
    /// Here, otherwise in the surrounding scopes, the nearest first.
    Around,
}

/// The text that separates a declaration from an attribute or a directive before it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Parting {
    BlankLine,
    /// Only another declaration.
    Nothing,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum UnitRole {
    /// Code: variables in it are no units.
    Function,
    /// A type or a module.
    Type,
    /// A value; inside a function it is no unit.
    Variable,
    /// A value that a statement binds as a side effect; no other name gets it as a prefix. `for`, `with … as`.
    Beside,
    /// A second name for the declaration in it, with the same bytes: `export default`.
    Alias,
}

/// For a language with one spelling per name.
pub(super) fn as_written(name: &str) -> String {
    name.to_owned()
}

/// For an attribute, which only another declaration can separate from its target.
pub(super) fn attached(_: &NodePlace<'_, '_>) -> Option<Parting> {
    Some(Parting::Nothing)
}

/// For a statement that always belongs to its declarations.
pub(super) fn always(_: &NodePlace<'_, '_>) -> bool {
    true
}

/// For a block, which is no statement but ends like one.
pub(super) fn never(_: &NodePlace<'_, '_>) -> bool {
    false
}
