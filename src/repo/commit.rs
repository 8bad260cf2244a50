//! Commit objects: a commit's tree and parents from its own bytes, and tags peeled to commits. Never asks for their order.

use super::native::objects::{Object, ObjectKind, ObjectStore};
use crate::error::{Error, Result, remedy};
use crate::tree::oid::Oid;
use bstr::ByteSlice;

/// Largest commit or tag that is read, in bytes.
const MAX_COMMIT: u64 = 16 << 20;
/// How many tags in a row are followed, because a tag may point to a tag.
const MAX_TAGS: usize = 16;

/// The fields of a commit that are needed here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Commit {
    pub tree: Oid,
    pub parents: Vec<Oid>,
    /// When it was committed, in seconds since 1970; 0 if git could not read the date.
    pub date: i64,
}

/// The object behind an id, as a commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum CommitLookup {
    Commit(Commit),
    /// An object of another kind.
    Other,
    /// The object database does not hold it.
    Missing,
}

/// Reads the commit `id`; tags are not peeled.
pub(crate) fn look_up(store: &dyn ObjectStore, id: &Oid) -> Result<CommitLookup> {
    match store.header(id)? {
        None => Ok(CommitLookup::Missing),
        Some((ObjectKind::Commit, size)) if size <= MAX_COMMIT => look_up_whole(store, id),
        Some((ObjectKind::Commit, _)) => Err(malformed(id, "is larger than 16 MiB")),
        Some(_) => Ok(CommitLookup::Other),
    }
}

/// Like [`look_up`] with one read, for an id that is almost certainly a commit, e.g. a parent or a peeled tag. Any other
/// object would be read completely before it is rejected.
pub(crate) fn look_up_whole(store: &dyn ObjectStore, id: &Oid) -> Result<CommitLookup> {
    let mut found = CommitLookup::Other;
    let mut parsed = Ok(());
    let is_here = store.look(id, &mut |kind, data| match kind {
        ObjectKind::Commit if data.len() as u64 > MAX_COMMIT => parsed = Err(malformed(id, "is larger than 16 MiB")),
        ObjectKind::Commit => match parse(data) {
            Some(commit) => found = CommitLookup::Commit(commit),
            None => parsed = Err(malformed(id, "is malformed")),
        },
        ObjectKind::Tree | ObjectKind::Blob | ObjectKind::Tag => {}
    })?;
    parsed?;
    Ok(if is_here { found } else { CommitLookup::Missing })
}

/// The object behind an id after following tags.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Peeled {
    Commit(Oid),
    Blob(Oid),
    Tree(Oid),
    /// Not determined: a missing object, a tag that is too large, or too many tags in a row.
    Unknown,
}

impl Peeled {
    pub(crate) fn commit(self) -> Option<Oid> {
        match self {
            Self::Commit(id) => Some(id),
            Self::Blob(_) | Self::Tree(_) | Self::Unknown => None,
        }
    }
}

/// Follows tags from `id`. An id that is not a tag is returned with its kind.
pub(crate) fn peel(store: &dyn ObjectStore, mut id: Oid) -> Result<Peeled> {
    for _ in 0..MAX_TAGS {
        match store.header(&id)? {
            Some((ObjectKind::Commit, _)) => return Ok(Peeled::Commit(id)),
            Some((ObjectKind::Blob, _)) => return Ok(Peeled::Blob(id)),
            Some((ObjectKind::Tree, _)) => return Ok(Peeled::Tree(id)),
            Some((ObjectKind::Tag, size)) if size <= MAX_COMMIT => {}
            Some((ObjectKind::Tag, _)) | None => return Ok(Peeled::Unknown),
        }
        let Some(Object { data, .. }) = store.read(&id)? else { return Ok(Peeled::Unknown) };
        id = field(&data, b"object ").map(|(id, _)| id).ok_or_else(|| malformed(&id, "is malformed"))?;
    }
    Ok(Peeled::Unknown)
}

/// The first line of a commit's message that is not blank, for display. Invalid UTF-8 is replaced.
pub(crate) fn subject(store: &dyn ObjectStore, id: &Oid) -> Result<String> {
    let size = store.header(id)?.map_or(0, |(_, size)| size);
    let object = if size > MAX_COMMIT { None } else { store.read(id)? };
    let data = object.map(|object| object.data).unwrap_or_default();
    let message = data.split_once_str("\n\n").map_or(&b""[..], |(_, message)| message);
    Ok(message.lines().find(|line| !line.trim().is_empty()).unwrap_or_default().to_str_lossy().into_owned())
}

/// A person whom a commit names, as spelled there. Invalid UTF-8 is replaced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Author {
    pub name: String,
    pub address: String,
}

impl Author {
    /// The person in `Ann <ann@example.org>`. A text without `<` is only a name.
    pub(crate) fn parse(text: &str) -> Self {
        let (name, rest) = text.split_once('<').unwrap_or((text, ""));
        let address = rest.split_once('>').map_or(rest, |(address, _)| address);
        Self { name: name.trim().to_owned(), address: address.trim().to_owned() }
    }
}

/// The author of a commit, and every co-author in its message.
pub(crate) fn authors(store: &dyn ObjectStore, id: &Oid) -> Result<Vec<Author>> {
    let size = store.header(id)?.map_or(0, |(_, size)| size);
    if size > MAX_COMMIT {
        return Err(malformed(id, "is larger than 16 MiB"));
    }
    let data = store.read(id)?.map(|object| object.data).unwrap_or_default();
    let (header, message) = data.split_once_str("\n\n").unwrap_or((&data, b""));
    let author = header.lines().find_map(|line| line.strip_prefix(b"author ")).map(|line| line.to_str_lossy());
    let author = author.map(|text| Author::parse(&text));
    Ok(author.into_iter().chain(co_authors(&message.to_str_lossy())).collect())
}

