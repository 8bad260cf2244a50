//! What a table says of a language, and what it is asked about.

use tree_sitter::Node as SyntaxNode;
use tree_sitter_language::LanguageFn;

/// A node in its file, with the nodes around it.
pub(super) struct NodePlace<'a, 't> {
    /// The node.
    pub(super) node: SyntaxNode<'t>,
    /// The nodes around it, the innermost last.
    pub(super) above: &'a [SyntaxNode<'t>],
    /// The file.
    pub(super) source: &'t [u8],
}

impl<'t> NodePlace<'_, 't> {
    /// The text of a node, empty where it is not UTF-8: such a name could not be typed.
    pub(super) fn text(&self, node: SyntaxNode<'t>) -> &'t str {
        node.utf8_text(self.source).unwrap_or_default()
    }

    /// The node that is so many steps further out, 0 the parent.
    pub(super) fn above(&self, steps: usize) -> Option<SyntaxNode<'t>> {
        self.above.iter().rev().nth(steps).copied()
    }

    /// Whether nothing but blanks stands before the node on its line.
    pub(super) fn is_at_line_start(&self) -> bool {
        let before = &self.source[..self.node.start_byte()];
        before.iter().rev().take_while(|byte| **byte != b'\n').all(u8::is_ascii_whitespace)
    }
}

/// A language: its grammar, and what its nodes are.
pub(super) struct Grammar {
    /// Its parser.
    pub(super) parser: LanguageFn,
    /// What the nodes are that are something; every other node is only gone through.
    pub(super) rows: &'static [(&'static str, NodeMeaning)],
}

impl Grammar {
    /// What nodes of this kind are.
    pub(super) fn node(&self, kind: &str) -> Option<&'static NodeMeaning> {
        self.rows.iter().find(|(name, _)| *name == kind).map(|(_, node)| node)
    }
}

/// What a node of a syntax tree is.
pub(super) enum NodeMeaning {
    /// A declaration, of the names that the function finds: none where it declares nothing that is named.
    Unit(&'static str, UnitRole, fn(&NodePlace<'_, '_>) -> Vec<String>),
    /// A statement whose bytes belong to the declarations directly in it, where the function says so: `export`, decorators,
    /// `const a = 1, b = 2`.
    Statement(fn(&NodePlace<'_, '_>) -> bool),
    /// Code: the variables in it are nobody's units.
    Body,
    /// No unit, and what is in it is named after it: `impl`.
    Scope(fn(&NodePlace<'_, '_>) -> Vec<String>),
    /// The function tells whether it belongs to the declaration that follows: an attribute, a directive.
    Leading(fn(&NodePlace<'_, '_>) -> bool, Parting),
    /// Where a text begins that stands on the lines below, outside of the node around: a heredoc.
    Below,
    /// Such a text; they stand in the order in which they begin.
    Text,
}

/// What parts a declaration from what stands before it and would belong to it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Parting {
    /// A blank line.
    BlankLine,
    /// Nothing but another declaration.
    Nothing,
}

/// How a declaration stands among others.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum UnitRole {
    /// Code: variables in it are no units.
    Function,
    /// A type, a module.
    Type,
    /// A value; none within a function.
    Variable,
    /// A second name of the declaration in it, whose bytes are its own: `export default`.
    Alias,
}

/// Of a statement that always belongs to what it declares, and of an attribute.
pub(super) fn always(_: &NodePlace<'_, '_>) -> bool {
    true
}

/// Of a block, which is no statement but ends like one.
pub(super) fn never(_: &NodePlace<'_, '_>) -> bool {
    false
}
