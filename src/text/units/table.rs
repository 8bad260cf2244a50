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

/// A kind of node, and something that such nodes are.
pub(super) type NodeRow = (&'static str, NodeMeaning);

/// A language: its grammar, and what its nodes are.
pub(super) struct Grammar {
    /// Its parser.
    pub(super) parser: LanguageFn,
    /// What the nodes are that are something; every other node is only gone through.
    pub(super) rows: &'static [NodeRow],
    /// A name as it is known, however it was spelled: `r#type` is `type`.
    pub(super) spelled: fn(&str) -> String,
}

impl Grammar {
    /// All that nodes of this kind are: the rows of a kind stand together.
    pub(super) fn node(&self, kind: &str) -> &'static [NodeRow] {
        self.rows.chunk_by(|one, other| one.0 == other.0).find(|rows| rows[0].0 == kind).unwrap_or_default()
    }
}

/// What a node of a syntax tree is.
pub(super) enum NodeMeaning {
    /// A declaration, of the names that the function finds: none where it declares nothing that is named.
    Unit(&'static str, UnitRole, fn(&NodePlace<'_, '_>) -> Vec<String>),
    /// A statement whose bytes belong to the declarations directly in it, where the function says so: `export`, decorators,
    /// `const a = 1, b = 2`.
    Statement(fn(&NodePlace<'_, '_>) -> bool),
    /// A piece of the units of these names, where there are such: it binds, extends or deletes what they name. Without a unit
    /// of the name it makes none: `X.append(1)` with an `X` from elsewhere.
    Extends(NameReach, fn(&NodePlace<'_, '_>) -> Vec<String>),
    /// The same of what stands before the body alone: the head of an `impl`.
    HeadExtends(fn(&NodePlace<'_, '_>) -> Vec<String>),
    /// From here to the end of the function or class these names are those of the file: `global`.
    Global(fn(&NodePlace<'_, '_>) -> Vec<String>),
    /// Code: the variables in it are nobody's units.
    Body,
    /// Code that runs where it stands: the variables in it are nobody's units, and what it sets are those around.
    Initializer,
    /// No unit, and what is in it is named after it: `impl`.
    Scope(fn(&NodePlace<'_, '_>) -> Vec<String>),
    /// The function tells whether it belongs to the declaration that follows, and what parts the two: an attribute, a
    /// directive.
    Leading(fn(&NodePlace<'_, '_>) -> Option<Parting>),
    /// Where a text begins that stands on the lines below, outside of the node around: a heredoc.
    Below,
    /// Such a text; they stand in the order in which they begin.
    Text,
}

/// Where a name is looked for that something extends.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum NameReach {
    /// Only here: an import binds a name of its own, whatever is called so further out.
    Here,
    /// Here, else in what is around, the nearest first.
    Around,
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
    /// A value that a statement binds beside what it is there for: nothing in it is named after it. `for`, `with … as`.
    Beside,
    /// A second name of the declaration in it, whose bytes are its own: `export default`.
    Alias,
}

/// Of a name that has one spelling.
pub(super) fn as_written(name: &str) -> String {
    name.to_owned()
}

/// Of an attribute, which nothing parts from what it speaks of.
pub(super) fn attached(_: &NodePlace<'_, '_>) -> Option<Parting> {
    Some(Parting::Nothing)
}

/// Of a statement that always belongs to what it declares.
pub(super) fn always(_: &NodePlace<'_, '_>) -> bool {
    true
}

/// Of a block, which is no statement but ends like one.
pub(super) fn never(_: &NodePlace<'_, '_>) -> bool {
    false
}
