//! The only walk over a syntax tree: collects declarations with their names from the outside in.
//!
//! It keeps its own stack. Asking a node for its parent or its sibling walks from the root each time, which takes minutes
//! for a file of one long line.

use super::table::{Grammar, NameReach, NodeMeaning, NodePlace, NodeRow, Parting, UnitRole};
use super::{Unit, Units, UnreadUnits};
use std::collections::{HashMap, HashSet, VecDeque};
use std::ops::Range;
use tree_sitter::{Node as SyntaxNode, Tree, TreeCursor};

/// A file with more errors is not treated as source.
const MAX_ERRORS: usize = 1_000;

/// Deepest nesting of names; deeper declarations are no units.
const MAX_DEPTH: usize = 32;

/// The number of nodes between two checks of the time limit.
const NODES_PER_QUESTION: usize = 4_096;

/// How many levels of nested statements and declarations may end at the same token, as in `export const a = 1`.
const MAX_STATEMENTS: usize = 4;

/// Longest name of a unit, in bytes.
const MAX_NAME: usize = 400;

/// The state of the walk for one open node.
struct Frame {
    /// The length of `path` before this node.
    outside: usize,
    /// Whether the node is in code, where variables are no units.
    code: Code,
    /// The depth of the surrounding function or class; 0 without one.
    scope: usize,
    /// The bytes of the statement that the children belong to.
    cover: Option<Range<usize>>,
    /// The outermost surrounding unit.
    outermost: Option<usize>,
    /// The text that belongs to the next child: its attributes and directives.
    leading: Option<Leading>,
    /// The declarations of this node.
    declared: Range<usize>,
    /// The declarations of the last child. A semicolon after the child belongs to them.
    last: Range<usize>,
}

/// Whether a node is in code.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Code {
    /// Not in code.
    Outside,
    /// In code that runs in place and modifies the surrounding declarations.
    Initializer,
    /// In a function.
    Function,
}

/// The text before a declaration that belongs to it.
#[derive(Clone, Copy)]
struct Leading {
    start: usize,
    /// The line of its end, and whether a blank line after it separates it from the declaration.
    line: usize,
    is_parted: bool,
}

/// A declaration as found.
struct Declared {
    name: String,
    kind: &'static str,
    at: Range<usize>,
    outermost: usize,
}

/// A piece that extends the units of a name.
struct Extending {
    name: String,
    /// The surrounding names, joined.
    scope: String,
    reach: NameReach,
    at: Range<usize>,
    outermost: Option<usize>,
}

struct UnitWalk<'t> {
    source: &'t [u8],
    /// The meanings of each kind of node, by the number of the kind.
    kinds: Vec<&'static [NodeRow]>,
    spelled: fn(&str) -> String,
    frames: Vec<Frame>,
    /// The open nodes, the innermost last; as many as frames.
    above: Vec<SyntaxNode<'t>>,
    path: Vec<String>,
    found: Vec<Declared>,
    extending: Vec<Extending>,
    /// For each function or class with a `global`: its depth, and the names that mean names of the file.
    globals: Vec<(usize, HashSet<String>)>,
    /// The number of units that are in no other unit.
    outermost: usize,
    /// For each heredoc that has begun and follows on the lines below: the declarations that it belongs to.
    owed: VecDeque<Vec<usize>>,
    /// The places of errors: the byte, and the outermost surrounding unit.
    errors: Vec<(usize, Option<usize>)>,
}

