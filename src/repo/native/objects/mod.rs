//! Objects by id: the one interface to object bytes. libgit2 implements it here, the git program in
//! [`crate::repo::program`]. An id in, kind and bytes out; `None` only if the object database does not hold it.

mod loose;

use crate::error::{Error, Result, remedy};
use crate::text::spelled::spelled;
use crate::tree::oid::{HashKind, Oid};
use loose::{Loose, LooseObjects};
use std::cell::{OnceCell, RefCell};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::rc::Rc;

spelled! {
    /// The four kinds of git objects.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum ObjectKind {
        /// A commit: text that names a tree and parents.
        Commit = "commit",
        /// A tree: the entries of one directory.
        Tree = "tree",
        /// A blob: a file's content, or a link's target.
        Blob = "blob",
        /// An annotated tag.
        Tag = "tag",
    }
}

/// An object's kind and its content without git's header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Object {
    /// Its kind.
    pub kind: ObjectKind,
    /// Its content, unpacked, without git's header.
    pub data: Vec<u8>,
}

/// An object database.
pub trait ObjectStore {
    /// The object; `None` if the database does not hold it.
    fn read(&self, id: &Oid) -> Result<Option<Object>>;

    /// Shows the object's content to `look`, if possible without a copy; `false` if the database does not hold it. For walks
    /// over many large objects.
    fn look(&self, id: &Oid, look: &mut dyn FnMut(ObjectKind, &[u8])) -> Result<bool> {
        let object = self.read(id)?;
        Ok(object.map(|object| look(object.kind, &object.data)).is_some())
    }

    /// The ids in the cheapest order to read their objects, if the database knows one.
    fn cheapest_order(&self, ids: &BTreeSet<Oid>) -> Vec<Oid> {
        ids.iter().copied().collect()
    }

    /// Its kind and the size of its content in bytes, without reading it.
    fn header(&self, id: &Oid) -> Result<Option<(ObjectKind, u64)>>;

    /// Whether the database holds it, even damaged.
    fn holds(&self, id: &Oid) -> Result<bool> {
        Ok(self.header(id)?.is_some())
    }

    /// The objects with ids that begin with these lower-case hex digits, at least four.
    fn starting_with(&self, hex: &str) -> Result<Vec<Oid>> {
        Err(Error::fault(format!("this store cannot list the objects that begin with {hex}")))
    }
}

/// Opens another store that may hold the same objects.
type Opener = Box<dyn Fn() -> Result<Rc<dyn ObjectStore>>>;

/// libgit2's object database, opened by directory, without libgit2's repository, index or configuration. Loose objects are
/// read without libgit2, so it is opened only for the first packed object.
pub(crate) struct Git2Store {
    dir: PathBuf,
    loose: LooseObjects,
    odb: OnceCell<git2::Odb<'static>>,
    /// The git program, which may find another copy of a damaged object.
    second: Option<Opener>,
    /// The last object asked about: callers often ask for a size several times before they read.
    last: RefCell<Option<LastAsked>>,
}

struct LastAsked {
    id: Oid,
    kind: ObjectKind,
    size: u64,
    /// The object, if finding its size meant reading it.
    object: Option<Object>,
}

impl Git2Store {
    /// The database in `objects`, with its `info/alternates`, and in `more`. SHA-1 only.
    ///
    /// Object ids are not verified against content: reads happen thousands of times, git does not verify either, and `fsck`
    /// is the tool for that.
    pub(crate) fn open(objects: &Path, more: &[PathBuf]) -> Result<Self> {
        if !objects.is_dir() {
            return Err(Error::unchecked(format!("{} is no object directory", objects.display()))
                .hint("look at GIT_OBJECT_DIRECTORY where it is set, and at what `git status` says"));
        }
        let dirs: Vec<PathBuf> =
            std::iter::once(objects).chain(more.iter().map(PathBuf::as_path)).map(Path::to_owned).collect();
        if let Some(dir) = dirs.iter().find(|dir| dir.to_str().is_none()) {
            return Err(not_utf8(dir));
        }
        let loose = LooseObjects::new(dirs.iter().map(PathBuf::as_path));
        Ok(Self { dir: objects.to_owned(), loose, odb: OnceCell::new(), second: None, last: RefCell::default() })
    }

