//! A path as a governed or related list spells it, and the lists themselves.
//!
//! A list is a YAML list, one text, or one text with commas between the paths (commas inside `{}` belong to a glob).
//! An item of a YAML list is one path, commas included. A leading `?` marks a path that may be absent; a file `?x` is
//! written `./?x`. What follows the first `#` is the symbol of a selector, unless the view holds something under the
//! whole text: a file `a#b` is written `a#b`, too.

use super::glob;
use super::selector::Selector;
use super::source::{Fault, Position};
use crate::text::escape::{echo, is_blank};
use crate::text::yaml::{Resolved, Scalar, Value, YamlKind};
use crate::tree::path::{MAX_PATH, PathProblem, RepoPath};

/// Most paths of one list in a scenario file.
pub(crate) const MAX_PATHS: usize = 64;

/// One entry of a `code`, `related` or `test` value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Governed {
    /// The path as written, without quotes, a leading `?` or a `#symbol` tail.
    pub text: String,
    /// What of the file is meant, in a governed list.
    pub selector: Option<Selector>,
    /// Of a text with a `#`: the whole of it as a path, which is what is meant where the view holds something of that
    /// name. It has no whole of its own.
    pub whole: Option<Box<Governed>>,
    /// May be absent without being a ghost (`?path`).
    pub optional: bool,
    /// The text as a literal path, or why it is none. A text with glob characters is a literal path where the view
    /// holds one of that name, else a glob.
    pub path: Result<RepoPath, PathProblem>,
    /// For `test`: the same text read from the node's directory, where that stays inside the repository. The path that
    /// exists in the view is meant; `path` first.
    pub node_relative: Option<RepoPath>,
    /// Where it stands.
    pub at: Position,
    /// What it is in the view that was loaded; a parser leaves it [`Found::Unresolved`].
    pub found: Found,
}

/// What a governed path is in a view.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Found {
    /// Not looked up yet.
    #[default]
    Unresolved,
    /// Something sits at the literal path.
    Path,
    /// A glob that matches at least one path of the view.
    Glob,
    /// Nothing there, and it may be absent.
    Absent,
    /// Nothing there although there must be: an error where it is declared.
    Ghost,
    /// On disk, but git does not track it.
    Untracked,
    /// A symbolic link on the way, or the path itself, leads out of the repository or in a circle.
    LeavesByLink,
    /// A glob beyond the limits.
    GlobLimit,
    /// No path at all; the reason is in [`Governed::path`].
    NoPath,
}

impl Governed {
    /// Whether this entry means `path`: it is the file, a directory above it, or a glob that matches; or it will be meant
    /// when something appears there.
    pub(crate) fn covers(&self, path: &RepoPath) -> bool {
        if self.whole.as_ref().is_some_and(|whole| whole.path.as_ref() == Ok(path)) {
            return true;
        }
        let Ok(literal) = &self.path else { return false };
        path.is_within(literal) || glob::has_glob_characters(self.text.as_bytes()) && matches(literal, path)
    }

    /// The name of the one unit of the file that is meant; `None` where all of it is.
    pub fn symbol(&self) -> Option<&str> {
        self.selector.as_ref().filter(|selector| selector.fault.is_none()).map(|selector| selector.symbol.as_str())
    }

    /// The paths that it means in one view or another, the whole of a text with a `#` aside.
    pub(crate) fn literals(&self) -> impl Iterator<Item = &RepoPath> {
        self.path.iter().chain(&self.node_relative)
    }

    /// The paths that it means in views that hold something of that name.
    pub(crate) fn wholes(&self) -> impl Iterator<Item = &RepoPath> {
        self.whole.iter().flat_map(|whole| whole.literals())
    }

    /// As somebody writes it: the path, and the selector behind it.
    pub(crate) fn shown(&self) -> String {
        match &self.selector {
            Some(Selector { symbol, .. }) => format!("{}#{symbol}", self.text),
            None => self.text.clone(),
        }
    }

    /// Reads one path. `base` is the node's directory where the path may be relative to it.
    pub fn parse(text: &str, at: Position, base: Option<&RepoPath>) -> Self {
        let text = text.trim();
        let (optional, text) = match text.strip_prefix('?') {
            Some(rest) => (true, rest.trim_start()),
            None => (false, text),
        };
        let literal = |text: &str| Self { optional, ..Self::literal(text, at, base) };
        let whole = literal(text);
        let Some((path, symbol)) = text.split_once('#') else { return whole };
        let cut = literal(path.trim_end());
        // no view can hold such a path: the text can only be meant as a whole
        if cut.path.is_err() && cut.node_relative.is_none() && whole.path.is_ok() {
            return whole;
        }
        Self { selector: Selector::new(symbol), whole: Some(Box::new(whole)), ..cut }
    }

    /// `text` and nothing but a path.
    fn literal(text: &str, at: Position, base: Option<&RepoPath>) -> Self {
        let path = if text.len() > MAX_PATH { Err(PathProblem::TooLong) } else { RepoPath::parse(text.as_bytes()) };
        let beside = base.filter(|_| path != Err(PathProblem::TooLong)).and_then(|dir| dir.join(text.as_bytes()).ok());
        Self {
            text: text.to_owned(),
            selector: None,
            whole: None,
            optional: false,
            path,
            node_relative: beside,
            at,
            found: Found::Unresolved,
        }
    }

