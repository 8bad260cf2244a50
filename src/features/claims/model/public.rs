//! A claim as other machines see it: the message of a commit on a remote. Every reader of the remote can read it, so it
//! holds the SHA-256 of the token and never the token. Every writer can forge it, so it is read strictly. Input: bytes;
//! output: a claim or the fault, and vice versa.

use super::rows::ClaimedRow;
use super::wire::{claim, number, string, time};
use super::{Claim, ClaimSeries, ClaimToken};
use crate::model::labels::RunId;
use crate::model::ledger::{EvidenceHash, Timestamp};
use crate::text::escape::echo;
use crate::text::json::{self, JsonValue};
use serde::Serialize;
use sha2::{Digest, Sha256};

/// The keys of a message, a closed set: of version 1, about a scenario, and of version 2, about a key.
const KEYS: [&[&str]; 2] = [
    &["v", "state", "node", "scenario", "owner", "proof", "attempt", "run", "ts", "until", "text", "displaced"],
    &["v", "state", "key", "owner", "proof", "attempt", "run", "ts", "until", "displaced"],
];

/// Longest accepted message in bytes.
const MAX_MESSAGE: usize = 16 << 10;

/// Longest accepted name of an owner in bytes, because it is displayed.
const MAX_OWNER: usize = 1024;

/// The SHA-256 of the token's spelling: it proves who holds the claim and does not reveal the token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct TokenProof(EvidenceHash);

impl TokenProof {
    pub(crate) fn of(token: ClaimToken) -> Self {
        Self(EvidenceHash(Sha256::digest(token.to_hex()).into()))
    }

    /// A token that cannot prove anything. It replaces the token of a claim that was taken on another machine.
    pub(crate) fn stand_in(self) -> ClaimToken {
        let mut bytes = [0; 16];
        bytes.copy_from_slice(&self.0.0[..16]);
        ClaimToken(bytes)
    }
}

/// A claim on a remote, or the rest of one: a free series that keeps its attempt number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PublicClaim {
    pub(crate) is_held: bool,
    pub(crate) series: ClaimSeries,
    /// The name of the holder as given.
    pub(crate) owner: String,
    /// Hash of the token of the current holder, or of the last one if the claim is free.
    pub(crate) proof: TokenProof,
    /// The number of the current or the next attempt.
    pub(crate) attempt: u32,
    pub(crate) run: Option<RunId>,
    /// When it was written, by the clock of that machine.
    pub(crate) ts: Timestamp,
    pub(crate) until: Timestamp,
    pub(crate) text: Option<EvidenceHash>,
    /// When a holder's claim was last ended by force, without a way to notify the holder. As long as the old claim may be
    /// remembered, this ref must stay, so that the holder finds out.
    pub(crate) displaced: Option<Timestamp>,
}

#[derive(Serialize)]
struct PublicLine<'c> {
    v: u32,
    state: &'static str,
    #[serde(flatten)]
    on: ClaimedRow,
    owner: &'c str,
    proof: String,
    attempt: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    run: Option<&'c str>,
    ts: String,
    until: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    displaced: Option<String>,
}

impl PublicClaim {
    /// The public form of a claim that was taken or renewed at `ts`.
    pub(crate) fn of(claim: &Claim, ts: Timestamp) -> Self {
        Self {
            is_held: true,
            series: claim.series.clone(),
            owner: claim.owner.clone(),
            proof: TokenProof::of(claim.token),
            attempt: claim.attempt,
            run: claim.run.clone(),
            ts,
            until: claim.until,
            text: claim.text,
            displaced: None,
        }
    }

    /// The claim as the state of claims represents it.
    pub(crate) fn claim(&self, token: ClaimToken, remote: &str) -> Claim {
        Claim {
            series: self.series.clone(),
            owner: self.owner.clone(),
            token,
            attempt: self.attempt,
            run: self.run.clone(),
            until: self.until,
            text: self.text,
            remote: Some(remote.to_owned()),
            session: None,
        }
    }

    /// The rest of a claim that another user ended by force: free, and its former holder can neither release nor restore
    /// it.
    pub(crate) fn ended_by_force(&self) -> Self {
        Self { is_held: false, proof: TokenProof::of(self.proof.stand_in()), ..self.clone() }
    }

