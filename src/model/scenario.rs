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

/// Placeholder until the parser lands: one scenario per `- name: x` line, governing the `code: y` after it.
pub fn parse(path: &RepoPath, bytes: &[u8], _tag_library: &[String]) -> ScenarioFile {
    let mut file = ScenarioFile { path: path.clone(), ..ScenarioFile::default() };
    for line in String::from_utf8_lossy(bytes).lines() {
        if let Some(name) = line.trim().strip_prefix("- name: ") {
            file.scenarios.push(Scenario {
                name: name.into(),
                description: String::new(),
                expected: String::new(),
                tags: Vec::new(),
                test: None,
                code: Vec::new(),
                related: Vec::new(),
                at: Position::default(),
                text_hash: EvidenceHash([0; 32]),
                fingerprint: 0,
            });
        }
        let code = line.trim().strip_prefix("code: ");
        if let (Some(text), Some(scenario)) = (code, file.scenarios.last_mut()) {
            scenario.code.push(Governed {
                text: text.into(),
                optional: false,
                path: RepoPath::parse(text.as_bytes()),
                at: Position::default(),
                found: super::governed::Found::Unresolved,
            });
        }
    }
    file
}
