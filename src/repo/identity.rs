//! Who the user is: the name that git would write as the author of a commit made now, as `git var GIT_AUTHOR_IDENT` gives it.

use super::Repo;
use crate::error::Result;
use bstr::ByteSlice;

impl Repo {
    /// The author's name: `GIT_AUTHOR_NAME`, else `author.name`, else `user.name`, else what git makes of the account.
    /// `None` where git knows no name, and where the name is empty once git has cleaned it. git is asked for the account
    /// alone; the other cases need no `git var`.
    ///
    /// # Errors
    /// When git's configuration cannot be read.
    pub(crate) fn author_name(&self) -> Result<Option<String>> {
        // set to nothing it is a name for git, and no valid one: the configuration is not asked then
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

/// The name without what git takes out of every name: the signs of `<e@x>` and line ends, and signs at both ends.
fn cleaned(name: &[u8]) -> Option<String> {
    let is_crud = |byte: &u8| *byte <= b' ' || b",:;<>\"\\'".contains(byte);
    let start = name.iter().position(|byte| !is_crud(byte))?;
    let end = name.iter().rposition(|byte| !is_crud(byte))?;
    let kept: Vec<u8> = name[start..=end].iter().copied().filter(|byte| !b"\n<>".contains(byte)).collect();
    Some(String::from_utf8_lossy(&kept).into_owned())
}
