//! The user's name: the author that git would record in a commit made now, as `git var GIT_AUTHOR_IDENT` prints it.

use super::Repo;
use crate::error::Result;
use bstr::ByteSlice;

impl Repo {
    /// The author's name: `GIT_AUTHOR_NAME`, else `author.name`, else `user.name`, else git's guess from the account. `None`
    /// if git has no name, or if the name is empty after git's cleaning. Only the guess needs a run of `git var`.
    ///
    /// # Errors
    /// When git's configuration cannot be read.
    pub(crate) fn author_name(&self) -> Result<Option<String>> {
        // for git the empty variable is a name, and an invalid one: the configuration does not count then
        if let Some(name) = self.env.author_name() {
            return Ok(cleaned(name));
        }
        let config = self.config()?;
        let configured = ["author.name", "user.name"].map(|key| config.get(key));
        if let Some(name) = configured.iter().flatten().find(|name| !name.is_empty()) {
            return Ok(cleaned(name));
        }
        let is_given = configured.iter().any(Option::is_some);
        if is_given || config.boolean("user.useconfigonly")? == Some(true) {
            return Ok(None);
        }
        let ident = self.program("who the user is")?.author_ident()?;
        Ok(ident.and_then(|ident| cleaned(ident.rsplit_once_str(" <")?.0)))
    }
}

/// The name as git cleans it: without `<`, `>` and line ends, and without punctuation at both ends.
fn cleaned(name: &[u8]) -> Option<String> {
    let is_crud = |byte: &u8| *byte <= b' ' || b",:;<>\"\\'".contains(byte);
    let start = name.iter().position(|byte| !is_crud(byte))?;
    let end = name.iter().rposition(|byte| !is_crud(byte))?;
    let kept: Vec<u8> = name[start..=end].iter().copied().filter(|byte| !b"\n<>".contains(byte)).collect();
    Some(String::from_utf8_lossy(&kept).into_owned())
}
