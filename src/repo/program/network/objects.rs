//! Objects and refs of this program's repository, written and read by git without a connection. They came from a remote, so
//! sizes are checked before bytes are read, and bytes are streamed.

use super::NetworkDoor;
use crate::error::{Error, Result};
use crate::repo::native::objects::ObjectKind;
use crate::repo::program::run::{Errors, Running};
use crate::repo::program::store::parse_head;
use crate::sys;
use crate::tree::oid::{HashKind, Oid};
use crate::tree::shared::SharedMode;
use bstr::{BString, ByteSlice};
use std::io::{self, Read};
use std::path::Path;
use std::process::Stdio;

/// The longest line that is read as an object's header.
const MAX_HEAD: usize = 4096;

/// Kind and size of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlobLook {
    /// Its kind.
    pub kind: ObjectKind,
    /// Its size in bytes.
    pub size: u64,
}

/// An entry of a tree to write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TreeLine {
    /// Its name, hex digits only.
    pub name: String,
    /// The id of the blob or tree.
    pub id: Oid,
    /// Whether it is a tree.
    pub is_tree: bool,
}

impl NetworkDoor {
    /// Creates this program's repository with this hash, shared like the user's; does nothing if it exists.
    pub fn init(&self, hash: HashKind, shared: Option<SharedMode>) -> Result<()> {
        let format = match hash {
            HashKind::Sha1 => "--object-format=sha1",
            HashKind::Sha256 => "--object-format=sha256",
        };
        let shared = match shared {
            None => "--shared=umask".to_owned(),
            Some(SharedMode::GROUP) => "--shared=group".to_owned(),
            Some(SharedMode::EVERYBODY) => "--shared=all".to_owned(),
            Some(SharedMode::Adding(mode) | SharedMode::Exactly(mode)) => format!("--shared=0{mode:o}"),
        };
        let arguments = ["init", "--bare", "--quiet", "--template=", "--initial-branch=none", format, &shared];
        self.demand(&arguments, Vec::new()).map(drop)
    }

    /// The setting `key` of this program's repository.
    pub(crate) fn noted(&self, key: &str) -> Result<Option<String>> {
        let file = self.git_dir.join("config");
        let arguments = ["config".as_ref(), "--file".as_ref(), file.as_os_str(), "--get".as_ref(), key.as_ref()];
        let value = self.git.found(self.git.ask(&arguments)?)?;
        Ok(value.map(|value| value.trim_end().to_str_lossy().into_owned()))
    }

    /// Sets `key` to `value` in this program's repository.
    pub(crate) fn note(&self, key: &str, value: &str) -> Result<()> {
        self.demand(&["config", "--local", key, value], Vec::new()).map(drop)
    }

    /// Writes these files as blobs, in their order.
    pub fn write_files(&self, paths: &[&Path]) -> Result<Vec<Oid>> {
        if let Some(odd) = paths.iter().find(|path| sys::git_bytes(path).contains(&b'\n')) {
            return Err(Error::unchecked(format!("{}: git takes no path with a line end in it", odd.display()))
                .hint("move the repository to a path without one"));
        }
        let input = paths.iter().flat_map(|path| [&*sys::git_bytes(path), b"\n"].concat()).collect();
        self.ids(&["hash-object", "-w", "--no-filters", "--stdin-paths"], input, paths.len())
    }

    /// Writes a blob with these bytes.
    pub(crate) fn write_blob(&self, bytes: &[u8]) -> Result<Oid> {
        self.one_id(&["hash-object", "-w", "--no-filters", "--stdin"], bytes.to_vec())
    }

    /// Writes these trees, in their order. Their entries may be missing here.
    pub fn write_trees(&self, trees: &[Vec<TreeLine>]) -> Result<Vec<Oid>> {
        let mut input = String::new();
        for tree in trees {
            for TreeLine { name, id, is_tree } in tree {
                let kind = if *is_tree { "040000 tree" } else { "100644 blob" };
                input += &format!("{kind} {id}\t{name}\n");
            }
            input.push('\n');
        }
        self.ids(&["mktree", "--missing", "--batch"], input.into_bytes(), trees.len())
    }

    /// Writes a commit of `tree` with this message. Its author is the program, for privacy.
    pub fn write_commit(&self, tree: &Oid, parent: Option<&Oid>, seconds: i64, message: &[u8]) -> Result<Oid> {
        let parent = parent.map_or_else(String::new, |parent| format!("parent {parent}\n"));
        let by = format!("yatsu-hook <yatsu-hook@localhost.invalid> {seconds} +0000");
        let head = format!("tree {tree}\n{parent}author {by}\ncommitter {by}\n\n");
        self.one_id(&["hash-object", "-t", "commit", "-w", "--stdin"], [head.as_bytes(), message].concat())
    }

