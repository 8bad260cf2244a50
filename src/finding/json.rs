//! How paths and nodes are written into JSON documents, for fields with `serialize_with`.

use super::{Location, NodeRef};
use bstr::{BString, ByteSlice};
use serde::{Serialize, Serializer};
use std::borrow::Cow;

/// The keys of a path. A path that is not UTF-8 is shown with replacement characters, and `pathBytes` holds its bytes as
/// hex.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct PathKeys<'a> {
    path: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    path_bytes: Option<String>,
}

impl<'a> PathKeys<'a> {
    fn of(path: Option<&'a BString>) -> Self {
        let bytes = path.filter(|path| path.to_str().is_err());
        Self {
            path: path.map(|path| path.to_str_lossy()),
            path_bytes: bytes.map(|path| path.iter().map(|byte| format!("{byte:02x}")).collect()),
        }
    }
}

/// For a flattened path: `path`, and `pathBytes` if it is not UTF-8.
pub(crate) fn path<S: Serializer>(path: &BString, to: S) -> Result<S::Ok, S::Error> {
    PathKeys::of(Some(path)).serialize(to)
}

/// For a flattened place: `path`, `line` and `column`, `null` if unknown.
pub(super) fn location<S: Serializer>(location: &Option<Location>, to: S) -> Result<S::Ok, S::Error> {
    #[derive(Serialize)]
    struct LocationKeys<'a> {
        #[serde(flatten)]
        path: PathKeys<'a>,
        line: Option<u32>,
        column: Option<u32>,
    }
    let location = location.as_ref();
    let path = PathKeys::of(location.map(|location| &location.path));
    let (line, column) = (location.and_then(|at| at.line), location.and_then(|at| at.column));
    LocationKeys { path, line, column }.serialize(to)
}

/// A path as text, with replacement characters for bytes that are not UTF-8.
pub(crate) fn text<S: Serializer>(path: &BString, to: S) -> Result<S::Ok, S::Error> {
    to.collect_str(path)
}

/// Several paths as texts.
pub(crate) fn texts<S: Serializer>(paths: &[BString], to: S) -> Result<S::Ok, S::Error> {
    to.collect_seq(paths.iter().map(|path| path.to_str_lossy()))
}

/// A node by its id.
pub(super) fn id<S: Serializer>(node: &Option<NodeRef>, to: S) -> Result<S::Ok, S::Error> {
    node.as_ref().map(|node| &node.id).serialize(to)
}

/// A node by its directory.
pub(crate) fn dir<S: Serializer>(node: &NodeRef, to: S) -> Result<S::Ok, S::Error> {
    text(&node.dir, to)
}

/// For a flattened node: its id as `node`, and its directory as `path`.
pub(crate) fn id_and_path<S: Serializer>(node: &NodeRef, to: S) -> Result<S::Ok, S::Error> {
    #[derive(Serialize)]
    struct NodeKeys<'a> {
        node: &'a str,
        #[serde(flatten)]
        path: PathKeys<'a>,
    }
    NodeKeys { node: &node.id, path: PathKeys::of(Some(&node.dir)) }.serialize(to)
}