    pub(crate) fn encode(&self) -> String {
        let line = PublicLine {
            v: if self.series.scenario().is_some() { 1 } else { 2 },
            state: if self.is_held { "held" } else { "free" },
            on: ClaimedRow::of(&self.series),
            owner: &self.owner,
            proof: self.proof.0.to_string(),
            attempt: self.attempt,
            run: self.run.as_ref().map(RunId::as_str),
            ts: self.ts.to_string(),
            until: self.until.to_string(),
            text: self.text.map(|hash| hash.to_string()),
            displaced: self.displaced.as_ref().map(Timestamp::to_string),
        };
        // a struct of strings and numbers always serialises
        serde_json::to_string(&line).unwrap_or_default() + "\n"
    }

    /// The claim in a message.
    ///
    /// # Errors
    /// The fault, in a few words. Repeated text of the message is escaped.
    pub(crate) fn parse(message: &[u8]) -> Result<Self, String> {
        if message.len() > MAX_MESSAGE {
            return Err(format!("is longer than {MAX_MESSAGE} bytes"));
        }
        let text = std::str::from_utf8(message).map_err(|_| "is not UTF-8".to_owned())?;
        let json = json::parse(text.trim_end()).map_err(|_| "is not JSON".to_owned())?;
        let JsonValue::Object(members) = &json.value else { return Err(format!("is {}", json.type_name())) };
        let known = match number(&json, "v")? {
            "1" => KEYS[0],
            "2" => KEYS[1],
            _ => return Err("is of another version".to_owned()),
        };
        if let Some((key, _)) = members.iter().find(|(key, _)| !known.contains(&&**key)) {
            return Err(format!("has the unknown key \"{}\"", echo(key)));
        }
        let owner = string(&json, "owner")?;
        if owner.trim().is_empty() || owner.len() > MAX_OWNER || owner.contains(['\n', '\r']) {
            return Err("has an \"owner\" that is no name".to_owned());
        }
        let proof = EvidenceHash::from_hex(string(&json, "proof")?.as_bytes());
        Ok(Self {
            is_held: match string(&json, "state")? {
                "held" => true,
                "free" => false,
                _ => return Err("has a \"state\" that is neither held nor free".to_owned()),
            },
            proof: TokenProof(proof.ok_or("has a \"proof\" that is no hash")?),
            displaced: json.get("displaced").map(|_| time(&json, "displaced")).transpose()?,
            ..Self::of(&claim(&json)?, time(&json, "ts")?)
        })
    }
}

