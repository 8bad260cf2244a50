//! The directories of the cache: created if they are missing, and refused if another user could change them.

use crate::error::{Error, Result};
use crate::store::folder::Folder;
use crate::sys::{self, About};
use std::ffi::OsStr;

/// The directory `name` in `at`, created if `make`; `home` is the stat of the git directory around it.
pub(super) fn step(at: &Folder, name: &str, make: bool, home: &About) -> Result<Option<Folder>> {
    let name = OsStr::new(name);
    let found = if make { Some(at.ensure_below(name)?) } else { at.below(name)? };
    if let Some(folder) = &found {
        refuse_foreign(folder, home)?;
    }
    Ok(found)
}

/// Refuses a directory of another user, because that user could read and change it; this is allowed if the group shares the
/// repository. Refuses a directory on another file system, because a rename cannot cross it and it may vanish with its
/// mount. Refuses a directory without rights here, because it would fail later with a less clear message.
fn refuse_foreign(folder: &Folder, home: &About) -> Result<()> {
    let stat = folder.stat()?;
    let me = sys::user();
    let is_shared = folder.sharing().is_some() && stat.group == home.group;
    let reason = if stat.owner != me && stat.owner != home.owner && !is_shared {
        format!("belongs to user {}, neither you ({me}) nor the repository's owner ({})", stat.owner, home.owner)
    } else if stat.device != home.device {
        "is on another file system than the git directory".to_owned()
    } else if stat.mode & 0o700 != 0o700 {
        format!("has mode {:03o}; its owner must be able to read, write and enter it", stat.mode & 0o777)
    } else {
        return Ok(());
    };
    Err(Error::unchecked(format!("the evidence directory {} {reason}", folder.path().display()))
        .hint("mend the directory, or move it away: a new one is made when evidence is filed"))
}
