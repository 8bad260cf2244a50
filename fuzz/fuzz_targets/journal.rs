//! The journal of claims: whatever is read is written the same, and what can be followed can be followed again, whole or
//! compacted, to the same state of every series.
#![no_main]

use libfuzzer_sys::fuzz_target;
use yatsu_hook::features::claims::judge::engine::{Claims, compact};
use yatsu_hook::features::claims::model::{ClaimEvent, encode, parse};

fuzz_target!(|bytes: &[u8]| {
    let Ok(events) = parse(bytes) else { return };
    let lines: Vec<String> = events.iter().map(encode).collect();
    assert_eq!(parse(lines.join("\n").as_bytes()).as_ref(), Ok(&events));
    let Ok(claims) = Claims::replay(&events) else { return };
    let kept: Vec<ClaimEvent> = compact(&events, bytes.len() / 2).into_iter().cloned().collect();
    let again = Claims::replay(&kept).expect("what was followed once");
    for event in &events {
        let series = &event.claim.series;
        assert_eq!(again.state(series), claims.state(series));
    }
});