/// The last part of the ref for the claims of a series: 40 hex digits, equal on every machine, and independent of node ids.
/// A key begins with a byte that no directory has. A path is claimed on one machine alone, and no remote has its ref.
pub(crate) fn ref_end(series: &ClaimSeries) -> String {
    let mut hasher = Sha256::new();
    match series {
        ClaimSeries::Scenario(on) => {
            hasher.update(on.node().as_bstr());
            hasher.update([0]);
            hasher.update(on.name());
        }
        ClaimSeries::Key(key) => {
            hasher.update(b"\0key\0");
            hasher.update(key.as_str());
        }
        ClaimSeries::Path(path) => {
            hasher.update(b"\0path\0");
            hasher.update(path.as_text());
        }
    }
    let hash = EvidenceHash(hasher.finalize().into()).to_string();
    hash.get(..40).unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::features::claims::model::key::ClaimKey;
    use crate::tree::path::RepoPath;
    use proptest::prelude::*;

    fn key(text: &str) -> ClaimSeries {
        ClaimSeries::Key(ClaimKey::parse(text).unwrap())
    }

    fn claim() -> PublicClaim {
        let token = ClaimToken([7; 16]);
        PublicClaim {
            is_held: true,
            series: ClaimSeries::new(&RepoPath::from_git(".spec/a"), "s \u{b7} \"x\"").unwrap(),
            owner: "Ann".into(),
            proof: TokenProof::of(token),
            attempt: 2,
            run: RunId::parse("r"),
            ts: Timestamp { millis: 1_767_225_600_000 },
            until: Timestamp { millis: 1_767_227_400_000 },
            text: Some(EvidenceHash([9; 32])),
            displaced: Some(Timestamp { millis: 1_767_225_500_000 }),
        }
    }

    #[test]
    fn a_message_says_all_but_the_token() {
        let claim = claim();
        let text = claim.encode();
        assert_eq!(PublicClaim::parse(text.as_bytes()), Ok(claim.clone()));
        assert!(!text.contains(&ClaimToken([7; 16]).to_hex()), "{text}");
        let free = PublicClaim { is_held: false, run: None, text: None, displaced: None, ..claim };
        assert_eq!(PublicClaim::parse(free.encode().as_bytes()), Ok(free));
    }

    #[test]
    fn a_message_about_a_key_is_of_version_2_and_one_about_a_path_is_none() {
        let key = PublicClaim { series: key("deploy"), text: None, ..claim() };
        let text = key.encode();
        assert!(text.starts_with("{\"v\":2,\"state\":\"held\",\"key\":\"deploy\","), "{text}");
        assert_eq!(PublicClaim::parse(text.as_bytes()), Ok(key));
        for wrong in [
            text.replace("\"v\":2", "\"v\":1"),
            text.replace("\"key\":\"deploy\"", "\"path\":\"src\""),
            text.replace("\"key\":\"deploy\"", "\"node\":\"a\",\"scenario\":\"s\""),
            text.replace("\"key\"", "\"session\":\"00ff00ff00ff00ff00ff00ff00ff00ff\",\"key\""),
        ] {
            assert!(PublicClaim::parse(wrong.as_bytes()).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_message_that_says_anything_else_is_none() {
        let text = claim().encode();
        let wrong = [
            text.replace("\"v\":1", "\"v\":2"),
            text.replace("\"v\":1", "\"v\":1,\"token\":\"x\""),
            text.replace("\"held\"", "\"mine\""),
            text.replace(".spec/a", "../a"),
            text.replace("Ann", ""),
            text.replace("Ann", "A\\nB"),
            text.replace("Ann", &"A".repeat(1025)),
            text.replace("\"attempt\":2", "\"attempt\":0"),
            text.replace("\"proof\":\"", "\"proof\":\"x"),
            text.replace("2026", "20260"),
            text.replace("\"displaced\":\"", "\"displaced\":\"x"),
            format!("{text}{text}"),
            "a message of a person".into(),
            "[1]".into(),
            "[".repeat(10_000),
            " ".repeat(MAX_MESSAGE + 1),
            String::new(),
        ];
        for text in wrong {
            assert!(PublicClaim::parse(text.as_bytes()).is_err(), "{text}");
        }
        assert!(PublicClaim::parse(b"\xff").is_err());
    }

    #[test]
    fn a_series_has_one_ref_and_no_other_series_has_it() {
        let of = |node: &str, name: &str| ref_end(&ClaimSeries::new(&RepoPath::from_git(node), name).unwrap());
        assert_eq!(of("a", "b").len(), 40);
        assert_eq!(of("a", "cafe\u{301}"), of("a", "caf\u{e9}"));
        assert_ne!(of("a", "b"), of("a/b", "b"));
        assert_ne!(of("ab", "c"), of("a", "bc"));
        assert_ne!(ref_end(&key("a")), of("", "a"));
        // sha256 of NUL, "key", NUL and the key, as `printf '\0key\0deploy' | sha256sum` prints it
        assert_eq!(ref_end(&key("deploy")), "e6dfbee9b3bdfd16ce97b82f5cb66989acf2f117");
    }

    proptest! {
        #[test]
        fn no_bytes_panic(cut in 0..300_usize, with in prop::collection::vec(any::<u8>(), 0..6), rest in 0..300_usize) {
            let text = claim().encode().into_bytes();
            let bytes = [&text[..cut.min(text.len())], &with, &text[rest.min(text.len())..]].concat();
            if let Ok(read) = PublicClaim::parse(&bytes) {
                prop_assert_eq!(PublicClaim::parse(read.encode().as_bytes()), Ok(read));
            }
        }
    }
}
