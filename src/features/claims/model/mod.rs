//! Claims: who measures a scenario, or works on a key or a path, now. Reads and writes the lines of the claims journal (claims.md). Input: bytes; output:
//! events or the first unreadable line, and vice versa. Judges nothing: [`crate::features::claims::judge::engine`] knows which event may
//! follow which.

pub(crate) mod duration;
pub(crate) mod key;
pub(crate) mod next_rows;
mod path;
mod public;
pub(crate) mod rows;
pub(crate) mod settings;
mod wire;

pub use path::ClaimPath;
pub(crate) use public::{PublicClaim, TokenProof, ref_end};
pub use wire::{ClaimFault, encode, parse};

use crate::features::claims::model::key::ClaimKey;
use crate::model::ids::composed;
use crate::model::labels::RunId;
use crate::model::ledger::{EvidenceHash, Timestamp};
use crate::model::session::SessionHash;
use crate::text::spelled::spelled;
use crate::tree::path::RepoPath;
use std::fmt;

/// A scenario that can be claimed. Its name is in NFC, so that it is one scenario however its name is typed.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ClaimedScenario {
    node: RepoPath,
    name: String,
}

impl ClaimedScenario {
    pub(crate) fn node(&self) -> &RepoPath {
        &self.node
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }
}

/// What a claim is on. All claims on it, one after the other, are a series.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ClaimSeries {
    /// A scenario of a node.
    Scenario(ClaimedScenario),
    /// A word that agents agree on.
    Key(ClaimKey),
    /// Files.
    Path(ClaimPath),
}

impl ClaimSeries {
    /// The series of a scenario of the node in this directory. `None` if the journal cannot spell the directory (not UTF-8,
    /// or read back as another path), or the name is blank.
    pub(crate) fn new(node: &RepoPath, scenario: &str) -> Option<Self> {
        let spelled = node.is_root() || {
            let text = std::str::from_utf8(node.as_bstr()).ok()?;
            RepoPath::parse(text.as_bytes()).is_ok_and(|read| read == *node)
        };
        let on = || ClaimedScenario { node: node.clone(), name: composed(scenario).into_owned() };
        (spelled && !scenario.trim().is_empty()).then(|| Self::Scenario(on()))
    }

    /// The scenario; `None` for a key or a path.
    pub(crate) fn scenario(&self) -> Option<&ClaimedScenario> {
        match self {
            Self::Scenario(on) => Some(on),
            Self::Key(_) | Self::Path(_) => None,
        }
    }
}

/// A directory of a node as the journal and JSON spell it.
pub(crate) fn node_text(node: &RepoPath) -> String {
    if node.is_root() { ".".to_owned() } else { node.to_string() }
}

impl fmt::Display for ClaimSeries {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Scenario(ClaimedScenario { node, name }) => write!(f, "{}/{name}", node_text(node)),
            Self::Key(key) => write!(f, "key {key}"),
            Self::Path(path) => write!(f, "path {path}"),
        }
    }
}

impl fmt::Debug for ClaimSeries {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The proof of holding a claim: 128 random bits. Only the journal and the output of the claiming command show it; messages
/// and debug output cannot spell it by accident.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ClaimToken(pub [u8; 16]);

impl ClaimToken {
    /// The token of 32 lower-case hex digits; `None` for anything else.
    pub(crate) fn from_hex(hex: &str) -> Option<Self> {
        let digit = |byte: u8| match byte {
            b'0'..=b'9' => Some(byte - b'0'),
            b'a'..=b'f' => Some(byte - b'a' + 10),
            _ => None,
        };
        let digits: Vec<u8> = hex.bytes().map(digit).collect::<Option<_>>()?;
        let bytes: Vec<u8> = digits.chunks_exact(2).map(|pair| pair[0] << 4 | pair[1]).collect();
        (digits.len() == 32).then_some(())?;
        bytes.try_into().ok().map(Self)
    }

    /// Its spelling: for the journal, and once for the output of the claiming command.
    pub(crate) fn to_hex(self) -> String {
        self.0
            .iter()
            .flat_map(|byte| [byte >> 4, byte & 15])
            .map(|digit| char::from(b"0123456789abcdef"[usize::from(digit)]))
            .collect()
    }
}

impl fmt::Debug for ClaimToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ClaimToken(\u{2026})")
    }
}

spelled! {
    /// What happened to a claim: `event` in the journal and in JSON.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum ClaimStep {
        /// What was free was claimed.
        Taken = "taken",
        /// Its end was postponed.
        Renewed = "renewed",
        /// Its holder released it.
        Released = "released",
        /// An expired claim ended, and this new one replaced it.
        Reclaimed = "reclaimed",
        /// A reading was filed under it, which ended the claim and its series of attempts.
        Filed = "filed",
        /// Another user ended it by force.
        Forced = "forced",
        /// It is about to be published on a remote, and has no holder yet.
        Intended = "intended",
        /// The remote gave it to another holder, or to none.
        Missed = "missed",
    }
}

/// A claim. In a `reclaimed` event it is the new one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    /// What is claimed.
    pub series: ClaimSeries,
    /// The name of the holder as given, never blank and never verified.
    pub owner: String,
    /// The proof of holding it.
    pub token: ClaimToken,
    /// The number of the attempt at a reading, from 1.
    pub attempt: u32,
    /// The run that it belongs to.
    pub run: Option<RunId>,
    /// The last moment at which it is live.
    pub until: Timestamp,
    /// The hash of the scenario's text when it was claimed. It identifies the claim if the node moves.
    pub text: Option<EvidenceHash>,
    /// The remote that publishes it to other machines; `None` for a claim of this repository only.
    pub remote: Option<String>,
    /// The session of the coding agent that took it. No other machine sees it.
    pub session: Option<SessionHash>,
}

/// One line of the journal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClaimEvent {
    /// When it was written, by the clock of that machine.
    pub ts: Timestamp,
    /// The kind of event.
    pub step: ClaimStep,
    /// The claim after the event, or, if it ended, before it.
    pub claim: Claim,
    /// The given reason for a release or for an end by force.
    pub reason: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_32_hex_digits_and_no_debug_output_spells_it() {
        let token = ClaimToken::from_hex("00112233445566778899aabbccddeeff").unwrap();
        assert_eq!(token.to_hex(), "00112233445566778899aabbccddeeff");
        assert!(!format!("{token:?}").contains("0011"));
        for text in [
            "",
            "0",
            "00112233445566778899aabbccddeef",
            "00112233445566778899AABBCCDDEEFF",
            "00112233445566778899aabbccddeeff0",
        ] {
            assert_eq!(ClaimToken::from_hex(text), None, "{text}");
        }
    }

    #[test]
    fn one_scenario_has_one_series_however_it_is_typed() {
        let node = RepoPath::from_git("n");
        assert_eq!(ClaimSeries::new(&node, "cafe\u{301}"), ClaimSeries::new(&node, "caf\u{e9}"));
        assert_eq!(ClaimSeries::new(&node, " "), None);
        assert_eq!(ClaimSeries::new(&RepoPath::from_git(b"n\xff".to_vec()), "s"), None);
        assert_eq!(ClaimSeries::new(&RepoPath::root(), "s").unwrap().to_string(), "./s");
    }
}