/// The co-authors in a message. All lines count, not only the last paragraph: a squash joins the messages of its commits. As
/// for git, blanks may stand around the key, and a line that begins with one continues the line before.
fn co_authors(message: &str) -> Vec<Author> {
    let message = message.replace("\r\n", "\n");
    let lines: Vec<&str> = message.split(['\n', '\r']).collect();
    let mut found = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let Some((key, value)) = line.split_once(':') else { continue };
        if key.trim().eq_ignore_ascii_case("co-authored-by") {
            let folded = lines[at + 1..].iter().take_while(|line| line.starts_with([' ', '\t']));
            found.extend(people(&folded.fold(value.to_owned(), |text, line| text + " " + line.trim())));
        }
    }
    found
}

/// The people in the value of a trailer: each with an address between `<` and `>`; else each word with `@`, else one name.
fn people(mut value: &str) -> Vec<Author> {
    let mut found = Vec::new();
    while let Some((name, rest)) = value.split_once('<') {
        let (address, rest) = rest.split_once('>').unwrap_or((rest, ""));
        let name = name.trim_matches(|c: char| c.is_whitespace() || matches!(c, ',' | ';'));
        found.push(Author { name: name.to_owned(), address: address.trim().to_owned() });
        value = rest;
    }
    let bare = value.split([' ', '\t', ',', ';']).filter(|word| word.contains('@'));
    found.extend(bare.map(|word| Author { name: String::new(), address: word.to_owned() }));
    if found.is_empty() {
        found.push(Author::parse(value));
    }
    found
}

fn parse(data: &[u8]) -> Option<Commit> {
    let (tree, mut rest) = field(data, b"tree ")?;
    let mut parents = Vec::new();
    while let Some((parent, after)) = field(rest, b"parent ") {
        parents.push(parent);
        rest = after;
    }
    rest.starts_with(b"author ").then(|| Commit { tree, parents, date: date(rest).unwrap_or(0) })
}

/// The date on the committer line, which follows the author line.
fn date(data: &[u8]) -> Option<i64> {
    let line = data.lines().nth(1)?.strip_prefix(b"committer ")?;
    let after = &line[line.rfind_byte(b'>')? + 1..];
    after.fields().next()?.to_str().ok()?.parse().ok()
}

/// The id on the first line, which must begin with `name`, and the lines after it.
fn field<'a>(data: &'a [u8], name: &[u8]) -> Option<(Oid, &'a [u8])> {
    let rest = data.strip_prefix(name)?;
    let end = rest.find_byte(b'\n')?;
    Some((Oid::from_hex(&rest[..end])?, &rest[end + 1..]))
}

fn malformed(id: &Oid, what: &str) -> Error {
    Error::unchecked(format!("object {id} {what}")).hint(remedy::FSCK)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: &str = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";

    #[test]
    fn every_spelling_of_a_co_author_is_read() {
        let ann = "Ann <ann@x>";
        for (message, people) in [
            ("work\n\nCo-authored-by: Ann <ann@x>\n", ann),
            ("work\r\n\r\nCO-AUTHORED-BY: Ann <ann@x>  \r\nmore\r\n", ann),
            ("Co-Authored-By : Ann <ann@x>", ann),
            ("  co-authored-by:Ann<ann@x>", ann),
            ("a squash\n\nCo-authored-by: Ann <ann@x>\n\n* the next\n", ann),
            ("x\n\nCo-authored-by: Ann\n <ann@x>\n", ann),
            ("x\r\n\r\nCo-authored-by: Ann\r\n\t<ann@x>\r\n", ann),
            ("Co-authored-by:\n Ann\n <ann@x>\nSigned-off-by: Eve <eve@x>", ann),
            ("Co-authored-by: Ann <ann@x>, Bob <bob@x>", "Ann <ann@x>|Bob <bob@x>"),
            ("Co-authored-by: Ann <ann@x>\nCo-authored-by: Bob <bob@x>", "Ann <ann@x>|Bob <bob@x>"),
            ("Co-authored-by: Ann <ann@x> bob@x", "Ann <ann@x>| <bob@x>"),
            ("Co-authored-by: ann@x; bob@x", " <ann@x>| <bob@x>"),
            ("Co-authored-by: Ann <ann@x", ann),
            ("Co-authored-by: Ann", "Ann <>"),
            ("she said co-authored-by: Ann <ann@x>", ""),
            ("Reviewed-by: Ann <ann@x>", ""),
        ] {
            let found: Vec<String> =
                co_authors(message).iter().map(|one| format!("{} <{}>", one.name, one.address)).collect();
            assert_eq!(found.join("|"), people, "{message:?}");
        }
    }

    #[test]
    fn commits_are_read_strictly() {
        let text = format!("tree {ID}\nparent {ID}\nparent {ID}\nauthor A <a@example.invalid> 0 +0000\n\nparent x\n");
        assert_eq!(parse(text.as_bytes()).unwrap().parents.len(), 2);
        for (line, date) in [("C <c@example.invalid> 1767225600 +0100", 1_767_225_600), ("C <c> > x", 0), ("C", 0)] {
            let text = format!("tree {ID}\nauthor A <a> 5 +0000\ncommitter {line}\n\nm\n");
            assert_eq!(parse(text.as_bytes()).unwrap().date, date, "{line}");
        }
        for end in 0..text.find("author ").unwrap() + 6 {
            assert!(parse(&text.as_bytes()[..end]).is_none(), "{end}");
        }
        assert!(parse(format!("parent {ID}\ntree {ID}\nauthor ").as_bytes()).is_none());
    }
}
