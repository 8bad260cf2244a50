//! Tests a server with one tiny commit: it is pushed, found in the list, fetched back by its blob's id, and deleted. Each
//! step that fails has its own message, because each has its own remedy.

use super::side::SideRepo;
use crate::error::{Error, Result};
use crate::repo::program::network::{Expected, FetchLimits, Fetched, MovedHow, RefMove, TreeLine};
use crate::tree::oid::Oid;

const TEXT: &[u8] = b"yatsu-hook: may evidence be kept here?\n";

pub(super) fn probe(side: &SideRepo, seconds: i64) -> Result<()> {
    let remote = side.door.remote();
    let name = side.probe_ref(&side.writer()?);
    let (_dir, apart) = side.apart()?;
    let blob = apart.write_blob(TEXT)?;
    let line = TreeLine { name: "probe".to_owned(), id: blob, is_tree: false };
    let tree = apart.write_trees(&[vec![line]])?[0];
    let commit = apart.write_commit(&tree, None, seconds, b"a probe\n")?;
    let refused = |error: Error| {
        error
            .context(format!("{remote} does not take what is pushed to {name}"))
            .hint(
                "ask its owner to allow refs/yatsu (receive.hideRefs), or use branches: yatsu-hook share on --branches",
            )
            .hint("or share through a bucket: yatsu-hook share on s3://…")
    };
    // replaces the ref of a killed probe of this machine
    let there = side.door.list(&[&name])?.into_iter().find(|(found, _)| *found == name.as_str()).map(|(_, id)| id);
    let from = there.map_or(Expected::Nothing, Expected::Exactly);
    move_to(side, &RefMove { name: name.clone(), to: Some(commit), from }, &apart).map_err(refused)?;
    let seen = look(side, &name, commit, blob);
    let delete = RefMove { name: name.clone(), to: None, from: Expected::Exactly(commit) };
    let deleted = move_to(side, &delete, &side.door).map_err(|error| {
        error
            .context(format!("{remote} took {name} and does not delete it"))
            .hint("ask its owner to allow it (receive.denyDeletes, branch rules): else what expires stays for ever")
    });
    seen.and(deleted)
}

/// Checks that the ref is listed, and that its blob can be fetched by its id.
fn look(side: &SideRepo, name: &str, commit: Oid, blob: Oid) -> Result<()> {
    let remote = side.door.remote();
    if !side.door.list(&[name])?.contains(&(name.into(), commit)) {
        return Err(Error::unchecked(format!("{remote} took {name} and does not show it")).hint(
            "ask its owner to show refs/yatsu (uploadpack.hideRefs), or use branches: yatsu-hook share on --branches",
        ));
    }
    let (_dir, apart) = side.apart()?;
    let limits = FetchLimits { bytes: 1 << 20, anew: true };
    let mut end = apart.fetch(&[blob.to_string()], limits)?;
    if let Fetched::NotAll(error) = &end
        && error.message.contains("unadvertised object")
    {
        // a server with an older protocol gives only whole months; `get` notes that when it needs one
        end = apart.fetch(&[name.to_owned()], limits)?;
    }
    let came = apart.blobs().read(&blob, |_, bytes| {
        let mut text = Vec::new();
        bytes.read_to_end(&mut text).map_err(|error| Error::unread("what git printed", &error))?;
        Ok(text)
    })?;
    match end {
        Fetched::All if came.as_deref() == Some(TEXT) => Ok(()),
        Fetched::All => Err(Error::unchecked(format!("{remote} does not give back what was put there"))
            .hint("ask its owner what changes or hides objects there, or share through another place")),
        Fetched::NotAll(error) => Err(error.context(format!("{remote} shows {name} and does not deliver its objects"))),
    }
}

fn move_to(side: &SideRepo, wanted: &RefMove, door: &crate::repo::program::network::NetworkDoor) -> Result<()> {
    let moved = door.push(std::slice::from_ref(wanted), false)?;
    match moved.iter().find(|moved| moved.how == MovedHow::Refused) {
        Some(refused) => Err(Error::unchecked(format!("{} says: {}", side.door.remote(), refused.reason()))),
        None => Ok(()),
    }
}
