//! The content that a decision about a patch names: every path that differs between its base and its tip, with both
//! versions. A large map is named by its digest. Judged by content, so a decision holds for a rebased branch, too.

use super::fields::{Field, bad, plain_path, present, spelling, wrong_type};
use super::{EvidenceHash, Stamped};
use crate::text::escape::echo;
use crate::text::json::{Json, JsonValue};
use crate::tree::path::RepoPath;
use serde::{Serialize, Serializer};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;

/// A map with more paths is named by its digest.
const MAX_FILES: usize = 128;
/// A map with a longer canonical JSON, in bytes, is named by its digest.
const MAX_BYTES: usize = 32 << 10;

/// Every differing path with its version at the base and at the tip.
pub type ContentMap = BTreeMap<RepoPath, [Stamped; 2]>;

/// The content of a decision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ApprovedContent {
    /// `content`: the map itself.
    Files(ContentMap),
    /// `contentDigest`: the digest of a large map.
    Digest {
        /// The number of paths.
        files: usize,
        /// The sha256 of the map's canonical JSON.
        sha256: EvidenceHash,
    },
}

impl ApprovedContent {
    /// The content as a line names it; `None` if no line can spell one of the paths.
    pub fn of(map: &ContentMap) -> Option<Self> {
        let text = canonical(map)?;
        let is_small = map.len() <= MAX_FILES && text.len() <= MAX_BYTES;
        Some(if is_small { Self::Files(map.clone()) } else { digest(map, &text) })
    }

    /// Whether this is exactly the digest of `map`.
    pub fn is_digest_of(&self, map: &ContentMap) -> bool {
        canonical(map).is_some_and(|text| *self == digest(map, &text))
    }
}

fn digest(map: &ContentMap, text: &str) -> ApprovedContent {
    ApprovedContent::Digest { files: map.len(), sha256: EvidenceHash(Sha256::digest(text).into()) }
}

/// The canonical JSON of a map by RFC 8785, for example `{"a.sh":["-","x:<id>"]}`.
fn canonical(map: &ContentMap) -> Option<String> {
    let mut entries = map.iter().map(|(path, pair)| spelled(path, pair)).collect::<Option<Vec<_>>>()?;
    // RFC 8785 sorts by UTF-16 units: another order gives another digest for names with characters beyond U+FFFF
    entries.sort_by(|(one, _), (other, _)| one.encode_utf16().cmp(other.encode_utf16()));
    serde_json::to_string(&CanonicalMap(entries)).ok()
}

struct CanonicalMap<'p>(Vec<(&'p str, [String; 2])>);

impl Serialize for CanonicalMap<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_map(self.0.iter().map(|(path, pair)| (path, pair)))
    }
}

/// The members of a line that hold the content.
#[derive(Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ContentKeys<'r> {
    #[serde(skip_serializing_if = "Option::is_none")]
    content: Option<BTreeMap<&'r str, [String; 2]>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    content_digest: Option<DigestKeys>,
}

#[derive(Serialize)]
struct DigestKeys {
    files: usize,
    sha256: String,
}

fn spelled<'p>(path: &'p RepoPath, pair: &[Stamped; 2]) -> Option<(&'p str, [String; 2])> {
    Some((spelling(path)?, pair.map(Stamped::to_text)))
}

pub(super) fn keys(content: Option<&ApprovedContent>) -> ContentKeys<'_> {
    match content {
        None => ContentKeys::default(),
        Some(ApprovedContent::Files(map)) => {
            // `of` made sure that every path has a spelling
            let spelled = map.iter().filter_map(|(path, pair)| spelled(path, pair));
            ContentKeys { content: Some(spelled.collect()), content_digest: None }
        }
        Some(ApprovedContent::Digest { files, sha256 }) => ContentKeys {
            content: None,
            content_digest: Some(DigestKeys { files: *files, sha256: sha256.to_string() }),
        },
    }
}