    /// The same store, which asks `second` for objects with damaged files.
    #[must_use]
    pub(crate) fn asking(mut self, second: impl Fn() -> Result<Rc<dyn ObjectStore>> + 'static) -> Self {
        self.second = Some(Box::new(second));
        self
    }

    fn odb(&self) -> Result<&git2::Odb<'static>> {
        if let Some(odb) = self.odb.get() {
            return Ok(odb);
        }
        git2::opts::strict_hash_verification(false);
        // The callers cache what they read again, in parsed form; libgit2 would keep up to 256 MB of raw bytes without use.
        git2::opts::enable_caching(false);
        let odb = git2::Odb::new().map_err(|error| failed(&self.dir, &error))?;
        for dir in self.loose.dirs() {
            let text = dir.to_str().ok_or_else(|| not_utf8(dir))?;
            odb.add_disk_alternate(text).map_err(|error| failed(dir, &error))?;
        }
        Ok(self.odb.get_or_init(|| odb))
    }

    /// The object, from the last question or from its loose file.
    fn loose(&self, id: &Oid) -> Loose {
        if let Some(last) = self.last.borrow_mut().as_mut().filter(|last| last.id == *id)
            && let Some(object) = last.object.take()
        {
            return Loose::Object(object);
        }
        self.loose.read(id)
    }

    /// Another copy of an object with a damaged file. libgit2 is not asked: without another copy it would open the damaged
    /// file, and reads a truncated one forever.
    fn elsewhere<T>(&self, id: &Oid, ask: impl FnOnce(&dyn ObjectStore) -> Result<Option<T>>) -> Result<Option<T>> {
        let damaged = || unreadable(id, "its file is damaged, and there is no other copy");
        let second = self.second.as_ref().ok_or_else(damaged)?;
        // git's own message is dropped: the remedy is the same
        ask(&*second()?).ok().flatten().map(Some).ok_or_else(damaged)
    }

    fn ask_about(&self, id: &Oid) -> Result<Option<LastAsked>> {
        let (kind, size, object) = match self.loose.head(id) {
            Loose::Object(object) => (object.kind, object.data.len() as u64, Some(object)),
            Loose::Large(kind, size) => (kind, size, None),
            Loose::Damaged => {
                let head = self.elsewhere(id, |store| store.header(id))?;
                return Ok(head.map(|(kind, size)| LastAsked { id: *id, kind, size, object: None }));
            }
            Loose::Nothing => {
                let odb = self.odb()?;
                let head = found(id, git2_id(id).and_then(|id| odb.read_header(id)))?;
                let Some((size, of)) = head else { return Ok(None) };
                (kind(id, of)?, size as u64, None)
            }
        };
        Ok(Some(LastAsked { id: *id, kind, size, object }))
    }

    fn all_starting_with(&self, hex: &str) -> Result<Vec<Oid>> {
        let mut found = BTreeSet::new();
        let see = |id: &git2::Oid| {
            found.extend(Oid::from_bytes(id.as_bytes()).filter(|id| id.to_string().starts_with(hex)));
            true
        };
        self.odb()?.foreach(see).map_err(|error| unreadable(hex, error.message()))?;
        Ok(found.into_iter().collect())
    }
}

fn not_utf8(dir: &Path) -> Error {
    Error::unchecked(format!("{} is not UTF-8", dir.display())).hint("move the repository to a path that is UTF-8")
}

fn failed(dir: &Path, error: &git2::Error) -> Error {
    Error::unchecked(format!("cannot open the objects in {}: {}", dir.display(), error.message())).hint(remedy::FSCK)
}

impl ObjectStore for Git2Store {
    fn read(&self, id: &Oid) -> Result<Option<Object>> {
        match self.loose(id) {
            Loose::Object(object) => return Ok(Some(object)),
            Loose::Damaged | Loose::Large(..) => return self.elsewhere(id, |store| store.read(id)),
            Loose::Nothing => {}
        }
        let odb = self.odb()?;
        let Some(object) = found(id, git2_id(id).and_then(|id| odb.read(id)))? else { return Ok(None) };
        Ok(Some(Object { kind: kind(id, object.kind())?, data: object.data().to_vec() }))
    }

