//! Attributes of paths as git itself resolves them (system, user, tree, index, `info/attributes`, macros), through one
//! long-lived `git check-attr`.

use super::Git;
use super::run::{Errors, Running};
use crate::error::{Error, Result};
use crate::tree::path::RepoPath;
use bstr::{BString, ByteSlice};
use std::cell::RefCell;
use std::process::Stdio;

/// Longest attribute value that is read; git itself cuts lines of .gitattributes at 2048 bytes.
const MAX_FIELD: usize = 64 * 1024;

/// What an attribute says about a path (gitattributes).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AttributeValue {
    /// No rule speaks of it, or one takes it back (`!name`).
    Unspecified,
    /// `attr`.
    Set,
    /// `-attr`.
    Unset,
    /// `attr=value`.
    Value(BString),
}

impl AttributeValue {
    /// The word by which git prints a state that it gives an attribute, and by which somebody may have spelt a value.
    pub(crate) fn state(&self) -> Option<&'static str> {
        match self {
            Self::Set => Some("set"),
            Self::Unset => Some("unset"),
            // a value of this name does what no value does
            Self::Unspecified | Self::Value(_) => None,
        }
    }
}

/// Answers for one fixed list of attributes.
pub struct AttributeReader {
    git: Git,
    names: Vec<&'static str>,
    child: RefCell<Option<Running>>,
}

impl AttributeReader {
    /// Will ask `git` for these attributes.
    pub fn new(git: Git, names: Vec<&'static str>) -> Self {
        Self { git, names, child: RefCell::default() }
    }

    /// The values for `path`, in the order of the names. The file need not exist.
    pub fn of(&self, path: &RepoPath) -> Result<Vec<AttributeValue>> {
        let mut slot = self.child.borrow_mut();
        let mut child = match slot.take() {
            Some(child) => child,
            None => {
                let arguments: Vec<&str> =
                    ["check-attr", "-z", "--stdin"].into_iter().chain(self.names.clone()).collect();
                self.git.start(&arguments, Stdio::piped(), Errors::Apart)?
            }
        };
        child.request(&[path.as_bstr().as_bytes(), b"\0"].concat())?;
        let values = self.names.iter().map(|name| value(&mut child, path, name)).collect::<Result<_>>()?;
        *slot = Some(child);
        Ok(values)
    }

    /// What `text`, `crlf` and `eol` come to for a file on disk, in the words of gitattributes(5) (`text=auto eol=lf`); `None`
    /// where git does not see the file. Unlike [`Self::of`] it tells `text` from `text=set`.
    pub(crate) fn line_ends(&self, path: &RepoPath) -> Result<Option<String>> {
        self.git.line_ends(path)
    }

    /// Whether a file on disk has the attribute `name` with this very value, which is none of its states. Not told of a file in
    /// a directory that git does not track.
    pub(crate) fn has_value(&self, path: &RepoPath, name: &str, value: &str) -> Result<bool> {
        self.git.has_attribute(path, name, value)
    }
}

/// One record: path NUL attribute NUL value NUL.
fn value(child: &mut Running, path: &RepoPath, name: &str) -> Result<AttributeValue> {
    let mut field = || match child.until(0, MAX_FIELD)? {
        Some(field) => Ok(field),
        None => Err(child.ended()),
    };
    let (about, attribute, value) = (field()?, field()?, field()?);
    if about != **path.as_bstr() || attribute != name.as_bytes() {
        return Err(Error::odd_git(format!("git check-attr did not answer for {name} of {path}")));
    }
    Ok(match value.as_slice() {
        b"unspecified" => AttributeValue::Unspecified,
        b"set" => AttributeValue::Set,
        b"unset" => AttributeValue::Unset,
        _ => AttributeValue::Value(value.into()),
    })
}