/// The content of a line; `None` in a line of an older program.
pub(super) fn read(object: &Json<'_>) -> Field<Option<ApprovedContent>> {
    let (map, digest) = (present(object, "content"), present(object, "contentDigest"));
    match (map, digest) {
        (None, None) => Ok(None),
        (Some(map), None) => files(map).map(Some),
        (None, Some(digest)) => read_digest(digest).map(Some),
        (Some(_), Some(both)) => Err(bad("content", both, "a decision has \"content\" or \"contentDigest\", not both")),
    }
}

fn files(value: &Json<'_>) -> Field<ApprovedContent> {
    let JsonValue::Object(members) = &value.value else { return Err(wrong_type("content", "an object", value)) };
    let mut map = ContentMap::new();
    for (path, pair) in members {
        let plain = plain_path(path).ok_or_else(|| {
            bad("content", pair, format!("\"{}\" in \"content\" is not a plain path of this repository", echo(path)))
        })?;
        map.insert(plain, versions(pair)?);
    }
    Ok(ApprovedContent::Files(map))
}

fn versions(value: &Json<'_>) -> Field<[Stamped; 2]> {
    const SHAPE: &str = "two versions, each a full object id, with x:, l: or m: before it, or -";
    let JsonValue::Array(items) = &value.value else { return Err(wrong_type("content", SHAPE, value)) };
    let both: Option<Vec<Stamped>> = items.iter().map(|item| Stamped::parse(item.as_str()?)).collect();
    let both = both.and_then(|both| <[Stamped; 2]>::try_from(both).ok());
    both.ok_or_else(|| bad("content", value, format!("\"content\" must give each path {SHAPE}")))
}

fn read_digest(value: &Json<'_>) -> Field<ApprovedContent> {
    const SHAPE: &str = "\"contentDigest\" must have \"files\", a number, and \"sha256\", 64 lower-case hex digits";
    let wrong = || bad("content", value, SHAPE);
    let files = value.get("files").and_then(Json::number::<usize>).ok_or_else(wrong)?;
    let sha256 = value.get("sha256").ok_or_else(wrong)?;
    let sha256 = sha256.as_str().and_then(|text| EvidenceHash::from_hex(text.as_bytes())).ok_or_else(wrong)?;
    Ok(ApprovedContent::Digest { files, sha256 })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::oid::Oid;

    fn id(digit: char) -> Oid {
        Oid::from_hex(digit.to_string().repeat(40).as_bytes()).unwrap()
    }

    fn map(paths: impl IntoIterator<Item = String>) -> ContentMap {
        paths.into_iter().map(|path| (RepoPath::from_git(path), [Stamped::Absent, Stamped::Exec(id('a'))])).collect()
    }

    #[test]
    fn the_canonical_json_of_a_map_has_its_keys_in_the_order_of_rfc_8785() {
        let text = canonical(&map(["\u{ff5e}".to_owned(), "\u{1f600}".to_owned(), "a\"b".to_owned()])).unwrap();
        let pair = format!("[\"-\",\"x:{}\"]", "a".repeat(40));
        assert_eq!(text, format!("{{\"a\\\"b\":{pair},\"\u{1f600}\":{pair},\"\u{ff5e}\":{pair}}}"));
    }

    #[test]
    fn many_paths_or_long_ones_are_named_by_their_digest() {
        let numbered = |count: usize| map((0..count).map(|number| format!("f{number}")));
        assert!(matches!(ApprovedContent::of(&numbered(128)), Some(ApprovedContent::Files(_))));
        let many = numbered(129);
        let named = ApprovedContent::of(&many).unwrap();
        assert!(matches!(named, ApprovedContent::Digest { files: 129, .. }));
        assert!(named.is_digest_of(&many) && !named.is_digest_of(&numbered(130)));
        let long = map((0..100).map(|number| format!("{number}{}", "x".repeat(300))));
        assert!(matches!(ApprovedContent::of(&long), Some(ApprovedContent::Digest { files: 100, .. })));
    }

    #[test]
    fn a_path_that_no_line_can_spell_has_no_content() {
        let path = RepoPath::from_git(&b"\xff"[..]);
        assert_eq!(ApprovedContent::of(&ContentMap::from([(path, [Stamped::Absent; 2])])), None);
    }
}
