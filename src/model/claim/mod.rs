//! Who measures a scenario now: the events of the journal of claims, and its lines (claims.md). Bytes in, events or the first
//! unreadable line out; an event in, the line to append out. Judges nothing: what may follow what is
//! [`crate::engine::claim`]'s.

mod public;
mod wire;

pub(crate) use public::{PublicClaim, TokenProof, ref_end};
pub use wire::{ClaimFault, encode, parse};

use super::ids::composed;
use super::labels::RunId;
use super::ledger::{EvidenceHash, Timestamp};
use crate::tree::path::RepoPath;
use std::fmt;

/// A scenario of a node: what is claimed. Its claims, one after the other, are a series. The name is in NFC, so that one
/// scenario has one series however it is typed.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ClaimSeries {
    node: RepoPath,
    scenario: String,
}

impl ClaimSeries {
    /// The series of a scenario of the node in this directory; `None` when the journal has no spelling for the directory
    /// (it is not UTF-8, or would be read as another), or the name is blank.
    pub(crate) fn new(node: &RepoPath, scenario: &str) -> Option<Self> {
        let spelled = node.is_root() || {
            let text = std::str::from_utf8(node.as_bstr()).ok()?;
            RepoPath::parse(text.as_bytes()).is_ok_and(|read| read == *node)
        };
        (spelled && !scenario.trim().is_empty())
            .then(|| Self { node: node.clone(), scenario: composed(scenario).into_owned() })
    }

    /// The node's directory.
    pub(crate) fn node(&self) -> &RepoPath {
        &self.node
    }

    /// The scenario's name.
    pub(crate) fn scenario(&self) -> &str {
        &self.scenario
    }
}

impl fmt::Display for ClaimSeries {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let node = if self.node.is_root() { ".".to_owned() } else { self.node.to_string() };
        write!(f, "{node}/{}", self.scenario)
    }
}

impl fmt::Debug for ClaimSeries {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// What proves that one holds a claim: 128 random bits. It stands in the journal and in what the taker was told, nowhere
/// else: neither messages nor debug output can spell it by accident.
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

    /// Its spelling: for the journal, and once for whoever took the claim.
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

/// What happened to a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ClaimStep {
    /// A free scenario was claimed.
    Taken,
    /// Its end was put off.
    Renewed,
    /// Its holder gave it up.
    Released,
    /// A lapsed claim ended, and this new one took its place.
    Reclaimed,
    /// A reading was filed under it, which ended it and its series of attempts.
    Filed,
    /// Somebody ended it for its holder.
    Forced,
    /// It is about to be made known on a remote, and is nobody's yet.
    Intended,
    /// The remote gave it to somebody else, or to nobody.
    Missed,
}

impl ClaimStep {
    /// Every step that a journal can tell of.
    pub(crate) const ALL: [Self; 8] = [
        Self::Taken,
        Self::Renewed,
        Self::Released,
        Self::Reclaimed,
        Self::Filed,
        Self::Forced,
        Self::Intended,
        Self::Missed,
    ];

    /// The public spelling: `event` in the journal and in JSON.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Taken => "taken",
            Self::Renewed => "renewed",
            Self::Released => "released",
            Self::Reclaimed => "reclaimed",
            Self::Filed => "filed",
            Self::Forced => "forced",
            Self::Intended => "intended",
            Self::Missed => "missed",
        }
    }

    /// The step of that spelling.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|step| step.as_str() == text)
    }
}

/// A claim: of `reclaimed`, the new one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    /// What is claimed.
    pub series: ClaimSeries,
    /// Who said that they would measure: a name as it was given, never blank. Nothing checks it.
    pub owner: String,
    /// What proves it.
    pub token: ClaimToken,
    /// Which attempt at a reading it is, from 1.
    pub attempt: u32,
    /// The run that its reading will belong to.
    pub run: Option<RunId>,
    /// The last moment at which it is live.
    pub until: Timestamp,
    /// What the scenario said when it was taken: by it the claim is known where the node has moved.
    pub text: Option<EvidenceHash>,
    /// The remote on which other machines see it; nothing of one that only this repository knows.
    pub remote: Option<String>,
}

/// One line of the journal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClaimEvent {
    /// When it was written, by the clock of that machine.
    pub ts: Timestamp,
    /// What became of the claim.
    pub step: ClaimStep,
    /// The claim as it is after it, or was when it ended.
    pub claim: Claim,
    /// Why it was given up or ended by force, in the words of whoever did.
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
