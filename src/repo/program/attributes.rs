//! Attributes of paths as git resolves them (system, user, tree, index, `info/attributes`, macros), from one long-lived `git
//! check-attr`.

use super::Git;
use super::run::{Errors, Running};
use crate::error::{Error, Result};
use crate::sys;
use crate::tree::path::RepoPath;
use bstr::{BString, ByteSlice};
use std::cell::RefCell;
use std::ffi::{OsStr, OsString};
use std::process::Stdio;

/// Longest attribute value that is read; git itself cuts lines of .gitattributes at 2048 bytes.
const MAX_FIELD: usize = 64 * 1024;

/// The state or value of an attribute for a path (gitattributes).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AttributeValue {
    /// No rule sets it, or a rule resets it (`!name`).
    Unspecified,
    /// `attr`.
    Set,
    /// `-attr`.
    Unset,
    /// `attr=value`.
    Value(BString),
}

impl AttributeValue {
    /// git's word for the state. A value may have the same spelling, e.g. `text=set`.
    pub(crate) fn state(&self) -> Option<&'static str> {
        match self {
            Self::Set => Some("set"),
            Self::Unset => Some("unset"),
            // the value "unspecified" has the same effect as no value
            Self::Unspecified | Self::Value(_) => None,
        }
    }
}

/// Reads one fixed list of attributes.
pub struct AttributeReader {
    git: Git,
    names: Vec<&'static str>,
    child: RefCell<Option<Running>>,
}

impl AttributeReader {
    /// A reader that asks `git` for these attributes.
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

    /// The effective `text`, `crlf` and `eol` for a file on disk, in the words of gitattributes(5) (`text=auto eol=lf`);
    /// `None` if git does not see the file. Unlike [`Self::of`] it distinguishes `text` from `text=set`.
    pub(crate) fn line_ends(&self, path: &RepoPath) -> Result<Option<String>> {
        let verb = ["ls-files", "--eol", "-z", "--cached", "--others", "--"].map(OsStr::new);
        let output = self.git.demand(&[&verb[..], &[&*sys::native(path.as_bstr())]].concat())?;
        // i/lf    w/crlf  attr/text=auto eol=lf  TAB path NUL
        let said = output.split_once_str("attr/").and_then(|(_, rest)| rest.split_once_str("\t"));
        Ok(said.map(|(attributes, _)| String::from_utf8_lossy(attributes).trim().to_owned()))
    }

    /// Whether a file on disk has the attribute `name` with exactly this value, not as a state. False for a file in a
    /// directory that git does not track.
    pub(crate) fn has_value(&self, path: &RepoPath, name: &str, value: &str) -> Result<bool> {
        let mut pattern = OsString::from(format!(":(top,literal,attr:{name}={value})"));
        pattern.push(sys::native(path.as_bstr()));
        let verb = ["--no-literal-pathspecs", "ls-files", "-z", "--cached", "--others", "--"].map(OsStr::new);
        Ok(!self.git.demand(&[&verb[..], &[pattern.as_os_str()]].concat())?.is_empty())
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
