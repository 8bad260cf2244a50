//! Readings as in-toto attestations: statements (in-toto's Statement v1 with the predicate test-result v0.1), and envelopes
//! around them (DSSE v1). Each is one line of canonical JSON (RFC 8785), so that equal readings are equal bytes. The fields
//! of every struct of them stand in the order of their keys: another order gives another line. And the receipt of `sign`.

use crate::features::trust::model::signed::{SignatureReceipt, SigningReceipt};
use crate::features::trust::model::statement::StatedReading;
use crate::report::receipt::Receipt;
use crate::report::view::terms::SignerRow;
use crate::report::{inert_json, shown, write_json};
use crate::text::base64::base64;
use crate::text::escape::echo;
use crate::text::plural;
use serde::Serialize;
use std::io::{self, Write};

const STATEMENT: &str = "https://in-toto.io/Statement/v1";
const TEST_RESULT: &str = "https://in-toto.io/attestation/test-result/v0.1";
/// The type of an envelope's payload.
const PAYLOAD_TYPE: &str = "application/vnd.in-toto+json";

#[derive(Serialize)]
struct Statement<'r> {
    #[serde(rename = "_type")]
    of: &'static str,
    predicate: TestResult<'r>,
    #[serde(rename = "predicateType")]
    predicate_type: &'static str,
    subject: Vec<Resource<'r>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct TestResult<'r> {
    configuration: [Resource<'r>; 1],
    failed_tests: Vec<String>,
    passed_tests: Vec<String>,
    result: &'static str,
}

/// A resource descriptor.
#[derive(Serialize)]
struct Resource<'r> {
    #[serde(skip_serializing_if = "Option::is_none")]
    annotations: Option<Annotations<'r>>,
    digest: ContentDigest<'r>,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
enum ContentDigest<'r> {
    GitBlob(&'r str),
    GitCommit(&'r str),
    Sha256(&'r str),
}

#[derive(Serialize)]
struct Annotations<'r> {
    #[serde(rename = "urn:yatsu-hook:reading:v1")]
    reading: ReadingNote<'r>,
}

#[derive(Serialize)]
struct ReadingNote<'r> {
    #[serde(skip_serializing_if = "Option::is_none")]
    evaluator: Option<&'r str>,
    evidence: Vec<Piece<'r>>,
    grade: &'static str,
    signers: Vec<SignerNote<'r>>,
    ts: &'r str,
}

#[derive(Serialize)]
struct Piece<'r> {
    hash: &'r str,
    kind: &'static str,
}

#[derive(Serialize)]
struct SignerNote<'r> {
    independent: Option<bool>,
    key: &'r str,
    principal: &'r str,
    role: Option<&'static str>,
    ts: &'r str,
}

/// The statement about a reading, without a line end; `None` if there is no content to name: neither a commit nor a stamp.
pub(crate) fn statement(reading: &StatedReading) -> Option<String> {
    let subject = subject(reading);
    let hash = reading.scenario_hash.as_deref().map(ContentDigest::Sha256);
    let digest = hash.or(reading.commit.as_deref().map(ContentDigest::GitCommit))?;
    let name = Some(format!("{}#{}", reading.file, reading.scenario));
    let annotations = Some(Annotations { reading: note(reading) });
    let (failed_tests, passed_tests) = match reading.passed {
        true => (Vec::new(), vec![reading.name()]),
        false => (vec![reading.name()], Vec::new()),
    };
    let predicate = TestResult {
        configuration: [Resource { annotations, digest, name }],
        failed_tests,
        passed_tests,
        result: if reading.passed { "PASSED" } else { "FAILED" },
    };
    let statement = Statement { of: STATEMENT, predicate, predicate_type: TEST_RESULT, subject };
    // in-toto allows no statement without a subject
    let is_about_content = !statement.subject.is_empty();
    let json = serde_json::to_string(&statement).ok().filter(|_| is_about_content)?;
    Some(inert_json(json))
}

/// The measured content: the stamped files, and the commit where the content is the commit's.
fn subject(reading: &StatedReading) -> Vec<Resource<'_>> {
    let plain = |digest, name| Resource { annotations: None, digest, name };
    let files = reading.files.iter().map(|file| {
        let digest = if file.is_submodule { ContentDigest::GitCommit } else { ContentDigest::GitBlob };
        plain(digest(&file.id), Some(file.path.clone()))
    });
    let commit = reading.commit.as_deref().filter(|_| reading.is_committed);
    files.chain(commit.map(|id| plain(ContentDigest::GitCommit(id), None))).collect()
}

fn note(reading: &StatedReading) -> ReadingNote<'_> {
    ReadingNote {
        evaluator: reading.evaluator.as_deref(),
        evidence: reading.evidence.iter().map(|(kind, hash)| Piece { hash, kind }).collect(),
        grade: reading.grade,
        signers: reading.signers.iter().map(signer_note).collect(),
        ts: &reading.ts,
    }
}

fn signer_note(SignerRow { principal, role, key, ts, independent }: &SignerRow) -> SignerNote<'_> {
    SignerNote { independent: *independent, key, principal, role: *role, ts }
}

