//! The one walk over a syntax tree: gathers declarations with their names from the outside in.
//!
//! It keeps its own stack. Asking a node for its parent or its sibling walks from the root each time: minutes for a file
//! of one long line.

use super::table::{Grammar, NodeMeaning, NodePlace, Parting, UnitRole};
use super::{Unit, Units, UnreadUnits};
use std::collections::{HashMap, VecDeque};
use std::ops::Range;
use tree_sitter::{Node as SyntaxNode, Tree, TreeCursor};

/// Errors of a file after which it is noise.
const MAX_ERRORS: usize = 1_000;

/// Names within names; what lies deeper is no unit.
const MAX_DEPTH: usize = 32;

/// The walk asks whether time is up once in so many nodes.
const NODES_PER_QUESTION: usize = 4_096;

/// Statements and declarations that lie in each other and end with one token: `export const a = 1`. So many are looked at.
const MAX_STATEMENTS: usize = 4;

/// Longest name of a unit, in bytes.
const MAX_NAME: usize = 400;

/// What the walk knows of a node while it is among its children.
struct Frame {
    /// How many names the path held before this node.
    outside: usize,
    /// Whether variables here are nobody's units.
    in_code: bool,
    /// The bytes of the statement that the children belong to.
    cover: Option<Range<usize>>,
    /// The outermost unit around.
    outermost: Option<usize>,
    /// What belongs to the next child: its attributes, its directives.
    leading: Option<Leading>,
    /// The declarations that this node is.
    declared: Range<usize>,
    /// The declarations of the last child, to which a semicolon behind it belongs.
    last: Range<usize>,
}

/// What stands before a declaration and belongs to it.
#[derive(Clone, Copy)]
struct Leading {
    /// Its first byte.
    start: usize,
    /// The line that it ends on, and whether a blank line behind it parts it from what follows.
    line: usize,
    is_parted: bool,
}

/// A node that declares something.
struct DeclaringNode {
    kind: &'static str,
    role: UnitRole,
    names: Vec<String>,
    /// Its bytes.
    whole: Range<usize>,
    /// Whether it is a second name of what has its own: only what has none is the place of what is in it.
    is_beside: bool,
}

/// A declaration as it was found.
struct Declared {
    name: String,
    kind: &'static str,
    at: Range<usize>,
    outermost: usize,
}

struct UnitWalk<'t> {
    source: &'t [u8],
    /// What the nodes of each kind are, by the number of the kind.
    kinds: Vec<Option<&'static NodeMeaning>>,
    frames: Vec<Frame>,
    /// The nodes around, the innermost last; as many as frames.
    above: Vec<SyntaxNode<'t>>,
    path: Vec<String>,
    found: Vec<Declared>,
    /// How many units lie in no other.
    outermost: usize,
    /// For each text that begins here and stands on the lines below: the declarations that it belongs to.
    owed: VecDeque<Vec<usize>>,
    /// Where errors lie: the byte, and the outermost unit around it.
    errors: Vec<(usize, Option<usize>)>,
}

/// The units of a tree.
///
/// # Errors
/// [`UnreadUnits::Syntax`] for an error between the units, [`UnreadUnits::Costly`] for noise or when `late` says that time is up.
pub(super) fn units(
    tree: &Tree,
    source: &[u8],
    table: &'static Grammar,
    late: &mut dyn FnMut() -> bool,
) -> Result<Units, UnreadUnits> {
    let language = tree.language();
    let kind = |number: usize| u16::try_from(number).ok().and_then(|number| language.node_kind_for_id(number));
    let mut walk = UnitWalk {
        source,
        kinds: (0..language.node_kind_count()).map(|number| kind(number).and_then(|kind| table.node(kind))).collect(),
        frames: Vec::new(),
        above: Vec::new(),
        path: Vec::new(),
        found: Vec::new(),
        outermost: 0,
        owed: VecDeque::new(),
        errors: Vec::new(),
    };
    walk.whole(&mut tree.walk(), late)?;
    walk.merged()
}