    /// The refs of this program's repository that begin with `prefix`.
    pub fn own_refs(&self, prefix: &str) -> Result<Vec<(BString, Oid)>> {
        self.git.list_refs(prefix.as_bytes())
    }

    /// Sets refs of this program's repository, all or none; `None` deletes a ref.
    pub fn set_own_refs(&self, refs: &[(String, Option<Oid>)]) -> Result<()> {
        let line = |(name, id): &(String, Option<Oid>)| match id {
            Some(id) => format!("update {name} {id}\n"),
            None => format!("delete {name}\n"),
        };
        let input: String = refs.iter().map(line).collect();
        self.demand(&["update-ref", "--no-deref", "--stdin"], input.into_bytes()).map(drop)
    }

    /// Kind and size of these objects; `None` for a missing one.
    pub fn look(&self, ids: &[Oid]) -> Result<Vec<Option<BlobLook>>> {
        let input: String = ids.iter().map(|id| format!("{id}\n")).collect();
        let output = self.demand(&["cat-file", "--batch-check"], input.into_bytes())?;
        let mut lines = output.lines();
        let look = |id: &Oid| {
            let about = lines.next().and_then(|line| line.strip_prefix(id.to_string().as_bytes())?.strip_prefix(b" "));
            match about {
                Some(b"missing") => Ok(None),
                Some(about) => parse_head(about).map(|(kind, size)| Some(BlobLook { kind, size })).ok_or(()),
                None => Err(()),
            }
        };
        let looked: Result<Vec<_>, ()> = ids.iter().map(look).collect();
        looked.map_err(|()| Error::odd_git("git cat-file printed a line that is no object"))
    }

    /// A reader of the objects in this repository.
    pub fn blobs(&self) -> StreamedBlobs {
        StreamedBlobs { door: self.clone(), child: None }
    }

    fn one_id(&self, arguments: &[&str], input: Vec<u8>) -> Result<Oid> {
        self.ids(arguments, input, 1).map(|ids| ids[0])
    }

    fn ids(&self, arguments: &[&str], input: Vec<u8>, count: usize) -> Result<Vec<Oid>> {
        let output = self.demand(arguments, input)?;
        let ids: Option<Vec<Oid>> = output.lines().map(Oid::from_hex).collect();
        let verb = arguments.first().unwrap_or(&"");
        let odd = || Error::odd_git(format!("git {verb} did not name {count} objects, as it was asked to"));
        ids.filter(|ids| ids.len() == count).ok_or_else(odd)
    }
}

/// Streams objects one after the other, from one child.
pub struct StreamedBlobs {
    door: NetworkDoor,
    child: Option<Running>,
}

impl StreamedBlobs {
    /// Lets `see` read the object `id`; `None` if it is missing. Bytes that `see` leaves unread are discarded.
    ///
    /// # Errors
    /// Unchecked if git cannot read the object; errors of `see` are returned.
    pub fn read<T>(&mut self, id: &Oid, see: impl FnOnce(BlobLook, &mut dyn Read) -> Result<T>) -> Result<Option<T>> {
        let mut child = match self.child.take() {
            Some(child) => child,
            None => self.door.git.start(&["cat-file", "--batch"], Stdio::piped(), Errors::Apart)?,
        };
        let id = id.to_string();
        child.request(format!("{id}\n").as_bytes())?;
        let Some(line) = child.until(b'\n', MAX_HEAD)? else { return Err(child.ended()) };
        let about = line.strip_prefix(id.as_bytes()).and_then(|rest| rest.strip_prefix(b" ")).unwrap_or_default();
        if about == b"missing" {
            self.child = Some(child);
            return Ok(None);
        }
        let odd = || Error::odd_git(format!("git cat-file said of {id}: {}", line.as_bstr()));
        let (kind, size) = parse_head(about).ok_or_else(odd)?;
        let mut bytes = Streamed { child: &mut child, left: size };
        let seen = see(BlobLook { kind, size }, &mut bytes);
        // unread bytes would be taken for the next answer, so only a child that was read to the end is kept
        if bytes.left == 0 && child.exactly(1).is_ok_and(|end| end == b"\n") {
            self.child = Some(child);
        }
        seen.map(Some)
    }
}

/// The bytes of one object as they arrive.
struct Streamed<'a> {
    child: &'a mut Running,
    left: u64,
}

impl Read for Streamed<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let most = usize::try_from(self.left).unwrap_or(usize::MAX).min(buffer.len());
        let chunk = self.child.some(most).map_err(|error| io::Error::other(error.message))?;
        buffer[..chunk.len()].copy_from_slice(chunk);
        self.left -= chunk.len() as u64;
        Ok(chunk.len())
    }
}
