//! One line: read or refused, never both; what is read and written again is the same event.
#![no_main]

use libfuzzer_sys::fuzz_target;
use yatsu_hook::model::ledger::{Event, encode_reading, encode_redaction, encode_retraction, encode_signature, parse};
use yatsu_hook::tree::path::RepoPath;

fuzz_target!(|bytes: &[u8]| {
    let path = RepoPath::from_git("n/yatsu.evals.ndjson");
    let line: Vec<u8> = bytes.iter().copied().filter(|byte| *byte != b'\n').collect();
    let ledger = parse(&path, &line);
    assert_eq!(ledger.lines.len() + ledger.problems.len(), ledger.raw.len());
    let Some(line) = ledger.lines.first() else { return };
    let written = match &line.event {
        Event::Reading(reading) if reading.code_sha.is_some() || reading.evaluator.is_some() => encode_reading(reading),
        Event::Retraction(retraction) => encode_retraction(retraction),
        Event::Redaction(redaction) => encode_redaction(redaction),
        Event::Signature(signature) if signature.wrong.is_empty() => encode_signature(signature),
        _ => return,
    };
    let again = parse(&path, written.as_bytes());
    assert!(again.problems.is_empty());
    match (&again.lines[0].event, &line.event) {
        // a stamp beyond the writer's limits is left out
        (Event::Reading(again), Event::Reading(first)) if again.governed.is_none() => {
            assert_eq!((&again.scenario, again.ts, &again.evidence), (&first.scenario, first.ts, &first.evidence));
        }
        (again, first) => assert_eq!(again, first),
    }
});