impl<'t> UnitWalk<'t> {
    fn whole(&mut self, cursor: &mut TreeCursor<'t>, late: &mut dyn FnMut() -> bool) -> Result<(), UnreadUnits> {
        for number in 1_usize.. {
            let frame = self.enter(cursor.node());
            if self.errors.len() > MAX_ERRORS || (number % NODES_PER_QUESTION == 0 && late()) {
                return Err(UnreadUnits::Costly);
            }
            self.frames.push(frame);
            self.above.push(cursor.node());
            if cursor.goto_first_child() {
                continue;
            }
            self.leave();
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    return Ok(());
                }
                self.leave();
            }
        }
        Ok(())
    }

    /// The way back out of a node.
    fn leave(&mut self) {
        self.above.pop();
        if let Some(frame) = self.frames.pop() {
            self.path.truncate(frame.outside);
        }
    }

    /// What a node is, and what its children stand in.
    fn enter(&mut self, node: SyntaxNode<'t>) -> Frame {
        let around = self.frames.last();
        let mut frame = Frame {
            outside: self.path.len(),
            in_code: around.is_some_and(|around| around.in_code),
            cover: None,
            outermost: around.and_then(|around| around.outermost),
            leading: None,
            declared: 0..0,
            last: 0..0,
        };
        if node.is_error() || node.is_missing() {
            self.errors.push((node.start_byte(), frame.outermost));
        }
        let cover = around.and_then(|around| around.cover.clone());
        let line = node.start_position().row;
        let leading =
            around.and_then(|around| around.leading).filter(|leading| !leading.is_parted || line <= leading.line + 1);
        let start = leading.map_or(node.start_byte(), |leading| leading.start);
        let whole = cover.unwrap_or_else(|| start..self.last_token(node));
        let first = self.found.len();
        let mut leads = None;
        let place = NodePlace { node, above: &self.above, source: self.source };
        match self.kinds.get(usize::from(node.kind_id())).copied().flatten() {
            Some(NodeMeaning::Unit(kind, role, names)) => {
                let is_beside = *role == UnitRole::Alias && node.child_by_field_name("declaration").is_some();
                let declaration = DeclaringNode { kind, role: *role, names: names(&place), whole, is_beside };
                self.declare(&mut frame, declaration);
            }
            Some(NodeMeaning::Statement(belongs)) => frame.cover = belongs(&place).then_some(whole),
            Some(NodeMeaning::Body) => frame.in_code = true,
            Some(NodeMeaning::Scope(names)) => {
                let names = names(&place);
                self.path.extend(names);
            }
            Some(NodeMeaning::Leading(belongs, parting)) if belongs(&place) => {
                let is_parted = *parting == Parting::BlankLine;
                leads = Some(Leading { start, line: node.end_position().row, is_parted });
            }
            Some(NodeMeaning::Below) => {
                self.owed.push_back(self.frames.iter().flat_map(|frame| frame.declared.clone()).collect())
            }
            Some(NodeMeaning::Text) => self.pay(node.end_byte()),
            Some(NodeMeaning::Leading(..)) | None => {}
        }
        frame.declared = first..self.found.len();
        self.note_sibling(node, leads, first);
        frame
    }

    /// Where the last token of a declaration ends. Where a language leaves out the semicolon its parser sees the end of a
    /// statement only behind the comment on its line, and has the comment in it.
    fn last_token(&self, node: SyntaxNode<'t>) -> usize {
        let mut end = node.end_byte();
        let mut declaring = Some(node);
        for _ in 0..MAX_STATEMENTS {
            let Some(node) = declaring.take_if(|node| self.is_declaring(*node)) else { break };
            let mut cursor = node.walk();
            let Some(last) = node.children(&mut cursor).filter(|child| !child.is_extra()).last() else { break };
            end = last.end_byte();
            declaring = Some(last);
        }
        end
    }

    fn is_declaring(&self, node: SyntaxNode<'t>) -> bool {
        let meaning = self.kinds.get(usize::from(node.kind_id())).copied().flatten();
        matches!(meaning, Some(NodeMeaning::Unit(..) | NodeMeaning::Statement(_)))
    }

    /// Tells the node around what its child was, for the child that follows.
    fn note_sibling(&mut self, node: SyntaxNode<'t>, leads: Option<Leading>, first: usize) {
        let found = self.found.len();
        let Some(around) = self.frames.last_mut() else { return };
        if leads.is_some() {
            around.leading = leads;
        } else if node.kind() == ";" {
            for declared in &mut self.found[around.last.clone()] {
                declared.at.end = declared.at.end.max(node.end_byte());
            }
        } else if !node.is_extra() {
            around.leading = None;
        } else if let Some(leading) =
            around.leading.as_mut().filter(|leading| leading.line + 1 >= node.start_position().row)
        {
            leading.line = node.end_position().row;
        }
        if !node.is_extra() {
            around.last = first..found;
        }
    }

    /// A text that ends here began inside declarations further up: an edit of it is an edit of them.
    fn pay(&mut self, end: usize) {
        for index in self.owed.pop_front().unwrap_or_default() {
            let at = &mut self.found[index].at;
            at.end = at.end.max(end);
        }
    }

    /// Notes a declaration under each of its names.
    fn declare(&mut self, frame: &mut Frame, declaration: DeclaringNode) {
        let DeclaringNode { kind, role, names, whole, is_beside } = declaration;
        let is_local = frame.in_code && matches!(role, UnitRole::Variable | UnitRole::Alias);
        frame.in_code = match role {
            UnitRole::Function => true,
            UnitRole::Type => false,
            UnitRole::Variable | UnitRole::Alias => frame.in_code,
        };
        if role == UnitRole::Alias {
            frame.cover = Some(whole.clone());
        }
        if is_local || self.path.len() >= MAX_DEPTH {
            return;
        }
        let paths: Vec<String> = names.iter().filter_map(|name| self.named(name)).collect();
        if paths.is_empty() {
            return;
        }
        let outermost = *frame.outermost.get_or_insert_with(|| {
            self.outermost += 1;
            self.outermost
        });
        self.found.extend(paths.into_iter().map(|name| Declared { name, kind, at: whole.clone(), outermost }));
        if let [only] = &names[..]
            && !is_beside
        {
            self.path.push(only.clone());
        }
    }

    /// The whole name of what is called `name` here; `None` for what no selector could say.
    fn named(&self, name: &str) -> Option<String> {
        let is_sayable = !name.is_empty() && !name.contains(|c: char| c.is_whitespace() || c.is_control() || c == ',');
        let whole = self.path.iter().map(String::as_str).chain([name]).collect::<Vec<_>>().join(".");
        (is_sayable && whole.len() <= MAX_NAME).then_some(whole)
    }

    /// The declarations of one name put together.
    fn merged(self) -> Result<Units, UnreadUnits> {
        let ends: Vec<usize> =
            self.source.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at).collect();
        let line = |at: usize| ends.partition_point(|end| *end < at) + 1;
        if let Some((at, _)) = self.errors.iter().find(|(_, outermost)| outermost.is_none()) {
            return Err(UnreadUnits::Syntax(line(*at)));
        }
        let broken: HashMap<usize, usize> =
            self.errors.iter().rev().filter_map(|(at, outermost)| Some(((*outermost)?, line(*at)))).collect();
        let mut units: Vec<Unit> = Vec::new();
        let mut known: HashMap<String, usize> = HashMap::new();
        for declared in self.found {
            let broken = broken.get(&declared.outermost).copied();
            let lines = (line(declared.at.start), line(declared.at.end.saturating_sub(1).max(declared.at.start)));
            if let Some(index) = known.get(&declared.name) {
                let unit = &mut units[*index];
                if !unit.pieces.contains(&declared.at) {
                    unit.pieces.push(declared.at);
                }
                unit.lines = (unit.lines.0.min(lines.0), unit.lines.1.max(lines.1));
                unit.broken = unit.broken.or(broken);
            } else {
                known.insert(declared.name.clone(), units.len());
                units.push(Unit { name: declared.name, kind: declared.kind, pieces: vec![declared.at], lines, broken });
            }
        }
        for unit in &mut units {
            unit.pieces.sort_unstable_by_key(|piece| (piece.start, piece.end));
        }
        Ok(Units(units))
    }
}
