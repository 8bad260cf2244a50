//! A path in a governed or related list, and these lists.
//!
//! A list is a YAML list, one text, or one text with commas between the paths (commas inside `{}` belong to a glob). An
//! item of a YAML list is one path, commas included. A leading `?` marks a path that may be absent; a file named `?x` is
//! written `./?x`. The text after the first `#` is the symbol of a selector, unless the view holds an entry with the whole
//! text as its name: a file named `a#b` is written `a#b`, too.

use super::glob;
use super::selector::Selector;
use super::source::{Fault, Position};
use crate::text::escape::{echo, in_ascii, is_blank};
use crate::text::yaml::{Resolved, Scalar, Value, YamlKind};
use crate::tree::path::{MAX_PATH, PathProblem, RepoPath};

/// Most paths of one list in a scenario file.
pub(crate) const MAX_PATHS: usize = 64;

/// One entry of a `code`, `related` or `test` value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Governed {
    /// The path as written, without quotes, a leading `?` or a `#symbol` tail.
    pub text: String,
    /// The unit of the file that is meant, in a governed list.
    pub selector: Option<Selector>,
    /// For a text with a `#`: the whole text as a path, which is meant if the view holds an entry of that name. Its own
    /// `whole` is `None`.
    pub whole: Option<Box<Governed>>,
    /// May be absent without being a ghost (`?path`).
    pub optional: bool,
    /// The text as a literal path, or the reason why it is no path. A text with glob characters is a literal path if the
    /// view holds an entry of that name, otherwise a glob.
    pub path: Result<RepoPath, PathProblem>,
    /// For `test`: the same text relative to the node's directory, if that stays inside the repository. The path that
    /// exists in the view is meant; if both exist, `path`.
    pub node_relative: Option<RepoPath>,
    /// The place of the entry in its file.
    pub at: Position,
    /// The meaning of the path in the loaded view. A parser leaves it [`Found::Unresolved`].
    pub found: Found,
}

/// The meaning of a governed path in a view.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Found {
    /// Not looked up yet.
    #[default]
    Unresolved,
    /// An entry exists at the literal path.
    Path,
    /// A glob that matches at least one path of the view.
    Glob,
    /// Nothing exists there, and it may be absent.
    Absent,
    /// Nothing exists there although it must: an error for the declaring file.
    Ghost,
    /// Nothing exists there, and this path has the same name in another Unicode form: the list says `e\u0301`, git has `\u00e9`.
    OtherForm(RepoPath),
    /// On disk, but git does not track it.
    Untracked,
    /// A symbolic link on the way, or the path itself, leads out of the repository or into a circle.
    LeavesByLink,
    /// A glob that exceeds the limits.
    GlobLimit,
    /// Not a path; the reason is in [`Governed::path`].
    NoPath,
}

impl Governed {
    /// Why nothing is governed by it, as the end of a sentence; `None` if something may be.
    pub(crate) fn governs_nothing(&self) -> Option<String> {
        match &self.found {
            Found::Ghost => Some("does not exist".to_owned()),
            Found::OtherForm(path) => Some(format!(
                "does not exist, and {} has the same name in another Unicode form",
                in_ascii(&path.to_string())
            )),
            _ => None,
        }
    }

    /// Whether this entry means `path`: the file itself, a directory above it, or a matching glob. This is true also for
    /// paths that do not exist yet.
    pub(crate) fn covers(&self, path: &RepoPath) -> bool {
        if self.whole.as_ref().is_some_and(|whole| whole.path.as_ref() == Ok(path)) {
            return true;
        }
        let Ok(literal) = &self.path else { return false };
        path.is_within(literal) || glob::has_glob_characters(self.text.as_bytes()) && matches(literal, path)
    }

    /// The name of the governed unit; `None` if the whole file is meant.
    pub fn symbol(&self) -> Option<&str> {
        self.selector.as_ref().filter(|selector| selector.fault.is_none()).map(|selector| selector.symbol.as_str())
    }

    /// The paths that it can mean, depending on the view, except the whole text of an entry with a `#`.
    pub(crate) fn literals(&self) -> impl Iterator<Item = &RepoPath> {
        self.path.iter().chain(&self.node_relative)
    }

    /// The paths that an entry with a `#` means in views with an entry of that whole name.
    pub(crate) fn wholes(&self) -> impl Iterator<Item = &RepoPath> {
        self.whole.iter().flat_map(|whole| whole.literals())
    }

    /// The written form: the path, and the selector after it, for example `src/cart.py#total`.
    pub(crate) fn shown(&self) -> String {
        match &self.selector {
            Some(Selector { symbol, .. }) => format!("{}#{symbol}", self.text),
            None => self.text.clone(),
        }
    }

    /// Reads one path. `base` is the node's directory if the path may be relative to it.
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
        // no view can hold such a path, so the text can only be meant as a whole
        if cut.path.is_err() && cut.node_relative.is_none() && whole.path.is_ok() {
            return whole;
        }
        Self { selector: Selector::new(symbol), whole: Some(Box::new(whole)), ..cut }
    }

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

    /// The same without a selector, because a selector only narrows governed content.
    #[must_use]
    pub(super) fn of_whole_file(self) -> Self {
        Self { selector: None, ..self }
    }

    /// Why this is no path of the repository, as a fault of `key`; `None` if it is one.
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

/// The paths of one text: one, or several separated by commas. Blank parts are skipped.
pub fn parse_text(text: &str, at: Position) -> Vec<Governed> {
    let parts = split_commas(text).into_iter().filter(|part| !part.trim().is_empty());
    parts.map(|part| Governed::parse(part, at, None)).collect()
}

/// `text` split at the commas outside braces.
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

/// The paths in the `value` of `key`, and all faults.
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

/// One path, or its fault; `None` as the fault if the value was refused already. `base` as in [`Governed::parse`].
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
