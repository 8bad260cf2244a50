//! Attributes of paths as git itself resolves them (system, user, tree, index, `info/attributes`, macros), through one
//! long-lived `git check-attr`.

use super::Git;
use super::run::{Errors, Running};
use crate::error::{Error, Result};
use crate::repo::path::RepoPath;
use bstr::{BString, ByteSlice};
use std::cell::RefCell;
use std::process::Stdio;

/// Longest attribute value that is read; git itself cuts lines of .gitattributes at 2048 bytes.
const MAX_FIELD: usize = 64 * 1024;

/// What an attribute says about a path (gitattributes).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AttributeValue {
    /// Nothing.
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
    pub fn state(&self) -> Option<&'static str> {
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

    /// The same for a file on disk, with `attr=set` told from `attr`, which [`Self::of`] cannot.
    pub fn exactly(&self, path: &RepoPath) -> Result<Vec<AttributeValue>> {
        let mut values = self.of(path)?;
        for (name, value) in self.names.iter().zip(&mut values) {
            if let Some(state) = value.state()
                && self.git.has_attribute(path, name, state)?
            {
                *value = AttributeValue::Value(state.into());
            }
        }
        Ok(values)
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
        return Err(Error::unchecked(format!("git check-attr did not answer for {name} of {path}")));
    }
    Ok(match value.as_slice() {
        b"unspecified" => AttributeValue::Unspecified,
        b"set" => AttributeValue::Set,
        b"unset" => AttributeValue::Unset,
        _ => AttributeValue::Value(value.into()),
    })
}
