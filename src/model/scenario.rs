//! Scenario files: `yatsu.md`, or `eval.md` by its newer name.

use super::governed::Governed;
use super::reading::EvidenceHash;
use super::source::{Position, Problem};
use crate::repo::path::RepoPath;

/// One declared scenario.
#[derive(Clone, Debug)]
pub struct Scenario {
    /// Unique in its file after NFC.
    pub name: String,
    /// What to measure.
    pub description: String,
    /// What zero loss looks like.
    pub expected: String,
    /// At least one, from the library.
    pub tags: Vec<String>,
    /// A runnable file that is never run; repository- or node-relative.
    pub test: Option<Governed>,
    /// Its own governed list; empty means the node's.
    pub code: Vec<Governed>,
    /// Referenced, not governed.
    pub related: Vec<Governed>,
    /// Where the entry begins.
    pub at: Position,
    /// sha256 of description and expected, folded (formats.md, `scenarioHash`).
    pub text_hash: EvidenceHash,
    /// The entry's text without white space, hashed: equal entries have equal fingerprints, however they are wrapped.
    pub fingerprint: u64,
}

/// One scenario file: what could be read, and every violation.
#[derive(Clone, Debug, Default)]
pub struct ScenarioFile {
    /// Where it lies.
    pub path: RepoPath,
    /// The usable entries in file order: those with a name, a description and an expected result.
    pub scenarios: Vec<Scenario>,
    /// Every violation of the file itself; ghosts are found by resolving paths in a view.
    pub problems: Vec<Problem>,
}

/// The name and text hash of every usable scenario in these bytes.
pub fn text_hashes(bytes: &[u8]) -> Vec<(String, EvidenceHash)> {
    use saphyr::{LoadableYamlNode, Yaml};
    let text = String::from_utf8_lossy(bytes).replace("\r\n", "\n");
    let front = text.strip_prefix("---\n").and_then(|rest| rest.split("\n---").next()).unwrap_or("");
    let docs = Yaml::load_from_str(front).unwrap_or_default();
    let entries = docs.first().and_then(|doc| doc.as_mapping_get("scenarios")).and_then(|list| list.as_vec());
    entries.map(|list| list.iter().filter_map(entry_hash).collect()).unwrap_or_default()
}

fn entry_hash(entry: &saphyr::Yaml<'_>) -> Option<(String, EvidenceHash)> {
    let field = |key: &str| entry.as_mapping_get(key).and_then(|value| value.as_str());
    Some((field("name")?.to_owned(), text_hash(field("description")?, field("expected")?)))
}

fn text_hash(description: &str, expected: &str) -> EvidenceHash {
    use sha2::{Digest, Sha256};
    let fold = |text: &str| {
        let white = |c: char| (c.is_whitespace() && c != '\u{85}') || c == '\u{feff}';
        text.split(white).filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
    };
    EvidenceHash(Sha256::digest(format!("{}\n{}", fold(description), fold(expected))).into())
}
