//! Edits a JSON file of another program: inserts text or takes text out. Every other byte stays, for example comments, the
//! order of keys, line ends and the indentation. Input: bytes, and the values to add. Output: the insertions, or the first
//! fault with its position. The grammar is JSON with comments and trailing commas.
//!
//! `jsonc-parser` finds the positions. Its own editor is not used, because it may reformat a value.

mod text_style;

use crate::text::source::Position;
use jsonc_parser::ast::{Object, ObjectProp, Value as Node};
use jsonc_parser::common::{Range, Ranged};
use jsonc_parser::tokens::{Token, TokenAndRange};
use jsonc_parser::{CollectOptions, CommentCollectionStrategy, ParseOptions, parse_to_ast};
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::HashSet;
use text_style::TextStyle;

const BOM: &str = "\u{feff}";

/// A value to add. Keys stand in this order in the file.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum NewJson {
    Object(Vec<(&'static str, NewJson)>),
    List(Vec<NewJson>),
    Text(String),
    Number(u32),
}

/// Why a text cannot be read or edited.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct EditFault {
    /// The end of a sentence that begins with the name of the file, for example `is not JSON: expected a comma`.
    pub(crate) message: String,
    pub(crate) at: Position,
}

/// A text to insert.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Insertion {
    /// The byte of the original text before which it stands.
    pub(crate) at: usize,
    pub(crate) text: String,
}

/// A parsed text.
struct JsoncText<'t> {
    /// The text without its byte-order mark.
    text: &'t str,
    /// The length of the byte-order mark.
    mark: usize,
    /// `None` if the text has only blanks and comments.
    root: Option<Node<'t>>,
    /// Every token in order, comments included.
    tokens: Vec<TokenAndRange<'t>>,
}

/// Reads a text with comments and trailing commas. A text without a value is `null`.
///
/// # Errors
/// Not UTF-8, not JSON, nested deeper than 512, or an object with the same key twice.
pub(crate) fn read(bytes: &[u8]) -> Result<Value, EditFault> {
    Ok(JsoncText::parse(bytes)?.root.as_ref().map_or(Value::Null, value))
}

/// Fails unless the text is plain JSON: no comment, no trailing comma, no byte-order mark.
pub(crate) fn check_plain(bytes: &[u8]) -> Result<(), EditFault> {
    serde_json::from_slice::<IgnoredAny>(bytes).map(drop).map_err(|error| {
        let place = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        let at = Position { line: place(error.line()), column: place(error.column().max(1)) };
        EditFault { message: "is not plain JSON (no comments, no trailing commas, no byte-order mark)".into(), at }
    })
}

