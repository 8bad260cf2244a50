//! Objects by id through long-lived `git cat-file` children, started when first asked.
//!
//! A damaged object looks like a missing one on git's standard output; only its standard error tells them apart. So the
//! child writes both into one pipe, in order, and "missing" after a complaint is an error.

use super::run::{Errors, Running, in_one_line};
use super::{Git, Limits};
use crate::error::{Error, Result, remedy};
use crate::repo::native::objects::{Object, ObjectKind, ObjectStore};
use crate::tree::oid::Oid;
use bstr::ByteSlice;
use std::cell::RefCell;
use std::process::Stdio;

/// Longest line that is taken for an answer or a complaint.
const MAX_LINE: usize = 64 * 1024;

/// Objects as the git program reads them: alternates included, replace refs not followed, nothing fetched.
///
/// `None` means that the database does not hold the object, which in a partial clone may be one that the remote
/// promised: whoever follows a name from an object that is there must take `None` for an error.
pub struct ProgramStore {
    git: Git,
    contents: RefCell<Option<Running>>,
    headers: RefCell<Option<Running>>,
}

impl ProgramStore {
    /// The objects of the repository that `git` answers for.
    pub fn new(git: Git) -> Self {
        Self { git, contents: RefCell::default(), headers: RefCell::default() }
    }

    /// Asks the child in `slot`, started with `mode` when there is none. After an error the child is given up, because
    /// what it would say next belongs to the failed question.
    fn ask<T>(
        &self,
        slot: &RefCell<Option<Running>>,
        mode: &str,
        question: impl FnOnce(&mut Running) -> Result<T>,
    ) -> Result<T> {
        let mut slot = slot.borrow_mut();
        let mut child = match slot.take() {
            Some(child) => child,
            None => self.git.start(&["cat-file", mode], Stdio::piped(), Errors::Among)?,
        };
        let answer = question(&mut child)?;
        *slot = Some(child);
        Ok(answer)
    }

    /// The content of the object by a child of its own, whose exit code tells it from a complaint.
    fn alone(&self, kind: ObjectKind, id: &Oid) -> Result<Vec<u8>> {
        let kind = KINDS.iter().find(|(_, known)| *known == kind).map_or("blob", |(name, _)| name);
        let content = self.git.demand(&["cat-file", kind, &id.to_string()]);
        content.map_err(|error| error.context(format!("object {id} cannot be read")).hint(REMEDY))
    }
}

/// What may help with an object that is damaged.
pub(super) const REMEDY: &str =
    "git fsck shows what is damaged; a fresh clone or `git fetch` may bring the object back";

/// The kinds of objects as git calls them.
const KINDS: &[(&str, ObjectKind)] =
    &[("commit", ObjectKind::Commit), ("tree", ObjectKind::Tree), ("blob", ObjectKind::Blob), ("tag", ObjectKind::Tag)];

/// Whether these bytes may be what git said about an object that it could not read: they lie where its content would, and
/// may be as long.
fn is_complaint(data: &[u8]) -> bool {
    data.starts_with(b"error: ") || data.starts_with(b"fatal: ")
}

impl ObjectStore for ProgramStore {
    fn read(&self, id: &Oid) -> Result<Option<Object>> {
        self.ask(&self.contents, "--batch", |child| {
            let Some((kind, size)) = head(child, id)? else { return Ok(None) };
            let Limits { output, .. } = child.limits();
            if size > output {
                return Err(Error::unchecked(format!("object {id} has {size} bytes, more than {output} are not read"))
                    .hint(remedy::TOO_LARGE));
            }
            // git names kind and size before it reads the rest, and complains in its place where it cannot
            let broken = |error: Error| error.context(format!("object {id} cannot be read whole")).hint(REMEDY);
            let data = child.exactly(size).map_err(broken)?;
            match child.exactly(1).map_err(broken)?.as_slice() {
                b"\n" if is_complaint(&data) => Ok(Some(Object { kind, data: self.alone(kind, id)? })),
                b"\n" => Ok(Some(Object { kind, data })),
                _ => Err(damaged(&id.to_string(), &data)),
            }
        })
    }

    fn header(&self, id: &Oid) -> Result<Option<(ObjectKind, u64)>> {
        self.ask(&self.headers, "--batch-check", |child| head(child, id))
    }

    fn starting_with(&self, hex: &str) -> Result<Vec<Oid>> {
        self.git.starting_with(hex)
    }
}

/// Asks for `id` and reads the line `<id> <kind> <size>` or `<id> missing`, with complaints before it.
fn head(child: &mut Running, id: &Oid) -> Result<Option<(ObjectKind, u64)>> {
    let id = id.to_string();
    child.request(format!("{id}\n").as_bytes())?;
    let mut complaint = Vec::new();
    loop {
        let Some(line) = child.until(b'\n', MAX_LINE)? else {
            return Err(Error::unchecked(format!("{} ended: {}", child.what(), in_one_line(&complaint))).hint(REMEDY));
        };
        match line.strip_prefix(id.as_bytes()).and_then(|rest| rest.strip_prefix(b" ")) {
            Some(b"missing") if complaint.is_empty() => return Ok(None),
            Some(b"missing") => return Err(damaged(&id, &complaint)),
            Some(about) => return parse_head(about).map(Some).ok_or_else(|| damaged(&id, about)),
            None if line.starts_with(b"warning: ") => {}
            None if complaint.len() < MAX_LINE => complaint.extend([&line[..], b"\n"].concat()),
            None => return Err(damaged(&id, &complaint)),
        }
    }
}

fn damaged(id: &str, complaint: &[u8]) -> Error {
    Error::unchecked(format!("object {id} cannot be read: {}", in_one_line(complaint))).hint(REMEDY)
}

pub(super) fn parse_head(about: &[u8]) -> Option<(ObjectKind, u64)> {
    let (kind, size) = about.split_once_str(" ")?;
    let kind = KINDS.iter().find(|(name, _)| name.as_bytes() == kind)?.1;
    Some((kind, size.to_str().ok()?.parse().ok()?))
}
