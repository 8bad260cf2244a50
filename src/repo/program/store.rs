//! Objects by id through long-lived `git cat-file` children, started at the first question.
//!
//! On git's standard output a damaged object looks like a missing one; only standard error shows the difference. So the
//! child writes both into one pipe, in order, and "missing" after an error message is an error.

use super::run::{Errors, Running, in_one_line};
use super::{Git, Limits};
use crate::error::{Error, Result, remedy};
use crate::repo::native::objects::{Object, ObjectKind, ObjectStore};
use crate::tree::oid::Oid;
use bstr::ByteSlice;
use std::cell::RefCell;
use std::process::Stdio;

/// The longest line of an answer or an error message.
const MAX_LINE: usize = 64 * 1024;

/// Objects as the git program reads them: with alternates, without replace refs, without fetching.
///
/// `None` means that the database does not hold the object. In a partial clone it may be an object that the remote promised,
/// so a caller that follows a reference from an existing object must treat `None` as an error.
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

    /// Asks the child in `slot`, and starts one with `mode` if there is none. After an error the child is dropped, because
    /// its next output belongs to the failed question.
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
        *slot = Some(child).filter(|child| !child.is_over());
        Ok(answer)
    }

    /// The content of the object from a separate child: its exit code shows whether the output is an error message.
    fn alone(&self, kind: ObjectKind, id: &Oid) -> Result<Vec<u8>> {
        let content = self.git.demand(&["cat-file", kind.as_str(), &id.to_string()]);
        content.map_err(|error| error.context(format!("object {id} cannot be read")).hint(REMEDY))
    }
}

/// The hint for a damaged object.
pub(super) const REMEDY: &str =
    "git fsck shows what is damaged; a fresh clone or `git fetch` may bring the object back";

/// Whether these bytes may be git's error message about an unreadable object: the message stands in the place of the
/// content, and may have the same length.
fn is_complaint(data: &[u8]) -> bool {
    data.starts_with(b"error: ") || data.starts_with(b"fatal: ")
}

impl ObjectStore for ProgramStore {
    fn read(&self, id: &Oid) -> Result<Option<Object>> {
        self.ask(&self.contents, "--batch", |child| {
            let Some((kind, size)) = head(child, id)? else { return Ok(None) };
            let Limits { output, .. } = child.limits;
            if size > output {
                return Err(Error::unchecked(format!("object {id} has {size} bytes, more than {output} are not read"))
                    .hint(remedy::TOO_LARGE));
            }
            // git prints kind and size before it reads the content; if that fails, an error message follows instead
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

/// Whether these error messages only say that git may not fetch an object that the remote promised: it is missing here.
/// `git cat-file` before 2.44 says so, and some of these versions end then, e.g. 2.39:
/// `fatal: could not fetch 4b825dc642cb6eb9a060e54bf8d69288fbee4904 from promisor remote`.
fn is_promised(complaint: &[u8], id: &str) -> bool {
    let unfetched = format!("fatal: could not fetch {id} from promisor remote");
    let denied = |line: &[u8]| line.starts_with(b"fatal: transport '") && line.ends_with(b"' not allowed");
    !complaint.is_empty() && complaint.lines().all(|line| line == unfetched.as_bytes() || denied(line))
}

/// Asks for `id` and reads the line `<id> <kind> <size>` or `<id> missing`, after possible error messages.
fn head(child: &mut Running, id: &Oid) -> Result<Option<(ObjectKind, u64)>> {
    let id = id.to_string();
    child.request(format!("{id}\n").as_bytes())?;
    let mut complaint = Vec::new();
    loop {
        let Some(line) = child.until(b'\n', MAX_LINE)? else {
            if is_promised(&complaint, &id) {
                return Ok(None);
            }
            return Err(Error::unchecked(format!("{} ended: {}", child.what, in_one_line(&complaint))).hint(REMEDY));
        };
        match line.strip_prefix(id.as_bytes()).and_then(|rest| rest.strip_prefix(b" ")) {
            Some(b"missing") if complaint.is_empty() || is_promised(&complaint, &id) => return Ok(None),
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
    Some((ObjectKind::parse(kind.to_str().ok()?)?, size.to_str().ok()?.parse().ok()?))
}