    /// The same without a selector: only governed content is narrowed.
    #[must_use]
    pub(super) fn of_whole_file(self) -> Self {
        Self { selector: None, ..self }
    }

    /// Why this is no path of the repository, as a fault of `key`; `None` when it is one.
    pub fn fault(&self, key: &str) -> Option<Fault> {
        let problem = *self.path.as_ref().err()?;
        if self.node_relative.is_some() {
            return None;
        }
        let shown = echo(&self.text);
        Some(Fault {
            at: self.at,
            kind: "path",
            detail: format!("{key}:{}", self.text),
            message: format!("`{key}` path `{shown}` {}", problem.as_str()),
            help: repair(problem).into(),
        })
    }
}

fn matches(pattern: &RepoPath, path: &RepoPath) -> bool {
    let compiled = std::str::from_utf8(pattern.as_bstr()).ok().and_then(|text| glob::compile(text).ok());
    compiled.is_some_and(|glob| glob::is_match(&glob, path))
}

fn repair(problem: PathProblem) -> &'static str {
    match problem {
        PathProblem::Empty => "name a file, a directory or a glob",
        PathProblem::InsideGit => "name a file that git can track",
        PathProblem::TooLong | PathProblem::Nul => "name a file of this repository",
        PathProblem::Absolute | PathProblem::LeavesRepository => {
            "write the path relative to the top of the repository, with `/` between its parts"
        }
    }
}

/// The paths of one text: one, or several with commas between them. Blank parts are skipped.
pub fn parse_text(text: &str, at: Position) -> Vec<Governed> {
    let parts = split_commas(text).into_iter().filter(|part| !part.trim().is_empty());
    parts.map(|part| Governed::parse(part, at, None)).collect()
}

/// `text` cut at the commas outside braces.
pub(super) fn split_commas(text: &str) -> Vec<&str> {
    let (mut parts, mut start, mut depth) = (Vec::new(), 0, 0usize);
    for (offset, byte) in text.bytes().enumerate() {
        match byte {
            b'{' => depth += 1,
            b'}' => depth = depth.saturating_sub(1),
            b',' if depth == 0 => {
                parts.push(&text[start..offset]);
                start = offset + 1;
            }
            _ => {}
        }
    }
    parts.push(&text[start..]);
    parts
}

/// The list of paths that `value` of `key` spells, and everything wrong with it.
pub fn parse_list(key: &str, value: &Value) -> (Vec<Governed>, Vec<Fault>) {
    let mut list = Vec::new();
    let mut faults = Vec::new();
    match &value.kind {
        YamlKind::Scalar(scalar) => match text_fault(key, value, scalar) {
            Some(fault) => faults.push(fault),
            None => list = parse_text(&scalar.text, value.at),
        },
        YamlKind::Sequence(items) => items.iter().for_each(|item| match parse_item(key, item, None) {
            Ok(path) => list.push(path),
            Err(fault) => faults.extend(fault),
        }),
        YamlKind::Mapping(_) => faults.push(wrong_type(key, value, "write a path or a list of paths")),
        YamlKind::Refused => {}
    }
    faults.extend(list.iter().filter_map(|path| path.fault(key)));
    if list.len() > MAX_PATHS {
        faults.push(too_many(key, value.at, list.len()));
        list.truncate(MAX_PATHS);
    }
    if key != "code" {
        list = list.into_iter().map(Governed::of_whole_file).collect();
    }
    (list, faults)
}

/// One path, or what is wrong with it (nothing more to say about what was refused already). `base` as in
/// [`Governed::parse`].
pub fn parse_item(key: &str, item: &Value, base: Option<&RepoPath>) -> Result<Governed, Option<Fault>> {
    match &item.kind {
        YamlKind::Scalar(scalar) => match text_fault(key, item, scalar) {
            Some(fault) => Err(Some(fault)),
            None => Ok(Governed::parse(&scalar.text, item.at, base)),
        },
        YamlKind::Refused => Err(None),
        _ => Err(Some(wrong_type(key, item, "write one path"))),
    }
}

fn text_fault(key: &str, value: &Value, scalar: &Scalar) -> Option<Fault> {
    match scalar.resolved {
        Resolved::Null => Some(blank(key, value.at)),
        Resolved::Text if is_blank(&scalar.text) => Some(blank(key, value.at)),
        Resolved::Text => None,
        Resolved::Bool | Resolved::Number => {
            let help = format!("quote it: \"{}\"", echo(&scalar.text));
            Some(wrong_type(key, value, &help))
        }
    }
}

fn blank(key: &str, at: Position) -> Fault {
    let message = format!("`{key}` holds an empty path");
    Fault { at, kind: "blank", detail: key.into(), message, help: "name a path, or drop it".into() }
}

fn wrong_type(key: &str, value: &Value, help: &str) -> Fault {
    let message = format!("`{key}` needs a path, not {}", value.describe());
    Fault { at: value.at, kind: "type", detail: key.into(), message, help: help.into() }
}

fn too_many(key: &str, at: Position, count: usize) -> Fault {
    let message = format!("`{key}` lists {count} paths; the limit is {MAX_PATHS}");
    Fault {
        at,
        kind: "limit",
        detail: key.into(),
        message,
        help: "name a directory or a glob, or split the scenario".into(),
    }
}