/// The insertions that add `new` to the object of the text: members to objects, elements to lists. For example, `{"a":[1]}`
/// and `{"a":[2],"b":3}` become `{"a":[1,2],"b":3}`. A present value stays, also where `new` has another one. A text without
/// a value gets the whole object.
///
/// # Errors
/// As [`read`], or a value of another type is in the way.
pub(crate) fn insertions(bytes: &[u8], new: &[(&'static str, NewJson)]) -> Result<Vec<Insertion>, EditFault> {
    let document = JsoncText::parse(bytes)?;
    let style = TextStyle::of(&document);
    let mut found = Vec::new();
    let new = NewJson::Object(new.to_vec());
    match &document.root {
        Some(root) => document.merge(&style, root, &new, "the whole", style.minified, &mut found)?,
        None => found.push(document.whole(&style, &new)),
    }
    found.sort_by_key(|insertion: &Insertion| insertion.at);
    found.iter_mut().for_each(|insertion| insertion.at += document.mark);
    Ok(found)
}

/// The text with its insertions.
pub(crate) fn inserted(bytes: &[u8], insertions: &[Insertion]) -> Vec<u8> {
    let mut made = Vec::new();
    let mut from = 0;
    for insertion in insertions {
        made.extend_from_slice(&bytes[from..insertion.at]);
        made.extend_from_slice(insertion.text.as_bytes());
        from = insertion.at;
    }
    made.extend_from_slice(&bytes[from..]);
    made
}

/// The text before the insertions; `None` if an inserted text is not at its place.
pub(crate) fn undone(bytes: &[u8], insertions: &[Insertion]) -> Option<Vec<u8>> {
    let mut made: Vec<u8> = Vec::new();
    let mut rest = bytes;
    for insertion in insertions {
        let (kept, behind) = rest.split_at_checked(insertion.at.checked_sub(made.len())?)?;
        made.extend_from_slice(kept);
        rest = behind.strip_prefix(insertion.text.as_bytes())?;
    }
    made.extend_from_slice(rest);
    Some(made)
}

/// The text without the `unwanted` list elements below the root's member `key`, and without the lists and members that are
/// empty then. A list or member with a comment in it stays, because the comment is not ours.
///
/// # Errors
/// As [`read`].
pub(crate) fn without(bytes: &[u8], key: &str, unwanted: &dyn Fn(&Value) -> bool) -> Result<Vec<u8>, EditFault> {
    let document = JsoncText::parse(bytes)?;
    let mut gone = Vec::new();
    if let Some(Node::Object(root)) = &document.root {
        let is_empty = |member: &ObjectProp<'_>, gone: &mut Vec<Range>| {
            member.name.as_str() == key && document.prune_member(member, unwanted, gone)
        };
        let emptied: Vec<bool> = root.properties.iter().map(|member| is_empty(member, &mut gone)).collect();
        document.take_out(&root.properties, &emptied, &mut gone);
    }
    gone.sort_by_key(|range| range.start);
    let mut made = bytes[..document.mark].to_vec();
    let mut from = 0;
    for range in gone {
        made.extend_from_slice(&document.text.as_bytes()[from..range.start]);
        from = range.end;
    }
    made.extend_from_slice(&document.text.as_bytes()[from..]);
    Ok(made)
}

impl<'t> JsoncText<'t> {
    fn parse(bytes: &'t [u8]) -> Result<Self, EditFault> {
        let text = std::str::from_utf8(bytes).map_err(|error| {
            let before = String::from_utf8_lossy(&bytes[..error.valid_up_to()]);
            EditFault { message: "is not UTF-8".into(), at: position(&before, before.len()) }
        })?;
        let text = text.strip_prefix(BOM).unwrap_or(text);
        let options = ParseOptions {
            allow_comments: true,
            allow_trailing_commas: true,
            allow_loose_object_property_names: false,
            allow_missing_commas: false,
            allow_single_quoted_strings: false,
            allow_hexadecimal_numbers: false,
            allow_unary_plus_numbers: false,
            allow_bare_decimal_point_numbers: false,
            allow_non_finite_numbers: false,
            allow_extended_string_escapes: false,
        };
        let collected = CollectOptions { comments: CommentCollectionStrategy::AsTokens, tokens: true };
        let parsed = parse_to_ast(text, &collected, &options).map_err(|error| EditFault {
            message: format!("is not JSON: {}", error.kind().to_string().to_lowercase()),
            at: position(text, error.range().start),
        })?;
        let document = Self {
            text,
            mark: bytes.len() - text.len(),
            root: parsed.value,
            tokens: parsed.tokens.unwrap_or_default(),
        };
        document.root.iter().try_for_each(|root| document.check_keys(root))?;
        Ok(document)
    }

    fn check_keys(&self, node: &Node<'_>) -> Result<(), EditFault> {
        match node {
            Node::Array(list) => list.elements.iter().try_for_each(|element| self.check_keys(element)),
            Node::Object(object) => {
                let mut known = HashSet::new();
                object.properties.iter().try_for_each(|member| match known.insert(member.name.as_str()) {
                    true => self.check_keys(&member.value),
                    false => {
                        let message = format!("has the key `{}` twice in one object", member.name.as_str());
                        Err(EditFault { message, at: position(self.text, member.range.start) })
                    }
                })
            }
            _ => Ok(()),
        }
    }

    /// Adds `new` to `node`, which messages call `name`. `inline`: the surroundings stand on one line, as in a minified text.
    fn merge(
        &self,
        style: &TextStyle<'_>,
        node: &Node<'_>,
        new: &NewJson,
        name: &str,
        inline: bool,
        found: &mut Vec<Insertion>,
    ) -> Result<(), EditFault> {
        match (node, new) {
            (Node::Object(object), NewJson::Object(members)) => {
                let inline = self.is_inline(&object.range, object.properties.first().map(Ranged::range), inline);
                for (key, value) in members {
                    if let Some(member) = object.get(key) {
                        self.merge(style, &member.value, value, &format!("`{key}`"), inline, found)?;
                    }
                }
                let missing: Vec<(Option<&str>, &NewJson)> = members
                    .iter()
                    .filter(|(key, _)| object.get(key).is_none())
                    .map(|(key, value)| (Some(*key), value))
                    .collect();
                found.extend(self.append(style, object.range, &object.properties, &missing, inline));
                Ok(())
            }
            (Node::Array(list), NewJson::List(elements)) => {
                let inline = self.is_inline(&list.range, list.elements.first().map(Ranged::range), inline);
                let elements: Vec<(Option<&str>, &NewJson)> = elements.iter().map(|element| (None, element)).collect();
                found.extend(self.append(style, list.range, &list.elements, &elements, inline));
                Ok(())
            }
            (_, NewJson::Object(_)) => Err(self.in_the_way(node, name, "an object")),
            (_, NewJson::List(_)) => Err(self.in_the_way(node, name, "a list")),
            // a present value stays
            _ => Ok(()),
        }
    }

    fn in_the_way(&self, node: &Node<'_>, name: &str, wanted: &str) -> EditFault {
        EditFault { message: format!("has {name} that is not {wanted}"), at: position(self.text, node.start()) }
    }

    /// Whether the first value in `container` stands on the line of its bracket. An empty container is like its surroundings.
    fn is_inline(&self, container: &Range, first: Option<Range>, around: bool) -> bool {
        first.map_or(around, |first| !self.text[container.start..first.start].contains('\n'))
    }

    /// The insertions that put `new` behind `there`, the values in `container`. If the last value has no comma and a comment
    /// follows it, these are two: the comma directly behind the value, the rest behind the comment.
    fn append<C: Ranged>(
        &self,
        style: &TextStyle<'_>,
        container: Range,
        there: &[C],
        new: &[(Option<&str>, &NewJson)],
        inline: bool,
    ) -> Vec<Insertion> {
        if new.is_empty() {
            return Vec::new();
        }
        let last = self.last_token(container.start, container.end - 1);
        let inline = inline && !matches!(last.token, Token::CommentLine(_));
        let own = self.indent(container.start);
        let indent = match there.last() {
            Some(child) if self.is_first_on_line(child.start()) => self.indent(child.start()).to_owned(),
            _ => format!("{own}{}", style.unit),
        };
        let mut text = String::new();
        for (at, (key, value)) in new.iter().enumerate() {
            text.push_str(match (at > 0, inline && (at > 0 || !there.is_empty()) && style.spaced) {
                (true, true) => ", ",
                (true, false) => ",",
                (false, true) => " ",
                (false, false) => "",
            });
            if !inline {
                text.push_str(style.newline);
                text.push_str(&indent);
            }
            style.write_member(*key, value, if inline { None } else { Some(&indent) }, &mut text);
        }
        let behind = &self.text[last.range.end..container.end - 1];
        let mut at = last.range.end;
        if there.is_empty() && !inline && !behind.contains('\n') {
            text.push_str(style.newline);
            text.push_str(own);
            at = container.end - 1;
        }
        let mut comma = there.last().filter(|child| self.comma_behind(child.end(), container.end).is_none());
        if let Some(child) = comma.filter(|child| child.end() == at) {
            text.insert(0, ',');
            at = child.end();
            comma = None;
        }
        let comma = comma.map(|child| Insertion { at: child.end(), text: ",".into() });
        comma.into_iter().chain([Insertion { at, text }]).collect()
    }

    /// The insertion of the whole object into a text without a value.
    fn whole(&self, style: &TextStyle<'_>, new: &NewJson) -> Insertion {
        let open = matches!(self.tokens.last(), Some(last) if self.text[last.range.end..].is_empty());
        let mut text = if open { style.newline.to_owned() } else { String::new() };
        style.write(new, Some(""), &mut text);
        text.push_str(style.newline);
        Insertion { at: self.text.len(), text }
    }

    /// The last token that begins at `from` or later and ends at `to` or earlier; there is one.
    fn last_token(&self, from: usize, to: usize) -> &TokenAndRange<'t> {
        let end = self.tokens.partition_point(|token| token.range.end <= to);
        debug_assert!(end > 0 && self.tokens[end - 1].range.start >= from);
        &self.tokens[end.saturating_sub(1)]
    }

    /// The comma after the value that ends at `end`, comments skipped.
    fn comma_behind(&self, end: usize, limit: usize) -> Option<Range> {
        let from = self.tokens.partition_point(|token| token.range.start < end);
        let is_comment = |token: &&TokenAndRange<'_>| is_comment(&token.token);
        let next = self.tokens[from..].iter().find(|token| !is_comment(token))?;
        (next.token == Token::Comma && next.range.end <= limit).then_some(next.range)
    }

    fn prune_member(&self, member: &ObjectProp<'_>, unwanted: &dyn Fn(&Value) -> bool, gone: &mut Vec<Range>) -> bool {
        self.prune(&member.value, self.is_named_with_comment(member), unwanted, gone)
    }

    /// Collects in `gone` the ranges to take out of `node`. If nothing of the node is left, returns true and collects nothing,
    /// because the caller takes the whole node out. `stays`: the node must stay, because a comment stands before it.
    fn prune(&self, node: &Node<'_>, stays: bool, unwanted: &dyn Fn(&Value) -> bool, gone: &mut Vec<Range>) -> bool {
        let mut within = Vec::new();
        let emptied: Vec<bool> = match node {
            Node::Array(list) => list
                .elements
                .iter()
                .map(|element| unwanted(&value(element)) || self.prune(element, false, unwanted, &mut within))
                .collect(),
            Node::Object(object) => {
                object.properties.iter().map(|member| self.prune_member(member, unwanted, &mut within)).collect()
            }
            _ => return false,
        };
        if !emptied.is_empty() && emptied.iter().all(|gone| *gone) && !stays && !self.has_comment(node) {
            return true;
        }
        match node {
            Node::Array(list) => self.take_out(&list.elements, &emptied, &mut within),
            Node::Object(Object { properties, .. }) => self.take_out(properties, &emptied, &mut within),
            _ => {}
        }
        gone.append(&mut within);
        false
    }

    /// Whether a comment stands in the container itself, not in one of its values.
    fn has_comment(&self, node: &Node<'_>) -> bool {
        let within: Vec<Range> = match node {
            Node::Array(list) => list.elements.iter().map(Ranged::range).collect(),
            Node::Object(object) => object.properties.iter().map(Ranged::range).collect(),
            _ => Vec::new(),
        };
        let is_inside = |at: usize| within.iter().any(|range| (range.start..range.end).contains(&at));
        self.comments(node.start(), node.end()).any(|at| !is_inside(at))
    }

    /// Whether a comment stands between the name of a member and its value.
    fn is_named_with_comment(&self, member: &ObjectProp<'_>) -> bool {
        self.comments(member.range.start, member.value.start()).next().is_some()
    }

    /// The places of the comments from `start` to `end`.
    fn comments(&self, start: usize, end: usize) -> impl Iterator<Item = usize> {
        let from = self.tokens.partition_point(|token| token.range.start < start);
        let here = self.tokens[from..].iter().take_while(move |token| token.range.end <= end);
        here.filter(|token| is_comment(&token.token)).map(|token| token.range.start)
    }

    /// Collects the ranges of the `children` that are `emptied`, each with one comma and the blanks before it.
    fn take_out<C: Ranged>(&self, children: &[C], emptied: &[bool], gone: &mut Vec<Range>) {
        let mut kept: Option<usize> = None;
        for (at, child) in children.iter().enumerate() {
            if !emptied[at] {
                kept = Some(at);
                continue;
            }
            let is_last = emptied[at..].iter().all(|gone| *gone);
            let mut end = child.end();
            match self.comma_behind(end, self.text.len()) {
                // a comment between the two stays
                Some(comma) if self.comments(end, comma.start).next().is_some() => gone.push(comma),
                Some(comma) => end = comma.end,
                None => {}
            }
            gone.push(Range::new(self.start_with_blanks(child.start(), end), end));
            // the last remaining child keeps its comma only if the last child had one: a trailing comma stays
            let is_open = self.comma_behind(children[children.len() - 1].end(), self.text.len()).is_none();
            if let Some(before) = kept.take().filter(|_| is_last && is_open) {
                gone.extend(self.comma_behind(children[before].end(), child.start()));
            }
        }
    }

    /// Where the blanks before `start` begin. The line end of a comment stays, unless the text from `end` begins with one.
    fn start_with_blanks(&self, start: usize, end: usize) -> usize {
        let before = self.tokens.partition_point(|token| token.range.end <= start);
        let Some(before) = before.checked_sub(1).map(|at| &self.tokens[at]) else { return start };
        let blanks = &self.text[before.range.end..start];
        let ends_line = self.text[end..].trim_start_matches([' ', '\t']).starts_with(['\r', '\n']);
        match before.token {
            Token::CommentLine(_) if !ends_line => {
                before.range.end + blanks.find('\n').map_or(blanks.len(), |newline| newline + 1)
            }
            _ => before.range.end,
        }
    }

    /// The blanks at the start of the line of `at`.
    fn indent(&self, at: usize) -> &'t str {
        let line = &self.text[self.text[..at].rfind('\n').map_or(0, |newline| newline + 1)..];
        &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
    }

    fn is_first_on_line(&self, at: usize) -> bool {
        self.text[..at].trim_end_matches([' ', '\t']).ends_with('\n')
    }
}

fn is_comment(token: &Token<'_>) -> bool {
    matches!(token, Token::CommentLine(_) | Token::CommentBlock(_))
}

/// The value of a node. A number that `serde_json` cannot hold is `null`.
fn value(node: &Node<'_>) -> Value {
    match node {
        Node::StringLit(text) => Value::from(text.value.as_ref()),
        Node::NumberLit(number) => serde_json::from_str(number.value).unwrap_or(Value::Null),
        Node::BooleanLit(truth) => Value::from(truth.value),
        Node::NullKeyword(_) => Value::Null,
        Node::Array(list) => list.elements.iter().map(value).collect(),
        Node::Object(object) => {
            let member = |member: &ObjectProp<'_>| (member.name.as_str().to_owned(), value(&member.value));
            Value::Object(object.properties.iter().map(member).collect())
        }
    }
}

fn position(text: &str, at: usize) -> Position {
    let before = text.get(..at).unwrap_or(text);
    let line = before.rfind('\n').map_or(before, |newline| &before[newline + 1..]);
    let count = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
    Position { line: count(before.matches('\n').count() + 1), column: count(line.chars().count() + 1) }
}

#[cfg(test)]
mod tests;