    fn look(&self, id: &Oid, look: &mut dyn FnMut(ObjectKind, &[u8])) -> Result<bool> {
        let lone = match self.loose(id) {
            Loose::Object(object) => Some(object),
            Loose::Damaged | Loose::Large(..) => self.elsewhere(id, |store| store.read(id))?,
            Loose::Nothing => None,
        };
        if let Some(object) = lone {
            look(object.kind, &object.data);
            return Ok(true);
        }
        let odb = self.odb()?;
        let Some(object) = found(id, git2_id(id).and_then(|id| odb.read(id)))? else { return Ok(false) };
        look(kind(id, object.kind())?, object.data());
        Ok(true)
    }

    /// The order of the packs: a delta object is near its base there. libgit2 remembers a base only for a while and would
    /// have to rebuild it.
    fn cheapest_order(&self, ids: &BTreeSet<Oid>) -> Vec<Oid> {
        let (mut left, mut order) = (ids.clone(), Vec::with_capacity(ids.len()));
        // The callback stops the listing with an error, too. Ids that were not listed come last.
        if let Ok(odb) = self.odb() {
            let _ = odb.foreach(|id| {
                order.extend(Oid::from_bytes(id.as_bytes()).filter(|id| left.remove(id)));
                !left.is_empty()
            });
        }
        order.extend(left);
        order
    }

    fn header(&self, id: &Oid) -> Result<Option<(ObjectKind, u64)>> {
        if let Some(last) = self.last.borrow().as_ref().filter(|last| last.id == *id) {
            return Ok(Some((last.kind, last.size)));
        }
        let Some(asked) = self.ask_about(id)? else { return Ok(None) };
        let answer = (asked.kind, asked.size);
        // objects never change, so the answer stays right; a missing object is asked for again
        self.last.replace(Some(asked));
        Ok(Some(answer))
    }

    fn holds(&self, id: &Oid) -> Result<bool> {
        // a packed object may be a chain of deltas, and finding its size unpacks most of them
        match self.loose.head(id) {
            Loose::Object(_) | Loose::Large(..) | Loose::Damaged => Ok(true),
            Loose::Nothing => {
                let (odb, id) = (self.odb()?, git2_id(id).map_err(|error| unreadable(id, error.message()))?);
                Ok(odb.exists(id))
            }
        }
    }

    fn starting_with(&self, hex: &str) -> Result<Vec<Oid>> {
        let Ok(short) = git2::Oid::from_str(hex) else { return Ok(Vec::new()) };
        match self.odb()?.exists_prefix(short, hex.len()) {
            Ok(id) => Ok(Oid::from_bytes(id.as_bytes()).into_iter().collect()),
            Err(error) if error.code() == git2::ErrorCode::NotFound => Ok(Vec::new()),
            Err(error) if error.code() == git2::ErrorCode::Ambiguous => self.all_starting_with(hex),
            Err(error) => Err(unreadable(hex, error.message())),
        }
    }
}

/// The id for libgit2. An id of the other hash is reported as not found.
fn git2_id(id: &Oid) -> std::result::Result<git2::Oid, git2::Error> {
    match id.kind() {
        HashKind::Sha1 => git2::Oid::from_bytes(id.as_bytes()),
        HashKind::Sha256 => Err(git2::Error::new(git2::ErrorCode::NotFound, git2::ErrorClass::Odb, "another hash")),
    }
}

fn found<T>(id: &Oid, answer: std::result::Result<T, git2::Error>) -> Result<Option<T>> {
    match answer {
        Ok(value) => Ok(Some(value)),
        Err(error) if error.code() == git2::ErrorCode::NotFound => Ok(None),
        Err(error) => Err(unreadable(id, error.message())),
    }
}

fn kind(id: &Oid, kind: git2::ObjectType) -> Result<ObjectKind> {
    match kind {
        git2::ObjectType::Commit => Ok(ObjectKind::Commit),
        git2::ObjectType::Tree => Ok(ObjectKind::Tree),
        git2::ObjectType::Blob => Ok(ObjectKind::Blob),
        git2::ObjectType::Tag => Ok(ObjectKind::Tag),
        git2::ObjectType::Any => Err(unreadable(id, "it has no kind")),
    }
}

fn unreadable(id: impl std::fmt::Display, why: &str) -> Error {
    Error::unchecked(format!("cannot read object {id}: {why}")).hint(remedy::FSCK)
}