/// The units of a tree.
///
/// # Errors
/// [`UnreadUnits::Syntax`] for an error between the units, [`UnreadUnits::Costly`] for too many errors or when time is up.
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
        kinds: (0..language.node_kind_count())
            .map(|number| kind(number).map_or(&[][..], |kind| table.node(kind)))
            .collect(),
        spelled: table.spelled,
        frames: Vec::new(),
        above: Vec::new(),
        path: Vec::new(),
        found: Vec::new(),
        extending: Vec::new(),
        globals: Vec::new(),
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

    fn leave(&mut self) {
        self.above.pop();
        if let Some(frame) = self.frames.pop() {
            self.path.truncate(frame.outside);
        }
        // a `global` is valid up to the end of its function or class
        self.globals.truncate(self.globals.partition_point(|(scope, _)| *scope < self.frames.len()));
    }

    /// Records the meanings of a node, and returns the frame for its children.
    fn enter(&mut self, node: SyntaxNode<'t>) -> Frame {
        let around = self.frames.last();
        let mut frame = Frame {
            outside: self.path.len(),
            code: around.map_or(Code::Outside, |around| around.code),
            scope: around.map_or(0, |around| around.scope),
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
        for (_, meaning) in self.meanings(node) {
            leads = self.mean(meaning, node, &mut frame, &whole).or(leads);
        }
        frame.declared = first..self.found.len();
        self.note_sibling(node, leads, first);
        frame
    }

    /// All meanings of a node. An error node has none.
    fn meanings(&self, node: SyntaxNode<'t>) -> &'static [NodeRow] {
        self.kinds.get(usize::from(node.kind_id())).copied().unwrap_or_default()
    }

    /// Records one meaning of a node with the bytes `whole`. Returns the text that belongs to the following declaration, if
    /// any.
    fn mean(
        &mut self,
        meaning: &'static NodeMeaning,
        node: SyntaxNode<'t>,
        frame: &mut Frame,
        whole: &Range<usize>,
    ) -> Option<Leading> {
        let place = NodePlace { node, above: &self.above, source: self.source };
        match meaning {
            NodeMeaning::Unit(kind, role, names) => {
                let declared = self.found.len();
                let names: Vec<String> = names(&place).iter().map(|name| (self.spelled)(name)).collect();
                // only an additional name or a side effect, and so no prefix for the names in it
                let is_beside = match role {
                    UnitRole::Alias => node.child_by_field_name("declaration").is_some(),
                    UnitRole::Beside => true,
                    UnitRole::Function | UnitRole::Type | UnitRole::Variable => false,
                };
                self.declare(frame, kind, *role, &names, whole);
                if let [only] = &names[..]
                    && self.found.len() > declared
                    && !is_beside
                {
                    self.path.push(only.clone());
                }
            }
            NodeMeaning::Extends(reach, names) => self.extend(frame, &names(&place), *reach, whole),
            NodeMeaning::HeadExtends(names) => {
                let body = node.child_by_field_name("body").map_or(whole.end, |body| body.start_byte());
                let head = self.source[whole.start..body].trim_ascii_end().len();
                self.extend(frame, &names(&place), NameReach::Around, &(whole.start..whole.start + head));
            }
            NodeMeaning::Global(names) => {
                let names = names(&place);
                match self.globals.last_mut().filter(|(scope, _)| *scope == frame.scope) {
                    Some((_, known)) => known.extend(names),
                    None => self.globals.push((frame.scope, names.into_iter().collect())),
                }
            }
            NodeMeaning::Statement(belongs) => frame.cover = belongs(&place).then(|| whole.clone()),
            NodeMeaning::Body => frame.code = Code::Function,
            NodeMeaning::Initializer => frame.code = frame.code.max(Code::Initializer),
            NodeMeaning::Scope(names) => {
                let names = names(&place);
                self.path.extend(names.iter().map(|name| (self.spelled)(name)));
            }
            NodeMeaning::Leading(belongs) => {
                let is_parted = belongs(&place)? == Parting::BlankLine;
                return Some(Leading { start: whole.start, line: node.end_position().row, is_parted });
            }
            NodeMeaning::Below => {
                self.owed.push_back(self.frames.iter().flat_map(|frame| frame.declared.clone()).collect());
            }
            NodeMeaning::Text => self.pay(node.end_byte()),
        }
        None
    }

    /// The end of the last token of a declaration. In a language without mandatory semicolons the parser ends a statement
    /// only after the comment on its line, and puts the comment into the statement.
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
        let is_one = |meaning: &NodeMeaning| matches!(meaning, NodeMeaning::Unit(..) | NodeMeaning::Statement(_));
        self.meanings(node).iter().any(|(_, meaning)| is_one(meaning))
    }

    /// Records in the surrounding frame how this child affects the next one.
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

    /// A heredoc that ends here belongs to declarations further up: their bytes extend to its end.
    fn pay(&mut self, end: usize) {
        for index in self.owed.pop_front().unwrap_or_default() {
            let at = &mut self.found[index].at;
            at.end = at.end.max(end);
        }
    }

    /// Records a declaration under each of its names.
    fn declare(
        &mut self,
        frame: &mut Frame,
        kind: &'static str,
        role: UnitRole,
        names: &[String],
        whole: &Range<usize>,
    ) {
        let is_value = matches!(role, UnitRole::Variable | UnitRole::Beside);
        if is_value && self.extend_globals(frame, names, whole) {
            return;
        }
        let is_local = frame.code != Code::Outside && (is_value || role == UnitRole::Alias);
        match role {
            UnitRole::Function => (frame.code, frame.scope) = (Code::Function, self.frames.len()),
            UnitRole::Type => (frame.code, frame.scope) = (Code::Outside, self.frames.len()),
            UnitRole::Variable | UnitRole::Beside | UnitRole::Alias => {}
        }
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
    }

    /// The full name of `name` at this place; `None` if no selector can spell it.
    fn named(&self, name: &str) -> Option<String> {
        let is_sayable = !name.is_empty() && !name.contains(|c: char| c.is_whitespace() || c.is_control() || c == ',');
        let whole = self.path.iter().map(String::as_str).chain([name]).collect::<Vec<_>>().join(".");
        (is_sayable && whole.len() <= MAX_NAME).then_some(whole)
    }

    /// Records a piece that extends the units of these names.
    fn extend(&mut self, frame: &Frame, names: &[String], reach: NameReach, at: &Range<usize>) {
        if names.is_empty() || self.extend_globals(frame, names, at) || frame.code == Code::Function {
            return;
        }
        let scope = self.path.join(".");
        self.extending.extend(names.iter().map(|name| Extending {
            name: (self.spelled)(name),
            scope: scope.clone(),
            reach,
            at: at.clone(),
            outermost: frame.outermost,
        }));
    }

    /// The same for the names that a surrounding `global` declares as names of the file; returns whether there are any.
    fn extend_globals(&mut self, frame: &Frame, names: &[String], at: &Range<usize>) -> bool {
        let said = self.globals.last().filter(|(scope, _)| *scope == frame.scope && frame.scope > 0);
        let Some((_, known)) = said else { return false };
        let noted = self.extending.len();
        self.extending.extend(names.iter().filter(|name| known.contains(*name)).map(|name| Extending {
            name: name.clone(),
            scope: String::new(),
            reach: NameReach::Here,
            at: at.clone(),
            outermost: frame.outermost,
        }));
        self.extending.len() > noted
    }

    /// Merges the declarations of each name with the pieces that extend them.
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
        let add = |index: usize, at: Range<usize>, outermost: Option<usize>, units: &mut [Unit]| {
            let unit = &mut units[index];
            unit.pieces.push(at);
            unit.broken = unit.broken.or_else(|| broken.get(&outermost?).copied());
        };
        for Declared { name, kind, at, outermost } in self.found {
            let index = *known.entry(name).or_insert_with_key(|name| {
                units.push(Unit { name: name.clone(), kind, pieces: Vec::new(), lines: (0, 0), broken: None });
                units.len() - 1
            });
            add(index, at, Some(outermost), &mut units);
        }
        for extending in self.extending {
            if let Some(index) = extending.unit(&known) {
                add(index, extending.at, extending.outermost, &mut units);
            }
        }
        for unit in &mut units {
            settle(&mut unit.pieces);
            let end = unit.pieces.iter().map(|piece| piece.end).max().unwrap_or_default();
            let first = unit.pieces.first().map_or(end, |piece| piece.start);
            unit.lines = (line(first), line(end.saturating_sub(1).max(first)));
        }
        Ok(Units::new(units))
    }
}

impl Extending {
    /// The unit of its name, in its own scope or, if `reach` allows, in the nearest surrounding one.
    fn unit(&self, known: &HashMap<String, usize>) -> Option<usize> {
        let mut scope = self.scope.as_str();
        loop {
            let whole = if scope.is_empty() { self.name.clone() } else { format!("{scope}.{}", self.name) };
            match known.get(&whole) {
                Some(index) => return Some(*index),
                None if scope.is_empty() || self.reach == NameReach::Here => return None,
                None => scope = scope.rsplit_once('.').map_or("", |(around, _)| around),
            }
        }
    }
}

/// Sorts pieces by their place, and drops pieces that are inside another one.
fn settle(pieces: &mut Vec<Range<usize>>) {
    pieces.sort_unstable_by_key(|piece| (piece.start, std::cmp::Reverse(piece.end)));
    let mut end = 0;
    pieces.retain(|piece| {
        let is_new = piece.end > end;
        end = end.max(piece.end);
        is_new
    });
}