/// The bytes that the signature of an envelope signs: DSSE's encoding of the type and the payload with their lengths.
pub(crate) fn pre_authentication(statement: &str) -> Vec<u8> {
    format!("DSSEv1 {} {PAYLOAD_TYPE} {} {statement}", PAYLOAD_TYPE.len(), statement.len()).into_bytes()
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Envelope<'e> {
    payload: String,
    payload_type: &'static str,
    signatures: [EnvelopeSignature<'e>; 1],
}

#[derive(Serialize)]
struct EnvelopeSignature<'e> {
    keyid: &'e str,
    sig: &'e str,
}

/// Writes the envelope around a statement. `sig` is the base64 of the signature, `keyid` the fingerprint of its key.
pub(crate) fn write_envelope(statement: &str, keyid: &str, sig: &str, out: &mut dyn Write) -> io::Result<()> {
    let signatures = [EnvelopeSignature { keyid, sig }];
    let payload = base64(statement.as_bytes());
    write_json(&Envelope { payload, payload_type: PAYLOAD_TYPE, signatures }, out)
}

impl Receipt for SigningReceipt {
    const VERB: &'static str = "sign";

    fn lines(&self, _all: bool) -> String {
        if self.signatures.is_empty() {
            return "already signed by this key; nothing was written\n".to_owned();
        }
        let line = |one: &SignatureReceipt| {
            let known = one.principals.iter().map(|name| echo(name)).collect::<Vec<_>>().join(", ");
            let known = if known.is_empty() { String::new() } else { format!(" ({known})") };
            let (lines, node) = (plural(one.lines, "line"), shown(&one.node));
            format!("signed {lines} of {node} with {}{known}: {}\n", one.key, shown(&one.ledger))
        };
        self.signatures.iter().map(line).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::features::trust::model::statement::StatedFile;

    fn reading() -> StatedReading {
        StatedReading {
            dir: ".".into(),
            file: "yatsu.md".into(),
            env: None,
            scenario: "say \"hi\"\n\u{9b}".into(),
            passed: false,
            files: vec![
                StatedFile { path: "a".into(), id: "1".repeat(40), is_submodule: false },
                StatedFile { path: "b".into(), id: "2".repeat(40), is_submodule: true },
            ],
            commit: Some("3".repeat(40)),
            is_committed: true,
            scenario_hash: None,
            ts: "2026-01-01T00:00:00.000Z".into(),
            evaluator: None,
            grade: "signed",
            signers: vec![SignerRow {
                principal: "ann@example.org".into(),
                role: None,
                key: "SHA256:k".into(),
                ts: "2026-01-01T00:00:01.000Z".into(),
                independent: None,
            }],
            evidence: vec![("image", "4".repeat(64))],
        }
    }

    #[test]
    fn a_statement_is_one_line_with_its_keys_in_canonical_order() {
        let text = statement(&reading()).unwrap();
        assert!(text.is_ascii() && !text.bytes().any(|byte| byte < b' '), "{text}");
        assert_eq!(
            text,
            format!(
                "{{\"_type\":\"{STATEMENT}\",\"predicate\":{{\"configuration\":[{{\"annotations\":{{\"urn:yatsu-hook:reading:v1\":\
                 {{\"evidence\":[{{\"hash\":\"{}\",\"kind\":\"image\"}}],\"grade\":\"signed\",\"signers\":[{{\"independent\":null,\
                 \"key\":\"SHA256:k\",\"principal\":\"ann@example.org\",\"role\":null,\"ts\":\"2026-01-01T00:00:01.000Z\"}}],\
                 \"ts\":\"2026-01-01T00:00:00.000Z\"}}}},\"digest\":{{\"gitCommit\":\"{3}\"}},\
                 \"name\":\"yatsu.md#say \\\"hi\\\"\\n\\u009b\"}}],\"failedTests\":[\".#say \\\"hi\\\"\\n\\u009b\"],\
                 \"passedTests\":[],\"result\":\"FAILED\"}},\"predicateType\":\"{TEST_RESULT}\",\"subject\":[\
                 {{\"digest\":{{\"gitBlob\":\"{1}\"}},\"name\":\"a\"}},{{\"digest\":{{\"gitCommit\":\"{2}\"}},\"name\":\"b\"}},\
                 {{\"digest\":{{\"gitCommit\":\"{3}\"}}}}]}}",
                "4".repeat(64),
                "1".repeat(40),
                "2".repeat(40),
                "3".repeat(40),
            )
        );
    }

    #[test]
    fn without_content_to_name_there_is_no_statement() {
        let bare = StatedReading { files: Vec::new(), is_committed: false, ..reading() };
        assert_eq!(statement(&bare), None);
        let nameless = StatedReading { commit: None, ..reading() };
        assert_eq!(statement(&nameless), None, "neither a hash nor a commit names the scenario's text");
    }

    #[test]
    fn the_signed_bytes_are_those_of_the_dsse_protocol() {
        let long = "é\n";
        assert_eq!(pre_authentication(long), "DSSEv1 28 application/vnd.in-toto+json 3 é\n".as_bytes());
    }
}
